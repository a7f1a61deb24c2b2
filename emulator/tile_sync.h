/* tile_sync.h -- twins of barriers of some warps, mbarriers, and what goes with them */
#ifndef TILE_SYNC_H
#define TILE_SYNC_H

#include "tile_tensor.h"

extern "C" {

/* Comes to barrier id, which is for so many threads; if asked to, waits for all of them. */
void tile_named_barrier(int id, int threads, bool wait, const char *name, const char *file,
                        int line);

/* An mbarrier: begins, gets an arrival that announces bytes, is waited for. */
void tile_mbarrier_init(const void *barrier, unsigned arrivals);
void tile_mbarrier_arrive(const void *barrier, unsigned bytes, const char *name, const char *file,
                          int line);
void tile_mbarrier_wait(const void *barrier, unsigned parity, const char *file, int line);

/* Complains unless the block is a cluster of its own. */
void tile_lone_block(const char *name, const char *file, int line);
}

/* ---- barriers of some warps --------------------------------------------------------- */

static __device__ __forceinline__ void named_barrier_sync(int id, int threads, TILE_HERE)
{
    tile_named_barrier(id, threads, true, "named_barrier_sync", file, line);
}
static __device__ __forceinline__ void named_barrier_arrive(int id, int threads, TILE_HERE)
{
    tile_named_barrier(id, threads, false, "named_barrier_arrive", file, line);
}

/* ---- mbarriers ---------------------------------------------------------------------- */

/* Reads the word for the checks: somebody must have begun the mbarrier, and told this thread. */
static inline __attribute__((always_inline)) void tile_look(const uint64_t *barrier)
{
    __asm__ volatile("" : : "r"(*barrier));
}

static __device__ __forceinline__ void mbarrier_init(uint64_t *barrier, unsigned arrivals)
{
    *barrier = arrivals;
    tile_mbarrier_init(barrier, arrivals);
}
static __device__ __forceinline__ void mbarrier_init_fence(void) { tile_fence(); }
static __device__ __forceinline__ void mbarrier_expect(uint64_t *barrier, unsigned bytes, TILE_HERE)
{
    tile_look(barrier);
    tile_mbarrier_arrive(barrier, bytes, "mbarrier_expect", file, line);
}
static __device__ __forceinline__ void mbarrier_arrive(uint64_t *barrier, TILE_HERE)
{
    tile_look(barrier);
    tile_mbarrier_arrive(barrier, 0, "mbarrier_arrive", file, line);
}
static __device__ __forceinline__ void mbarrier_wait(uint64_t *barrier, unsigned parity, TILE_HERE)
{
    tile_look(barrier);
    tile_mbarrier_wait(barrier, parity, file, line);
}

/* ---- others ------------------------------------------------------------------------- */

static __device__ __forceinline__ void fence_async(void) { tile_fence_async(); }
static __device__ __forceinline__ bool elect_one(void) { return tile_lane() == 0; }

template <int COUNT>
static __device__ __forceinline__ void fewer_registers(void)
{
    static_assert(COUNT % 8 == 0 && COUNT >= 24 && COUNT <= 256, "setmaxnreg takes 24, 32, .. 256");
}
template <int COUNT>
static __device__ __forceinline__ void more_registers(void)
{
    fewer_registers<COUNT>();
}

static __device__ __forceinline__ unsigned cluster_rank(TILE_HERE)
{
    return tile_lone_block("cluster_rank", file, line), 0;
}
static __device__ __forceinline__ void cluster_arrive(TILE_HERE)
{
    tile_lone_block("cluster_arrive", file, line);
}
static __device__ __forceinline__ void cluster_wait(TILE_HERE)
{
    tile_lone_block("cluster_wait", file, line);
}
static __device__ __forceinline__ void grid_wait(void) {}
static __device__ __forceinline__ void grid_launch_next(void) {}

#endif
