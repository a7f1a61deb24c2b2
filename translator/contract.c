/* contract.c -- what a launch function refuses: extents, tensors, conditions of where */
#include "launch.h"

/* ---- values in messages ---------------------------------------------------------------------- */

/* Adds one name and its value, unless it is there. */
static void add_value(Pieces *formats, Pieces *args, const char *name)
{
    const char *format = arena_printf("%s is %%lld", name);
    if (pieces_have(formats, format))
        return;
    push(formats, format);
    push(args, arena_printf("(long long)%s", name));
}

/* Adds the names in s and their values, each once. */
void add_values(Pieces *formats, Pieces *args, const Kernel *k, Sym s)
{
    if (s->kind == SYM_NAME)
        add_value(formats, args, c_name(s->name));
    for (int i = 0; s->kind == SYM_VALUE && i < k->params.n; i++)
        if (k->params.at[i].value == s->value)
            add_value(formats, args, c_name(k->params.at[i].name));
    for (int i = 0; i < s->n; i++)
        add_values(formats, args, k, s->kid[i]);
}

/* Adds the names in the sides of a condition and their values. */
void add_cond_values(Pieces *formats, Pieces *args, const Kernel *k, const Cond *c)
{
    for (; c; c = c->or) {
        if (c->kind != COND_ALIGNED)
            add_values(formats, args, k, c->a);
        if (c->b)
            add_values(formats, args, k, c->b);
    }
}

/* if (condition) REFUSE("softmax: complaint: N is %lld", N), with the names in a and b. */
static void refuse_if(Text *out, const Function *f, const Pieces *any, const char *complaint, Sym s,
                      const Cond *c)
{
    Pieces formats = { 0 }, args = { 0 };
    if (s)
        add_values(&formats, &args, f->kernels.at[0], s);
    add_cond_values(&formats, &args, f->kernels.at[0], c);
    text_printf(out, "    if (");
    chain(out, 8, "||", any);
    text_printf(out, ")\n");
    refuse(out, 8, arena_printf("%s: %s%s%s", f->symbol, complaint, formats.n ? ": " : "",
                                joined(&formats, ", ")), &args);
}

/* ---- extents --------------------------------------------------------------------------------- */

/* The static parameter that is an extent of this name, or NULL. */
static const struct StaticArg *static_extent(const Function *f, Name name)
{
    for (int i = 0; i < f->listed.n; i++)
        if (f->listed.at[i].extent && f->listed.at[i].name == name)
            return &f->listed.at[i];
    return NULL;
}

/* The extents that are names, but those that static parameters fix. */
static void refuse_names(Text *out, const Function *f)
{
    const Kernel *k = f->kernels.at[0];
    Pieces any = { 0 }, formats = { 0 }, args = { 0 };
    for (int i = 0; i < k->extents.n; i++)
        if (!static_extent(f, k->extents.at[i])) {
            push(&any, arena_printf("tile_bad_extent(%s)", c_name(k->extents.at[i])));
            add_value(&formats, &args, c_name(k->extents.at[i]));
        }
    if (any.n == 0)
        return;
    text_printf(out, "    if (");
    chain(out, 8, "||", &any);
    text_printf(out, ")\n");
    refuse(out, 8, arena_printf("%s: extents are from 0 to 2^42: %s", f->symbol,
                                joined(&formats, ", ")), &args);
}

/* A static parameter with a list has one of its values. */
static void refuse_listed(Text *out, const Function *f, const struct StaticArg *a)
{
    Pieces none = { 0 }, values = { 0 };
    const char *name = c_name(a->name);
    bool is_bool = a->elem == EL_BOOL;
    if (is_bool && a->values.n > 1)
        return;
    for (int i = 0; i < a->values.n; i++) {
        long long v = a->values.at[i];
        push(&values, is_bool ? v ? "true" : "false" : arena_printf("%lld", v));
        push(&none, is_bool ? arena_printf("%s%s", v ? "!" : "", name)
                            : arena_printf("%s != %lld", name, v));
    }
    text_printf(out, "    if (");
    chain(out, 8, "&&", &none);
    text_printf(out, ")\n");
    Pieces args = { 0 };
    push(&args, arena_printf("(long long)%s", name));
    refuse(out, 8, arena_printf("%s: %s is %%lld; there are kernels for %s", f->symbol, name,
                                joined(&values, ", ")), &args);
}

/* N / 2 stands for an extent only if it is whole. */
static void refuse_fractions(Text *out, const Function *f, Sym s, Pieces *said)
{
    const Kernel *k = f->kernels.at[0];
    for (int i = 0; i < s->n; i++)
        refuse_fractions(out, f, s->kid[i], said);
    if (s->kind != SYM_DIV || pieces_have(said, sym_text(s)))
        return;
    push(said, sym_text(s));
    Pieces any = { 0 };
    push(&any, arena_printf("%s != 0", c_sym_host(k, sym_mod(s->kid[0], s->kid[1]))));
    refuse_if(out, f, &any, arena_printf("the extent %s is not whole",
                                         escape(sym_text(s))), s, NULL);
}

/* An extent by formula that may be negative or large. */
static void refuse_formula(Text *out, const Function *f, Sym s, Pieces *said)
{
    const Kernel *k = f->kernels.at[0];
    bool small = s->kind == SYM_NAME || s->kind == SYM_CONST || s->kind == SYM_CEIL ||
                 s->kind == SYM_DIV;
    if (!(small && sym_not_negative(k, s)) && !pieces_have(said, sym_text(s))) {
        Pieces any = { 0 };
        push(said, sym_text(s));
        push(&any, arena_printf("tile_bad_extent(%s)", c_sym_host(k, s)));
        refuse_if(out, f, &any, arena_printf("the extent %s is not from 0 to 2^42",
                                             escape(sym_text(s))), s, NULL);
    }
}

/* Checks static parameters, extents, and extents by formula. */
void refuse_extents(Text *out, const Function *f)
{
    const Kernel *k = f->kernels.at[0];
    Pieces said = { 0 };
    for (int i = 0; i < f->listed.n; i++)
        refuse_listed(out, f, &f->listed.at[i]);
    refuse_names(out, f);
    for (int i = 0; i < k->params.n; i++)
        for (int a = 0; a < k->params.at[i].type.rank; a++) {
            refuse_fractions(out, f, k->params.at[i].type.dim[a], &said);
            refuse_formula(out, f, k->params.at[i].type.dim[a], &said);
        }
}

/* ---- tensors --------------------------------------------------------------------------------- */

/* The row of a tensor parameter in the table. */
int tensor_index(const Kernel *k, int param)
{
    int n = 0;
    for (int i = 0; i < param; i++)
        n += k->params.at[i].kind != PARAM_SCALAR;
    return n;
}

static const char *const access_name[] = {
    [PARAM_SHARED] = "TILE_SHARED", [PARAM_MUT] = "TILE_EXCLUSIVE", [PARAM_ATOMIC] = "TILE_ATOMIC"
};
static const char *const access_mark[] = {
    [PARAM_SHARED] = "&", [PARAM_MUT] = "&mut", [PARAM_ATOMIC] = "&atomic"
};

/* D == 64 && CAUSAL: what the caller chooses of a kernel; NULL if there is no choice. */
const char *choice_text(const Function *f, const Kernel *k)
{
    Pieces all = { 0 };
    for (int i = 0; i < f->listed.n; i++)
        for (int j = 0; j < k->statics.n; j++) {
            const struct StaticArg *a = &f->listed.at[i];
            long long value = k->statics.at[j].value;
            if (a->name == k->statics.at[j].name && a->values.n > 1)
                push(&all, a->elem == EL_BOOL
                               ? arena_printf("%s%s", value ? "" : "!", c_name(a->name))
                               : arena_printf("%s == %lld", c_name(a->name), value));
        }
    return all.n ? joined(&all, " && ") : NULL;
}

/* Is the extent the same formula in all kernels? */
bool extent_is_fixed(const Function *f, int param, int axis)
{
    for (int i = 1; i < f->kernels.n; i++)
        if (f->kernels.at[i]->params.at[param].type.dim[axis] !=
            f->kernels.at[0]->params.at[param].type.dim[axis])
            return false;
    return true;
}

/* The value of a static parameter in a kernel; 0 if it has none of this name. */
static int64_t static_value(const Kernel *k, Name name)
{
    for (int i = 0; i < k->statics.n; i++)
        if (k->statics.at[i].name == name)
            return k->statics.at[i].value;
    return 0;
}

/* The extent in the first kernel in which the static parameter has this value, or NULL. */
static Sym extent_at(const Function *f, int param, int axis, Name name, int64_t value)
{
    for (int i = 0; i < f->kernels.n; i++)
        if (static_value(f->kernels.at[i], name) == value)
            return f->kernels.at[i]->params.at[param].type.dim[axis];
    return NULL;
}

/* Is the extent a matter of this static parameter alone? *same: is it the parameter itself? */
static bool depends_on(const Function *f, int param, int axis, Name name, bool *same)
{
    *same = true;
    for (int i = 0; i < f->kernels.n; i++) {
        int64_t value = static_value(f->kernels.at[i], name);
        Sym s = f->kernels.at[i]->params.at[param].type.dim[axis];
        *same = *same && sym_is(s, value);
        if (extent_at(f, param, axis, name, value) != s)
            return false;
    }
    return true;
}

/* D == 64 ? 72 : 136. */
static const char *extent_by(const Function *f, int param, int axis, const struct StaticArg *a)
{
    const char *text = NULL, *name = c_name(a->name);
    for (int i = a->values.n - 1; i >= 0; i--) {
        Sym s = extent_at(f, param, axis, a->name, a->values.at[i]);
        if (!s)
            continue;
        const char *one = c_sym_host(f->kernels.at[0], s);
        text = text ? arena_printf("%s == %lld ? %s : %s", name, (long long)a->values.at[i], one,
                                   text) : one;
    }
    return text;
}

/* An extent of a tensor as C, right whatever kernel is chosen. */
const char *extent_text(const Function *f, int param, int axis)
{
    const Kernel *last = f->kernels.at[f->kernels.n - 1];
    const char *text = c_sym_host(last, last->params.at[param].type.dim[axis]);
    bool same;
    if (extent_is_fixed(f, param, axis))
        return text;
    for (int i = 0; i < f->listed.n; i++)
        if (depends_on(f, param, axis, f->listed.at[i].name, &same))
            return same ? c_name(f->listed.at[i].name)
                        : extent_by(f, param, axis, &f->listed.at[i]);
    for (int i = f->kernels.n - 2; i >= 0; i--) {
        const Kernel *k = f->kernels.at[i];
        const char *choice = choice_text(f, k);
        if (choice)
            text = arena_printf("%s ? %s : %s", choice,
                                c_sym_host(k, k->params.at[param].type.dim[axis]), text);
    }
    return text;
}

/* {"y (&mut)", y, sizeof *y, TILE_EXCLUSIVE, N, 1, {{M, y_stride}}}, */
static void tensor_row(Text *out, const Function *f, int param)
{
    const Param *p = &f->kernels.at[0]->params.at[param];
    const char *name = c_name(p->name);
    const char *row = p->strided ? "1" : extent_text(f, param, p->type.rank - 1);
    int n = c_strides(p);
    bool first = false;
    text_printf(out, "        {\"%s (%s)\", %s", name, access_mark[p->kind], name);
    list_item(out, &first, 12, arena_printf("sizeof *%s", name));
    list_item(out, &first, 12, access_name[p->kind]);
    list_item(out, &first, 12, p->optional ? arena_printf("%s ? %s : 0", name, row) : row);
    list_item(out, &first, 12, arena_printf("%d", n));
    for (int a = 0; a < n; a++)
        list_item(out, &first, 12, arena_printf("%s{%s, %s}%s", a ? "" : "{",
                                                extent_text(f, param, a), c_stride(p, a),
                                                a == n - 1 ? "}" : ""));
    if (n == 0)
        list_item(out, &first, 12, "{}");
    text_printf(out, "},\n");
}

/* Writes the table of tensors and its check. */
void refuse_tensors(Text *out, const Function *f, const Locals *names)
{
    const Kernel *k = f->kernels.at[0];
    text_printf(out, "\n    const tile_tensor %s[] = {\n", names->tensors);
    for (int i = 0; i < k->params.n; i++)
        if (k->params.at[i].kind != PARAM_SCALAR)
            tensor_row(out, f, i);
    text_printf(out, "    };\n    if (!tile_check(\"%s\", %s))\n", f->symbol, names->tensors);
    text_printf(out, "        return cudaErrorInvalidValue;\n");
}

/* ---- where ----------------------------------------------------------------------------------- */

/* Do two conditions say the same? */
bool same_cond(const Cond *a, const Cond *b)
{
    if (!a || !b)
        return a == b;
    return a->kind == b->kind && a->a == b->a && a->b == b->b && a->tensor == b->tensor
           && same_cond(a->or, b->or);
}

/* Has every kernel of the function this condition? */
bool cond_is_shared(const Function *f, const Cond *c)
{
    for (int i = 0; i < f->kernels.n; i++) {
        const Kernel *k = f->kernels.at[i];
        bool found = false;
        for (int j = 0; j < k->conds.n; j++)
            found |= same_cond(&k->conds.at[j], c);
        if (!found)
            return false;
    }
    return true;
}

/* aligned(x, 16): every row of x, by its line in the table. */
static const char *aligned_text(const Kernel *k, const Cond *c, const Locals *names)
{
    int param = 0;
    while (param < k->params.n - 1 && k->params.at[param].name != c->tensor)
        param++;
    return arena_printf("tile_aligned(%s[%d], %s)", names->tensors, tensor_index(k, param),
                        c_sym_host(k, c->a));
}

/* A bool: a name, or whether a number is not 0. */
static const char *truth_text(const Kernel *k, Sym s, bool truth)
{
    if (s->kind == SYM_NAME)
        return arena_printf("%s%s", truth ? "" : "!", c_sym_in(k, s, NULL, NULL));
    return arena_printf("%s %s 0", c_sym_host(k, s), truth ? "!=" : "==");
}

/* One side of a comparison; a lone int32_t needs no cast. */
static const char *side_text(const Kernel *k, Sym s)
{
    for (int i = 0; s->kind == SYM_NAME && i < k->params.n; i++)
        if (k->params.at[i].name == s->name && k->params.at[i].type.elem == EL_I32)
            return c_name(s->name);
    return c_sym_host(k, s);
}

/* One condition as C, or its opposite. */
static const char *one_text(const Kernel *k, const Cond *c, const Locals *names, bool holds)
{
    static const char *const operators[][2] = {
        [COND_EQ] = {"!=", "=="}, [COND_NE] = {"==", "!="}, [COND_LT] = {">=", "<"},
        [COND_LE] = {">", "<="}
    }, *const swapped[][2] = {
        [COND_EQ] = {"!=", "=="}, [COND_NE] = {"==", "!="}, [COND_LT] = {"<=", ">"},
        [COND_LE] = {"<", ">="}
    };
    int64_t number;
    switch (c->kind) {
    case COND_TRUE: case COND_FALSE: return truth_text(k, c->a, (c->kind == COND_TRUE) == holds);
    case COND_ALIGNED: return arena_printf("%s%s", holds ? "" : "!", aligned_text(k, c, names));
    case COND_EQ: case COND_NE: case COND_LT: case COND_LE: break;
    }
    const char *a = side_text(k, c->a), *b = side_text(k, c->b);
    if (sym_const_of(c->a, &number))
        return arena_printf("%s %s %s", b, swapped[c->kind][holds], a);
    return arena_printf("%s %s %s", a, operators[c->kind][holds], b);
}

/* The condition as C, or its opposite; with what else is enough, in parentheses. */
const char *cond_text(const Kernel *k, const Cond *c, const Locals *names, bool holds)
{
    const char *text = one_text(k, c, names, holds);
    if (!c->or)
        return text;
    for (const Cond *more = c->or; more; more = more->or)
        text = arena_printf("%s %s %s", text, holds ? "||" : "&&",
                            one_text(k, more, names, holds));
    return arena_printf("(%s)", text);
}

/* A number stands on the right: slices > 0, not 0 < slices. */
static const char *one_plain(const Kernel *k, const Cond *c)
{
    static const char *const operators[][2] = {
        [COND_EQ] = {"==", "=="}, [COND_NE] = {"!=", "!="}, [COND_LT] = {"<", ">"},
        [COND_LE] = {"<=", ">="}
    };
    if (c->kind == COND_ALIGNED)
        return arena_printf("aligned(%s, %s)", c->tensor->text, sym_text(c->a));
    if (c->kind == COND_TRUE || c->kind == COND_FALSE)
        return truth_text(k, c->a, c->kind == COND_TRUE);
    int64_t number;
    bool swap = sym_const_of(c->a, &number);
    return arena_printf("%s %s %s", sym_text(swap ? c->b : c->a), operators[c->kind][swap],
                        sym_text(swap ? c->a : c->b));
}

/* The condition as a person would write it. */
const char *cond_plain(const Kernel *k, const Cond *c)
{
    const char *text = one_plain(k, c);
    for (const Cond *more = c->or; more; more = more->or)
        text = arena_printf("%s || %s", text, one_plain(k, more));
    return text;
}

/* Does the condition ask for the address of a tensor? */
static bool on_address(const Cond *c)
{
    while (c && c->kind != COND_ALIGNED)
        c = c->or;
    return c != NULL;
}

/* The condition for the format of a message. */
const char *cond_source(const Kernel *k, const Cond *c)
{
    return escape(cond_plain(k, c));
}

/* Checks the conditions that all kernels share: those on the table of tensors, or the others. */
void refuse_conds(Text *out, const Function *f, const Locals *names, bool on_tensors)
{
    const Kernel *k = f->kernels.at[0];
    for (int i = 0; i < k->conds.n; i++) {
        const Cond *c = &k->conds.at[i];
        Pieces any = { 0 };
        if (!cond_is_shared(f, c) || on_address(c) != on_tensors)
            continue;
        push(&any, cond_text(k, c, names, false));
        refuse_if(out, f, &any, arena_printf("`where %s` does not hold", cond_source(k, c)),
                  NULL, c);
    }
}
