/* launch_waves.c -- which tiling of a contraction: the one whose programs take the least time
 *
 * `tune` makes variants of a kernel with other tiles. Large tiles read each operand less often,
 * small ones leave fewer multiprocessors idle in the last wave of programs. A program of BM x BN
 * takes, for each k, as long as tensor cores or memory need, whichever is longer. By what was
 * measured on an H200 for bf16, in units that are of one size for a body alone:
 *
 *     boxes         BM * BN / 92 of tensor cores, 0.7 * (BM + BN) of the L2 cache
 *     the other     BM * BN / 92, (BM + BN) of shared memory; three times as long where a thread
 *     body          has more than 128 registers of a result
 *
 * The launch function multiplies with the waves. */
#include <string.h>
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

/* What a program takes for each k, in hundredths; boxes: by the body that has them. */
static int64_t cost_of(const Plan *p, bool boxes)
{
    int64_t cost = 0;
    for (const Op *op = p->ring->region[0]->first; op; op = op->next) {
        if (op->kind != OP_MMA)
            continue;
        const Type *t = &op->results[0]->type;
        const int64_t rows = type_extent(t, t->rank - 2), columns = type_extent(t, t->rank - 1);
        const int64_t cores = rows * columns * 100 / 92;
        const int64_t memory = (boxes ? 70 : 100) * (rows + columns);
        const int slow = !boxes && rows * columns > 128 * 128 ? 3 : 1;
        cost += slow * (cores > memory ? cores : memory);
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

/* The entry of kernel i with boxes, which is the first. */
static const Entry *boxes_of(const Launch *l, int i)
{
    return &l->plans[i]->entries.at[0];
}

/* Whether those with boxes can be taken: const bool boxes = ..; */
static void boxes_line(const Launch *l, int i, const char *boxes)
{
    const Entry *e = boxes_of(l, i);
    Pieces all = { 0 };
    if (e->width > 1)
        vectors_need(l, l->plans[i], e->width, &all);
    push(&all, arena_printf("tile_for_sm90a<%s>(%lld) > 0", c_global(l->f, e->symbol),
                            (long long)e->dynamic));
    text_printf(l->out, "\n    const bool %s = ", boxes);
    chain(l->out, 18 + (int)strlen(boxes), "&&", &all);
    text_printf(l->out, ";\n");
}

/* The lines that choose among the kernels of one choice, the first of which is kernel i. */
static void choice_lines(const Launch *l, int i, const char *variant, const char *boxes)
{
    boxes_line(l, i, boxes);
    text_printf(l->out, "    const int %s = tile_variant(%s, {\n", variant, boxes);
    for (int j = i; j < l->f->kernels.n; j++) {
        const Kernel *k = l->f->kernels.at[j];
        if (same_choice(l->f, l->f->kernels.at[i], k))
            text_printf(l->out, "        {%s, %lld, %lld},   // %s%s\n", programs_text(k),
                        (long long)cost_of(l->plans[j], true),
                        (long long)cost_of(l->plans[j], false), l->f->symbol, k->suffix);
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
        choice_lines(l, i, variant, group ? arena_printf("%s_%d", l->names.boxes, group + 1)
                                          : l->names.boxes);
    return arena_printf("%s == %d", variant, number);
}
