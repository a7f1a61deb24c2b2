/* far.h -- translated from far.tile by tilec; edit the .tile, not this file.
 *
 * Pointers are to device memory. Tensors are row-major, with rows of any alignment; strides, where
 * there are any, are in elements and not negative, and those of axes of extent 0 or 1 do not
 * matter. A function enqueues its kernel on the stream and returns; nothing is synchronised.
 * Without a program, that is, if an extent is 0 that the outputs are cut along, it does nothing. It
 * returns cudaErrorInvalidValue, with the reason in tile_last_error(), for a negative extent, a
 * null pointer to elements, an output two elements of which are in one place, arguments that
 * overlap, and what its own comment says.
 */
#ifndef FAR_H
#define FAR_H

#include <stdbool.h>
#include <stdint.h>
#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* far.                                                                                far.tile:1
 *
 *   y   f32 [M, N], written: every element exactly once
 *   x   f32 [M, N], read
 *   k   i64
 *
 * No byte of y may belong to another argument.
 */
cudaError_t far(float *y, const float *x, int64_t k, int64_t M, int64_t N, cudaStream_t stream);

/* The same for strides of any size: element (i, j) of y is y[i * y_stride + j]. */
cudaError_t far_strided(float *y, int64_t y_stride, const float *x, int64_t x_stride, int64_t k,
                        int64_t M, int64_t N, cudaStream_t stream);

/* far_keep.                                                                           far.tile:5
 *
 *   y   f32 [M], written: every element exactly once
 *   x   f32 [M, N], read
 *   k   i64
 *
 * No byte of y may belong to another argument.
 */
cudaError_t far_keep(float *y, const float *x, int64_t k, int64_t M, int64_t N,
                     cudaStream_t stream);

/* The same for strides of any size: element (i, j) of x is x[i * x_stride + j]. */
cudaError_t far_keep_strided(float *y, const float *x, int64_t x_stride, int64_t k, int64_t M,
                             int64_t N, cudaStream_t stream);

/* far_sum.                                                                            far.tile:9
 *
 *   y   f32 [M], written: every element exactly once
 *   x   f32 [M, N], read
 *   k   i64
 *
 * No byte of y may belong to another argument.
 */
cudaError_t far_sum(float *y, const float *x, int64_t k, int64_t M, int64_t N, cudaStream_t stream);

/* The same for strides of any size: element (i, j) of x is x[i * x_stride + j]. */
cudaError_t far_sum_strided(float *y, const float *x, int64_t x_stride, int64_t k, int64_t M,
                            int64_t N, cudaStream_t stream);

/* far_whole.                                                                         far.tile:13
 *
 *   y   f32 [M, N], written: every element exactly once
 *   x   f32 [M, N], read
 *   k   i64
 *
 * No byte of y may belong to another argument.
 */
cudaError_t far_whole(float *y, const float *x, int64_t k, int64_t M, int64_t N,
                      cudaStream_t stream);

/* The same for strides of any size: element (i, j) of y is y[i * y_stride + j]. */
cudaError_t far_whole_strided(float *y, int64_t y_stride, const float *x, int64_t x_stride,
                              int64_t k, int64_t M, int64_t N, cudaStream_t stream);

/* Why the last call in this thread failed; "" if it did not. */
const char *tile_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
