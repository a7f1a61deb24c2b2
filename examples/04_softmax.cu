// 04_softmax.cu -- translated from 04_softmax.tile by tilec; edit the .tile, not this file.
//
//   nvcc -arch=native -c 04_softmax.cu        an object with the launch functions of 04_softmax.h
//   nvcc -arch=sm_90 -fatbin 04_softmax.cu    the device code alone
//
// Not for -ftz=true or -use_fast_math: they change results.
//
// kernel softmax    y[M, N] by [i: 1, N]  <-  x[M, N]
//
//   program    one for each part of the outputs, as they are cut above
//   variants   softmax_warp _256    N <= 256: a row lives in one warp's registers; no barrier
//              between warps
//              softmax_block _512, _1024, _2048, _4096, _8192, _16384, _32768    N <= 32768:
//              a row lives in one block's registers
//              softmax_stream    any N: a row is read again for each pass over it
//              each with accesses of 4 elements, and as .._unaligned with one at a time, for
//              pointers or rows that are not aligned

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <cuda_runtime.h>
#include "04_softmax.h"

// ---- instructions that C cannot say ---------------------------------------------------

#ifndef TILE_EMULATOR
// The larger of two; NaN propagates and +0 is above -0, unlike fmaxf.
static __device__ __forceinline__ float max_nan(float a, float b)
{
    float r;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
}
#endif

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

// Every lane gets the largest, or NaN of the values of its group: SPAN lanes, STEP apart.
template <int SPAN = 32, int STEP = 1, typename T>
static __device__ __forceinline__ T warp_max_nan(T a)
{
    for (int step = SPAN / 2 * STEP; step >= STEP; step /= 2) {
        const T b = __shfl_xor_sync(0xffffffff, a, step);
        a = max_nan(a, b);
    }
    return a;
}

// Every thread gets the largest, or NaN of the block's values;
// one slot of parts a warp, one barrier.
// Nobody may still be reading parts from before.
template <int WARPS, typename T>
static __device__ __forceinline__ T block_max_nan(T v, T *parts)
{
    v = warp_max_nan(v);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = v;
    __syncthreads();                            // the slots are written before anyone reads them
    T a = parts[0];
    for (int w = 1; w < WARPS; w++) {
        const T b = parts[w];
        a = max_nan(a, b);
    }
    return a;
}

// ---- softmax_warp, a row in one warp's registers ---------------------------------------
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
//   padding    t_max: no mask, since outside the valid part lies -INFINITY, which changes no
//              max
//              e_sum: no mask, since outside the valid part lies 0, as exp(-inf) is (NaN only
//              in a row that is NaN anyway), which changes no sum
//   barriers   none: no thread waits for another warp
//   launch     has checked: N <= the number in the entry's name; for W > 1: x, y lie at
//              multiples of 16 bytes (of W elements, if those are fewer), their rows too, and
//              rows are multiples of W long

template <int VECS, int W>
static __device__ __forceinline__ void
softmax_warp(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
             int64_t x_stride, int64_t M, int64_t N)
{
    const int64_t i = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (i >= M)
        return;
    const int lane = threadIdx.x % 32;

    // 04_softmax.tile:15    let t = x.load_like(y);
    float t[VECS][W];
    const float *const x_at = x + i * x_stride;
    const int cols = (int)N;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (32 * v + lane);
        if (col < cols)
            load_vec(t[v], &x_at[col]);
        else
            fill_vec(t[v], -INFINITY);
    }

    // 04_softmax.tile:16    let e = exp(t - max(t, axis = 1, keepdims = true));
    float t_max = -INFINITY;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            t_max = max_nan(t_max, t[v][c]);
    }
    t_max = warp_max_nan(t_max);
    float e[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            e[v][c] = expf(t[v][c] - t_max);
    }

    // 04_softmax.tile:17    y.store(e / sum(e, axis = 1, keepdims = true));
    float e_sum = 0.0f;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            e_sum += e[v][c];
    }
    e_sum = warp_sum(e_sum);
    float *const y_at = y + i * y_stride;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (32 * v + lane);
        if (col < cols) {
            float out[W];
            #pragma unroll
            for (int c = 0; c < W; c++)
                out[c] = e[v][c] / e_sum;
            store_vec(&y_at[col], out);
        }
    }
}

extern "C" __global__ void __launch_bounds__(128, 10)
softmax_warp_256(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                 int64_t x_stride, int64_t M, int64_t N)
{
    softmax_warp<2, 4>(y, y_stride, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 1)
softmax_warp_256_unaligned(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                           int64_t x_stride, int64_t M, int64_t N)
{
    softmax_warp<8, 1>(y, y_stride, x, x_stride, M, N);
}

// ---- softmax_block, a row in one block's registers -------------------------------------
//
//   block      THREADS threads are one program
//   col        of N: a thread holds the W elements from W * (THREADS * v + thread) on, for v
//              = 0 .. VECS - 1
//   padding    t_max: no mask, since outside the valid part lies -INFINITY, which changes no
//              max
//              e_sum: no mask, since outside the valid part lies 0, as exp(-inf) is (NaN only
//              in a row that is NaN anyway), which changes no sum
//   barriers   in block_max_nan<THREADS / 32>: every warp's part is written before anyone
//              reads the parts
//              in block_sum<THREADS / 32>: every warp's part is written before anyone reads
//              the parts
//   launch     has checked: N <= the number in the entry's name; for W > 1: x, y lie at
//              multiples of 16 bytes (of W elements, if those are fewer), their rows too, and
//              rows are multiples of W long

template <int THREADS, int VECS, int W>
static __device__ __forceinline__ void
softmax_block(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
              int64_t x_stride, int64_t M, int64_t N)
{
    __shared__ float t_max_parts[THREADS / 32];
    __shared__ float e_sum_parts[THREADS / 32];
    const int64_t i = blockIdx.x;
    const int thread = threadIdx.x;

    // 04_softmax.tile:15    let t = x.load_like(y);
    float t[VECS][W];
    const float *const x_at = x + i * x_stride;
    const int cols = (int)N;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (THREADS * v + thread);
        if (col < cols)
            load_vec(t[v], &x_at[col]);
        else
            fill_vec(t[v], -INFINITY);
    }

    // 04_softmax.tile:16    let e = exp(t - max(t, axis = 1, keepdims = true));
    float t_max = -INFINITY;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            t_max = max_nan(t_max, t[v][c]);
    }
    t_max = block_max_nan<THREADS / 32>(t_max, t_max_parts);
    float e[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            e[v][c] = expf(t[v][c] - t_max);
    }

    // 04_softmax.tile:17    y.store(e / sum(e, axis = 1, keepdims = true));
    float e_sum = 0.0f;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        #pragma unroll
        for (int c = 0; c < W; c++)
            e_sum += e[v][c];
    }
    e_sum = block_sum<THREADS / 32>(e_sum, e_sum_parts);
    float *const y_at = y + i * y_stride;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (THREADS * v + thread);
        if (col < cols) {
            float out[W];
            #pragma unroll
            for (int c = 0; c < W; c++)
                out[c] = e[v][c] / e_sum;
            store_vec(&y_at[col], out);
        }
    }
}

extern "C" __global__ void __launch_bounds__(64, 20)
softmax_block_512(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                  int64_t x_stride, int64_t M, int64_t N)
{
    softmax_block<64, 2, 4>(y, y_stride, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 10)
softmax_block_1024(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                   int64_t x_stride, int64_t M, int64_t N)
{
    softmax_block<128, 2, 4>(y, y_stride, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 10)
softmax_block_2048(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                   int64_t x_stride, int64_t M, int64_t N)
{
    softmax_block<128, 4, 4>(y, y_stride, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 5)
softmax_block_4096(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                   int64_t x_stride, int64_t M, int64_t N)
{
    softmax_block<256, 4, 4>(y, y_stride, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 4)
softmax_block_8192(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                   int64_t x_stride, int64_t M, int64_t N)
{
    softmax_block<256, 8, 4>(y, y_stride, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(512, 2)
softmax_block_16384(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                    int64_t x_stride, int64_t M, int64_t N)
{
    softmax_block<512, 8, 4>(y, y_stride, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(1024, 1)
softmax_block_32768(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                    int64_t x_stride, int64_t M, int64_t N)
{
    softmax_block<1024, 8, 4>(y, y_stride, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(128, 1)
softmax_block_1024_unaligned(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                             int64_t x_stride, int64_t M, int64_t N)
{
    softmax_block<128, 8, 1>(y, y_stride, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 1)
softmax_block_4096_unaligned(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                             int64_t x_stride, int64_t M, int64_t N)
{
    softmax_block<256, 16, 1>(y, y_stride, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 1)
softmax_block_8192_unaligned(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                             int64_t x_stride, int64_t M, int64_t N)
{
    softmax_block<256, 32, 1>(y, y_stride, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(512, 1)
softmax_block_16384_unaligned(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                              int64_t x_stride, int64_t M, int64_t N)
{
    softmax_block<512, 32, 1>(y, y_stride, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(1024, 1)
softmax_block_32768_unaligned(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                              int64_t x_stride, int64_t M, int64_t N)
{
    softmax_block<1024, 32, 1>(y, y_stride, x, x_stride, M, N);
}

// ---- softmax_stream, rows of any length ------------------------------------------------
//
//   block      1024 threads are one program
//   col        of N: a thread holds the W elements from W * thread on, then on by W * 1024
//
//                  col        0    4    8        4092  4096 4100       (W = 4)
//                  thread     0    1    2  ...   1023     0    1  ...
//
//   barriers   in block_max_nan<32>: every warp's part is written before anyone reads the
//              parts
//              in block_sum<32>: every warp's part is written before anyone reads the parts
//   launch     has checked: for W > 1: x, y lie at multiples of 16 bytes (of W elements, if
//              those are fewer), their rows too, and rows are multiples of W long

template <int W>
static __device__ __forceinline__ void
softmax_stream(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
               int64_t x_stride, int64_t M, int64_t N)
{
    __shared__ float t_max_parts[32];
    __shared__ float e_sum_parts[32];
    const int64_t i = blockIdx.x;
    const int thread = threadIdx.x;

    // 04_softmax.tile:16    let e = exp(t - max(t, axis = 1, keepdims = true));
    float t_max = -INFINITY;
    const float *const x_at = x + i * x_stride;
    for (int64_t col = W * thread; col < N; col += W * 1024) {
        // 04_softmax.tile:15    let t = x.load_like(y);
        float t[W];
        load_vec(t, &x_at[col]);
        #pragma unroll
        for (int c = 0; c < W; c++)
            t_max = max_nan(t_max, t[c]);
    }
    t_max = block_max_nan<32>(t_max, t_max_parts);

    // 04_softmax.tile:17    y.store(e / sum(e, axis = 1, keepdims = true));
    float e_sum = 0.0f;
    for (int64_t col = W * thread; col < N; col += W * 1024) {
        // 04_softmax.tile:15    let t = x.load_like(y);
        float t[W];
        load_vec(t, &x_at[col]);
        #pragma unroll
        for (int c = 0; c < W; c++)
            e_sum += expf(t[c] - t_max);
    }
    e_sum = block_sum<32>(e_sum, e_sum_parts);

    // 04_softmax.tile:17    y.store(e / sum(e, axis = 1, keepdims = true));
    float *const y_at = y + i * y_stride;
    for (int64_t col = W * thread; col < N; col += W * 1024) {
        // 04_softmax.tile:15    let t = x.load_like(y);
        float t[W];
        load_vec(t, &x_at[col]);
        float out[W];
        #pragma unroll
        for (int c = 0; c < W; c++) {
            const float e = expf(t[c] - t_max);
            out[c] = e / e_sum;
        }
        store_vec(&y_at[col], out);
    }
}

extern "C" __global__ void __launch_bounds__(1024, 1)
softmax_stream_vectors(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                       int64_t x_stride, int64_t M, int64_t N)
{
    softmax_stream<4>(y, y_stride, x, x_stride, M, N);
}

extern "C" __global__ void __launch_bounds__(1024, 1)
softmax_stream_unaligned(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                         int64_t x_stride, int64_t M, int64_t N)
{
    softmax_stream<1>(y, y_stride, x, x_stride, M, N);
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
softmax_strided(float *y, int64_t y_stride, const float *x, int64_t x_stride, int64_t M, int64_t N,
                cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (tile_bad_extent(M) || tile_bad_extent(N))
        REFUSE("softmax: extents are from 0 to 2^42: M is %lld, N is %lld", (long long)M,
               (long long)N);

    const tile_tensor tensors[] = {
        {"y (&mut)", y, sizeof *y, TILE_EXCLUSIVE, N, 1, {{M, y_stride}}},
        {"x (&)", x, sizeof *x, TILE_SHARED, N, 1, {{M, x_stride}}},
    };
    if (!tile_check("softmax", tensors))
        return cudaErrorInvalidValue;

    const auto launch = [&](auto kernel, int64_t blocks, unsigned threads) {
        if (blocks > 0x7fffffff)
            REFUSE("softmax: %lld blocks are needed; a grid has up to 2147483647",
                   (long long)blocks);
        const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(threads),
                                           0, stream, NULL, 0};
        return cudaLaunchKernelEx(&config, kernel, y, y_stride, x, x_stride, M, N);
    };

    const int64_t programs = M;
    if (programs == 0)
        return cudaSuccess;
    const bool vectors = N % 4 == 0 && tile_aligned(tensors[1], 16)
                         && tile_aligned(tensors[0], 16);
    if (vectors && N > 0) {
        if (N <= 256)
            return launch(softmax_warp_256, tile_ceil(programs, 4), 128);
        if (N <= 512)
            return launch(softmax_block_512, programs, 64);
        if (N <= 1024)
            return launch(softmax_block_1024, programs, 128);
        if (N <= 2048)
            return launch(softmax_block_2048, programs, 128);
        if (N <= 4096)
            return launch(softmax_block_4096, programs, 256);
        if (N <= 8192)
            return launch(softmax_block_8192, programs, 256);
        if (N <= 16384)
            return launch(softmax_block_16384, programs, 512);
        if (N <= 32768)
            return launch(softmax_block_32768, programs, 1024);
    }
    if (vectors)
        return launch(softmax_stream_vectors, programs, 1024);
    if (N > 0) {
        if (N <= 256)
            return launch(softmax_warp_256_unaligned, tile_ceil(programs, 4), 128);
        if (N <= 1024)
            return launch(softmax_block_1024_unaligned, programs, 128);
        if (N <= 4096)
            return launch(softmax_block_4096_unaligned, programs, 256);
        if (N <= 8192)
            return launch(softmax_block_8192_unaligned, programs, 256);
        if (N <= 16384)
            return launch(softmax_block_16384_unaligned, programs, 512);
        if (N <= 32768)
            return launch(softmax_block_32768_unaligned, programs, 1024);
    }
    return launch(softmax_stream_unaligned, programs, 1024);
}

extern "C" cudaError_t
softmax(float *y, const float *x, int64_t M, int64_t N, cudaStream_t stream)
{
    return softmax_strided(y, N, x, N, M, N, stream);
}
