/* tile_tma.h -- twins of copies of boxes of a tensor, from and to shared memory */
#ifndef TILE_TMA_H
#define TILE_TMA_H

#include "cuda.h"
#include "tile_sync.h"

extern "C" {

/* Begins to copy the box at `at`, in elements, innermost first; it arrives by the mbarrier. */
void tile_tma_load(void *to, const CUtensorMap *map, const uint64_t *barrier, int rank,
                   const int *at, const char *file, int line);

/* Begins to copy shared memory to the box; it is read when the thread waits for its group. */
void tile_tma_store(const CUtensorMap *map, const void *from, int rank, const int *at,
                    const char *file, int line);
void tile_tma_commit(void);
void tile_tma_wait(unsigned pending);
}

static __device__ __forceinline__ int box_at(int64_t at)
{
    const int64_t most = 1 << 30;
    return (int)(at > most ? most : at < -most ? -most : at);
}
static __device__ __forceinline__ void tma_load_2d(void *to, const CUtensorMap *map,
                                                   uint64_t *barrier, int x, int y, TILE_HERE)
{
    const int at[] = {x, y};
    tile_look(barrier);
    tile_tma_load(to, map, barrier, 2, at, file, line);
}
static __device__ __forceinline__ void tma_load_3d(void *to, const CUtensorMap *map,
                                                   uint64_t *barrier, int x, int y, int z,
                                                   TILE_HERE)
{
    const int at[] = {x, y, z};
    tile_look(barrier);
    tile_tma_load(to, map, barrier, 3, at, file, line);
}
static __device__ __forceinline__ void tma_load_4d(void *to, const CUtensorMap *map,
                                                   uint64_t *barrier, int x, int y, int z, int u,
                                                   TILE_HERE)
{
    const int at[] = {x, y, z, u};
    tile_look(barrier);
    tile_tma_load(to, map, barrier, 4, at, file, line);
}
static __device__ __forceinline__ void tma_load_5d(void *to, const CUtensorMap *map,
                                                   uint64_t *barrier, int x, int y, int z, int u,
                                                   int v, TILE_HERE)
{
    const int at[] = {x, y, z, u, v};
    tile_look(barrier);
    tile_tma_load(to, map, barrier, 5, at, file, line);
}
static __device__ __forceinline__ void tma_store_2d(const CUtensorMap *map, const void *from, int x,
                                                    int y, TILE_HERE)
{
    const int at[] = {x, y};
    tile_tma_store(map, from, 2, at, file, line);
}
static __device__ __forceinline__ void tma_store_3d(const CUtensorMap *map, const void *from, int x,
                                                    int y, int z, TILE_HERE)
{
    const int at[] = {x, y, z};
    tile_tma_store(map, from, 3, at, file, line);
}
static __device__ __forceinline__ void tma_store_commit(void) { tile_tma_commit(); }

/* What is written to global memory is so when the source has been read. */
template <int PENDING>
static __device__ __forceinline__ void tma_store_wait_read(void)
{
    tile_tma_wait(PENDING);
}
template <int PENDING>
static __device__ __forceinline__ void tma_store_wait(void)
{
    tile_tma_wait(PENDING);
}

#endif
