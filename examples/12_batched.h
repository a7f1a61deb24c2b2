/* 12_batched.h -- translated from 12_batched.tile by tilec; edit the .tile, not this file.
 *
 * Pointers are to device memory. Tensors are row-major, with rows of any alignment; strides, where
 * there are any, are in elements and not negative, and those of axes of extent 0 or 1 do not
 * matter. A function enqueues its kernel on the stream and returns; nothing is synchronised.
 * Without a program, that is, if an extent is 0 that the outputs are cut along, it does nothing. It
 * returns cudaErrorInvalidValue, with the reason in tile_last_error(), for a negative extent, a
 * null pointer to elements, an output two elements of which are in one place, arguments that
 * overlap, and what its own comment says.
 */
#ifndef TILE_12_BATCHED_H
#define TILE_12_BATCHED_H

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

/* batched.                                                                    12_batched.tile:11
 *
 *   c   f16 [B, M, N], written: every element exactly once
 *   a   f16 [B, M, K], read
 *   b   f16 [G, K, N], read
 *
 * No byte of c may belong to another argument.
 * Refused unless G > 0, B % G == 0.
 */
cudaError_t batched(tile_f16 *c, const tile_f16 *a, const tile_f16 *b, int64_t B, int64_t M,
                    int64_t N, int64_t K, int64_t G, cudaStream_t stream);

/* The same for strides of any size:
 *     element (i, j, k) of c is c[i * c_stride_0 + j * c_stride_1 + k].
 */
cudaError_t batched_strided(tile_f16 *c, int64_t c_stride_0, int64_t c_stride_1, const tile_f16 *a,
                            int64_t a_stride_0, int64_t a_stride_1, const tile_f16 *b,
                            int64_t b_stride_0, int64_t b_stride_1, int64_t B, int64_t M,
                            int64_t N, int64_t K, int64_t G, cudaStream_t stream);

/* Why the last call in this thread failed; "" if it did not. */
const char *tile_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
