/* 03_gelu.h -- translated from 03_gelu.tile by tilec; edit the .tile, not this file.
 *
 * Pointers are to device memory. Tensors are row-major, with rows of any alignment; strides, where
 * there are any, are in elements and not negative, and those of axes of extent 0 or 1 do not
 * matter. A function enqueues its kernel on the stream and returns; nothing is synchronised.
 * Without a program, that is, if an extent is 0 that the outputs are cut along, it does nothing. It
 * returns cudaErrorInvalidValue, with the reason in tile_last_error(), for a negative extent, a
 * null pointer to elements, an output two elements of which are in one place, arguments that
 * overlap, and what its own comment says.
 */
#ifndef TILE_03_GELU_H
#define TILE_03_GELU_H

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

/* gelu_forward.                                                                  03_gelu.tile:17
 *
 *   y   f32 [N], written: every element exactly once
 *   x   f32 [N], read
 *
 * No byte of y may belong to another argument.
 */
cudaError_t gelu_forward_f32(float *y, const float *x, int64_t N, cudaStream_t stream);

/* gelu_forward.                                                                  03_gelu.tile:17
 *
 *   y   bf16 [N], written: every element exactly once
 *   x   bf16 [N], read
 *
 * No byte of y may belong to another argument.
 */
cudaError_t gelu_forward_bf16(tile_bf16 *y, const tile_bf16 *x, int64_t N, cudaStream_t stream);

/* quick_gelu_inplace.                                                            03_gelu.tile:22
 *
 *   y   f32 [N], read, and written: every element
 *
 * No byte of y may belong to another argument.
 */
cudaError_t quick_gelu_inplace(float *y, int64_t N, cudaStream_t stream);

/* Why the last call in this thread failed; "" if it did not. */
const char *tile_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
