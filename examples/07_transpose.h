/* 07_transpose.h -- translated from 07_transpose.tile by tilec; edit the .tile, not this file.
 *
 * Pointers are to device memory. Tensors are row-major, with rows of any alignment; strides, where
 * there are any, are in elements and not negative, and those of axes of extent 0 or 1 do not
 * matter. A function enqueues its kernel on the stream and returns; nothing is synchronised.
 * Without a program, that is, if an extent is 0 that the outputs are cut along, it does nothing. It
 * returns cudaErrorInvalidValue, with the reason in tile_last_error(), for a negative extent, a
 * null pointer to elements, an output two elements of which are in one place, arguments that
 * overlap, and what its own comment says.
 */
#ifndef TILE_07_TRANSPOSE_H
#define TILE_07_TRANSPOSE_H

#include <stdbool.h>
#include <stdint.h>
#include <cuda_runtime_api.h>

#ifndef TILE_HAS_F16
#define TILE_HAS_F16
#ifdef __cplusplus
#include <cuda_fp16.h>
typedef __half tile_f16;
#else
typedef uint16_t tile_f16;
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* transpose.                                                                07_transpose.tile:10
 *
 *   y   f64 [N, M], written: every element exactly once
 *   x   f64 [M, N], read
 *
 * No byte of y may belong to another argument.
 */
cudaError_t transpose_f64(double *y, const double *x, int64_t N, int64_t M, cudaStream_t stream);

/* The same for strides of any size: element (i, j) of y is y[i * y_stride + j]. */
cudaError_t transpose_f64_strided(double *y, int64_t y_stride, const double *x, int64_t x_stride,
                                  int64_t N, int64_t M, cudaStream_t stream);

/* transpose.                                                                07_transpose.tile:10
 *
 *   y   f32 [N, M], written: every element exactly once
 *   x   f32 [M, N], read
 *
 * No byte of y may belong to another argument.
 */
cudaError_t transpose_f32(float *y, const float *x, int64_t N, int64_t M, cudaStream_t stream);

/* The same for strides of any size: element (i, j) of y is y[i * y_stride + j]. */
cudaError_t transpose_f32_strided(float *y, int64_t y_stride, const float *x, int64_t x_stride,
                                  int64_t N, int64_t M, cudaStream_t stream);

/* transpose.                                                                07_transpose.tile:10
 *
 *   y   f16 [N, M], written: every element exactly once
 *   x   f16 [M, N], read
 *
 * No byte of y may belong to another argument.
 */
cudaError_t transpose_f16(tile_f16 *y, const tile_f16 *x, int64_t N, int64_t M,
                          cudaStream_t stream);

/* The same for strides of any size: element (i, j) of y is y[i * y_stride + j]. */
cudaError_t transpose_f16_strided(tile_f16 *y, int64_t y_stride, const tile_f16 *x,
                                  int64_t x_stride, int64_t N, int64_t M, cudaStream_t stream);

/* Why the last call in this thread failed; "" if it did not. */
const char *tile_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
