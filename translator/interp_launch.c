/* interp_launch.c -- what a launch checks: extents, contracts; which kernel it takes */
#include "interp.h"

/* ---- names ----------------------------------------------------------------------------------- */

/* An atom that is a name. */
static bool name_number(Sym atom, int64_t *k, void *arg)
{
    return atom->kind == SYM_NAME && names_find(arg, atom->name, k);
}

/* The number of a formula over the names of a launch; false if there is none. */
bool names_eval(const Names *names, Sym s, int64_t *number)
{
    return sym_eval(s, name_number, (void *)names, number);
}

/* Binds a name, if it is new; tensor: whose extent it is, or NULL. */
void names_bind(Names *names, Name name, int64_t number, Name tensor)
{
    int64_t k;
    struct Bound bound = {name, number, tensor};
    if (!names_find(names, name, &k))
        push(&names->bound, bound);
}

/* Binds statics, int parameters, and each extent to the first array that shows it. */
void launch_bind(const Kernel *k, const Arg *args, Names *names)
{
    for (int i = 0; i < k->statics.n; i++)
        names_bind(names, k->statics.at[i].name, k->statics.at[i].value, NULL);
    for (int p = 0; p < k->params.n; p++) {
        const Param *param = &k->params.at[p];
        if (param->kind == PARAM_SCALAR && !elem_is_float(param->type.elem))
            names_bind(names, param->name, args[p].scalar.i, NULL);
        for (int a = 0; param->kind != PARAM_SCALAR && a < param->type.rank; a++)
            if (param->type.dim[a]->kind == SYM_NAME && args[p].tensor.present)
                names_bind(names, param->type.dim[a]->name, args[p].tensor.extent[a], param->name);
    }
}

/* ---- one tensor ------------------------------------------------------------------------------ */

/* Why an axis of a tensor does not have the extent that the names say. */
static const char *extents_differ(const Param *p, const Tensor *t, int a, const Names *names,
                                  int64_t want)
{
    const Sym dim = p->type.dim[a];
    for (int i = 0; i < names->bound.n && dim->kind == SYM_NAME; i++) {
        const struct Bound *b = &names->bound.at[i];
        if (b->name == dim->name && b->tensor)
            return arena_printf("%s is %lld in %s and %lld in %s", dim->name->text, (long long)want,
                                b->tensor->text, (long long)t->extent[a], p->name->text);
    }
    return arena_printf("axis %d of %s has %lld elements, not %s%s%s", a, p->name->text,
                        (long long)t->extent[a], sym_text(dim),
                        dim->kind == SYM_CONST ? "" : " = ",
                        dim->kind == SYM_CONST ? "" : arena_printf("%lld", (long long)want));
}

/* Is the argument of the declared type, with the extents that the names say? */
const char *launch_tensor(const Param *p, const Tensor *t, const Names *names)
{
    const char *name = p->name->text;
    int64_t want;
    if (t->elem != p->type.elem)
        return arena_printf("%s is %s, not %s", name, elem_info[t->elem].name,
                            elem_info[p->type.elem].name);
    if (t->rank != p->type.rank)
        return arena_printf("%s has %d axes, not %d", name, t->rank, p->type.rank);
    for (int a = 0; a < t->rank; a++) {
        if (!names_eval(names, p->type.dim[a], &want))
            return arena_printf("%s: the extent %s is not a number", name,
                                sym_text(p->type.dim[a]));
        if (t->extent[a] < 0)
            return arena_printf("extents must not be negative: that of axis %d of %s is %lld", a,
                                name, (long long)t->extent[a]);
        if (t->extent[a] != want)
            return extents_differ(p, t, a, names, want);
    }
    return NULL;
}

/* ---- contracts ------------------------------------------------------------------------------- */

/* aligned(x, 16): the pointer is a multiple. */
static const char *check_aligned(const Kernel *k, const Arg *args, const Cond *c, int64_t bytes)
{
    for (int p = 0; p < k->params.n; p++)
        if (k->params.at[p].name == c->tensor && args[p].tensor.present
            && (bytes <= 0 || (uintptr_t)args[p].tensor.data % (uintptr_t)bytes))
            return arena_printf("where aligned(%s, %lld) does not hold", c->tensor->text,
                                (long long)bytes);
    return NULL;
}

/* One condition of where. */
static const char *check_cond(const Kernel *k, const Arg *args, const Cond *c, const Names *names)
{
    static const char *const sign[] = {"==", "!=", "<", "<="};
    int64_t a = 0, b = 0;
    bool one = c->kind == COND_ALIGNED || c->kind == COND_TRUE || c->kind == COND_FALSE;
    if (!names_eval(names, c->a, &a) || (!one && !names_eval(names, c->b, &b)))
        return "where: a side is not a number";
    if (c->kind == COND_TRUE || c->kind == COND_FALSE)
        return (a != 0) == (c->kind == COND_TRUE) ? NULL
            : arena_printf("where %s%s does not hold", c->kind == COND_TRUE ? "" : "!",
                           sym_text(c->a));
    if (c->kind == COND_ALIGNED)
        return check_aligned(k, args, c, a);
    const bool holds[] = {a == b, a != b, a < b, a <= b};
    if (holds[c->kind])
        return NULL;
    return arena_printf("where %s %s %s does not hold: %lld and %lld", sym_text(c->a),
                        sign[c->kind], sym_text(c->b), (long long)a, (long long)b);
}

/* Why none of two conditions holds; NULL if the second one does. */
static const char *nor(const char *first, const char *second)
{
    return first && second ? arena_printf("%s; %s", first, second) : second;
}

/* ---- the launch ------------------------------------------------------------------------------ */

/* Binds the names of a kernel and checks what its launch function does, but for what cannot be of
   arrays that are read or made: strides, overlaps. NULL or why not. */
const char *launch_check(const Kernel *k, const Arg *args, Names *names)
{
    const char *why = NULL;
    launch_bind(k, args, names);
    for (int p = 0; p < k->params.n && !why; p++) {
        const Param *param = &k->params.at[p];
        if (param->kind == PARAM_SCALAR)
            continue;
        if (args[p].tensor.present)
            why = launch_tensor(param, &args[p].tensor, names);
        else if (!param->optional)
            why = arena_printf("%s is missing", param->name->text);
    }
    for (int i = 0; i < k->conds.n && !why; i++)
        for (const Cond *c = &k->conds.at[i]; c && (why || c == &k->conds.at[i]); c = c->or)
            why = nor(why, check_cond(k, args, c, names));
    return why;
}

/* Has the kernel the values that the caller asks for? */
static bool has_listed(const Kernel *k, const Function *f, const int64_t *listed)
{
    for (int i = 0; i < f->listed.n; i++)
        for (int s = 0; s < k->statics.n && !f->listed.at[i].extent; s++)
            if (k->statics.at[s].name == f->listed.at[i].name
                && k->statics.at[s].value != listed[i])
                return false;
    return true;
}

/* The first kernel that takes these arguments; NULL and the reason of the last one that did not. */
const Kernel *choose_kernel(const Function *f, const Arg *args, const int64_t *listed,
                            const char **why)
{
    *why = "no variant has these static parameters";
    for (int i = 0; i < f->kernels.n; i++) {
        Names names = {0};
        if (!has_listed(f->kernels.at[i], f, listed))
            continue;
        *why = launch_check(f->kernels.at[i], args, &names);
        if (!*why)
            return f->kernels.at[i];
    }
    return NULL;
}
