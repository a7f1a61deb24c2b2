/* padding_dump.c -- the valid part of each tile, and what its padding holds, as text */
#include "padding.h"

/* [0, 8) x any */
static const char *parts_text(const Value *v)
{
    Text t = {0};
    for (int a = 0; a < v->type.rank; a++)
        text_printf(&t, "%s%s", a ? " x " : "", valid_text(&v->valid[a]));
    return t.at;
}

/* One tile: t: [0, 8) x any  pad 0.0 */
static void dump_value(FILE *out, const Value *v)
{
    const char *name = v->name ? v->name->text : arena_printf("%%%d", v->id);
    if (v->type.kind != TYPE_TILE || v->type.rank == 0)
        return;
    fprintf(out, "    %s: %s", name, parts_text(v));
    if (v->pad.kind != PAD_UNKNOWN)
        fprintf(out, "  pad %s", pad_text_of(v->pad, v->type.elem));
    fprintf(out, "%s\n", v->pos.source ? arena_printf("  ; %d", source_line(v->pos)) : "");
}

/* Every tile of every kernel: what of it is valid along each axis, and what the rest holds. */
void padding_dump(FILE *out, const Program *program)
{
    for (int f = 0; f < program->functions.n; f++)
        for (int i = 0; i < program->functions.at[f]->kernels.n; i++) {
            const Kernel *k = program->functions.at[f]->kernels.at[i];
            fprintf(out, "%skernel %s%s\n", f || i ? "\n" : "", k->function->symbol,
                    k->suffix ? k->suffix : "");
            for (int n = 0; n < k->values.n; n++)
                dump_value(out, k->values.at[n]);
        }
}
