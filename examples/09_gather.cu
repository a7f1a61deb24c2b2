// 09_gather.cu -- translated from 09_gather.tile by tilec; edit the .tile, not this file.
//
//   nvcc -arch=native -c 09_gather.cu        an object with the launch functions of 09_gather.h
//   nvcc -arch=sm_90 -fatbin 09_gather.cu    the device code alone
//
// Not for -ftz=true or -use_fast_math: they change results.
//
// kernel embedding_f32    out[N, D] by [i: 4, j: 128]  <-  ids[N], table[V, D]
//
//   program    one for each part of the outputs, as they are cut above
//   variants   embedding_f32_tile    a tile lives in the registers of its program's threads
//              each with accesses of 4 elements, and as .._unaligned with one at a time, for
//              pointers or rows that are not aligned
//
// kernel embedding_bf16    out[N, D] by [i: 4, j: 128]  <-  ids[N], table[V, D]
//
//   program    one for each part of the outputs, as they are cut above
//   variants   embedding_bf16_tile    a tile lives in the registers of its program's threads
//              each with accesses of 8 elements, and as .._unaligned with one at a time, for
//              pointers or rows that are not aligned
//
// kernel embedding_grad    dtable[V, D] atomic  <-  ids[N], dout[N, D]
//
//   program    one for each place of grid [i: ceil(N, 4), j: ceil(D, 128)]
//   variants   embedding_grad_tile    a tile lives in the registers of its program's threads
//              each with accesses of 4 elements, and as .._unaligned with one at a time, for
//              pointers or rows that are not aligned
//
// kernel inverse    place[N]  <-  order[N]
//
//   program    one for each place of grid [i: ceil(N, 256)]
//   variants   inverse_tile    a tile lives in the registers of its program's threads
//              each with accesses of 4 elements, and as .._unaligned with one at a time, for
//              pointers or rows that are not aligned

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include "09_gather.h"

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

// Sum that wraps.
template <typename T>
static __device__ __forceinline__ T add_wrap(T a, T b)
{
    return (T)((uint64_t)a + (uint64_t)b);
}

// Product that wraps.
template <typename T>
static __device__ __forceinline__ T mul_wrap(T a, T b)
{
    return (T)((uint64_t)a * (uint64_t)b);
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

// ---- embedding_f32_tile, a tile in registers -------------------------------------------
//
//   block      128 threads are one program
//   row        of 4: a thread holds element thread / 32
//   col        of 128: a thread holds the W elements from W * (32 * v + lane) on, for v = 0
//              .. VECS - 1
//
//                  col        0    4    8        124    (W = 4)
//                  lane       0    1    2  ...   31
//
//   padding    an index outside of table reads the pad, 0.0f, which is data then
//   barriers   none: no thread waits for another warp
//   launch     has checked: for W > 1: table, out lie at multiples of 16 bytes (of W
//              elements, if those are fewer), their rows too, and rows are multiples of W
//              long

template <int W>
static __device__ __forceinline__ void
embedding_f32_tile(float *__restrict__ out, int64_t out_stride, const int32_t *__restrict__ ids,
                   const float *__restrict__ table, int64_t table_stride, int64_t N, int64_t D,
                   int64_t V)
{
    constexpr int VECS = 4 / W;
    const int64_t program = blockIdx.x;
    const int64_t j = program % tile_ceil(D, 128);
    const int64_t i = program / tile_ceil(D, 128);
    const int thread = threadIdx.x;
    const int lane = thread % 32;
    const int row = thread / 32;

    // 09_gather.tile:16    let rows = ids.load([i], [BN]);
    int32_t rows;
    const int rows2 = (int)(tile_min(4, N - 4 * i));
    const int32_t *const ids_at = ids + 4 * i;
    rows = row < rows2 ? ids_at[row] : 0;

    // 09_gather.tile:17    out.store(table.gather(rows, j * BD ..+ BD));
    float table_tile[VECS][W];
    const float *const table_at = table + 128 * j;
    const int cols = (int)(tile_min(128, D - 128 * j));
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (32 * v + lane);
        if (rows >= 0 && rows < V && col < cols)
            load_vec(table_tile[v], &table_at[rows * table_stride + col]);
        else
            fill_vec(table_tile[v], 0.0f);
    }
    float *const out_at = out + 4 * i * out_stride + 128 * j;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (32 * v + lane);
        if (row < rows2 && col < cols)
            store_vec(&out_at[row * out_stride + col], table_tile[v]);
    }
}

extern "C" __global__ void __launch_bounds__(128, 1)
embedding_f32_tile_vectors(float *__restrict__ out, int64_t out_stride,
                           const int32_t *__restrict__ ids, const float *__restrict__ table,
                           int64_t table_stride, int64_t N, int64_t D, int64_t V)
{
    embedding_f32_tile<4>(out, out_stride, ids, table, table_stride, N, D, V);
}

extern "C" __global__ void __launch_bounds__(128, 1)
embedding_f32_tile_unaligned(float *__restrict__ out, int64_t out_stride,
                             const int32_t *__restrict__ ids, const float *__restrict__ table,
                             int64_t table_stride, int64_t N, int64_t D, int64_t V)
{
    embedding_f32_tile<1>(out, out_stride, ids, table, table_stride, N, D, V);
}


// ---- embedding_bf16_tile, a tile in registers ------------------------------------------
//
//   block      128 threads = 2 programs of 64: small programs share a block, which alone
//              could not fill a multiprocessor
//   row        of 4: a thread holds element thread / 16
//   col        of 128: a thread holds the W elements from W * (16 * v + col_thread) on, for v
//              = 0 .. VECS - 1; col_thread = thread % 16
//
//                  col        0    8   16        120    (W = 8)
//                  thread     0    1    2  ...   15
//
//   padding    an index outside of table reads the pad, __float2bfloat16_rn(0.0f), which is
//              data then
//   barriers   none: no thread waits for another warp
//   launch     has checked: for W > 1: table, out lie at multiples of 16 bytes (of W
//              elements, if those are fewer), their rows too, and rows are multiples of W
//              long

template <int W>
static __device__ __forceinline__ void
embedding_bf16_tile(__nv_bfloat16 *__restrict__ out, int64_t out_stride,
                    const int32_t *__restrict__ ids, const __nv_bfloat16 *__restrict__ table,
                    int64_t table_stride, int64_t N, int64_t D, int64_t V)
{
    constexpr int VECS = 8 / W;
    const int64_t program = (int64_t)blockIdx.x * 2 + threadIdx.x / 64;
    if (program >= tile_ceil(N, 4) * tile_ceil(D, 128))
        return;
    const int64_t j = program % tile_ceil(D, 128);
    const int64_t i = program / tile_ceil(D, 128);
    const int thread = threadIdx.x % 64;
    const int col_thread = thread % 16;
    const int row = thread / 16;

    // 09_gather.tile:16    let rows = ids.load([i], [BN]);
    int32_t rows;
    const int rows2 = (int)(tile_min(4, N - 4 * i));
    const int32_t *const ids_at = ids + 4 * i;
    rows = row < rows2 ? ids_at[row] : 0;

    // 09_gather.tile:17    out.store(table.gather(rows, j * BD ..+ BD));
    __nv_bfloat16 table_tile[VECS][W];
    const __nv_bfloat16 *const table_at = table + 128 * j;
    const int cols = (int)(tile_min(128, D - 128 * j));
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (16 * v + col_thread);
        if (rows >= 0 && rows < V && col < cols)
            load_vec(table_tile[v], &table_at[rows * table_stride + col]);
        else
            fill_vec(table_tile[v], __float2bfloat16_rn(0.0f));
    }
    __nv_bfloat16 *const out_at = out + 4 * i * out_stride + 128 * j;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (16 * v + col_thread);
        if (row < rows2 && col < cols)
            store_vec(&out_at[row * out_stride + col], table_tile[v]);
    }
}

extern "C" __global__ void __launch_bounds__(128, 1)
embedding_bf16_tile_vectors(__nv_bfloat16 *__restrict__ out, int64_t out_stride,
                            const int32_t *__restrict__ ids,
                            const __nv_bfloat16 *__restrict__ table, int64_t table_stride,
                            int64_t N, int64_t D, int64_t V)
{
    embedding_bf16_tile<8>(out, out_stride, ids, table, table_stride, N, D, V);
}

extern "C" __global__ void __launch_bounds__(128, 1)
embedding_bf16_tile_unaligned(__nv_bfloat16 *__restrict__ out, int64_t out_stride,
                              const int32_t *__restrict__ ids,
                              const __nv_bfloat16 *__restrict__ table, int64_t table_stride,
                              int64_t N, int64_t D, int64_t V)
{
    embedding_bf16_tile<1>(out, out_stride, ids, table, table_stride, N, D, V);
}


// ---- embedding_grad_tile, a tile in registers ------------------------------------------
//
//   block      128 threads are one program
//   row        of 4: a thread holds element thread / 32
//   col        of 128: a thread holds the W elements from W * (32 * v + lane) on, for v = 0
//              .. VECS - 1
//
//                  col        0    4    8        124    (W = 4)
//                  lane       0    1    2  ...   31
//
//   padding    atomic_add of dtable leaves out what is padding: its conditions say so
//   barriers   none: no thread waits for another warp
//   launch     has checked: for W > 1: dout lie at multiples of 16 bytes (of W elements, if
//              those are fewer), their rows too, and rows are multiples of W long

template <int W>
static __device__ __forceinline__ void
embedding_grad_tile(float *__restrict__ dtable, int64_t dtable_stride,
                    const int32_t *__restrict__ ids, const float *__restrict__ dout,
                    int64_t dout_stride, int64_t V, int64_t D, int64_t N)
{
    constexpr int VECS = 4 / W;
    const int64_t program = blockIdx.x;
    const int64_t j = program % tile_ceil(D, 128);
    const int64_t i = program / tile_ceil(D, 128);
    const int thread = threadIdx.x;
    const int lane = thread % 32;
    const int row = thread / 32;

    // 09_gather.tile:26    let rows = ids.load([i], [BN]);
    int32_t rows;
    const int rows2 = (int)(tile_min(4, N - 4 * i));
    const int32_t *const ids_at = ids + 4 * i;
    rows = row < rows2 ? ids_at[row] : 0;

    // 09_gather.tile:27    dtable.atomic_add(rows, j * BD ..+ BD, dout.load([i, j], [BN, BD]));
    float dout_tile[VECS][W];
    const float *const dout_at = dout + 4 * i * dout_stride + 128 * j;
    const int cols = (int)(tile_min(128, D - 128 * j));
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (32 * v + lane);
        if (row < rows2 && col < cols)
            load_vec(dout_tile[v], &dout_at[row * dout_stride + col]);
        else
            fill_vec(dout_tile[v], 0.0f);
    }
    float *const dtable_at = dtable + 128 * j;
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (32 * v + lane);
        #pragma unroll
        for (int c = 0; c < W; c++) {
            if (row < rows2 && col < cols && rows >= 0 && rows < V)
                atomicAdd(&dtable_at[rows * dtable_stride + col + c], dout_tile[v][c]);
        }
    }
}

extern "C" __global__ void __launch_bounds__(128, 1)
embedding_grad_tile_vectors(float *__restrict__ dtable, int64_t dtable_stride,
                            const int32_t *__restrict__ ids, const float *__restrict__ dout,
                            int64_t dout_stride, int64_t V, int64_t D, int64_t N)
{
    embedding_grad_tile<4>(dtable, dtable_stride, ids, dout, dout_stride, V, D, N);
}

extern "C" __global__ void __launch_bounds__(128, 1)
embedding_grad_tile_unaligned(float *__restrict__ dtable, int64_t dtable_stride,
                              const int32_t *__restrict__ ids, const float *__restrict__ dout,
                              int64_t dout_stride, int64_t V, int64_t D, int64_t N)
{
    embedding_grad_tile<1>(dtable, dtable_stride, ids, dout, dout_stride, V, D, N);
}


// ---- inverse_tile, a tile in registers -------------------------------------------------
//
//   block      128 threads = 2 programs of 64: small programs share a block, which alone
//              could not fill a multiprocessor
//   col        of 256: a thread holds the W elements from W * (64 * v + thread) on, for v = 0
//              .. VECS - 1
//
//                  col        0    4    8        252    (W = 4)
//                  thread     0    1    2  ...   63
//
//   padding    scatter of place leaves out what is padding: its conditions say so
//   barriers   none: no thread waits for another warp
//   launch     has checked: for W > 1: order lie at multiples of 16 bytes (of W elements, if
//              those are fewer), their rows too, and rows are multiples of W long

template <int W>
static __device__ __forceinline__ void
inverse_tile(int32_t *__restrict__ place, const int32_t *__restrict__ order, int64_t N)
{
    constexpr int VECS = 4 / W;
    const int64_t i = (int64_t)blockIdx.x * 2 + threadIdx.x / 64;
    if (i >= tile_ceil(N, 256))
        return;
    const int thread = threadIdx.x % 64;

    // 09_gather.tile:33    unsafe place.scatter(order.load([i], [B]), (i * B) as i32 + iota(B, i32));
    int32_t order_tile[VECS][W];
    const int32_t *const order_at = order + 256 * i;
    const int cols = (int)(tile_min(256, N - 256 * i));
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (64 * v + thread);
        if (col < cols)
            load_vec(order_tile[v], &order_at[col]);
        else
            fill_vec(order_tile[v], 0);
    }
    const int32_t i_next = (int32_t)mul_wrap<int64_t>(i, 256);
    #pragma unroll
    for (int v = 0; v < VECS; v++) {
        const int col = W * (64 * v + thread);
        #pragma unroll
        for (int c = 0; c < W; c++) {
            if (col < cols && order_tile[v][c] >= 0 && order_tile[v][c] < N)
                place[order_tile[v][c]] = add_wrap<int32_t>(i_next, col + c);
        }
    }
}

extern "C" __global__ void __launch_bounds__(128, 1)
inverse_tile_vectors(int32_t *__restrict__ place, const int32_t *__restrict__ order, int64_t N)
{
    inverse_tile<4>(place, order, N);
}

extern "C" __global__ void __launch_bounds__(128, 1)
inverse_tile_unaligned(int32_t *__restrict__ place, const int32_t *__restrict__ order, int64_t N)
{
    inverse_tile<1>(place, order, N);
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
embedding_f32_strided(float *out, int64_t out_stride, const int32_t *ids, const float *table,
                      int64_t table_stride, int64_t N, int64_t D, int64_t V, cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (tile_bad_extent(N) || tile_bad_extent(D) || tile_bad_extent(V))
        REFUSE("embedding_f32: extents are from 0 to 2^42: N is %lld, D is %lld, V is %lld",
               (long long)N, (long long)D, (long long)V);

    const tile_tensor tensors[] = {
        {"out (&mut)", out, sizeof *out, TILE_EXCLUSIVE, D, 1, {{N, out_stride}}},
        {"ids (&)", ids, sizeof *ids, TILE_SHARED, N, 0, {}},
        {"table (&)", table, sizeof *table, TILE_SHARED, D, 1, {{V, table_stride}}},
    };
    if (!tile_check("embedding_f32", tensors))
        return cudaErrorInvalidValue;

    const auto launch = [&](auto kernel, int64_t blocks, unsigned threads) {
        if (blocks > 0x7fffffff)
            REFUSE("embedding_f32: %lld blocks are needed; a grid has up to 2147483647",
                   (long long)blocks);
        const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(threads),
                                           0, stream, NULL, 0};
        return cudaLaunchKernelEx(&config, kernel, out, out_stride, ids, table, table_stride, N, D,
                                  V);
    };

    const int64_t programs = tile_times(tile_ceil(N, 4), tile_ceil(D, 128));
    if (programs == 0)
        return cudaSuccess;
    const bool vectors = D % 4 == 0 && tile_aligned(tensors[2], 16)
                         && tile_aligned(tensors[0], 16);
    if (vectors)
        return launch(embedding_f32_tile_vectors, programs, 128);
    return launch(embedding_f32_tile_unaligned, programs, 128);
}

extern "C" cudaError_t
embedding_f32(float *out, const int32_t *ids, const float *table, int64_t N, int64_t D, int64_t V,
              cudaStream_t stream)
{
    return embedding_f32_strided(out, D, ids, table, D, N, D, V, stream);
}

extern "C" cudaError_t
embedding_bf16_strided(__nv_bfloat16 *out, int64_t out_stride, const int32_t *ids,
                       const __nv_bfloat16 *table, int64_t table_stride, int64_t N, int64_t D,
                       int64_t V, cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (tile_bad_extent(N) || tile_bad_extent(D) || tile_bad_extent(V))
        REFUSE("embedding_bf16: extents are from 0 to 2^42: N is %lld, D is %lld, V is %lld",
               (long long)N, (long long)D, (long long)V);

    const tile_tensor tensors[] = {
        {"out (&mut)", out, sizeof *out, TILE_EXCLUSIVE, D, 1, {{N, out_stride}}},
        {"ids (&)", ids, sizeof *ids, TILE_SHARED, N, 0, {}},
        {"table (&)", table, sizeof *table, TILE_SHARED, D, 1, {{V, table_stride}}},
    };
    if (!tile_check("embedding_bf16", tensors))
        return cudaErrorInvalidValue;

    const auto launch = [&](auto kernel, int64_t blocks, unsigned threads) {
        if (blocks > 0x7fffffff)
            REFUSE("embedding_bf16: %lld blocks are needed; a grid has up to 2147483647",
                   (long long)blocks);
        const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(threads),
                                           0, stream, NULL, 0};
        return cudaLaunchKernelEx(&config, kernel, out, out_stride, ids, table, table_stride, N, D,
                                  V);
    };

    const int64_t programs = tile_times(tile_ceil(N, 4), tile_ceil(D, 128));
    if (programs == 0)
        return cudaSuccess;
    const bool vectors = D % 8 == 0 && tile_aligned(tensors[2], 16)
                         && tile_aligned(tensors[0], 16);
    if (vectors)
        return launch(embedding_bf16_tile_vectors, tile_ceil(programs, 2), 128);
    return launch(embedding_bf16_tile_unaligned, tile_ceil(programs, 2), 128);
}

extern "C" cudaError_t
embedding_bf16(__nv_bfloat16 *out, const int32_t *ids, const __nv_bfloat16 *table, int64_t N,
               int64_t D, int64_t V, cudaStream_t stream)
{
    return embedding_bf16_strided(out, D, ids, table, D, N, D, V, stream);
}

extern "C" cudaError_t
embedding_grad_strided(float *dtable, int64_t dtable_stride, const int32_t *ids, const float *dout,
                       int64_t dout_stride, int64_t V, int64_t D, int64_t N, cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (tile_bad_extent(V) || tile_bad_extent(D) || tile_bad_extent(N))
        REFUSE("embedding_grad: extents are from 0 to 2^42: V is %lld, D is %lld, N is %lld",
               (long long)V, (long long)D, (long long)N);

    const tile_tensor tensors[] = {
        {"dtable (&atomic)", dtable, sizeof *dtable, TILE_ATOMIC, D, 1, {{V, dtable_stride}}},
        {"ids (&)", ids, sizeof *ids, TILE_SHARED, N, 0, {}},
        {"dout (&)", dout, sizeof *dout, TILE_SHARED, D, 1, {{N, dout_stride}}},
    };
    if (!tile_check("embedding_grad", tensors))
        return cudaErrorInvalidValue;

    const auto launch = [&](auto kernel, int64_t blocks, unsigned threads) {
        if (blocks > 0x7fffffff)
            REFUSE("embedding_grad: %lld blocks are needed; a grid has up to 2147483647",
                   (long long)blocks);
        const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(threads),
                                           0, stream, NULL, 0};
        return cudaLaunchKernelEx(&config, kernel, dtable, dtable_stride, ids, dout, dout_stride,
                                  V, D, N);
    };

    const int64_t programs = tile_times(tile_ceil(N, 4), tile_ceil(D, 128));
    if (programs == 0)
        return cudaSuccess;
    const bool vectors = D % 4 == 0 && tile_aligned(tensors[2], 16);
    if (vectors)
        return launch(embedding_grad_tile_vectors, programs, 128);
    return launch(embedding_grad_tile_unaligned, programs, 128);
}

extern "C" cudaError_t
embedding_grad(float *dtable, const int32_t *ids, const float *dout, int64_t V, int64_t D,
               int64_t N, cudaStream_t stream)
{
    return embedding_grad_strided(dtable, D, ids, dout, D, V, D, N, stream);
}

extern "C" cudaError_t
inverse(int32_t *place, const int32_t *order, int64_t N, cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (tile_bad_extent(N))
        REFUSE("inverse: extents are from 0 to 2^42: N is %lld", (long long)N);

    const tile_tensor tensors[] = {
        {"place (&mut)", place, sizeof *place, TILE_EXCLUSIVE, N, 0, {}},
        {"order (&)", order, sizeof *order, TILE_SHARED, N, 0, {}},
    };
    if (!tile_check("inverse", tensors))
        return cudaErrorInvalidValue;

    const auto launch = [&](auto kernel, int64_t blocks, unsigned threads) {
        if (blocks > 0x7fffffff)
            REFUSE("inverse: %lld blocks are needed; a grid has up to 2147483647",
                   (long long)blocks);
        const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(threads),
                                           0, stream, NULL, 0};
        return cudaLaunchKernelEx(&config, kernel, place, order, N);
    };

    const int64_t programs = tile_ceil(N, 256);
    if (programs == 0)
        return cudaSuccess;
    const bool vectors = N % 4 == 0 && tile_aligned(tensors[1], 16);
    if (vectors)
        return launch(inverse_tile_vectors, tile_ceil(programs, 2), 128);
    return launch(inverse_tile_unaligned, tile_ceil(programs, 2), 128);
}
