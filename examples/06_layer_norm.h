/* 06_layer_norm.h -- translated from 06_layer_norm.tile by tilec; edit the .tile, not this file.
 *
 * Pointers are to device memory. Tensors are row-major, with rows of any alignment; strides, where
 * there are any, are in elements and not negative, and those of axes of extent 0 or 1 do not
 * matter. A function enqueues its kernel on the stream and returns; nothing is synchronised.
 * Without a program, that is, if an extent is 0 that the outputs are cut along, it does nothing. It
 * returns cudaErrorInvalidValue, with the reason in tile_last_error(), for a negative extent, a
 * null pointer to elements, an output two elements of which are in one place, arguments that
 * overlap, and what its own comment says.
 */
#ifndef TILE_06_LAYER_NORM_H
#define TILE_06_LAYER_NORM_H

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

#ifndef TILE_HAS_BF16
#define TILE_HAS_BF16
#ifdef __cplusplus
#include <cuda_bf16.h>
typedef __nv_bfloat16 tile_bf16;
#else
typedef uint16_t tile_bf16;
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* layer_norm.                                                              06_layer_norm.tile:10
 *
 *   y      f32 [M, N], written: every element exactly once
 *   mean   f32 [M], written: every element exactly once; may be NULL
 *   rstd   f32 [M], written: every element exactly once; may be NULL
 *   x      f32 [M, N], read
 *   w      f32 [N], read
 *   b      f32 [N], read; may be NULL
 *   eps    f32
 *
 * No byte of y, mean and rstd may belong to another argument.
 */
cudaError_t layer_norm_f32(float *y, float *mean, float *rstd, const float *x, const float *w,
                           const float *b, float eps, int64_t M, int64_t N, cudaStream_t stream);

/* The same for strides of any size: element (i, j) of y is y[i * y_stride + j]. */
cudaError_t layer_norm_f32_strided(float *y, int64_t y_stride, float *mean, float *rstd,
                                   const float *x, int64_t x_stride, const float *w,
                                   const float *b, float eps, int64_t M, int64_t N,
                                   cudaStream_t stream);

/* layer_norm.                                                              06_layer_norm.tile:10
 *
 *   y      f16 [M, N], written: every element exactly once
 *   mean   f32 [M], written: every element exactly once; may be NULL
 *   rstd   f32 [M], written: every element exactly once; may be NULL
 *   x      f16 [M, N], read
 *   w      f16 [N], read
 *   b      f16 [N], read; may be NULL
 *   eps    f32
 *
 * No byte of y, mean and rstd may belong to another argument.
 */
cudaError_t layer_norm_f16(tile_f16 *y, float *mean, float *rstd, const tile_f16 *x,
                           const tile_f16 *w, const tile_f16 *b, float eps, int64_t M, int64_t N,
                           cudaStream_t stream);

/* The same for strides of any size: element (i, j) of y is y[i * y_stride + j]. */
cudaError_t layer_norm_f16_strided(tile_f16 *y, int64_t y_stride, float *mean, float *rstd,
                                   const tile_f16 *x, int64_t x_stride, const tile_f16 *w,
                                   const tile_f16 *b, float eps, int64_t M, int64_t N,
                                   cudaStream_t stream);

/* layer_norm.                                                              06_layer_norm.tile:10
 *
 *   y      bf16 [M, N], written: every element exactly once
 *   mean   f32 [M], written: every element exactly once; may be NULL
 *   rstd   f32 [M], written: every element exactly once; may be NULL
 *   x      bf16 [M, N], read
 *   w      bf16 [N], read
 *   b      bf16 [N], read; may be NULL
 *   eps    f32
 *
 * No byte of y, mean and rstd may belong to another argument.
 */
cudaError_t layer_norm_bf16(tile_bf16 *y, float *mean, float *rstd, const tile_bf16 *x,
                            const tile_bf16 *w, const tile_bf16 *b, float eps, int64_t M,
                            int64_t N, cudaStream_t stream);

/* The same for strides of any size: element (i, j) of y is y[i * y_stride + j]. */
cudaError_t layer_norm_bf16_strided(tile_bf16 *y, int64_t y_stride, float *mean, float *rstd,
                                    const tile_bf16 *x, int64_t x_stride, const tile_bf16 *w,
                                    const tile_bf16 *b, float eps, int64_t M, int64_t N,
                                    cudaStream_t stream);

/* Why the last call in this thread failed; "" if it did not. */
const char *tile_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
