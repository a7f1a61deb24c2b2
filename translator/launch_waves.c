/* launch_waves.c -- which tiling of a contraction: the one whose programs take the least time
 *
 * `tune` makes variants of a kernel with other tiles. Large tiles read each operand less often,
 * small ones leave fewer multiprocessors idle in the last wave of programs. A program of BM x BN
 * takes, for each k, as long as the tensor cores or the L2 cache need, whichever is longer; by what
 * was measured on an H200 for bf16 BM * BN / 92 of the one, 0.7 * (BM + BN) of the other. The
 * launch function multiplies with the waves. */
#include "launch.h"

/* Is it one of several variants of one choice, all with boxes, none with conditions of its own? */
bool by_waves(const Function *f, Plan *const *plans, int i)
{
    int variants = 0;
    for (int j = 0; j < f->kernels.n; j++) {
        const Kernel *k = f->kernels.at[j];
        if (!same_choice(f, f->kernels.at[i], k))
            continue;
        for (int c = 0; c < k->conds.n; c++)
            if (!cond_is_shared(f, &k->conds.at[c]))
                return false;
        if (!plans[j]->ring)
            return false;
        variants++;
    }
    return variants > 1;
}

/* What a program takes for each k, in hundredths. */
static int64_t cost_of(const Plan *p)
{
    int64_t cost = 0;
    for (const Op *op = p->ring->region[0]->first; op; op = op->next) {
        if (op->kind != OP_MMA)
            continue;
        const Type *t = &op->results[0]->type;
        const int64_t rows = type_extent(t, t->rank - 2), columns = type_extent(t, t->rank - 1);
        const int64_t cores = rows * columns * 100 / 92, cache = 70 * (rows + columns);
        cost += cores > cache ? cores : cache;
    }
    return cost;
}

/* The number of kernel i among those of its choice; -1: another kernel is the first of them. */
static int number_of(const Function *f, int i, bool *first)
{
    int number = 0;
    for (int j = 0; j < i; j++)
        number += same_choice(f, f->kernels.at[i], f->kernels.at[j]);
    *first = number == 0;
    return number;
}

/* The lines that choose among the kernels of one choice, the first of which is kernel i. */
static void choice_lines(const Launch *l, int i, const char *variant)
{
    text_printf(l->out, "\n    const int %s = tile_variant({\n", variant);
    for (int j = i; j < l->f->kernels.n; j++) {
        const Kernel *k = l->f->kernels.at[j];
        if (same_choice(l->f, l->f->kernels.at[i], k))
            text_printf(l->out, "        {%s, %lld},   // %s%s\n", programs_text(k),
                        (long long)cost_of(l->plans[j]), l->f->symbol, k->suffix);
    }
    text_printf(l->out, "    });\n");
}

/* The condition under which kernel i is chosen. */
const char *variant_text(const Launch *l, int i)
{
    bool first;
    int group = 0;
    const int number = number_of(l->f, i, &first);
    for (int j = 0; j < i; j++) {                  /* each choice has a variable of its own */
        bool begins;
        group += number_of(l->f, j, &begins) == 0
                 && !same_choice(l->f, l->f->kernels.at[i], l->f->kernels.at[j]);
    }
    const char *variant = group ? arena_printf("%s_%d", l->names.variant, group + 1)
                                : l->names.variant;
    if (first)
        choice_lines(l, i, variant);
    return arena_printf("%s == %d", variant, number);
}
