// 05_reduce.cu -- translated from 05_reduce.tile by tilec; edit the .tile, not this file.
//
//   nvcc -arch=native -c 05_reduce.cu        an object with the launch functions of 05_reduce.h
//   nvcc -arch=sm_90 -fatbin 05_reduce.cu    the device code alone
//
// Not for -ftz=true or -use_fast_math: they change results.
//
// kernel row_stats    sums[M] by [i: 1], means[M] by [i: 1], places[M] by [i: 1]  <-  x[M, N]
//
//   program    one for each part of the outputs, as they are cut above
//   variants   row_stats_warp _256    N <= 256: a row lives in one warp's registers; no
//              barrier between warps
//              row_stats_block _512, _1024, _2048, _4096, _8192, _16384, _32768    N <=
//              32768: a row lives in one block's registers
//              row_stats_stream    any N: a row is read again for each pass over it
//              each with accesses of 4 elements, and as .._unaligned with one at a time, for
//              pointers or rows that are not aligned
//
// kernel column_sums    sums[N] by [j: 64]  <-  x[M, N]
//
//   program    one for each part of the outputs, as they are cut above
//   variants   column_sums_tile    a tile lives in the registers of its program's threads
//              each with accesses of 4 elements, and as .._unaligned with one at a time, for
//              pointers or rows that are not aligned

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <cuda_runtime.h>
#include "05_reduce.h"

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

// The smaller of two.
static __host__ __device__ inline int64_t tile_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
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

// Every thread gets the sum of its group's slots:
// COUNT threads, STEP apart, whose parts are written.
template <int COUNT, int STEP, typename T>
static __device__ __forceinline__ T across_sum(T, const T *parts)
{
    const T *group = parts + (threadIdx.x - threadIdx.x / STEP % COUNT * STEP);
    T a = group[0];
    for (int i = 1; i < COUNT; i++) {
        const T b = group[i * STEP];
        a = a + b;
    }
    return a;
}

// Takes value v at place i if it is the largest so far;
// NaN counts as the largest; of equals the first.
template <typename T, typename V>
static __device__ __forceinline__ void take_larger(T &best, int32_t &at, V value, int32_t i)
{
    const T v = (T)value;
    const bool nan = v != v, best_nan = best != best;
    const bool equal = v == best || (nan && best_nan);
    if (v > best || (nan && !best_nan) || (equal && i < at)) {
        best = v;
        at = i;
    }
}

// Every lane gets the largest of its group's values and its place: SPAN lanes, STEP apart.
template <int SPAN = 32, int STEP = 1, typename T>
static __device__ __forceinline__ void warp_argmax(T &best, int32_t &at)
{
    for (int step = SPAN / 2 * STEP; step >= STEP; step /= 2) {
        const T v = __shfl_xor_sync(0xffffffff, best, step);
        const int32_t i = __shfl_xor_sync(0xffffffff, at, step);
        take_larger(best, at, v, i);
    }
}

// Every thread gets the largest of the block's values and its place; a slot a warp, one barrier.
// Nobody may still be reading the slots from before.
template <int WARPS, typename T>
static __device__ __forceinline__ void block_argmax(T &best, int32_t &at, T *parts,
                                                    int32_t *parts_at)
{
    warp_argmax(best, at);
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = best;
        parts_at[threadIdx.x / 32] = at;
    }
    __syncthreads();                            // the slots are written before anyone reads them
    for (int w = 0; w < WARPS; w++)
        take_larger(best, at, parts[w], parts_at[w]);
}

// ---- row_stats_warp, a row in one warp's registers -------------------------------------
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
//   padding    t_sum: no mask, since outside the valid part lies 0.0f, which changes no sum
//              t_mean: no mask, since outside the valid part lies 0.0f, which changes no sum
//              t_argmax: a mask, since 0.0f may lie outside the valid part, and argmax must
//              not see it
//   barriers   none: no thread waits for another warp
//   launch     has checked: N <= the number in the entry's name; for W > 1: x lie at
//              multiples of 16 bytes (of W elements, if those are fewer), their rows too, and
//              rows are multiples of W long

template <int VECS, int W>
static __device__ __forceinline__ void
row_stats_warp(float *__restrict__ sums, float *__restrict__ means, int32_t *__restrict__ places,
               const float *__restrict__ x, int64_t x_stride, int64_t M, int64_t N)
{
    const int64_t i = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (i >= M)
        return;
    const int lane = threadIdx.x % 32;

    // 05_reduce.tile:16    let t = x.load([i, 0], [BM, N]);
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

    // 05_reduce.tile:17    sums.store(sum(t, axis = 1));
    float t_sum = 0.0f;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            t_sum += t[v][c];
    }
    t_sum = warp_sum(t_sum);
    if (lane == 0)
        sums[i] = t_sum;

    // 05_reduce.tile:18    if means { means.store(mean(t, axis = 1)); }
    if (means != nullptr) {
        float t_mean_part = 0.0f;
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            #pragma unroll
            for (int c = 0; c < W; c++)
                t_mean_part += t[v][c];
        }
        t_mean_part = warp_sum(t_mean_part);
        const float t_mean = t_mean_part / (float)N;
        if (lane == 0)
            means[i] = t_mean;
    }

    // 05_reduce.tile:19    if places { places.store(argmax(t, axis = 1)); }
    if (places != nullptr) {
        float t_argmax_best = -INFINITY;
        int32_t t_argmax_at = INT32_MAX;
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            const int col = W * (32 * v + lane);
            if (col < cols) {
                #pragma unroll
                for (int c = 0; c < W; c++)
                    take_larger(t_argmax_best, t_argmax_at, t[v][c], col + c);
            }
        }
        warp_argmax(t_argmax_best, t_argmax_at);
        const int32_t t_argmax = t_argmax_at == INT32_MAX ? 0 : t_argmax_at;
        if (lane == 0)
            places[i] = t_argmax;
    }
}

extern "C" __global__ void __launch_bounds__(128, 1)
row_stats_warp_256(float *__restrict__ sums, float *__restrict__ means,
                   int32_t *__restrict__ places, const float *__restrict__ x, int64_t x_stride,
                   int64_t M, int64_t N)
{
    row_stats_warp<2, 4>(sums, means, places, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 1)
row_stats_warp_256_unaligned(float *__restrict__ sums, float *__restrict__ means,
                             int32_t *__restrict__ places, const float *__restrict__ x,
                             int64_t x_stride, int64_t M, int64_t N)
{
    row_stats_warp<8, 1>(sums, means, places, x, x_stride, M, N);
}

// ---- row_stats_block, a row in one block's registers -----------------------------------
//
//   block      THREADS threads are one program
//   col        of N: a thread holds the W elements from W * (THREADS * v + thread) on, for v
//              = 0 .. VECS - 1
//   padding    t_sum: no mask, since outside the valid part lies 0.0f, which changes no sum
//              t_mean: no mask, since outside the valid part lies 0.0f, which changes no sum
//              t_argmax: a mask, since 0.0f may lie outside the valid part, and argmax must
//              not see it
//   barriers   in block_sum<THREADS / 32>: every warp's part is written before anyone reads
//              the parts
//              in block_argmax<THREADS / 32>: every warp's part is written before anyone
//              reads the parts
//   launch     has checked: N <= the number in the entry's name; for W > 1: x lie at
//              multiples of 16 bytes (of W elements, if those are fewer), their rows too, and
//              rows are multiples of W long

template <int THREADS, int VECS, int W>
static __device__ __forceinline__ void
row_stats_block(float *__restrict__ sums, float *__restrict__ means, int32_t *__restrict__ places,
                const float *__restrict__ x, int64_t x_stride, int64_t M, int64_t N)
{
    __shared__ float t_sum_parts[THREADS / 32];
    __shared__ float t_mean_part_parts[THREADS / 32];
    __shared__ float t_argmax_best_parts[THREADS / 32];
    __shared__ int32_t t_argmax_best_parts_at[THREADS / 32];
    const int64_t i = blockIdx.x;
    const int thread = threadIdx.x;

    // 05_reduce.tile:16    let t = x.load([i, 0], [BM, N]);
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

    // 05_reduce.tile:17    sums.store(sum(t, axis = 1));
    float t_sum = 0.0f;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            t_sum += t[v][c];
    }
    t_sum = block_sum<THREADS / 32>(t_sum, t_sum_parts);
    if (thread == 0)
        sums[i] = t_sum;

    // 05_reduce.tile:18    if means { means.store(mean(t, axis = 1)); }
    if (means != nullptr) {
        float t_mean_part = 0.0f;
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            #pragma unroll
            for (int c = 0; c < W; c++)
                t_mean_part += t[v][c];
        }
        t_mean_part = block_sum<THREADS / 32>(t_mean_part, t_mean_part_parts);
        const float t_mean = t_mean_part / (float)N;
        if (thread == 0)
            means[i] = t_mean;
    }

    // 05_reduce.tile:19    if places { places.store(argmax(t, axis = 1)); }
    if (places != nullptr) {
        float t_argmax_best = -INFINITY;
        int32_t t_argmax_at = INT32_MAX;
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            const int col = W * (THREADS * v + thread);
            if (col < cols) {
                #pragma unroll
                for (int c = 0; c < W; c++)
                    take_larger(t_argmax_best, t_argmax_at, t[v][c], col + c);
            }
        }
        block_argmax<THREADS / 32>(t_argmax_best, t_argmax_at, t_argmax_best_parts,
            t_argmax_best_parts_at);
        const int32_t t_argmax = t_argmax_at == INT32_MAX ? 0 : t_argmax_at;
        if (thread == 0)
            places[i] = t_argmax;
    }
}

extern "C" __global__ void __launch_bounds__(64, 1)
row_stats_block_512(float *__restrict__ sums, float *__restrict__ means,
                    int32_t *__restrict__ places, const float *__restrict__ x, int64_t x_stride,
                    int64_t M, int64_t N)
{
    row_stats_block<64, 2, 4>(sums, means, places, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 1)
row_stats_block_1024(float *__restrict__ sums, float *__restrict__ means,
                     int32_t *__restrict__ places, const float *__restrict__ x, int64_t x_stride,
                     int64_t M, int64_t N)
{
    row_stats_block<128, 2, 4>(sums, means, places, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 1)
row_stats_block_2048(float *__restrict__ sums, float *__restrict__ means,
                     int32_t *__restrict__ places, const float *__restrict__ x, int64_t x_stride,
                     int64_t M, int64_t N)
{
    row_stats_block<128, 4, 4>(sums, means, places, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 1)
row_stats_block_4096(float *__restrict__ sums, float *__restrict__ means,
                     int32_t *__restrict__ places, const float *__restrict__ x, int64_t x_stride,
                     int64_t M, int64_t N)
{
    row_stats_block<256, 4, 4>(sums, means, places, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 1)
row_stats_block_8192(float *__restrict__ sums, float *__restrict__ means,
                     int32_t *__restrict__ places, const float *__restrict__ x, int64_t x_stride,
                     int64_t M, int64_t N)
{
    row_stats_block<256, 8, 4>(sums, means, places, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(512, 1)
row_stats_block_16384(float *__restrict__ sums, float *__restrict__ means,
                      int32_t *__restrict__ places, const float *__restrict__ x, int64_t x_stride,
                      int64_t M, int64_t N)
{
    row_stats_block<512, 8, 4>(sums, means, places, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(1024, 1)
row_stats_block_32768(float *__restrict__ sums, float *__restrict__ means,
                      int32_t *__restrict__ places, const float *__restrict__ x, int64_t x_stride,
                      int64_t M, int64_t N)
{
    row_stats_block<1024, 8, 4>(sums, means, places, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 1)
row_stats_block_1024_unaligned(float *__restrict__ sums, float *__restrict__ means,
                               int32_t *__restrict__ places, const float *__restrict__ x,
                               int64_t x_stride, int64_t M, int64_t N)
{
    row_stats_block<128, 8, 1>(sums, means, places, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 1)
row_stats_block_4096_unaligned(float *__restrict__ sums, float *__restrict__ means,
                               int32_t *__restrict__ places, const float *__restrict__ x,
                               int64_t x_stride, int64_t M, int64_t N)
{
    row_stats_block<256, 16, 1>(sums, means, places, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 1)
row_stats_block_8192_unaligned(float *__restrict__ sums, float *__restrict__ means,
                               int32_t *__restrict__ places, const float *__restrict__ x,
                               int64_t x_stride, int64_t M, int64_t N)
{
    row_stats_block<256, 32, 1>(sums, means, places, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(512, 1)
row_stats_block_16384_unaligned(float *__restrict__ sums, float *__restrict__ means,
                                int32_t *__restrict__ places, const float *__restrict__ x,
                                int64_t x_stride, int64_t M, int64_t N)
{
    row_stats_block<512, 32, 1>(sums, means, places, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(1024, 1)
row_stats_block_32768_unaligned(float *__restrict__ sums, float *__restrict__ means,
                                int32_t *__restrict__ places, const float *__restrict__ x,
                                int64_t x_stride, int64_t M, int64_t N)
{
    row_stats_block<1024, 32, 1>(sums, means, places, x, x_stride, M, N);
}

// ---- row_stats_stream, rows of any length ----------------------------------------------
//
//   block      1024 threads are one program
//   col        of N: a thread holds the W elements from W * thread on, then on by W * 1024
//
//                  col        0    4    8        4092  4096 4100       (W = 4)
//                  thread     0    1    2  ...   1023     0    1  ...
//
//   barriers   in block_sum<32>: every warp's part is written before anyone reads the parts
//              in block_argmax<32>: every warp's part is written before anyone reads the
//              parts
//   launch     has checked: for W > 1: x lie at multiples of 16 bytes (of W elements, if
//              those are fewer), their rows too, and rows are multiples of W long

template <int W>
static __device__ __forceinline__ void
row_stats_stream(float *__restrict__ sums, float *__restrict__ means, int32_t *__restrict__ places,
                 const float *__restrict__ x, int64_t x_stride, int64_t M, int64_t N)
{
    __shared__ float t_sum_parts[32];
    __shared__ float t_mean_part_parts[32];
    __shared__ float t_argmax_best_parts[32];
    __shared__ int32_t t_argmax_best_parts_at[32];
    const int64_t i = blockIdx.x;
    const int thread = threadIdx.x;

    // 05_reduce.tile:17    sums.store(sum(t, axis = 1));
    float t_sum = 0.0f;
    const float *const x_at = x + i * x_stride;
    for (int64_t col = W * thread; col < N; col += W * 1024) {
        // 05_reduce.tile:16    let t = x.load([i, 0], [BM, N]);
        float t[W];
        load_vec(t, &x_at[col]);
        #pragma unroll
        for (int c = 0; c < W; c++)
            t_sum += t[c];
    }
    t_sum = block_sum<32>(t_sum, t_sum_parts);

    // 05_reduce.tile:17    sums.store(sum(t, axis = 1));
    if (thread == 0)
        sums[i] = t_sum;

    // 05_reduce.tile:18    if means { means.store(mean(t, axis = 1)); }
    if (means != nullptr) {
        float t_mean_part = 0.0f;
        for (int64_t col = W * thread; col < N; col += W * 1024) {
            // 05_reduce.tile:16    let t = x.load([i, 0], [BM, N]);
            float t[W];
            load_vec(t, &x_at[col]);
            #pragma unroll
            for (int c = 0; c < W; c++)
                t_mean_part += t[c];
        }
        t_mean_part = block_sum<32>(t_mean_part, t_mean_part_parts);
        const float t_mean = t_mean_part / (float)N;

        // 05_reduce.tile:18    if means { means.store(mean(t, axis = 1)); }
        if (thread == 0)
            means[i] = t_mean;
    }

    // 05_reduce.tile:19    if places { places.store(argmax(t, axis = 1)); }
    if (places != nullptr) {
        float t_argmax_best = -INFINITY;
        int32_t t_argmax_at = INT32_MAX;
        for (int64_t col = W * thread; col < N; col += W * 1024) {
            // 05_reduce.tile:16    let t = x.load([i, 0], [BM, N]);
            float t[W];
            load_vec(t, &x_at[col]);
            #pragma unroll
            for (int c = 0; c < W; c++)
                take_larger(t_argmax_best, t_argmax_at, t[c], (int32_t)(col + c));
        }
        block_argmax<32>(t_argmax_best, t_argmax_at, t_argmax_best_parts, t_argmax_best_parts_at);
        const int32_t t_argmax = t_argmax_at == INT32_MAX ? 0 : t_argmax_at;

        // 05_reduce.tile:19    if places { places.store(argmax(t, axis = 1)); }
        if (thread == 0)
            places[i] = t_argmax;
    }
}

extern "C" __global__ void __launch_bounds__(1024, 1)
row_stats_stream_vectors(float *__restrict__ sums, float *__restrict__ means,
                         int32_t *__restrict__ places, const float *__restrict__ x,
                         int64_t x_stride, int64_t M, int64_t N)
{
    row_stats_stream<4>(sums, means, places, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(1024, 1)
row_stats_stream_unaligned(float *__restrict__ sums, float *__restrict__ means,
                           int32_t *__restrict__ places, const float *__restrict__ x,
                           int64_t x_stride, int64_t M, int64_t N)
{
    row_stats_stream<1>(sums, means, places, x, x_stride, M, N);
}


// ---- column_sums_tile, a tile in registers ---------------------------------------------
//
//   block      128 threads are one program
//   row        of 32: a thread holds element 8 * r + row_thread, for r = 0 .. 3; row_thread =
//              thread / 16
//   col        of 64: a thread holds the W elements from W * (16 * v + col_thread) on, for v
//              = 0 .. VECS - 1; col_thread = thread % 16
//
//                  col        0    4    8        60     (W = 4)
//                  thread     0    1    2  ...   15
//
//   barriers   the parts are written before anyone reads them
//   launch     has checked: for W > 1: x, sums lie at multiples of 16 bytes (of W elements,
//              if those are fewer), their rows too, and rows are multiples of W long

template <int W>
static __device__ __forceinline__ void
column_sums_tile(float *__restrict__ sums, const float *__restrict__ x, int64_t x_stride,
                 int64_t N, int64_t M)
{
    constexpr int VECS = 4 / W;
    __shared__ float acc_sum_parts[VECS][W][128];
    const int64_t j = blockIdx.x;
    const int thread = threadIdx.x;
    const int row_thread = thread / 16;
    const int col_thread = thread % 16;

    // 05_reduce.tile:26    for k in 0..ceil(M, BM) {
    float acc[4][VECS][W];
    #pragma unroll
    for (int r = 0; r < 4; r++) {
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            #pragma unroll
            for (int c = 0; c < W; c++)
                acc[r][v][c] = 0.0f;
        }
    }
    for (int64_t k = 0; k < tile_ceil(M, 32); k++) {
        // 05_reduce.tile:27    acc += fill(x.load([k, j], [BM, BN]), 0.0);
        float x_tile[4][VECS][W];
        const float *const x_at = x + 32 * k * x_stride + 64 * j;
        const int rows = (int)(tile_min(32, M - 32 * k));
        const int cols = (int)(tile_min(64, N - 64 * j));
        #pragma unroll
        for (int r = 0; r < 4; r++) {
            const int row = 8 * r + row_thread;
            #pragma unroll
            for (int v = 0; v < VECS; v++) {
                const int col = W * (16 * v + col_thread);
                if (row < rows && col < cols)
                    load_vec(x_tile[r][v], &x_at[row * x_stride + col]);
                else
                    fill_vec(x_tile[r][v], 0.0f);
            }
        }
        #pragma unroll
        for (int r = 0; r < 4; r++) {
            #pragma unroll
            for (int v = 0; v < VECS; v++) {
                #pragma unroll
                for (int c = 0; c < W; c++)
                    acc[r][v][c] += x_tile[r][v][c];
            }
        }
    }

    // 05_reduce.tile:29    sums.store(sum(acc, axis = 0));
    float acc_sum[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            acc_sum[v][c] = 0.0f;
    }
    #pragma unroll
    for (int r = 0; r < 4; r++) {
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            #pragma unroll
            for (int c = 0; c < W; c++)
                acc_sum[v][c] += acc[r][v][c];
        }
    }
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            acc_sum[v][c] = warp_sum<2, 16>(acc_sum[v][c]);
    }
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            acc_sum_parts[v][c][thread] = acc_sum[v][c];
    }
    __syncthreads();                        // the parts are written before anyone reads them
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            acc_sum[v][c] = across_sum<4, 32>(acc_sum[v][c], acc_sum_parts[v][c]);
    }
    if (thread < 16) {
        const int cols2 = (int)(tile_min(64, N - 64 * j));
        float *const sums_at = sums + 64 * j;
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            const int col = W * (16 * v + col_thread);
            if (col < cols2)
                store_vec(&sums_at[col], acc_sum[v]);
        }
    }
}

extern "C" __global__ void __launch_bounds__(128, 1)
column_sums_tile_vectors(float *__restrict__ sums, const float *__restrict__ x, int64_t x_stride,
                         int64_t N, int64_t M)
{
    column_sums_tile<4>(sums, x, x_stride, N, M);
}

extern "C" __global__ void __launch_bounds__(128, 1)
column_sums_tile_unaligned(float *__restrict__ sums, const float *__restrict__ x, int64_t x_stride,
                           int64_t N, int64_t M)
{
    column_sums_tile<1>(sums, x, x_stride, N, M);
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
row_stats_strided(float *sums, float *means, int32_t *places, const float *x, int64_t x_stride,
                  int64_t M, int64_t N, cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (tile_bad_extent(M) || tile_bad_extent(N))
        REFUSE("row_stats: extents are from 0 to 2^42: M is %lld, N is %lld", (long long)M,
               (long long)N);

    const tile_tensor tensors[] = {
        {"sums (&mut)", sums, sizeof *sums, TILE_EXCLUSIVE, M, 0, {}},
        {"means (&mut)", means, sizeof *means, TILE_EXCLUSIVE, means ? M : 0, 0, {}},
        {"places (&mut)", places, sizeof *places, TILE_EXCLUSIVE, places ? M : 0, 0, {}},
        {"x (&)", x, sizeof *x, TILE_SHARED, N, 1, {{M, x_stride}}},
    };
    if (!tile_check("row_stats", tensors))
        return cudaErrorInvalidValue;

    const auto launch = [&](auto kernel, int64_t blocks, unsigned threads) {
        if (blocks > 0x7fffffff)
            REFUSE("row_stats: %lld blocks are needed; a grid has up to 2147483647",
                   (long long)blocks);
        const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(threads),
                                           0, stream, NULL, 0};
        return cudaLaunchKernelEx(&config, kernel, sums, means, places, x, x_stride, M, N);
    };

    const int64_t programs = M;
    if (programs == 0)
        return cudaSuccess;
    const bool vectors = N % 4 == 0 && tile_aligned(tensors[3], 16);
    if (vectors && N > 0) {
        if (N <= 256)
            return launch(row_stats_warp_256, tile_ceil(programs, 4), 128);
        if (N <= 512)
            return launch(row_stats_block_512, programs, 64);
        if (N <= 1024)
            return launch(row_stats_block_1024, programs, 128);
        if (N <= 2048)
            return launch(row_stats_block_2048, programs, 128);
        if (N <= 4096)
            return launch(row_stats_block_4096, programs, 256);
        if (N <= 8192)
            return launch(row_stats_block_8192, programs, 256);
        if (N <= 16384)
            return launch(row_stats_block_16384, programs, 512);
        if (N <= 32768)
            return launch(row_stats_block_32768, programs, 1024);
    }
    if (vectors)
        return launch(row_stats_stream_vectors, programs, 1024);
    if (N > 0) {
        if (N <= 256)
            return launch(row_stats_warp_256_unaligned, tile_ceil(programs, 4), 128);
        if (N <= 1024)
            return launch(row_stats_block_1024_unaligned, programs, 128);
        if (N <= 4096)
            return launch(row_stats_block_4096_unaligned, programs, 256);
        if (N <= 8192)
            return launch(row_stats_block_8192_unaligned, programs, 256);
        if (N <= 16384)
            return launch(row_stats_block_16384_unaligned, programs, 512);
        if (N <= 32768)
            return launch(row_stats_block_32768_unaligned, programs, 1024);
    }
    return launch(row_stats_stream_unaligned, programs, 1024);
}

extern "C" cudaError_t
row_stats(float *sums, float *means, int32_t *places, const float *x, int64_t M, int64_t N,
          cudaStream_t stream)
{
    return row_stats_strided(sums, means, places, x, N, M, N, stream);
}

extern "C" cudaError_t
column_sums_strided(float *sums, const float *x, int64_t x_stride, int64_t N, int64_t M,
                    cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (tile_bad_extent(N) || tile_bad_extent(M))
        REFUSE("column_sums: extents are from 0 to 2^42: N is %lld, M is %lld", (long long)N,
               (long long)M);

    const tile_tensor tensors[] = {
        {"sums (&mut)", sums, sizeof *sums, TILE_EXCLUSIVE, N, 0, {}},
        {"x (&)", x, sizeof *x, TILE_SHARED, N, 1, {{M, x_stride}}},
    };
    if (!tile_check("column_sums", tensors))
        return cudaErrorInvalidValue;

    const auto launch = [&](auto kernel, int64_t blocks, unsigned threads) {
        if (blocks > 0x7fffffff)
            REFUSE("column_sums: %lld blocks are needed; a grid has up to 2147483647",
                   (long long)blocks);
        const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(threads),
                                           0, stream, NULL, 0};
        return cudaLaunchKernelEx(&config, kernel, sums, x, x_stride, N, M);
    };

    const int64_t programs = tile_ceil(N, 64);
    if (programs == 0)
        return cudaSuccess;
    const bool vectors = N % 4 == 0 && tile_aligned(tensors[1], 16)
                         && tile_aligned(tensors[0], 16);
    if (vectors)
        return launch(column_sums_tile_vectors, programs, 128);
    return launch(column_sums_tile_unaligned, programs, 128);
}

extern "C" cudaError_t
column_sums(float *sums, const float *x, int64_t N, int64_t M, cudaStream_t stream)
{
    return column_sums_strided(sums, x, N, N, M, stream);
}
