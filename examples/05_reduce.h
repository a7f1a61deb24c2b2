/* 05_reduce.h -- translated from 05_reduce.tile by tilec; edit the .tile, not this file.
 *
 * Pointers are to device memory. Tensors are row-major, with rows of any alignment; strides, where
 * there are any, are in elements and not negative, and those of axes of extent 0 or 1 do not
 * matter. A function enqueues its kernel on the stream and returns; nothing is synchronised.
 * Without a program, that is, if an extent is 0 that the outputs are cut along, it does nothing. It
 * returns cudaErrorInvalidValue, with the reason in tile_last_error(), for a negative extent, a
 * null pointer to elements, an output two elements of which are in one place, arguments that
 * overlap, and what its own comment says.
 */
#ifndef TILE_05_REDUCE_H
#define TILE_05_REDUCE_H

#include <stdbool.h>
#include <stdint.h>
#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* sums[M], means[M] and places[M] of the largest, along the rows of x[M, N]; the last two may be
 * left out.
 * (05_reduce.tile:12)
 *
 *   sums     f32 [M], written: every element exactly once
 *   means    f32 [M], written: every element exactly once; may be NULL
 *   places   i32 [M], written: every element exactly once; may be NULL
 *   x        f32 [M, N], read
 *
 * No byte of sums, means and places may belong to another argument.
 */
cudaError_t row_stats(float *sums, float *means, int32_t *places, const float *x, int64_t M,
                      int64_t N, cudaStream_t stream);

/* The same for strides of any size: element (i, j) of x is x[i * x_stride + j]. */
cudaError_t row_stats_strided(float *sums, float *means, int32_t *places, const float *x,
                              int64_t x_stride, int64_t M, int64_t N, cudaStream_t stream);

/* sums[N] of the columns of x[M, N]                                            05_reduce.tile:23
 *
 *   sums   f32 [N], written: every element exactly once
 *   x      f32 [M, N], read
 *
 * No byte of sums may belong to another argument.
 */
cudaError_t column_sums(float *sums, const float *x, int64_t N, int64_t M, cudaStream_t stream);

/* The same for strides of any size: element (i, j) of x is x[i * x_stride + j]. */
cudaError_t column_sums_strided(float *sums, const float *x, int64_t x_stride, int64_t N,
                                int64_t M, cudaStream_t stream);

/* Why the last call in this thread failed; "" if it did not. */
const char *tile_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
