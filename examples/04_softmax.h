/* 04_softmax.h -- translated from 04_softmax.tile by tilec; edit the .tile, not this file.
 *
 * Pointers are to device memory. Tensors are row-major, with rows of any alignment; strides, where
 * there are any, are in elements and not negative, and those of axes of extent 0 or 1 do not
 * matter. A function enqueues its kernel on the stream and returns; nothing is synchronised.
 * Without a program, that is, if an extent is 0 that the outputs are cut along, it does nothing. It
 * returns cudaErrorInvalidValue, with the reason in tile_last_error(), for a negative extent, a
 * null pointer to elements, an output two elements of which are in one place, arguments that
 * overlap, and what its own comment says.
 */
#ifndef TILE_04_SOFTMAX_H
#define TILE_04_SOFTMAX_H

#include <stdbool.h>
#include <stdint.h>
#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Row-wise softmax, for rows of any length.                                   04_softmax.tile:12
 *
 *   y   f32 [M, N], written: every element exactly once
 *   x   f32 [M, N], read
 *
 * No byte of y may belong to another argument.
 */
cudaError_t softmax(float *y, const float *x, int64_t M, int64_t N, cudaStream_t stream);

/* The same for strides of any size: element (i, j) of y is y[i * y_stride + j]. */
cudaError_t softmax_strided(float *y, int64_t y_stride, const float *x, int64_t x_stride,
                            int64_t M, int64_t N, cudaStream_t stream);

/* Why the last call in this thread failed; "" if it did not. */
const char *tile_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
