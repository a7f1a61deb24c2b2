/* relayout.c -- a tile to other threads: through shared memory, in row-major order */
#include "mapping.h"

/* Gives each thread the elements that the layout of the result wants from it. */
void write_relayout(Emit *e, const Op *op)
{
    Value *to = op->results[0];
    const char *buffer = shared_array(e, arena_printf("%s_shared", map_of(web_root(to))->name),
                                      to->type.elem, static_elements(&to->type));
    if (e->loop_depth)
        barrier(e, "the last round's tile has been read");
    shared_put(e, op, op->args[0], buffer);
    barrier(e, "the tile is written before other threads read it");
    shared_get(e, op, to, buffer);
}
