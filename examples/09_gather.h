/* 09_gather.h -- translated from 09_gather.tile by tilec; edit the .tile, not this file.
 *
 * Pointers are to device memory. Tensors are row-major, with rows of any alignment; strides, where
 * there are any, are in elements and not negative, and those of axes of extent 0 or 1 do not
 * matter. A function enqueues its kernel on the stream and returns; nothing is synchronised.
 * Without a program, that is, if an extent is 0 that the outputs are cut along, it does nothing. It
 * returns cudaErrorInvalidValue, with the reason in tile_last_error(), for a negative extent, a
 * null pointer to elements, an output two elements of which are in one place, arguments that
 * overlap, and what its own comment says.
 */
#ifndef TILE_09_GATHER_H
#define TILE_09_GATHER_H

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

/* out[N, D] = table[ids[N], D]: an id that is no row of the table reads as 0.  09_gather.tile:13
 *
 *   out     f32 [N, D], written: every element exactly once
 *   ids     i32 [N], read
 *   table   f32 [V, D], read
 *
 * No byte of out may belong to another argument.
 */
cudaError_t embedding_f32(float *out, const int32_t *ids, const float *table, int64_t N, int64_t D,
                          int64_t V, cudaStream_t stream);

/* The same for strides of any size: element (i, j) of out is out[i * out_stride + j]. */
cudaError_t embedding_f32_strided(float *out, int64_t out_stride, const int32_t *ids,
                                  const float *table, int64_t table_stride, int64_t N, int64_t D,
                                  int64_t V, cudaStream_t stream);

/* out[N, D] = table[ids[N], D]: an id that is no row of the table reads as 0.  09_gather.tile:13
 *
 *   out     bf16 [N, D], written: every element exactly once
 *   ids     i32 [N], read
 *   table   bf16 [V, D], read
 *
 * No byte of out may belong to another argument.
 */
cudaError_t embedding_bf16(tile_bf16 *out, const int32_t *ids, const tile_bf16 *table, int64_t N,
                           int64_t D, int64_t V, cudaStream_t stream);

/* The same for strides of any size: element (i, j) of out is out[i * out_stride + j]. */
cudaError_t embedding_bf16_strided(tile_bf16 *out, int64_t out_stride, const int32_t *ids,
                                   const tile_bf16 *table, int64_t table_stride, int64_t N,
                                   int64_t D, int64_t V, cudaStream_t stream);

/* dtable[V, D] += dout[N, D], by the rows ids[N]. Several ids may be equal, so the sums are
 * atomic: their order, and with it the last bits, may differ from launch to launch.
 * (09_gather.tile:22)
 *
 *   dtable   f32 [V, D], updated atomically
 *   ids      i32 [N], read
 *   dout     f32 [N, D], read
 *
 * No byte of dtable may belong to another argument.
 */
cudaError_t embedding_grad(float *dtable, const int32_t *ids, const float *dout, int64_t V,
                           int64_t D, int64_t N, cudaStream_t stream);

/* The same for strides of any size:
 *     element (i, j) of dtable is dtable[i * dtable_stride + j].
 */
cudaError_t embedding_grad_strided(float *dtable, int64_t dtable_stride, const int32_t *ids,
                                   const float *dout, int64_t dout_stride, int64_t V, int64_t D,
                                   int64_t N, cudaStream_t stream);

/* place[N] is the inverse of the permutation order[N]: the caller promises that it is one.
 * (09_gather.tile:31)
 *
 *   place   i32 [N], written by scatter: what it does not name stays
 *   order   i32 [N], read
 *
 * No byte of place may belong to another argument.
 * The caller promises that no element of place is written twice in a launch.
 */
cudaError_t inverse(int32_t *place, const int32_t *order, int64_t N, cudaStream_t stream);

/* Why the last call in this thread failed; "" if it did not. */
const char *tile_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
