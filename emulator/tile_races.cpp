/* tile_races.cpp -- which accesses of a launch nothing orders */

/* Two accesses to a byte by two threads of a block, one of them a write, are ordered if a
 * __syncthreads lies between, or __syncwarps, named barriers and mbarriers that lead from the one
 * to the other: each passes on what its threads know of the times of all.
 * Shuffles and votes order no memory, as CUDA says; nothing orders two blocks of a launch. Atomic
 * accesses do not race with each other, volatile ones with nothing. The hooks ask at every access,
 * whatever the order in which the threads happen to run. */

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
    if (other / 32 == t->number / 32)
        return (int16_t)(t->synced[other % 32] - (uint16_t)time) > 0;
    return !t->known.empty() && (int16_t)(t->known[other] - (uint16_t)time) > 0;
}

/* At the block's start nobody knows of anybody. */
void tile_forget_times(TileWorker *w)
{
    for (unsigned i = 0; i < w->launch->threads; i++) {
        memset(w->threads[i].synced, 0, sizeof w->threads[i].synced);
        w->threads[i].known.clear();
        w->threads[i].fenced.clear();
    }
}

/* The later of two times of each thread goes to a; what is empty knows nothing. */
static void join(TileTimes *a, const TileTimes &b)
{
    a->resize(b.size() > a->size() ? b.size() : a->size());
    for (size_t i = 0; i < b.size(); i++)
        if ((int16_t)(b[i] - (*a)[i]) > 0)
            (*a)[i] = b[i];
}

void tile_release(TileThread *t, TileTimes *times)
{
    const unsigned n = t->worker->launch->threads, first = t->number / 32 * 32;
    t->synced[t->number % 32]++;
    t->known.resize(n);
    for (unsigned i = first; i < first + 32 && i < n; i++)
        t->known[i] = t->synced[i - first];
    join(times, t->known);
}

void tile_acquire(TileThread *t, const TileTimes &times)
{
    const unsigned first = t->number / 32 * 32;
    join(&t->known, times);
    for (unsigned i = first; i < first + 32 && i < times.size(); i++)
        if ((int16_t)(times[i] - t->synced[i - first]) > 0)
            t->synced[i - first] = times[i];
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
    TileTimes others;
    for (unsigned i = 0; i < 32; i++) {
        known[i] += lanes >> i & 1;
        if (lanes >> i & 1)
            join(&others, warp[i].known);
    }
    for (unsigned i = 0; i < 32; i++)
        if (lanes >> i & 1) {
            memcpy(warp[i].synced, known, sizeof known);
            warp[i].known = others;
        }
}

/* ---- accesses -------------------------------------------------------------------------- */

/* The number in its block of the thread that is `id`, if it is one of t's block. */
static inline unsigned in_block(const TileThread *t, uint32_t id)
{
    const uint32_t first = tile_writer(t) - t->number + TILE_WRITER;    // may have wrapped
    const unsigned n = ((id & TILE_WRITER) + 2 * TILE_WRITER - first) % TILE_WRITER;
    return id && n < t->worker->launch->threads ? n : TILE_NOBODY;
}

/* Where a byte lies: in shared memory the threads of other blocks have bytes of their own. */
enum Where { GLOBAL, SHARED };

/* Is `id` a thread of another block of t's launch, with the same byte? Nothing orders the two. */
static inline bool in_other_block(const TileThread *t, uint32_t id, Where where)
{
    return id && where == GLOBAL && tile_number(t->worker->launch, id) != TILE_NO_NUMBER
           && in_block(t, id) == TILE_NOBODY;
}

/* Did the thread `id` do at `time` what nothing orders before what t does now? */
static inline bool is_loose(const TileThread *t, uint32_t id, uint32_t time, Where where)
{
    const unsigned n = in_block(t, id);
    return n == TILE_NOBODY ? in_other_block(t, id, where) : !is_before(t, n, time);
}

/* Do t's access now and what `id` did at `time` race? id: of one that did not write, or atomically;
 * plain reads do not race with each other, nor do atomic accesses. */
static inline bool races_with(const TileThread *t, TileAccess access, uint32_t id, uint32_t time,
                              Where where)
{
    const bool alike = (access == TILE_ATOMIC) == ((id & TILE_WAS_ATOMIC) != 0);
    return id && (access == TILE_WRITE || !alike) && is_loose(t, id, time, where);
}

/* The thread with whose access to this byte t's access now races; 0: with nobody's. */
static inline uint32_t race_of(const TileThread *t, TileAccess access, const TileRace *r,
                               Where where)
{
    if (is_loose(t, r->writer, r->written, where))
        return r->writer;
    if (races_with(t, access, r->second, r->time, where))
        return r->second;
    for (unsigned lanes = r->lanes; lanes; lanes &= lanes - 1)
        if (races_with(t, access, r->first + __builtin_ctz(lanes), r->time, where))
            return r->first + __builtin_ctz(lanes);
    return 0;
}

/* Notes that t reads the byte, or changes it atomically: of the lanes that did so before, those
 * stay with which a later access could still race. One of a second warp is enough, or of another
 * block. */
static inline void add_access(const TileThread *t, TileAccess access, TileRace *r, Where where)
{
    const uint32_t kind = access == TILE_ATOMIC ? TILE_WAS_ATOMIC : 0;
    const uint32_t me = tile_writer(t) | kind;
    const unsigned lane = t->number % 32, first = in_block(t, r->first);
    const bool far = in_other_block(t, r->second, where);
    if (first == TILE_NOBODY || r->time >> 16 != (t->worker->interval & 0xffff)
        || (r->first & TILE_WAS_ATOMIC) != kind) {
        r->second = far ? r->second : in_other_block(t, r->first, where) ? r->first : 0;
        r->first = me - lane;
        r->lanes = 1u << lane;
        r->time = now(t);
        return;
    }
    if (first != t->number - lane) {
        r->second = far ? r->second : me;   // whoever writes now is of another warp than one of two
        return;
    }
    for (unsigned i = 0; i < 32; i++)
        if (r->lanes >> i & 1 && is_before(t, first + i, r->time))
            r->lanes &= ~(1u << i);
    if (!r->lanes)
        r->time = now(t);
    r->lanes |= 1u << lane;
}

void tile_fence_async(void)
{
    TileThread *const t = tile_self;
    t->fenced.clear();
    tile_release(t, &t->fenced);
    t->fence_interval = t->worker->interval;
}

/* Did x call fence_async when it knew that what thread `other` did at `time` was over? */
static bool has_fenced(const TileThread *x, unsigned other, uint32_t time)
{
    if (x->fenced.empty())
        return false;
    const int16_t intervals = (int16_t)(x->fence_interval - (time >> 16));
    return intervals > 0 || (intervals == 0 && (int16_t)(x->fenced[other] - (uint16_t)time) > 0);
}

void tile_demand_fence(const TileThread *t, uintptr_t low, size_t size, const void *pc)
{
    const TileArray *const a = tile_shared_array(t->worker, low);
    for (size_t i = 0; a && a->shadow && i < size; i++) {
        const TileRace *const r = &a->races[low - a->low + i];
        const unsigned other = in_block(t, r->writer);
        if (a->shadow[low - a->low + i] & TILE_HOST || other == TILE_NOBODY
            || has_fenced(&t->worker->threads[other], other, r->written)
            || has_fenced(t, other, r->written))
            continue;
        const TileAside aside;
        tile_report(t, cudaErrorLaunchFailure, {NULL, 4, pc},
                    tile_format("no fence_async between the write of a byte and its use by wgmma "
                                "or a copy of a box: %s",
                                tile_where(t->worker, low + i).c_str()));
        return;
    }
}

void tile_race_landed(const TileThread *t, uint16_t time, TileRace *r, size_t size)
{
    for (size_t i = 0; i < size; i++)
        r[i] = {tile_writer(t), t->worker->interval << 16 | time, 0, 0, 0, 0};
}

uint32_t tile_race(const TileThread *t, TileAccess access, TileRace *r, size_t size, bool shared,
                   bool *wrote)
{
    const Where where = shared ? SHARED : GLOBAL;
    uint32_t with = 0;
    for (size_t i = 0; i < size; i++) {
        const uint32_t other = race_of(t, access, &r[i], where);
        if (other) {
            with = other & TILE_WRITER;
            *wrote = other == r[i].writer || other & TILE_WAS_ATOMIC;
        }
        if (access == TILE_WRITE)
            r[i] = {tile_writer(t), now(t), 0, 0, 0, 0};
        else
            add_access(t, access, &r[i], where);
    }
    return with;
}
