// tile.y -- the grammar of .tile files: LALR(1), no conflicts, no precedence declarations
//
// Every level of precedence is a rule of its own, so `lemon -p` has nothing to report: what Lemon
// accepts here is unambiguous. From tight to loose, as in Rust (C differs in one place: & ^ | bind
// tighter than the comparisons):
//
//     f(x)  x.f  x[i]      post
//     - ! ~                unary
//     as                   cast        -x as T is (-x) as T
//     * / %                prod
//     + -                  sum
//     << >>                shift
//     &   ^   |            band bxor bor
//     < <= > >= == !=      cmp         do not chain: a < b < c is an error
//     &&   ||              conj disj
//     ? :                  expr        to the right
//
// Words that mean something in one place only (by, of, where, ...) fall back to names elsewhere.
// Ranges are no expressions: `..` and `..+` stand in the brackets of a view, `..+` also among
// arguments, `..` in a `for`.
//
// An action is one constructor call (parse.h): word and mark for a leaf, tree for fixed children
// (NULL: missing) under a token that names it, whole if its first child does, list for a list.

%name           Tile
%token_prefix   T_
%token_type     { Token }
%default_type   { Node * }
%extra_context  { Parser *p }
%stack_size     10000
%fallback       NAME  ADD ATOMIC BLOCK BY COLLECTIVE GRID OF STEP TILE TUNE WHERE.

%include        {
#include "parse.h"
#include <stdlib.h>
#define nowhere                 ((Token){ 0, 0 })
#define word(t)                 leaf(p, N_WORD, t)
#define mark(kind, t)           leaf(p, kind, t)
#define list(kind, t, l)        list_node(p, kind, t, l)
#define tree(kind, t, ...)      tree_node(p, kind, t, (Node *[]){ __VA_ARGS__ }, \
                                          (int)(sizeof (Node *[]){ __VA_ARGS__ } / sizeof(Node *)))
#define whole(kind, ...)        tree(kind, nowhere, __VA_ARGS__)
#define join(n, l)              list_join(p, n, l)
#define clause(n, c)            clause_join(p, n, c)
#define add(l, n)               list_add(l, n)
struct yyParser;
}
%token_destructor { (void)p; (void)$$; }        // nothing is owned; keeps gcc -Wextra quiet
%syntax_error   { if (!p->panic && yymajor != T_NOTHING) syntax_error(p, yymajor, yyminor);
                  p->panic = true; }
%stack_overflow { too_deep(p, p->last); }
%token NOTHING.                                 // fits nowhere: starts the recovery from an error

// ---- items ----------------------------------------------------------------------------------

file     ::= START.                             // no token of the text: Lemon keeps the first one
file     ::= START items(A).                    { p->file = list(N_FILE, nowhere, A); }

items(L) ::= item(A).                           { L = add(NULL, A); }
items(L) ::= items(A) item(B).                  { L = add(A, B); }

item(N)  ::= USE STRING(S) SEMI.                { N = mark(N_USE_FILE, S); }
item(N)  ::= USE(K) path(A) SEMI.               { N = list(N_USE_STD, K, A); }
item(N)  ::= CONST(K) NAME(I) opt_type(T) ASSIGN expr(E) SEMI.
                                                { N = tree(N_CONST, K, word(I), T, E); }
item(A)  ::= def(A).
item(N)  ::= attrs(A) def(D).                   { N = whole(N_WITH, A, D); }
item(N)  ::= error SEMI.                        { N = NULL; }

path(L)  ::= NAME(I).                           { L = add(NULL, word(I)); }
path(L)  ::= path(A) DOT NAME(I).               { L = add(A, word(I)); }

def(N)   ::= FN(K) NAME(I) LPAREN params(P) RPAREN result(R) block(B).
                                                { N = tree(N_FN, K, word(I), P, R, B); }
def(N)   ::= COLLECTIVE(K) FN NAME(I) LPAREN params(P) RPAREN result(R) block(B).
                                                { N = tree(N_COLLECTIVE_FN, K, word(I), P, R, B); }
def(N)   ::= KERNEL(K) NAME(I) statics(S) LPAREN params(P) RPAREN clauses(C) block(B).
                                                { N = tree(N_KERNEL, K, word(I), S, P, C, B); }
def(N)   ::= SIMT(K) KERNEL NAME(I) statics(S) LPAREN params(P) RPAREN clauses(C) block(B).
                                                { N = tree(N_SIMT_KERNEL, K, word(I), S, P, C, B); }
def(N)   ::= PIPELINE(K) NAME(I) statics(S) LPAREN params(P) RPAREN clauses(C) block(B).
                                                { N = tree(N_PIPELINE, K, word(I), S, P, C, B); }

// After a mistake before the `{`, what is in the block is still read.
def(N)   ::= FN error block(B).                 { N = B; }
def(N)   ::= KERNEL error block(B).             { N = B; }
def(N)   ::= PIPELINE error block(B).           { N = B; }
def(N)   ::= SIMT error block(B).               { N = B; }
def(N)   ::= COLLECTIVE error block(B).         { N = B; }

result(N) ::= .                                 { N = NULL; }
result(N) ::= ARROW type(T).                    { N = T; }

// ---- attributes: #[threads(256, sm = 90)] ---------------------------------------------------

attrs(N)     ::= HASHBRACKET(K) attr_list(L) opt_comma RBRACKET.
                                                { N = list(N_ATTRS, K, L); }
attrs(N)     ::= attrs(A) HASHBRACKET attr_list(L) opt_comma RBRACKET.
                                                { N = join(A, L); }
attr_list(L) ::= attr(N).                       { L = add(NULL, N); }
attr_list(L) ::= attr_list(A) COMMA attr(N).    { L = add(A, N); }
attr(N)      ::= NAME(I).                       { N = whole(N_ATTR, word(I)); }
attr(N)      ::= NAME(I) LPAREN args(A) RPAREN. { N = whole(N_ATTR, word(I), A); }

// ---- static parameters, parameters, clauses -------------------------------------------------

statics(N)     ::= .                            { N = NULL; }
statics(N)     ::= LT(K) static_list(L) opt_comma GT.
                                                { N = list(N_STATICS, K, L); }
static_list(L) ::= static(N).                   { L = add(NULL, N); }
static_list(L) ::= static_list(A) COMMA static(N).
                                                { L = add(A, N); }
static(N)      ::= NAME(I) COLON kind(T).       { N = whole(N_STATIC, word(I), T); }
static(N)      ::= NAME(I) COLON kind(T) ASSIGN sum(E).     // in a comparison, > would end the list
                                                { N = whole(N_STATIC, word(I), T, E); }
static(N)      ::= NAME(I) COLON kind(T) IN list(L).        // instances
                                                { N = whole(N_STATIC_IN, word(I), T, L); }
kind(N)        ::= NAME(T).                     { N = word(T); }    // int, bool, type
kind(N)        ::= FN(T).                       { N = word(T); }

params(N)     ::= .                             { N = NULL; }
params(N)     ::= param_list(L) opt_comma.      { N = list(N_PARAMS, nowhere, L); }
param_list(L) ::= param(N).                     { L = add(NULL, N); }
param_list(L) ::= param_list(A) COMMA param(N). { L = add(A, N); }
param(N) ::= NAME(I) COLON type(T).             // of a fn, also a tile or a static: BM: int
                                                { N = whole(N_PARAM, word(I), T); }
param(N) ::= NAME(I) COLON FN(T).               // of a fn: a function's name or a lambda
                                                { N = whole(N_PARAM, word(I), word(T)); }
param(N) ::= NAME(I) COLON AND tensor(T) opt(O).
                                                { N = whole(N_PARAM_REF, word(I), T, O); }
param(N) ::= NAME(I) COLON AND ATOMIC tensor(T) opt(O).
                                                { N = whole(N_PARAM_ATOMIC, word(I), T, O); }
param(N) ::= NAME(I) COLON AND MUT tensor(T) opt(O) by(B).
                                                { N = whole(N_PARAM_MUT, word(I), T, O, B); }
param(N) ::= NAME(I) COLON AND ADD tensor(T) opt(O) by(B).  // later
                                                { N = whole(N_PARAM_ADD, word(I), T, O, B); }

opt(N) ::= .                                    { N = NULL; }
opt(N) ::= QUESTION(Q).                         { N = mark(N_OPTIONAL, Q); }

by(N)  ::= .                                    { N = NULL; }
by(N)  ::= BY(K) axes(A).                       { N = tree(N_BY, K, A); }
by(N)  ::= BY(K) NAME(I) LPAREN args(A) RPAREN. // simt index spaces: by linear(4)
                                                { N = tree(N_BY, K, word(I), A); }

// How an axis is cut: BM, i: BM, b:, _ (whole), in segments, by a list of elements.
axes(N)      ::= LBRACKET(K) axis_list(L) opt_comma RBRACKET.
                                                { N = list(N_AXES, K, L); }
axis_list(L) ::= axis(N).                       { L = add(NULL, N); }
axis_list(L) ::= axis_list(A) COMMA axis(N).    { L = add(A, N); }
axis(N)      ::= size(S) from(F).               { N = whole(N_AXIS, S, F); }
axis(N)      ::= NAME(I) COLON from(F).         { N = whole(N_NAMED_AXIS, word(I), NULL, F); }
axis(N)      ::= NAME(I) COLON size(S) from(F). { N = whole(N_NAMED_AXIS, word(I), S, F); }
size(A)      ::= expr(A).
size(N)      ::= UNDERSCORE(U).                 { N = word(U); }
from(N)      ::= .                              { N = NULL; }
from(N)      ::= IN(K) NAME(C) LBRACKET NAME(S) RBRACKET.   // later: s counts cu[s] .. cu[s+1]
                                                { N = tree(N_IN, K, word(C), word(S)); }
from(N)      ::= OF(K) NAME(I).                 // later
                                                { N = tree(N_OF, K, word(I)); }

clauses(N) ::= .                                { N = NULL; }
clauses(N) ::= clauses(C) clause(A).            { N = clause(C, A); }
clause(N)  ::= WHERE(K) expr_list(L).           { N = list(N_WHERE, K, L); }
clause(N)  ::= TUNE(K) tune_list(L).            { N = list(N_TUNE, K, L); }
clause(N)  ::= GRID(K) axes(A).                 { N = tree(N_GRID, K, A); }
clause(N)  ::= BLOCK(K) list(L).                { N = tree(N_BLOCK_SIZE, K, L); }

tune_list(L) ::= tune(N).                       { L = add(NULL, N); }
tune_list(L) ::= tune_list(A) COMMA tune(N).    { L = add(A, N); }
tune(N)      ::= NAME(I) IN list(A).            { N = whole(N_IN, word(I), A); }

// ---- types ----------------------------------------------------------------------------------

type(N)   ::= NAME(I).                          { N = word(I); }
type(N)   ::= TILE(K) LT type(T) COMMA shape(S) GT.
                                                { N = tree(N_TILE_TYPE, K, T, S); }
type(A)   ::= tensor(A).
type(N)   ::= LPAREN(K) type_list(L) RPAREN.    { N = list(N_TYPES, K, L); }
type_list(L) ::= type(A) COMMA type(B).         { L = add(add(NULL, A), B); }
type_list(L) ::= type_list(A) COMMA type(B).    { L = add(A, B); }

tensor(N) ::= TENSOR(K) LT type(T) COMMA shape(S) GT.
                                                { N = tree(N_TENSOR, K, T, S); }
tensor(N) ::= TENSOR(K) LT type(T) COMMA shape(S) COMMA NAME(F) GT.
                                                { N = tree(N_TENSOR, K, T, S, word(F)); }

shape(N)  ::= NAME(I).                          { N = word(I); }
shape(N)  ::= LBRACKET(K) RBRACKET.             { N = list(N_LIST, K, NULL); }
shape(N)  ::= LBRACKET(K) extent_list(L) opt_comma RBRACKET.
                                                { N = list(N_LIST, K, L); }
extent_list(L) ::= extent(N).                   { L = add(NULL, N); }
extent_list(L) ::= extent_list(A) COMMA extent(N).
                                                { L = add(A, N); }
extent(A) ::= expr(A).
extent(N) ::= UNDERSCORE(U).                    { N = word(U); }

opt_type(N) ::= .                               { N = NULL; }
opt_type(N) ::= COLON type(T).                  { N = T; }

// ---- statements -----------------------------------------------------------------------------

block(N) ::= LBRACE(K) RBRACE.                  { N = list(N_BLOCK, K, NULL); }
block(N) ::= LBRACE(K) stmts(L) RBRACE.         { N = list(N_BLOCK, K, L); }
block(N) ::= LBRACE(K) error RBRACE.            { N = list(N_BLOCK, K, NULL); }
block(N) ::= LBRACE(K) stmts(L) error RBRACE.   { N = list(N_BLOCK, K, L); }
stmts(L) ::= stmt(N).                           { L = add(NULL, N); }
stmts(L) ::= stmts(A) stmt(N).                  { L = add(A, N); }

stmt(N) ::= LET(K) opt_mut(M) pattern(I) opt_type(T) ASSIGN expr(E) SEMI.
                                                { N = tree(N_LET, K, M, I, T, E); }
stmt(N) ::= post(E) SEMI.                       { N = whole(N_DO, E); }     // a call, checked later
stmt(N) ::= UNSAFE(K) post(E) SEMI.             { N = tree(N_UNSAFE, K, E); }
stmt(N) ::= post(P) ASSIGN(O) expr(E) SEMI.     // a name, an element or a tuple, checked later
                                                { N = tree(N_ASSIGN, O, P, E); }
stmt(N) ::= post(P) OPASSIGN(O) expr(E) SEMI.   { N = tree(N_OP_ASSIGN, O, P, E); }
stmt(A) ::= if(A).
stmt(N) ::= WHILE(K) expr(E) block(B).          { N = tree(N_WHILE, K, E, B); }
stmt(A) ::= for(A).
stmt(N) ::= attrs(A) for(F).                    { N = whole(N_WITH, A, F); }
stmt(N) ::= BREAK(K) SEMI.                      { N = list(N_BREAK, K, NULL); }
stmt(N) ::= CONTINUE(K) SEMI.                   { N = list(N_CONTINUE, K, NULL); }
stmt(N) ::= RETURN(K) SEMI.                     { N = list(N_RETURN, K, NULL); }
stmt(N) ::= RETURN(K) expr(E) SEMI.             { N = tree(N_RETURN, K, E); }
stmt(N) ::= SHARED(K) NAME(I) COLON NAME(T) list(L) SEMI.
                                                { N = tree(N_SHARED, K, word(I), word(T), L); }
stmt(N) ::= BARRIER(K) SEMI.                    { N = list(N_BARRIER, K, NULL); }
stmt(A) ::= block(A).
stmt(N) ::= error SEMI.                         { N = NULL; }

opt_mut(N)    ::= .                             { N = NULL; }
opt_mut(N)    ::= MUT(K).                       { N = mark(N_MUT, K); }
for(N)        ::= FOR(K) NAME(I) IN expr(E) DOTDOT expr(F) step(G) block(B).
                                                { N = tree(N_FOR, K, word(I), E, F, G, B); }
for(N)        ::= FOR(K) STATIC NAME(I) IN expr(E) DOTDOT expr(F) step(G) block(B).
                                                { N = tree(N_FOR_STATIC, K, word(I), E, F, G, B); }
step(N)       ::= .                             { N = NULL; }
step(N)       ::= STEP(K) expr(E).              { N = tree(N_STEP, K, E); }

if(N)   ::= arms(L).                            { N = list(N_IF, nowhere, L); }
if(N)   ::= arms(L) ELSE block(B).              { N = list(N_IF, nowhere, add(L, B)); }
arms(L) ::= arm(N).             // arms grow to the left: a long else-if chain needs no stack
                                                { L = add(NULL, N); }
arms(L) ::= arms(A) ELSE arm(N).                { L = add(A, N); }
arm(N)  ::= IF(K) expr(E) block(B).             { N = tree(N_ARM, K, E, B); }
arm(N)  ::= STATIC(K) IF expr(E) block(B).      { N = tree(N_STATIC_ARM, K, E, B); }

pattern(A)      ::= member(A).
pattern(N)      ::= LPAREN(K) pattern_list(L) RPAREN.
                                                { N = list(N_NAMES, K, L); }
pattern_list(L) ::= member(A) COMMA member(B).  { L = add(add(NULL, A), B); }
pattern_list(L) ::= pattern_list(A) COMMA member(B).
                                                { L = add(A, B); }
member(N)       ::= NAME(I).                    { N = word(I); }
member(N)       ::= UNDERSCORE(U).              { N = word(U); }

// ---- expressions ----------------------------------------------------------------------------

expr(A)  ::= disj(A).
expr(N)  ::= disj(A) QUESTION(O) expr(B) COLON expr(C).
                                                { N = tree(N_COND, O, A, B, C); }
disj(A)  ::= conj(A).
disj(N)  ::= disj(A) OROR(O) conj(B).           { N = tree(N_BINARY, O, A, B); }
conj(A)  ::= cmp(A).
conj(N)  ::= conj(A) ANDAND(O) cmp(B).          { N = tree(N_BINARY, O, A, B); }
cmp(A)   ::= bor(A).
cmp(N)   ::= bor(A) LT(O) bor(B).               { N = tree(N_BINARY, O, A, B); }
cmp(N)   ::= bor(A) GT(O) bor(B).               { N = tree(N_BINARY, O, A, B); }
cmp(N)   ::= bor(A) COMPARE(O) bor(B).          { N = tree(N_BINARY, O, A, B); }
bor(A)   ::= bxor(A).
bor(N)   ::= bor(A) OR(O) bxor(B).              { N = tree(N_BINARY, O, A, B); }
bxor(A)  ::= band(A).
bxor(N)  ::= bxor(A) XOR(O) band(B).            { N = tree(N_BINARY, O, A, B); }
band(A)  ::= shift(A).
band(N)  ::= band(A) AND(O) shift(B).           { N = tree(N_BINARY, O, A, B); }
shift(A) ::= sum(A).
shift(N) ::= shift(A) SHIFT(O) sum(B).          { N = tree(N_BINARY, O, A, B); }
sum(A)   ::= prod(A).
sum(N)   ::= sum(A) PLUS(O) prod(B).            { N = tree(N_BINARY, O, A, B); }
sum(N)   ::= sum(A) MINUS(O) prod(B).           { N = tree(N_BINARY, O, A, B); }
prod(A)  ::= cast(A).
prod(N)  ::= prod(A) TIMES(O) cast(B).          { N = tree(N_BINARY, O, A, B); }    // * / %
cast(A)  ::= unary(A).
cast(N)  ::= cast(A) AS(O) NAME(T).             { N = tree(N_AS, O, A, word(T)); }
unary(A) ::= post(A).
unary(N) ::= MINUS(O) unary(A).                 { N = tree(N_UNARY, O, A); }
unary(N) ::= NOT(O) unary(A).                   { N = tree(N_UNARY, O, A); }        // ! ~

post(N)  ::= LITERAL(K).                        { N = word(K); }    // number, true, false, inf, nan
post(N)  ::= NAME(I).                           { N = word(I); }
post(N)  ::= LPAREN(K) expr(E) RPAREN.          { N = tree(N_PAREN, K, E); }
post(N)  ::= LPAREN(K) expr(E) COMMA expr_list(L) RPAREN.
                                                { N = join(tree(N_TUPLE, K, E), L); }
post(A)  ::= list(A).
post(A)  ::= tensor(A).                         // a pipeline's own tensor
post(N)  ::= post(A) DOT NAME(I).               { N = tree(N_DOT, I, A, word(I)); }
post(N)  ::= post(A) LPAREN args(L) RPAREN.     { N = whole(N_CALL, A, L); }
post(N)  ::= post(A) LBRACKET(K) index_list(L) opt_comma RBRACKET.      // an element or a view
                                                { N = whole(N_AT, A, list(N_LIST, K, L)); }

index_list(L) ::= index(N).                     { L = add(NULL, N); }
index_list(L) ::= index_list(A) COMMA index(N). { L = add(A, N); }
index(A) ::= expr(A).
index(N) ::= DOTDOT(O).                         { N = mark(N_ALL, O); }
index(N) ::= expr(A) DOTDOT(O) expr(B).         { N = tree(N_RANGE, O, A, B); }
index(N) ::= expr(A) DOTDOT(O).                 { N = tree(N_FROM, O, A); }
index(N) ::= DOTDOT(O) expr(B).                 { N = tree(N_TO, O, B); }
index(A) ::= window(A).
window(N) ::= expr(A) WINDOW(O) expr(B).        { N = tree(N_WINDOW, O, A, B); }    // c ..+ 8

list(N)  ::= LBRACKET(K) RBRACKET.              { N = list(N_LIST, K, NULL); }
list(N)  ::= LBRACKET(K) expr_list(L) opt_comma RBRACKET.
                                                { N = list(N_LIST, K, L); }
expr_list(L) ::= expr(E).                       { L = add(NULL, E); }
expr_list(L) ::= expr_list(A) COMMA expr(E).    { L = add(A, E); }

args(N)  ::= .                                  { N = NULL; }
args(N)  ::= arg_list(L) opt_comma.             { N = list(N_ARGS, nowhere, L); }
arg_list(L) ::= arg(N).                         { L = add(NULL, N); }
arg_list(L) ::= arg_list(A) COMMA arg(N).       { L = add(A, N); }
arg(A)   ::= value(A).
arg(N)   ::= NAME(I) ASSIGN value(V).           { N = whole(N_NAMED, word(I), V); }
value(A) ::= expr(A).
value(A) ::= window(A).                         // an axis of gather, scatter, atomic_*
value(N) ::= STRING(S).                         { N = word(S); }
value(N) ::= AND(O) post(E).                    { N = tree(N_BORROW, O, E); }       // of a pipeline
value(N) ::= AND(O) MUT post(E).                { N = tree(N_BORROW_MUT, O, E); }
value(N) ::= OR(K) lambda_list(L) OR expr(E).   // |a, b| a + b
                                                { N = tree(N_LAMBDA, K, list(N_NAMES, K, L), E); }
lambda_list(L) ::= pattern(N).                  { L = add(NULL, N); }
lambda_list(L) ::= lambda_list(A) COMMA pattern(N).
                                                { L = add(A, N); }

opt_comma ::= .
opt_comma ::= COMMA.

// ---- errors: what could have stood here, and where to go on ---------------------------------

%code {
/* Would the parser take this token now?  Runs its reductions on states alone. */
bool parser_accepts(const void *engine, int code)
{
    const struct yyParser *q = engine;
    YYACTIONTYPE pushed[100];
    int n = 0;
    const yyStackEntry *base = q->yytos;
    for (;;) {
        YYACTIONTYPE state = n ? pushed[n - 1] : base->stateno;
        YYACTIONTYPE act = yy_find_shift_action((YYCODETYPE)code, state);
        if (act < YY_MIN_REDUCE) return act <= YY_MAX_SHIFTREDUCE || act == YY_ACCEPT_ACTION;
        int rule = act - YY_MIN_REDUCE, size = -yyRuleInfoNRhs[rule];
        while (size > 0 && n > 0) n--, size--;
        base -= size;
        state = n ? pushed[n - 1] : base->stateno;
        if (n == 100) return false;
        pushed[n++] = yy_find_reduce_action(state, yyRuleInfoLhs[rule]);
    }
}

/* Does it wait behind an error for a `;` or `}` to go on at? */
bool parser_is_lost(const void *engine)
{
    return ((const struct yyParser *)engine)->yytos->major == YYERRORSYMBOL;
}

/* How many blocks it is in. */
int parser_blocks(const void *engine)
{
    const struct yyParser *q = engine;
    int n = 0;
    for (const yyStackEntry *e = q->yytos; e > q->yystack; e--) n += e->major == T_LBRACE;
    return n;
}

/* Found the way again: the next error is reported. `item`: forgets the item that it is in. */
void parser_resume(void *engine, bool item)
{
    struct yyParser *q = engine;
    while (item && q->yytos > q->yystack && !parser_accepts(q, T_USE)) yy_pop_parser_stack(q);
    q->yyerrcnt = -1;
}
}
