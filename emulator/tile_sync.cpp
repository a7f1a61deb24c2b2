/* tile_sync.cpp -- barriers of some warps and mbarriers: who came, and what is known after */

#include <string.h>
#include "tile_emulator.h"
#include "tile_scheduler.h"

/* Where t waits from now on, for those who ask why it is stuck. */
static void waits(TileThread *t, const char *name, const char *file, int line)
{
    t->name = name;
    t->file = file;
    t->line = line;
}

/* ---- barriers of some warps --------------------------------------------------------- */

void tile_named_barrier(int id, int threads, bool wait, const char *name, const char *file,
                        int line)
{
    TileThread *const t = tile_self;
    if (id < 1 || id > 15 || threads <= 0 || threads % 32) {
        tile_complain(file, line, "%s of barrier %d for %d threads: it takes barriers 1 to 15 and "
                      "whole warps", name, id, threads);
        tile_stop_thread();
    }
    TileNamed *const b = &t->worker->named[id];
    if (b->came && b->count != (unsigned)threads)
        tile_complain(file, line, "%s of barrier %d for %d threads, which others say is for %u",
                      name, id, threads, b->count);
    const unsigned before = b->passed;
    b->count = (unsigned)threads;
    tile_release(t, &b->gathered);
    if (++b->came == b->count) {
        b->came = 0;
        b->passed++;
        b->known = b->gathered;
    }
    for (waits(t, name, file, line); wait && b->passed == before;)
        tile_yield();
    if (wait)
        tile_acquire(t, b->known);
}

/* ---- mbarriers ---------------------------------------------------------------------- */

/* The mbarrier at p; ends a thread that takes something else for one. */
static TilePhases *phases_of(const void *p, const char *name, const char *file, int line)
{
    const auto found = tile_self->worker->mbarriers.find((uintptr_t)p);
    if (found != tile_self->worker->mbarriers.end())
        return &found->second;
    tile_complain(file, line, "%s of what is no mbarrier that mbarrier_init began", name);
    tile_stop_thread();
}

/* Begins the next phase if this one lacks nothing. */
static void turn(TilePhases *p)
{
    if (p->lacking || p->bytes)
        return;
    p->phase++;
    p->lacking = p->count;
    p->known = p->gathered;
}

/* What is on its way arrives: as late as it may, when somebody waits and only it is missing. */
static void land(TileWorker *w, TilePhases *p)
{
    for (const TileBox &box : p->boxes) {
        TileArray *const a = tile_shared_array(w, box.to);
        const size_t n = box.bytes.size();
        memcpy((void *)box.to, box.bytes.data(), n);
        if (a && a->shadow) {
            for (size_t i = 0; i < n; i++)
                a->shadow[box.to - a->low + i] = tile_writer(box.by) | TILE_HOST;
            tile_race_landed(box.by, box.time, a->races + (box.to - a->low), n);
        }
        uint16_t *const time = &p->gathered[box.by->number];
        if ((int16_t)(box.time + 1 - *time) > 0)
            *time = box.time + 1;
        p->bytes -= (int64_t)n;
    }
    p->boxes.clear();
}

void tile_mbarrier_init(const void *barrier, unsigned arrivals)
{
    TilePhases *const p = &tile_self->worker->mbarriers[(uintptr_t)barrier];
    *p = TilePhases();
    p->count = p->lacking = arrivals;
}

void tile_mbarrier_arrive(const void *barrier, unsigned bytes, const char *name, const char *file,
                          int line)
{
    TilePhases *const p = phases_of(barrier, name, file, line);
    tile_release(tile_self, &p->gathered);
    p->bytes += bytes;
    if (p->lacking == 0)
        tile_complain(file, line, "%s is one arrival more than the phase has", name);
    else
        p->lacking--;
    if (p->boxes.empty())
        turn(p);
}

void tile_mbarrier_wait(const void *barrier, unsigned parity, const char *file, int line)
{
    TileThread *const t = tile_self;
    TilePhases *const p = phases_of(barrier, "mbarrier_wait", file, line);
    for (waits(t, "mbarrier_wait", file, line); (p->phase & 1) == (parity & 1);) {
        if (p->lacking == 0 && !p->boxes.empty()) {
            land(t->worker, p);
            turn(p);
        } else {
            tile_yield();
        }
    }
    tile_acquire(t, p->known);
}

void tile_lone_block(const char *name, const char *file, int line)
{
    const cudaLaunchConfig_t *const c = tile_self->worker->launch->config;
    for (unsigned i = 0; i < c->numAttrs; i++) {
        const auto d = c->attrs[i].val.clusterDim;
        if (c->attrs[i].id == cudaLaunchAttributeClusterDimension && d.x * d.y * d.z > 1) {
            tile_complain(file, line, "%s: the emulator runs no clusters of several blocks", name);
            tile_stop_thread();
        }
    }
}
