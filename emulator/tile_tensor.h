/* tile_tensor.h -- twins of ldmatrix and mma.sync: small matrices, spread over a warp */
#ifndef TILE_TENSOR_H
#define TILE_TENSOR_H

#include "tile_fiber.h"
#include "tile_warp.h"

/* ---- what a lane brings ------------------------------------------------------------- */

/* The part that all of them begin with: a lane that has exited, or -1. */
struct TileWhole {
    int missing;
};

/* To ldmatrix: its row of eight elements, and where its registers are. */
struct TileRow : TileWhole {
    uint16_t row[8];
    unsigned *registers;
};

/* To mma.sync: its fragments of both operands, and where its two halves of the sum are. */
template <typename Sum>
struct TileMma : TileWhole {
    const unsigned *a, *b;
    Sum *upper, *lower;
};

struct TileMmaDouble : TileWhole {
    double a, b, *d;
};

enum TileOperand {
    TILE_MMA_F16, TILE_MMA_BF16, TILE_MMA_TF32, TILE_MMA_E4M3, TILE_MMA_E5M2, TILE_MMA_S8,
    TILE_MMA_U8
};

/* ---- tile_tensor.cpp ---------------------------------------------------------------- */

/* Whether all 32 lanes are there; if not, those that are hear of one that is not. */
bool tile_everybody(void **lanes);

/* Elements in a register of 32 bits; the value of element i of it. */
constexpr int tile_packed(TileOperand type)
{
    return type == TILE_MMA_TF32 ? 1 : type == TILE_MMA_F16 || type == TILE_MMA_BF16 ? 2 : 4;
}
double tile_element(TileOperand type, unsigned word, int i);

template <int MATRICES, bool TRANSPOSED>
void tile_combine_ldmatrix(void **lanes);
void tile_combine_stmatrix(void **lanes);
template <TileOperand A, TileOperand B, typename Sum>
void tile_combine_mma(void **lanes);
void tile_combine_mma_double(void **lanes);

/* Ends the thread unless `bytes`, a power of two, divide the address, which is a shared one. */
void tile_demand_shared(const void *p, size_t bytes, const char *name, const char *file, int line);

/* The same of an address in global memory. */
void tile_demand_global(const void *p, size_t bytes, const char *name, const char *file, int line);

/* Meets the 31 other lanes; says if one has exited. */
static inline void tile_whole_warp(TileCombine *combine, const char *name, TileWhole *brought,
                                   const char *file, int line)
{
    brought->missing = -1;
    tile_collective(~0u, combine, name, brought, file, line);
    if (brought->missing >= 0)
        tile_complain(file, line, "%s is for whole warps, and lane %d has exited", name,
                      brought->missing);
}

/* ---- ldmatrix ----------------------------------------------------------------------- */

/* A lane that gives a row reads all of it; the others' addresses mean nothing. */
template <bool TRANSPOSED, int MATRICES>
static inline void tile_ldmatrix(unsigned (&r)[MATRICES], const void *row, const char *name,
                                 const char *file, int line)
{
    TileRow lane = {};
    lane.registers = r;
    if (tile_lane() < 8 * MATRICES) {
        tile_demand_shared(row, 16, name, file, line);
        memcpy(lane.row, row, sizeof lane.row);
    }
    tile_whole_warp(tile_combine_ldmatrix<MATRICES, TRANSPOSED>, name, &lane, file, line);
}

static __device__ __forceinline__ void ldmatrix_x4(unsigned (&r)[4], const void *row, TILE_HERE)
{
    tile_ldmatrix<false>(r, row, "ldmatrix_x4", file, line);
}
static __device__ __forceinline__ void ldmatrix_x4_trans(unsigned (&r)[4], const void *row,
                                                         TILE_HERE)
{
    tile_ldmatrix<true>(r, row, "ldmatrix_x4_trans", file, line);
}
static __device__ __forceinline__ void ldmatrix_x2(unsigned (&r)[2], const void *row, TILE_HERE)
{
    tile_ldmatrix<false>(r, row, "ldmatrix_x2", file, line);
}
static __device__ __forceinline__ void ldmatrix_x2_trans(unsigned (&r)[2], const void *row,
                                                         TILE_HERE)
{
    tile_ldmatrix<true>(r, row, "ldmatrix_x2_trans", file, line);
}

/* The row that a lane names is written by it, once the warp has met. */
static __device__ __forceinline__ void stmatrix_x4(void *row, const unsigned (&r)[4], TILE_HERE)
{
    TileRow lane = {};
    unsigned registers[4];
    memcpy(registers, r, sizeof registers);
    lane.registers = registers;
    tile_demand_shared(row, 16, "stmatrix_x4", file, line);
    tile_whole_warp(tile_combine_stmatrix, "stmatrix_x4", &lane, file, line);
    memcpy(row, lane.row, sizeof lane.row);
}

/* ---- mma.sync ----------------------------------------------------------------------- */

static __device__ __forceinline__ unsigned to_tf32(float x)
{
    unsigned bits;
    memcpy(&bits, &x, sizeof bits);
    if (x != x)
        return 0x7fffffff;
    return (bits & 0x7f800000) == 0x7f800000 ? bits : (bits + 0x1000) & ~0x1fffu;
}

template <TileOperand A, TileOperand B, typename Sum>
static inline void tile_mma(Sum (&upper)[2], Sum (&lower)[2], const unsigned (&a)[4], unsigned b0,
                            unsigned b1, const char *name, const char *file, int line)
{
    const unsigned b[2] = {b0, b1};
    TileMma<Sum> lane;
    lane.a = a;
    lane.b = b;
    lane.upper = upper;
    lane.lower = lower;
    tile_whole_warp(tile_combine_mma<A, B, Sum>, name, &lane, file, line);
}

static __device__ __forceinline__ void mma_f16(float (&upper)[2], float (&lower)[2],
                                               const unsigned (&a)[4], unsigned b0, unsigned b1,
                                               TILE_HERE)
{
    tile_mma<TILE_MMA_F16, TILE_MMA_F16>(upper, lower, a, b0, b1, "mma_f16", file, line);
}
static __device__ __forceinline__ void mma_bf16(float (&upper)[2], float (&lower)[2],
                                                const unsigned (&a)[4], unsigned b0, unsigned b1,
                                                TILE_HERE)
{
    tile_mma<TILE_MMA_BF16, TILE_MMA_BF16>(upper, lower, a, b0, b1, "mma_bf16", file, line);
}
static __device__ __forceinline__ void mma_tf32(float (&upper)[2], float (&lower)[2],
                                                const unsigned (&a)[4], unsigned b0, unsigned b1,
                                                TILE_HERE)
{
    tile_mma<TILE_MMA_TF32, TILE_MMA_TF32>(upper, lower, a, b0, b1, "mma_tf32", file, line);
}
static __device__ __forceinline__ void mma_e4m3(float (&upper)[2], float (&lower)[2],
                                                const unsigned (&a)[4], unsigned b0, unsigned b1,
                                                TILE_HERE)
{
    tile_mma<TILE_MMA_E4M3, TILE_MMA_E4M3>(upper, lower, a, b0, b1, "mma_e4m3", file, line);
}
static __device__ __forceinline__ void mma_e5m2(float (&upper)[2], float (&lower)[2],
                                                const unsigned (&a)[4], unsigned b0, unsigned b1,
                                                TILE_HERE)
{
    tile_mma<TILE_MMA_E5M2, TILE_MMA_E5M2>(upper, lower, a, b0, b1, "mma_e5m2", file, line);
}
static __device__ __forceinline__ void mma_s8(int (&upper)[2], int (&lower)[2],
                                              const unsigned (&a)[4], unsigned b0, unsigned b1,
                                              TILE_HERE)
{
    tile_mma<TILE_MMA_S8, TILE_MMA_S8>(upper, lower, a, b0, b1, "mma_s8", file, line);
}
static __device__ __forceinline__ void mma_u8(int (&upper)[2], int (&lower)[2],
                                              const unsigned (&a)[4], unsigned b0, unsigned b1,
                                              TILE_HERE)
{
    tile_mma<TILE_MMA_U8, TILE_MMA_U8>(upper, lower, a, b0, b1, "mma_u8", file, line);
}
static __device__ __forceinline__ void mma_s8_u8(int (&upper)[2], int (&lower)[2],
                                                 const unsigned (&a)[4], unsigned b0, unsigned b1,
                                                 TILE_HERE)
{
    tile_mma<TILE_MMA_S8, TILE_MMA_U8>(upper, lower, a, b0, b1, "mma_s8_u8", file, line);
}
static __device__ __forceinline__ void mma_u8_s8(int (&upper)[2], int (&lower)[2],
                                                 const unsigned (&a)[4], unsigned b0, unsigned b1,
                                                 TILE_HERE)
{
    tile_mma<TILE_MMA_U8, TILE_MMA_S8>(upper, lower, a, b0, b1, "mma_u8_s8", file, line);
}
static __device__ __forceinline__ void mma_f64(double (&d)[2], double a, double b, TILE_HERE)
{
    TileMmaDouble lane;
    lane.a = a;
    lane.b = b;
    lane.d = d;
    tile_whole_warp(tile_combine_mma_double, "mma_f64", &lane, file, line);
}

#endif
