/* interp_launch.c -- what a launch checks: extents, contracts, overlaps; which kernel it takes */
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

/* How many elements a tensor has. */
static int64_t element_count(const Tensor *t)
{
    int64_t n = 1;
    for (int a = 0; a < t->rank; a++)
        n *= t->extent[a];
    return n;
}

/* Elements from the first to the last, by the axes whose stride is below `limit` alone. */
static int64_t span_below(const Tensor *t, int64_t limit)
{
    int64_t span = 1;
    for (int a = 0; a < t->rank; a++)
        if (t->extent[a] > 1 && t->stride[a] < limit)
            span += (t->extent[a] - 1) * t->stride[a];
    return span;
}

/* Two places of the tensor are one element in memory: some stride is less than what lies inside. */
static bool overlaps_itself(const Tensor *t)
{
    for (int a = 0; a < t->rank; a++) {
        if (t->extent[a] <= 1)
            continue;
        for (int b = 0; b < t->rank; b++)
            if (b != a && t->extent[b] > 1 && t->stride[b] == t->stride[a])
                return true;
        if (t->stride[a] <= 0 || t->stride[a] < span_below(t, t->stride[a]))
            return true;
    }
    return false;
}

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
    if (element_count(t) == 0)
        return NULL;
    if (!t->data)
        return arena_printf("%s is a null pointer", name);
    if (!p->strided && t->extent[t->rank - 1] > 1 && t->stride[t->rank - 1] != 1)
        return arena_printf("the last axis of %s has stride %lld, not 1", name,
                            (long long)t->stride[t->rank - 1]);
    if (p->kind != PARAM_SHARED && overlaps_itself(t))
        return arena_printf("elements of %s overlap by its strides", name);
    return NULL;
}

/* ---- two tensors ----------------------------------------------------------------------------- */

/* Equal strides and disjoint ranges of columns: for some stride, what lies inside it of a and of b
   are blocks that do not meet, and everything outside moves both by multiples of it. */
static bool columns_apart(const Tensor *a, const Tensor *b)
{
    if (a->rank != b->rank || a->elem != b->elem)
        return false;
    for (int x = 0; x < a->rank; x++)
        if (a->stride[x] != b->stride[x])
            return false;
    const int64_t distance = ((const char *)b->data - (const char *)a->data)
                             / elem_info[a->elem].bytes;
    for (int x = 0; x < a->rank; x++) {
        const int64_t stride = a->stride[x];
        bool fits = stride > 0;
        for (int y = 0; y < a->rank && fits; y++)
            fits = a->stride[y] < stride || a->stride[y] % stride == 0;
        if (!fits)
            continue;
        const int64_t d = (distance % stride + stride) % stride;
        if (span_below(a, stride) <= d && d + span_below(b, stride) <= stride)
            return true;
    }
    return false;
}

/* Do the bytes from first to last element of a and b meet? */
static bool bytes_meet(const Tensor *a, const Tensor *b)
{
    const char *a_at = a->data, *b_at = b->data;
    if (!a->present || !b->present || element_count(a) == 0 || element_count(b) == 0)
        return false;
    return a_at < b_at + span_below(b, INT64_MAX) * elem_info[b->elem].bytes
           && b_at < a_at + span_below(a, INT64_MAX) * elem_info[a->elem].bytes;
}

/* An exclusive tensor may not share memory with any other argument. */
static const char *check_overlaps(const Kernel *k, const Arg *args)
{
    static const char *const how[] = {"&", "&mut", "&atomic", ""};
    for (int p = 0; p < k->params.n; p++)
        for (int q = 0; q < k->params.n; q++) {
            const Param *a = &k->params.at[p], *b = &k->params.at[q];
            if (p == q || a->kind == PARAM_SHARED || a->kind == PARAM_SCALAR
                || b->kind == PARAM_SCALAR || !bytes_meet(&args[p].tensor, &args[q].tensor)
                || columns_apart(&args[p].tensor, &args[q].tensor))
                continue;
            return arena_printf("%s (%s) and %s (%s) overlap; an exclusive tensor may not alias "
                                "another argument", a->name->text, how[a->kind], b->name->text,
                                how[b->kind]);
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

/* Binds the names of a kernel and checks what its launch function does; NULL or why not. */
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
    return why ? why : check_overlaps(k, args);
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
