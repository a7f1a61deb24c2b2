/* 02_affine.h -- translated from 02_affine.tile by tilec; edit the .tile, not this file.
 *
 * Pointers are to device memory. Tensors are row-major, with rows of any alignment; strides, where
 * there are any, are in elements and not negative, and those of axes of extent 0 or 1 do not
 * matter. A function enqueues its kernel on the stream and returns; nothing is synchronised.
 * Without a program, that is, if an extent is 0 that the outputs are cut along, it does nothing. It
 * returns cudaErrorInvalidValue, with the reason in tile_last_error(), for a negative extent, a
 * null pointer to elements, an output two elements of which are in one place, arguments that
 * overlap, and what its own comment says.
 */
#ifndef TILE_02_AFFINE_H
#define TILE_02_AFFINE_H

#include <stdbool.h>
#include <stdint.h>
#include <cuda_runtime_api.h>

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

/* affine.                                                                      02_affine.tile:11
 *
 *   y       f32 [M, N], written: every element exactly once
 *   x       f32 [M, N], read
 *   scale   f32 [N], read; may be NULL
 *   bias    f32 [N], read; may be NULL
 *
 * No byte of y may belong to another argument.
 */
cudaError_t affine_f32(float *y, const float *x, const float *scale, const float *bias, int64_t M,
                       int64_t N, cudaStream_t stream);

/* The same for strides of any size: element (i, j) of y is y[i * y_stride + j]. */
cudaError_t affine_f32_strided(float *y, int64_t y_stride, const float *x, int64_t x_stride,
                               const float *scale, const float *bias, int64_t M, int64_t N,
                               cudaStream_t stream);

/* affine.                                                                      02_affine.tile:11
 *
 *   y       bf16 [M, N], written: every element exactly once
 *   x       bf16 [M, N], read
 *   scale   bf16 [N], read; may be NULL
 *   bias    bf16 [N], read; may be NULL
 *
 * No byte of y may belong to another argument.
 */
cudaError_t affine_bf16(tile_bf16 *y, const tile_bf16 *x, const tile_bf16 *scale,
                        const tile_bf16 *bias, int64_t M, int64_t N, cudaStream_t stream);

/* The same for strides of any size: element (i, j) of y is y[i * y_stride + j]. */
cudaError_t affine_bf16_strided(tile_bf16 *y, int64_t y_stride, const tile_bf16 *x,
                                int64_t x_stride, const tile_bf16 *scale, const tile_bf16 *bias,
                                int64_t M, int64_t N, cudaStream_t stream);

/* Why the last call in this thread failed; "" if it did not. */
const char *tile_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
