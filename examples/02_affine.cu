// 02_affine.cu -- translated from 02_affine.tile by tilec; edit the .tile, not this file.
//
//   nvcc -arch=native -c 02_affine.cu        an object with the launch functions of 02_affine.h
//   nvcc -arch=sm_90 -fatbin 02_affine.cu    the device code alone
//
// Not for -ftz=true or -use_fast_math: they change results.
//
// kernel affine_f32    y[M, N] by [i: 8, j: 256]  <-  x[M, N], scale[N], bias[N]
//
//   program    one for each part of the outputs, as they are cut above
//   variants   affine_f32_tile    a tile lives in the registers of its program's threads
//              each with accesses of 4 elements, and as .._unaligned with one at a time, for
//              pointers or rows that are not aligned
//
// kernel affine_bf16    y[M, N] by [i: 8, j: 256]  <-  x[M, N], scale[N], bias[N]
//
//   program    one for each part of the outputs, as they are cut above
//   variants   affine_bf16_tile    a tile lives in the registers of its program's threads
//              each with accesses of 8 elements, and as .._unaligned with one at a time, for
//              pointers or rows that are not aligned

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include "02_affine.h"

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

// ---- affine_f32_tile, a tile in registers ----------------------------------------------
//
//   block      512 threads are one program
//   row        of 8: a thread holds element thread / 64
//   col        of 256: a thread holds the W elements from W * (64 * v + col_thread) on, for v
//              = 0 .. VECS - 1; col_thread = thread % 64
//
//                  col        0    4    8        252    (W = 4)
//                  thread     0    1    2  ...   63
//
//   barriers   none: no thread waits for another warp
//   launch     has checked: for W > 1: x, scale, bias, y lie at multiples of 16 bytes (of W
//              elements, if those are fewer), their rows too, and rows are multiples of W
//              long

template <int W>
static __device__ __forceinline__ void
affine_f32_tile(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                int64_t x_stride, const float *__restrict__ scale, const float *__restrict__ bias,
                int64_t M, int64_t N)
{
    constexpr int VECS = 4 / W;
    const int64_t program = blockIdx.x;
    const int64_t j = program % tile_ceil(N, 256);
    const int64_t i = program / tile_ceil(N, 256);
    const int thread = threadIdx.x;
    const int col_thread = thread % 64;
    const int row = thread / 64;

    // 02_affine.tile:15    let mut t = x.load_like(y) as f32;
    float t[VECS][W];
    const float *const x_at = x + 8 * i * x_stride + 256 * j;
    const int rows = (int)(tile_min(8, M - 8 * i));
    const int cols = (int)(tile_min(256, N - 256 * j));
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (64 * v + col_thread);
        if (row < rows && col < cols)
            load_vec(t[v], &x_at[row * x_stride + col]);
        else
            fill_vec(t[v], 0.0f);
    }

    // 02_affine.tile:16    if scale { t *= scale.load_like(y) as f32; }
    if (scale != nullptr) {
        float scale_tile[VECS][W];
        const float *const scale_at = scale + 256 * j;
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            const int col = W * (64 * v + col_thread);
            if (col < cols)
                load_vec(scale_tile[v], &scale_at[col]);
            else
                fill_vec(scale_tile[v], 0.0f);
        }
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            #pragma unroll
            for (int c = 0; c < W; c++)
                t[v][c] = __fmul_rn(t[v][c], scale_tile[v][c]);
        }
    }

    // 02_affine.tile:17    if bias { t += bias.load_like(y) as f32; }
    if (bias != nullptr) {
        float bias_tile[VECS][W];
        const float *const bias_at = bias + 256 * j;
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            const int col = W * (64 * v + col_thread);
            if (col < cols)
                load_vec(bias_tile[v], &bias_at[col]);
            else
                fill_vec(bias_tile[v], 0.0f);
        }
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            #pragma unroll
            for (int c = 0; c < W; c++)
                t[v][c] += bias_tile[v][c];
        }
    }

    // 02_affine.tile:18    y.store(t as T);
    float *const y_at = y + 8 * i * y_stride + 256 * j;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (64 * v + col_thread);
        if (row < rows && col < cols)
            store_vec(&y_at[row * y_stride + col], t[v]);
    }
}

extern "C" __global__ void __launch_bounds__(512, 1)
affine_f32_tile_vectors(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                        int64_t x_stride, const float *__restrict__ scale,
                        const float *__restrict__ bias, int64_t M, int64_t N)
{
    affine_f32_tile<4>(y, y_stride, x, x_stride, scale, bias, M, N);
}

extern "C" __global__ void __launch_bounds__(512, 1)
affine_f32_tile_unaligned(float *__restrict__ y, int64_t y_stride, const float *__restrict__ x,
                          int64_t x_stride, const float *__restrict__ scale,
                          const float *__restrict__ bias, int64_t M, int64_t N)
{
    affine_f32_tile<1>(y, y_stride, x, x_stride, scale, bias, M, N);
}


// ---- affine_bf16_tile, a tile in registers ---------------------------------------------
//
//   block      256 threads are one program
//   row        of 8: a thread holds element thread / 32
//   col        of 256: a thread holds the W elements from W * (32 * v + lane) on, for v = 0
//              .. VECS - 1
//
//                  col        0    8   16        248    (W = 8)
//                  lane       0    1    2  ...   31
//
//   barriers   none: no thread waits for another warp
//   launch     has checked: for W > 1: x, scale, bias, y lie at multiples of 16 bytes (of W
//              elements, if those are fewer), their rows too, and rows are multiples of W
//              long

template <int W>
static __device__ __forceinline__ void
affine_bf16_tile(__nv_bfloat16 *__restrict__ y, int64_t y_stride,
                 const __nv_bfloat16 *__restrict__ x, int64_t x_stride,
                 const __nv_bfloat16 *__restrict__ scale, const __nv_bfloat16 *__restrict__ bias,
                 int64_t M, int64_t N)
{
    constexpr int VECS = 8 / W;
    const int64_t program = blockIdx.x;
    const int64_t j = program % tile_ceil(N, 256);
    const int64_t i = program / tile_ceil(N, 256);
    const int thread = threadIdx.x;
    const int lane = thread % 32;
    const int row = thread / 32;

    // 02_affine.tile:15    let mut t = x.load_like(y) as f32;
    __nv_bfloat16 x_tile[VECS][W];
    const __nv_bfloat16 *const x_at = x + 8 * i * x_stride + 256 * j;
    const int rows = (int)(tile_min(8, M - 8 * i));
    const int cols = (int)(tile_min(256, N - 256 * j));
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (32 * v + lane);
        if (row < rows && col < cols)
            load_vec(x_tile[v], &x_at[row * x_stride + col]);
        else
            fill_vec(x_tile[v], __float2bfloat16_rn(0.0f));
    }

    // 02_affine.tile:16    if scale { t *= scale.load_like(y) as f32; }
    float t[VECS][W];
    if (scale != nullptr) {
        __nv_bfloat16 scale_tile[VECS][W];
        const __nv_bfloat16 *const scale_at = scale + 256 * j;
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            const int col = W * (32 * v + lane);
            if (col < cols)
                load_vec(scale_tile[v], &scale_at[col]);
            else
                fill_vec(scale_tile[v], __float2bfloat16_rn(0.0f));
        }
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            #pragma unroll
            for (int c = 0; c < W; c++) {
                const float t2 = __bfloat162float(x_tile[v][c]);
                t[v][c] = __fmul_rn(t2, __bfloat162float(scale_tile[v][c]));
            }
        }
    } else {
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            #pragma unroll
            for (int c = 0; c < W; c++)
                t[v][c] = __bfloat162float(x_tile[v][c]);
        }
    }

    // 02_affine.tile:17    if bias { t += bias.load_like(y) as f32; }
    if (bias != nullptr) {
        __nv_bfloat16 bias_tile[VECS][W];
        const __nv_bfloat16 *const bias_at = bias + 256 * j;
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            const int col = W * (32 * v + lane);
            if (col < cols)
                load_vec(bias_tile[v], &bias_at[col]);
            else
                fill_vec(bias_tile[v], __float2bfloat16_rn(0.0f));
        }
        #pragma unroll
        for (int v = 0; v < VECS; v++) {
            #pragma unroll
            for (int c = 0; c < W; c++)
                t[v][c] += __bfloat162float(bias_tile[v][c]);
        }
    }

    // 02_affine.tile:18    y.store(t as T);
    __nv_bfloat16 *const y_at = y + 8 * i * y_stride + 256 * j;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (32 * v + lane);
        if (row < rows && col < cols) {
            __nv_bfloat16 out[W];
            #pragma unroll
            for (int c = 0; c < W; c++)
                out[c] = __float2bfloat16_rn(t[v][c]);
            store_vec(&y_at[row * y_stride + col], out);
        }
    }
}

extern "C" __global__ void __launch_bounds__(256, 1)
affine_bf16_tile_vectors(__nv_bfloat16 *__restrict__ y, int64_t y_stride,
                         const __nv_bfloat16 *__restrict__ x, int64_t x_stride,
                         const __nv_bfloat16 *__restrict__ scale,
                         const __nv_bfloat16 *__restrict__ bias, int64_t M, int64_t N)
{
    affine_bf16_tile<8>(y, y_stride, x, x_stride, scale, bias, M, N);
}

extern "C" __global__ void __launch_bounds__(256, 1)
affine_bf16_tile_unaligned(__nv_bfloat16 *__restrict__ y, int64_t y_stride,
                           const __nv_bfloat16 *__restrict__ x, int64_t x_stride,
                           const __nv_bfloat16 *__restrict__ scale,
                           const __nv_bfloat16 *__restrict__ bias, int64_t M, int64_t N)
{
    affine_bf16_tile<1>(y, y_stride, x, x_stride, scale, bias, M, N);
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
affine_f32_strided(float *y, int64_t y_stride, const float *x, int64_t x_stride,
                   const float *scale, const float *bias, int64_t M, int64_t N,
                   cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (tile_bad_extent(M) || tile_bad_extent(N))
        REFUSE("affine_f32: extents are from 0 to 2^42: M is %lld, N is %lld", (long long)M,
               (long long)N);

    const tile_tensor tensors[] = {
        {"y (&mut)", y, sizeof *y, TILE_EXCLUSIVE, N, 1, {{M, y_stride}}},
        {"x (&)", x, sizeof *x, TILE_SHARED, N, 1, {{M, x_stride}}},
        {"scale (&)", scale, sizeof *scale, TILE_SHARED, scale ? N : 0, 0, {}},
        {"bias (&)", bias, sizeof *bias, TILE_SHARED, bias ? N : 0, 0, {}},
    };
    if (!tile_check("affine_f32", tensors))
        return cudaErrorInvalidValue;

    const auto launch = [&](auto kernel, int64_t blocks, unsigned threads) {
        if (blocks > 0x7fffffff)
            REFUSE("affine_f32: %lld blocks are needed; a grid has up to 2147483647",
                   (long long)blocks);
        const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(threads),
                                           0, stream, NULL, 0};
        return cudaLaunchKernelEx(&config, kernel, y, y_stride, x, x_stride, scale, bias, M, N);
    };

    const int64_t programs = tile_times(tile_ceil(M, 8), tile_ceil(N, 256));
    if (programs == 0)
        return cudaSuccess;
    const bool vectors = N % 4 == 0 && tile_aligned(tensors[1], 16)
                         && tile_aligned(tensors[2], 16) && tile_aligned(tensors[3], 16)
                         && tile_aligned(tensors[0], 16);
    if (vectors)
        return launch(affine_f32_tile_vectors, programs, 512);
    return launch(affine_f32_tile_unaligned, programs, 512);
}

extern "C" cudaError_t
affine_f32(float *y, const float *x, const float *scale, const float *bias, int64_t M, int64_t N,
           cudaStream_t stream)
{
    return affine_f32_strided(y, N, x, N, scale, bias, M, N, stream);
}

extern "C" cudaError_t
affine_bf16_strided(__nv_bfloat16 *y, int64_t y_stride, const __nv_bfloat16 *x, int64_t x_stride,
                    const __nv_bfloat16 *scale, const __nv_bfloat16 *bias, int64_t M, int64_t N,
                    cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (tile_bad_extent(M) || tile_bad_extent(N))
        REFUSE("affine_bf16: extents are from 0 to 2^42: M is %lld, N is %lld", (long long)M,
               (long long)N);

    const tile_tensor tensors[] = {
        {"y (&mut)", y, sizeof *y, TILE_EXCLUSIVE, N, 1, {{M, y_stride}}},
        {"x (&)", x, sizeof *x, TILE_SHARED, N, 1, {{M, x_stride}}},
        {"scale (&)", scale, sizeof *scale, TILE_SHARED, scale ? N : 0, 0, {}},
        {"bias (&)", bias, sizeof *bias, TILE_SHARED, bias ? N : 0, 0, {}},
    };
    if (!tile_check("affine_bf16", tensors))
        return cudaErrorInvalidValue;

    const auto launch = [&](auto kernel, int64_t blocks, unsigned threads) {
        if (blocks > 0x7fffffff)
            REFUSE("affine_bf16: %lld blocks are needed; a grid has up to 2147483647",
                   (long long)blocks);
        const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(threads),
                                           0, stream, NULL, 0};
        return cudaLaunchKernelEx(&config, kernel, y, y_stride, x, x_stride, scale, bias, M, N);
    };

    const int64_t programs = tile_times(tile_ceil(M, 8), tile_ceil(N, 256));
    if (programs == 0)
        return cudaSuccess;
    const bool vectors = N % 8 == 0 && tile_aligned(tensors[1], 16)
                         && tile_aligned(tensors[2], 16) && tile_aligned(tensors[3], 16)
                         && tile_aligned(tensors[0], 16);
    if (vectors)
        return launch(affine_bf16_tile_vectors, programs, 256);
    return launch(affine_bf16_tile_unaligned, programs, 256);
}

extern "C" cudaError_t
affine_bf16(__nv_bfloat16 *y, const __nv_bfloat16 *x, const __nv_bfloat16 *scale,
            const __nv_bfloat16 *bias, int64_t M, int64_t N, cudaStream_t stream)
{
    return affine_bf16_strided(y, N, x, N, scale, bias, M, N, stream);
}
