/* 10_attention.h -- translated from 10_attention.tile by tilec; edit the .tile, not this file.
 *
 * Pointers are to device memory. Tensors are row-major, with rows of any alignment; strides, where
 * there are any, are in elements and not negative, and those of axes of extent 0 or 1 do not
 * matter. A function enqueues its kernel on the stream and returns; nothing is synchronised.
 * Without a program, that is, if an extent is 0 that the outputs are cut along, it does nothing. It
 * returns cudaErrorInvalidValue, with the reason in tile_last_error(), for a negative extent, a
 * null pointer to elements, an output two elements of which are in one place, arguments that
 * overlap, and what its own comment says.
 */
#ifndef TILE_10_ATTENTION_H
#define TILE_10_ATTENTION_H

#include <stdbool.h>
#include <stdint.h>
#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* attention.                                                                10_attention.tile:25
 *
 *   o       f32 [B, H, M, 64], written: every element exactly once
 *   q       f32 [B, H, M, 64], read
 *   k       f32 [B, H, M, 64], read
 *   v       f32 [B, H, M, 64], read
 *   scale   f32
 *   D       64
 *
 * No byte of o may belong to another argument.
 */
cudaError_t attention(float *o, const float *q, const float *k, const float *v, float scale,
                      int64_t B, int64_t H, int64_t M, int64_t D, cudaStream_t stream);

/* The same for strides of any size:
 *     element (i, j, k, l) of o is o[i * o_stride_0 + j * o_stride_1 + k * o_stride_2 + l].
 */
cudaError_t attention_strided(float *o, int64_t o_stride_0, int64_t o_stride_1, int64_t o_stride_2,
                              const float *q, int64_t q_stride_0, int64_t q_stride_1,
                              int64_t q_stride_2, const float *k, int64_t k_stride_0,
                              int64_t k_stride_1, int64_t k_stride_2, const float *v,
                              int64_t v_stride_0, int64_t v_stride_1, int64_t v_stride_2,
                              float scale, int64_t B, int64_t H, int64_t M, int64_t D,
                              cudaStream_t stream);

/* Why the last call in this thread failed; "" if it did not. */
const char *tile_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
