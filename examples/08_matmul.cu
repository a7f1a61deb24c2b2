// 08_matmul.cu -- translated from 08_matmul.tile by tilec; edit the .tile, not this file.
//
//   nvcc -arch=native -c 08_matmul.cu        an object with the launch functions of 08_matmul.h
//   nvcc -arch=sm_90a -c 08_matmul.cu        for H100 and H200, with the bodies for them
//   nvcc -arch=sm_90 -fatbin 08_matmul.cu    the device code alone
//
// Not for -ftz=true or -use_fast_math: they change results.
//
// kernel matmul_f32    c[M, N] by [i: 64, j: 64]  <-  a[M, K], b[K, N], bias[N]
//
//   program    one for each part of the outputs, as they are cut above
//   variants   matmul_f32_tile    a tile lives in the registers of its program's threads
//              each with accesses of 4 elements, and as .._unaligned with one at a time, for
//              pointers or rows that are not aligned
//
// kernel matmul_bf16    c[M, N] by [i: 64, j: 64]  <-  a[M, K], b[K, N], bias[N]
//
//   program    one for each part of the outputs, as they are cut above
//   variants   matmul_bf16_tile    a tile lives in the registers of its program's threads
//              matmul_bf16_sm90a    for sm_90a (H100, H200): TMA brings operands, wgmma
//              multiplies them; a tile lives in registers
//              all others with accesses of 8 elements, as .._vectors_4 with 4, and as
//              .._unaligned with one at a time, for pointers or rows that are not aligned

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include "08_matmul.h"

// ---- instructions that C cannot say ---------------------------------------------------

#ifndef TILE_EMULATOR
// Four 8 x 8 matrices of 16 bits: lane l gives row l % 8 of matrix l / 8, which is 16 bytes of
// shared memory, and gets of each matrix the pair that begins at row l / 4, column 2 * (l % 4).
static __device__ __forceinline__ void ldmatrix_x4(unsigned (&r)[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
}

// As ldmatrix_x4, of the transposes: the pair lies in rows 2 * (l % 4) and the next, column l / 4.
static __device__ __forceinline__ void ldmatrix_x4_trans(unsigned (&r)[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
}

// As mma_f16, of bf16.
static __device__ __forceinline__ void mma_bf16(float (&upper)[2], float (&lower)[2],
                                                const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3},"
                 " {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(upper[0]), "+f"(upper[1]), "+f"(lower[0]), "+f"(lower[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Begins to copy 16 bytes, past the first cache, or writes zeros if they are not there;
// what they are is known when cp_async_wait says so. Both addresses are multiples of 16.
static __device__ __forceinline__ void cp_async_16(void *shared, const void *global, bool there)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(shared)), "l"(global), "r"(there ? 16 : 0)
                 : "memory");
}

// As cp_async_16, of 8 bytes, through the first cache.
static __device__ __forceinline__ void cp_async_8(void *shared, const void *global, bool there)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(shared)), "l"(global), "r"(there ? 8 : 0)
                 : "memory");
}

// What this thread began to copy since the last commit is a group.
static __device__ __forceinline__ void cp_async_commit(void)
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most the PENDING latest groups of this thread are on their way.
template <int PENDING>
static __device__ __forceinline__ void cp_async_wait(void)
{
    asm volatile("cp.async.wait_group %0;" : : "n"(PENDING) : "memory");
}
#endif

// ---- instructions of sm_90a -----------------------------------------------------------

// Not every GPU has them: in code for another target the bodies that use them are empty, and
// the launch function does not choose those.
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define TILE_SM90A
#endif

#if defined(TILE_SM90A) && !defined(TILE_EMULATOR)
// Waits until `threads` threads, whole warps, came to barrier id, 1 to 15.
static __device__ __forceinline__ void named_barrier_sync(int id, int threads)
{
    asm volatile("bar.sync %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

// Comes to barrier id as named_barrier_sync, and does not wait.
static __device__ __forceinline__ void named_barrier_arrive(int id, int threads)
{
    asm volatile("bar.arrive %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

// Makes 8 bytes of shared memory a barrier whose every phase lasts for so many arrivals.
static __device__ __forceinline__ void mbarrier_init(uint64_t *barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(arrivals)
                 : "memory");
}

// What mbarrier_init did is seen by copies and the cluster; a barrier of the block comes after it.
static __device__ __forceinline__ void mbarrier_init_fence(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// An arrival at the barrier; its phase lasts until so many more bytes have been copied.
static __device__ __forceinline__ void mbarrier_expect(uint64_t *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes)
                 : "memory");
}

// An arrival at the barrier.
static __device__ __forceinline__ void mbarrier_arrive(uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(barrier))
                 : "memory");
}

// Waits until the phase of this parity, that of the first being 0, is over.
static __device__ __forceinline__ void mbarrier_wait(uint64_t *barrier, unsigned parity)
{
    unsigned over;
    do
        asm volatile("{\n"
                     ".reg .pred over;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, over;\n"
                     "}"
                     : "=r"(over)
                     : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity)
                     : "memory");
    while (!over);
}

// The four warps, all of which are here, give registers back until they have COUNT a thread.
template <int COUNT>
static __device__ __forceinline__ void fewer_registers(void)
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(COUNT));
}

// The four warps wait until others gave back what they need for COUNT registers a thread.
template <int COUNT>
static __device__ __forceinline__ void more_registers(void)
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(COUNT));
}

// A coordinate of a box as TMA takes it. Tensors that it copies end before 2^30: what begins beyond
// that is outside, wherever it is.
static __device__ __forceinline__ int box_at(int64_t at)
{
    const int64_t most = 1 << 30;
    return (int)(at > most ? most : at < -most ? -most : at);
}

// Begins to copy the map's box from element (x, y) on, x along the rows, to shared memory at a
// multiple of 128; its bytes, zeros where the tensor has none, count for the barrier's phase.
static __device__ __forceinline__ void tma_load_2d(void *to, const CUtensorMap *map,
                                                   uint64_t *barrier, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4}], [%2];"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(map),
                   "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(x), "r"(y)
                 : "memory");
}

// Names a tile in shared memory, swizzled by 128 bytes, to wgmma. If k lies along its rows of 128
// bytes, `stride` is from eight rows to the next eight: 1024. Turned, with 64 elements of one k a
// row, `stride` is the same along k, and `leading` from 64 elements to the next.
static __device__ __forceinline__ uint64_t wgmma_tile(const void *tile, unsigned leading,
                                                      unsigned stride)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(tile);
    return (uint64_t)((at & 0x3ffff) >> 4) | (uint64_t)(leading >> 4) << 16
           | (uint64_t)(stride >> 4) << 32 | (uint64_t)1 << 62;
}

// What the warps did to their sums and fragments so far comes before the next wgmma.
static __device__ __forceinline__ void wgmma_fence(void)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

// The products that were begun since the last commit are a group.
static __device__ __forceinline__ void wgmma_commit(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until all groups but the PENDING latest are done: their sums are there, their tiles free.
template <int PENDING>
static __device__ __forceinline__ void wgmma_wait(void)
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(PENDING) : "memory");
}

// What wgmma did to the sums is known from here on, behind wgmma_wait: they are not read before.
template <int ROWS, int COLS>
static __device__ __forceinline__ void wgmma_sums(float (&sums)[ROWS][COLS][2])
{
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
#pragma unroll
        for (int j = 0; j < COLS; j++)
            asm volatile("" : "+f"(sums[i][j][0]), "+f"(sums[i][j][1]) : : "memory");
    }
}

// Begins to add to (or set) 64 x 64 sums, 16 rows a warp as of mma_f16, a (64 x 16)
// times b (16 x 64); a tile is turned if k does not lie along its rows.
template <int A_TURNED, int B_TURNED>
static __device__ __forceinline__ void wgmma_bf16_n64(
    float (&upper)[8][2], float (&lower)[8][2], uint64_t a, uint64_t b,
    bool accumulate)
{
    asm volatile("{\n"
                 ".reg .pred accumulate;\n"
                 "setp.ne.b32 accumulate, %34, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16\n"
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11,"
                 "%12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23,"
                 "%24, %25, %26, %27, %28, %29, %30, %31},\n"
                 "%32, %33, accumulate, 1, 1, %35, %36;\n"
                 "}"
                 : "+f"(upper[0][0]), "+f"(upper[0][1]), "+f"(lower[0][0]), "+f"(lower[0][1]),
                   "+f"(upper[1][0]), "+f"(upper[1][1]), "+f"(lower[1][0]), "+f"(lower[1][1]),
                   "+f"(upper[2][0]), "+f"(upper[2][1]), "+f"(lower[2][0]), "+f"(lower[2][1]),
                   "+f"(upper[3][0]), "+f"(upper[3][1]), "+f"(lower[3][0]), "+f"(lower[3][1]),
                   "+f"(upper[4][0]), "+f"(upper[4][1]), "+f"(lower[4][0]), "+f"(lower[4][1]),
                   "+f"(upper[5][0]), "+f"(upper[5][1]), "+f"(lower[5][0]), "+f"(lower[5][1]),
                   "+f"(upper[6][0]), "+f"(upper[6][1]), "+f"(lower[6][0]), "+f"(lower[6][1]),
                   "+f"(upper[7][0]), "+f"(upper[7][1]), "+f"(lower[7][0]), "+f"(lower[7][1])
                 : "l"(a),
                   "l"(b), "r"((int)accumulate), "n"(A_TURNED), "n"(B_TURNED));
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

// Dynamic shared memory: a block has as many bytes of it as its launch asks for.
extern __shared__ __align__(1024) unsigned char smem[];

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

// W neighbours from global to shared memory without waiting for them, zeros if they do not exist;
// less than 16 bytes come at once.
template <int W, typename T>
static __device__ __forceinline__ void fetch_vec(T *to, const T *from, bool there)
{
    if (W * sizeof(T) % 16 == 0) {
        #pragma unroll
        for (int c = 0; c < W; c += 16 / sizeof(T))
            cp_async_16(&to[c], &from[c], there);
    } else {
        #pragma unroll
        for (int c = 0; c < W; c++)
            to[c] = there ? from[c] : T();
    }
}

// As fetch_vec, of 16 or 8 bytes.
template <int W, typename T>
static __device__ __forceinline__ void fetch_any(T *to, const T *from, bool there)
{
    if (W * sizeof(T) == 8)
        cp_async_8(to, from, there);
    else
        fetch_vec<W>(to, from, there);
}

// ---- matmul_f32_tile, a tile in registers ----------------------------------------------
//
//   block      256 threads are one program
//   row        of 64 in acc: a thread holds element 16 * r + row_thread, for r = 0 .. 3;
//              row_thread = thread / 16
//   col        of 64 in acc, bias_tile: a thread holds the W elements from W * (16 * v +
//              col_thread) on, for v = 0 .. VECS_col - 1; col_thread = thread % 16
//   row2       of 64 in a: a thread holds element 16 * r2 + row_thread2, for r2 = 0 .. 3;
//              row_thread2 = thread / 16
//   col2       of 64 in a: a thread holds the W elements from W * (16 * v2 + col_thread2) on,
//              for v2 = 0 .. VECS_col2 - 1; col_thread2 = thread % 16
//   row3       of 64 in b: a thread holds element 16 * r3 + row_thread3, for r3 = 0 .. 3;
//              row_thread3 = thread / 16
//   col3       of 64 in b: a thread holds the W elements from W * (16 * v3 + col_thread3) on,
//              for v3 = 0 .. VECS_col3 - 1; col_thread3 = thread % 16
//
//                  col        0    4    8        60     (W = 4; so col2, col3)
//                  thread     0    1    2  ...   15
//
//   shared     a_shared: 64 rows of 64, 68 apart: 272 bytes, an odd number of 16, so that 8
//              rows begin in different banks; no two lanes meet in a bank, neither writing
//              nor reading
//              b_shared: 64 rows of 64, 68 apart: 272 bytes, an odd number of 16, so that 8
//              rows begin in different banks; no two lanes meet in a bank, neither writing
//              nor reading
//   padding    a_shared: no mask of its own, since outside the valid part lies 0.0, and no
//              infinity meets it
//              b_shared: no mask of its own, since outside the valid part lies 0.0, and no
//              infinity meets it
//   barriers   the last round is done with shared memory
//              a_shared and b_shared are written before anyone reads
//   launch     has checked: for W > 1: a, b, bias, c lie at multiples of 16 bytes (of W
//              elements, if those are fewer), their rows too, and rows are multiples of W
//              long

template <int W>
static __device__ __forceinline__ void
matmul_f32_tile(float *__restrict__ c, int64_t c_stride, const float *__restrict__ a,
                int64_t a_stride, const float *__restrict__ b, int64_t b_stride,
                const float *__restrict__ bias, int64_t M, int64_t N, int64_t K)
{
    constexpr int VECS_col = 4 / W;
    constexpr int VECS_col2 = 4 / W;
    constexpr int VECS_col3 = 4 / W;
    __shared__ __align__(16) float a_shared[4352];
    __shared__ __align__(16) float b_shared[4352];
    const int64_t program = blockIdx.x;
    const int64_t j = program % tile_ceil(N, 64);
    const int64_t i = program / tile_ceil(N, 64);
    const int thread = threadIdx.x;
    const int row_thread = thread / 16;
    const int col_thread = thread % 16;
    const int row_thread2 = thread / 16;
    const int col_thread2 = thread % 16;
    const int row_thread3 = thread / 16;
    const int col_thread3 = thread % 16;

    // 08_matmul.tile:18    for k in 0..ceil(K, BK) {
    float acc[4][VECS_col][W];
    #pragma unroll
    for (int r = 0; r < 4; r++) {
        #pragma unroll
        for (int v = 0; v < VECS_col; v++) {
            #pragma unroll
            for (int c2 = 0; c2 < W; c2++)
                acc[r][v][c2] = 0.0f;
        }
    }
    for (int64_t k = 0; k < tile_ceil(K, 64); k++) {
        __syncthreads();                    // the last round is done with shared memory

        // 08_matmul.tile:19    acc = mma(a.load([i, k], [BM, BK]), b.load([k, j], [BK, BN]), acc);
        const float *const a_at = a + 64 * i * a_stride + 64 * k;
        const int rows = (int)(tile_min(64, M - 64 * i));
        const int cols = (int)(tile_min(64, K - 64 * k));
        #pragma unroll
        for (int r2 = 0; r2 < 4; r2++) {
            const int row2 = 16 * r2 + row_thread2;
            #pragma unroll
            for (int v2 = 0; v2 < VECS_col2; v2++) {
                const int col2 = W * (16 * v2 + col_thread2);
                float a_v[W];
                if (row2 < rows && col2 < cols)
                    load_vec(a_v, &a_at[row2 * a_stride + col2]);
                else
                    fill_vec(a_v, 0.0f);
                store_vec(&a_shared[row2 * 68 + col2], a_v);
            }
        }
        const float *const b_at = b + 64 * k * b_stride + 64 * j;
        const int cols2 = (int)(tile_min(64, N - 64 * j));
        #pragma unroll
        for (int r3 = 0; r3 < 4; r3++) {
            const int row3 = 16 * r3 + row_thread3;
            #pragma unroll
            for (int v3 = 0; v3 < VECS_col3; v3++) {
                const int col3 = W * (16 * v3 + col_thread3);
                float b_v[W];
                if (row3 < cols && col3 < cols2)
                    load_vec(b_v, &b_at[row3 * b_stride + col3]);
                else
                    fill_vec(b_v, 0.0f);
                store_vec(&b_shared[row3 * 68 + col3], b_v);
            }
        }
        __syncthreads();                    // a_shared and b_shared are written before anyone reads
        // for each k2: this thread's rows of a times its columns of b
        #pragma unroll (W > 1 ? 8 : 2)
        for (int k2 = 0; k2 < 64; k2++) {
            float a_k2[4];
            #pragma unroll
            for (int r = 0; r < 4; r++) {
                const int row = 16 * r + row_thread;
                a_k2[r] = a_shared[row * 68 + k2];
            }
            float b_k2[VECS_col][W];
            #pragma unroll
            for (int v = 0; v < VECS_col; v++) {
                const int col = W * (16 * v + col_thread);
                load_vec(b_k2[v], &b_shared[k2 * 68 + col]);
            }
            #pragma unroll
            for (int r = 0; r < 4; r++) {
                #pragma unroll
                for (int v = 0; v < VECS_col; v++) {
                    #pragma unroll
                    for (int c2 = 0; c2 < W; c2++)
                        acc[r][v][c2] = fmaf(a_k2[r], b_k2[v][c2], acc[r][v][c2]);
                }
            }
        }
    }

    // 08_matmul.tile:21    if bias { acc += bias.load_like(c) as f32; }
    if (bias != nullptr) {
        float bias_tile[VECS_col][W];
        const float *const bias_at = bias + 64 * j;
        const int cols3 = (int)(tile_min(64, N - 64 * j));
        #pragma unroll
        for (int v = 0; v < VECS_col; v++) {
            const int col = W * (16 * v + col_thread);
            if (col < cols3)
                load_vec(bias_tile[v], &bias_at[col]);
            else
                fill_vec(bias_tile[v], 0.0f);
        }
        #pragma unroll
        for (int r = 0; r < 4; r++) {
            #pragma unroll
            for (int v = 0; v < VECS_col; v++) {
                #pragma unroll
                for (int c2 = 0; c2 < W; c2++)
                    acc[r][v][c2] += bias_tile[v][c2];
            }
        }
    }

    // 08_matmul.tile:22    c.store(acc as T);
    const int rows2 = (int)(tile_min(64, M - 64 * i));
    const int cols4 = (int)(tile_min(64, N - 64 * j));
    float *const c_at = c + 64 * i * c_stride + 64 * j;
    #pragma unroll
    for (int r = 0; r < 4; r++) {
        const int row = 16 * r + row_thread;
        #pragma unroll
        for (int v = 0; v < VECS_col; v++) {
            const int col = W * (16 * v + col_thread);
            if (row < rows2 && col < cols4)
                store_vec(&c_at[row * c_stride + col], acc[r][v]);
        }
    }
}

extern "C" __global__ void __launch_bounds__(256, 1)
matmul_f32_tile_vectors(float *__restrict__ c, int64_t c_stride, const float *__restrict__ a,
                        int64_t a_stride, const float *__restrict__ b, int64_t b_stride,
                        const float *__restrict__ bias, int64_t M, int64_t N, int64_t K)
{
    matmul_f32_tile<4>(c, c_stride, a, a_stride, b, b_stride, bias, M, N, K);
}

extern "C" __global__ void __launch_bounds__(256, 1)
matmul_f32_tile_unaligned(float *__restrict__ c, int64_t c_stride, const float *__restrict__ a,
                          int64_t a_stride, const float *__restrict__ b, int64_t b_stride,
                          const float *__restrict__ bias, int64_t M, int64_t N, int64_t K)
{
    matmul_f32_tile<1>(c, c_stride, a, a_stride, b, b_stride, bias, M, N, K);
}


// ---- matmul_bf16_tile, a tile in registers ---------------------------------------------
//
//   block      128 threads are one program
//   order      8 values of i stand together before the fastest axis goes on: blocks that run
//              at one time share more of what they load
//   row        of 64 in acc: a thread holds element 32 * (r / 2) + 8 * (r % 2) + row_thread,
//              for r = 0 .. 3; row_thread = 16 * (thread / 32 % 2) + thread % 32 / 4
//   col        of 64 in acc, bias_tile: a thread holds the pair from 8 * v + col_thread on,
//              for v = 0 .. 3; col_thread = 32 * (thread / 64) + 2 * (thread % 4)
//   row2       of 64 in a: a thread holds element 16 * r2 + row_thread2, for r2 = 0 .. 3;
//              row_thread2 = thread / 8
//   col2       of 64 in a: a thread holds the W elements from W * (8 * v2 + col_thread2) on,
//              for v2 = 0 .. VECS_col2 - 1; col_thread2 = thread % 8
//   row3       of 64 in b: a thread holds element 16 * r3 + row_thread3, for r3 = 0 .. 3;
//              row_thread3 = thread / 8
//   col3       of 64 in b: a thread holds the W elements from W * (8 * v3 + col_thread3) on,
//              for v3 = 0 .. VECS_col3 - 1; col_thread3 = thread % 8
//   row4       of 64 in acc_next: a thread holds element 16 * r4 + row_thread4, for r4 = 0 ..
//              3; row_thread4 = thread / 8
//   col4       of 64 in acc_next: a thread holds the W elements from W * (8 * v4 +
//              col_thread4) on, for v4 = 0 .. VECS_col4 - 1; col_thread4 = thread % 8
//
//                  col2       0    8   16        56     (W = 8; so col3, col4)
//                  thread     0    1    2  ...   7
//
//   shared     a_shared: 64 rows of 64, 72 apart: 144 bytes, an odd number of 16, so that 8
//              rows begin in different banks; no two lanes meet in a bank, neither writing
//              nor reading
//              b_shared: 64 rows of 64, 72 apart: 144 bytes, an odd number of 16, so that 8
//              rows begin in different banks; no two lanes meet in a bank, neither writing
//              nor reading
//              acc_shared: a tile on its way to other threads, since other threads want it
//              next. Rows are 72 apart: 16 bytes more than they are long, so that those that
//              a warp touches at once begin in different banks
//              smem: 73728 bytes, more than static arrays can have, so that the launch
//              function asks for them; arrays that are never needed at once lie at the same
//              place in it
//   padding    a_shared: no mask of its own, since outside the valid part lies 0.0, and no
//              infinity meets it
//              b_shared: no mask of its own, since outside the valid part lies 0.0, and no
//              infinity meets it
//   barriers   round k is there, and nobody reads the one before
//              what lay in this memory before has been read
//              the tile is written before other threads read it
//   launch     has checked: for W > 1: a, b, bias, c lie at multiples of 16 bytes (of W
//              elements, if those are fewer), their rows too, and rows are multiples of W
//              long

template <int W>
static __device__ __forceinline__ void
matmul_bf16_tile(__nv_bfloat16 *__restrict__ c, int64_t c_stride,
                 const __nv_bfloat16 *__restrict__ a, int64_t a_stride,
                 const __nv_bfloat16 *__restrict__ b, int64_t b_stride,
                 const __nv_bfloat16 *__restrict__ bias, int64_t M, int64_t N, int64_t K)
{
    constexpr int VECS_col2 = 8 / W;
    constexpr int VECS_col3 = 8 / W;
    constexpr int VECS_col4 = 8 / W;
    __nv_bfloat16 *const a_shared = (__nv_bfloat16 *)smem;   // [18432]
    __nv_bfloat16 *const b_shared = (__nv_bfloat16 *)(smem + 36864);   // [18432]
    __nv_bfloat16 *const acc_shared = (__nv_bfloat16 *)smem;   // [4608]
    const int64_t program = blockIdx.x;
    const int64_t group_size = 8 * tile_ceil(N, 64);
    const int64_t in_group = program % group_size;
    const int64_t first_i = program / group_size * 8;
    const int64_t group_height = tile_min(8, tile_ceil(M, 64) - first_i);
    const int64_t j = in_group / group_height;
    const int64_t i = first_i + in_group % group_height;
    const int thread = threadIdx.x;
    const int row_thread = 16 * (thread / 32 % 2) + thread % 32 / 4;
    const int col_thread = 32 * (thread / 64) + 2 * (thread % 4);
    const int row_thread2 = thread / 8;
    const int col_thread2 = thread % 8;
    const int row_thread3 = thread / 8;
    const int col_thread3 = thread % 8;
    const int row_thread4 = thread / 8;
    const int col_thread4 = thread % 8;

    // 08_matmul.tile:18    for k in 0..ceil(K, BK) {
    float acc[4][4][2];
    #pragma unroll
    for (int r = 0; r < 4; r++) {
        #pragma unroll
        for (int v = 0; v < 4; v++) {
            #pragma unroll
            for (int c2 = 0; c2 < 2; c2++)
                acc[r][v][c2] = 0.0f;
        }
    }
    // a and b of round k come without waiting, into room k & 3 of their arrays
    const auto fetch = [&](int64_t k) {
        if (k < tile_ceil(K, 64)) {
            __nv_bfloat16 *const a_to = a_shared + 4608 * (k & 3);
            const __nv_bfloat16 *const a_at = a + 64 * i * a_stride + 64 * k;
            const int rows = (int)(tile_min(64, M - 64 * i));
            const int cols = (int)(tile_min(64, K - 64 * k));
            #pragma unroll (W > 1 ? 4 : 1)
            for (int r2 = 0; r2 < 4; r2++) {
                const int row2 = 16 * r2 + row_thread2;
                #pragma unroll (W > 1 ? VECS_col2 : 1)
                for (int v2 = 0; v2 < VECS_col2; v2++) {
                    const int col2 = W * (8 * v2 + col_thread2);
                    fetch_any<W>(&a_to[row2 * 72 + col2], &a_at[row2 * a_stride + col2], row2
                        < rows && col2 < cols);
                }
            }
            __nv_bfloat16 *const b_to = b_shared + 4608 * (k & 3);
            const __nv_bfloat16 *const b_at = b + 64 * k * b_stride + 64 * j;
            const int cols2 = (int)(tile_min(64, N - 64 * j));
            #pragma unroll (W > 1 ? 4 : 1)
            for (int r3 = 0; r3 < 4; r3++) {
                const int row3 = 16 * r3 + row_thread3;
                #pragma unroll (W > 1 ? VECS_col3 : 1)
                for (int v3 = 0; v3 < VECS_col3; v3++) {
                    const int col3 = W * (8 * v3 + col_thread3);
                    fetch_any<W>(&b_to[row3 * 72 + col3], &b_at[row3 * b_stride + col3], row3
                        < cols && col3 < cols2);
                }
            }
        }
        cp_async_commit();
    };
    for (int64_t k = 0; k < 3; k++)
        fetch(k);
    for (int64_t k = 0; k < tile_ceil(K, 64); k++) {
        cp_async_wait<2>();
        __syncthreads();                    // round k is there, and nobody reads the one before
        fetch(k + 3);
        const __nv_bfloat16 *const a_now = a_shared + 4608 * (k & 3);
        const __nv_bfloat16 *const b_now = b_shared + 4608 * (k & 3);

        // 08_matmul.tile:19    acc = mma(a.load([i, k], [BM, BK]), b.load([k, j], [BK, BN]), acc);
        const int a_row = thread % 16, a_col = thread % 32 / 16 * 8;
        const int b_row = thread % 16, b_col = thread % 32 / 16 * 8;
        // for each 16 k2: this warp's rows of a times its columns of b, on tensor cores
        #pragma unroll
        for (int k2 = 0; k2 < 64; k2 += 16) {
            unsigned a_k2[2][4];
            #pragma unroll
            for (int i2 = 0; i2 < 2; i2++) {
                ldmatrix_x4(a_k2[i2], &a_now[(32 * i2 + thread / 32 % 2 * 16 + a_row) * 72 + k2
                    + a_col]);
            }
            #pragma unroll
            for (int j2 = 0; j2 < 2; j2++) {
                unsigned b_k2[4];
                ldmatrix_x4_trans(b_k2, &b_now[(k2 + b_row) * 72 + thread / 64 * 32 + 16 * j2
                    + b_col]);
                #pragma unroll
                for (int i2 = 0; i2 < 2; i2++) {
                    mma_bf16(acc[2 * i2][2 * j2], acc[2 * i2 + 1][2 * j2], a_k2[i2], b_k2[0],
                        b_k2[1]);
                    mma_bf16(acc[2 * i2][2 * j2 + 1], acc[2 * i2 + 1][2 * j2 + 1], a_k2[i2],
                        b_k2[2], b_k2[3]);
                }
            }
        }
    }

    // 08_matmul.tile:21    if bias { acc += bias.load_like(c) as f32; }
    if (bias != nullptr) {
        __nv_bfloat16 bias_tile[4][2];
        const int cols = (int)(tile_min(64, N - 64 * j));
        const __nv_bfloat16 *const bias_at = bias + 64 * j;
        #pragma unroll
        for (int v = 0; v < 4; v++) {
            const int col = 8 * v + col_thread;
            #pragma unroll
            for (int c2 = 0; c2 < 2; c2++)
                bias_tile[v][c2] = col + c2 < cols ? bias_at[col + c2] : __float2bfloat16_rn(0.0f);
        }
        #pragma unroll
        for (int r = 0; r < 4; r++) {
            #pragma unroll
            for (int v = 0; v < 4; v++) {
                #pragma unroll
                for (int c2 = 0; c2 < 2; c2++)
                    acc[r][v][c2] += __bfloat162float(bias_tile[v][c2]);
            }
        }
    }

    // 08_matmul.tile:22    c.store(acc as T);
    __syncthreads();                        // what lay in this memory before has been read
    #pragma unroll
    for (int r = 0; r < 4; r++) {
        const int row = 32 * (r / 2) + 8 * (r % 2) + row_thread;
        #pragma unroll
        for (int v = 0; v < 4; v++) {
            const int col = 8 * v + col_thread;
            __nv_bfloat16 out[2];
            #pragma unroll
            for (int c2 = 0; c2 < 2; c2++)
                out[c2] = __float2bfloat16_rn(acc[r][v][c2]);
            store_vec(&acc_shared[row * 72 + col], out);
        }
    }
    __syncthreads();                        // the tile is written before other threads read it
    __nv_bfloat16 acc_next[4][VECS_col4][W];
    #pragma unroll
    for (int r4 = 0; r4 < 4; r4++) {
        const int row4 = 16 * r4 + row_thread4;
        #pragma unroll
        for (int v4 = 0; v4 < VECS_col4; v4++) {
            const int col4 = W * (8 * v4 + col_thread4);
            load_vec(acc_next[r4][v4], &acc_shared[row4 * 72 + col4]);
        }
    }
    const int rows = (int)(tile_min(64, M - 64 * i));
    const int cols2 = (int)(tile_min(64, N - 64 * j));
    __nv_bfloat16 *const c_at = c + 64 * i * c_stride + 64 * j;
    #pragma unroll
    for (int r4 = 0; r4 < 4; r4++) {
        const int row4 = 16 * r4 + row_thread4;
        #pragma unroll
        for (int v4 = 0; v4 < VECS_col4; v4++) {
            const int col4 = W * (8 * v4 + col_thread4);
            if (row4 < rows && col4 < cols2)
                store_vec(&c_at[row4 * c_stride + col4], acc_next[r4][v4]);
        }
    }
}

extern "C" __global__ void __launch_bounds__(128, 1)
matmul_bf16_tile_vectors(__nv_bfloat16 *__restrict__ c, int64_t c_stride,
                         const __nv_bfloat16 *__restrict__ a, int64_t a_stride,
                         const __nv_bfloat16 *__restrict__ b, int64_t b_stride,
                         const __nv_bfloat16 *__restrict__ bias, int64_t M, int64_t N, int64_t K)
{
    matmul_bf16_tile<8>(c, c_stride, a, a_stride, b, b_stride, bias, M, N, K);
}

extern "C" __global__ void __launch_bounds__(128, 1)
matmul_bf16_tile_vectors_4(__nv_bfloat16 *__restrict__ c, int64_t c_stride,
                           const __nv_bfloat16 *__restrict__ a, int64_t a_stride,
                           const __nv_bfloat16 *__restrict__ b, int64_t b_stride,
                           const __nv_bfloat16 *__restrict__ bias, int64_t M, int64_t N, int64_t K)
{
    matmul_bf16_tile<4>(c, c_stride, a, a_stride, b, b_stride, bias, M, N, K);
}

extern "C" __global__ void __launch_bounds__(128, 1)
matmul_bf16_tile_unaligned(__nv_bfloat16 *__restrict__ c, int64_t c_stride,
                           const __nv_bfloat16 *__restrict__ a, int64_t a_stride,
                           const __nv_bfloat16 *__restrict__ b, int64_t b_stride,
                           const __nv_bfloat16 *__restrict__ bias, int64_t M, int64_t N, int64_t K)
{
    matmul_bf16_tile<1>(c, c_stride, a, a_stride, b, b_stride, bias, M, N, K);
}

// ---- matmul_bf16_sm90a, boxes by TMA, products by wgmma --------------------------------
//
//   block      384 threads: two groups of 4 warps take the block's programs in turn, so that
//              one stores its result while the other multiplies; the last 128 threads give
//              registers to them, and one of these asks for what they multiply
//   order      8 values of i stand together before the fastest axis goes on: blocks that run
//              at one time share more of what they load
//   row        of 64 in acc: a thread holds element 8 * r + row_thread, for r = 0 .. 1;
//              row_thread = 16 * (thread / 32) + thread % 32 / 4
//   col        of 64 in acc, bias_tile: a thread holds the pair from 8 * v + col_thread on,
//              for v = 0 .. 7; col_thread = 2 * (thread % 4)
//   row4       of 64 in acc_next: a thread holds element 16 * r4 + row_thread4, for r4 = 0 ..
//              3; row_thread4 = thread / 8
//   col4       of 64 in acc_next: a thread holds the W elements from W * (8 * v4 +
//              col_thread4) on, for v4 = 0 .. VECS_col4 - 1; col_thread4 = thread % 8
//   shared     a_shared: 8 rooms of 64 rows of 64, which are 128 bytes, as TMA swizzles them:
//              of row r the 16 bytes c lie at c ^ r % 8, so that 8 rows one above the other
//              lie in different banks
//              b_shared: 8 rooms of 64 rows of 64, which are 128 bytes, as TMA swizzles them:
//              of row r the 16 bytes c lie at c ^ r % 8, so that 8 rows one above the other
//              lie in different banks
//              full, empty: barriers of each room, which count bytes that have come, and
//              warps that are done
//              acc_shared: a tile on its way to other threads, since other threads want it
//              next. Rows are 72 apart: 16 bytes more than they are long, so that those that
//              a warp touches at once begin in different banks
//              smem: 149504 bytes, for which the launch function asks; arrays that are never
//              needed at once lie at the same place in it
//   padding    a_shared: no mask of its own, since outside the valid part lies 0.0, and no
//              infinity meets it
//              b_shared: no mask of its own, since outside the valid part lies 0.0, and no
//              infinity meets it
//   barriers   the barriers in memory are made before they are used
//              the other group has begun all its products
//              the last round's tile has been read
//              the tile is written before other threads read it
//   launch     has checked: for W > 1: a, b, bias, c lie at multiples of 16 bytes (of W
//              elements, if those are fewer), their rows too, and rows are multiples of W
//              long

extern "C" __global__ void __launch_bounds__(384, 1)
matmul_bf16_sm90a(__nv_bfloat16 *__restrict__ c, int64_t c_stride,
                  const __nv_bfloat16 *__restrict__ a, int64_t a_stride,
                  const __nv_bfloat16 *__restrict__ b, int64_t b_stride,
                  const __nv_bfloat16 *__restrict__ bias, int64_t M, int64_t N, int64_t K,
                  const __grid_constant__ CUtensorMap a_map,
                  const __grid_constant__ CUtensorMap b_map)
{
#ifdef TILE_SM90A
    constexpr int W = 8;
    constexpr int VECS_col4 = 8 / W;
    const int group = threadIdx.x / 128;
    const int thread = threadIdx.x % 128;
    const int row_thread = 16 * (thread / 32) + thread % 32 / 4;
    const int col_thread = 2 * (thread % 4);
    const int row_thread4 = thread / 8;
    const int col_thread4 = thread % 8;
    __nv_bfloat16 *const a_shared = (__nv_bfloat16 *)smem;   // [32768]
    __nv_bfloat16 *const b_shared = (__nv_bfloat16 *)(smem + 65536);   // [32768]
    __shared__ uint64_t full[8], empty[8];
    __nv_bfloat16 *const acc_shared = (__nv_bfloat16 *)(smem + 131072 + group * 9216);   // [4608]

    // a and b of a round come as boxes into a room of their rings
    if (threadIdx.x == 0) {
        for (int slot = 0; slot < 8; slot++) {
            mbarrier_init(&full[slot], 1);  // for the thread that asks
            mbarrier_init(&empty[slot], 4);  // for the warps that multiply
        }
        mbarrier_init_fence();
    }
    __syncthreads();                        // the barriers in memory are made before they are used
    if (group == 1)
        named_barrier_arrive(3, 256);       // group 0 has the first turn
    int64_t done = 0;                       // rounds of all programs so far
    if (group == 2) {
        fewer_registers<40>();
        for (int64_t program = blockIdx.x; program < tile_ceil(M, 64) * tile_ceil(N, 64);
             program += gridDim.x) {
            const int64_t group_size = 8 * tile_ceil(N, 64);
            const int64_t in_group = program % group_size;
            const int64_t first_i = program / group_size * 8;
            const int64_t group_height = tile_min(8, tile_ceil(M, 64) - first_i);
            const int64_t j = in_group / group_height;
            const int64_t i = first_i + in_group % group_height;
            int room = (int)(done % 8);
            unsigned phase = (unsigned)(done / 8 % 2);
            done += tile_ceil(K, 64);
            // one thread asks, as soon as a room is empty
            if (thread == 0) {
                for (int64_t k = 0; k < tile_ceil(K, 64); k++) {
                    mbarrier_wait(&empty[room], phase ^ 1);
                    mbarrier_expect(&full[room], 16384);
                    __nv_bfloat16 *const a_to = a_shared + 4096 * room;
                    tma_load_2d(a_to, &a_map, &full[room], box_at(64 * k), box_at(64 * i));
                    __nv_bfloat16 *const b_to = b_shared + 4096 * room;
                    tma_load_2d(b_to, &b_map, &full[room], box_at(64 * j), box_at(64 * k));
                    if (++room == 8)
                        room = 0, phase ^= 1;
                }
            }
        }
        return;
    }
    more_registers<232>();
    for (int64_t program = blockIdx.x, turn = 0; program < tile_ceil(M, 64) * tile_ceil(N, 64);
         program += gridDim.x, turn ^= 1) {
        const int64_t group_size = 8 * tile_ceil(N, 64);
        const int64_t in_group = program % group_size;
        const int64_t first_i = program / group_size * 8;
        const int64_t group_height = tile_min(8, tile_ceil(M, 64) - first_i);
        const int64_t j = in_group / group_height;
        const int64_t i = first_i + in_group % group_height;
        int room = (int)(done % 8);
        unsigned phase = (unsigned)(done / 8 % 2);
        done += tile_ceil(K, 64);
        if (turn != group)
            continue;

        // 08_matmul.tile:18    for k in 0..ceil(K, BK) {
        float acc[2][8][2];
        #pragma unroll
        for (int r = 0; r < 2; r++) {
            #pragma unroll
            for (int v = 0; v < 8; v++) {
                #pragma unroll
                for (int c2 = 0; c2 < 2; c2++)
                    acc[r][v][c2] = 0.0f;
            }
        }
        named_barrier_sync(3 + group, 256);  // the other group has begun all its products
        if (0 < tile_ceil(K, 64)) {
            // the products of one round are done while those of the next begin
            for (int64_t k = 0; k < tile_ceil(K, 64); k++) {
                mbarrier_wait(&full[room], phase);
                const __nv_bfloat16 *const a_now = a_shared + 4096 * room;
                const __nv_bfloat16 *const b_now = b_shared + 4096 * room;
                wgmma_fence();

                // 08_matmul.tile:19    acc = mma(a.load([i, k], [BM, BK]), b.load([k, j], [BK, BN]), acc);
                // a times b, 16 of k2 at a time
                #pragma unroll
                for (int k2 = 0; k2 < 64; k2 += 16) {
                    const uint64_t b_k2 = wgmma_tile(&b_now[64 * k2], 8192, 1024);
                    const uint64_t a_k2 = wgmma_tile(&a_now[k2], 16, 1024);
                    wgmma_bf16_n64<0, 1>(acc[0], acc[1], a_k2, b_k2, true);
                }
                wgmma_commit();
                wgmma_wait<1>();
                if (k > 0 && thread % 32 == 0)
                    mbarrier_arrive(&empty[(room ? room : 8) - 1]);
                if (++room == 8)
                    room = 0, phase ^= 1;
            }
            named_barrier_arrive(4 - group, 256);  // the other group's turn
            wgmma_wait<0>();
            wgmma_sums(acc);
            if (thread % 32 == 0)
                mbarrier_arrive(&empty[(room ? room : 8) - 1]);
        } else {
            named_barrier_arrive(4 - group, 256);
        }

        // 08_matmul.tile:21    if bias { acc += bias.load_like(c) as f32; }
        if (bias != nullptr) {
            __nv_bfloat16 bias_tile[8][2];
            const int cols = (int)(tile_min(64, N - 64 * j));
            const __nv_bfloat16 *const bias_at = bias + 64 * j;
            #pragma unroll
            for (int v = 0; v < 8; v++) {
                const int col = 8 * v + col_thread;
                #pragma unroll
                for (int c2 = 0; c2 < 2; c2++)
                    bias_tile[v][c2] = col + c2 < cols ? bias_at[col + c2]
                        : __float2bfloat16_rn(0.0f);
            }
            #pragma unroll
            for (int r = 0; r < 2; r++) {
                #pragma unroll
                for (int v = 0; v < 8; v++) {
                    #pragma unroll
                    for (int c2 = 0; c2 < 2; c2++)
                        acc[r][v][c2] += __bfloat162float(bias_tile[v][c2]);
                }
            }
        }

        // 08_matmul.tile:22    c.store(acc as T);
        named_barrier_sync(1 + group, 128);  // the last round's tile has been read
        #pragma unroll
        for (int r = 0; r < 2; r++) {
            const int row = 8 * r + row_thread;
            #pragma unroll
            for (int v = 0; v < 8; v++) {
                const int col = 8 * v + col_thread;
                __nv_bfloat16 out[2];
                #pragma unroll
                for (int c2 = 0; c2 < 2; c2++)
                    out[c2] = __float2bfloat16_rn(acc[r][v][c2]);
                store_vec(&acc_shared[row * 72 + col], out);
            }
        }
        named_barrier_sync(1 + group, 128);  // the tile is written before other threads read it
        __nv_bfloat16 acc_next[4][VECS_col4][W];
        #pragma unroll
        for (int r4 = 0; r4 < 4; r4++) {
            const int row4 = 16 * r4 + row_thread4;
            #pragma unroll
            for (int v4 = 0; v4 < VECS_col4; v4++) {
                const int col4 = W * (8 * v4 + col_thread4);
                load_vec(acc_next[r4][v4], &acc_shared[row4 * 72 + col4]);
            }
        }
        const int rows = (int)(tile_min(64, M - 64 * i));
        const int cols2 = (int)(tile_min(64, N - 64 * j));
        __nv_bfloat16 *const c_at = c + 64 * i * c_stride + 64 * j;
        #pragma unroll
        for (int r4 = 0; r4 < 4; r4++) {
            const int row4 = 16 * r4 + row_thread4;
            #pragma unroll
            for (int v4 = 0; v4 < VECS_col4; v4++) {
                const int col4 = W * (8 * v4 + col_thread4);
                if (row4 < rows && col4 < cols2)
                    store_vec(&c_at[row4 * c_stride + col4], acc_next[r4][v4]);
            }
        }
    }
#endif
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

// Lets a kernel have more shared memory than every device has; an error, with the reason, where a
// block of this device cannot have so much. Asked at each launch, since each device has its own.
static cudaError_t tile_allow_shared(const char *name, const void *kernel, int bytes)
{
    int device = 0, most = 0;
    cudaError_t error = bytes > 48 * 1024 ? cudaGetDevice(&device) : cudaSuccess;
    if (bytes <= 48 * 1024 || error != cudaSuccess)
        return error;
    error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error != cudaSuccess)
        return error;
    if (bytes > most)
        REFUSE("%s: %d bytes of shared memory are needed; a block of this device has up to %d",
               name, bytes, most);
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

// How many multiprocessors of the GPU in use can run the kernel with so many bytes of dynamic
// shared memory? None, if the kernel has no body in code for this GPU, and so none of the barriers
// that a body for sm_90a has in shared memory. Asked once for each device.
template <auto KERNEL>
static int tile_for_sm90a(int bytes)
{
    static int known[64];                       // -1: none, 0: not asked yet
    int device, count = 0;
    if (cudaGetDevice(&device) != cudaSuccess || device >= 64)
        return 0;
    count = __atomic_load_n(&known[device], __ATOMIC_RELAXED);
    if (count == 0) {
        const void *const kernel = (const void *)KERNEL;
        cudaFuncAttributes found;
        if (cudaFuncGetAttributes(&found, kernel) != cudaSuccess || found.sharedSizeBytes == 0
            || cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    bytes) != cudaSuccess
            || cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount,
                                      device) != cudaSuccess)
            count = -1;
        __atomic_store_n(&known[device], count, __ATOMIC_RELAXED);
    }
    return count > 0 ? count : 0;
}

// Blocks that run programs one after the other: as few as are done no later than one on each
// multiprocessor would be.
static int64_t tile_blocks(int64_t programs, int multiprocessors)
{
    return tile_ceil(programs, tile_ceil(programs, multiprocessors));
}

// A function of the driver, found without linking to it; NULL: there is none.
static void *tile_driver(const char *name)
{
    void *function = NULL;
    cudaDriverEntryPointQueryResult found;
    const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &function, 12000,
                                                               cudaEnableDefault, &found);
    return error == cudaSuccess && found == cudaDriverEntryPointSuccess ? function : NULL;
}

// Boxes of a tensor as TMA copies them: axes innermost first, extents and boxes in elements,
// strides in bytes, of all axes but the first.
struct tile_box {
    CUtensorMapDataType type;
    unsigned axes;
    const void *at;
    int64_t extents[5], strides[4];
    uint32_t box[5];
    bool plain;                                 // rows of a box stay as they are; otherwise they
                                                // are 128 bytes and swizzled, as wgmma wants them
};

// The map by which TMA finds boxes; false if the tensor is none that it can copy from: its address
// and strides are multiples of 16 bytes, its extents here from 1 to 2^30.
static bool tile_box_map(CUtensorMap *map, const tile_box &b)
{
    typedef CUresult Encode(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                            const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                            const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    static Encode *const encode = (Encode *)tile_driver("cuTensorMapEncodeTiled");
    static const uint32_t ones[5] = {1, 1, 1, 1, 1};
    cuuint64_t extents[5], strides[4];
    for (unsigned i = 0; i < b.axes; i++) {
        if (b.extents[i] < 1 || b.extents[i] > 1 << 30)
            return false;
        extents[i] = (cuuint64_t)b.extents[i];
        if (i > 0)
            strides[i - 1] = (cuuint64_t)b.strides[i - 1];
    }
    if (!encode)
        return false;
    return encode(map, b.type, b.axes, (void *)b.at, extents, strides, b.box, ones,
                  CU_TENSOR_MAP_INTERLEAVE_NONE,
                  b.plain ? CU_TENSOR_MAP_SWIZZLE_NONE : CU_TENSOR_MAP_SWIZZLE_128B,
                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

extern "C" cudaError_t
matmul_f32_strided(float *c, int64_t c_stride, const float *a, int64_t a_stride, const float *b,
                   int64_t b_stride, const float *bias, int64_t M, int64_t N, int64_t K,
                   cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (tile_bad_extent(M) || tile_bad_extent(N) || tile_bad_extent(K))
        REFUSE("matmul_f32: extents are from 0 to 2^42: M is %lld, N is %lld, K is %lld",
               (long long)M, (long long)N, (long long)K);

    const tile_tensor tensors[] = {
        {"c (&mut)", c, sizeof *c, TILE_EXCLUSIVE, N, 1, {{M, c_stride}}},
        {"a (&)", a, sizeof *a, TILE_SHARED, K, 1, {{M, a_stride}}},
        {"b (&)", b, sizeof *b, TILE_SHARED, N, 1, {{K, b_stride}}},
        {"bias (&)", bias, sizeof *bias, TILE_SHARED, bias ? N : 0, 0, {}},
    };
    if (!tile_check("matmul_f32", tensors))
        return cudaErrorInvalidValue;

    const auto launch = [&](auto kernel, int64_t blocks, unsigned threads) {
        if (blocks > 0x7fffffff)
            REFUSE("matmul_f32: %lld blocks are needed; a grid has up to 2147483647",
                   (long long)blocks);
        const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(threads),
                                           0, stream, NULL, 0};
        return cudaLaunchKernelEx(&config, kernel, c, c_stride, a, a_stride, b, b_stride, bias, M,
                                  N, K);
    };

    const int64_t programs = tile_times(tile_ceil(M, 64), tile_ceil(N, 64));
    if (programs == 0)
        return cudaSuccess;
    const bool vectors = K % 4 == 0 && N % 4 == 0 && tile_aligned(tensors[1], 16)
                         && tile_aligned(tensors[2], 16) && tile_aligned(tensors[3], 16)
                         && tile_aligned(tensors[0], 16);
    if (vectors)
        return launch(matmul_f32_tile_vectors, programs, 256);
    return launch(matmul_f32_tile_unaligned, programs, 256);
}

extern "C" cudaError_t
matmul_f32(float *c, const float *a, const float *b, const float *bias, int64_t M, int64_t N,
           int64_t K, cudaStream_t stream)
{
    return matmul_f32_strided(c, N, a, K, b, N, bias, M, N, K, stream);
}

extern "C" cudaError_t
matmul_bf16_strided(__nv_bfloat16 *c, int64_t c_stride, const __nv_bfloat16 *a, int64_t a_stride,
                    const __nv_bfloat16 *b, int64_t b_stride, const __nv_bfloat16 *bias, int64_t M,
                    int64_t N, int64_t K, cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (tile_bad_extent(M) || tile_bad_extent(N) || tile_bad_extent(K))
        REFUSE("matmul_bf16: extents are from 0 to 2^42: M is %lld, N is %lld, K is %lld",
               (long long)M, (long long)N, (long long)K);

    const tile_tensor tensors[] = {
        {"c (&mut)", c, sizeof *c, TILE_EXCLUSIVE, N, 1, {{M, c_stride}}},
        {"a (&)", a, sizeof *a, TILE_SHARED, K, 1, {{M, a_stride}}},
        {"b (&)", b, sizeof *b, TILE_SHARED, N, 1, {{K, b_stride}}},
        {"bias (&)", bias, sizeof *bias, TILE_SHARED, bias ? N : 0, 0, {}},
    };
    if (!tile_check("matmul_bf16", tensors))
        return cudaErrorInvalidValue;

    const auto launch = [&](auto kernel, int64_t blocks, unsigned threads, int shared) {
        if (blocks > 0x7fffffff)
            REFUSE("matmul_bf16: %lld blocks are needed; a grid has up to 2147483647",
                   (long long)blocks);
        if (const cudaError_t failed = tile_allow_shared("matmul_bf16", (const void *)kernel,
                                                        shared))
            return failed;
        const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(threads),
                                           (size_t)shared, stream, NULL, 0};
        return cudaLaunchKernelEx(&config, kernel, c, c_stride, a, a_stride, b, b_stride, bias, M,
                                  N, K);
    };

    const int64_t programs = tile_times(tile_ceil(M, 64), tile_ceil(N, 64));
    if (programs == 0)
        return cudaSuccess;
    const bool vectors_8 = K % 8 == 0 && N % 8 == 0 && tile_aligned(tensors[1], 16)
                           && tile_aligned(tensors[2], 16) && tile_aligned(tensors[3], 16)
                           && tile_aligned(tensors[0], 16);
    const bool vectors_4 = K % 4 == 0 && N % 4 == 0 && tile_aligned(tensors[1], 8)
                           && tile_aligned(tensors[2], 8) && tile_aligned(tensors[3], 8)
                           && tile_aligned(tensors[0], 8);
    const int multiprocessors = tile_for_sm90a<matmul_bf16_sm90a>(149504);
    if (vectors_8 && multiprocessors > 0) {
        const tile_box a_box = {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, a, {K, M},
                                {tile_times(2, a_stride)}, {64, 64}, false};
        const tile_box b_box = {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, b, {N, K},
                                {tile_times(2, b_stride)}, {64, 64}, false};
        CUtensorMap a_map, b_map;
        if (tile_box_map(&a_map, a_box) && tile_box_map(&b_map, b_box)) {
            const int64_t blocks = tile_blocks(programs, multiprocessors);
            const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(384),
                                               (size_t)149504, stream, NULL, 0};
            return cudaLaunchKernelEx(&config, matmul_bf16_sm90a, c, c_stride, a, a_stride, b,
                                      b_stride, bias, M, N, K, a_map, b_map);
        }
    }
    if (vectors_8)
        return launch(matmul_bf16_tile_vectors, programs, 128, 73728);
    if (vectors_4)
        return launch(matmul_bf16_tile_vectors_4, programs, 128, 73728);
    return launch(matmul_bf16_tile_unaligned, programs, 128, 73728);
}

extern "C" cudaError_t
matmul_bf16(__nv_bfloat16 *c, const __nv_bfloat16 *a, const __nv_bfloat16 *b,
            const __nv_bfloat16 *bias, int64_t M, int64_t N, int64_t K, cudaStream_t stream)
{
    return matmul_bf16_strided(c, N, a, K, b, N, bias, M, N, K, stream);
}
