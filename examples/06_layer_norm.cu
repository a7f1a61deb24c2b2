// 06_layer_norm.cu -- translated from 06_layer_norm.tile by tilec; edit the .tile, not this file.
//
//   nvcc -arch=native -c 06_layer_norm.cu        an object with the launch functions of 06_layer_norm.h
//   nvcc -arch=sm_90 -fatbin 06_layer_norm.cu    the device code alone
//
// Not for -ftz=true or -use_fast_math: they change results.
//
// kernel layer_norm_f32    y[M, N] by [i: 1, N], mean[M] by [i: 1], rstd[M] by [i: 1]  <-  x[M, N], w[N], b[N]
//
//   program    one for each part of the outputs, as they are cut above
//   variants   layer_norm_f32_warp _256    N <= 256: a row lives in one warp's registers; no
//              barrier between warps
//              layer_norm_f32_block _512, _1024, _2048, _4096, _8192, _16384    N <= 16384: a
//              row lives in one block's registers
//              layer_norm_f32_stream    any N: a row is read again for each pass over it
//              each with accesses of 4 elements, and as .._unaligned with one at a time, for
//              pointers or rows that are not aligned
//
// kernel layer_norm_f16    y[M, N] by [i: 1, N], mean[M] by [i: 1], rstd[M] by [i: 1]  <-  x[M, N], w[N], b[N]
//
//   program    one for each part of the outputs, as they are cut above
//   variants   layer_norm_f16_octet _128, _256    N <= 256: a row lives in the registers of
//              eight lanes
//              layer_norm_f16_warp _512, _1024    N <= 1024: a row lives in one warp's
//              registers; no barrier between warps
//              layer_norm_f16_block _2048, _4096, _8192, _16384    N <= 16384: a row lives in
//              one block's registers
//              layer_norm_f16_stream    any N: a row is read again for each pass over it
//              each with accesses of 8 elements, and as .._unaligned with one at a time, for
//              pointers or rows that are not aligned
//
// kernel layer_norm_bf16    y[M, N] by [i: 1, N], mean[M] by [i: 1], rstd[M] by [i: 1]  <-  x[M, N], w[N], b[N]
//
//   program    one for each part of the outputs, as they are cut above
//   variants   layer_norm_bf16_octet _128, _256    N <= 256: a row lives in the registers of
//              eight lanes
//              layer_norm_bf16_warp _512, _1024    N <= 1024: a row lives in one warp's
//              registers; no barrier between warps
//              layer_norm_bf16_block _2048, _4096, _8192, _16384    N <= 16384: a row lives
//              in one block's registers
//              layer_norm_bf16_stream    any N: a row is read again for each pass over it
//              each with accesses of 8 elements, and as .._unaligned with one at a time, for
//              pointers or rows that are not aligned

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include "06_layer_norm.h"

// ---- helpers --------------------------------------------------------------------------

// N elements that move together: one access of up to 16 bytes, more for more.
template <typename T, int N>
struct __align__(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Vec {
    T at[N];
};

// Loads N neighbours in as few accesses as they need.
template <typename T, int N>
static __device__ __forceinline__ void load_vec(T (&to)[N], const T *from)
{
    const Vec<T, N> v = *(const Vec<T, N> *)from;
#pragma unroll
    for (int c = 0; c < N; c++)
        to[c] = v.at[c];
}

// Stores N neighbours in as few accesses as they need.
template <typename T, int N>
static __device__ __forceinline__ void store_vec(T *to, const T (&from)[N])
{
    Vec<T, N> v;
#pragma unroll
    for (int c = 0; c < N; c++)
        v.at[c] = from[c];
    *(Vec<T, N> *)to = v;
}

// N times the same value, where there is nothing to load.
template <typename T, int N, typename V>
static __device__ __forceinline__ void fill_vec(T (&to)[N], V value)
{
#pragma unroll
    for (int c = 0; c < N; c++)
        to[c] = (T)value;
}

// a / b rounded up; by 0: 0; the lowest by -1 wraps.
static __host__ __device__ inline int64_t tile_ceil(int64_t a, int64_t b)
{
    if (b == 0 || b == -1)
        return (int64_t)((uint64_t)a * (uint64_t)b);
    return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

// Every lane gets the sum of the values of its group: SPAN lanes, STEP apart.
template <int SPAN = 32, int STEP = 1, typename T>
static __device__ __forceinline__ T warp_sum(T a)
{
    for (int step = SPAN / 2 * STEP; step >= STEP; step /= 2) {
        const T b = __shfl_xor_sync(0xffffffff, a, step);
        a = a + b;
    }
    return a;
}

// Every thread gets the sum of the block's values; one slot of parts a warp, one barrier.
// Nobody may still be reading parts from before.
template <int WARPS, typename T>
static __device__ __forceinline__ T block_sum(T v, T *parts)
{
    v = warp_sum(v);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = v;
    __syncthreads();                            // the slots are written before anyone reads them
    T a = parts[0];
    for (int w = 1; w < WARPS; w++) {
        const T b = parts[w];
        a = a + b;
    }
    return a;
}

// ---- layer_norm_f32_warp, a row in one warp's registers --------------------------------
//
//   block      32 threads are one program; 4 programs share a block, since blocks of one warp
//              could not fill a multiprocessor. A lane that holds more than two accesses of
//              16 bytes has enough in flight: then a program has its block to itself
//   col        of N: a thread holds the W elements from W * (32 * v + lane) on, for v = 0 ..
//              VECS - 1
//
//                  col        0    4    8        124    128  132       (W = 4)
//                  lane       0    1    2  ...   31       0    1  ...
//                  v          0 ------------------        1 ---------
//
//   padding    mu: no mask, since outside the valid part lies 0.0f, which changes no sum
//              whole_mean: a mask, since other values may lie outside the valid part, and sum
//              must not see it
//   barriers   none: no thread waits for another warp
//   launch     has checked: N <= the number in the entry's name; for W > 1: x, w, b, y lie at
//              multiples of 16 bytes (of W elements, if those are fewer), their rows too, and
//              rows are multiples of W long

template <int VECS, int W>
static __device__ __forceinline__ void
layer_norm_f32_warp(float *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                    float *__restrict__ rstd, const float *__restrict__ x, int64_t x_stride,
                    const float *__restrict__ w, const float *__restrict__ b, float eps, int64_t M,
                    int64_t N)
{
    const int64_t i = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (i >= M)
        return;
    const int lane = threadIdx.x % 32;

    // 06_layer_norm.tile:15    let t = x.load_like(y) as f32;
    float t[VECS][W];
    const float *const x_at = x + i * x_stride;
    const int cols = (int)N;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (32 * v + lane);
        if (col < cols)
            load_vec(t[v], &x_at[col]);
        else
            fill_vec(t[v], 0.0f);
    }

    // 06_layer_norm.tile:16    let mu = mean(t, axis = 1);
    float mu_part = 0.0f;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            mu_part += t[v][c];
    }
    mu_part = warp_sum(mu_part);
    const float mu = mu_part / (float)N;

    // 06_layer_norm.tile:17    let c = t - expand(mu, 1);                               // out before squaring: a large mean costs no digits
    float c2[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            c2[v][c] = t[v][c] - mu;
    }

    // 06_layer_norm.tile:18    let r = rsqrt(mean(c * c, axis = 1) + eps);
    float whole_mean_part = 0.0f;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (32 * v + lane);
        if (col < cols) {
            #pragma unroll
            for (int c = 0; c < W; c++)
                whole_mean_part += __fmul_rn(c2[v][c], c2[v][c]);
        }
    }
    whole_mean_part = warp_sum(whole_mean_part);
    const float whole_mean = whole_mean_part / (float)N;
    const float r = rsqrtf(whole_mean + eps);

    // 06_layer_norm.tile:19    if mean { mean.store(mu); }
    if (mean != nullptr) {
        if (lane == 0)
            mean[i] = mu;
    }

    // 06_layer_norm.tile:20    if rstd { rstd.store(r); }
    if (rstd != nullptr) {
        if (lane == 0)
            rstd[i] = r;
    }

    // 06_layer_norm.tile:21    let mut o = c * expand(r, 1) * w.load_like(y) as f32;    // w: [1, N], as every row has the same
    float w_tile[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (32 * v + lane);
        if (col < cols)
            load_vec(w_tile[v], &w[col]);
        else
            fill_vec(w_tile[v], 0.0f);
    }
    float o[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            o[v][c] = __fmul_rn(c2[v][c] * r, w_tile[v][c]);
    }

    // 06_layer_norm.tile:22    if b { o += b.load_like(y) as f32; }
    if (b != nullptr) {
        float b_tile[VECS][W];
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            const int col = W * (32 * v + lane);
            if (col < cols)
                load_vec(b_tile[v], &b[col]);
            else
                fill_vec(b_tile[v], 0.0f);
        }
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            #pragma unroll
            for (int c = 0; c < W; c++)
                o[v][c] += b_tile[v][c];
        }
    }

    // 06_layer_norm.tile:23    y.store(o as T);
    float *const y_at = y + i * y_stride;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (32 * v + lane);
        if (col < cols)
            store_vec(&y_at[col], o[v]);
    }
}

extern "C" __global__ void __launch_bounds__(128, 1)
layer_norm_f32_warp_256(float *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                        float *__restrict__ rstd, const float *__restrict__ x, int64_t x_stride,
                        const float *__restrict__ w, const float *__restrict__ b, float eps,
                        int64_t M, int64_t N)
{
    layer_norm_f32_warp<2, 4>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 1)
layer_norm_f32_warp_256_unaligned(float *__restrict__ y, int64_t y_stride,
                                  float *__restrict__ mean, float *__restrict__ rstd,
                                  const float *__restrict__ x, int64_t x_stride,
                                  const float *__restrict__ w, const float *__restrict__ b,
                                  float eps, int64_t M, int64_t N)
{
    layer_norm_f32_warp<8, 1>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

// ---- layer_norm_f32_block, a row in one block's registers ------------------------------
//
//   block      THREADS threads are one program
//   col        of N: a thread holds the W elements from W * (THREADS * v + thread) on, for v
//              = 0 .. VECS - 1
//   padding    mu: no mask, since outside the valid part lies 0.0f, which changes no sum
//              whole_mean: a mask, since other values may lie outside the valid part, and sum
//              must not see it
//   barriers   in block_sum<THREADS / 32>: every warp's part is written before anyone reads
//              the parts
//   launch     has checked: N <= the number in the entry's name; for W > 1: x, w, b, y lie at
//              multiples of 16 bytes (of W elements, if those are fewer), their rows too, and
//              rows are multiples of W long

template <int THREADS, int VECS, int W>
static __device__ __forceinline__ void
layer_norm_f32_block(float *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                     float *__restrict__ rstd, const float *__restrict__ x, int64_t x_stride,
                     const float *__restrict__ w, const float *__restrict__ b, float eps,
                     int64_t M, int64_t N)
{
    __shared__ float mu_part_parts[THREADS / 32];
    __shared__ float whole_mean_part_parts[THREADS / 32];
    const int64_t i = blockIdx.x;
    const int thread = threadIdx.x;

    // 06_layer_norm.tile:15    let t = x.load_like(y) as f32;
    float t[VECS][W];
    const float *const x_at = x + i * x_stride;
    const int cols = (int)N;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (THREADS * v + thread);
        if (col < cols)
            load_vec(t[v], &x_at[col]);
        else
            fill_vec(t[v], 0.0f);
    }

    // 06_layer_norm.tile:16    let mu = mean(t, axis = 1);
    float mu_part = 0.0f;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            mu_part += t[v][c];
    }
    mu_part = block_sum<THREADS / 32>(mu_part, mu_part_parts);
    const float mu = mu_part / (float)N;

    // 06_layer_norm.tile:17    let c = t - expand(mu, 1);                               // out before squaring: a large mean costs no digits
    float c2[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            c2[v][c] = t[v][c] - mu;
    }

    // 06_layer_norm.tile:18    let r = rsqrt(mean(c * c, axis = 1) + eps);
    float whole_mean_part = 0.0f;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (THREADS * v + thread);
        if (col < cols) {
            #pragma unroll
            for (int c = 0; c < W; c++)
                whole_mean_part += __fmul_rn(c2[v][c], c2[v][c]);
        }
    }
    whole_mean_part = block_sum<THREADS / 32>(whole_mean_part, whole_mean_part_parts);
    const float whole_mean = whole_mean_part / (float)N;
    const float r = rsqrtf(whole_mean + eps);

    // 06_layer_norm.tile:19    if mean { mean.store(mu); }
    if (mean != nullptr) {
        if (thread == 0)
            mean[i] = mu;
    }

    // 06_layer_norm.tile:20    if rstd { rstd.store(r); }
    if (rstd != nullptr) {
        if (thread == 0)
            rstd[i] = r;
    }

    // 06_layer_norm.tile:21    let mut o = c * expand(r, 1) * w.load_like(y) as f32;    // w: [1, N], as every row has the same
    float w_tile[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (THREADS * v + thread);
        if (col < cols)
            load_vec(w_tile[v], &w[col]);
        else
            fill_vec(w_tile[v], 0.0f);
    }
    float o[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            o[v][c] = __fmul_rn(c2[v][c] * r, w_tile[v][c]);
    }

    // 06_layer_norm.tile:22    if b { o += b.load_like(y) as f32; }
    if (b != nullptr) {
        float b_tile[VECS][W];
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            const int col = W * (THREADS * v + thread);
            if (col < cols)
                load_vec(b_tile[v], &b[col]);
            else
                fill_vec(b_tile[v], 0.0f);
        }
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            #pragma unroll
            for (int c = 0; c < W; c++)
                o[v][c] += b_tile[v][c];
        }
    }

    // 06_layer_norm.tile:23    y.store(o as T);
    float *const y_at = y + i * y_stride;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (THREADS * v + thread);
        if (col < cols)
            store_vec(&y_at[col], o[v]);
    }
}

extern "C" __global__ void __launch_bounds__(64, 1)
layer_norm_f32_block_512(float *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                         float *__restrict__ rstd, const float *__restrict__ x, int64_t x_stride,
                         const float *__restrict__ w, const float *__restrict__ b, float eps,
                         int64_t M, int64_t N)
{
    layer_norm_f32_block<64, 2, 4>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 1)
layer_norm_f32_block_1024(float *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                          float *__restrict__ rstd, const float *__restrict__ x, int64_t x_stride,
                          const float *__restrict__ w, const float *__restrict__ b, float eps,
                          int64_t M, int64_t N)
{
    layer_norm_f32_block<128, 2, 4>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 1)
layer_norm_f32_block_2048(float *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                          float *__restrict__ rstd, const float *__restrict__ x, int64_t x_stride,
                          const float *__restrict__ w, const float *__restrict__ b, float eps,
                          int64_t M, int64_t N)
{
    layer_norm_f32_block<128, 4, 4>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 1)
layer_norm_f32_block_4096(float *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                          float *__restrict__ rstd, const float *__restrict__ x, int64_t x_stride,
                          const float *__restrict__ w, const float *__restrict__ b, float eps,
                          int64_t M, int64_t N)
{
    layer_norm_f32_block<256, 4, 4>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 1)
layer_norm_f32_block_8192(float *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                          float *__restrict__ rstd, const float *__restrict__ x, int64_t x_stride,
                          const float *__restrict__ w, const float *__restrict__ b, float eps,
                          int64_t M, int64_t N)
{
    layer_norm_f32_block<256, 8, 4>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(512, 1)
layer_norm_f32_block_16384(float *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                           float *__restrict__ rstd, const float *__restrict__ x, int64_t x_stride,
                           const float *__restrict__ w, const float *__restrict__ b, float eps,
                           int64_t M, int64_t N)
{
    layer_norm_f32_block<512, 8, 4>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 1)
layer_norm_f32_block_1024_unaligned(float *__restrict__ y, int64_t y_stride,
                                    float *__restrict__ mean, float *__restrict__ rstd,
                                    const float *__restrict__ x, int64_t x_stride,
                                    const float *__restrict__ w, const float *__restrict__ b,
                                    float eps, int64_t M, int64_t N)
{
    layer_norm_f32_block<128, 8, 1>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 1)
layer_norm_f32_block_4096_unaligned(float *__restrict__ y, int64_t y_stride,
                                    float *__restrict__ mean, float *__restrict__ rstd,
                                    const float *__restrict__ x, int64_t x_stride,
                                    const float *__restrict__ w, const float *__restrict__ b,
                                    float eps, int64_t M, int64_t N)
{
    layer_norm_f32_block<256, 16, 1>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 1)
layer_norm_f32_block_8192_unaligned(float *__restrict__ y, int64_t y_stride,
                                    float *__restrict__ mean, float *__restrict__ rstd,
                                    const float *__restrict__ x, int64_t x_stride,
                                    const float *__restrict__ w, const float *__restrict__ b,
                                    float eps, int64_t M, int64_t N)
{
    layer_norm_f32_block<256, 32, 1>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(512, 1)
layer_norm_f32_block_16384_unaligned(float *__restrict__ y, int64_t y_stride,
                                     float *__restrict__ mean, float *__restrict__ rstd,
                                     const float *__restrict__ x, int64_t x_stride,
                                     const float *__restrict__ w, const float *__restrict__ b,
                                     float eps, int64_t M, int64_t N)
{
    layer_norm_f32_block<512, 32, 1>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

// ---- layer_norm_f32_stream, rows of any length -----------------------------------------
//
//   block      1024 threads are one program
//   col        of N: a thread holds the W elements from W * thread on, then on by W * 1024
//
//                  col        0    4    8        4092  4096 4100       (W = 4)
//                  thread     0    1    2  ...   1023     0    1  ...
//
//   barriers   in block_sum<32>: every warp's part is written before anyone reads the parts
//   launch     has checked: for W > 1: x, w, b, y lie at multiples of 16 bytes (of W
//              elements, if those are fewer), their rows too, and rows are multiples of W
//              long

template <int W>
static __device__ __forceinline__ void
layer_norm_f32_stream(float *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                      float *__restrict__ rstd, const float *__restrict__ x, int64_t x_stride,
                      const float *__restrict__ w, const float *__restrict__ b, float eps,
                      int64_t M, int64_t N)
{
    __shared__ float mu_part_parts[32];
    __shared__ float whole_mean_part_parts[32];
    const int64_t i = blockIdx.x;
    const int thread = threadIdx.x;

    // 06_layer_norm.tile:16    let mu = mean(t, axis = 1);
    float mu_part = 0.0f;
    const float *const x_at = x + i * x_stride;
    for (int64_t col = W * thread; col < N; col += W * 1024) {
        // 06_layer_norm.tile:15    let t = x.load_like(y) as f32;
        float t[W];
        load_vec(t, &x_at[col]);
        #pragma unroll
        for (int c = 0; c < W; c++)
            mu_part += t[c];
    }
    mu_part = block_sum<32>(mu_part, mu_part_parts);
    const float mu = mu_part / (float)N;

    // 06_layer_norm.tile:18    let r = rsqrt(mean(c * c, axis = 1) + eps);
    float whole_mean_part = 0.0f;
    for (int64_t col = W * thread; col < N; col += W * 1024) {
        // 06_layer_norm.tile:15    let t = x.load_like(y) as f32;
        float t[W];
        load_vec(t, &x_at[col]);
        #pragma unroll
        for (int c = 0; c < W; c++) {
            const float c2 = t[c] - mu;
            whole_mean_part += __fmul_rn(c2, c2);
        }
    }
    whole_mean_part = block_sum<32>(whole_mean_part, whole_mean_part_parts);
    const float whole_mean = whole_mean_part / (float)N;

    // 06_layer_norm.tile:18    let r = rsqrt(mean(c * c, axis = 1) + eps);
    const float r = rsqrtf(whole_mean + eps);

    // 06_layer_norm.tile:19    if mean { mean.store(mu); }
    if (mean != nullptr) {
        if (thread == 0)
            mean[i] = mu;
    }

    // 06_layer_norm.tile:20    if rstd { rstd.store(r); }
    if (rstd != nullptr) {
        if (thread == 0)
            rstd[i] = r;
    }

    // 06_layer_norm.tile:23    y.store(o as T);
    float *const y_at = y + i * y_stride;
    for (int64_t col = W * thread; col < N; col += W * 1024) {
        // 06_layer_norm.tile:15    let t = x.load_like(y) as f32;
        float t[W];
        load_vec(t, &x_at[col]);

        // 06_layer_norm.tile:21    let mut o = c * expand(r, 1) * w.load_like(y) as f32;    // w: [1, N], as every row has the same
        float w_v[W];
        load_vec(w_v, &w[col]);

        // 06_layer_norm.tile:22    if b { o += b.load_like(y) as f32; }
        float b_v[W] = {};
        if (b != nullptr)
            load_vec(b_v, &b[col]);
        float out[W];
        #pragma unroll
        for (int c = 0; c < W; c++) {
            const float c2 = t[c] - mu;
            const float o = __fmul_rn(c2 * r, w_v[c]);
            const float o2 = o + b_v[c];
            out[c] = b != nullptr ? o2 : o;
        }
        store_vec(&y_at[col], out);
    }
}

extern "C" __global__ void __launch_bounds__(1024, 1)
layer_norm_f32_stream_vectors(float *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                              float *__restrict__ rstd, const float *__restrict__ x,
                              int64_t x_stride, const float *__restrict__ w,
                              const float *__restrict__ b, float eps, int64_t M, int64_t N)
{
    layer_norm_f32_stream<4>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(1024, 1)
layer_norm_f32_stream_unaligned(float *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                                float *__restrict__ rstd, const float *__restrict__ x,
                                int64_t x_stride, const float *__restrict__ w,
                                const float *__restrict__ b, float eps, int64_t M, int64_t N)
{
    layer_norm_f32_stream<1>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}


// ---- layer_norm_f16_octet, a row in eight lanes' registers -----------------------------
//
//   block      8 lanes are one program, 16 programs a block: a row so short leaves a whole
//              warp with one access of 16 bytes a lane, and reductions of eight lanes take
//              three shuffles for four rows at once
//   col        of N: a thread holds the W elements from W * (8 * v + thread) on, for v = 0 ..
//              VECS - 1
//
//                  col        0    8   16        56      64   72       (W = 8)
//                  thread     0    1    2  ...   7        0    1  ...
//                  v          0 ------------------        1 ---------
//
//   padding    mu: no mask, since outside the valid part lies 0.0f, which changes no sum
//              whole_mean: a mask, since other values may lie outside the valid part, and sum
//              must not see it
//   barriers   none: no thread waits for another warp
//   launch     has checked: N <= the number in the entry's name; for W > 1: x, w, b, y lie at
//              multiples of 16 bytes (of W elements, if those are fewer), their rows too, and
//              rows are multiples of W long

template <int VECS, int W>
static __device__ __forceinline__ void
layer_norm_f16_octet(__half *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                     float *__restrict__ rstd, const __half *__restrict__ x, int64_t x_stride,
                     const __half *__restrict__ w, const __half *__restrict__ b, float eps,
                     int64_t M, int64_t N)
{
    const int64_t i = (int64_t)blockIdx.x * (blockDim.x / 8) + threadIdx.x / 8;
    if (i >= M)
        return;
    const int thread = threadIdx.x % 8;

    // 06_layer_norm.tile:15    let t = x.load_like(y) as f32;
    __half x_tile[VECS][W];
    const __half *const x_at = x + i * x_stride;
    const int cols = (int)N;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (8 * v + thread);
        if (col < cols)
            load_vec(x_tile[v], &x_at[col]);
        else
            fill_vec(x_tile[v], __float2half_rn(0.0f));
    }

    // 06_layer_norm.tile:16    let mu = mean(t, axis = 1);
    float mu_part = 0.0f;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            mu_part += __half2float(x_tile[v][c]);
    }
    mu_part = warp_sum<8>(mu_part);
    const float mu = mu_part / (float)N;

    // 06_layer_norm.tile:18    let r = rsqrt(mean(c * c, axis = 1) + eps);
    float whole_mean_part = 0.0f;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (8 * v + thread);
        if (col < cols) {
            #pragma unroll
            for (int c = 0; c < W; c++) {
                const float t = __half2float(x_tile[v][c]);
                const float c2 = t - mu;
                whole_mean_part += __fmul_rn(c2, c2);
            }
        }
    }
    whole_mean_part = warp_sum<8>(whole_mean_part);
    const float whole_mean = whole_mean_part / (float)N;
    const float r = rsqrtf(whole_mean + eps);

    // 06_layer_norm.tile:19    if mean { mean.store(mu); }
    if (mean != nullptr) {
        if (thread == 0)
            mean[i] = mu;
    }

    // 06_layer_norm.tile:20    if rstd { rstd.store(r); }
    if (rstd != nullptr) {
        if (thread == 0)
            rstd[i] = r;
    }

    // 06_layer_norm.tile:21    let mut o = c * expand(r, 1) * w.load_like(y) as f32;    // w: [1, N], as every row has the same
    __half w_tile[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (8 * v + thread);
        if (col < cols)
            load_vec(w_tile[v], &w[col]);
        else
            fill_vec(w_tile[v], __float2half_rn(0.0f));
    }
    float o[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++) {
            const float t = __half2float(x_tile[v][c]);
            const float c2 = t - mu;
            o[v][c] = __fmul_rn(c2 * r, __half2float(w_tile[v][c]));
        }
    }

    // 06_layer_norm.tile:22    if b { o += b.load_like(y) as f32; }
    if (b != nullptr) {
        __half b_tile[VECS][W];
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            const int col = W * (8 * v + thread);
            if (col < cols)
                load_vec(b_tile[v], &b[col]);
            else
                fill_vec(b_tile[v], __float2half_rn(0.0f));
        }
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            #pragma unroll
            for (int c = 0; c < W; c++)
                o[v][c] += __half2float(b_tile[v][c]);
        }
    }

    // 06_layer_norm.tile:23    y.store(o as T);
    __half *const y_at = y + i * y_stride;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (8 * v + thread);
        if (col < cols) {
            __half out[W];
            #pragma unroll
            for (int c = 0; c < W; c++)
                out[c] = __float2half_rn(o[v][c]);
            store_vec(&y_at[col], out);
        }
    }
}

extern "C" __global__ void __launch_bounds__(128, 8)
layer_norm_f16_octet_128(__half *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                         float *__restrict__ rstd, const __half *__restrict__ x, int64_t x_stride,
                         const __half *__restrict__ w, const __half *__restrict__ b, float eps,
                         int64_t M, int64_t N)
{
    layer_norm_f16_octet<2, 8>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 8)
layer_norm_f16_octet_256(__half *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                         float *__restrict__ rstd, const __half *__restrict__ x, int64_t x_stride,
                         const __half *__restrict__ w, const __half *__restrict__ b, float eps,
                         int64_t M, int64_t N)
{
    layer_norm_f16_octet<4, 8>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

// ---- layer_norm_f16_warp, a row in one warp's registers --------------------------------
//
//   block      32 threads are one program; 4 programs share a block, since blocks of one warp
//              could not fill a multiprocessor. A lane that holds more than two accesses of
//              16 bytes has enough in flight: then a program has its block to itself
//   col        of N: a thread holds the W elements from W * (32 * v + lane) on, for v = 0 ..
//              VECS - 1
//
//                  col        0    8   16        248    256  264       (W = 8)
//                  lane       0    1    2  ...   31       0    1  ...
//                  v          0 ------------------        1 ---------
//
//   padding    mu: no mask, since outside the valid part lies 0.0f, which changes no sum
//              whole_mean: a mask, since other values may lie outside the valid part, and sum
//              must not see it
//   barriers   none: no thread waits for another warp
//   launch     has checked: N <= the number in the entry's name; for W > 1: x, w, b, y lie at
//              multiples of 16 bytes (of W elements, if those are fewer), their rows too, and
//              rows are multiples of W long

template <int VECS, int W>
static __device__ __forceinline__ void
layer_norm_f16_warp(__half *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                    float *__restrict__ rstd, const __half *__restrict__ x, int64_t x_stride,
                    const __half *__restrict__ w, const __half *__restrict__ b, float eps,
                    int64_t M, int64_t N)
{
    const int64_t i = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (i >= M)
        return;
    const int lane = threadIdx.x % 32;

    // 06_layer_norm.tile:15    let t = x.load_like(y) as f32;
    __half x_tile[VECS][W];
    const __half *const x_at = x + i * x_stride;
    const int cols = (int)N;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (32 * v + lane);
        if (col < cols)
            load_vec(x_tile[v], &x_at[col]);
        else
            fill_vec(x_tile[v], __float2half_rn(0.0f));
    }

    // 06_layer_norm.tile:16    let mu = mean(t, axis = 1);
    float mu_part = 0.0f;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            mu_part += __half2float(x_tile[v][c]);
    }
    mu_part = warp_sum(mu_part);
    const float mu = mu_part / (float)N;

    // 06_layer_norm.tile:18    let r = rsqrt(mean(c * c, axis = 1) + eps);
    float whole_mean_part = 0.0f;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (32 * v + lane);
        if (col < cols) {
            #pragma unroll
            for (int c = 0; c < W; c++) {
                const float t = __half2float(x_tile[v][c]);
                const float c2 = t - mu;
                whole_mean_part += __fmul_rn(c2, c2);
            }
        }
    }
    whole_mean_part = warp_sum(whole_mean_part);
    const float whole_mean = whole_mean_part / (float)N;
    const float r = rsqrtf(whole_mean + eps);

    // 06_layer_norm.tile:19    if mean { mean.store(mu); }
    if (mean != nullptr) {
        if (lane == 0)
            mean[i] = mu;
    }

    // 06_layer_norm.tile:20    if rstd { rstd.store(r); }
    if (rstd != nullptr) {
        if (lane == 0)
            rstd[i] = r;
    }

    // 06_layer_norm.tile:21    let mut o = c * expand(r, 1) * w.load_like(y) as f32;    // w: [1, N], as every row has the same
    __half w_tile[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (32 * v + lane);
        if (col < cols)
            load_vec(w_tile[v], &w[col]);
        else
            fill_vec(w_tile[v], __float2half_rn(0.0f));
    }
    float o[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++) {
            const float t = __half2float(x_tile[v][c]);
            const float c2 = t - mu;
            o[v][c] = __fmul_rn(c2 * r, __half2float(w_tile[v][c]));
        }
    }

    // 06_layer_norm.tile:22    if b { o += b.load_like(y) as f32; }
    if (b != nullptr) {
        __half b_tile[VECS][W];
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            const int col = W * (32 * v + lane);
            if (col < cols)
                load_vec(b_tile[v], &b[col]);
            else
                fill_vec(b_tile[v], __float2half_rn(0.0f));
        }
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            #pragma unroll
            for (int c = 0; c < W; c++)
                o[v][c] += __half2float(b_tile[v][c]);
        }
    }

    // 06_layer_norm.tile:23    y.store(o as T);
    __half *const y_at = y + i * y_stride;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (32 * v + lane);
        if (col < cols) {
            __half out[W];
            #pragma unroll
            for (int c = 0; c < W; c++)
                out[c] = __float2half_rn(o[v][c]);
            store_vec(&y_at[col], out);
        }
    }
}

extern "C" __global__ void __launch_bounds__(128, 1)
layer_norm_f16_warp_512(__half *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                        float *__restrict__ rstd, const __half *__restrict__ x, int64_t x_stride,
                        const __half *__restrict__ w, const __half *__restrict__ b, float eps,
                        int64_t M, int64_t N)
{
    layer_norm_f16_warp<2, 8>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(32, 1)
layer_norm_f16_warp_1024(__half *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                         float *__restrict__ rstd, const __half *__restrict__ x, int64_t x_stride,
                         const __half *__restrict__ w, const __half *__restrict__ b, float eps,
                         int64_t M, int64_t N)
{
    layer_norm_f16_warp<4, 8>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 1)
layer_norm_f16_warp_256_unaligned(__half *__restrict__ y, int64_t y_stride,
                                  float *__restrict__ mean, float *__restrict__ rstd,
                                  const __half *__restrict__ x, int64_t x_stride,
                                  const __half *__restrict__ w, const __half *__restrict__ b,
                                  float eps, int64_t M, int64_t N)
{
    layer_norm_f16_warp<8, 1>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

// ---- layer_norm_f16_block, a row in one block's registers ------------------------------
//
//   block      THREADS threads are one program
//   col        of N: a thread holds the W elements from W * (THREADS * v + thread) on, for v
//              = 0 .. VECS - 1
//   padding    mu: no mask, since outside the valid part lies 0.0f, which changes no sum
//              whole_mean: a mask, since other values may lie outside the valid part, and sum
//              must not see it
//   barriers   in block_sum<THREADS / 32>: every warp's part is written before anyone reads
//              the parts
//   launch     has checked: N <= the number in the entry's name; for W > 1: x, w, b, y lie at
//              multiples of 16 bytes (of W elements, if those are fewer), their rows too, and
//              rows are multiples of W long

template <int THREADS, int VECS, int W>
static __device__ __forceinline__ void
layer_norm_f16_block(__half *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                     float *__restrict__ rstd, const __half *__restrict__ x, int64_t x_stride,
                     const __half *__restrict__ w, const __half *__restrict__ b, float eps,
                     int64_t M, int64_t N)
{
    __shared__ float mu_part_parts[THREADS / 32];
    __shared__ float whole_mean_part_parts[THREADS / 32];
    const int64_t i = blockIdx.x;
    const int thread = threadIdx.x;

    // 06_layer_norm.tile:15    let t = x.load_like(y) as f32;
    __half x_tile[VECS][W];
    const __half *const x_at = x + i * x_stride;
    const int cols = (int)N;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (THREADS * v + thread);
        if (col < cols)
            load_vec(x_tile[v], &x_at[col]);
        else
            fill_vec(x_tile[v], __float2half_rn(0.0f));
    }

    // 06_layer_norm.tile:16    let mu = mean(t, axis = 1);
    float mu_part = 0.0f;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            mu_part += __half2float(x_tile[v][c]);
    }
    mu_part = block_sum<THREADS / 32>(mu_part, mu_part_parts);
    const float mu = mu_part / (float)N;

    // 06_layer_norm.tile:18    let r = rsqrt(mean(c * c, axis = 1) + eps);
    float whole_mean_part = 0.0f;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (THREADS * v + thread);
        if (col < cols) {
            #pragma unroll
            for (int c = 0; c < W; c++) {
                const float t = __half2float(x_tile[v][c]);
                const float c2 = t - mu;
                whole_mean_part += __fmul_rn(c2, c2);
            }
        }
    }
    whole_mean_part = block_sum<THREADS / 32>(whole_mean_part, whole_mean_part_parts);
    const float whole_mean = whole_mean_part / (float)N;
    const float r = rsqrtf(whole_mean + eps);

    // 06_layer_norm.tile:19    if mean { mean.store(mu); }
    if (mean != nullptr) {
        if (thread == 0)
            mean[i] = mu;
    }

    // 06_layer_norm.tile:20    if rstd { rstd.store(r); }
    if (rstd != nullptr) {
        if (thread == 0)
            rstd[i] = r;
    }

    // 06_layer_norm.tile:21    let mut o = c * expand(r, 1) * w.load_like(y) as f32;    // w: [1, N], as every row has the same
    __half w_tile[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (THREADS * v + thread);
        if (col < cols)
            load_vec(w_tile[v], &w[col]);
        else
            fill_vec(w_tile[v], __float2half_rn(0.0f));
    }
    float o[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++) {
            const float t = __half2float(x_tile[v][c]);
            const float c2 = t - mu;
            o[v][c] = __fmul_rn(c2 * r, __half2float(w_tile[v][c]));
        }
    }

    // 06_layer_norm.tile:22    if b { o += b.load_like(y) as f32; }
    if (b != nullptr) {
        __half b_tile[VECS][W];
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            const int col = W * (THREADS * v + thread);
            if (col < cols)
                load_vec(b_tile[v], &b[col]);
            else
                fill_vec(b_tile[v], __float2half_rn(0.0f));
        }
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            #pragma unroll
            for (int c = 0; c < W; c++)
                o[v][c] += __half2float(b_tile[v][c]);
        }
    }

    // 06_layer_norm.tile:23    y.store(o as T);
    __half *const y_at = y + i * y_stride;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (THREADS * v + thread);
        if (col < cols) {
            __half out[W];
            #pragma unroll
            for (int c = 0; c < W; c++)
                out[c] = __float2half_rn(o[v][c]);
            store_vec(&y_at[col], out);
        }
    }
}

extern "C" __global__ void __launch_bounds__(128, 1)
layer_norm_f16_block_2048(__half *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                          float *__restrict__ rstd, const __half *__restrict__ x, int64_t x_stride,
                          const __half *__restrict__ w, const __half *__restrict__ b, float eps,
                          int64_t M, int64_t N)
{
    layer_norm_f16_block<128, 2, 8>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 1)
layer_norm_f16_block_4096(__half *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                          float *__restrict__ rstd, const __half *__restrict__ x, int64_t x_stride,
                          const __half *__restrict__ w, const __half *__restrict__ b, float eps,
                          int64_t M, int64_t N)
{
    layer_norm_f16_block<128, 4, 8>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 1)
layer_norm_f16_block_8192(__half *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                          float *__restrict__ rstd, const __half *__restrict__ x, int64_t x_stride,
                          const __half *__restrict__ w, const __half *__restrict__ b, float eps,
                          int64_t M, int64_t N)
{
    layer_norm_f16_block<256, 4, 8>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(512, 1)
layer_norm_f16_block_16384(__half *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                           float *__restrict__ rstd, const __half *__restrict__ x,
                           int64_t x_stride, const __half *__restrict__ w,
                           const __half *__restrict__ b, float eps, int64_t M, int64_t N)
{
    layer_norm_f16_block<512, 4, 8>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 1)
layer_norm_f16_block_1024_unaligned(__half *__restrict__ y, int64_t y_stride,
                                    float *__restrict__ mean, float *__restrict__ rstd,
                                    const __half *__restrict__ x, int64_t x_stride,
                                    const __half *__restrict__ w, const __half *__restrict__ b,
                                    float eps, int64_t M, int64_t N)
{
    layer_norm_f16_block<128, 8, 1>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 1)
layer_norm_f16_block_4096_unaligned(__half *__restrict__ y, int64_t y_stride,
                                    float *__restrict__ mean, float *__restrict__ rstd,
                                    const __half *__restrict__ x, int64_t x_stride,
                                    const __half *__restrict__ w, const __half *__restrict__ b,
                                    float eps, int64_t M, int64_t N)
{
    layer_norm_f16_block<256, 16, 1>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 1)
layer_norm_f16_block_8192_unaligned(__half *__restrict__ y, int64_t y_stride,
                                    float *__restrict__ mean, float *__restrict__ rstd,
                                    const __half *__restrict__ x, int64_t x_stride,
                                    const __half *__restrict__ w, const __half *__restrict__ b,
                                    float eps, int64_t M, int64_t N)
{
    layer_norm_f16_block<256, 32, 1>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(512, 1)
layer_norm_f16_block_16384_unaligned(__half *__restrict__ y, int64_t y_stride,
                                     float *__restrict__ mean, float *__restrict__ rstd,
                                     const __half *__restrict__ x, int64_t x_stride,
                                     const __half *__restrict__ w, const __half *__restrict__ b,
                                     float eps, int64_t M, int64_t N)
{
    layer_norm_f16_block<512, 32, 1>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

// ---- layer_norm_f16_stream, rows of any length -----------------------------------------
//
//   block      1024 threads are one program
//   col        of N: a thread holds the W elements from W * thread on, then on by W * 1024
//
//                  col        0    8   16        8184  8192 8200       (W = 8)
//                  thread     0    1    2  ...   1023     0    1  ...
//
//   barriers   in block_sum<32>: every warp's part is written before anyone reads the parts
//   launch     has checked: for W > 1: x, w, b, y lie at multiples of 16 bytes (of W
//              elements, if those are fewer), their rows too, and rows are multiples of W
//              long

template <int W>
static __device__ __forceinline__ void
layer_norm_f16_stream(__half *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                      float *__restrict__ rstd, const __half *__restrict__ x, int64_t x_stride,
                      const __half *__restrict__ w, const __half *__restrict__ b, float eps,
                      int64_t M, int64_t N)
{
    __shared__ float mu_part_parts[32];
    __shared__ float whole_mean_part_parts[32];
    const int64_t i = blockIdx.x;
    const int thread = threadIdx.x;

    // 06_layer_norm.tile:16    let mu = mean(t, axis = 1);
    float mu_part = 0.0f;
    const __half *const x_at = x + i * x_stride;
    for (int64_t col = W * thread; col < N; col += W * 1024) {
        // 06_layer_norm.tile:15    let t = x.load_like(y) as f32;
        __half x_v[W];
        load_vec(x_v, &x_at[col]);
        #pragma unroll
        for (int c = 0; c < W; c++)
            mu_part += __half2float(x_v[c]);
    }
    mu_part = block_sum<32>(mu_part, mu_part_parts);
    const float mu = mu_part / (float)N;

    // 06_layer_norm.tile:18    let r = rsqrt(mean(c * c, axis = 1) + eps);
    float whole_mean_part = 0.0f;
    for (int64_t col = W * thread; col < N; col += W * 1024) {
        // 06_layer_norm.tile:15    let t = x.load_like(y) as f32;
        __half x_v[W];
        load_vec(x_v, &x_at[col]);
        #pragma unroll
        for (int c = 0; c < W; c++) {
            const float t = __half2float(x_v[c]);
            const float c2 = t - mu;
            whole_mean_part += __fmul_rn(c2, c2);
        }
    }
    whole_mean_part = block_sum<32>(whole_mean_part, whole_mean_part_parts);
    const float whole_mean = whole_mean_part / (float)N;

    // 06_layer_norm.tile:18    let r = rsqrt(mean(c * c, axis = 1) + eps);
    const float r = rsqrtf(whole_mean + eps);

    // 06_layer_norm.tile:19    if mean { mean.store(mu); }
    if (mean != nullptr) {
        if (thread == 0)
            mean[i] = mu;
    }

    // 06_layer_norm.tile:20    if rstd { rstd.store(r); }
    if (rstd != nullptr) {
        if (thread == 0)
            rstd[i] = r;
    }

    // 06_layer_norm.tile:23    y.store(o as T);
    __half *const y_at = y + i * y_stride;
    for (int64_t col = W * thread; col < N; col += W * 1024) {
        // 06_layer_norm.tile:15    let t = x.load_like(y) as f32;
        __half x_v[W];
        load_vec(x_v, &x_at[col]);

        // 06_layer_norm.tile:21    let mut o = c * expand(r, 1) * w.load_like(y) as f32;    // w: [1, N], as every row has the same
        __half w_v[W];
        load_vec(w_v, &w[col]);

        // 06_layer_norm.tile:22    if b { o += b.load_like(y) as f32; }
        __half b_v[W] = {};
        if (b != nullptr)
            load_vec(b_v, &b[col]);
        __half out[W];
        #pragma unroll
        for (int c = 0; c < W; c++) {
            const float t = __half2float(x_v[c]);
            const float c2 = t - mu;
            const float o = __fmul_rn(c2 * r, __half2float(w_v[c]));
            const float o2 = o + __half2float(b_v[c]);
            const float o3 = b != nullptr ? o2 : o;
            out[c] = __float2half_rn(o3);
        }
        store_vec(&y_at[col], out);
    }
}

extern "C" __global__ void __launch_bounds__(1024, 1)
layer_norm_f16_stream_vectors(__half *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                              float *__restrict__ rstd, const __half *__restrict__ x,
                              int64_t x_stride, const __half *__restrict__ w,
                              const __half *__restrict__ b, float eps, int64_t M, int64_t N)
{
    layer_norm_f16_stream<8>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(1024, 1)
layer_norm_f16_stream_unaligned(__half *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                                float *__restrict__ rstd, const __half *__restrict__ x,
                                int64_t x_stride, const __half *__restrict__ w,
                                const __half *__restrict__ b, float eps, int64_t M, int64_t N)
{
    layer_norm_f16_stream<1>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}


// ---- layer_norm_bf16_octet, a row in eight lanes' registers ----------------------------
//
//   block      8 lanes are one program, 16 programs a block: a row so short leaves a whole
//              warp with one access of 16 bytes a lane, and reductions of eight lanes take
//              three shuffles for four rows at once
//   col        of N: a thread holds the W elements from W * (8 * v + thread) on, for v = 0 ..
//              VECS - 1
//
//                  col        0    8   16        56      64   72       (W = 8)
//                  thread     0    1    2  ...   7        0    1  ...
//                  v          0 ------------------        1 ---------
//
//   padding    mu: no mask, since outside the valid part lies 0.0f, which changes no sum
//              whole_mean: a mask, since other values may lie outside the valid part, and sum
//              must not see it
//   barriers   none: no thread waits for another warp
//   launch     has checked: N <= the number in the entry's name; for W > 1: x, w, b, y lie at
//              multiples of 16 bytes (of W elements, if those are fewer), their rows too, and
//              rows are multiples of W long

template <int VECS, int W>
static __device__ __forceinline__ void
layer_norm_bf16_octet(__nv_bfloat16 *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                      float *__restrict__ rstd, const __nv_bfloat16 *__restrict__ x,
                      int64_t x_stride, const __nv_bfloat16 *__restrict__ w,
                      const __nv_bfloat16 *__restrict__ b, float eps, int64_t M, int64_t N)
{
    const int64_t i = (int64_t)blockIdx.x * (blockDim.x / 8) + threadIdx.x / 8;
    if (i >= M)
        return;
    const int thread = threadIdx.x % 8;

    // 06_layer_norm.tile:15    let t = x.load_like(y) as f32;
    __nv_bfloat16 x_tile[VECS][W];
    const __nv_bfloat16 *const x_at = x + i * x_stride;
    const int cols = (int)N;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (8 * v + thread);
        if (col < cols)
            load_vec(x_tile[v], &x_at[col]);
        else
            fill_vec(x_tile[v], __float2bfloat16_rn(0.0f));
    }

    // 06_layer_norm.tile:16    let mu = mean(t, axis = 1);
    float mu_part = 0.0f;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            mu_part += __bfloat162float(x_tile[v][c]);
    }
    mu_part = warp_sum<8>(mu_part);
    const float mu = mu_part / (float)N;

    // 06_layer_norm.tile:18    let r = rsqrt(mean(c * c, axis = 1) + eps);
    float whole_mean_part = 0.0f;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (8 * v + thread);
        if (col < cols) {
            #pragma unroll
            for (int c = 0; c < W; c++) {
                const float t = __bfloat162float(x_tile[v][c]);
                const float c2 = t - mu;
                whole_mean_part += __fmul_rn(c2, c2);
            }
        }
    }
    whole_mean_part = warp_sum<8>(whole_mean_part);
    const float whole_mean = whole_mean_part / (float)N;
    const float r = rsqrtf(whole_mean + eps);

    // 06_layer_norm.tile:19    if mean { mean.store(mu); }
    if (mean != nullptr) {
        if (thread == 0)
            mean[i] = mu;
    }

    // 06_layer_norm.tile:20    if rstd { rstd.store(r); }
    if (rstd != nullptr) {
        if (thread == 0)
            rstd[i] = r;
    }

    // 06_layer_norm.tile:21    let mut o = c * expand(r, 1) * w.load_like(y) as f32;    // w: [1, N], as every row has the same
    __nv_bfloat16 w_tile[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (8 * v + thread);
        if (col < cols)
            load_vec(w_tile[v], &w[col]);
        else
            fill_vec(w_tile[v], __float2bfloat16_rn(0.0f));
    }
    float o[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++) {
            const float t = __bfloat162float(x_tile[v][c]);
            const float c2 = t - mu;
            o[v][c] = __fmul_rn(c2 * r, __bfloat162float(w_tile[v][c]));
        }
    }

    // 06_layer_norm.tile:22    if b { o += b.load_like(y) as f32; }
    if (b != nullptr) {
        __nv_bfloat16 b_tile[VECS][W];
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            const int col = W * (8 * v + thread);
            if (col < cols)
                load_vec(b_tile[v], &b[col]);
            else
                fill_vec(b_tile[v], __float2bfloat16_rn(0.0f));
        }
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            #pragma unroll
            for (int c = 0; c < W; c++)
                o[v][c] += __bfloat162float(b_tile[v][c]);
        }
    }

    // 06_layer_norm.tile:23    y.store(o as T);
    __nv_bfloat16 *const y_at = y + i * y_stride;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (8 * v + thread);
        if (col < cols) {
            __nv_bfloat16 out[W];
            #pragma unroll
            for (int c = 0; c < W; c++)
                out[c] = __float2bfloat16_rn(o[v][c]);
            store_vec(&y_at[col], out);
        }
    }
}

extern "C" __global__ void __launch_bounds__(128, 8)
layer_norm_bf16_octet_128(__nv_bfloat16 *__restrict__ y, int64_t y_stride,
                          float *__restrict__ mean, float *__restrict__ rstd,
                          const __nv_bfloat16 *__restrict__ x, int64_t x_stride,
                          const __nv_bfloat16 *__restrict__ w, const __nv_bfloat16 *__restrict__ b,
                          float eps, int64_t M, int64_t N)
{
    layer_norm_bf16_octet<2, 8>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 8)
layer_norm_bf16_octet_256(__nv_bfloat16 *__restrict__ y, int64_t y_stride,
                          float *__restrict__ mean, float *__restrict__ rstd,
                          const __nv_bfloat16 *__restrict__ x, int64_t x_stride,
                          const __nv_bfloat16 *__restrict__ w, const __nv_bfloat16 *__restrict__ b,
                          float eps, int64_t M, int64_t N)
{
    layer_norm_bf16_octet<4, 8>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

// ---- layer_norm_bf16_warp, a row in one warp's registers -------------------------------
//
//   block      32 threads are one program; 4 programs share a block, since blocks of one warp
//              could not fill a multiprocessor. A lane that holds more than two accesses of
//              16 bytes has enough in flight: then a program has its block to itself
//   col        of N: a thread holds the W elements from W * (32 * v + lane) on, for v = 0 ..
//              VECS - 1
//
//                  col        0    8   16        248    256  264       (W = 8)
//                  lane       0    1    2  ...   31       0    1  ...
//                  v          0 ------------------        1 ---------
//
//   padding    mu: no mask, since outside the valid part lies 0.0f, which changes no sum
//              whole_mean: a mask, since other values may lie outside the valid part, and sum
//              must not see it
//   barriers   none: no thread waits for another warp
//   launch     has checked: N <= the number in the entry's name; for W > 1: x, w, b, y lie at
//              multiples of 16 bytes (of W elements, if those are fewer), their rows too, and
//              rows are multiples of W long

template <int VECS, int W>
static __device__ __forceinline__ void
layer_norm_bf16_warp(__nv_bfloat16 *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                     float *__restrict__ rstd, const __nv_bfloat16 *__restrict__ x,
                     int64_t x_stride, const __nv_bfloat16 *__restrict__ w,
                     const __nv_bfloat16 *__restrict__ b, float eps, int64_t M, int64_t N)
{
    const int64_t i = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (i >= M)
        return;
    const int lane = threadIdx.x % 32;

    // 06_layer_norm.tile:15    let t = x.load_like(y) as f32;
    __nv_bfloat16 x_tile[VECS][W];
    const __nv_bfloat16 *const x_at = x + i * x_stride;
    const int cols = (int)N;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (32 * v + lane);
        if (col < cols)
            load_vec(x_tile[v], &x_at[col]);
        else
            fill_vec(x_tile[v], __float2bfloat16_rn(0.0f));
    }

    // 06_layer_norm.tile:16    let mu = mean(t, axis = 1);
    float mu_part = 0.0f;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            mu_part += __bfloat162float(x_tile[v][c]);
    }
    mu_part = warp_sum(mu_part);
    const float mu = mu_part / (float)N;

    // 06_layer_norm.tile:18    let r = rsqrt(mean(c * c, axis = 1) + eps);
    float whole_mean_part = 0.0f;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (32 * v + lane);
        if (col < cols) {
            #pragma unroll
            for (int c = 0; c < W; c++) {
                const float t = __bfloat162float(x_tile[v][c]);
                const float c2 = t - mu;
                whole_mean_part += __fmul_rn(c2, c2);
            }
        }
    }
    whole_mean_part = warp_sum(whole_mean_part);
    const float whole_mean = whole_mean_part / (float)N;
    const float r = rsqrtf(whole_mean + eps);

    // 06_layer_norm.tile:19    if mean { mean.store(mu); }
    if (mean != nullptr) {
        if (lane == 0)
            mean[i] = mu;
    }

    // 06_layer_norm.tile:20    if rstd { rstd.store(r); }
    if (rstd != nullptr) {
        if (lane == 0)
            rstd[i] = r;
    }

    // 06_layer_norm.tile:21    let mut o = c * expand(r, 1) * w.load_like(y) as f32;    // w: [1, N], as every row has the same
    __nv_bfloat16 w_tile[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (32 * v + lane);
        if (col < cols)
            load_vec(w_tile[v], &w[col]);
        else
            fill_vec(w_tile[v], __float2bfloat16_rn(0.0f));
    }
    float o[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++) {
            const float t = __bfloat162float(x_tile[v][c]);
            const float c2 = t - mu;
            o[v][c] = __fmul_rn(c2 * r, __bfloat162float(w_tile[v][c]));
        }
    }

    // 06_layer_norm.tile:22    if b { o += b.load_like(y) as f32; }
    if (b != nullptr) {
        __nv_bfloat16 b_tile[VECS][W];
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            const int col = W * (32 * v + lane);
            if (col < cols)
                load_vec(b_tile[v], &b[col]);
            else
                fill_vec(b_tile[v], __float2bfloat16_rn(0.0f));
        }
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            #pragma unroll
            for (int c = 0; c < W; c++)
                o[v][c] += __bfloat162float(b_tile[v][c]);
        }
    }

    // 06_layer_norm.tile:23    y.store(o as T);
    __nv_bfloat16 *const y_at = y + i * y_stride;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (32 * v + lane);
        if (col < cols) {
            __nv_bfloat16 out[W];
            #pragma unroll
            for (int c = 0; c < W; c++)
                out[c] = __float2bfloat16_rn(o[v][c]);
            store_vec(&y_at[col], out);
        }
    }
}

extern "C" __global__ void __launch_bounds__(128, 1)
layer_norm_bf16_warp_512(__nv_bfloat16 *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                         float *__restrict__ rstd, const __nv_bfloat16 *__restrict__ x,
                         int64_t x_stride, const __nv_bfloat16 *__restrict__ w,
                         const __nv_bfloat16 *__restrict__ b, float eps, int64_t M, int64_t N)
{
    layer_norm_bf16_warp<2, 8>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(32, 1)
layer_norm_bf16_warp_1024(__nv_bfloat16 *__restrict__ y, int64_t y_stride,
                          float *__restrict__ mean, float *__restrict__ rstd,
                          const __nv_bfloat16 *__restrict__ x, int64_t x_stride,
                          const __nv_bfloat16 *__restrict__ w, const __nv_bfloat16 *__restrict__ b,
                          float eps, int64_t M, int64_t N)
{
    layer_norm_bf16_warp<4, 8>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 1)
layer_norm_bf16_warp_256_unaligned(__nv_bfloat16 *__restrict__ y, int64_t y_stride,
                                   float *__restrict__ mean, float *__restrict__ rstd,
                                   const __nv_bfloat16 *__restrict__ x, int64_t x_stride,
                                   const __nv_bfloat16 *__restrict__ w,
                                   const __nv_bfloat16 *__restrict__ b, float eps, int64_t M,
                                   int64_t N)
{
    layer_norm_bf16_warp<8, 1>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

// ---- layer_norm_bf16_block, a row in one block's registers -----------------------------
//
//   block      THREADS threads are one program
//   col        of N: a thread holds the W elements from W * (THREADS * v + thread) on, for v
//              = 0 .. VECS - 1
//   padding    mu: no mask, since outside the valid part lies 0.0f, which changes no sum
//              whole_mean: a mask, since other values may lie outside the valid part, and sum
//              must not see it
//   barriers   in block_sum<THREADS / 32>: every warp's part is written before anyone reads
//              the parts
//   launch     has checked: N <= the number in the entry's name; for W > 1: x, w, b, y lie at
//              multiples of 16 bytes (of W elements, if those are fewer), their rows too, and
//              rows are multiples of W long

template <int THREADS, int VECS, int W>
static __device__ __forceinline__ void
layer_norm_bf16_block(__nv_bfloat16 *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                      float *__restrict__ rstd, const __nv_bfloat16 *__restrict__ x,
                      int64_t x_stride, const __nv_bfloat16 *__restrict__ w,
                      const __nv_bfloat16 *__restrict__ b, float eps, int64_t M, int64_t N)
{
    __shared__ float mu_part_parts[THREADS / 32];
    __shared__ float whole_mean_part_parts[THREADS / 32];
    const int64_t i = blockIdx.x;
    const int thread = threadIdx.x;

    // 06_layer_norm.tile:15    let t = x.load_like(y) as f32;
    __nv_bfloat16 x_tile[VECS][W];
    const __nv_bfloat16 *const x_at = x + i * x_stride;
    const int cols = (int)N;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (THREADS * v + thread);
        if (col < cols)
            load_vec(x_tile[v], &x_at[col]);
        else
            fill_vec(x_tile[v], __float2bfloat16_rn(0.0f));
    }

    // 06_layer_norm.tile:16    let mu = mean(t, axis = 1);
    float mu_part = 0.0f;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            mu_part += __bfloat162float(x_tile[v][c]);
    }
    mu_part = block_sum<THREADS / 32>(mu_part, mu_part_parts);
    const float mu = mu_part / (float)N;

    // 06_layer_norm.tile:18    let r = rsqrt(mean(c * c, axis = 1) + eps);
    float whole_mean_part = 0.0f;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (THREADS * v + thread);
        if (col < cols) {
            #pragma unroll
            for (int c = 0; c < W; c++) {
                const float t = __bfloat162float(x_tile[v][c]);
                const float c2 = t - mu;
                whole_mean_part += __fmul_rn(c2, c2);
            }
        }
    }
    whole_mean_part = block_sum<THREADS / 32>(whole_mean_part, whole_mean_part_parts);
    const float whole_mean = whole_mean_part / (float)N;
    const float r = rsqrtf(whole_mean + eps);

    // 06_layer_norm.tile:19    if mean { mean.store(mu); }
    if (mean != nullptr) {
        if (thread == 0)
            mean[i] = mu;
    }

    // 06_layer_norm.tile:20    if rstd { rstd.store(r); }
    if (rstd != nullptr) {
        if (thread == 0)
            rstd[i] = r;
    }

    // 06_layer_norm.tile:21    let mut o = c * expand(r, 1) * w.load_like(y) as f32;    // w: [1, N], as every row has the same
    __nv_bfloat16 w_tile[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (THREADS * v + thread);
        if (col < cols)
            load_vec(w_tile[v], &w[col]);
        else
            fill_vec(w_tile[v], __float2bfloat16_rn(0.0f));
    }
    float o[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++) {
            const float t = __bfloat162float(x_tile[v][c]);
            const float c2 = t - mu;
            o[v][c] = __fmul_rn(c2 * r, __bfloat162float(w_tile[v][c]));
        }
    }

    // 06_layer_norm.tile:22    if b { o += b.load_like(y) as f32; }
    if (b != nullptr) {
        __nv_bfloat16 b_tile[VECS][W];
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            const int col = W * (THREADS * v + thread);
            if (col < cols)
                load_vec(b_tile[v], &b[col]);
            else
                fill_vec(b_tile[v], __float2bfloat16_rn(0.0f));
        }
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            #pragma unroll
            for (int c = 0; c < W; c++)
                o[v][c] += __bfloat162float(b_tile[v][c]);
        }
    }

    // 06_layer_norm.tile:23    y.store(o as T);
    __nv_bfloat16 *const y_at = y + i * y_stride;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (THREADS * v + thread);
        if (col < cols) {
            __nv_bfloat16 out[W];
            #pragma unroll
            for (int c = 0; c < W; c++)
                out[c] = __float2bfloat16_rn(o[v][c]);
            store_vec(&y_at[col], out);
        }
    }
}

extern "C" __global__ void __launch_bounds__(128, 1)
layer_norm_bf16_block_2048(__nv_bfloat16 *__restrict__ y, int64_t y_stride,
                           float *__restrict__ mean, float *__restrict__ rstd,
                           const __nv_bfloat16 *__restrict__ x, int64_t x_stride,
                           const __nv_bfloat16 *__restrict__ w,
                           const __nv_bfloat16 *__restrict__ b, float eps, int64_t M, int64_t N)
{
    layer_norm_bf16_block<128, 2, 8>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 1)
layer_norm_bf16_block_4096(__nv_bfloat16 *__restrict__ y, int64_t y_stride,
                           float *__restrict__ mean, float *__restrict__ rstd,
                           const __nv_bfloat16 *__restrict__ x, int64_t x_stride,
                           const __nv_bfloat16 *__restrict__ w,
                           const __nv_bfloat16 *__restrict__ b, float eps, int64_t M, int64_t N)
{
    layer_norm_bf16_block<128, 4, 8>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 1)
layer_norm_bf16_block_8192(__nv_bfloat16 *__restrict__ y, int64_t y_stride,
                           float *__restrict__ mean, float *__restrict__ rstd,
                           const __nv_bfloat16 *__restrict__ x, int64_t x_stride,
                           const __nv_bfloat16 *__restrict__ w,
                           const __nv_bfloat16 *__restrict__ b, float eps, int64_t M, int64_t N)
{
    layer_norm_bf16_block<256, 4, 8>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(512, 1)
layer_norm_bf16_block_16384(__nv_bfloat16 *__restrict__ y, int64_t y_stride,
                            float *__restrict__ mean, float *__restrict__ rstd,
                            const __nv_bfloat16 *__restrict__ x, int64_t x_stride,
                            const __nv_bfloat16 *__restrict__ w,
                            const __nv_bfloat16 *__restrict__ b, float eps, int64_t M, int64_t N)
{
    layer_norm_bf16_block<512, 4, 8>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 1)
layer_norm_bf16_block_1024_unaligned(__nv_bfloat16 *__restrict__ y, int64_t y_stride,
                                     float *__restrict__ mean, float *__restrict__ rstd,
                                     const __nv_bfloat16 *__restrict__ x, int64_t x_stride,
                                     const __nv_bfloat16 *__restrict__ w,
                                     const __nv_bfloat16 *__restrict__ b, float eps, int64_t M,
                                     int64_t N)
{
    layer_norm_bf16_block<128, 8, 1>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 1)
layer_norm_bf16_block_4096_unaligned(__nv_bfloat16 *__restrict__ y, int64_t y_stride,
                                     float *__restrict__ mean, float *__restrict__ rstd,
                                     const __nv_bfloat16 *__restrict__ x, int64_t x_stride,
                                     const __nv_bfloat16 *__restrict__ w,
                                     const __nv_bfloat16 *__restrict__ b, float eps, int64_t M,
                                     int64_t N)
{
    layer_norm_bf16_block<256, 16, 1>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 1)
layer_norm_bf16_block_8192_unaligned(__nv_bfloat16 *__restrict__ y, int64_t y_stride,
                                     float *__restrict__ mean, float *__restrict__ rstd,
                                     const __nv_bfloat16 *__restrict__ x, int64_t x_stride,
                                     const __nv_bfloat16 *__restrict__ w,
                                     const __nv_bfloat16 *__restrict__ b, float eps, int64_t M,
                                     int64_t N)
{
    layer_norm_bf16_block<256, 32, 1>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(512, 1)
layer_norm_bf16_block_16384_unaligned(__nv_bfloat16 *__restrict__ y, int64_t y_stride,
                                      float *__restrict__ mean, float *__restrict__ rstd,
                                      const __nv_bfloat16 *__restrict__ x, int64_t x_stride,
                                      const __nv_bfloat16 *__restrict__ w,
                                      const __nv_bfloat16 *__restrict__ b, float eps, int64_t M,
                                      int64_t N)
{
    layer_norm_bf16_block<512, 32, 1>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

// ---- layer_norm_bf16_stream, rows of any length ----------------------------------------
//
//   block      1024 threads are one program
//   col        of N: a thread holds the W elements from W * thread on, then on by W * 1024
//
//                  col        0    8   16        8184  8192 8200       (W = 8)
//                  thread     0    1    2  ...   1023     0    1  ...
//
//   barriers   in block_sum<32>: every warp's part is written before anyone reads the parts
//   launch     has checked: for W > 1: x, w, b, y lie at multiples of 16 bytes (of W
//              elements, if those are fewer), their rows too, and rows are multiples of W
//              long

template <int W>
static __device__ __forceinline__ void
layer_norm_bf16_stream(__nv_bfloat16 *__restrict__ y, int64_t y_stride, float *__restrict__ mean,
                       float *__restrict__ rstd, const __nv_bfloat16 *__restrict__ x,
                       int64_t x_stride, const __nv_bfloat16 *__restrict__ w,
                       const __nv_bfloat16 *__restrict__ b, float eps, int64_t M, int64_t N)
{
    __shared__ float mu_part_parts[32];
    __shared__ float whole_mean_part_parts[32];
    const int64_t i = blockIdx.x;
    const int thread = threadIdx.x;

    // 06_layer_norm.tile:16    let mu = mean(t, axis = 1);
    float mu_part = 0.0f;
    const __nv_bfloat16 *const x_at = x + i * x_stride;
    for (int64_t col = W * thread; col < N; col += W * 1024) {
        // 06_layer_norm.tile:15    let t = x.load_like(y) as f32;
        __nv_bfloat16 x_v[W];
        load_vec(x_v, &x_at[col]);
        #pragma unroll
        for (int c = 0; c < W; c++)
            mu_part += __bfloat162float(x_v[c]);
    }
    mu_part = block_sum<32>(mu_part, mu_part_parts);
    const float mu = mu_part / (float)N;

    // 06_layer_norm.tile:18    let r = rsqrt(mean(c * c, axis = 1) + eps);
    float whole_mean_part = 0.0f;
    for (int64_t col = W * thread; col < N; col += W * 1024) {
        // 06_layer_norm.tile:15    let t = x.load_like(y) as f32;
        __nv_bfloat16 x_v[W];
        load_vec(x_v, &x_at[col]);
        #pragma unroll
        for (int c = 0; c < W; c++) {
            const float t = __bfloat162float(x_v[c]);
            const float c2 = t - mu;
            whole_mean_part += __fmul_rn(c2, c2);
        }
    }
    whole_mean_part = block_sum<32>(whole_mean_part, whole_mean_part_parts);
    const float whole_mean = whole_mean_part / (float)N;

    // 06_layer_norm.tile:18    let r = rsqrt(mean(c * c, axis = 1) + eps);
    const float r = rsqrtf(whole_mean + eps);

    // 06_layer_norm.tile:19    if mean { mean.store(mu); }
    if (mean != nullptr) {
        if (thread == 0)
            mean[i] = mu;
    }

    // 06_layer_norm.tile:20    if rstd { rstd.store(r); }
    if (rstd != nullptr) {
        if (thread == 0)
            rstd[i] = r;
    }

    // 06_layer_norm.tile:23    y.store(o as T);
    __nv_bfloat16 *const y_at = y + i * y_stride;
    for (int64_t col = W * thread; col < N; col += W * 1024) {
        // 06_layer_norm.tile:15    let t = x.load_like(y) as f32;
        __nv_bfloat16 x_v[W];
        load_vec(x_v, &x_at[col]);

        // 06_layer_norm.tile:21    let mut o = c * expand(r, 1) * w.load_like(y) as f32;    // w: [1, N], as every row has the same
        __nv_bfloat16 w_v[W];
        load_vec(w_v, &w[col]);

        // 06_layer_norm.tile:22    if b { o += b.load_like(y) as f32; }
        __nv_bfloat16 b_v[W] = {};
        if (b != nullptr)
            load_vec(b_v, &b[col]);
        __nv_bfloat16 out[W];
        #pragma unroll
        for (int c = 0; c < W; c++) {
            const float t = __bfloat162float(x_v[c]);
            const float c2 = t - mu;
            const float o = __fmul_rn(c2 * r, __bfloat162float(w_v[c]));
            const float o2 = o + __bfloat162float(b_v[c]);
            const float o3 = b != nullptr ? o2 : o;
            out[c] = __float2bfloat16_rn(o3);
        }
        store_vec(&y_at[col], out);
    }
}

extern "C" __global__ void __launch_bounds__(1024, 1)
layer_norm_bf16_stream_vectors(__nv_bfloat16 *__restrict__ y, int64_t y_stride,
                               float *__restrict__ mean, float *__restrict__ rstd,
                               const __nv_bfloat16 *__restrict__ x, int64_t x_stride,
                               const __nv_bfloat16 *__restrict__ w,
                               const __nv_bfloat16 *__restrict__ b, float eps, int64_t M,
                               int64_t N)
{
    layer_norm_bf16_stream<8>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}

extern "C" __global__ void __launch_bounds__(1024, 1)
layer_norm_bf16_stream_unaligned(__nv_bfloat16 *__restrict__ y, int64_t y_stride,
                                 float *__restrict__ mean, float *__restrict__ rstd,
                                 const __nv_bfloat16 *__restrict__ x, int64_t x_stride,
                                 const __nv_bfloat16 *__restrict__ w,
                                 const __nv_bfloat16 *__restrict__ b, float eps, int64_t M,
                                 int64_t N)
{
    layer_norm_bf16_stream<1>(y, y_stride, mean, rstd, x, x_stride, w, b, eps, M, N);
}


// ---- launch ---------------------------------------------------------------------------

// One text a thread, shared by all translated files of a program (weak: any of them will do).
extern "C" {
__attribute__((weak)) thread_local char tile_error_text[256];
__attribute__((weak)) const char *tile_last_error(void) { return tile_error_text; }
}

// Ends a launch function, the reason in tile_last_error().
#define REFUSE(...)                                                          \
    return snprintf(tile_error_text, sizeof tile_error_text, __VA_ARGS__),   \
           cudaErrorInvalidValue

// Negative, or more elements than there is memory for.
static bool tile_bad_extent(int64_t n)
{
    return n < 0 || n >= (int64_t)1 << 42;
}

enum tile_access { TILE_SHARED, TILE_ATOMIC, TILE_EXCLUSIVE };
struct tile_axis { int64_t extent, stride; };

// A tensor as the checks see it: rows of contiguous elements, and the axes along which they lie.
struct tile_tensor {
    const char *name;
    const void *at;
    int bytes;                                  // of an element
    tile_access access;
    int64_t row;                                // elements; 0 if an optional tensor is not there
    int axes;
    tile_axis axis[6];
};

// From the first byte to past the last one; 0 of an empty tensor.
static unsigned __int128 tile_bytes(const tile_tensor &t)
{
    unsigned __int128 elements = (uint64_t)t.row;
    bool empty = t.row == 0;
    for (int i = 0; i < t.axes; i++) {
        empty = empty || t.axis[i].extent == 0;
        elements += (unsigned __int128)(t.axis[i].extent - 1) * (uint64_t)t.axis[i].stride;
    }
    return empty ? 0 : elements * (unsigned)t.bytes;
}

// The axis along which t meets itself, or -1: its stride is less than what the axes inside it, of
// smaller strides, cover. (Strides that miss each other by luck alone count as meeting.)
static int tile_folded(const tile_tensor &t, long long *covered)
{
    for (int i = 0; i < t.axes; i++) {
        const tile_axis &axis = t.axis[i];
        unsigned __int128 inside = (uint64_t)t.row;
        for (int j = 0; j < t.axes; j++)
            if (j != i && t.axis[j].stride <= axis.stride)
                inside += (unsigned __int128)(t.axis[j].extent - 1) * (uint64_t)t.axis[j].stride;
        *covered = (long long)inside;
        if (axis.extent > 1 && (uint64_t)axis.stride < inside)
            return i;
    }
    return -1;
}

// Does t lie in the first *bytes of each pitch? So it does if longer strides are multiples of it.
static bool tile_turns(const tile_tensor &t, uint64_t pitch, uint64_t *bytes)
{
    *bytes = (uint64_t)t.row * t.bytes;
    for (int i = 0; i < t.axes; i++) {
        const uint64_t stride = (uint64_t)t.axis[i].stride * t.bytes;
        if (t.axis[i].extent > 1 && stride >= pitch && stride % pitch != 0)
            return false;
        if (t.axis[i].extent > 1 && stride < pitch)
            *bytes += (uint64_t)(t.axis[i].extent - 1) * stride;
    }
    return true;
}

// Have a and b columns of their own in rows of one pitch? So q, k and v may share a buffer. Both
// are inside the address space, so that nothing here overflows.
static bool tile_side_by_side(const tile_tensor &a, const tile_tensor &b)
{
    if ((uintptr_t)a.at > (uintptr_t)b.at)
        return tile_side_by_side(b, a);
    for (int i = 0; i < a.axes; i++) {
        const uint64_t pitch = (uint64_t)a.axis[i].stride * a.bytes;
        uint64_t a_bytes, b_bytes;
        if (a.axis[i].extent <= 1 || pitch == 0 || !tile_turns(a, pitch, &a_bytes)
            || !tile_turns(b, pitch, &b_bytes))
            continue;
        const uint64_t apart = ((uintptr_t)b.at - (uintptr_t)a.at) % pitch;
        if (apart >= a_bytes && b_bytes <= pitch - apart)
            return true;
    }
    return false;
}

// Does every row of t begin at a multiple of so many bytes?
static bool tile_aligned(const tile_tensor &t, int bytes)
{
    bool yes = (uintptr_t)t.at % bytes == 0;
    for (int i = 0; i < t.axes; i++)
        yes = yes && (t.axis[i].extent <= 1 || t.axis[i].stride * t.bytes % bytes == 0);
    return yes;
}

// Is t there, inside the address space and, if it is exclusive, no byte of it in two places?
static bool tile_fits(const char *kernel, const tile_tensor &t, unsigned __int128 bytes)
{
    const char *wrong = NULL;
    if (bytes == 0)
        return true;
    if (bytes > UINTPTR_MAX - (uintptr_t)t.at)
        wrong = "reaches beyond the end of memory";
    for (int i = 0; i < t.axes; i++)
        if (t.axis[i].extent > 1 && t.axis[i].stride < 0)
            wrong = "has a negative stride";
    if (!t.at)
        wrong = "is a null pointer";
    if (wrong) {
        snprintf(tile_error_text, sizeof tile_error_text, "%s: %s %s", kernel, t.name, wrong);
        return false;
    }
    long long covered;
    const int axis = t.access == TILE_SHARED ? -1 : tile_folded(t, &covered);
    if (axis >= 0)
        snprintf(tile_error_text, sizeof tile_error_text, "%s: elements of %s overlap: axis %d has "
                 "stride %lld, and what lies inside it covers %lld", kernel, t.name, axis,
                 (long long)t.axis[axis].stride, covered);
    return axis < 0;
}

// The tensors of a launch: each fits, and one that is written shares no byte with another.
template <int N>
static bool tile_check(const char *kernel, const tile_tensor (&tensors)[N])
{
    uintptr_t end[N];
    for (int i = 0; i < N; i++) {
        const unsigned __int128 bytes = tile_bytes(tensors[i]);
        if (!tile_fits(kernel, tensors[i], bytes))
            return false;
        end[i] = bytes ? (uintptr_t)tensors[i].at + (uintptr_t)bytes : 0;
    }
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++) {
            const tile_tensor &a = tensors[i], &b = tensors[j];
            if ((a.access || b.access) && (uintptr_t)a.at < end[j] && (uintptr_t)b.at < end[i]
                && !tile_side_by_side(a, b)) {
                snprintf(tile_error_text, sizeof tile_error_text, "%s: %s and %s overlap; an "
                         "exclusive tensor may not alias another argument", kernel, a.name, b.name);
                return false;
            }
        }
    return true;
}

extern "C" cudaError_t
layer_norm_f32_strided(float *y, int64_t y_stride, float *mean, float *rstd, const float *x,
                       int64_t x_stride, const float *w, const float *b, float eps, int64_t M,
                       int64_t N, cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (tile_bad_extent(M) || tile_bad_extent(N))
        REFUSE("layer_norm_f32: extents are from 0 to 2^42: M is %lld, N is %lld", (long long)M,
               (long long)N);

    const tile_tensor tensors[] = {
        {"y (&mut)", y, sizeof *y, TILE_EXCLUSIVE, N, 1, {{M, y_stride}}},
        {"mean (&mut)", mean, sizeof *mean, TILE_EXCLUSIVE, mean ? M : 0, 0, {}},
        {"rstd (&mut)", rstd, sizeof *rstd, TILE_EXCLUSIVE, rstd ? M : 0, 0, {}},
        {"x (&)", x, sizeof *x, TILE_SHARED, N, 1, {{M, x_stride}}},
        {"w (&)", w, sizeof *w, TILE_SHARED, N, 0, {}},
        {"b (&)", b, sizeof *b, TILE_SHARED, b ? N : 0, 0, {}},
    };
    if (!tile_check("layer_norm_f32", tensors))
        return cudaErrorInvalidValue;

    const auto launch = [&](auto kernel, int64_t blocks, unsigned threads) {
        if (blocks > 0x7fffffff)
            REFUSE("layer_norm_f32: %lld blocks are needed; a grid has up to 2147483647",
                   (long long)blocks);
        const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(threads),
                                           0, stream, NULL, 0};
        return cudaLaunchKernelEx(&config, kernel, y, y_stride, mean, rstd, x, x_stride, w, b, eps,
                                  M, N);
    };

    const int64_t programs = M;
    if (programs == 0)
        return cudaSuccess;
    const bool vectors = N % 4 == 0 && tile_aligned(tensors[3], 16)
                         && tile_aligned(tensors[4], 16) && tile_aligned(tensors[5], 16)
                         && tile_aligned(tensors[0], 16);
    if (vectors && N > 0) {
        if (N <= 256)
            return launch(layer_norm_f32_warp_256, tile_ceil(programs, 4), 128);
        if (N <= 512)
            return launch(layer_norm_f32_block_512, programs, 64);
        if (N <= 1024)
            return launch(layer_norm_f32_block_1024, programs, 128);
        if (N <= 2048)
            return launch(layer_norm_f32_block_2048, programs, 128);
        if (N <= 4096)
            return launch(layer_norm_f32_block_4096, programs, 256);
        if (N <= 8192)
            return launch(layer_norm_f32_block_8192, programs, 256);
        if (N <= 16384)
            return launch(layer_norm_f32_block_16384, programs, 512);
    }
    if (vectors)
        return launch(layer_norm_f32_stream_vectors, programs, 1024);
    if (N > 0) {
        if (N <= 256)
            return launch(layer_norm_f32_warp_256_unaligned, tile_ceil(programs, 4), 128);
        if (N <= 1024)
            return launch(layer_norm_f32_block_1024_unaligned, programs, 128);
        if (N <= 4096)
            return launch(layer_norm_f32_block_4096_unaligned, programs, 256);
        if (N <= 8192)
            return launch(layer_norm_f32_block_8192_unaligned, programs, 256);
        if (N <= 16384)
            return launch(layer_norm_f32_block_16384_unaligned, programs, 512);
    }
    return launch(layer_norm_f32_stream_unaligned, programs, 1024);
}

extern "C" cudaError_t
layer_norm_f32(float *y, float *mean, float *rstd, const float *x, const float *w, const float *b,
               float eps, int64_t M, int64_t N, cudaStream_t stream)
{
    return layer_norm_f32_strided(y, N, mean, rstd, x, N, w, b, eps, M, N, stream);
}

extern "C" cudaError_t
layer_norm_f16_strided(__half *y, int64_t y_stride, float *mean, float *rstd, const __half *x,
                       int64_t x_stride, const __half *w, const __half *b, float eps, int64_t M,
                       int64_t N, cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (tile_bad_extent(M) || tile_bad_extent(N))
        REFUSE("layer_norm_f16: extents are from 0 to 2^42: M is %lld, N is %lld", (long long)M,
               (long long)N);

    const tile_tensor tensors[] = {
        {"y (&mut)", y, sizeof *y, TILE_EXCLUSIVE, N, 1, {{M, y_stride}}},
        {"mean (&mut)", mean, sizeof *mean, TILE_EXCLUSIVE, mean ? M : 0, 0, {}},
        {"rstd (&mut)", rstd, sizeof *rstd, TILE_EXCLUSIVE, rstd ? M : 0, 0, {}},
        {"x (&)", x, sizeof *x, TILE_SHARED, N, 1, {{M, x_stride}}},
        {"w (&)", w, sizeof *w, TILE_SHARED, N, 0, {}},
        {"b (&)", b, sizeof *b, TILE_SHARED, b ? N : 0, 0, {}},
    };
    if (!tile_check("layer_norm_f16", tensors))
        return cudaErrorInvalidValue;

    const auto launch = [&](auto kernel, int64_t blocks, unsigned threads) {
        if (blocks > 0x7fffffff)
            REFUSE("layer_norm_f16: %lld blocks are needed; a grid has up to 2147483647",
                   (long long)blocks);
        const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(threads),
                                           0, stream, NULL, 0};
        return cudaLaunchKernelEx(&config, kernel, y, y_stride, mean, rstd, x, x_stride, w, b, eps,
                                  M, N);
    };

    const int64_t programs = M;
    if (programs == 0)
        return cudaSuccess;
    const bool vectors = N % 8 == 0 && tile_aligned(tensors[3], 16)
                         && tile_aligned(tensors[4], 16) && tile_aligned(tensors[5], 16)
                         && tile_aligned(tensors[0], 16);
    if (vectors && N > 0) {
        if (N <= 128)
            return launch(layer_norm_f16_octet_128, tile_ceil(programs, 16), 128);
        if (N <= 256)
            return launch(layer_norm_f16_octet_256, tile_ceil(programs, 16), 128);
        if (N <= 512)
            return launch(layer_norm_f16_warp_512, tile_ceil(programs, 4), 128);
        if (N <= 1024)
            return launch(layer_norm_f16_warp_1024, programs, 32);
        if (N <= 2048)
            return launch(layer_norm_f16_block_2048, programs, 128);
        if (N <= 4096)
            return launch(layer_norm_f16_block_4096, programs, 128);
        if (N <= 8192)
            return launch(layer_norm_f16_block_8192, programs, 256);
        if (N <= 16384)
            return launch(layer_norm_f16_block_16384, programs, 512);
    }
    if (vectors)
        return launch(layer_norm_f16_stream_vectors, programs, 1024);
    if (N > 0) {
        if (N <= 256)
            return launch(layer_norm_f16_warp_256_unaligned, tile_ceil(programs, 4), 128);
        if (N <= 1024)
            return launch(layer_norm_f16_block_1024_unaligned, programs, 128);
        if (N <= 4096)
            return launch(layer_norm_f16_block_4096_unaligned, programs, 256);
        if (N <= 8192)
            return launch(layer_norm_f16_block_8192_unaligned, programs, 256);
        if (N <= 16384)
            return launch(layer_norm_f16_block_16384_unaligned, programs, 512);
    }
    return launch(layer_norm_f16_stream_unaligned, programs, 1024);
}

extern "C" cudaError_t
layer_norm_f16(__half *y, float *mean, float *rstd, const __half *x, const __half *w,
               const __half *b, float eps, int64_t M, int64_t N, cudaStream_t stream)
{
    return layer_norm_f16_strided(y, N, mean, rstd, x, N, w, b, eps, M, N, stream);
}

extern "C" cudaError_t
layer_norm_bf16_strided(__nv_bfloat16 *y, int64_t y_stride, float *mean, float *rstd,
                        const __nv_bfloat16 *x, int64_t x_stride, const __nv_bfloat16 *w,
                        const __nv_bfloat16 *b, float eps, int64_t M, int64_t N,
                        cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (tile_bad_extent(M) || tile_bad_extent(N))
        REFUSE("layer_norm_bf16: extents are from 0 to 2^42: M is %lld, N is %lld", (long long)M,
               (long long)N);

    const tile_tensor tensors[] = {
        {"y (&mut)", y, sizeof *y, TILE_EXCLUSIVE, N, 1, {{M, y_stride}}},
        {"mean (&mut)", mean, sizeof *mean, TILE_EXCLUSIVE, mean ? M : 0, 0, {}},
        {"rstd (&mut)", rstd, sizeof *rstd, TILE_EXCLUSIVE, rstd ? M : 0, 0, {}},
        {"x (&)", x, sizeof *x, TILE_SHARED, N, 1, {{M, x_stride}}},
        {"w (&)", w, sizeof *w, TILE_SHARED, N, 0, {}},
        {"b (&)", b, sizeof *b, TILE_SHARED, b ? N : 0, 0, {}},
    };
    if (!tile_check("layer_norm_bf16", tensors))
        return cudaErrorInvalidValue;

    const auto launch = [&](auto kernel, int64_t blocks, unsigned threads) {
        if (blocks > 0x7fffffff)
            REFUSE("layer_norm_bf16: %lld blocks are needed; a grid has up to 2147483647",
                   (long long)blocks);
        const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(threads),
                                           0, stream, NULL, 0};
        return cudaLaunchKernelEx(&config, kernel, y, y_stride, mean, rstd, x, x_stride, w, b, eps,
                                  M, N);
    };

    const int64_t programs = M;
    if (programs == 0)
        return cudaSuccess;
    const bool vectors = N % 8 == 0 && tile_aligned(tensors[3], 16)
                         && tile_aligned(tensors[4], 16) && tile_aligned(tensors[5], 16)
                         && tile_aligned(tensors[0], 16);
    if (vectors && N > 0) {
        if (N <= 128)
            return launch(layer_norm_bf16_octet_128, tile_ceil(programs, 16), 128);
        if (N <= 256)
            return launch(layer_norm_bf16_octet_256, tile_ceil(programs, 16), 128);
        if (N <= 512)
            return launch(layer_norm_bf16_warp_512, tile_ceil(programs, 4), 128);
        if (N <= 1024)
            return launch(layer_norm_bf16_warp_1024, programs, 32);
        if (N <= 2048)
            return launch(layer_norm_bf16_block_2048, programs, 128);
        if (N <= 4096)
            return launch(layer_norm_bf16_block_4096, programs, 128);
        if (N <= 8192)
            return launch(layer_norm_bf16_block_8192, programs, 256);
        if (N <= 16384)
            return launch(layer_norm_bf16_block_16384, programs, 512);
    }
    if (vectors)
        return launch(layer_norm_bf16_stream_vectors, programs, 1024);
    if (N > 0) {
        if (N <= 256)
            return launch(layer_norm_bf16_warp_256_unaligned, tile_ceil(programs, 4), 128);
        if (N <= 1024)
            return launch(layer_norm_bf16_block_1024_unaligned, programs, 128);
        if (N <= 4096)
            return launch(layer_norm_bf16_block_4096_unaligned, programs, 256);
        if (N <= 8192)
            return launch(layer_norm_bf16_block_8192_unaligned, programs, 256);
        if (N <= 16384)
            return launch(layer_norm_bf16_block_16384_unaligned, programs, 512);
    }
    return launch(layer_norm_bf16_stream_unaligned, programs, 1024);
}

extern "C" cudaError_t
layer_norm_bf16(__nv_bfloat16 *y, float *mean, float *rstd, const __nv_bfloat16 *x,
                const __nv_bfloat16 *w, const __nv_bfloat16 *b, float eps, int64_t M, int64_t N,
                cudaStream_t stream)
{
    return layer_norm_bf16_strided(y, N, mean, rstd, x, N, w, b, eps, M, N, stream);
}
