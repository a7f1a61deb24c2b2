/* tile_wgmma.h -- twins of wgmma: products of tiles in shared memory, by four warps */
#ifndef TILE_WGMMA_H
#define TILE_WGMMA_H

#include "tile_tensor.h"

extern "C" {

/* Begins a product of this lane's warp: 16 rows of the sum, of which the lane has two. */
void tile_wgmma(TileWgmma how, void *upper, void *lower, uint64_t a, const unsigned *fragment,
                uint64_t b, bool accumulate, const char *file, int line);
void tile_wgmma_commit(void);

/* Does the products of all groups but the latest, if this lane is to do the work of its warp. */
void tile_wgmma_work(unsigned pending, const char *file, int line);
TileCombine tile_combine_wgmma;
}

/* What names a tile to wgmma: where it is, how far its parts lie apart, swizzled by 128 bytes. */
static __device__ __forceinline__ uint64_t wgmma_tile(const void *tile, unsigned leading,
                                                      unsigned stride, TILE_HERE)
{
    tile_demand_shared(tile, 16, "wgmma_tile", file, line);
    return (uint64_t)(tile_shared_address(tile) >> 4 & 0x3fff) | (uint64_t)(leading >> 4) << 16
           | (uint64_t)(stride >> 4) << 32 | 1ull << 62;
}

static __device__ __forceinline__ void wgmma_fence(void) {}
static __device__ __forceinline__ void wgmma_commit(void) { tile_wgmma_commit(); }

/* Waits with the lanes of the warp; one of them works for all. */
template <int PENDING>
static __device__ __forceinline__ void wgmma_wait(TILE_HERE)
{
    TileWhole lane;
    tile_whole_warp(tile_combine_wgmma, "wgmma_wait", &lane, file, line);
    tile_wgmma_work(PENDING, file, line);
    tile_whole_warp(tile_combine_wgmma, "wgmma_wait", &lane, file, line);
}

template <int ROWS, int COLS>
static __device__ __forceinline__ void wgmma_sums(float (&sums)[ROWS][COLS][2]) { (void)sums; }

/* The functions of N columns: of 16 bits, a and b as they lie, a from registers; and of others. */
#define TILE_WGMMA_16(NAME, TYPE, N)                                                            \
    template <int A_TURNED, int B_TURNED>                                                       \
    static __device__ __forceinline__ void NAME##_n##N(                                         \
        float (&upper)[N / 8][2], float (&lower)[N / 8][2], uint64_t a, uint64_t b,             \
        bool accumulate, TILE_HERE)                                                             \
    {                                                                                           \
        tile_wgmma({TYPE, N, A_TURNED != 0, B_TURNED != 0, false}, upper, lower, a, NULL, b,    \
                   accumulate, file, line);                                                     \
    }                                                                                           \
    template <int B_TURNED>                                                                     \
    static __device__ __forceinline__ void NAME##_n##N(                                         \
        float (&upper)[N / 8][2], float (&lower)[N / 8][2], const unsigned (&a)[4], uint64_t b, \
        bool accumulate, TILE_HERE)                                                             \
    {                                                                                           \
        tile_wgmma({TYPE, N, false, B_TURNED != 0, true}, upper, lower, 0, a, b, accumulate,    \
                   file, line);                                                                 \
    }

#define TILE_WGMMA(NAME, TYPE, N)                                                               \
    static __device__ __forceinline__ void NAME##_n##N(                                         \
        float (&upper)[N / 8][2], float (&lower)[N / 8][2], uint64_t a, uint64_t b,             \
        bool accumulate, TILE_HERE)                                                             \
    {                                                                                           \
        tile_wgmma({TYPE, N, false, false, false}, upper, lower, a, NULL, b, accumulate, file,  \
                   line);                                                                       \
    }

#define TILE_WGMMA_N(N)                                                                         \
    TILE_WGMMA_16(wgmma_f16, TILE_MMA_F16, N)                                                   \
    TILE_WGMMA_16(wgmma_bf16, TILE_MMA_BF16, N)                                                 \
    TILE_WGMMA(wgmma_tf32, TILE_MMA_TF32, N)                                                    \
    TILE_WGMMA(wgmma_e4m3, TILE_MMA_E4M3, N)                                                    \
    TILE_WGMMA(wgmma_e5m2, TILE_MMA_E5M2, N)

TILE_WGMMA_N(8) TILE_WGMMA_N(16) TILE_WGMMA_N(24) TILE_WGMMA_N(32)
TILE_WGMMA_N(40) TILE_WGMMA_N(48) TILE_WGMMA_N(56) TILE_WGMMA_N(64)
TILE_WGMMA_N(72) TILE_WGMMA_N(80) TILE_WGMMA_N(88) TILE_WGMMA_N(96)
TILE_WGMMA_N(104) TILE_WGMMA_N(112) TILE_WGMMA_N(120) TILE_WGMMA_N(128)
TILE_WGMMA_N(136) TILE_WGMMA_N(144) TILE_WGMMA_N(152) TILE_WGMMA_N(160)
TILE_WGMMA_N(168) TILE_WGMMA_N(176) TILE_WGMMA_N(184) TILE_WGMMA_N(192)
TILE_WGMMA_N(200) TILE_WGMMA_N(208) TILE_WGMMA_N(216) TILE_WGMMA_N(224)
TILE_WGMMA_N(232) TILE_WGMMA_N(240) TILE_WGMMA_N(248) TILE_WGMMA_N(256)

#undef TILE_WGMMA_N
#undef TILE_WGMMA
#undef TILE_WGMMA_16
#endif
