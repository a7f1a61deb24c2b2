// 10_attention.cu -- translated from 10_attention.tile by tilec; edit the .tile, not this file.
//
//   nvcc -arch=native -c 10_attention.cu        an object with the launch functions of 10_attention.h
//   nvcc -arch=sm_90 -fatbin 10_attention.cu    the device code alone
//
// Not for -ftz=true or -use_fast_math: they change results.
//
// kernel attention    o[B, H, M, 64] by [b:, h:, i: 64, 64]  <-  q[B, H, M, 64], k[B, H, M, 64], v[B, H, M, 64]
//
//   program    one for each part of the outputs, as they are cut above
//   variants   attention_tile    a tile lives in the registers of its program's threads
//              each with accesses of 4 elements, and as .._unaligned with one at a time, for
//              pointers or rows that are not aligned

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <cuda_runtime.h>
#include "10_attention.h"

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

// Negative; that of the lowest is the lowest.
template <typename T>
static __device__ __forceinline__ T neg_wrap(T a)
{
    return (T)(0 - (uint64_t)a);
}

// Less than 0, said so that it may be asked of unsigned types too.
template <typename T>
static __device__ __forceinline__ bool is_negative(T a)
{
    return a < (T)1 && a != (T)0;
}

// -1 of a signed type, nothing of an unsigned one.
template <typename T>
static __device__ __forceinline__ bool is_minus_one(T a)
{
    return a == (T)-1 && is_negative<T>(a);
}

// Quotient towards zero; x / 0 is 0, and the lowest / -1 wraps.
template <typename T>
static __device__ __forceinline__ T div_int(T a, T b)
{
    if (b == (T)0)
        return (T)0;
    return is_minus_one<T>(b) ? neg_wrap<T>(a) : (T)(a / b);
}

// What div_int leaves, with the sign of a; x % 0 is x.
template <typename T>
static __device__ __forceinline__ T rem_int(T a, T b)
{
    if (b == (T)0)
        return a;
    return is_minus_one<T>(b) ? (T)0 : (T)(a % b);
}

// Quotient rounded up; by 0: 0.
template <typename T>
static __device__ __forceinline__ T ceildiv_int(T a, T b)
{
    const T rest = rem_int<T>(a, b);
    const bool below = b != (T)0 && rest != (T)0 && is_negative<T>(rest) == is_negative<T>(b);
    return (T)(div_int<T>(a, b) + (below ? (T)1 : (T)0));
}

// The smaller of two.
template <typename T>
static __device__ __forceinline__ T min_int(T a, T b)
{
    return a < b ? a : b;
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

// ---- attention_tile, a tile in registers -----------------------------------------------
//
//   block      256 threads are one program
//   row        of 64 in q: a thread holds element 16 * r + row_thread, for r = 0 .. 3;
//              row_thread = thread / 16
//   col        of 64 in q: a thread holds the W elements from W * (16 * v2 + col_thread) on,
//              for v2 = 0 .. VECS_col - 1; col_thread = thread % 16
//   row2       of 64 in m, l, acc: a thread holds element 32 * r2 + row_thread2, for r2 = 0
//              .. 1; row_thread2 = thread / 8
//   col2       of 64 in acc: a thread holds the W elements from W * (8 * v3 + col_thread2)
//              on, for v3 = 0 .. VECS_col2 - 1; col_thread2 = thread % 8
//   col3       of 32 in product, s, s2: a thread holds the W elements from W * (8 * v4 +
//              col_thread3) on, for v4 = 0 .. VECS_col3 - 1; col_thread3 = thread % 8
//   row3       of 32 in k: a thread holds element 16 * r3 + row_thread3, for r3 = 0 .. 1;
//              row_thread3 = thread / 16
//   col4       of 64 in k: a thread holds the W elements from W * (16 * v5 + col_thread4) on,
//              for v5 = 0 .. VECS_col4 - 1; col_thread4 = thread % 16
//   row4       of 32 in v: a thread holds element 16 * r4 + row_thread4, for r4 = 0 .. 1;
//              row_thread4 = thread / 16
//   col5       of 64 in v: a thread holds the W elements from W * (16 * v6 + col_thread5) on,
//              for v6 = 0 .. VECS_col5 - 1; col_thread5 = thread % 16
//
//                  col        0    4    8        60     (W = 4; so col4, col5)
//                  thread     0    1    2  ...   15
//
//                  col2       0    4    8        28      32   36       (W = 4)
//                  thread     0    1    2  ...   7        0    1  ...
//                  v3         0 ------------------        1 ---------
//
//                  col3       0    4    8        28     (W = 4)
//                  thread     0    1    2  ...   7
//
//   shared     queries_shared: 64 rows of 64, 68 apart: 272 bytes, an odd number of 16, so
//              that 8 rows begin in different banks; no two lanes meet in a bank, neither
//              writing nor reading
//              k_shared: 64 rows of 32, 36 apart: 144 bytes, an odd number of 16, so that 8
//              rows begin in different banks; no two lanes that read meet in a bank; of those
//              that write 8 do
//              p_shared: 64 rows of 32, 36 apart: 144 bytes, an odd number of 16, so that 8
//              rows begin in different banks; no two lanes meet in a bank, neither writing
//              nor reading
//              values_shared: 32 rows of 64, 68 apart: 272 bytes, an odd number of 16, so
//              that 8 rows begin in different banks; no two lanes meet in a bank, neither
//              writing nor reading
//   padding    s_max: a mask, since other values may lie outside the valid part, and max must
//              not see it
//              p_sum: a mask, since other values may lie outside the valid part, and sum must
//              not see it
//              p_shared: 0 where it has no data along k, since anything may lie there
//              values_shared: no mask of its own, since outside the valid part lies 0.0, and
//              no infinity meets it
//   barriers   k_shared is written before anyone reads
//              the operands are written before anyone reads
//   launch     has checked: for W > 1: q, k, v, o lie at multiples of 16 bytes (of W
//              elements, if those are fewer), their rows too, and rows are multiples of W
//              long

template <int W>
static __device__ __forceinline__ void
attention_tile(float *__restrict__ o, int64_t o_stride_0, int64_t o_stride_1, int64_t o_stride_2,
               const float *__restrict__ q, int64_t q_stride_0, int64_t q_stride_1,
               int64_t q_stride_2, const float *__restrict__ k, int64_t k_stride_0,
               int64_t k_stride_1, int64_t k_stride_2, const float *__restrict__ v,
               int64_t v_stride_0, int64_t v_stride_1, int64_t v_stride_2, float scale, int64_t B,
               int64_t H, int64_t M)
{
    constexpr int VECS_col = 4 / W;
    constexpr int VECS_col2 = 8 / W;
    constexpr int VECS_col3 = 4 / W;
    constexpr int VECS_col4 = 4 / W;
    constexpr int VECS_col5 = 4 / W;
    __shared__ __align__(16) float queries_shared[4352];
    __shared__ __align__(16) float k_shared[2304];
    __shared__ __align__(16) float p_shared[2304];
    __shared__ __align__(16) float values_shared[2176];
    const int64_t program = blockIdx.x;
    const int64_t i = program % tile_ceil(M, 64);
    const int64_t h = program / tile_ceil(M, 64) % H;
    const int64_t b = program / tile_ceil(M, 64) / H;
    const int thread = threadIdx.x;
    const int row_thread = thread / 16;
    const int col_thread = thread % 16;
    const int row_thread2 = thread / 8;
    const int col_thread2 = thread % 8;
    const int col_thread3 = thread % 8;
    const int row_thread3 = thread / 16;
    const int col_thread4 = thread % 16;
    const int row_thread4 = thread / 16;
    const int col_thread5 = thread % 16;

    // 10_attention.tile:30    let first = i * BM;
    const int64_t first = mul_wrap<int64_t>(i, 64);

    // 10_attention.tile:29    let queries = q[b, h].load([i, 0], [BM, D]);
    const float *const q_at = q + b * q_stride_0 + h * q_stride_1 + first * q_stride_2;
    const int rows = (int)(tile_min(64, M - first));
    #pragma unroll
    for (int r = 0; r < 4; r++) {
        const int row = 16 * r + row_thread;
        #pragma unroll
        for (int v2 = 0; v2 < VECS_col; v2++) {
            const int col = W * (16 * v2 + col_thread);
            float queries[W];
            if (row < rows)
                load_vec(queries, &q_at[row * q_stride_2 + col]);
            else
                fill_vec(queries, 0.0f);
            store_vec(&queries_shared[row * 68 + col], queries);
        }
    }

    // 10_attention.tile:35    for j in 0..ceil(min(first + BM, M), BN) {                  // no row here sees a key beyond
    const int64_t j_end = ceildiv_int<int64_t>(min_int<int64_t>(add_wrap<int64_t>(first, 64), M),
        32);
    float m[2];
    float l[2];
    float acc[2][VECS_col2][W];
    #pragma unroll
    for (int r2 = 0; r2 < 2; r2++)
        m[r2] = -INFINITY;
    #pragma unroll
    for (int r2 = 0; r2 < 2; r2++)
        l[r2] = 0.0f;
    #pragma unroll
    for (int r2 = 0; r2 < 2; r2++) {
        #pragma unroll
        for (int v3 = 0; v3 < VECS_col2; v3++) {
            #pragma unroll
            for (int c = 0; c < W; c++)
                acc[r2][v3][c] = 0.0f;
        }
    }
    for (int64_t j = 0; j < j_end; j++) {
        // 10_attention.tile:36    let col = expand(iota(BN, i64, from = j * BN), 0);
        const int64_t col6 = mul_wrap<int64_t>(j, 32);

        // 10_attention.tile:37    let s = mma(queries, k[b, h].load([j, 0], [BN, D]).t) * scale;
        const float *const k_at = k + b * k_stride_0 + h * k_stride_1 + 32 * j * k_stride_2;
        const int rows2 = (int)(tile_min(32, M - 32 * j));
        #pragma unroll
        for (int r3 = 0; r3 < 2; r3++) {
            const int row3 = 16 * r3 + row_thread3;
            #pragma unroll
            for (int v5 = 0; v5 < VECS_col4; v5++) {
                const int col4 = W * (16 * v5 + col_thread4);
                float k_v[W];
                if (row3 < rows2)
                    load_vec(k_v, &k_at[row3 * k_stride_2 + col4]);
                else
                    fill_vec(k_v, 0.0f);
                #pragma unroll
                for (int c = 0; c < W; c++)
                    k_shared[(col4 + c) * 36 + row3] = k_v[c];
            }
        }
        __syncthreads();                    // k_shared is written before anyone reads
        float product[2][VECS_col3][W];
        #pragma unroll
        for (int r2 = 0; r2 < 2; r2++) {
            #pragma unroll
            for (int v4 = 0; v4 < VECS_col3; v4++) {
                #pragma unroll
                for (int c = 0; c < W; c++)
                    product[r2][v4][c] = 0.0f;
            }
        }
        // for each k2: this thread's rows of queries times its columns of k
        #pragma unroll (W > 1 ? 8 : 2)
        for (int k2 = 0; k2 < 64; k2++) {
            float queries_k2[2];
            #pragma unroll
            for (int r2 = 0; r2 < 2; r2++) {
                const int row2 = 32 * r2 + row_thread2;
                queries_k2[r2] = queries_shared[row2 * 68 + k2];
            }
            float k_k2[VECS_col3][W];
            #pragma unroll
            for (int v4 = 0; v4 < VECS_col3; v4++) {
                const int col3 = W * (8 * v4 + col_thread3);
                load_vec(k_k2[v4], &k_shared[k2 * 36 + col3]);
            }
            #pragma unroll
            for (int r2 = 0; r2 < 2; r2++) {
                #pragma unroll
                for (int v4 = 0; v4 < VECS_col3; v4++) {
                    #pragma unroll
                    for (int c = 0; c < W; c++)
                        product[r2][v4][c] = fmaf(queries_k2[r2], k_k2[v4][c], product[r2][v4][c]);
                }
            }
        }
        float s[2][VECS_col3][W];
        #pragma unroll
        for (int r2 = 0; r2 < 2; r2++) {
            #pragma unroll
            for (int v4 = 0; v4 < VECS_col3; v4++) {
                #pragma unroll
                for (int c = 0; c < W; c++)
                    s[r2][v4][c] = __fmul_rn(product[r2][v4][c], scale);
            }
        }

        // 10_attention.tile:38    (m, l, acc) = online(select(col <= row, s, -inf), v[b, h].load([j, 0], [BN, D]), m, l, acc);
        float s2[2][VECS_col3][W];
        #pragma unroll
        for (int r2 = 0; r2 < 2; r2++) {
            const int row2 = 32 * r2 + row_thread2;
            #pragma unroll
            for (int v4 = 0; v4 < VECS_col3; v4++) {
                const int col3 = W * (8 * v4 + col_thread3);
                #pragma unroll
                for (int c = 0; c < W; c++) {
                    s2[r2][v4][c] = add_wrap<int64_t>(col6, (int64_t)(col3 + c))
                        <= add_wrap<int64_t>(first, (int64_t)row2) ? s[r2][v4][c] : -INFINITY;
                }
            }
        }

        // 10_attention.tile:19    let top = max(m, max(s, axis = 1, keepdims = true));
        float s_max[2];
        #pragma unroll
        for (int r2 = 0; r2 < 2; r2++)
            s_max[r2] = -INFINITY;
        #pragma unroll
        for (int r2 = 0; r2 < 2; r2++) {
            #pragma unroll
            for (int v4 = 0; v4 < VECS_col3; v4++) {
                const int col3 = W * (8 * v4 + col_thread3);
                #pragma unroll
                for (int c = 0; c < W; c++)
                    s_max[r2] = max_nan(s_max[r2], col3 + c < rows2 ? s2[r2][v4][c] : -INFINITY);
            }
        }
        #pragma unroll
        for (int r2 = 0; r2 < 2; r2++)
            s_max[r2] = warp_max_nan<8>(s_max[r2]);
        float m2[2];
        #pragma unroll
        for (int r2 = 0; r2 < 2; r2++)
            m2[r2] = max_nan(m[r2], s_max[r2]);

        // 10_attention.tile:20    let p = exp(s - top);
        float p[2][VECS_col3][W];
        #pragma unroll
        for (int r2 = 0; r2 < 2; r2++) {
            #pragma unroll
            for (int v4 = 0; v4 < VECS_col3; v4++) {
                #pragma unroll
                for (int c = 0; c < W; c++)
                    p[r2][v4][c] = expf(s2[r2][v4][c] - m2[r2]);
            }
        }

        // 10_attention.tile:21    let f = exp(m - top);
        float f[2];
        #pragma unroll
        for (int r2 = 0; r2 < 2; r2++)
            f[r2] = expf(m[r2] - m2[r2]);

        // 10_attention.tile:22    return (top, l * f + sum(p, axis = 1, keepdims = true), mma(p, values, acc * f));
        float p_sum[2];
        #pragma unroll
        for (int r2 = 0; r2 < 2; r2++)
            p_sum[r2] = 0.0f;
        #pragma unroll
        for (int r2 = 0; r2 < 2; r2++) {
            #pragma unroll
            for (int v4 = 0; v4 < VECS_col3; v4++) {
                const int col3 = W * (8 * v4 + col_thread3);
                #pragma unroll
                for (int c = 0; c < W; c++)
                    p_sum[r2] += col3 + c < rows2 ? p[r2][v4][c] : 0.0f;
            }
        }
        #pragma unroll
        for (int r2 = 0; r2 < 2; r2++)
            p_sum[r2] = warp_sum<8>(p_sum[r2]);
        #pragma unroll
        for (int r2 = 0; r2 < 2; r2++)
            l[r2] = __fmul_rn(l[r2], f[r2]) + p_sum[r2];

        // 10_attention.tile:20    let p = exp(s - top);
        #pragma unroll
        for (int r2 = 0; r2 < 2; r2++) {
            const int row2 = 32 * r2 + row_thread2;
            #pragma unroll
            for (int v4 = 0; v4 < VECS_col3; v4++) {
                const int col3 = W * (8 * v4 + col_thread3);
                float out[W];
                #pragma unroll
                for (int c = 0; c < W; c++)
                    out[c] = col3 + c < rows2 ? p[r2][v4][c] : 0.0f;
                store_vec(&p_shared[row2 * 36 + col3], out);
            }
        }

        // 10_attention.tile:38    (m, l, acc) = online(select(col <= row, s, -inf), v[b, h].load([j, 0], [BN, D]), m, l, acc);
        const float *const v_at = v + b * v_stride_0 + h * v_stride_1 + 32 * j * v_stride_2;
        #pragma unroll
        for (int r4 = 0; r4 < 2; r4++) {
            const int row4 = 16 * r4 + row_thread4;
            #pragma unroll
            for (int v6 = 0; v6 < VECS_col5; v6++) {
                const int col5 = W * (16 * v6 + col_thread5);
                float values[W];
                if (row4 < rows2)
                    load_vec(values, &v_at[row4 * v_stride_2 + col5]);
                else
                    fill_vec(values, 0.0f);
                store_vec(&values_shared[row4 * 68 + col5], values);
            }
        }
        __syncthreads();                    // the operands are written before anyone reads

        // 10_attention.tile:22    return (top, l * f + sum(p, axis = 1, keepdims = true), mma(p, values, acc * f));
        #pragma unroll
        for (int r2 = 0; r2 < 2; r2++) {
            #pragma unroll
            for (int v3 = 0; v3 < VECS_col2; v3++) {
                #pragma unroll
                for (int c = 0; c < W; c++)
                    acc[r2][v3][c] = acc[r2][v3][c] * f[r2];
            }
        }
        // for each k2: this thread's rows of p times its columns of values
        #pragma unroll (W > 1 ? 8 : 2)
        for (int k2 = 0; k2 < 32; k2++) {
            float p_k2[2];
            #pragma unroll
            for (int r2 = 0; r2 < 2; r2++) {
                const int row2 = 32 * r2 + row_thread2;
                p_k2[r2] = p_shared[row2 * 36 + k2];
            }
            float values_k2[VECS_col2][W];
            #pragma unroll
            for (int v3 = 0; v3 < VECS_col2; v3++) {
                const int col2 = W * (8 * v3 + col_thread2);
                load_vec(values_k2[v3], &values_shared[k2 * 68 + col2]);
            }
            #pragma unroll
            for (int r2 = 0; r2 < 2; r2++) {
                #pragma unroll
                for (int v3 = 0; v3 < VECS_col2; v3++) {
                    #pragma unroll
                    for (int c = 0; c < W; c++)
                        acc[r2][v3][c] = fmaf(p_k2[r2], values_k2[v3][c], acc[r2][v3][c]);
                }
            }
        }
        #pragma unroll
        for (int r2 = 0; r2 < 2; r2++)
            m[r2] = m2[r2];
    }

    // 10_attention.tile:40    o.store(acc / l);
    float *const o_at = o + b * o_stride_0 + h * o_stride_1 + first * o_stride_2;
    #pragma unroll
    for (int r2 = 0; r2 < 2; r2++) {
        const int row2 = 32 * r2 + row_thread2;
        #pragma unroll
        for (int v3 = 0; v3 < VECS_col2; v3++) {
            const int col2 = W * (8 * v3 + col_thread2);
            if (row2 < rows) {
                float out[W];
                #pragma unroll
                for (int c = 0; c < W; c++)
                    out[c] = acc[r2][v3][c] / l[r2];
                store_vec(&o_at[row2 * o_stride_2 + col2], out);
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(256, 1)
attention_tile_vectors(float *__restrict__ o, int64_t o_stride_0, int64_t o_stride_1,
                       int64_t o_stride_2, const float *__restrict__ q, int64_t q_stride_0,
                       int64_t q_stride_1, int64_t q_stride_2, const float *__restrict__ k,
                       int64_t k_stride_0, int64_t k_stride_1, int64_t k_stride_2,
                       const float *__restrict__ v, int64_t v_stride_0, int64_t v_stride_1,
                       int64_t v_stride_2, float scale, int64_t B, int64_t H, int64_t M)
{
    attention_tile<4>(o, o_stride_0, o_stride_1, o_stride_2, q, q_stride_0, q_stride_1, q_stride_2,
                      k, k_stride_0, k_stride_1, k_stride_2, v, v_stride_0, v_stride_1, v_stride_2,
                      scale, B, H, M);
}

extern "C" __global__ void __launch_bounds__(256, 1)
attention_tile_unaligned(float *__restrict__ o, int64_t o_stride_0, int64_t o_stride_1,
                         int64_t o_stride_2, const float *__restrict__ q, int64_t q_stride_0,
                         int64_t q_stride_1, int64_t q_stride_2, const float *__restrict__ k,
                         int64_t k_stride_0, int64_t k_stride_1, int64_t k_stride_2,
                         const float *__restrict__ v, int64_t v_stride_0, int64_t v_stride_1,
                         int64_t v_stride_2, float scale, int64_t B, int64_t H, int64_t M)
{
    attention_tile<1>(o, o_stride_0, o_stride_1, o_stride_2, q, q_stride_0, q_stride_1, q_stride_2,
                      k, k_stride_0, k_stride_1, k_stride_2, v, v_stride_0, v_stride_1, v_stride_2,
                      scale, B, H, M);
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
attention_strided(float *o, int64_t o_stride_0, int64_t o_stride_1, int64_t o_stride_2,
                  const float *q, int64_t q_stride_0, int64_t q_stride_1, int64_t q_stride_2,
                  const float *k, int64_t k_stride_0, int64_t k_stride_1, int64_t k_stride_2,
                  const float *v, int64_t v_stride_0, int64_t v_stride_1, int64_t v_stride_2,
                  float scale, int64_t B, int64_t H, int64_t M, int64_t D, cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (D != 64)
        REFUSE("attention: D is %lld; there are kernels for 64", (long long)D);
    if (tile_bad_extent(B) || tile_bad_extent(H) || tile_bad_extent(M))
        REFUSE("attention: extents are from 0 to 2^42: B is %lld, H is %lld, M is %lld",
               (long long)B, (long long)H, (long long)M);

    const tile_tensor tensors[] = {
        {"o (&mut)", o, sizeof *o, TILE_EXCLUSIVE, 64, 3, {{B, o_stride_0}, {H, o_stride_1},
            {M, o_stride_2}}},
        {"q (&)", q, sizeof *q, TILE_SHARED, 64, 3, {{B, q_stride_0}, {H, q_stride_1},
            {M, q_stride_2}}},
        {"k (&)", k, sizeof *k, TILE_SHARED, 64, 3, {{B, k_stride_0}, {H, k_stride_1},
            {M, k_stride_2}}},
        {"v (&)", v, sizeof *v, TILE_SHARED, 64, 3, {{B, v_stride_0}, {H, v_stride_1},
            {M, v_stride_2}}},
    };
    if (!tile_check("attention", tensors))
        return cudaErrorInvalidValue;

    const auto launch = [&](auto kernel, int64_t blocks, unsigned threads) {
        if (blocks > 0x7fffffff)
            REFUSE("attention: %lld blocks are needed; a grid has up to 2147483647",
                   (long long)blocks);
        const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(threads),
                                           0, stream, NULL, 0};
        return cudaLaunchKernelEx(&config, kernel, o, o_stride_0, o_stride_1, o_stride_2, q,
                                  q_stride_0, q_stride_1, q_stride_2, k, k_stride_0, k_stride_1,
                                  k_stride_2, v, v_stride_0, v_stride_1, v_stride_2, scale, B, H,
                                  M);
    };

    const int64_t programs = tile_times(B, H, tile_ceil(M, 64));
    if (programs == 0)
        return cudaSuccess;
    const bool vectors = tile_aligned(tensors[1], 16) && tile_aligned(tensors[2], 16)
                         && tile_aligned(tensors[3], 16) && tile_aligned(tensors[0], 16);
    if (vectors)
        return launch(attention_tile_vectors, programs, 256);
    return launch(attention_tile_unaligned, programs, 256);
}

extern "C" cudaError_t
attention(float *o, const float *q, const float *k, const float *v, float scale, int64_t B,
          int64_t H, int64_t M, int64_t D, cudaStream_t stream)
{
    return attention_strided(o, tile_times(64, H, M), 64 * M, 64, q, tile_times(64, H, M), 64 * M,
                             64, k, tile_times(64, H, M), 64 * M, 64, v, tile_times(64, H, M),
                             64 * M, 64, scale, B, H, M, D, stream);
}
