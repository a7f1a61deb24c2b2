/* inline.c -- calls of fns and lambdas: their body, once more, in place of the call */
#include "lower.h"

enum { MOST_CALLS = 100000, MOST_VALUES = 1000000 };

/* A parameter with its argument: read in the caller's scope, bound in the fn's. */
typedef struct {
    const Node *param, *arg;
    enum { FOR_VALUE, FOR_STATIC, FOR_FUNCTION, FOR_TENSOR } what;
    Given given;
    Binding binding;                               /* of a static, a function */
} Pair;

/* What a parameter takes. */
static int takes(const Node *param)
{
    const Node *type = kid(param, 1);
    if (param->kind != N_PARAM) return FOR_TENSOR;
    if (!type || type->kind != N_WORD) return FOR_VALUE;
    return node_is(type, "fn") ? FOR_FUNCTION : node_is(type, "int") ? FOR_STATIC : FOR_VALUE;
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* Which parameter a named argument is for; NULL after a report. */
static Pair *named_pair(Check *c, Pair *pairs, int n, const Node *named, const Binding *fn)
{
    const Node *word = kid(named, 0);
    for (int i = 0; i < n && word; i++)
        if (node_name(kid(pairs[i].param, 0)) == node_name(word)) return &pairs[i];
    mistake(c, node_pos(named), "E0702", "`%s` has no parameter `%s`", fn->name->text,
            word ? node_name(word)->text : "");
    note(fn->pos, "it is declared here");
    return NULL;
}

/* Gives each parameter its argument; false after a report. */
static bool pair_up(Check *c, const Node *call, const Binding *fn, Pair *pairs, int n)
{
    int next = 0;
    const Node *args = kid(call, 1);
    for (const Node *a = args ? args->kids : NULL; a; a = a->next) {
        bool named = a->kind == N_NAMED;
        Pair *p = named ? named_pair(c, pairs, n, a, fn) : next < n ? &pairs[next] : NULL;
        if (named && !p) return false;
        next += !named;
        if (!p) continue;
        if (p->arg) {
            mistake(c, node_pos(a), "E0702", "`%s` is given twice",
                    node_name(kid(p->param, 0))->text);
            note(node_pos(p->arg), "here already");
            return false;
        }
        p->arg = named ? kid(a, 1) : a;
    }
    int missing = 0;
    while (missing < n && pairs[missing].arg) missing++;
    if (next <= n && missing == n) return true;
    if (next > n)
        mistake(c, node_pos(call), "E0701", "`%s` takes %d argument%s, not %d", fn->name->text, n,
                n == 1 ? "" : "s", next);
    else mistake(c, node_pos(call), "E0701", "`%s` lacks its argument `%s`", fn->name->text,
                 node_name(kid(pairs[missing].param, 0))->text);
    note(node_pos(kid(fn->decl, 0)), "it is declared here");
    for (int i = 0; next > n && i < n; i++)
        if (kid(pairs[i].param, 1) && kid(pairs[i].param, 1)->kind == N_TYPES) {
            help("a tuple is one argument, in parentheses of its own: `f((a, b))`");
            break;
        }
    return false;
}

/* A function as an argument: a lambda, or a fn by name; param: what takes it, or NULL. False after
   a report. */
bool function_given(Check *c, const Node *n, const Node *param, Binding *function)
{
    if (n->kind == N_LAMBDA) {
        *function =
            (Binding){ .kind = BIND_LAMBDA, .decl = n, .scope = c->scope, .number = c->calls.n };
        return true;
    }
    const Binding *b = word_is_name(n) ? scope_find(c, SPACE_FUNCTION, node_name(n)) : NULL;
    if (!b && word_is_name(n) && is_builtin(node_name(n))) {
        *function = (Binding){ .kind = BIND_BUILTIN, .builtin = node_name(n) };
        return true;
    }
    bool callable = b && (b->kind == BIND_LAMBDA || b->kind == BIND_BUILTIN
                          || (b->kind == BIND_FN && b->decl && b->decl->kind == N_FN));
    if (callable && binding_clear(b, node_pos(n))) {
        *function = *b;
        return true;
    }
    if (callable || (b && b->kind == BIND_ERROR)) return false;
    mistake(c, node_pos(n), "E0717", "a function is needed here");
    if (param) note(node_pos(param), "the parameter that takes one");
    help("write the name of a fn, or a lambda: `|a, b| a + b`");
    return false;
}

/* Reads an argument in the caller's scope; false after a report. */
static bool read_argument(Check *c, Pair *p)
{
    if (p->what == FOR_FUNCTION) return function_given(c, p->arg, p->param, &p->binding);
    if (p->what == FOR_STATIC) {
        p->binding = (Binding){ .kind = BIND_STATIC };
        return static_int(c, p->arg, &p->binding.number);
    }
    p->given = expr(c, p->arg);
    if (p->what != FOR_TENSOR) return p->given.kind != GIVES_ERROR;
    if (p->given.kind == GIVES_TENSOR) return kid(p->param, 2) || is_there(c, &p->given);
    if (p->given.kind == GIVES_ERROR) return false;
    mistake(c, p->given.pos, "E0405", "a tensor is needed here");
    note(node_pos(p->param), "the parameter that takes one");
    help("hand on the tensor itself, not a tile of it");
    return false;
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* Binds a tensor, as it may be used in the fn; false after a report. */
static bool bind_tensor(Check *c, const Pair *p)
{
    View *v = new(View);
    const Node *word = kid(p->param, 0);
    if (!view_of(c, &p->given, v)) return false;
    Type type = { .kind = TYPE_TENSOR, .elem = v->param->type.elem, .rank = v->rank };
    for (int i = 0; i < v->rank; i++) type.dim[i] = v->size[i];
    if (!infer_tensor(c, kid(p->param, 1), &type, p->given.pos)) return false;
    bool writes = p->param->kind == N_PARAM_MUT, may = v->param->kind == PARAM_MUT && !v->readonly;
    if ((writes && !may)
        || (p->param->kind == N_PARAM_ATOMIC) != (v->param->kind == PARAM_ATOMIC)) {
        mistake(c, p->given.pos, "E0710", "`%s` is no `%s`", v->param->name->text,
                writes ? "&mut" : "&atomic");
        note(v->param->pos, "it is declared here");
        note(node_pos(p->param), "the parameter that takes one");
        return false;
    }
    v->readonly = !writes;
    Binding *b = scope_add(c, SPACE_VALUE, BIND_TENSOR, node_name(word), node_pos(word));
    b->value = p->given.value;
    b->view = v;
    b->param = (int)(v->param - c->kernel->params.at);
    return true;
}

/* Binds `true` or `false`, which stays one. */
static void bind_fixed(Check *c, const Node *word, int64_t truth)
{
    Binding *b = scope_add(c, SPACE_VALUE, BIND_STATIC, node_name(word), node_pos(word));
    b->number = truth;
    b->is_bool = true;
}

/* Binds one parameter in the fn's scope; false after a report. */
static bool bind_parameter(Check *c, const Pair *p)
{
    const Node *word = kid(p->param, 0);
    if (p->what == FOR_TENSOR) return bind_tensor(c, p);
    if (p->what == FOR_VALUE) {
        const char *where = arena_printf("`%s`", node_name(word)->text);
        Given g = infer_value(c, kid(p->param, 1), p->given, where, true);
        if (g.kind == GIVES_ERROR) return false;
        bool fixed = p->given.kind == GIVES_LITERAL && p->given.is_bool;
        if (!fixed) bind_given(c, word, g, BIND_VALUE);
        else bind_fixed(c, word, p->given.literal.i);
        return true;
    }
    Binding *b = scope_add(c, p->what == FOR_STATIC ? SPACE_VALUE : SPACE_FUNCTION, p->binding.kind,
                           node_name(word), node_pos(word));
    b->decl = p->binding.decl;
    b->builtin = p->binding.builtin;
    b->scope = p->binding.scope;
    b->number = p->binding.number;
    return true;
}

/* Binds all: statics and functions first, since types mention them. */
static bool bind_parameters(Check *c, const Pair *pairs, int n)
{
    bool ok = true;
    for (int i = 0; i < n; i++)
        if (pairs[i].what == FOR_STATIC || pairs[i].what == FOR_FUNCTION)
            ok = bind_parameter(c, &pairs[i]) && ok;
    for (int i = 0; i < n && ok; i++)
        if (pairs[i].what == FOR_VALUE || pairs[i].what == FOR_TENSOR)
            ok = bind_parameter(c, &pairs[i]);
    return ok;
}

/* ---- the body -------------------------------------------------------------------------------- */

static Given fn_block(Check *c, const Node *block, bool one);

/* Does a last `if` return something? */
static bool returns(const Node *n)
{
    if (n->kind == N_RETURN) return true;
    bool inside = n->kind == N_BLOCK || n->kind == N_IF || n->kind == N_ARM
                  || n->kind == N_STATIC_ARM;
    for (const Node *k = inside ? n->kids : NULL; k; k = k->next)
        if (returns(k)) return true;
    return false;
}

static Given fn_if(Check *c, const Node *arm, const Node *whole);

/* Do both arms of a last `if` return a result, or neither? False after a report. */
static bool both_return(Check *c, const Arm *yes, const Arm *no, const Node *whole)
{
    const Given *a = &yes->given, *b = &no->given;
    if (a->kind == GIVES_ERROR || b->kind == GIVES_ERROR) return false;
    if ((a->kind == GIVES_NOTHING) == (b->kind == GIVES_NOTHING)) return true;
    const Given *with = a->kind == GIVES_NOTHING ? b : a, *without = with == a ? b : a;
    bool lacks_else = without->node == whole;
    mistake(c, lacks_else ? node_pos(whole) : without->pos, "E0803",
            lacks_else ? "this `if` returns a result in one case alone"
                       : "this arm ends without a result");
    note(with->pos, "the other one returns this");
    help(lacks_else ? "add `else { return ..; }`" : "end it with `return ..;`");
    return false;
}

/* One arm of a last `if`, in a block of its own; body NULL: what follows the arm. */
static Arm fn_arm(Check *c, const Node *arm, const Node *whole, bool truth)
{
    Variables vars = { 0 };
    Block *outer = c->block;
    Known *known = c->known;
    Arm a = { ir_block(NULL), { .kind = GIVES_ERROR } };
    assigned(c, whole, &vars);
    Value **before = present(&vars);
    c->block = a.block;
    narrow(c, kid(arm, 0), truth);
    a.given = truth ? fn_block(c, kid(arm, 1), false) : fn_if(c, arm->next, whole);
    c->known = known;
    c->block = outer;
    give_all(&vars, before);
    return a;
}

/* A last `if`, from one arm on. */
static Given fn_if(Check *c, const Node *arm, const Node *whole)
{
    bool taken;
    if (!arm || arm->kind == N_NONE) return give_kind(GIVES_NOTHING, whole);
    if (arm->kind == N_BLOCK) return fn_block(c, arm, false);
    if (!kid(arm, 0) || !deeper(c, node_pos(arm))) return give_kind(GIVES_ERROR, whole);
    Given g = give_kind(GIVES_ERROR, whole);
    if (arm->kind == N_STATIC_ARM) {
        if (static_bool(c, kid(arm, 0), &taken))
            g = taken ? fn_block(c, kid(arm, 1), false) : fn_if(c, arm->next, whole);
    } else {
        c->stmt = header_pos(arm, kid(arm, 0));
        Value *cond = condition(c, kid(arm, 0));
        Arm yes = fn_arm(c, arm, whole, true), no = fn_arm(c, arm, whole, false);
        c->stmt = header_pos(arm, kid(arm, 0));
        if (cond && both_return(c, &yes, &no, whole)) g = join_arms(c, cond, &yes, &no, whole);
    }
    c->depth--;
    return g;
}

/* The last statement of a fn, or of an arm. */
static Given last_statement(Check *c, const Node *n, bool one)
{
    if (n->kind == N_BLOCK) return fn_block(c, n, false);
    if (n->kind == N_IF && returns(n)) return fn_if(c, n->kids, n);
    if (n->kind == N_RETURN && kid(n, 0)) {
        if (!one) c->stmt = node_pos(n);
        return expr(c, kid(n, 0));
    }
    if (n->kind == N_RETURN) {
        mistake(c, node_pos(n), "E0803",
                "`return;` ends the program, and stands in a kernel alone");
        help("a fn ends with its last statement");
        return give_kind(GIVES_ERROR, n);
    }
    if (!one) statement(c, n);
    else {
        Pos stmt = c->stmt;
        statement(c, n);
        c->stmt = stmt;
    }
    return give_kind(GIVES_NOTHING, n);
}

/* A block that may end with `return`; `one`: it is the whole fn and of one statement. */
static Given fn_block(Check *c, const Node *block, bool one)
{
    Given g = give_kind(GIVES_NOTHING, block);
    scope_push(c);
    for (const Node *n = block ? block->kids : NULL; n; n = n->next) {
        if (n->next) statement(c, n);
        else g = last_statement(c, n, one);
        if (!n->next || !block_left(c->block)) continue;
        warn_unreachable(n->next, n);
        break;
    }
    scope_pop(c);
    return g;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Has the kernel room for one more call? False after a report. */
static bool room(Check *c, const Node *call)
{
    if (++c->unrolled <= MOST_CALLS && c->kernel->values.n <= MOST_VALUES) return true;
    if (c->gave_up) return false;
    c->gave_up = true;
    mistake(c, node_pos(call), "E0720", "this kernel becomes too large: %d calls", c->unrolled);
    help("everything is inlined: a fn that calls two others twice each is four copies of them");
    return false;
}

/* May the fn be inlined here once more? False after a report. */
static bool may_inline(Check *c, const Node *call, const Binding *fn)
{
    for (int i = 0; i < c->calls.n; i += 2) {
        if (c->calls.at[i] != fn->decl) continue;
        mistake(c, node_pos(call), "E0716", "`%s` calls itself, and everything is inlined",
                fn->name->text);
        note(fn->pos, "it is declared here");
        help("write a loop");
        return false;
    }
    return room(c, call);
}

/* What the body gave, as the result type that is written. */
static Given result(Check *c, const Node *decl, Given g)
{
    const Node *type = kid(decl, 2);
    if (g.kind == GIVES_ERROR) return g;
    if (type && g.kind == GIVES_NOTHING) {
        mistake(c, node_pos(kid(decl, 0)), "E0803", "`%s` does not return its result",
                node_name(kid(decl, 0))->text);
        note(node_pos(type), "it is declared to return this");
        help("its last statement is `return ..;`, or an `if` both arms of which end so");
        return give_kind(GIVES_ERROR, g.node);
    }
    if (type) return infer_value(c, type, g, "the result", true);
    if (g.kind == GIVES_NOTHING) return g;
    mistake(c, g.pos, "E0803", "`%s` is declared to return nothing", node_name(kid(decl, 0))->text);
    help("write the type of the result: `fn %s(..) -> f32`", node_name(kid(decl, 0))->text);
    return give_kind(GIVES_ERROR, g.node);
}

/* Takes the fn's names from the values that it made, so that the caller's become theirs. */
static void forget_names(Given *g, int first)
{
    if (g->kind == GIVES_VALUE && g->value->id >= first && g->value->def) g->value->name = NULL;
    for (int i = 0; g->kind == GIVES_TUPLE && i < g->n; i++) forget_names(&g->members[i], first);
}

/* The body of a fn whose arguments have been read, in a scope of its own. */
static Given inline_body(Check *c, const Node *call, const Binding *fn, const Pair *pairs, int n)
{
    const Node *decl = fn->decl, *body = kid(decl, 3);
    Scope *scope = c->scope;
    Loop *loop = c->loop;
    Pos stmt = c->stmt;
    int first = c->kernel->values.n;
    c->scope = fn->scope;
    c->loop = NULL;
    scope_push(c);
    push(&c->calls, decl);
    push(&c->calls, call);
    Given g = give_kind(GIVES_ERROR, call);
    if (bind_parameters(c, pairs, n)) {
        int before = error_count();
        g = fn_block(c, body, body && kid_count(body) == 1);
        if (g.kind == GIVES_NOTHING && error_count() > before) g.kind = GIVES_ERROR;
        g = result(c, decl, g);
    }
    c->calls.n -= 2;
    c->scope = scope;
    c->loop = loop;
    c->stmt = stmt;
    forget_names(&g, first);
    return g;
}

/* Remembers that a fn is called. */
static void called(Check *c, const Node *fn)
{
    for (int i = 0; i < c->inlined.n; i++)
        if (c->inlined.at[i] == fn) return;
    push(&c->inlined, fn);
}

/* f(a, b) */
Given inline_fn(Check *c, const Node *call, const Binding *fn)
{
    const Node *params = kid(fn->decl, 1);
    int n = params ? kid_count(params) : 0;
    Pair *pairs = new_array(Pair, n);
    bool ok = may_inline(c, call, fn);
    called(c, fn->decl);
    if (!ok) return give_kind(GIVES_ERROR, call);
    for (int i = 0; i < n; i++) {
        pairs[i].param = kid(params, i);
        if (!pairs[i].param || !kid(pairs[i].param, 0)) return give_kind(GIVES_ERROR, call);
        pairs[i].what = takes(pairs[i].param);
    }
    if (!pair_up(c, call, fn, pairs, n)) return give_kind(GIVES_ERROR, call);
    for (int i = 0; i < n; i++) ok = read_argument(c, &pairs[i]) && ok;
    return ok ? inline_body(c, call, fn, pairs, n) : give_kind(GIVES_ERROR, call);
}

/* ---- lambdas --------------------------------------------------------------------------------- */

/* The arguments of a lambda, read in the caller's scope; false after a report. */
static bool lambda_arguments(Check *c, const Node *call, const Binding *lambda, Given *g)
{
    const Node *args = kid(call, 1), *names = kid(lambda->decl, 0);
    int n = args ? kid_count(args) : 0, want = kid_count(names);
    if (n != want) {
        mistake(c, node_pos(call), "E0701", "this lambda takes %d argument%s, not %d", want,
                want == 1 ? "" : "s", n);
        note(node_pos(lambda->decl), "the lambda");
        return false;
    }
    bool ok = true;
    for (int i = 0; i < n; i++) {
        g[i] = expr(c, kid(args, i));
        ok = ok && g[i].kind != GIVES_ERROR;
    }
    return ok;
}

/* The lambda's expression where it was written, which sees what it saw there. */
static Given lambda_body(Check *c, const Binding *lambda, const Given *g, int n)
{
    const Node *names = kid(lambda->decl, 0);
    Check here = *c;
    Given out;
    c->calls.at = NULL;
    c->calls.n = c->calls.room = 0;
    for (int i = 0; i < lambda->number && i < here.calls.n; i++) push(&c->calls, here.calls.at[i]);
    c->scope = lambda->scope;
    scope_push(c);
    names_differ(c, names);
    for (int i = 0; i < n; i++) bind_given(c, kid(names, i), g[i], BIND_VALUE);
    out = expr(c, kid(lambda->decl, 1));
    c->scope = here.scope;
    c->calls.at = here.calls.at;
    c->calls.n = here.calls.n;
    c->calls.room = here.calls.room;
    return out;
}

/* score(s) */
Given call_lambda(Check *c, const Node *call, const Binding *lambda)
{
    const Node *names = kid(lambda->decl, 0);
    if (!names || !room(c, call)) return give_kind(GIVES_ERROR, call);
    int n = kid_count(names);
    Given *g = new_array(Given, n);
    if (!lambda_arguments(c, call, lambda, g)) return give_kind(GIVES_ERROR, call);
    return lambda_body(c, lambda, g, n);
}

/* Applies a function that was given by name or as a lambda to n things. */
Given call_function(Check *c, const Node *call, const Binding *f, const Given *g, int n)
{
    if (f->kind == BIND_BUILTIN) return apply_builtin(c, call, f->builtin, g, n);
    const Node *params = kid(f->decl, f->kind == BIND_LAMBDA ? 0 : 1);
    int want = params ? kid_count(params) : 0;
    if (want != n) {
        mistake(c, node_pos(call), "E0701", "a function of %d argument%s, not %d, is needed here",
                n, n == 1 ? "" : "s", want);
        note(node_pos(f->decl), "this one is given");
        return give_kind(GIVES_ERROR, call);
    }
    if (f->kind == BIND_LAMBDA)
        return room(c, call) ? lambda_body(c, f, g, n) : give_kind(GIVES_ERROR, call);
    if (!may_inline(c, call, f)) return give_kind(GIVES_ERROR, call);
    Pair *pairs = new_array(Pair, n);
    for (int i = 0; i < n; i++) {
        pairs[i] = (Pair){ .param = kid(params, i), .given = g[i] };
        const Node *param = pairs[i].param;
        if (param && kid(param, 0) && takes(param) == FOR_VALUE) continue;
        mistake(c, node_pos(call), "E0717", "this function takes more than values");
        note(node_pos(f->decl), "it is declared here");
        return give_kind(GIVES_ERROR, call);
    }
    return inline_body(c, call, f, pairs, n);
}
