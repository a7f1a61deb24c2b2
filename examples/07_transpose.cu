// 07_transpose.cu -- translated from 07_transpose.tile by tilec; edit the .tile, not this file.
//
//   nvcc -arch=native -c 07_transpose.cu        an object with the launch functions of 07_transpose.h
//   nvcc -arch=sm_90 -fatbin 07_transpose.cu    the device code alone
//
// Not for -ftz=true or -use_fast_math: they change results.
//
// kernel transpose_f64    y[N, M] by [j: 16, i: 16]  <-  x[M, N]
//
//   program    one for each part of the outputs, as they are cut above
//   variants   transpose_f64_tile    a tile lives in the registers of its program's threads
//              each with accesses of 2 elements, and as .._unaligned with one at a time, for
//              pointers or rows that are not aligned
//
// kernel transpose_f32    y[N, M] by [j: 32, i: 32]  <-  x[M, N]
//
//   program    one for each part of the outputs, as they are cut above
//   variants   transpose_f32_tile    a tile lives in the registers of its program's threads
//              each with accesses of 4 elements, and as .._unaligned with one at a time, for
//              pointers or rows that are not aligned
//
// kernel transpose_f16    y[N, M] by [j: 64, i: 64]  <-  x[M, N]
//
//   program    one for each part of the outputs, as they are cut above
//   variants   transpose_f16_tile    a tile lives in the registers of its program's threads
//              each with accesses of 8 elements, and as .._unaligned with one at a time, for
//              pointers or rows that are not aligned

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include "07_transpose.h"

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

// ---- transpose_f64_tile, a tile in registers -------------------------------------------
//
//   block      128 threads are one program
//   row        of 16: a thread holds element thread / 8
//   col        of 16: a thread holds the W elements from W * (8 * v + col_thread) on, for v =
//              0 .. VECS - 1; col_thread = thread % 8
//
//                  col        0    2    4        14     (W = 2)
//                  thread     0    1    2  ...   7
//
//   shared     x_tile_shared: a tile on its way to other threads, since its axes change
//              places. Its elements along axis 0 are 17 apart, an odd number: the lanes of a
//              warp that go along this axis meet different banks
//   barriers   the tile is written before other threads read it
//   launch     has checked: for W > 1: x, y lie at multiples of 16 bytes (of W elements, if
//              those are fewer), their rows too, and rows are multiples of W long

template <int W>
static __device__ __forceinline__ void
transpose_f64_tile(double *__restrict__ y, int64_t y_stride, const double *__restrict__ x,
                   int64_t x_stride, int64_t N, int64_t M)
{
    constexpr int VECS = 2 / W;
    __shared__ __align__(16) double x_tile_shared[16 * 17];
    const int64_t program = blockIdx.x;
    const int64_t i = program % tile_ceil(M, 16);
    const int64_t j = program / tile_ceil(M, 16);
    const int thread = threadIdx.x;
    const int col_thread = thread % 8;
    const int row = thread / 8;

    // 07_transpose.tile:13    y.store(x.load([i, j], [B, B]).t);
    double x_tile[VECS][W];
    const double *const x_at = x + 16 * i * x_stride + 16 * j;
    const int rows = (int)(tile_min(16, M - 16 * i));
    const int cols = (int)(tile_min(16, N - 16 * j));
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (8 * v + col_thread);
        if (row < rows && col < cols)
            load_vec(x_tile[v], &x_at[row * x_stride + col]);
        else
            fill_vec(x_tile[v], 0.0);
    }
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (8 * v + col_thread);
        #pragma unroll
        for (int c = 0; c < W; c++)
            x_tile_shared[row * 17 + col + c] = x_tile[v][c];
    }
    __syncthreads();                        // the tile is written before other threads read it
    double x_tile_t[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (8 * v + col_thread);
        #pragma unroll
        for (int c = 0; c < W; c++)
            x_tile_t[v][c] = x_tile_shared[(col + c) * 17 + row];
    }
    double *const y_at = y + 16 * j * y_stride + 16 * i;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (8 * v + col_thread);
        if (row < cols && col < rows)
            store_vec(&y_at[row * y_stride + col], x_tile_t[v]);
    }
}

extern "C" __global__ void __launch_bounds__(128, 1)
transpose_f64_tile_vectors(double *__restrict__ y, int64_t y_stride, const double *__restrict__ x,
                           int64_t x_stride, int64_t N, int64_t M)
{
    transpose_f64_tile<2>(y, y_stride, x, x_stride, N, M);
}

extern "C" __global__ void __launch_bounds__(128, 1)
transpose_f64_tile_unaligned(double *__restrict__ y, int64_t y_stride,
                             const double *__restrict__ x, int64_t x_stride, int64_t N, int64_t M)
{
    transpose_f64_tile<1>(y, y_stride, x, x_stride, N, M);
}


// ---- transpose_f32_tile, a tile in registers -------------------------------------------
//
//   block      256 threads are one program
//   row        of 32: a thread holds element thread / 8
//   col        of 32: a thread holds the W elements from W * (8 * v + col_thread) on, for v =
//              0 .. VECS - 1; col_thread = thread % 8
//
//                  col        0    4    8        28     (W = 4)
//                  thread     0    1    2  ...   7
//
//   shared     x_tile_shared: a tile on its way to other threads, since its axes change
//              places. Its elements along axis 0 are 33 apart, an odd number: the lanes of a
//              warp that go along this axis meet different banks
//   barriers   the tile is written before other threads read it
//   launch     has checked: for W > 1: x, y lie at multiples of 16 bytes (of W elements, if
//              those are fewer), their rows too, and rows are multiples of W long

template <int W>
static __device__ __forceinline__ void
transpose_f32_tile(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                   int64_t x_stride, int64_t N, int64_t M)
{
    constexpr int VECS = 4 / W;
    __shared__ __align__(16) float x_tile_shared[32 * 33];
    const int64_t program = blockIdx.x;
    const int64_t i = program % tile_ceil(M, 32);
    const int64_t j = program / tile_ceil(M, 32);
    const int thread = threadIdx.x;
    const int col_thread = thread % 8;
    const int row = thread / 8;

    // 07_transpose.tile:13    y.store(x.load([i, j], [B, B]).t);
    float x_tile[VECS][W];
    const float *const x_at = x + 32 * i * x_stride + 32 * j;
    const int rows = (int)(tile_min(32, M - 32 * i));
    const int cols = (int)(tile_min(32, N - 32 * j));
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (8 * v + col_thread);
        if (row < rows && col < cols)
            load_vec(x_tile[v], &x_at[row * x_stride + col]);
        else
            fill_vec(x_tile[v], 0.0f);
    }
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (8 * v + col_thread);
        #pragma unroll
        for (int c = 0; c < W; c++)
            x_tile_shared[row * 33 + col + c] = x_tile[v][c];
    }
    __syncthreads();                        // the tile is written before other threads read it
    float x_tile_t[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (8 * v + col_thread);
        #pragma unroll
        for (int c = 0; c < W; c++)
            x_tile_t[v][c] = x_tile_shared[(col + c) * 33 + row];
    }
    float *const y_at = y + 32 * j * y_stride + 32 * i;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (8 * v + col_thread);
        if (row < cols && col < rows)
            store_vec(&y_at[row * y_stride + col], x_tile_t[v]);
    }
}

extern "C" __global__ void __launch_bounds__(256, 1)
transpose_f32_tile_vectors(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                           int64_t x_stride, int64_t N, int64_t M)
{
    transpose_f32_tile<4>(y, y_stride, x, x_stride, N, M);
}

extern "C" __global__ void __launch_bounds__(256, 1)
transpose_f32_tile_unaligned(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                             int64_t x_stride, int64_t N, int64_t M)
{
    transpose_f32_tile<1>(y, y_stride, x, x_stride, N, M);
}


// ---- transpose_f16_tile, a tile in registers -------------------------------------------
//
//   block      512 threads are one program
//   row        of 64: a thread holds element thread / 8
//   col        of 64: a thread holds the W elements from W * (8 * v + col_thread) on, for v =
//              0 .. VECS - 1; col_thread = thread % 8
//
//                  col        0    8   16        56     (W = 8)
//                  thread     0    1    2  ...   7
//
//   shared     x_tile_shared: a tile on its way to other threads, since its axes change
//              places. Its elements along axis 0 are 65 apart, an odd number: the lanes of a
//              warp that go along this axis meet different banks
//   barriers   the tile is written before other threads read it
//   launch     has checked: for W > 1: x, y lie at multiples of 16 bytes (of W elements, if
//              those are fewer), their rows too, and rows are multiples of W long

template <int W>
static __device__ __forceinline__ void
transpose_f16_tile(__half *__restrict__ y, int64_t y_stride, const __half *__restrict__ x,
                   int64_t x_stride, int64_t N, int64_t M)
{
    constexpr int VECS = 8 / W;
    __shared__ __align__(16) __half x_tile_shared[64 * 65];
    const int64_t program = blockIdx.x;
    const int64_t i = program % tile_ceil(M, 64);
    const int64_t j = program / tile_ceil(M, 64);
    const int thread = threadIdx.x;
    const int col_thread = thread % 8;
    const int row = thread / 8;

    // 07_transpose.tile:13    y.store(x.load([i, j], [B, B]).t);
    __half x_tile[VECS][W];
    const __half *const x_at = x + 64 * i * x_stride + 64 * j;
    const int rows = (int)(tile_min(64, M - 64 * i));
    const int cols = (int)(tile_min(64, N - 64 * j));
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (8 * v + col_thread);
        if (row < rows && col < cols)
            load_vec(x_tile[v], &x_at[row * x_stride + col]);
        else
            fill_vec(x_tile[v], __float2half_rn(0.0f));
    }
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (8 * v + col_thread);
        #pragma unroll
        for (int c = 0; c < W; c++)
            x_tile_shared[row * 65 + col + c] = x_tile[v][c];
    }
    __syncthreads();                        // the tile is written before other threads read it
    __half x_tile_t[VECS][W];
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (8 * v + col_thread);
        #pragma unroll
        for (int c = 0; c < W; c++)
            x_tile_t[v][c] = x_tile_shared[(col + c) * 65 + row];
    }
    __half *const y_at = y + 64 * j * y_stride + 64 * i;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (8 * v + col_thread);
        if (row < cols && col < rows)
            store_vec(&y_at[row * y_stride + col], x_tile_t[v]);
    }
}

extern "C" __global__ void __launch_bounds__(512, 1)
transpose_f16_tile_vectors(__half *__restrict__ y, int64_t y_stride, const __half *__restrict__ x,
                           int64_t x_stride, int64_t N, int64_t M)
{
    transpose_f16_tile<8>(y, y_stride, x, x_stride, N, M);
}

extern "C" __global__ void __launch_bounds__(512, 1)
transpose_f16_tile_unaligned(__half *__restrict__ y, int64_t y_stride,
                             const __half *__restrict__ x, int64_t x_stride, int64_t N, int64_t M)
{
    transpose_f16_tile<1>(y, y_stride, x, x_stride, N, M);
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
transpose_f64_strided(double *y, int64_t y_stride, const double *x, int64_t x_stride, int64_t N,
                      int64_t M, cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (tile_bad_extent(N) || tile_bad_extent(M))
        REFUSE("transpose_f64: extents are from 0 to 2^42: N is %lld, M is %lld", (long long)N,
               (long long)M);

    const tile_tensor tensors[] = {
        {"y (&mut)", y, sizeof *y, TILE_EXCLUSIVE, M, 1, {{N, y_stride}}},
        {"x (&)", x, sizeof *x, TILE_SHARED, N, 1, {{M, x_stride}}},
    };
    if (!tile_check("transpose_f64", tensors))
        return cudaErrorInvalidValue;

    const auto launch = [&](auto kernel, int64_t blocks, unsigned threads) {
        if (blocks > 0x7fffffff)
            REFUSE("transpose_f64: %lld blocks are needed; a grid has up to 2147483647",
                   (long long)blocks);
        const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(threads),
                                           0, stream, NULL, 0};
        return cudaLaunchKernelEx(&config, kernel, y, y_stride, x, x_stride, N, M);
    };

    const int64_t programs = tile_times(tile_ceil(N, 16), tile_ceil(M, 16));
    if (programs == 0)
        return cudaSuccess;
    const bool vectors = N % 2 == 0 && M % 2 == 0 && tile_aligned(tensors[1], 16)
                         && tile_aligned(tensors[0], 16);
    if (vectors)
        return launch(transpose_f64_tile_vectors, programs, 128);
    return launch(transpose_f64_tile_unaligned, programs, 128);
}

extern "C" cudaError_t
transpose_f64(double *y, const double *x, int64_t N, int64_t M, cudaStream_t stream)
{
    return transpose_f64_strided(y, M, x, N, N, M, stream);
}

extern "C" cudaError_t
transpose_f32_strided(float *y, int64_t y_stride, const float *x, int64_t x_stride, int64_t N,
                      int64_t M, cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (tile_bad_extent(N) || tile_bad_extent(M))
        REFUSE("transpose_f32: extents are from 0 to 2^42: N is %lld, M is %lld", (long long)N,
               (long long)M);

    const tile_tensor tensors[] = {
        {"y (&mut)", y, sizeof *y, TILE_EXCLUSIVE, M, 1, {{N, y_stride}}},
        {"x (&)", x, sizeof *x, TILE_SHARED, N, 1, {{M, x_stride}}},
    };
    if (!tile_check("transpose_f32", tensors))
        return cudaErrorInvalidValue;

    const auto launch = [&](auto kernel, int64_t blocks, unsigned threads) {
        if (blocks > 0x7fffffff)
            REFUSE("transpose_f32: %lld blocks are needed; a grid has up to 2147483647",
                   (long long)blocks);
        const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(threads),
                                           0, stream, NULL, 0};
        return cudaLaunchKernelEx(&config, kernel, y, y_stride, x, x_stride, N, M);
    };

    const int64_t programs = tile_times(tile_ceil(N, 32), tile_ceil(M, 32));
    if (programs == 0)
        return cudaSuccess;
    const bool vectors = N % 4 == 0 && M % 4 == 0 && tile_aligned(tensors[1], 16)
                         && tile_aligned(tensors[0], 16);
    if (vectors)
        return launch(transpose_f32_tile_vectors, programs, 256);
    return launch(transpose_f32_tile_unaligned, programs, 256);
}

extern "C" cudaError_t
transpose_f32(float *y, const float *x, int64_t N, int64_t M, cudaStream_t stream)
{
    return transpose_f32_strided(y, M, x, N, N, M, stream);
}

extern "C" cudaError_t
transpose_f16_strided(__half *y, int64_t y_stride, const __half *x, int64_t x_stride, int64_t N,
                      int64_t M, cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (tile_bad_extent(N) || tile_bad_extent(M))
        REFUSE("transpose_f16: extents are from 0 to 2^42: N is %lld, M is %lld", (long long)N,
               (long long)M);

    const tile_tensor tensors[] = {
        {"y (&mut)", y, sizeof *y, TILE_EXCLUSIVE, M, 1, {{N, y_stride}}},
        {"x (&)", x, sizeof *x, TILE_SHARED, N, 1, {{M, x_stride}}},
    };
    if (!tile_check("transpose_f16", tensors))
        return cudaErrorInvalidValue;

    const auto launch = [&](auto kernel, int64_t blocks, unsigned threads) {
        if (blocks > 0x7fffffff)
            REFUSE("transpose_f16: %lld blocks are needed; a grid has up to 2147483647",
                   (long long)blocks);
        const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(threads),
                                           0, stream, NULL, 0};
        return cudaLaunchKernelEx(&config, kernel, y, y_stride, x, x_stride, N, M);
    };

    const int64_t programs = tile_times(tile_ceil(N, 64), tile_ceil(M, 64));
    if (programs == 0)
        return cudaSuccess;
    const bool vectors = N % 8 == 0 && M % 8 == 0 && tile_aligned(tensors[1], 16)
                         && tile_aligned(tensors[0], 16);
    if (vectors)
        return launch(transpose_f16_tile_vectors, programs, 512);
    return launch(transpose_f16_tile_unaligned, programs, 512);
}

extern "C" cudaError_t
transpose_f16(__half *y, const __half *x, int64_t N, int64_t M, cudaStream_t stream)
{
    return transpose_f16_strided(y, M, x, N, N, M, stream);
}
