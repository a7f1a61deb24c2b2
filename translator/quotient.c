/* quotient.c -- a row divided by one value of its own: by the reciprocal, without losing a bit */
/* needs: a body being written.  gives: CUDA C.  keeps: the plan. */
#include "mapping.h"
#include <string.h>

/* What is behind views: broadcast, expand and the like. */
static Value *seen_through(Value *v)
{
    while (!map_of(v)->var && is_view(v) && v->def->nargs)
        v = v->def->args[0];
    return v;
}

/* Does v differ between the W neighbours of a thread? */
static bool along_lanes(const Emit *e, const Value *v)
{
    for (int a = 0; a < v->type.rank; a++)
        if (map_of(v)->dim[a] && has_lanes(e, map_of(v)->dim[a]))
            return true;
    return false;
}

/* Counts the quotients that v is printed with; the last goes to *found. */
static int count_quotients(Value *v, const Op **found)
{
    const Op *op = v->def;
    int n = 0;
    if (!op || v->type.kind != TYPE_TILE || map_of(v)->var || map_of(v)->local)
        return 0;
    if (op->kind == OP_ELEM && !strcmp(op->row->name, "div"))
        n = 1, *found = op;
    for (int i = 0; i < op->nargs; i++)
        n += count_quotients(op->args[i], found);
    return n;
}

/* The one f32 quotient of a variable by what its W neighbours share, among what a 16-bit tile is
   printed with; NULL if there is none. Such rows are short of instructions, not of memory, and a
   division takes 12, this 4: softmax of bf16 rows of 8192 columns on an H200: 3843 GB/s so, 3550 by
   division. */
static const Op *find_quotient(const Emit *e, Value *tile)
{
    const Op *op = NULL;
    if (elem_info[tile->type.elem].bytes > 2 || is_fast(e->k) || count_quotients(tile, &op) != 1
        || op->args[0]->type.elem != EL_F32)
        return NULL;
    Value *a = seen_through(op->args[0]), *b = seen_through(op->args[1]);
    bool fits = map_of(a)->var && along_lanes(e, a) && map_of(b)->var && !along_lanes(e, b);
    return fits ? op : NULL;
}

/* Computes the W elements of a tile at the present place into `out`. */
void write_neighbours(Emit *e, Phase *p, Value *tile, const char *out)
{
    const Op *by = p->shared.n ? NULL : find_quotient(e, tile);
    if (by) {
        const char *b = element_text(e, by->args[1]), *name = b;
        const char *end = strchr(b, '[');
        name = arena_printf("%.*s_inverse", (int)(end ? end - b : (long)strlen(b)), b);
        e->inverse = fresh(e, name);
        e->least = fresh(e, "least");
        line(e, "const float %s = tile_inverse(%s);", e->inverse, b);
        line(e, "float %s = INFINITY;", e->least);
    }
    e->quotient = by;
    phase_lanes(e, p);
    line(e, "%s[%s] = %s;", out, e->lane, element_text(e, tile));
    phase_lanes_close(e, p);
    e->quotient = NULL;
    if (!by)
        return;
    open_block(e, "if (!(%s >= 1e-21f))", e->least);
    line(e, "// one is too small to be sure of its last bit, or no number");
    phase_lanes(e, p);
    line(e, "%s[%s] = %s;", out, e->lane, element_text(e, tile));
    phase_lanes_close(e, p);
    close_block(e, "");
}
