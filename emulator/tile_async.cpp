/* tile_async.cpp -- the copies that a thread's cp.async began and that have not arrived */

#include <string.h>
#include "tile_emulator.h"
#include "tile_scheduler.h"

/* Writes a mark to the shadows of bytes in shared memory, if they have any. */
static void mark(const void *p, size_t size, uint32_t word)
{
    const TileArray *const a = tile_shared_array(tile_self->worker, (uintptr_t)p);
    for (size_t i = 0; a && a->shadow && i < size; i++)
        a->shadow[(uintptr_t)p + i - a->low] = word;
}

void tile_copy_mark(const void *to, size_t size)
{
    mark(to, size, TILE_PENDING);
}

void tile_copy_begin(void *to, const void *bytes, unsigned size)
{
    TileThread *const t = tile_self;
    TileCopy copy = {to, {}, size, t->groups};
    memcpy(copy.bytes, bytes, size);
    t->copies.push_back(copy);
    mark(to, size, TILE_PENDING);
}

void tile_copy_commit(void)
{
    tile_self->groups++;
}

bool tile_copy_next(unsigned pending, TileCopy *copy)
{
    TileThread *const t = tile_self;
    if (t->copies.empty() || t->copies.front().group + pending >= t->groups)
        return false;
    *copy = t->copies.front();
    t->copies.pop_front();
    mark(copy->to, copy->size, 0);
    return true;
}
