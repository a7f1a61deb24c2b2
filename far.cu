// far.cu -- translated from far.tile by tilec; edit the .tile, not this file.
//
//   nvcc -arch=native -c far.cu        an object with the launch functions of far.h
//   nvcc -arch=sm_90 -fatbin far.cu    the device code alone
//
// Not for -ftz=true or -use_fast_math: they change results.
//
// kernel far    y[M, N] by [i: 4, j: 8]  <-  x[M, N]
//
//   program    one for each part of the outputs, as they are cut above
//   variants   far_tile    a tile lives in the registers of its program's threads
//              each with accesses of 4 elements, and as .._unaligned with one at a time, for
//              pointers or rows that are not aligned
//
// kernel far_keep    y[M] by [i: 4]  <-  x[M, N]
//
//   program    one for each part of the outputs, as they are cut above
//   variants   far_keep_tile    a tile lives in the registers of its program's threads
//              each with accesses of 4 elements, and as .._unaligned with one at a time, for
//              pointers or rows that are not aligned
//
// kernel far_sum    y[M] by [i: 4]  <-  x[M, N]
//
//   program    one for each part of the outputs, as they are cut above
//   variants   far_sum_tile    a tile lives in the registers of its program's threads
//
// kernel far_whole    y[M, N] by [i: 1, N]  <-  x[M, N]
//
//   program    one for each part of the outputs, as they are cut above
//   variants   far_whole_warp _256    N <= 256: a row lives in one warp's registers; no
//              barrier between warps
//              far_whole_block _512, _1024, _2048, _4096, _8192, _16384, _32768    N <=
//              32768: a row lives in one block's registers
//              far_whole_stream    any N: a row is read again for each pass over it
//              each with accesses of 4 elements, and as .._unaligned with one at a time, for
//              pointers or rows that are not aligned

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <cuda_runtime.h>
#include "far.h"

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

// How many of a tile's `extent` places lie before an edge that is `left` away.
static __device__ __forceinline__ int tile_clip(int64_t left, int extent)
{
    return left < 0 ? 0 : left < extent ? (int)left : extent;
}

// Sum that wraps.
template <typename T>
static __device__ __forceinline__ T add_wrap(T a, T b)
{
    return (T)((uint64_t)a + (uint64_t)b);
}

// Difference that wraps.
template <typename T>
static __device__ __forceinline__ T sub_wrap(T a, T b)
{
    return (T)((uint64_t)a - (uint64_t)b);
}

// a / b rounded up; by 0: 0.
static __host__ __device__ inline int64_t tile_ceil(int64_t a, int64_t b)
{
    return b == 0 ? 0 : a / b + (a % b != 0 && (a < 0) == (b < 0));
}

// The smaller of two.
static __host__ __device__ inline int64_t tile_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// The larger of two.
static __host__ __device__ inline int64_t tile_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
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

// ---- far_tile, a tile in registers -----------------------------------------------------
//
//   block      128 threads = 16 programs of 8: small programs share a block, which alone
//              could not fill a multiprocessor
//   row        of 4: a thread holds element thread / 2
//   col        of 8: a thread holds the W elements from W * (2 * v + col_thread) on, for v =
//              0 .. VECS - 1; col_thread = thread % 2
//   barriers   none: no thread waits for another warp
//   launch     has checked: for W > 1: x, y lie at multiples of 16 bytes (of W elements, if
//              those are fewer), their rows too, and rows are multiples of W long

template <int W>
static __device__ __forceinline__ void
far_tile(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x, int64_t x_stride,
         int64_t k, int64_t M, int64_t N)
{
    constexpr int VECS = 4 / W;
    const int64_t program = (int64_t)blockIdx.x * 16 + threadIdx.x / 8;
    if (program >= tile_ceil(M, 4) * tile_ceil(N, 8))
        return;
    const int64_t j = program % tile_ceil(N, 8);
    const int64_t i = program / tile_ceil(N, 8);
    const int thread = threadIdx.x % 8;
    const int col_thread = thread % 2;
    const int row = thread / 2;

    // far.tile:3    y.store(x.window([4 * i + k, 8 * j - k], [4, 8], pad = 5.0) + x.load([i + k, j], [4, 8], pad = 7.0));
    float x_tile[VECS][W];
    const float *const x_at = x + (k + 4 * i) * x_stride + 8 * j - k;
    const int rows = tile_clip(-k - 4 * i, 4);
    const int rows2 = tile_clip(M - k - 4 * i, 4);
    const int cols = tile_clip(k - 8 * j, 8);
    const int cols2 = tile_clip(N + k - 8 * j, 8);
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (2 * v + col_thread);
        #pragma unroll
        for (int c = 0; c < W; c++)
            x_tile[v][c] = row >= rows && row < rows2 && col + c >= cols && col + c < cols2
                ? x_at[row * x_stride + col + c] : 5.0f;
    }
    float x_tile2[VECS][W];
    const float *const x_at2 = x + (4 * k + 4 * i) * x_stride + 8 * j;
    const int rows3 = tile_clip(-4 * k - 4 * i, 4);
    const int rows4 = tile_clip(M - 4 * k - 4 * i, 4);
    const int cols3 = (int)(tile_min(8, N - 8 * j));
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (2 * v + col_thread);
        if (row >= rows3 && row < rows4 && col < cols3)
            load_vec(x_tile2[v], &x_at2[row * x_stride + col]);
        else
            fill_vec(x_tile2[v], 7.0f);
    }
    const int rows5 = (int)(tile_min(4, M - 4 * i));
    float *const y_at = y + 4 * i * y_stride + 8 * j;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (2 * v + col_thread);
        if (row < rows5 && col < cols3) {
            float out[W];
            #pragma unroll
            for (int c = 0; c < W; c++)
                out[c] = x_tile[v][c] + x_tile2[v][c];
            store_vec(&y_at[row * y_stride + col], out);
        }
    }
}

extern "C" __global__ void __launch_bounds__(128, 1)
far_tile_vectors(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                 int64_t x_stride, int64_t k, int64_t M, int64_t N)
{
    far_tile<4>(y, y_stride, x, x_stride, k, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 1)
far_tile_unaligned(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                   int64_t x_stride, int64_t k, int64_t M, int64_t N)
{
    far_tile<1>(y, y_stride, x, x_stride, k, M, N);
}


// ---- far_keep_tile, a tile in registers ------------------------------------------------
//
//   block      128 threads = 16 programs of 8: small programs share a block, which alone
//              could not fill a multiprocessor
//   row        of 4: a thread holds element thread / 2
//   col        of 8: a thread holds the W elements from W * (2 * v + col_thread) on, for v =
//              0 .. VECS - 1; col_thread = thread % 2
//   padding    row_sum: a mask, since other values may lie outside the valid part, and sum
//              must not see it
//   barriers   none: no thread waits for another warp
//   launch     has checked: for W > 1: x lie at multiples of 16 bytes (of W elements, if
//              those are fewer), their rows too, and rows are multiples of W long

template <int W>
static __device__ __forceinline__ void
far_keep_tile(float *__restrict__ y, const float *__restrict__ x, int64_t x_stride, int64_t k,
              int64_t M, int64_t N)
{
    constexpr int VECS = 4 / W;
    const int64_t i = (int64_t)blockIdx.x * 16 + threadIdx.x / 8;
    if (i >= tile_ceil(M, 4))
        return;
    const int thread = threadIdx.x % 8;
    const int col_thread = thread % 2;
    const int row = thread / 2;

    // far.tile:7    y.store(sum(keep(x.load([i, 0], [4, 8], pad = 7.0), k, k + 3, axis = 1), axis = 1));
    float x_tile[VECS][W];
    const float *const x_at = x + 4 * i * x_stride;
    const int rows = (int)(tile_min(4, M - 4 * i));
    const int cols = (int)(tile_min(N, 8));
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (2 * v + col_thread);
        if (row < rows && col < cols)
            load_vec(x_tile[v], &x_at[row * x_stride + col]);
        else
            fill_vec(x_tile[v], 7.0f);
    }
    const int64_t k_next = add_wrap<int64_t>(k, 3);
    float row_sum = 0.0f;
    const int cols2 = tile_clip(k, 8);
    const int cols3 = (int)(tile_min(tile_min(N, 8), tile_max(0, tile_min(8, k + 3))));
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (2 * v + col_thread);
        #pragma unroll
        for (int c = 0; c < W; c++)
            row_sum += col + c >= cols2 && col + c < cols3 ? x_tile[v][c] : 0.0f;
    }
    row_sum = warp_sum<2>(row_sum);
    if (thread % 2 == 0) {
        float *const y_at = y + 4 * i;
        if (row < rows)
            y_at[row] = row_sum;
    }
}

extern "C" __global__ void __launch_bounds__(128, 1)
far_keep_tile_vectors(float *__restrict__ y, const float *__restrict__ x, int64_t x_stride,
                      int64_t k, int64_t M, int64_t N)
{
    far_keep_tile<4>(y, x, x_stride, k, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 1)
far_keep_tile_unaligned(float *__restrict__ y, const float *__restrict__ x, int64_t x_stride,
                        int64_t k, int64_t M, int64_t N)
{
    far_keep_tile<1>(y, x, x_stride, k, M, N);
}


// ---- far_sum_tile, a tile in registers -------------------------------------------------
//
//   block      128 threads = 4 programs of 32: small programs share a block, which alone
//              could not fill a multiprocessor
//   row        of 4: a thread holds element lane / 8
//   col        of 8: a thread holds element lane % 8
//   padding    row_sum: a mask, since 7.0f may lie outside the valid part, and sum must not
//              see it
//   barriers   none: no thread waits for another warp

extern "C" __global__ void __launch_bounds__(128, 1)
far_sum_tile(float *__restrict__ y, const float *__restrict__ x, int64_t x_stride, int64_t k,
             int64_t M, int64_t N)
{
    const int64_t i = (int64_t)blockIdx.x * 4 + threadIdx.x / 32;
    if (i >= tile_ceil(M, 4))
        return;
    const int lane = threadIdx.x % 32;
    const int row = lane / 8;
    const int col = lane % 8;

    // far.tile:11    y.store(sum(x.window([4 * i, k], [4, 8], pad = 7.0, step=[1, 3]), axis = 1));
    float x_tile;
    const float *const x_at = x + 4 * i * x_stride + k;
    const int rows = (int)(tile_min(4, M - 4 * i));
    const int cols = tile_clip(tile_ceil(-k, 3), 8);
    const int cols2 = tile_clip(tile_ceil(N - k, 3), 8);
    x_tile = row < rows && col >= cols && col < cols2 ? x_at[row * x_stride + 3 * col] : 7.0f;
    float row_sum = 0.0f;
    row_sum += col >= cols && col < cols2 ? x_tile : 0.0f;
    row_sum = warp_sum<8>(row_sum);
    if (lane % 8 == 0) {
        float *const y_at = y + 4 * i;
        if (row < rows)
            y_at[row] = row_sum;
    }
}


// ---- far_whole_warp, a row in one warp's registers -------------------------------------
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
//   barriers   none: no thread waits for another warp
//   launch     has checked: N <= the number in the entry's name; for W > 1: x, y lie at
//              multiples of 16 bytes (of W elements, if those are fewer), their rows too, and
//              rows are multiples of W long

template <int VECS, int W>
static __device__ __forceinline__ void
far_whole_warp(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
               int64_t x_stride, int64_t k, int64_t M, int64_t N)
{
    const int64_t i = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (i >= M)
        return;
    const int lane = threadIdx.x % 32;

    // far.tile:15    y.store(keep(x.load([i + k, 0], [1, N], pad = 7.0), k, N - k, axis = 1));
    float x_tile[VECS][W];
    const float *const x_at = x + (k + i) * x_stride;
    const int cols = (int)N;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (32 * v + lane);
        if (k + i >= 0 && k + i < M && col < cols)
            load_vec(x_tile[v], &x_at[col]);
        else
            fill_vec(x_tile[v], 7.0f);
    }
    const int64_t t_next = sub_wrap<int64_t>(N, k);
    float *const y_at = y + i * y_stride;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (32 * v + lane);
        if (col < cols) {
            float out[W];
            #pragma unroll
            for (int c = 0; c < W; c++)
                out[c] = x_tile[v][c];
            store_vec(&y_at[col], out);
        }
    }
}

extern "C" __global__ void __launch_bounds__(128, 10)
far_whole_warp_256(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                   int64_t x_stride, int64_t k, int64_t M, int64_t N)
{
    far_whole_warp<2, 4>(y, y_stride, x, x_stride, k, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 1)
far_whole_warp_256_unaligned(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                             int64_t x_stride, int64_t k, int64_t M, int64_t N)
{
    far_whole_warp<8, 1>(y, y_stride, x, x_stride, k, M, N);
}

// ---- far_whole_block, a row in one block's registers -----------------------------------
//
//   block      THREADS threads are one program
//   col        of N: a thread holds the W elements from W * (THREADS * v + thread) on, for v
//              = 0 .. VECS - 1
//   barriers   none: no thread waits for another warp
//   launch     has checked: N <= the number in the entry's name; for W > 1: x, y lie at
//              multiples of 16 bytes (of W elements, if those are fewer), their rows too, and
//              rows are multiples of W long

template <int THREADS, int VECS, int W>
static __device__ __forceinline__ void
far_whole_block(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                int64_t x_stride, int64_t k, int64_t M, int64_t N)
{
    const int64_t i = blockIdx.x;
    const int thread = threadIdx.x;

    // far.tile:15    y.store(keep(x.load([i + k, 0], [1, N], pad = 7.0), k, N - k, axis = 1));
    float x_tile[VECS][W];
    const float *const x_at = x + (k + i) * x_stride;
    const int cols = (int)N;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (THREADS * v + thread);
        if (k + i >= 0 && k + i < M && col < cols)
            load_vec(x_tile[v], &x_at[col]);
        else
            fill_vec(x_tile[v], 7.0f);
    }
    const int64_t t_next = sub_wrap<int64_t>(N, k);
    float *const y_at = y + i * y_stride;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (THREADS * v + thread);
        if (col < cols) {
            float out[W];
            #pragma unroll
            for (int c = 0; c < W; c++)
                out[c] = x_tile[v][c];
            store_vec(&y_at[col], out);
        }
    }
}

extern "C" __global__ void __launch_bounds__(64, 20)
far_whole_block_512(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                    int64_t x_stride, int64_t k, int64_t M, int64_t N)
{
    far_whole_block<64, 2, 4>(y, y_stride, x, x_stride, k, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 10)
far_whole_block_1024(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                     int64_t x_stride, int64_t k, int64_t M, int64_t N)
{
    far_whole_block<128, 2, 4>(y, y_stride, x, x_stride, k, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 10)
far_whole_block_2048(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                     int64_t x_stride, int64_t k, int64_t M, int64_t N)
{
    far_whole_block<128, 4, 4>(y, y_stride, x, x_stride, k, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 5)
far_whole_block_4096(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                     int64_t x_stride, int64_t k, int64_t M, int64_t N)
{
    far_whole_block<256, 4, 4>(y, y_stride, x, x_stride, k, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 4)
far_whole_block_8192(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                     int64_t x_stride, int64_t k, int64_t M, int64_t N)
{
    far_whole_block<256, 8, 4>(y, y_stride, x, x_stride, k, M, N);
}

extern "C" __global__ void __launch_bounds__(512, 2)
far_whole_block_16384(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                      int64_t x_stride, int64_t k, int64_t M, int64_t N)
{
    far_whole_block<512, 8, 4>(y, y_stride, x, x_stride, k, M, N);
}

extern "C" __global__ void __launch_bounds__(1024, 1)
far_whole_block_32768(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                      int64_t x_stride, int64_t k, int64_t M, int64_t N)
{
    far_whole_block<1024, 8, 4>(y, y_stride, x, x_stride, k, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 1)
far_whole_block_1024_unaligned(float *__restrict__ y, int64_t y_stride,
                               const float *__restrict__ x, int64_t x_stride, int64_t k, int64_t M,
                               int64_t N)
{
    far_whole_block<128, 8, 1>(y, y_stride, x, x_stride, k, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 1)
far_whole_block_4096_unaligned(float *__restrict__ y, int64_t y_stride,
                               const float *__restrict__ x, int64_t x_stride, int64_t k, int64_t M,
                               int64_t N)
{
    far_whole_block<256, 16, 1>(y, y_stride, x, x_stride, k, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 1)
far_whole_block_8192_unaligned(float *__restrict__ y, int64_t y_stride,
                               const float *__restrict__ x, int64_t x_stride, int64_t k, int64_t M,
                               int64_t N)
{
    far_whole_block<256, 32, 1>(y, y_stride, x, x_stride, k, M, N);
}

extern "C" __global__ void __launch_bounds__(512, 1)
far_whole_block_16384_unaligned(float *__restrict__ y, int64_t y_stride,
                                const float *__restrict__ x, int64_t x_stride, int64_t k,
                                int64_t M, int64_t N)
{
    far_whole_block<512, 32, 1>(y, y_stride, x, x_stride, k, M, N);
}

extern "C" __global__ void __launch_bounds__(1024, 1)
far_whole_block_32768_unaligned(float *__restrict__ y, int64_t y_stride,
                                const float *__restrict__ x, int64_t x_stride, int64_t k,
                                int64_t M, int64_t N)
{
    far_whole_block<1024, 32, 1>(y, y_stride, x, x_stride, k, M, N);
}

// ---- far_whole_stream, rows of any length ----------------------------------------------
//
//   block      1024 threads are one program
//   col        of N: a thread holds the W elements from W * thread on, then on by W * 1024
//
//                  col        0    4    8        4092  4096 4100       (W = 4)
//                  thread     0    1    2  ...   1023     0    1  ...
//
//   barriers   none: no thread waits for another warp
//   launch     has checked: for W > 1: x, y lie at multiples of 16 bytes (of W elements, if
//              those are fewer), their rows too, and rows are multiples of W long

template <int W>
static __device__ __forceinline__ void
far_whole_stream(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                 int64_t x_stride, int64_t k, int64_t M, int64_t N)
{
    const int64_t i = blockIdx.x;
    const int thread = threadIdx.x;

    // far.tile:15    y.store(keep(x.load([i + k, 0], [1, N], pad = 7.0), k, N - k, axis = 1));
    const int64_t t_next = sub_wrap<int64_t>(N, k);
    float *const y_at = y + i * y_stride;
    const float *const x_at = x + (k + i) * x_stride;
    for (int64_t col = W * thread; col < N; col += W * 1024) {
        float x_v[W];
        if (k + i >= 0 && k + i < M)
            load_vec(x_v, &x_at[col]);
        else
            fill_vec(x_v, 7.0f);
        float out[W];
        #pragma unroll
        for (int c = 0; c < W; c++)
            out[c] = x_v[c];
        store_vec(&y_at[col], out);
    }
}

extern "C" __global__ void __launch_bounds__(1024, 1)
far_whole_stream_vectors(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                         int64_t x_stride, int64_t k, int64_t M, int64_t N)
{
    far_whole_stream<4>(y, y_stride, x, x_stride, k, M, N);
}

extern "C" __global__ void __launch_bounds__(1024, 1)
far_whole_stream_unaligned(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                           int64_t x_stride, int64_t k, int64_t M, int64_t N)
{
    far_whole_stream<1>(y, y_stride, x, x_stride, k, M, N);
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

// The product; 2^60 or -2^60 where it is beyond: what it is held against is never so large.
static int64_t tile_times(int64_t a, int64_t b)
{
    const int64_t most = (int64_t)1 << 60;
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product) || product > most || product < -most)
        return (a < 0) == (b < 0) ? most : -most;
    return product;
}

template <typename... More>
static int64_t tile_times(int64_t a, int64_t b, More... more)
{
    return tile_times(tile_times(a, b), more...);
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
    const int axis = t.access == TILE_EXCLUSIVE ? tile_folded(t, &covered) : -1;
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
far_strided(float *y, int64_t y_stride, const float *x, int64_t x_stride, int64_t k, int64_t M,
            int64_t N, cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (tile_bad_extent(M) || tile_bad_extent(N))
        REFUSE("far: extents are from 0 to 2^42: M is %lld, N is %lld", (long long)M, (long long)N);

    const tile_tensor tensors[] = {
        {"y (&mut)", y, sizeof *y, TILE_EXCLUSIVE, N, 1, {{M, y_stride}}},
        {"x (&)", x, sizeof *x, TILE_SHARED, N, 1, {{M, x_stride}}},
    };
    if (!tile_check("far", tensors))
        return cudaErrorInvalidValue;

    const auto launch = [&](auto kernel, int64_t blocks, unsigned threads) {
        if (blocks > 0x7fffffff)
            REFUSE("far: %lld blocks are needed; a grid has up to 2147483647", (long long)blocks);
        const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(threads),
                                           0, stream, NULL, 0};
        return cudaLaunchKernelEx(&config, kernel, y, y_stride, x, x_stride, k, M, N);
    };

    const int64_t programs = tile_times(tile_ceil(M, 4), tile_ceil(N, 8));
    if (programs == 0)
        return cudaSuccess;
    const bool vectors = N % 4 == 0 && tile_aligned(tensors[1], 16)
                         && tile_aligned(tensors[0], 16);
    if (vectors)
        return launch(far_tile_vectors, tile_ceil(programs, 16), 128);
    return launch(far_tile_unaligned, tile_ceil(programs, 16), 128);
}

extern "C" cudaError_t
far(float *y, const float *x, int64_t k, int64_t M, int64_t N, cudaStream_t stream)
{
    return far_strided(y, N, x, N, k, M, N, stream);
}

extern "C" cudaError_t
far_keep_strided(float *y, const float *x, int64_t x_stride, int64_t k, int64_t M, int64_t N,
                 cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (tile_bad_extent(M) || tile_bad_extent(N))
        REFUSE("far_keep: extents are from 0 to 2^42: M is %lld, N is %lld", (long long)M,
               (long long)N);

    const tile_tensor tensors[] = {
        {"y (&mut)", y, sizeof *y, TILE_EXCLUSIVE, M, 0, {}},
        {"x (&)", x, sizeof *x, TILE_SHARED, N, 1, {{M, x_stride}}},
    };
    if (!tile_check("far_keep", tensors))
        return cudaErrorInvalidValue;

    const auto launch = [&](auto kernel, int64_t blocks, unsigned threads) {
        if (blocks > 0x7fffffff)
            REFUSE("far_keep: %lld blocks are needed; a grid has up to 2147483647",
                   (long long)blocks);
        const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(threads),
                                           0, stream, NULL, 0};
        return cudaLaunchKernelEx(&config, kernel, y, x, x_stride, k, M, N);
    };

    const int64_t programs = tile_ceil(M, 4);
    if (programs == 0)
        return cudaSuccess;
    const bool vectors = N % 4 == 0 && tile_aligned(tensors[1], 16);
    if (vectors)
        return launch(far_keep_tile_vectors, tile_ceil(programs, 16), 128);
    return launch(far_keep_tile_unaligned, tile_ceil(programs, 16), 128);
}

extern "C" cudaError_t
far_keep(float *y, const float *x, int64_t k, int64_t M, int64_t N, cudaStream_t stream)
{
    return far_keep_strided(y, x, N, k, M, N, stream);
}

extern "C" cudaError_t
far_sum_strided(float *y, const float *x, int64_t x_stride, int64_t k, int64_t M, int64_t N,
                cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (tile_bad_extent(M) || tile_bad_extent(N))
        REFUSE("far_sum: extents are from 0 to 2^42: M is %lld, N is %lld", (long long)M,
               (long long)N);

    const tile_tensor tensors[] = {
        {"y (&mut)", y, sizeof *y, TILE_EXCLUSIVE, M, 0, {}},
        {"x (&)", x, sizeof *x, TILE_SHARED, N, 1, {{M, x_stride}}},
    };
    if (!tile_check("far_sum", tensors))
        return cudaErrorInvalidValue;

    const int64_t programs = tile_ceil(M, 4);
    if (programs == 0)
        return cudaSuccess;
    if (tile_ceil(programs, 4) > 0x7fffffff)
        REFUSE("far_sum: %lld blocks are needed; a grid has up to 2147483647",
               (long long)tile_ceil(programs, 4));
    const cudaLaunchConfig_t config = {dim3((unsigned)tile_ceil(programs, 4)), dim3(128),
                                       0, stream, NULL, 0};
    return cudaLaunchKernelEx(&config, far_sum_tile, y, x, x_stride, k, M, N);
}

extern "C" cudaError_t
far_sum(float *y, const float *x, int64_t k, int64_t M, int64_t N, cudaStream_t stream)
{
    return far_sum_strided(y, x, N, k, M, N, stream);
}

extern "C" cudaError_t
far_whole_strided(float *y, int64_t y_stride, const float *x, int64_t x_stride, int64_t k,
                  int64_t M, int64_t N, cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (tile_bad_extent(M) || tile_bad_extent(N))
        REFUSE("far_whole: extents are from 0 to 2^42: M is %lld, N is %lld", (long long)M,
               (long long)N);

    const tile_tensor tensors[] = {
        {"y (&mut)", y, sizeof *y, TILE_EXCLUSIVE, N, 1, {{M, y_stride}}},
        {"x (&)", x, sizeof *x, TILE_SHARED, N, 1, {{M, x_stride}}},
    };
    if (!tile_check("far_whole", tensors))
        return cudaErrorInvalidValue;

    const auto launch = [&](auto kernel, int64_t blocks, unsigned threads) {
        if (blocks > 0x7fffffff)
            REFUSE("far_whole: %lld blocks are needed; a grid has up to 2147483647",
                   (long long)blocks);
        const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(threads),
                                           0, stream, NULL, 0};
        return cudaLaunchKernelEx(&config, kernel, y, y_stride, x, x_stride, k, M, N);
    };

    const int64_t programs = M;
    if (programs == 0)
        return cudaSuccess;
    const bool vectors = N % 4 == 0 && tile_aligned(tensors[1], 16)
                         && tile_aligned(tensors[0], 16);
    if (vectors && N > 0) {
        if (N <= 256)
            return launch(far_whole_warp_256, tile_ceil(programs, 4), 128);
        if (N <= 512)
            return launch(far_whole_block_512, programs, 64);
        if (N <= 1024)
            return launch(far_whole_block_1024, programs, 128);
        if (N <= 2048)
            return launch(far_whole_block_2048, programs, 128);
        if (N <= 4096)
            return launch(far_whole_block_4096, programs, 256);
        if (N <= 8192)
            return launch(far_whole_block_8192, programs, 256);
        if (N <= 16384)
            return launch(far_whole_block_16384, programs, 512);
        if (N <= 32768)
            return launch(far_whole_block_32768, programs, 1024);
    }
    if (vectors)
        return launch(far_whole_stream_vectors, programs, 1024);
    if (N > 0) {
        if (N <= 256)
            return launch(far_whole_warp_256_unaligned, tile_ceil(programs, 4), 128);
        if (N <= 1024)
            return launch(far_whole_block_1024_unaligned, programs, 128);
        if (N <= 4096)
            return launch(far_whole_block_4096_unaligned, programs, 256);
        if (N <= 8192)
            return launch(far_whole_block_8192_unaligned, programs, 256);
        if (N <= 16384)
            return launch(far_whole_block_16384_unaligned, programs, 512);
        if (N <= 32768)
            return launch(far_whole_block_32768_unaligned, programs, 1024);
    }
    return launch(far_whole_stream_unaligned, programs, 1024);
}

extern "C" cudaError_t
far_whole(float *y, const float *x, int64_t k, int64_t M, int64_t N, cudaStream_t stream)
{
    return far_whole_strided(y, N, x, N, k, M, N, stream);
}
