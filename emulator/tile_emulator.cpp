/* tile_emulator.cpp -- the scheduler: blocks one after another, a fiber for each thread */

/* Contexts are Boost's bare ones: a thread that is given up after an error is forgotten as it
 * stands, nothing is unwound, and its stack is used again. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "tile_scheduler.h"
#include "tile_warp.h"

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

__thread TileThread *tile_self;

/* Device code sees these as const; here they are set. */
extern "C" {
__thread uint3 threadIdx, blockIdx, blockDim, gridDim;
}

/* The dynamic shared memory of every kernel. */
alignas(1024) thread_local unsigned char smem[TILE_MAX_SHARED];

/* g++ asks for this function before each use of an `extern thread_local`, in case another file has
 * an initialiser to run; in templates it does not look whether there is one. There is nothing to
 * do. */
extern "C" __attribute__((no_sanitize("thread"))) void _ZTH4smem() {}

/* ---- fibers ------------------------------------------------------------------------- */

/* A stack for one fiber, with a page below it that must not be touched. Stacks begin at different
 * distances from a page's end, so that the fibers' frames don't all share few cache lines. */
static uintptr_t take_stack(TileWorker *w)
{
    if (w->free_stacks.empty()) {
        char *const p = (char *)mmap(NULL, TILE_STACK_BYTES, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED || mprotect(p, 4096, PROT_NONE)) {
            perror("tile_emulator: no memory for a fiber's stack");
            abort();
        }
        w->stacks++;
        return (uintptr_t)p;
    }
    const uintptr_t stack = w->free_stacks.back();
    w->free_stacks.pop_back();
    return stack;
}

/* Leaves the current thread for the scheduler, until the scheduler comes back to it. */
static void leave(TileThread *t)
{
    t->worker->home = jump_fcontext(t->worker->home, NULL).fctx;
}

void tile_stop_thread(void)
{
    tile_self->state = STOPPED;
    leave(tile_self);
    abort();                                    // nobody comes back to a stopped thread
}

/* The life of a fiber: one thread of the kernel. */
static void fiber_main(transfer_t from)
{
    TileThread *const t = (TileThread *)from.data;
    t->worker->home = from.fctx;
    t->worker->launch->call(t->worker->launch->arguments);
    t->state = DONE;
    leave(t);
}

/* Lets t run until it waits or ends. */
static void resume(TileWorker *w, TileThread *t)
{
    if (t->state == FRESH) {
        t->stack = take_stack(w);
        const size_t top = TILE_STACK_BYTES - t->number * 1088 % 16384 / 64 * 64;
        t->context = make_fcontext((char *)t->stack + top, top - 4096, fiber_main);
        t->state = READY;
    }
    threadIdx = t->place;
    tile_self = t;
    t->context = jump_fcontext(t->context, t).fctx;
    tile_self = NULL;
    if (t->state == DONE || t->state == STOPPED)
        w->free_stacks.push_back(t->stack);
}

/* ---- warps -------------------------------------------------------------------------- */

/* Completes the collective that lane waits for, if all the others are there. */
static void settle_lane(TileWorker *w, unsigned warp, unsigned lane)
{
    TileThread *const threads = w->threads + 32 * warp, *const t = threads + lane;
    TileWarp *const lanes = &w->warps[warp];
    if (t->mask & ~(lanes->waiting | lanes->exited))
        return;
    const unsigned here = t->mask & ~lanes->exited;
    void *brought[32] = {};
    for (unsigned i = 0; i < 32; i++) {
        if (!(here >> i & 1))
            continue;
        if (threads[i].mask != t->mask || threads[i].combine != t->combine)
            return;                             // they meet in different places: a deadlock
        brought[i] = threads[i].brought;
    }
    t->combine(brought);
    if (t->combine == tile_combine_sync && tile_checked)
        tile_lanes_met(threads, here);
    for (unsigned i = 0; i < 32; i++)
        if (here >> i & 1)
            threads[i].state = READY;
    lanes->waiting &= ~here;
}

/* After thread number n came to a collective or ended: completes what waited for it. */
static void settle(TileWorker *w, unsigned n)
{
    const unsigned warp = n / 32;
    if (w->threads[n].state == AT_WARP) {
        w->warps[warp].waiting |= 1u << n % 32;
        settle_lane(w, warp, n % 32);
        return;
    }
    w->warps[warp].exited |= 1u << n % 32;
    for (unsigned lane = 0; lane < 32; lane++)
        if (w->warps[warp].waiting >> lane & 1)
            settle_lane(w, warp, lane);
}

void tile_collective(unsigned mask, TileCombine *combine, const char *name, void *brought,
                     const char *file, int line)
{
    TileThread *const t = tile_self;
    if (!(mask >> t->number % 32 & 1)) {
        tile_complain(file, line, "%s is called by lane %u, which its mask 0x%08x leaves out", name,
                      t->number % 32, mask);
        tile_stop_thread();
    }
    if (combine == tile_combine_sync && tile_leaves_out(line))
        return;
    t->mask = mask;
    t->combine = combine;
    t->brought = brought;
    t->name = name;
    t->file = file;
    t->line = line;
    t->state = AT_WARP;
    leave(t);
}

/* ---- blocks ------------------------------------------------------------------------- */

int tile_barrier(int predicate, const char *name, const char *file, int line)
{
    TileThread *const t = tile_self;
    if (tile_leaves_out(line))
        return predicate != 0;
    t->predicate = predicate;
    t->name = name;
    t->file = file;
    t->line = line;
    t->state = AT_BARRIER;
    leave(t);
    return t->worker->barrier_count;
}

void tile_yield(void)
{
    leave(tile_self);
}

/* Gives every thread of order[first .. end) that can run a turn; false if there is none. */
static bool sweep(TileWorker *w, unsigned first, unsigned end)
{
    bool ran = false, changed = false;
    for (unsigned i = first; i < end; i++) {
        TileThread *const t = &w->threads[w->order[i]];
        if (t->state > READY)
            continue;
        resume(w, t);
        ran = true;
        changed |= t->state != READY;
        w->finished += t->state == DONE;
        if (t->state == AT_WARP || t->state == DONE)
            settle(w, t->number);
    }
    w->idle_sweeps = changed ? 0 : w->idle_sweeps + ran;
    return ran && w->idle_sweeps < 100000;
}

/* Runs the block until all that is left waits at barriers, or for ever. */
static void run_interval(TileWorker *w, TileOrder order)
{
    const unsigned n = w->launch->threads;
    for (unsigned first = 0; order == TILE_WARP && first < n; first += 32)
        while (sweep(w, first, first + 32 < n ? first + 32 : n) && w->idle_sweeps == 0)
            ;
    do {
        if (order == TILE_RANDOM)
            tile_shuffle_order(w);
    } while (sweep(w, 0, n));
}

/* Lets the block pass the barrier if every thread is there, at the same one. */
static bool pass_barrier(TileWorker *w)
{
    const unsigned n = w->launch->threads;
    const TileThread *const one = &w->threads[0];
    int count = 0;
    for (unsigned i = 0; i < n; i++) {
        const TileThread *const t = &w->threads[i];
        if (t->state != AT_BARRIER || t->line != one->line || strcmp(t->name, one->name))
            return false;
        count += t->predicate != 0;
    }
    for (unsigned i = 0; i < n; i++)
        w->threads[i].state = READY;
    w->barrier_count = count;
    w->interval++;
    return true;
}

/* Sets up block number n of the grid. */
static void start_block(TileWorker *w, uint64_t n, const TileSchedule *s)
{
    const TileLaunch *const l = w->launch;
    const dim3 grid = l->config->gridDim, block = l->config->blockDim;
    w->block_number = n;
    w->block = {(unsigned)(n % grid.x), (unsigned)(n / grid.x % grid.y),
                (unsigned)(n / grid.x / grid.y)};
    blockIdx = w->block;
    w->interval = w->finished = w->idle_sweeps = 0;
    for (unsigned i = 0; i < l->threads; i++) {
        TileThread *const t = &w->threads[i];
        t->worker = w;
        t->number = i;
        t->place = {i % block.x, i / block.x % block.y, i / block.x / block.y};
        t->state = FRESH;
        t->copies.clear();
        t->products.clear();
        t->stores.clear();
        t->groups = t->product_groups = t->store_groups = 0;
    }
    for (unsigned i = 0; i < TILE_MAX_THREADS / 32; i++) {
        const unsigned here = l->threads > 32 * i ? l->threads - 32 * i : 0;
        w->warps[i] = {0, here >= 32 ? 0 : ~0u << here};
    }
    for (TileNamed &b : w->named)
        b = TileNamed();
    w->mbarriers.clear();
    tile_set_order(w, s);
    tile_forget_times(w);
    memset(smem, 0xff, l->config->dynamicSmemBytes);    // NaN to whoever reads it too early
    for (TileArray *a : w->shared)
        if (a->shadow)
            memset(a->shadow, 0, (a->high - a->low) * sizeof *a->shadow);
}

/* Runs one block from its first thread's start to its last thread's end. */
void tile_run_block(TileWorker *w, uint64_t n, const TileSchedule *s)
{
    start_block(w, n, s);
    do
        run_interval(w, s->order);
    while (w->finished < w->launch->threads && pass_barrier(w));
    if (w->finished < w->launch->threads)
        tile_report_stuck(w);
    for (unsigned i = 0; i < w->launch->threads; i++) {
        TileThread *const t = &w->threads[i];
        if (t->state != DONE && t->state != STOPPED && t->state != FRESH)
            w->free_stacks.push_back(t->stack);
    }
}
