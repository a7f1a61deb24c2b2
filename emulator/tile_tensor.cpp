/* tile_tensor.cpp -- what ldmatrix and mma.sync do once the warp is there */

#include <math.h>
#include <string.h>
#include "tile_emulator.h"
#include "tile_scheduler.h"
#include "tile_small.h"

/* ---- who is there, and where -------------------------------------------------------- */

bool tile_everybody(void **lanes)
{
    int missing = -1;
    for (int i = 0; i < 32; i++)
        missing = lanes[i] ? missing : i;
    for (int i = 0; i < 32; i++)
        if (lanes[i])
            ((TileWhole *)lanes[i])->missing = missing;
    return missing < 0;
}

/* Ends the thread: what is wrong with the address that it gives to name. */
[[noreturn]] static void refuse(cudaError_t code, const void *p, const char *name,
                                const char *why, const char *file, int line)
{
    {
        const TileAside aside;
        tile_report(aside.self, code, {file, line, NULL},
                    tile_format("%s %s: %s", name, why,
                                tile_where(aside.self->worker, (uintptr_t)p).c_str()));
    }
    tile_stop_thread();
}

/* Ends the thread unless the bytes divide the address. */
static void demand_aligned(const void *p, size_t bytes, const char *name, const char *file,
                           int line)
{
    if ((uintptr_t)p % bytes)
        refuse(cudaErrorMisalignedAddress, p, name,
               bytes == 128 ? "needs a multiple of 128 bytes"
               : bytes == 16 ? "needs a multiple of 16 bytes"
               : bytes == 8 ? "needs a multiple of 8 bytes" : "needs a multiple of 4 bytes", file,
               line);
}

void tile_demand_shared(const void *p, size_t bytes, const char *name, const char *file, int line)
{
    if (tile_find_array((uintptr_t)p))
        refuse(cudaErrorIllegalAddress, p, name, "needs a shared address", file, line);
    demand_aligned(p, bytes, name, file, line);
}

void tile_demand_global(const void *p, size_t bytes, const char *name, const char *file, int line)
{
    if (tile_shared_array(tile_self->worker, (uintptr_t)p))
        refuse(cudaErrorIllegalAddress, p, name, "needs a global address", file, line);
    demand_aligned(p, bytes, name, file, line);
}

/* ---- ldmatrix ----------------------------------------------------------------------- */

/* Lane l gets of each matrix two elements: of row l / 4, columns 2 * (l % 4) and the next; of the
 * transpose the same, which is column l / 4, rows 2 * (l % 4) and the next. */
template <int MATRICES, bool TRANSPOSED>
void tile_combine_ldmatrix(void **lanes)
{
    if (!tile_everybody(lanes))
        return;
    for (int l = 0; l < 32; l++) {
        const int across = l / 4, along = 2 * (l % 4);
        for (int m = 0; m < MATRICES; m++) {
            const auto row = [&](int i) { return ((const TileRow *)lanes[8 * m + i])->row; };
            const unsigned low = TRANSPOSED ? row(along)[across] : row(across)[along];
            const unsigned high = TRANSPOSED ? row(along + 1)[across] : row(across)[along + 1];
            ((TileRow *)lanes[l])->registers[m] = low | high << 16;
        }
    }
}

template void tile_combine_ldmatrix<4, false>(void **);
template void tile_combine_ldmatrix<4, true>(void **);
template void tile_combine_ldmatrix<2, false>(void **);
template void tile_combine_ldmatrix<2, true>(void **);

/* Lane l brings of each matrix row l / 4, columns 2 * (l % 4) and the next, and gets a row. */
void tile_combine_stmatrix(void **lanes)
{
    if (!tile_everybody(lanes))
        return;
    for (int l = 0; l < 32; l++)
        for (int m = 0; m < 4; m++) {
            uint16_t *const row = ((TileRow *)lanes[8 * m + l / 4])->row;
            row[2 * (l % 4)] = (uint16_t)((TileRow *)lanes[l])->registers[m];
            row[2 * (l % 4) + 1] = (uint16_t)(((TileRow *)lanes[l])->registers[m] >> 16);
        }
}

/* ---- mma.sync ----------------------------------------------------------------------- */

double tile_element(TileOperand type, unsigned word, int i)
{
    const unsigned half = word >> 16 * (i & 1) & 0xffff, byte = word >> 8 * i & 0xff;
    switch (type) {
    case TILE_MMA_F16:  return tile_decode(TILE_F16, half);
    case TILE_MMA_BF16: return tile_decode(TILE_BF16, half);
    case TILE_MMA_E4M3: return tile_decode(TILE_E4M3, byte);
    case TILE_MMA_E5M2: return tile_decode(TILE_E5M2, byte);
    case TILE_MMA_S8:   return (int8_t)byte;
    case TILE_MMA_U8:   return byte;
    case TILE_MMA_TF32: break;
    }
    float value;
    word &= ~0x1fffu;                           // the hardware does not look at them
    memcpy(&value, &word, sizeof value);
    return value;
}

/* An i32 wraps. Each product of two elements is exact in double, and so is a sum of i32. */
static int rounded(double sum, int) { return (int)(unsigned)(int64_t)sum; }
static float rounded(double sum, float) { return (float)sum; }

/* Adds a times b to the sums. An operand's fragments, P elements a register:
 *
 *     a, 16 rows         columns 0 .. 4P-1    4P .. 8P-1        b, 8 columns
 *     rows 0 .. 7            a[0]                 a[2]          rows 0 .. 4P-1     b[0]
 *     rows 8 .. 15           a[1]                 a[3]          rows 4P .. 8P-1    b[1]
 *
 * In each part lane l has row (of b: column) l / 4 and the P elements from P * (l % 4) on. The
 * products are added one by one, in the order of a's columns, each sum rounded to its type. */
template <TileOperand A, TileOperand B, typename Sum>
void tile_combine_mma(void **lanes)
{
    constexpr int P = tile_packed(A);
    double a[16][8 * P], b[8][8 * P];
    if (!tile_everybody(lanes))
        return;
    for (int l = 0; l < 32; l++) {
        const TileMma<Sum> *const lane = (TileMma<Sum> *)lanes[l];
        for (int i = 0; i < 4 * P; i++)
            a[l / 4 + i / P % 2 * 8][P * (l % 4) + i % P + i / P / 2 * 4 * P] =
                tile_element(A, lane->a[i / P], i % P);
        for (int i = 0; i < 2 * P; i++)
            b[l / 4][P * (l % 4) + i % P + i / P * 4 * P] = tile_element(B, lane->b[i / P], i % P);
    }
    for (int row = 0; row < 16; row++)
        for (int col = 0; col < 8; col++) {
            const TileMma<Sum> *const lane = (TileMma<Sum> *)lanes[row % 8 * 4 + col / 2];
            Sum *const sum = &(row < 8 ? lane->upper : lane->lower)[col % 2];
            for (int k = 0; k < 8 * P; k++)
                *sum = rounded(*sum + a[row][k] * b[col][k], Sum());
        }
}

template void tile_combine_mma<TILE_MMA_F16, TILE_MMA_F16, float>(void **);
template void tile_combine_mma<TILE_MMA_BF16, TILE_MMA_BF16, float>(void **);
template void tile_combine_mma<TILE_MMA_TF32, TILE_MMA_TF32, float>(void **);
template void tile_combine_mma<TILE_MMA_E4M3, TILE_MMA_E4M3, float>(void **);
template void tile_combine_mma<TILE_MMA_E5M2, TILE_MMA_E5M2, float>(void **);
template void tile_combine_mma<TILE_MMA_S8, TILE_MMA_S8, int>(void **);
template void tile_combine_mma<TILE_MMA_U8, TILE_MMA_U8, int>(void **);
template void tile_combine_mma<TILE_MMA_S8, TILE_MMA_U8, int>(void **);
template void tile_combine_mma<TILE_MMA_U8, TILE_MMA_S8, int>(void **);

/* Lane l has a's row and b's column l / 4, in it element l % 4; of the sum as above. */
void tile_combine_mma_double(void **lanes)
{
    if (!tile_everybody(lanes))
        return;
    for (int l = 0; l < 32; l++)
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 4; k++) {
                const int col = 2 * (l % 4) + i;
                double *const sum = &((TileMmaDouble *)lanes[l])->d[i];
                *sum = fma(((TileMmaDouble *)lanes[l / 4 * 4 + k])->a,
                           ((TileMmaDouble *)lanes[col * 4 + k])->b, *sum);
            }
}
