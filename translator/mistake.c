/* mistake.c -- what is said about a token that does not fit */
#include "diag.h"
#include "parse.h"
#include "tile.h"
#include <string.h>

/* How a message spells what could have stood here. */
static const struct { int code; const char *text; } expected[] = {
    { T_SEMI, "`;`" }, { T_COMMA, "`,`" }, { T_RPAREN, "`)`" }, { T_RBRACKET, "`]`" },
    { T_GT, "`>`" }, { T_LPAREN, "`(`" }, { T_LBRACKET, "`[`" }, { T_LBRACE, "`{`" },
    { T_LT, "`<`" }, { T_COLON, "`:`" }, { T_ASSIGN, "`=`" }, { T_DOTDOT, "`..`" },
    { T_IN, "`in`" }, { T_ARROW, "`->`" }, { T_NAME, "a name" }, { T_LITERAL, "a value" },
    { T_STRING, "a string" },
    { T_TENSOR, "`tensor`" }, { T_FOR, "`for`" }, { T_IF, "`if`" }, { T_KERNEL, "`kernel`" },
    { T_FN, "`fn`" }, { T_PIPELINE, "`pipeline`" }
};
enum { EXPECTED = sizeof expected / sizeof *expected, MOST_SHOWN = 5 };

/* Where a token is; the end of the text is behind its last token. */
static Pos token_pos(const Parser *p, Token t)
{
    if (t.at >= p->source->size) t.at = p->before.at + p->before.len;
    return (Pos){ p->source, t.at, t.len };
}

/* The token in a message. */
static const char *shown(const Parser *p, int code, Token t)
{
    if (code == 0) return "the end of the file";
    return arena_printf("`%.*s`%s", cut_text(t.len), p->text + t.at, t.len > 60 ? ".." : "");
}

/* Would the parser take such a token now? */
static bool accepts(const Parser *p, int code)
{
    return parser_accepts(p->engine, code);
}

/* Where a value may stand or go on, these are not worth a mention. */
static bool implied(int code)
{
    return code == T_NAME || code == T_LPAREN || code == T_LBRACKET || code == T_TENSOR
        || code == T_LT || code == T_GT;
}

/* "`,` or `)`": what could have stood here; empty if that is too much to say. */
static const char *what_fits(const Parser *p)
{
    const char *fits[EXPECTED];
    int n = 0;
    bool implies = accepts(p, T_LITERAL) || accepts(p, T_DOT);
    for (int i = 0; i < EXPECTED; i++)
        if (accepts(p, expected[i].code) && !(implies && implied(expected[i].code)))
            fits[n++] = expected[i].text;
    Text t = { 0 };
    text_add(&t, "", 0);
    if (accepts(p, T_LET)) return "a statement";
    for (int i = 0; i < n && n <= MOST_SHOWN; i++)
        text_printf(&t, "%s%s", i == 0 ? "" : i < n - 1 ? ", " : " or ", fits[i]);
    return t.at;
}

/* ---- particular mistakes: each true after its report ----------------------------------------- */

/* The words of the language that can never be names. */
static bool is_reserved(int code)
{
    static const int words[] = {
        T_AS, T_BARRIER, T_BREAK, T_CONST, T_CONTINUE, T_ELSE, T_FN, T_FOR, T_IF, T_IN, T_KERNEL,
        T_LET, T_MUT, T_PIPELINE, T_RETURN, T_SHARED, T_SIMT, T_STATIC, T_TENSOR, T_UNSAFE, T_USE,
        T_WHILE
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i] == code) return true;
    return false;
}

/* `let for = 1;`, `x.in`. */
static bool reserved_word(const Parser *p, int code, Token t)
{
    bool literal_word = code == T_LITERAL && strchr("tfin", p->text[t.at]);
    bool names = accepts(p, T_NAME) && !accepts(p, T_LITERAL);
    if (!names || !(is_reserved(code) || literal_word)) return false;
    error(token_pos(p, t), "E0110", "%s is a word of the language: it cannot be a name",
          shown(p, code, t));
    help("take another one: `%.*s_`", cut_text(t.len), p->text + t.at);
    return true;
}

/* Between items: `kernal softmax(..)`, a statement, a `}` too much. */
static bool no_item(const Parser *p, int code, Token t)
{
    static const char *const words[] = { "kernel", "pipeline", "const", "simt", "use", "fn" };
    if (!accepts(p, T_USE)) return false;
    if (code == T_RBRACE) {
        error(token_pos(p, t), "E0112", "this `}` closes nothing");
        return true;
    }
    error(token_pos(p, t), "E0109", "%s starts no item", shown(p, code, t));
    char *word = arena_printf("%.*s", cut_text(t.len), p->text + t.at);
    const char *near = code == T_NAME ? nearest(word, words, sizeof words / sizeof *words) : NULL;
    if (near) help("did you mean `%s`?", near);
    else help("an item is `use`, `const`, `fn`, `kernel` or `pipeline`");
    return true;
}

/* The & | or ^ between a comparison and the one at t: they bind tighter, so that `a > 0 & b > 0`
   chains. */
static char bits_between(const Parser *p, Token t)
{
    int depth = 0;
    for (const char *s = p->text + t.at - 1; s > p->text && depth >= 0; s--) {
        depth += (*s == ')' || *s == ']') - (*s == '(' || *s == '[');
        if (strchr(";{}<>=", *s)) return 0;
        bool doubled = s[-1] == *s || s[1] == *s;
        if (depth == 0 && strchr("&|^", *s) && !doubled) return *s;
    }
    return 0;
}

/* `a < b < c`. */
static bool chained(const Parser *p, int code, Token t)
{
    bool comparison = code == T_COMPARE || code == T_LT || code == T_GT;
    if (!comparison || !accepts(p, T_ANDAND)) return false;
    char bits = bits_between(p, t);
    error(token_pos(p, t), "E0111", "comparisons do not chain%s",
          bits ? arena_printf(", and `%c` binds tighter than they do", bits) : "");
    if (!bits) help("write both: a < b && b < c");
    else if (bits == '^') help("put the comparisons in parentheses");
    else help("write `%c%c`, or put the comparisons in parentheses", bits, bits);
    return true;
}

/* A `;` that is missing at the end of a line or of a block. */
static bool no_semicolon(const Parser *p, int code, Token t)
{
    uint32_t end = p->before.at + p->before.len;
    bool at_end = code == T_RBRACE || code == 0 || memchr(p->text + end, '\n', t.at - end)
               || memchr(p->text + end, '\r', t.at - end);
    if (!at_end || !accepts(p, T_SEMI) || p->before.len == 0) return false;
    error((Pos){ p->source, end, 0 }, "E0102", "missing `;` after `%.*s`", cut_text(p->before.len),
          p->text + p->before.at);
    return true;
}

/* "missing `)` before `;`", and where the `(` is. */
static void not_closed(const Parser *p, const struct Bracket *open, Token before)
{
    const char *close = open->code == T_LBRACE ? "}" : open->code == T_LPAREN ? ")" : "]";
    bool end = before.at >= p->source->size;
    error(token_pos(p, before), "E0103", "missing `%s` before %s", close, shown(p, !end, before));
    note(token_pos(p, open->token), "this `%.*s` is still open", (int)open->token.len,
         p->text + open->token.at);
}

/* `f(a;`, `[a, b)`: t ends more than the innermost bracket, which could be closed here. */
static bool no_bracket(const Parser *p, int code, Token t)
{
    const struct Bracket *top = p->depth ? &p->open[p->depth - 1] : NULL;
    bool ends = code == T_RPAREN || code == T_RBRACKET || code == T_RBRACE || code == T_SEMI
             || code == T_LBRACE;
    if (!top || !ends || top->code == T_LBRACE) return false;
    if (!accepts(p, top->code == T_LPAREN ? T_RPAREN : T_RBRACKET)) return false;
    not_closed(p, top, t);
    return true;
}

/* ---- the reports ----------------------------------------------------------------------------- */

/* One error that says what was found, and what would have been taken. */
void syntax_error(Parser *p, int code, Token t)
{
    if (p->said == t.at + 1 || (p->before.len && p->said == p->before.at + 1))
        return;                                    /* the lexer has said it */
    if (code == 0 && p->depth) { missing_brace(p, t); return; }
    if (no_item(p, code, t) || chained(p, code, t) || no_bracket(p, code, t)
        || no_semicolon(p, code, t) || reserved_word(p, code, t)) return;
    const char *fits = what_fits(p);
    error(token_pos(p, t), "E0101", "unexpected %s%s%s", shown(p, code, t),
          *fits ? "; expected " : "", fits);
    help_habit(p, code, t);
}

/* An item starts, or the text ends, where a bracket is open: the innermost block, if any. */
void missing_brace(Parser *p, Token t)
{
    const struct Bracket *open = &p->open[0];
    for (int i = 0; i < p->depth; i++)
        if (p->open[i].code == T_LBRACE) open = &p->open[i];
    not_closed(p, open, t);
}

/* Nesting has a limit, so that nothing here or later runs out of stack. */
void too_deep(Parser *p, Token t)
{
    p->stop = true;
    error(token_pos(p, t), "E1101", "nested too deeply: at most %d brackets, and %d operations",
          DEEPEST_NESTING, DEEPEST_TREE);
    help("give names to parts of it with `let`, or make them a `fn`");
}
