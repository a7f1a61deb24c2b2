/* hopper.cu -- boxes of tensors, mbarriers and wgmma in a small product; for the emulator and a GPU */

#include <stdlib.h>
#include <string.h>
#include <string>
#include <vector>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include "test.h"
#ifdef TILE_EMULATOR
#include "tile_emu.h"
#else
#include "ptx.inc"
#endif
#include "box_map.inc"

/* What is wrong with a kernel. */
enum Fault { NOTHING, NO_WAIT, EARLY_RELEASE, STRIDE, NO_BARRIER, FEW_BYTES, NO_INIT, NO_FENCE };

enum { TILE = 64, STAGE = 16384, STAGES = 2, SUMS = STAGE * STAGES, BARRIERS = SUMS + 16384,
       SHARED = BARRIERS + 16 * STAGES };

/* c, M x 64 of f32, is a (M x K) times b (64 x K, or K x 64 if turned). A block of two times four
 * warps has 64 rows: one thread of the first four brings tiles of 64 of K, the other warps use them. */
template <int TURNED, Fault FAULT>
__global__ void __launch_bounds__(256, 1)
product(const __grid_constant__ CUtensorMap c_map, const __grid_constant__ CUtensorMap a_map,
        const __grid_constant__ CUtensorMap b_map, int K)
{
    extern __shared__ __align__(1024) unsigned char smem[];
    uint64_t *const full = (uint64_t *)(smem + BARRIERS), *const empty = full + STAGES;
    const int steps = (K + 63) / 64, row = (int)blockIdx.x * TILE;
    if (threadIdx.x == 0 && FAULT != NO_INIT) {
        for (int s = 0; s < STAGES; s++) {
            mbarrier_init(&full[s], 1);
            mbarrier_init(&empty[s], 128);
        }
        mbarrier_init_fence();
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        fewer_registers<40>();
        for (int k = 0; k < steps && threadIdx.x == 0; k++) {
            unsigned char *const stage = smem + k % STAGES * STAGE;
            mbarrier_wait(&empty[k % STAGES], (k / STAGES & 1) ^ 1);
            mbarrier_expect(&full[k % STAGES], FAULT == FEW_BYTES ? STAGE / 2 : STAGE);
            tma_load_2d(stage, &a_map, &full[k % STAGES], 64 * k, row);
            tma_load_2d(stage + STAGE / 2, &b_map, &full[k % STAGES], TURNED ? 0 : 64 * k,
                        TURNED ? 64 * k : 0);
        }
    } else {
        more_registers<200>();
        float upper[8][2], lower[8][2];
        for (int k = 0; k < steps; k++) {
            const unsigned char *const a = smem + k % STAGES * STAGE, *const b = a + STAGE / 2;
            if (FAULT != NO_WAIT)
                mbarrier_wait(&full[k % STAGES], k / STAGES & 1);
            wgmma_fence();
            for (int i = 0; i < 4; i++)
                wgmma_bf16_n64<0, TURNED>(
                    upper, lower, wgmma_tile(a + 32 * i, 16, FAULT == STRIDE ? 2048 : 1024),
                    wgmma_tile(b + (TURNED ? 2048 : 32) * i, 8192, 1024), (k | i) != 0);
            wgmma_commit();
            if (FAULT == EARLY_RELEASE)
                mbarrier_arrive(&empty[k % STAGES]);
            wgmma_wait<0>();
            if (FAULT != EARLY_RELEASE)
                mbarrier_arrive(&empty[k % STAGES]);
        }
        const int thread = (int)threadIdx.x - 128, lane = thread % 32;
        float *const sums = (float *)(smem + SUMS) + (thread / 32 * 16 + lane / 4) * 64 + lane % 4 * 2;
        for (int j = 0; j < 8; j++)
            for (int i = 0; i < 2; i++) {
                sums[8 * j + i] = upper[j][i];
                sums[8 * j + i + 8 * 64] = lower[j][i];
            }
        if (FAULT != NO_FENCE)
            fence_async();
        if (FAULT != NO_BARRIER)
            named_barrier_sync(1, 128);
        if (thread == 0) {
            tma_store_2d(&c_map, smem + SUMS, 0, row);
            tma_store_commit();
            tma_store_wait_read<0>();
        }
    }
}

/* ---- one product of each kind: 64 x 16 sums --------------------------------------------- */

/* Copies rows of 32 bytes to rows of 128, swizzled; eight bytes a thread. */
static __device__ void spread(unsigned char *to, const unsigned char *from, int bytes)
{
    for (int i = (int)threadIdx.x * 8; i < bytes; i += 8 * 128) {
        const int at = i / 32 * 128 + i % 32;
        *(uint2 *)&to[at ^ (at >> 3 & 0x70)] = *(const uint2 *)&from[i];
    }
}

/* c, 64 x 16, is a (64 rows of 32 bytes) times b (16 rows of 32 bytes). */
#define SINGLE(TYPE, FUNCTION, A)                                                                 \
    __global__ void __launch_bounds__(128) single_##TYPE(float *c, const unsigned char *a,        \
                                                         const unsigned char *b)                  \
    {                                                                                             \
        extern __shared__ __align__(1024) unsigned char smem[];                                   \
        unsigned char *const b_tile = smem + 8192;                                                \
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = 16 * warp + lane / 4;   \
        float upper[2][2], lower[2][2];                                                           \
        spread(smem, a, 2048);                                                                    \
        spread(b_tile, b, 512);                                                                   \
        fence_async();                                                                            \
        __syncthreads();                                                                          \
        const int at = (row - lane / 4 + lane % 16) * 128 + lane / 16 * 16;                       \
        unsigned part[4];                                                                         \
        ldmatrix_x4(part, &smem[at ^ (at >> 3 & 0x70)]);                                          \
        (void)part;                                                                               \
        wgmma_fence();                                                                            \
        FUNCTION(upper, lower, A, wgmma_tile(b_tile, 16, 1024), false);                           \
        wgmma_commit();                                                                           \
        wgmma_wait<0>();                                                                          \
        for (int i = 0; i < 4; i++) {                                                             \
            c[row * 16 + i / 2 * 8 + lane % 4 * 2 + i % 2] = upper[i / 2][i % 2];                 \
            c[(row + 8) * 16 + i / 2 * 8 + lane % 4 * 2 + i % 2] = lower[i / 2][i % 2];           \
        }                                                                                         \
    }

#define COMMA ,
SINGLE(f16, wgmma_f16_n16<0 COMMA 0>, wgmma_tile(smem, 16, 1024))
SINGLE(f16_parts, wgmma_f16_n16<0>, part)
SINGLE(tf32, wgmma_tf32_n16, wgmma_tile(smem, 16, 1024))
SINGLE(e4m3, wgmma_e4m3_n16, wgmma_tile(smem, 16, 1024))
SINGLE(e5m2, wgmma_e5m2_n16, wgmma_tile(smem, 16, 1024))

/* Turns an 8 x 8 matrix in each quarter of 16 x 16 elements, there and back. */
__global__ void turned(uint4 *y)
{
    __shared__ uint4 rows[2][32];
    unsigned r[4];
    rows[0][threadIdx.x] = y[threadIdx.x];
    __syncwarp();
    ldmatrix_x4_trans(r, &rows[0][threadIdx.x]);
    stmatrix_x4(&rows[1][threadIdx.x], r);
    __syncwarp();
    y[threadIdx.x] = rows[1][threadIdx.x];
}

/* ---- tests ------------------------------------------------------------------------------- */

/* Whether kernel multiplies as a plain loop does; T has 32 / sizeof(T) elements a row. */
template <typename T>
static bool single(void (*kernel)(float *, const unsigned char *, const unsigned char *))
{
    enum { K = 32 / sizeof(T) };
    std::vector<T> a(64 * K), b(16 * K);
    float c[64][16], *c_there;
    unsigned char *there;
    bool good = true;
    for (T &v : a)
        v = T((float)(rand() % 9 - 4));
    for (T &v : b)
        v = T((float)(rand() % 9 - 4));
    cudaMalloc(&c_there, sizeof c);
    cudaMalloc(&there, 2048 + 512);
    cudaMemcpy(there, a.data(), 2048, cudaMemcpyHostToDevice);
    cudaMemcpy(there + 2048, b.data(), 512, cudaMemcpyHostToDevice);
    const cudaLaunchConfig_t config = {dim3(1), dim3(128), 8192 + 2048, NULL, NULL, 0};
    good &= !cudaLaunchKernelEx(&config, kernel, c_there, there, there + 2048);
    cudaMemcpy(c, c_there, sizeof c, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64 * 16; i++) {
        float sum = 0;
        for (int k = 0; k < K; k++)
            sum += (float)a[i / 16 * K + k] * (float)b[i % 16 * K + k];
        good &= c[i / 16][i % 16] == sum;
    }
    cudaFree(c_there);
    cudaFree(there);
    return good;
}

static bool turns(void)
{
    unsigned short x[4][8][8], *const all = x[0][0], *there;
    bool good = true;
    for (int i = 0; i < 256; i++)
        all[i] = (unsigned short)i;
    cudaMalloc(&there, sizeof x);
    cudaMemcpy(there, x, sizeof x, cudaMemcpyHostToDevice);
    const cudaLaunchConfig_t config = {dim3(1), dim3(32), 0, NULL, NULL, 0};
    good &= !cudaLaunchKernelEx(&config, turned, (uint4 *)there);
    cudaMemcpy(x, there, sizeof x, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 256; i++)
        good &= x[i / 64][i / 8 % 8][i % 8] == i / 64 * 64 + i % 8 * 8 + i / 8 % 8;
    cudaFree(there);
    return good;
}

/* An array on the device, and there the map of its rows by boxes. */
template <typename T>
struct Matrix {
    int rows, cols;
    T *there;
    CUtensorMap map;
    Matrix(const std::vector<T> &x, int rows, int cols, CUtensorMapDataType type, int box_cols)
        : rows(rows), cols(cols)
    {
        cudaMalloc(&there, x.size() * sizeof(T));
        cudaMemcpy(there, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice);
        if (!tile_box_map(&map, {type, 2, there, {cols, rows}, {cols * (int)sizeof(T)},
                                 {(uint32_t)box_cols, 64}, sizeof(T) != 2}))
            test("tile_box_map", false);
    }
    ~Matrix() { cudaFree(there); }
};

static std::vector<__nv_bfloat16> numbers(int count)
{
    std::vector<__nv_bfloat16> x(count);
    for (__nv_bfloat16 &v : x)
        v = __nv_bfloat16((float)(rand() % 17 - 8));
    return x;
}

/* Runs M x 48 by K; the largest error, or -1 if the launch failed. */
template <int TURNED, Fault FAULT>
static double run(int M, int K)
{
    const int N = 48;
    const std::vector<__nv_bfloat16> a = numbers(M * K), b = numbers(N * K);
    std::vector<float> c(M * N, -1.0f);
    double worst = 0;
    Matrix<__nv_bfloat16> a_at(a, M, K, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 64);
    Matrix<__nv_bfloat16> b_at(b, TURNED ? K : N, TURNED ? N : K, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 64);
    Matrix<float> c_at(c, M, N, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 64);
    const cudaLaunchConfig_t config = {dim3((M + 63) / 64), dim3(256), SHARED, NULL, NULL, 0};
    cudaFuncSetAttribute(product<TURNED, FAULT>, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
    if (cudaLaunchKernelEx(&config, product<TURNED, FAULT>, c_at.map, a_at.map, b_at.map, K)
        || cudaDeviceSynchronize())
        worst = -1;
    cudaMemcpy(c.data(), c_at.there, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < M * N && worst >= 0; i++) {
        double sum = 0;
        for (int k = 0; k < K; k++)
            sum += (double)(float)a[i / N * K + k] * (float)b[TURNED ? k * N + i % N : i % N * K + k];
        worst = sum - c[i] > worst ? sum - c[i] : c[i] - sum > worst ? c[i] - sum : worst;
    }
    return worst;
}

#ifdef TILE_EMULATOR
/* The kernel with this fault must say so. */
template <Fault FAULT>
static void test_fault(const char *text)
{
    tile_emu_reset();
    tile_emu_verbose(0);
    run<0, FAULT>(64, 200);
    const std::string said = tile_emu_error(0) ? tile_emu_error(0) : "";
    const bool good = said.find(text) != std::string::npos;
    test(good ? text : (std::string(text) + ", but it was: " + said).c_str(), good);
}
#endif

int main(void)
{
    test("wgmma, both along the products", run<0, NOTHING>(100, 200) == 0);
    test("wgmma, b turned", run<1, NOTHING>(100, 200) == 0);
    test("wgmma, one step", run<0, NOTHING>(1, 8) == 0);
    test("wgmma_f16", single<__half>(single_f16));
    test("wgmma_f16, a in registers", single<__half>(single_f16_parts));
    test("wgmma_tf32", single<float>(single_tf32));
    test("wgmma_e4m3", single<__nv_fp8_e4m3>(single_e4m3));
    test("wgmma_e5m2", single<__nv_fp8_e5m2>(single_e5m2));
    test("stmatrix", turns());
#ifdef TILE_EMULATOR
    test("no error", tile_emu_errors() == 0);
    test("a wrong stride gives wrong numbers", run<0, STRIDE>(64, 200) != 0);
    test_fault<FEW_BYTES>("waits for memory that nobody changes");
    test_fault<NO_INIT>(tile_emu_checked() ? "nobody wrote" : "no mbarrier that mbarrier_init began");
    if (tile_emu_checked()) {
        test_fault<NO_WAIT>("to which an asynchronous copy is on its way");
        test_fault<EARLY_RELEASE>("race: ");
        test_fault<NO_BARRIER>("that nobody wrote");
        test_fault<NO_FENCE>("no fence_async between the write of a byte and its use");
    }
#endif
    return 0;
}
