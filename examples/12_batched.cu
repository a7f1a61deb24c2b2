// 12_batched.cu -- translated from 12_batched.tile by tilec; edit the .tile, not this file.
//
//   nvcc -arch=native -c 12_batched.cu        an object with the launch functions of 12_batched.h
//   nvcc -arch=sm_90a -c 12_batched.cu        for H100 and H200, with the bodies for them
//   nvcc -arch=sm_90 -fatbin 12_batched.cu    the device code alone
//
// Not for -ftz=true or -use_fast_math: they change results.
//
// kernel batched    c[B, M, N] by [p:, i: 128, j: 256]  <-  a[B, M, K], b[G, K, N]
//
//   program    one for each part of the outputs, as they are cut above
//   variants   batched_tile    a tile lives in the registers of its program's threads
//              batched_sm90a    for sm_90a (H100, H200): TMA brings operands, wgmma
//              multiplies them; a tile lives in registers
//              all others with accesses of 8 elements, as .._vectors_4 with 4, and as
//              .._unaligned with one at a time, for pointers or rows that are not aligned

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include "12_batched.h"

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

// upper and lower, the rows l / 4 of two 8 x 8 tiles, columns 2 * (l % 4) and the next, plus
// a (16 x 16, row-major) times b (16 x 8, column-major); registers as ldmatrix gives them.
static __device__ __forceinline__ void mma_f16(float (&upper)[2], float (&lower)[2],
                                               const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3},"
                 " {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(upper[0]), "+f"(upper[1]), "+f"(lower[0]), "+f"(lower[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
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

// As tma_load_2d, of a tensor of three axes.
static __device__ __forceinline__ void tma_load_3d(void *to, const CUtensorMap *map,
                                                   uint64_t *barrier, int x, int y, int z)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4, %5}], [%2];"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(map),
                   "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(x), "r"(y), "r"(z)
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

// Begins to add to (or set) 64 x 256 sums, 16 rows a warp as of mma_f16, a (64 x 16)
// times b (16 x 256); a tile is turned if k does not lie along its rows.
template <int A_TURNED, int B_TURNED>
static __device__ __forceinline__ void wgmma_f16_n256(
    float (&upper)[32][2], float (&lower)[32][2], uint64_t a, uint64_t b,
    bool accumulate)
{
    asm volatile("{\n"
                 ".reg .pred accumulate;\n"
                 "setp.ne.b32 accumulate, %130, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16\n"
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11,"
                 "%12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23,"
                 "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35,"
                 "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47,"
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59,"
                 "%60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71,"
                 "%72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83,"
                 "%84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95,"
                 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107,"
                 "%108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119,"
                 "%120, %121, %122, %123, %124, %125, %126, %127},\n"
                 "%128, %129, accumulate, 1, 1, %131, %132;\n"
                 "}"
                 : "+f"(upper[0][0]), "+f"(upper[0][1]), "+f"(lower[0][0]), "+f"(lower[0][1]),
                   "+f"(upper[1][0]), "+f"(upper[1][1]), "+f"(lower[1][0]), "+f"(lower[1][1]),
                   "+f"(upper[2][0]), "+f"(upper[2][1]), "+f"(lower[2][0]), "+f"(lower[2][1]),
                   "+f"(upper[3][0]), "+f"(upper[3][1]), "+f"(lower[3][0]), "+f"(lower[3][1]),
                   "+f"(upper[4][0]), "+f"(upper[4][1]), "+f"(lower[4][0]), "+f"(lower[4][1]),
                   "+f"(upper[5][0]), "+f"(upper[5][1]), "+f"(lower[5][0]), "+f"(lower[5][1]),
                   "+f"(upper[6][0]), "+f"(upper[6][1]), "+f"(lower[6][0]), "+f"(lower[6][1]),
                   "+f"(upper[7][0]), "+f"(upper[7][1]), "+f"(lower[7][0]), "+f"(lower[7][1]),
                   "+f"(upper[8][0]), "+f"(upper[8][1]), "+f"(lower[8][0]), "+f"(lower[8][1]),
                   "+f"(upper[9][0]), "+f"(upper[9][1]), "+f"(lower[9][0]), "+f"(lower[9][1]),
                   "+f"(upper[10][0]), "+f"(upper[10][1]), "+f"(lower[10][0]), "+f"(lower[10][1]),
                   "+f"(upper[11][0]), "+f"(upper[11][1]), "+f"(lower[11][0]), "+f"(lower[11][1]),
                   "+f"(upper[12][0]), "+f"(upper[12][1]), "+f"(lower[12][0]), "+f"(lower[12][1]),
                   "+f"(upper[13][0]), "+f"(upper[13][1]), "+f"(lower[13][0]), "+f"(lower[13][1]),
                   "+f"(upper[14][0]), "+f"(upper[14][1]), "+f"(lower[14][0]), "+f"(lower[14][1]),
                   "+f"(upper[15][0]), "+f"(upper[15][1]), "+f"(lower[15][0]), "+f"(lower[15][1]),
                   "+f"(upper[16][0]), "+f"(upper[16][1]), "+f"(lower[16][0]), "+f"(lower[16][1]),
                   "+f"(upper[17][0]), "+f"(upper[17][1]), "+f"(lower[17][0]), "+f"(lower[17][1]),
                   "+f"(upper[18][0]), "+f"(upper[18][1]), "+f"(lower[18][0]), "+f"(lower[18][1]),
                   "+f"(upper[19][0]), "+f"(upper[19][1]), "+f"(lower[19][0]), "+f"(lower[19][1]),
                   "+f"(upper[20][0]), "+f"(upper[20][1]), "+f"(lower[20][0]), "+f"(lower[20][1]),
                   "+f"(upper[21][0]), "+f"(upper[21][1]), "+f"(lower[21][0]), "+f"(lower[21][1]),
                   "+f"(upper[22][0]), "+f"(upper[22][1]), "+f"(lower[22][0]), "+f"(lower[22][1]),
                   "+f"(upper[23][0]), "+f"(upper[23][1]), "+f"(lower[23][0]), "+f"(lower[23][1]),
                   "+f"(upper[24][0]), "+f"(upper[24][1]), "+f"(lower[24][0]), "+f"(lower[24][1]),
                   "+f"(upper[25][0]), "+f"(upper[25][1]), "+f"(lower[25][0]), "+f"(lower[25][1]),
                   "+f"(upper[26][0]), "+f"(upper[26][1]), "+f"(lower[26][0]), "+f"(lower[26][1]),
                   "+f"(upper[27][0]), "+f"(upper[27][1]), "+f"(lower[27][0]), "+f"(lower[27][1]),
                   "+f"(upper[28][0]), "+f"(upper[28][1]), "+f"(lower[28][0]), "+f"(lower[28][1]),
                   "+f"(upper[29][0]), "+f"(upper[29][1]), "+f"(lower[29][0]), "+f"(lower[29][1]),
                   "+f"(upper[30][0]), "+f"(upper[30][1]), "+f"(lower[30][0]), "+f"(lower[30][1]),
                   "+f"(upper[31][0]), "+f"(upper[31][1]), "+f"(lower[31][0]), "+f"(lower[31][1])
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

// a / b rounded up; by 0: 0; the lowest by -1 wraps.
static __host__ __device__ inline int64_t tile_ceil(int64_t a, int64_t b)
{
    if (b == 0 || b == -1)
        return (int64_t)((uint64_t)a * (uint64_t)b);
    return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

// What tile_div leaves; by 0: a.
static __host__ __device__ inline int64_t tile_mod(int64_t a, int64_t b)
{
    if (b == 0 || b == -1)
        return b == 0 ? a : 0;
    return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
}

// The smaller of two.
static __host__ __device__ inline int64_t tile_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// ---- batched_tile, a tile in registers -------------------------------------------------
//
//   block      256 threads are one program
//   order      8 values of i stand together before the fastest axis goes on: blocks that run
//              at one time share more of what they load
//   row        of 128 in acc: a thread holds element 32 * (r / 2) + 8 * (r % 2) + row_thread,
//              for r = 0 .. 7; row_thread = 16 * (thread / 32 % 2) + thread % 32 / 4
//   col        of 256 in acc: a thread holds the pair from 8 * v + col_thread on, for v = 0
//              .. 7; col_thread = 64 * (thread / 64) + 2 * (thread % 4)
//   row2       of 128 in a: a thread holds element 32 * r2 + row_thread2, for r2 = 0 .. 3;
//              row_thread2 = thread / 8
//   col2       of 64 in a: a thread holds the W elements from W * (8 * v2 + col_thread2) on,
//              for v2 = 0 .. VECS_col2 - 1; col_thread2 = thread % 8
//   row3       of 64 in b: a thread holds element 8 * r3 + row_thread3, for r3 = 0 .. 7;
//              row_thread3 = thread / 32
//   col3       of 256 in b: a thread holds the W elements from W * (32 * v3 + lane) on, for
//              v3 = 0 .. VECS_col3 - 1
//   row4       of 128 in acc_next: a thread holds element 8 * r4 + row_thread4, for r4 = 0 ..
//              15; row_thread4 = thread / 32
//   col4       of 256 in acc_next: a thread holds the W elements from W * (32 * v4 + lane)
//              on, for v4 = 0 .. VECS_col4 - 1
//
//                  col2       0    8   16        56     (W = 8)
//                  thread     0    1    2  ...   7
//
//                  col3       0    8   16        248    (W = 8; so col4)
//                  lane       0    1    2  ...   31
//
//   shared     a_shared: 128 rows of 64, 72 apart: 144 bytes, an odd number of 16, so that 8
//              rows begin in different banks; no two lanes meet in a bank, neither writing
//              nor reading
//              b_shared: 64 rows of 256, 264 apart: 528 bytes, an odd number of 16, so that 8
//              rows begin in different banks; no two lanes meet in a bank, neither writing
//              nor reading
//              acc_shared: a tile on its way to other threads, since other threads want it
//              next. Rows are 264 apart: 16 bytes more than they are long, so that those that
//              a warp touches at once begin in different banks
//              smem: 67584 bytes, more than static arrays can have, so that the launch
//              function asks for them; arrays that are never needed at once lie at the same
//              place in it
//   padding    a_shared: no mask of its own, since outside the valid part lies 0.0, and no
//              infinity meets it
//              b_shared: no mask of its own, since outside the valid part lies 0.0, and no
//              infinity meets it
//   barriers   the last round is done with shared memory
//              what lay in this memory before has been read
//              a_shared and b_shared are written before anyone reads
//              the tile is written before other threads read it
//   launch     has checked: for W > 1: a, b, c lie at multiples of 16 bytes (of W elements,
//              if those are fewer), their rows too, and rows are multiples of W long

template <int W>
static __device__ __forceinline__ void
batched_tile(__half *__restrict__ c, int64_t c_stride_0, int64_t c_stride_1,
             const __half *__restrict__ a, int64_t a_stride_0, int64_t a_stride_1,
             const __half *__restrict__ b, int64_t b_stride_0, int64_t b_stride_1, int64_t B,
             int64_t M, int64_t N, int64_t K, int64_t G)
{
    constexpr int VECS_col2 = 8 / W;
    constexpr int VECS_col3 = 8 / W;
    constexpr int VECS_col4 = 8 / W;
    __half *const a_shared = (__half *)smem;   // [9216]
    __half *const b_shared = (__half *)(smem + 18432);   // [16896]
    __half *const acc_shared = (__half *)smem;   // [33792]
    const int64_t program = blockIdx.x;
    const int64_t group_size = 8 * tile_ceil(N, 256);
    const int64_t in_group = program % (tile_ceil(M, 128) * tile_ceil(N, 256)) % group_size;
    const int64_t first_i = program % (tile_ceil(M, 128) * tile_ceil(N, 256)) / group_size * 8;
    const int64_t group_height = tile_min(8, tile_ceil(M, 128) - first_i);
    const int64_t j = in_group / group_height;
    const int64_t i = first_i + in_group % group_height;
    const int64_t p = program / tile_ceil(N, 256) / tile_ceil(M, 128);
    const int thread = threadIdx.x;
    const int row_thread = 16 * (thread / 32 % 2) + thread % 32 / 4;
    const int col_thread = 64 * (thread / 64) + 2 * (thread % 4);
    const int row_thread2 = thread / 8;
    const int col_thread2 = thread % 8;
    const int row_thread3 = thread / 32;
    const int lane = thread % 32;
    const int row_thread4 = thread / 32;

    // 12_batched.tile:15    let g = p / (B / G);
    const int64_t g = div_int<int64_t>(p, div_int<int64_t>(B, G));

    // 12_batched.tile:17    for k in 0..ceil(K, BK) {
    float acc[8][8][2];
    #pragma unroll
    for (int r = 0; r < 8; r++) {
        #pragma unroll
        for (int v = 0; v < 8; v++) {
            #pragma unroll
            for (int c2 = 0; c2 < 2; c2++)
                acc[r][v][c2] = 0.0f;
        }
    }
    for (int64_t k = 0; k < tile_ceil(K, 64); k++) {
        __syncthreads();                    // the last round is done with shared memory

        // 12_batched.tile:18    acc = mma(a[p].load([i, k], [BM, BK]), b[g].load([k, j], [BK, BN]), acc);
        const __half *const a_at = a + p * a_stride_0 + 128 * i * a_stride_1 + 64 * k;
        const int rows = (int)(tile_min(128, M - 128 * i));
        const int cols = (int)(tile_min(64, K - 64 * k));
        #pragma unroll (W > 1 ? 4 : 1)
        for (int r2 = 0; r2 < 4; r2++) {
            const int row2 = 32 * r2 + row_thread2;
            #pragma unroll (W > 1 ? VECS_col2 : 1)
            for (int v2 = 0; v2 < VECS_col2; v2++) {
                const int col2 = W * (8 * v2 + col_thread2);
                __half a_v[W];
                if (row2 < rows && col2 < cols)
                    load_vec(a_v, &a_at[row2 * a_stride_1 + col2]);
                else
                    fill_vec(a_v, __float2half_rn(0.0f));
                store_vec(&a_shared[row2 * 72 + col2], a_v);
            }
        }
        const __half *const b_at = b + g * b_stride_0 + 64 * k * b_stride_1 + 256 * j;
        const int cols2 = (int)(tile_min(256, N - 256 * j));
        #pragma unroll (W > 1 ? 8 : 1)
        for (int r3 = 0; r3 < 8; r3++) {
            const int row3 = 8 * r3 + row_thread3;
            #pragma unroll (W > 1 ? VECS_col3 : 1)
            for (int v3 = 0; v3 < VECS_col3; v3++) {
                const int col3 = W * (32 * v3 + lane);
                __half b_v[W];
                if (g >= 0 && g < G && row3 < cols && col3 < cols2)
                    load_vec(b_v, &b_at[row3 * b_stride_1 + col3]);
                else
                    fill_vec(b_v, __float2half_rn(0.0f));
                store_vec(&b_shared[row3 * 264 + col3], b_v);
            }
        }
        __syncthreads();                    // a_shared and b_shared are written before anyone reads
        const int a_row = thread % 16, a_col = thread % 32 / 16 * 8;
        const int b_row = thread % 16, b_col = thread % 32 / 16 * 8;
        // for each 16 k2: this warp's rows of a times its columns of b, on tensor cores
        #pragma unroll 2
        for (int k2 = 0; k2 < 64; k2 += 16) {
            unsigned a_k2[4][4];
            #pragma unroll
            for (int i2 = 0; i2 < 4; i2++) {
                ldmatrix_x4(a_k2[i2], &a_shared[(32 * i2 + thread / 32 % 2 * 16 + a_row) * 72 + k2
                    + a_col]);
            }
            #pragma unroll
            for (int j2 = 0; j2 < 4; j2++) {
                unsigned b_k2[4];
                ldmatrix_x4_trans(b_k2, &b_shared[(k2 + b_row) * 264 + thread / 64 * 64 + 16 * j2
                    + b_col]);
                #pragma unroll
                for (int i2 = 0; i2 < 4; i2++) {
                    mma_f16(acc[2 * i2][2 * j2], acc[2 * i2 + 1][2 * j2], a_k2[i2], b_k2[0],
                        b_k2[1]);
                    mma_f16(acc[2 * i2][2 * j2 + 1], acc[2 * i2 + 1][2 * j2 + 1], a_k2[i2],
                        b_k2[2], b_k2[3]);
                }
            }
        }
    }

    // 12_batched.tile:20    c.store(acc as f16);
    __syncthreads();                        // what lay in this memory before has been read
    #pragma unroll
    for (int r = 0; r < 8; r++) {
        const int row = 32 * (r / 2) + 8 * (r % 2) + row_thread;
        #pragma unroll
        for (int v = 0; v < 8; v++) {
            const int col = 8 * v + col_thread;
            __half out[2];
            #pragma unroll
            for (int c2 = 0; c2 < 2; c2++)
                out[c2] = __float2half_rn(acc[r][v][c2]);
            store_vec(&acc_shared[row * 264 + col], out);
        }
    }
    __syncthreads();                        // the tile is written before other threads read it
    __half acc_next[16][VECS_col4][W];
    #pragma unroll
    for (int r4 = 0; r4 < 16; r4++) {
        const int row4 = 8 * r4 + row_thread4;
        #pragma unroll
        for (int v4 = 0; v4 < VECS_col4; v4++) {
            const int col4 = W * (32 * v4 + lane);
            load_vec(acc_next[r4][v4], &acc_shared[row4 * 264 + col4]);
        }
    }
    const int rows2 = (int)(tile_min(128, M - 128 * i));
    const int cols3 = (int)(tile_min(256, N - 256 * j));
    __half *const c_at = c + p * c_stride_0 + 128 * i * c_stride_1 + 256 * j;
    #pragma unroll
    for (int r4 = 0; r4 < 16; r4++) {
        const int row4 = 8 * r4 + row_thread4;
        #pragma unroll
        for (int v4 = 0; v4 < VECS_col4; v4++) {
            const int col4 = W * (32 * v4 + lane);
            if (row4 < rows2 && col4 < cols3)
                store_vec(&c_at[row4 * c_stride_1 + col4], acc_next[r4][v4]);
        }
    }
}

extern "C" __global__ void __launch_bounds__(256, 1)
batched_tile_vectors(__half *__restrict__ c, int64_t c_stride_0, int64_t c_stride_1,
                     const __half *__restrict__ a, int64_t a_stride_0, int64_t a_stride_1,
                     const __half *__restrict__ b, int64_t b_stride_0, int64_t b_stride_1,
                     int64_t B, int64_t M, int64_t N, int64_t K, int64_t G)
{
    batched_tile<8>(c, c_stride_0, c_stride_1, a, a_stride_0, a_stride_1, b, b_stride_0,
                    b_stride_1, B, M, N, K, G);
}

extern "C" __global__ void __launch_bounds__(256, 1)
batched_tile_vectors_4(__half *__restrict__ c, int64_t c_stride_0, int64_t c_stride_1,
                       const __half *__restrict__ a, int64_t a_stride_0, int64_t a_stride_1,
                       const __half *__restrict__ b, int64_t b_stride_0, int64_t b_stride_1,
                       int64_t B, int64_t M, int64_t N, int64_t K, int64_t G)
{
    batched_tile<4>(c, c_stride_0, c_stride_1, a, a_stride_0, a_stride_1, b, b_stride_0,
                    b_stride_1, B, M, N, K, G);
}

extern "C" __global__ void __launch_bounds__(256, 1)
batched_tile_unaligned(__half *__restrict__ c, int64_t c_stride_0, int64_t c_stride_1,
                       const __half *__restrict__ a, int64_t a_stride_0, int64_t a_stride_1,
                       const __half *__restrict__ b, int64_t b_stride_0, int64_t b_stride_1,
                       int64_t B, int64_t M, int64_t N, int64_t K, int64_t G)
{
    batched_tile<1>(c, c_stride_0, c_stride_1, a, a_stride_0, a_stride_1, b, b_stride_0,
                    b_stride_1, B, M, N, K, G);
}

// ---- batched_sm90a, boxes by TMA, products by wgmma ------------------------------------
//
//   block      384 threads are one program: 8 warps multiply; of the last 128 threads, which
//              give registers to them, one asks for what they multiply
//   order      8 values of i stand together before the fastest axis goes on: blocks that run
//              at one time share more of what they load
//   row        of 128 in acc: a thread holds element 8 * r + row_thread, for r = 0 .. 1;
//              row_thread = 16 * (thread / 32) + thread % 32 / 4
//   col        of 256 in acc: a thread holds the pair from 8 * v + col_thread on, for v = 0
//              .. 31; col_thread = 2 * (thread % 4)
//   row4       of 128 in acc_next: a thread holds element 8 * r4 + row_thread4, for r4 = 0 ..
//              15; row_thread4 = thread / 32
//   col4       of 256 in acc_next: a thread holds the W elements from W * (32 * v4 + lane)
//              on, for v4 = 0 .. VECS_col4 - 1
//   shared     a_shared: 4 rooms of 128 rows of 64, which are 128 bytes, as TMA swizzles
//              them: of row r the 16 bytes c lie at c ^ r % 8, so that 8 rows one above the
//              other lie in different banks
//              b_shared: 4 rooms of 4 boxes of 64 rows of 64, which are 128 bytes, as TMA
//              swizzles them: of row r the 16 bytes c lie at c ^ r % 8, so that 8 rows one
//              above the other lie in different banks
//              full, empty: barriers of each room, which count bytes that have come, and
//              warps that are done
//              acc_shared: a tile on its way to other threads, since other threads want it
//              next. Rows are 264 apart: 16 bytes more than they are long, so that those that
//              a warp touches at once begin in different banks
//              smem: 196608 bytes, for which the launch function asks; arrays that are never
//              needed at once lie at the same place in it
//   padding    a_shared: no mask of its own, since outside the valid part lies 0.0, and no
//              infinity meets it
//              b_shared: no mask of its own, since outside the valid part lies 0.0, and no
//              infinity meets it
//   barriers   the barriers in memory are made before they are used
//              what lay in this memory before has been read
//              the tile is written before other threads read it
//   launch     has checked: for W > 1: a, b, c lie at multiples of 16 bytes (of W elements,
//              if those are fewer), their rows too, and rows are multiples of W long

extern "C" __global__ void __launch_bounds__(384, 1)
batched_sm90a(__half *__restrict__ c, int64_t c_stride_0, int64_t c_stride_1,
              const __half *__restrict__ a, int64_t a_stride_0, int64_t a_stride_1,
              const __half *__restrict__ b, int64_t b_stride_0, int64_t b_stride_1, int64_t B,
              int64_t M, int64_t N, int64_t K, int64_t G,
              const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map)
{
#ifdef TILE_SM90A
    constexpr int W = 8;
    constexpr int VECS_col4 = 8 / W;
    __half *const a_shared = (__half *)smem;   // [32768]
    __half *const b_shared = (__half *)(smem + 65536);   // [65536]
    __shared__ uint64_t full[4], empty[4];
    __half *const acc_shared = (__half *)smem;   // [33792]
    const int64_t program = blockIdx.x;
    const int64_t group_size = 8 * tile_ceil(N, 256);
    const int64_t in_group = program % (tile_ceil(M, 128) * tile_ceil(N, 256)) % group_size;
    const int64_t first_i = program % (tile_ceil(M, 128) * tile_ceil(N, 256)) / group_size * 8;
    const int64_t group_height = tile_min(8, tile_ceil(M, 128) - first_i);
    const int64_t j = in_group / group_height;
    const int64_t i = first_i + in_group % group_height;
    const int64_t p = program / tile_ceil(N, 256) / tile_ceil(M, 128);
    const int thread = threadIdx.x;
    const int row_thread = 16 * (thread / 32) + thread % 32 / 4;
    const int col_thread = 2 * (thread % 4);
    const int lane = thread % 32;
    const int row_thread4 = thread / 32;

    // a and b of a round come as boxes into a room of their rings
    if (threadIdx.x == 0) {
        for (int slot = 0; slot < 4; slot++) {
            mbarrier_init(&full[slot], 1);  // for the thread that asks
            mbarrier_init(&empty[slot], 8);  // for the warps that multiply
        }
        mbarrier_init_fence();
    }
    __syncthreads();                        // the barriers in memory are made before they are used
    // 12_batched.tile:15    let g = p / (B / G);
    const int64_t g = div_int<int64_t>(p, div_int<int64_t>(B, G));
    int room = 0;
    unsigned phase = 0;
    if (threadIdx.x >= 256) {
        fewer_registers<40>();
        // one thread asks, as soon as a room is empty
        if (threadIdx.x == 256) {
            for (int64_t k = 0; k < tile_ceil(K, 64); k++) {
                mbarrier_wait(&empty[room], phase ^ 1);
                mbarrier_expect(&full[room], 49152);
                __half *const a_to = a_shared + 8192 * room;
                tma_load_3d(a_to, &a_map, &full[room], box_at(64 * k), box_at(128 * i), box_at(p));
                __half *const b_to = b_shared + 16384 * room;
                for (int col5 = 0; col5 < 256; col5 += 64)
                    tma_load_3d(b_to + 64 * col5, &b_map, &full[room],
                                box_at(256 * j + col5), box_at(64 * k), box_at(g));
                if (++room == 4)
                    room = 0, phase ^= 1;
            }
        }
        return;
    }
    more_registers<232>();

    // 12_batched.tile:17    for k in 0..ceil(K, BK) {
    float acc[2][32][2];
    #pragma unroll
    for (int r = 0; r < 2; r++) {
        #pragma unroll
        for (int v = 0; v < 32; v++) {
            #pragma unroll
            for (int c2 = 0; c2 < 2; c2++)
                acc[r][v][c2] = 0.0f;
        }
    }
    if (0 < tile_ceil(K, 64)) {
        // the products of one round are done while those of the next begin
        for (int64_t k = 0; k < tile_ceil(K, 64); k++) {
            mbarrier_wait(&full[room], phase);
            const __half *const a_now = a_shared + 8192 * room;
            const __half *const b_now = b_shared + 16384 * room;
            wgmma_fence();

            // 12_batched.tile:18    acc = mma(a[p].load([i, k], [BM, BK]), b[g].load([k, j], [BK, BN]), acc);
            // a times b, 16 of k2 at a time
            #pragma unroll
            for (int k2 = 0; k2 < 64; k2 += 16) {
                const uint64_t b_k2 = wgmma_tile(&b_now[64 * k2], 8192, 1024);
                const uint64_t a_k2 = wgmma_tile(&a_now[4096 * (thread / 128) + k2], 16, 1024);
                wgmma_f16_n256<0, 1>(acc[0], acc[1], a_k2, b_k2, true);
            }
            wgmma_commit();
            wgmma_wait<1>();
            if (k > 0 && thread % 32 == 0)
                mbarrier_arrive(&empty[(room ? room : 4) - 1]);
            if (++room == 4)
                room = 0, phase ^= 1;
        }
        wgmma_wait<0>();
        wgmma_sums(acc);
    }

    // 12_batched.tile:20    c.store(acc as f16);
    named_barrier_sync(1, 256);             // what lay in this memory before has been read
    #pragma unroll
    for (int r = 0; r < 2; r++) {
        const int row = 8 * r + row_thread;
        #pragma unroll
        for (int v = 0; v < 32; v++) {
            const int col = 8 * v + col_thread;
            __half out[2];
            #pragma unroll
            for (int c2 = 0; c2 < 2; c2++)
                out[c2] = __float2half_rn(acc[r][v][c2]);
            store_vec(&acc_shared[row * 264 + col], out);
        }
    }
    named_barrier_sync(1, 256);             // the tile is written before other threads read it
    __half acc_next[16][VECS_col4][W];
    #pragma unroll
    for (int r4 = 0; r4 < 16; r4++) {
        const int row4 = 8 * r4 + row_thread4;
        #pragma unroll
        for (int v4 = 0; v4 < VECS_col4; v4++) {
            const int col4 = W * (32 * v4 + lane);
            load_vec(acc_next[r4][v4], &acc_shared[row4 * 264 + col4]);
        }
    }
    const int rows = (int)(tile_min(128, M - 128 * i));
    const int cols = (int)(tile_min(256, N - 256 * j));
    __half *const c_at = c + p * c_stride_0 + 128 * i * c_stride_1 + 256 * j;
    #pragma unroll
    for (int r4 = 0; r4 < 16; r4++) {
        const int row4 = 8 * r4 + row_thread4;
        #pragma unroll
        for (int v4 = 0; v4 < VECS_col4; v4++) {
            const int col4 = W * (32 * v4 + lane);
            if (row4 < rows && col4 < cols)
                store_vec(&c_at[row4 * c_stride_1 + col4], acc_next[r4][v4]);
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
batched_strided(__half *c, int64_t c_stride_0, int64_t c_stride_1, const __half *a,
                int64_t a_stride_0, int64_t a_stride_1, const __half *b, int64_t b_stride_0,
                int64_t b_stride_1, int64_t B, int64_t M, int64_t N, int64_t K, int64_t G,
                cudaStream_t stream)
{
    tile_error_text[0] = '\0';
    if (tile_bad_extent(B) || tile_bad_extent(M) || tile_bad_extent(N) || tile_bad_extent(K)
        || tile_bad_extent(G))
        REFUSE("batched: extents are from 0 to 2^42: B is %lld, M is %lld, N is %lld, K is %lld, "
               "G is %lld", (long long)B, (long long)M, (long long)N, (long long)K, (long long)G);
    if (G <= 0)
        REFUSE("batched: `where G > 0` does not hold: G is %lld", (long long)G);
    if (tile_mod(B, G) != 0)
        REFUSE("batched: `where B %% G == 0` does not hold: B is %lld, G is %lld", (long long)B,
               (long long)G);

    const tile_tensor tensors[] = {
        {"c (&mut)", c, sizeof *c, TILE_EXCLUSIVE, N, 2, {{B, c_stride_0}, {M, c_stride_1}}},
        {"a (&)", a, sizeof *a, TILE_SHARED, K, 2, {{B, a_stride_0}, {M, a_stride_1}}},
        {"b (&)", b, sizeof *b, TILE_SHARED, N, 2, {{G, b_stride_0}, {K, b_stride_1}}},
    };
    if (!tile_check("batched", tensors))
        return cudaErrorInvalidValue;

    const auto launch = [&](auto kernel, int64_t blocks, unsigned threads, int shared) {
        if (blocks > 0x7fffffff)
            REFUSE("batched: %lld blocks are needed; a grid has up to 2147483647",
                   (long long)blocks);
        if (const cudaError_t failed = tile_allow_shared("batched", (const void *)kernel, shared))
            return failed;
        const cudaLaunchConfig_t config = {dim3((unsigned)blocks), dim3(threads),
                                           (size_t)shared, stream, NULL, 0};
        return cudaLaunchKernelEx(&config, kernel, c, c_stride_0, c_stride_1, a, a_stride_0,
                                  a_stride_1, b, b_stride_0, b_stride_1, B, M, N, K, G);
    };

    const int64_t programs = tile_times(B, tile_ceil(M, 128), tile_ceil(N, 256));
    if (programs == 0)
        return cudaSuccess;
    const bool vectors_8 = K % 8 == 0 && N % 8 == 0 && tile_aligned(tensors[1], 16)
                           && tile_aligned(tensors[2], 16) && tile_aligned(tensors[0], 16);
    const bool vectors_4 = K % 4 == 0 && N % 4 == 0 && tile_aligned(tensors[1], 8)
                           && tile_aligned(tensors[2], 8) && tile_aligned(tensors[0], 8);
    if (vectors_8 && tile_for_sm90a<batched_sm90a>(196608)) {
        const tile_box a_box = {CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, a, {K, M, B},
                                {tile_times(2, a_stride_1), tile_times(2, a_stride_0)},
                                {64, 128, 1}, false};
        const tile_box b_box = {CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, b, {N, K, G},
                                {tile_times(2, b_stride_1), tile_times(2, b_stride_0)},
                                {64, 64, 1}, false};
        CUtensorMap a_map, b_map;
        if (tile_box_map(&a_map, a_box) && tile_box_map(&b_map, b_box)) {
            if (programs > 0x7fffffff)
                REFUSE("batched: %lld blocks are needed; a grid has up to 2147483647",
                       (long long)programs);
            const cudaLaunchConfig_t config = {dim3((unsigned)programs), dim3(384),
                                               (size_t)196608, stream, NULL, 0};
            return cudaLaunchKernelEx(&config, batched_sm90a, c, c_stride_0, c_stride_1, a,
                                      a_stride_0, a_stride_1, b, b_stride_0, b_stride_1, B, M, N,
                                      K, G, a_map, b_map);
        }
    }
    if (vectors_8)
        return launch(batched_tile_vectors, programs, 256, 67584);
    if (vectors_4)
        return launch(batched_tile_vectors_4, programs, 256, 67584);
    return launch(batched_tile_unaligned, programs, 256, 67584);
}

extern "C" cudaError_t
batched(__half *c, const __half *a, const __half *b, int64_t B, int64_t M, int64_t N, int64_t K,
        int64_t G, cudaStream_t stream)
{
    return batched_strided(c, tile_times(M, N), N, a, tile_times(M, K), K, b, tile_times(N, K), N,
                           B, M, N, K, G, stream);
}
