/* 08_matmul.h -- translated from 08_matmul.tile by tilec; edit the .tile, not this file.
 *
 * Pointers are to device memory. Tensors are row-major, with rows of any alignment; strides, where
 * there are any, are in elements and not negative, and those of axes of extent 0 or 1 do not
 * matter. A function enqueues its kernel on the stream and returns; nothing is synchronised.
 * Without a program, that is, if an extent is 0 that the outputs are cut along, it does nothing. It
 * returns cudaErrorInvalidValue, with the reason in tile_last_error(), for a negative extent, a
 * null pointer to elements, an output two elements of which are in one place, arguments that
 * overlap, and what its own comment says.
 */
#ifndef TILE_08_MATMUL_H
#define TILE_08_MATMUL_H

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

/* matmul.                                                                      08_matmul.tile:14
 *
 *   c      f32 [M, N], written: every element exactly once
 *   a      f32 [M, K], read
 *   b      f32 [K, N], read
 *   bias   f32 [N], read; may be NULL
 *
 * No byte of c may belong to another argument.
 */
cudaError_t matmul_f32(float *c, const float *a, const float *b, const float *bias, int64_t M,
                       int64_t N, int64_t K, cudaStream_t stream);

/* The same for strides of any size: element (i, j) of c is c[i * c_stride + j]. */
cudaError_t matmul_f32_strided(float *c, int64_t c_stride, const float *a, int64_t a_stride,
                               const float *b, int64_t b_stride, const float *bias, int64_t M,
                               int64_t N, int64_t K, cudaStream_t stream);

/* matmul.                                                                      08_matmul.tile:14
 *
 *   c      bf16 [M, N], written: every element exactly once
 *   a      bf16 [M, K], read
 *   b      bf16 [K, N], read
 *   bias   bf16 [N], read; may be NULL
 *
 * No byte of c may belong to another argument.
 */
cudaError_t matmul_bf16(tile_bf16 *c, const tile_bf16 *a, const tile_bf16 *b,
                        const tile_bf16 *bias, int64_t M, int64_t N, int64_t K,
                        cudaStream_t stream);

/* The same for strides of any size: element (i, j) of c is c[i * c_stride + j]. */
cudaError_t matmul_bf16_strided(tile_bf16 *c, int64_t c_stride, const tile_bf16 *a,
                                int64_t a_stride, const tile_bf16 *b, int64_t b_stride,
                                const tile_bf16 *bias, int64_t M, int64_t N, int64_t K,
                                cudaStream_t stream);

/* Why the last call in this thread failed; "" if it did not. */
const char *tile_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
