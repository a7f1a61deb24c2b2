/* tile_races.cpp -- which accesses of a block no barrier orders */

/* Two accesses to a byte by two threads of a block, one of them a write, are ordered if a
 * __syncthreads lies between, or, within a warp, __syncwarps that lead from the one to the other.
 * Shuffles and votes order no memory, as CUDA says. The hooks ask at every access, whatever the
 * order in which the threads happen to run; atomic and volatile accesses race with nothing. */

#include <string.h>
#include "tile_scheduler.h"

/* ---- time ------------------------------------------------------------------------------ */

/* When t does what it does now: barriers that the block passed, and __syncwarps of its own. */
static inline uint32_t now(const TileThread *t)
{
    return t->worker->interval << 16 | t->synced[t->number % 32];
}

/* Is what thread `other` of the block did at `time` over before what t does now? */
static inline bool is_before(const TileThread *t, unsigned other, uint32_t time)
{
    if (time >> 16 != (t->worker->interval & 0xffff) || other == t->number)
        return true;
    if (other / 32 != t->number / 32)
        return false;
    return (int16_t)(t->synced[other % 32] - (uint16_t)time) > 0;
}

/* At the block's start nobody knows of anybody. */
void tile_forget_times(TileWorker *w)
{
    for (unsigned i = 0; i < w->launch->threads; i++)
        memset(w->threads[i].synced, 0, sizeof w->threads[i].synced);
}

/* The lanes have met in a __syncwarp: each knows now what any of them knew. synced[i] is the
 * first time of lane i of which a thread does not know that it is over; of its own, now. */
void tile_lanes_met(TileThread *warp, unsigned lanes)
{
    uint16_t known[32];
    const TileThread *const one = &warp[__builtin_ctz(lanes)];
    memcpy(known, one->synced, sizeof known);
    for (unsigned i = 0; i < 32; i++)
        for (unsigned k = 0; k < 32 && (lanes >> i & 1); k++)
            if ((int16_t)(warp[i].synced[k] - known[k]) > 0)
                known[k] = warp[i].synced[k];
    for (unsigned i = 0; i < 32; i++)
        known[i] += lanes >> i & 1;
    for (unsigned i = 0; i < 32; i++)
        if (lanes >> i & 1)
            memcpy(warp[i].synced, known, sizeof known);
}

/* ---- accesses -------------------------------------------------------------------------- */

/* The number in its block of the thread that is `writer`, if it is one of t's block. */
static inline unsigned in_block(const TileThread *t, uint32_t writer)
{
    const uint32_t first = tile_writer(t) - t->number + TILE_WRITER;    // may have wrapped
    const unsigned n = (writer + 2 * TILE_WRITER - first) % TILE_WRITER;
    return writer && n < t->worker->launch->threads ? n : TILE_NOBODY;
}

/* The thread whose write of this byte nothing orders before t's access now. */
static inline unsigned racing_writer(const TileThread *t, const TileRace *r)
{
    const unsigned other = in_block(t, r->writer);
    return other != TILE_NOBODY && !is_before(t, other, r->written) ? other : TILE_NOBODY;
}

/* A thread whose read of the byte nothing orders before t's write now. */
static inline unsigned racing_reader(const TileThread *t, const TileRace *r)
{
    const unsigned first = in_block(t, r->reader), second = in_block(t, r->second);
    if (first == TILE_NOBODY)
        return TILE_NOBODY;
    if (second != TILE_NOBODY && !is_before(t, second, r->read))
        return second;
    for (unsigned lanes = r->lanes; lanes; lanes &= lanes - 1) {
        const unsigned other = first + __builtin_ctz(lanes);
        if (!is_before(t, other, r->read))
            return other;
    }
    return TILE_NOBODY;
}

/* Notes that t reads the byte: of the lanes that read it before, those stay that a write after t's
 * read could still race with. One reader of a second warp is enough. */
static inline void add_reader(const TileThread *t, TileRace *r)
{
    const unsigned first = in_block(t, r->reader), mine = t->number / 32 * 32;
    if (first == TILE_NOBODY || r->read >> 16 != (t->worker->interval & 0xffff)) {
        r->reader = tile_writer(t) - t->number % 32;
        r->read = now(t);
        r->lanes = 1u << t->number % 32;
        r->second = 0;
        return;
    }
    if (first != mine) {
        r->second = tile_writer(t);     // whoever writes now is of another warp than one of the two
        return;
    }
    for (unsigned i = 0; i < 32; i++)
        if (r->lanes >> i & 1 && is_before(t, mine + i, r->read))
            r->lanes &= ~(1u << i);
    if (!r->lanes)
        r->read = now(t);
    r->lanes |= 1u << t->number % 32;
}

unsigned tile_race_of_read(const TileThread *t, TileRace *r, size_t size)
{
    unsigned with = TILE_NOBODY;
    for (size_t i = 0; i < size; i++) {
        const unsigned other = racing_writer(t, &r[i]);
        with = other != TILE_NOBODY ? other : with;
        add_reader(t, &r[i]);
    }
    return with;
}

unsigned tile_race_of_write(const TileThread *t, TileRace *r, size_t size, bool *reader)
{
    unsigned with = TILE_NOBODY;
    *reader = false;
    for (size_t i = 0; i < size; i++) {
        unsigned other = racing_writer(t, &r[i]);
        if (other == TILE_NOBODY)
            *reader |= (other = racing_reader(t, &r[i])) != TILE_NOBODY;
        with = other != TILE_NOBODY ? other : with;
        r[i] = {tile_writer(t), now(t), 0, 0, 0, 0};
    }
    return with;
}
