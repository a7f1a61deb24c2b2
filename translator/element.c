/* element.c -- one element of a value as a C expression, at the present place of a loop nest */
#include "mapping.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- constants ------------------------------------------------------------------------------- */

/* The shortest digits that read back as the same float or double, always
   with a point or exponent. */
static const char *float_digits(double v, bool single)
{
    const char *s = NULL;
    for (int digits = 1; digits <= 17; digits++) {
        s = arena_printf("%.*g", digits, v);
        double back = 0;
        sscanf(s, "%lf", &back);
        if (single ? (float)back == (float)v : back == v)
            break;
    }
    return strpbrk(s, ".e") ? s : arena_printf("%s.0", s);
}

/* A float or double: 1.0f, -INFINITY, NAN. */
static Ex float_constant(double v, bool single)
{
    if (isnan(v))
        return ex(single ? "NAN" : "(double)NAN", single ? PREC_PRIMARY : PREC_UNARY);
    if (isinf(v)) {
        const char *s = single ? "INFINITY" : "(double)INFINITY";
        return v < 0 ? ex(arena_printf("-%s", s), PREC_UNARY)
                     : ex(s, single ? PREC_PRIMARY : PREC_UNARY);
    }
    return ex(arena_printf("%s%s", float_digits(v, single), single ? "f" : ""),
              signbit(v) ? PREC_UNARY : PREC_PRIMARY);
}

/* An integer with the suffix of its type; the least ones by name. */
static Ex int_constant(Elem e, Constant c)
{
    if (e == EL_U64)
        return ex(arena_printf("%" PRIu64 "ull", c.u), PREC_PRIMARY);
    if (elem_info[e].class == CLASS_UNSIGNED)
        return ex(arena_printf("%" PRIu64 "u", c.u), PREC_PRIMARY);
    if (e == EL_I64 && c.i == INT64_MIN)
        return ex("INT64_MIN", PREC_UNARY);
    if (e == EL_I32 && c.i == INT32_MIN)
        return ex("INT32_MIN", PREC_UNARY);
    return ex(arena_printf("%" PRId64 "%s", c.i, e == EL_I64 && c.i != (int32_t)c.i ? "ll" : ""),
              c.i < 0 ? PREC_UNARY : PREC_PRIMARY);
}

/* The constant as a literal that compiles to exactly its value. */
Ex constant_text(Elem e, Constant c)
{
    switch (e) {
    case EL_BOOL:
        return ex(c.i ? "true" : "false", PREC_PRIMARY);
    case EL_F32: case EL_TF32:
        return float_constant(c.f, true);
    case EL_F64:
        return float_constant(c.f, false);
    case EL_F16: case EL_BF16: case EL_F8E4M3: case EL_F8E5M2:
        return cast_text(EL_F32, e, float_constant(c.f, true));
    default:
        return int_constant(e, c);
    }
}

/* ---- operations ------------------------------------------------------------------------------ */

/* The precedence of a C operator. */
static int infix_prec(const char *symbol)
{
    static const struct { const char *symbol; int prec; } table[] = {
        { "*", PREC_MUL }, { "/", PREC_MUL }, { "%", PREC_MUL }, { "+", PREC_ADD },
        { "-", PREC_ADD }, { "<<", PREC_SHIFT }, { ">>", PREC_SHIFT }, { "<", PREC_LESS },
        { "<=", PREC_LESS }, { ">", PREC_LESS }, { ">=", PREC_LESS }, { "==", PREC_EQUAL },
        { "!=", PREC_EQUAL }, { "&", PREC_AND }, { "^", PREC_XOR }, { "|", PREC_OR },
        { "&&", PREC_LAND }, { "||", PREC_LOR },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].symbol, symbol))
            return table[i].prec;
    return PREC_PRIMARY;
}

/* a op b. Besides + - * / every mixture gets parentheses, as gcc's warnings and readers like it. */
static Ex infix(const OpRow *row, Ex a, Ex b)
{
    int prec = infix_prec(row->symbol);
    int left = prec, right = prec - 1;
    if (prec >= PREC_SHIFT)
        left = right = prec <= PREC_EQUAL && prec != PREC_SHIFT ? PREC_ADD : PREC_UNARY;
    if (prec == PREC_LAND || prec == PREC_LOR) {
        left = a.prec == prec ? prec : PREC_EQUAL;
        right = PREC_EQUAL;
    }
    return ex(arena_printf("%s %s %s", within(a, left), row->symbol, within(b, right)), prec);
}

/* Is the operand at s a whole argument of a call, so that it needs no parentheses? */
static bool is_argument(const char *text, const char *s)
{
    const char *before = s, *after = s + 2;
    while (before > text && before[-1] == ' ')
        before--;
    return before > text && (before[-1] == '(' || before[-1] == ',')
        && (*after == ')' || *after == ',');
}

/* Fills the holes of a row's text. */
static Ex fill_text(const char *text, Elem elem, const Ex *arg)
{
    Text t = { 0 };
    for (const char *s = text; *s; s++) {
        if (*s == '$' && s[1] == 'T') {
            text_printf(&t, "%s", device_type(elem));
            s++;
        } else if (*s == '$') {
            text_printf(&t, "%s", is_argument(text, s) ? arg[s[1] - '0'].s
                                                       : within(arg[s[1] - '0'], PREC_PRIMARY));
            s++;
        } else {
            text_add(&t, s, 1);
        }
    }
    bool prefix = strchr("-!~(", *text) != NULL;
    size_t name =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789<>$");
    bool one_call = text[name] == '(' && text[strlen(text) - 1] == ')';
    return ex(t.at, prefix ? PREC_UNARY : one_call ? PREC_PRIMARY : PREC_COND);
}

/* What #[fast_math] writes instead: fast.def says how far it may be off; f32 and narrower. */
static const char *fast_text(const OpRow *row)
{
    static const struct { const char *name, *text; } table[] = {
#define FAST(name, text, bound) { #name, text },
#include "fast.def"
#undef FAST
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(row->name, table[i].name))
            return table[i].text;
    return NULL;
}

/* Has the kernel #[fast_math]? */
bool is_fast(const Kernel *k)
{
    for (int i = 0; i < k->attrs.n; i++)
        if (k->attrs.at[i].name == name_of("fast_math"))
            return true;
    return false;
}

/* The row's text for one element type, on operands of that type (16 bits: on floats). */
static Ex row_text(const OpRow *row, Elem elem, const Ex *arg, bool feeds_sum)
{
    bool is_float = elem_is_float(elem);
    const char *text = !is_float ? row->cuda_int : elem == EL_F64 ? row->cuda_f64 : row->cuda_f32;
    if (is_float && feeds_sum && !strcmp(row->name, "mul"))
        return ex(arena_printf("%s(%s, %s)", elem == EL_F64 ? "__dmul_rn" : "__fmul_rn", arg[0].s,
                               arg[1].s),
                  PREC_PRIMARY);
    bool wraps = elem == EL_U32 || elem == EL_U64;
    bool plain = row->arity == 2 && row->symbol
        && (is_float || strchr("+-*", row->symbol[0]) == NULL || wraps)
        && (!strncmp(text, "$0 ", 3) || (wraps && strchr("+-*", row->symbol[0])));
    return plain ? infix(row, arg[0], arg[1]) : fill_text(text, elem, arg);
}

/* Does an operation of this rule give a bool? */
static bool gives_bool(TypeRule rule)
{
    return rule == RULE_COMPARE || rule == RULE_EQUAL || rule == RULE_TEST || rule == RULE_BOOL;
}

/* An element of an elementwise operation; 16-bit floats by way of float. */
static Ex element_of_row(Emit *e, const Value *v)
{
    const Op *op = v->def;
    Elem elem = op->args[0]->type.elem;
    bool half = elem == EL_F16 || elem == EL_BF16;
    Ex arg[3] = { { "", 0 }, { "", 0 }, { "", 0 } };
    for (int i = 0; i < op->nargs && i < 3; i++)
        arg[i] = element(e, op->args[i]);
    if (op == e->quotient)
        return ex(arena_printf("tile_quotient(%s, %s, %s, %s)", arg[0].s, arg[1].s, e->inverse,
                               e->least), PREC_PRIMARY);
    if (half && op->row->cuda_f16)
        return fill_text(op->row->cuda_f16, elem, arg);
    for (int i = 0; half && i < op->nargs; i++)
        arg[i] = widened(elem, arg[i]);
    bool quick = elem_is_float(elem) && elem != EL_F64 && is_fast(e->k);
    const char *fast = quick ? fast_text(op->row) : NULL;
    Ex x = fast ? fill_text(fast, EL_F32, arg)
                : row_text(op->row, half ? EL_F32 : elem, arg, map_of(v)->feeds_sum && !half);
    return half && !gives_bool(op->row->rule) ? cast_text(EL_F32, elem, x) : x;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* The place along axis 0 of an iota or coord, as an expression of the element type. */
static Ex place_of(Emit *e, const Value *v)
{
    const Dim *d = map_of(v)->dim[0];
    if (!d)
        return ex("0", PREC_PRIMARY);
    const char *at = e->coordinate[d->id];
    return has_lanes(e, d) ? ex(arena_printf("%s + %s", at, e->lane), PREC_ADD)
                           : ex(at, PREC_PRIMARY);
}

/* Is v the constant 0? */
static bool is_zero(const Value *v)
{
    return v->def && v->def->kind == OP_CONST && v->def->constant.i == 0;
}

/* An element of an iota: its place, and where it starts if not at 0. */
static Ex element_of_iota(Emit *e, const Value *v)
{
    Elem elem = v->type.elem;
    Ex at = place_of(e, v);
    const Dim *d = map_of(v)->dim[0];              /* its coordinate is an int64_t in a loop */
    Ex x = cast_text(d && spread_of(e, d)->loops ? EL_I64 : EL_I32, elem, at);
    if (is_zero(v->def->args[0]))
        return x;
    const Ex args[2] = { element(e, v->def->args[0]), x };
    if (elem == EL_F16 || elem == EL_BF16) {
        const Ex wide[2] = { widened(elem, args[0]), widened(elem, args[1]) };
        return cast_text(EL_F32, elem, row_text(op_row("add"), EL_F32, wide, false));
    }
    return row_text(op_row("add"), elem, args, false);
}

/* A coordinate: where the part starts, and the place in it. */
static Ex element_of_coord(Emit *e, const Value *v)
{
    Ex at = place_of(e, v);
    Sym start = v->def->access->start[0];
    if (sym_is(start, 0))
        return ex(arena_printf("(int64_t)%s", within(at, PREC_UNARY)), PREC_UNARY);
    return ex(arena_printf("%s + %s", sym_c(e, start), within(at, PREC_MUL)), PREC_ADD);
}

/* What an if decides, in a streaming body: one arm or the other, on a
   condition of the whole block. */
static Ex element_of_if(Emit *e, Value *v)
{
    const Op *op = v->def;
    int i = 0;
    while (op->results[i] != v)
        i++;
    const Op *yes = op->region[0]->last, *no = op->region[1]->last;
    if (!yes || yes->kind != OP_YIELD)
        return element(e, no->args[i]);
    if (!no || no->kind != OP_YIELD)
        return element(e, yes->args[i]);
    return ex(arena_printf("%s ? %s : %s", within(element(e, op->args[0]), PREC_LOR),
                           within(element(e, yes->args[i]), PREC_LOR),
                           within(element(e, no->args[i]), PREC_COND)), PREC_COND);
}

/* yes where the operand is valid, otherwise no. */
static Ex element_of_guard(Emit *e, const Value *v, Ex yes, Ex no)
{
    const Value *of = v->def->args[0];
    const char *guard = valid_guard(e, of, ~0u, true);
    if (!guard)
        return yes;
    return ex(arena_printf("%s ? %s : %s", guard, within(yes, PREC_LOR), within(no, PREC_LOR)),
              PREC_COND);
}

/* Does the padding of a fill's operand hold the fill's value by itself? Then it costs nothing. */
static bool holds_already(const Op *fill)
{
    const Op *by = fill->args[1]->def;
    Pad pad = pad_if(fill->args[0], fill_of, NULL);
    return by && by->kind == OP_CONST && pad.kind == PAD_CONST && pad.value.u == by->constant.u;
}

/* The same bits as another type. The type that they come from is said where C widens to int, or
   writes numbers without a type. */
static Ex element_of_bitcast(Emit *e, Value *v)
{
    Value *of = v->def->args[0];
    const Elem elem = of->type.elem;
    const char *to = device_type(v->type.elem), *from = "";
    if ((elem_is_int(elem) || elem == EL_BOOL) && elem_info[elem].bytes != 4)
        from = arena_printf(", %s", device_type(elem));
    return ex(arena_printf("bit_cast<%s%s>(%s)", to, from, element(e, of).s), PREC_PRIMARY);
}

/* ---- any value ------------------------------------------------------------------------------- */

/* An element of what is printed in place: a flat switch by how it is made. */
static Ex element_of_op(Emit *e, Value *v)
{
    const Op *op = v->def;
    switch (op->kind) {
    case OP_CONST:
        return constant_text(v->type.elem, op->constant);
    case OP_SYM:
        return ex(sym_c(e, op->sym), strpbrk(sym_c(e, op->sym), " ?") ? PREC_COND : PREC_PRIMARY);
    case OP_HAS:
        return ex(arena_printf("%s != nullptr", tensor_name(op->args[0])), PREC_EQUAL);
    case OP_ELEM:
        return element_of_row(e, v);
    case OP_CAST:
        return round_text(op->args[0]->type.elem, v->type.elem, element(e, op->args[0]),
                          op->rounding);
    case OP_RANDOM:
        return ex(arena_printf("random_bits(%s, %s)", element(e, op->args[0]).s,
                               element(e, op->args[1]).s), PREC_PRIMARY);
    case OP_BITCAST:
        return element_of_bitcast(e, v);
    case OP_SELECT:
        return ex(arena_printf("%s ? %s : %s", within(element(e, op->args[0]), PREC_LOR),
                               within(element(e, op->args[1]), PREC_LOR),
                               within(element(e, op->args[2]), PREC_LOR)), PREC_COND);
    case OP_IOTA:
        return element_of_iota(e, v);
    case OP_COORD:
        return element_of_coord(e, v);
    case OP_FILL:
        if (holds_already(op))
            return element(e, op->args[0]);
        return element_of_guard(e, v, element(e, op->args[0]), element(e, op->args[1]));
    case OP_VALID:
        return element_of_guard(e, v, ex("true", PREC_PRIMARY), ex("false", PREC_PRIMARY));
    case OP_IF:
        return element_of_if(e, v);
    default:
        return element(e, op->args[0]);            /* broadcast, expand, renamings, keep */
    }
}

/* One element of v: its variable, its local name in the phase, or how it is computed. */
Ex element(Emit *e, Value *v)
{
    ValueMap *m = map_of(v);
    if (m->local)
        return ex(m->local_lanes ? arena_printf("%s[%s]", m->local, e->lane) : m->local,
                  PREC_PRIMARY);
    if (m->var)
        return ex(arena_printf("%s%s", map_of(web_root(v))->name, index_suffix(e, v)),
                  PREC_PRIMARY);
    if (!v->def)
        return ex(m->name, PREC_PRIMARY);
    return element_of_op(e, v);
}

/* An element as a text without its precedence. */
const char *element_text(Emit *e, Value *v)
{
    return element(e, v).s;
}
