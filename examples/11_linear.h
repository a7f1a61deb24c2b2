/* 11_linear.h -- translated from 11_linear.tile by tilec; edit the .tile, not this file.
 *
 * Pointers are to device memory. Tensors are row-major, with rows of any alignment; strides, where
 * there are any, are in elements and not negative, and those of axes of extent 0 or 1 do not
 * matter. A function enqueues its kernel on the stream and returns; nothing is synchronised.
 * Without a program, that is, if an extent is 0 that the outputs are cut along, it does nothing. It
 * returns cudaErrorInvalidValue, with the reason in tile_last_error(), for a negative extent, a
 * null pointer to elements, an output two elements of which are in one place, arguments that
 * overlap, and what its own comment says.
 */
#ifndef TILE_11_LINEAR_H
#define TILE_11_LINEAR_H

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

/* linear_gelu.                                                                 11_linear.tile:12
 *
 *   y          bf16 [M, N], written: every element exactly once
 *   x          bf16 [M, K], read
 *   w          bf16 [N, K], read
 *   bias       bf16 [N], read
 *   residual   bf16 [M, N], read; may be NULL
 *
 * No byte of y may belong to another argument.
 */
cudaError_t linear_gelu(tile_bf16 *y, const tile_bf16 *x, const tile_bf16 *w,
                        const tile_bf16 *bias, const tile_bf16 *residual, int64_t M, int64_t N,
                        int64_t K, cudaStream_t stream);

/* The same for strides of any size: element (i, j) of y is y[i * y_stride + j]. */
cudaError_t linear_gelu_strided(tile_bf16 *y, int64_t y_stride, const tile_bf16 *x,
                                int64_t x_stride, const tile_bf16 *w, int64_t w_stride,
                                const tile_bf16 *bias, const tile_bf16 *residual,
                                int64_t residual_stride, int64_t M, int64_t N, int64_t K,
                                cudaStream_t stream);

/* Why the last call in this thread failed; "" if it did not. */
const char *tile_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
