/* call_debug.c -- print and assert: formats against what is printed */
#include "lower.h"
#include <string.h>

/* A bad call, already reported. */
static Given bad(const Args *a)
{
    return give_kind(GIVES_ERROR, a->call);
}

/* The text of a string; NULL after a report. */
static const char *string(Check *c, const Args *a, int i)
{
    const Node *n = a->at[i];
    if (n->kind != N_WORD || n->source->text[n->text.at] != '"') {
        mistake(c, node_pos(n), "E0722", "%s of `%s` is a string",
                i ? "the message" : "the first argument", a->name);
        help("it is `%s`", i ? "assert(n > 0, \"n is positive\")" : "print(\"n = %d\", n)");
        return NULL;
    }
    const char *text = string_text(n);
    for (uint32_t at = 0; at + 4 <= n->text.len; at++) {
        if (n->source->text[n->text.at + at] != '\\') continue;
        if (!memcmp(n->source->text + n->text.at + at, "\\x00", 4)) {
            mistake(c, node_pos(n), "E0722", "a text that is printed has no \\x00");
            return NULL;
        }
        at++;
    }
    return text;
}

/* ---- formats --------------------------------------------------------------------------------- */

/* One conversion of a format, %-5d: its length, and its letter. */
typedef struct { int length; char letter; } Conversion;

/* The conversion that begins at the % of text; letter 0: it has none. */
static Conversion conversion(const char *text)
{
    size_t n = 1;
    n += strspn(text + n, "-+ #0");
    n += strspn(text + n, "0123456789");
    if (text[n] == '.') n += 1 + strspn(text + n + 1, "0123456789");
    return (Conversion){ (int)n + (text[n] != 0), text[n] };
}

/* What a letter prints, in words; NULL: nothing. */
static const char *prints(char letter)
{
    switch (letter) {
    case 'd': return "an integer";
    case 'u': return "an unsigned integer";
    case 'x': return "the bits of an integer";
    case 'f': case 'e': case 'g': return "a float";
    case 't': return "a tile";
    }
    return NULL;
}

/* Does the letter print a value of this type? */
static bool fits(char letter, const Type *t)
{
    bool scalar = t->rank == 0, is_int = elem_is_int(t->elem) || t->elem == EL_BOOL;
    switch (letter) {
    case 'd': case 'x': return scalar && is_int;
    case 'u': return scalar && is_int && elem_info[t->elem].class != CLASS_SIGNED;
    case 'f': case 'e': case 'g': return scalar && elem_is_float(t->elem);
    }
    return letter == 't';
}

/* The letter that would print it. */
static const char *letter_for(const Type *t)
{
    return t->rank ? "%t" : elem_is_float(t->elem) ? "%g" : "%d";
}

/* Reports a value that its conversion does not print. */
static bool check_value(Check *c, Conversion v, const Value *value, const Node *n)
{
    if (fits(v.letter, &value->type) && !(v.letter == 't' && v.length > 2)) return true;
    if (v.letter == 't' && v.length > 2)
        mistake(c, node_pos(n), "E0723", "`%%t` has no width");
    else
        mistake(c, node_pos(n), "E0723", "`%%%c` prints %s, and this is %s", v.letter,
                prints(v.letter), type_text(&value->type));
    help("write `%s`", letter_for(&value->type));
    return false;
}

/* A tile that is printed, its elements in a type that loses nothing: f32 for narrower floats, 32
   bits for narrower integers. NULL after a report. */
static Value *printable(Check *c, Value *v, const Node *n)
{
    for (int a = 0; a < v->type.rank; a++) {
        if (!type_is_whole(&v->type, a)) continue;
        mistake(c, node_pos(n), "E0705", "`print` of a whole axis, %s", type_text(&v->type));
        help("its extent is known at launch only: loop over chunks of a static size");
        return NULL;
    }
    const ElemInfo *info = &elem_info[v->type.elem];
    if (info->class == CLASS_FLOAT)
        return build_cast(c, v, v->type.elem == EL_F64 ? EL_F64 : EL_F32, v->pos);
    if (info->bytes >= 4) return v;
    return build_cast(c, v, info->class == CLASS_UNSIGNED ? EL_U32 : EL_I32, v->pos);
}

/* Checks the format against the values, values[i] being what argument i + 1 gives. */
static bool check_format(Check *c, const Args *a, const char *text, Value **values)
{
    int next = 1;
    for (const char *s = text; (s = strchr(s, '%'));) {
        Conversion v = conversion(s);
        s += v.length;
        if (v.letter == '%' && v.length == 2) continue;
        if (!prints(v.letter)) {
            mistake(c, node_pos(a->at[0]), "E0723", "`%.*s` prints nothing", v.length,
                    s - v.length);
            help("%%d %%u %%x print integers, %%f %%e %%g floats, %%t a tile, %%%% a %%");
            return false;
        }
        if (next < a->n) {
            if (!check_value(c, v, values[next - 1], a->at[next])) return false;
            if (v.letter == 't') values[next - 1] = printable(c, values[next - 1], a->at[next]);
            if (!values[next - 1]) return false;
        }
        next++;
    }
    if (next == a->n) return true;
    mistake(c, node_pos(a->at[0]), "E0723", "a format for %d value%s, and %d follow%s", next - 1,
            next == 2 ? "" : "s", a->n - 1, a->n == 2 ? "s" : "");
    return false;
}

/* print("row %d max %f", i, m) */
Given lower_print(Check *c, const Args *a, int what)
{
    const char *text = string(c, a, what);
    Value *values[MAX_ARGS];
    bool good = text != NULL;
    for (int i = 1; i < a->n; i++) {
        values[i - 1] = expr_value(c, a->at[i], EL_ERROR);
        good = good && values[i - 1];
    }
    if (!good || !check_format(c, a, text, values)) return bad(a);
    build_effect(c, OP_PRINT, node_pos(a->call), a->n - 1, values)->text = text;
    return give_kind(GIVES_NOTHING, a->call);
}

/* ---- assert ---------------------------------------------------------------------------------- */

/* assert(cond, "message"): a tile holds if all of it that is valid does. */
Given lower_assert(Check *c, const Args *a, int what)
{
    (void)what;
    Pos pos = node_pos(a->call);
    Given g = tensor_test(c, expr(c, a->at[0]));
    Value *v = given_value(c, g, EL_ERROR);
    const char *text = string(c, a, 1);
    if (!v || !text) return bad(a);
    if (v->type.elem != EL_BOOL) {
        mistake(c, g.pos, "E0407", "`assert` takes a bool, not %s", type_text(&v->type));
        help("compare: `%s != 0`", node_source(a->at[0]));
        return bad(a);
    }
    v = build_all(c, v, pos);
    build_effect(c, OP_ASSERT, pos, 1, &v)->text = text;
    return give_kind(GIVES_NOTHING, a->call);
}
