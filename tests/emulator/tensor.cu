/* tensor.cu -- mma.sync, ldmatrix and cp.async against plain loops; for the emulator and for a GPU */

#include <stdlib.h>
#include <string.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include "test.h"
#ifndef TILE_EMULATOR
#include "../../templates/ptx.cu"
#endif

/* ---- operands: rows of 32 bytes ---------------------------------------------------------- */

/* Element k of a row, and how small whole numbers get there. Sums of such are exact. */
struct F16 {
    typedef float Sum;
    enum { K = 16, LOW = -4 };
    static void set(void *row, int k, int v) { ((__half *)row)[k] = __half((float)v); }
    static double get(const void *row, int k) { return __half2float(((const __half *)row)[k]); }
};
struct BF16 {
    typedef float Sum;
    enum { K = 16, LOW = -4 };
    static void set(void *row, int k, int v) { ((__nv_bfloat16 *)row)[k] = __nv_bfloat16((float)v); }
    static double get(const void *row, int k)
    {
        return __bfloat162float(((const __nv_bfloat16 *)row)[k]);
    }
};
struct TF32 {
    typedef float Sum;
    enum { K = 8, LOW = -4 };
    static void set(void *row, int k, int v) { ((float *)row)[k] = (float)v; }
    static double get(const void *row, int k) { return ((const float *)row)[k]; }
};
template <typename T>
struct F8 {
    typedef float Sum;
    enum { K = 32, LOW = -4 };
    static void set(void *row, int k, int v) { ((T *)row)[k] = T((float)v); }
    static double get(const void *row, int k) { return (float)((const T *)row)[k]; }
};
template <typename T>
struct I8 {
    typedef int Sum;
    enum { K = 32, LOW = -128 };
    static void set(void *row, int k, int v) { ((T *)row)[k] = (T)v; }
    static double get(const void *row, int k) { return ((const T *)row)[k]; }
};

/* ---- kernels: c, 16 x 8, plus a times b, by one warp ------------------------------------- */

/* Copies 16 rows of a and 8 of b, 32 bytes each, to shared memory. */
static __device__ void fetch(unsigned char *a_tile, unsigned char *b_tile, const unsigned char *a,
                             const unsigned char *b)
{
    const int lane = threadIdx.x;
    cp_async_16(&a_tile[16 * lane], &a[16 * lane], true);
    cp_async_8(&b_tile[8 * lane], &b[8 * lane], true);
    cp_async_commit();
    cp_async_wait<0>();
    __syncthreads();
}

#define PRODUCT(NAME, SUM)                                                                        \
    static __global__ void product_##NAME(SUM *c, const unsigned char *a, const unsigned char *b) \
    {                                                                                             \
        __shared__ __align__(16) unsigned char a_tile[512], b_tile[256];                          \
        const int lane = threadIdx.x;                                                             \
        SUM *const upper = &c[lane / 4 * 8 + lane % 4 * 2], *const lower = upper + 64;            \
        SUM sum[2][2] = {{upper[0], upper[1]}, {lower[0], lower[1]}};                             \
        unsigned a_part[4], b_part[2];                                                            \
        fetch(a_tile, b_tile, a, b);                                                              \
        ldmatrix_x4(a_part, &a_tile[lane % 16 * 32 + lane / 16 * 16]);                            \
        ldmatrix_x2(b_part, &b_tile[lane % 8 * 32 + lane / 8 % 2 * 16]);                          \
        NAME(sum[0], sum[1], a_part, b_part[0], b_part[1]);                                       \
        for (int i = 0; i < 2; i++) {                                                             \
            upper[i] = sum[0][i];                                                                 \
            lower[i] = sum[1][i];                                                                 \
        }                                                                                         \
    }

PRODUCT(mma_f16, float)
PRODUCT(mma_bf16, float)
PRODUCT(mma_tf32, float)
PRODUCT(mma_e4m3, float)
PRODUCT(mma_e5m2, float)
PRODUCT(mma_s8, int)
PRODUCT(mma_u8, int)
PRODUCT(mma_s8_u8, int)
PRODUCT(mma_u8_s8, int)

/* The same of f16 where a lies as 16 columns and b as 16 rows: 512 and 256 bytes again. */
static __global__ void product_turned(float *c, const unsigned char *a, const unsigned char *b)
{
    __shared__ __align__(16) unsigned char a_tile[512], b_tile[256];
    const int lane = threadIdx.x;
    float sum[2][2] = {};
    unsigned a_part[4], b_part[2];
    fetch(a_tile, b_tile, a, b);
    ldmatrix_x4_trans(a_part, &a_tile[(lane % 8 + lane / 16 * 8) * 32 + lane / 8 % 2 * 16]);
    ldmatrix_x2_trans(b_part, &b_tile[lane % 16 * 16]);
    mma_f16(sum[0], sum[1], a_part, b_part[0], b_part[1]);
    for (int i = 0; i < 4; i++)
        c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] += sum[i / 2][i % 2];
}

/* c, 8 x 8, plus a, 8 x 4, times the transpose of b, 8 x 4. */
static __global__ void product_f64(double *c, const double *a, const double *b)
{
    double sum[2] = {c[2 * threadIdx.x], c[2 * threadIdx.x + 1]};
    mma_f64(sum, a[threadIdx.x], b[threadIdx.x]);
    c[2 * threadIdx.x] = sum[0];
    c[2 * threadIdx.x + 1] = sum[1];
}

static __global__ void roundings(unsigned *y, const float *x)
{
    y[threadIdx.x] = to_tf32(x[threadIdx.x]);
}

/* Copies n elements in a ring of three stages of 32, of which two are on their way. */
static __global__ void ring(int *y, const int *x, int n)
{
    __shared__ __align__(16) int stages[3][32];
    const int lane = threadIdx.x, count = (n + 31) / 32;
    for (int k = 0; k < 2; k++) {
        cp_async_4(&stages[k][lane], &x[32 * k + lane < n ? 32 * k + lane : 0], 32 * k + lane < n);
        cp_async_commit();
    }
    for (int k = 0; k < count; k++) {
        cp_async_wait<1>();
        __syncthreads();
        const int ahead = 32 * (k + 2) + lane;
        cp_async_4(&stages[(k + 2) % 3][lane], &x[ahead < n ? ahead : 0], ahead < n);
        cp_async_commit();
        y[32 * k + lane] = stages[k % 3][31 - lane];
    }
}

/* ---- tests ------------------------------------------------------------------------------- */

/* Runs kernel(y, x..) by one warp; y goes there and back. */
template <typename T, typename... Inputs>
static bool run(void (*kernel)(T *, Inputs...), T *y, size_t count, Inputs... inputs)
{
    const cudaLaunchConfig_t config = {dim3(1), dim3(32), 0, NULL, NULL, 0};
    T *there;
    cudaMalloc(&there, count * sizeof *y);
    cudaMemcpy(there, y, count * sizeof *y, cudaMemcpyHostToDevice);
    const bool good = cudaLaunchKernelEx(&config, kernel, there, inputs...) == cudaSuccess
                      && cudaDeviceSynchronize() == cudaSuccess;
    cudaMemcpy(y, there, count * sizeof *y, cudaMemcpyDeviceToHost);
    cudaFree(there);
    return good;
}

/* What is at x, on the device. */
template <typename T>
static T *copy_of(const T *x, size_t count)
{
    T *there;
    cudaMalloc(&there, count * sizeof *x);
    cudaMemcpy(there, x, count * sizeof *x, cudaMemcpyHostToDevice);
    return there;
}

static int small(int low) { return low + rand() % (-2 * low + 1); }

template <typename A, typename B>
static void test_product(const char *name,
                         void (*kernel)(typename A::Sum *, const unsigned char *,
                                        const unsigned char *))
{
    unsigned char a[16][32], b[8][32];
    typename A::Sum c[16][8], want[16][8];
    for (int k = 0; k < A::K; k++) {
        for (int i = 0; i < 16; i++)
            A::set(a[i], k, small(A::LOW));
        for (int i = 0; i < 8; i++)
            B::set(b[i], k, small(B::LOW));
    }
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 8; j++) {
            double sum = c[i][j] = A::K == 32 && A::LOW == -128 ? 2147483647 - i : small(99);
            for (int k = 0; k < A::K; k++)
                sum += A::get(a[i], k) * B::get(b[j], k);
            want[i][j] = (typename A::Sum)(unsigned)(long long)sum;
            if (A::LOW != -128)
                want[i][j] = (typename A::Sum)sum;
        }
    const bool good = run(kernel, c[0], 128, (const unsigned char *)copy_of(a[0], 512),
                          (const unsigned char *)copy_of(b[0], 256));
    test(name, good && !memcmp(c, want, sizeof c));
}

static void test_turned(void)
{
    __half a[16][16], b[16][8];
    float c[16][8] = {}, want[16][8] = {};
    for (int k = 0; k < 16; k++) {
        for (int i = 0; i < 16; i++)
            a[k][i] = __half((float)small(-4));
        for (int j = 0; j < 8; j++)
            b[k][j] = __half((float)small(-4));
        for (int i = 0; i < 128; i++)
            want[i / 8][i % 8] += __half2float(a[k][i / 8]) * __half2float(b[k][i % 8]);
    }
    const bool good = run(product_turned, c[0], 128,
                          (const unsigned char *)copy_of((unsigned char *)a, 512),
                          (const unsigned char *)copy_of((unsigned char *)b, 256));
    test("ldmatrix, transposed", good && !memcmp(c, want, sizeof c));
}

static void test_f64(void)
{
    double a[8][4], b[8][4], c[8][8], want[8][8];
    for (int i = 0; i < 32; i++) {
        a[i / 4][i % 4] = small(-1000) / 8.0;
        b[i / 4][i % 4] = small(-1000) / 8.0;
    }
    for (int i = 0; i < 64; i++) {
        want[i / 8][i % 8] = c[i / 8][i % 8] = small(-1000) / 8.0;
        for (int k = 0; k < 4; k++)
            want[i / 8][i % 8] += a[i / 8][k] * b[i % 8][k];
    }
    const bool good = run(product_f64, c[0], 64, (const double *)copy_of(a[0], 32),
                          (const double *)copy_of(b[0], 32));
    test("mma_f64", good && !memcmp(c, want, sizeof c));
}

static void test_roundings(void)
{
    float x[32] = {1.0f, 1.0f + 0x1p-11f, -1.0f - 0x1p-11f, 1.0f + 0x1.fp-12f, INFINITY, 0.0f};
    unsigned y[32];
    const bool good = run(roundings, y, 32, (const float *)copy_of(x, 32));
    test("to_tf32", good && y[0] == 0x3f800000 && y[1] == 0x3f802000 && y[2] == 0xbf802000
         && y[3] == 0x3f800000 && y[4] == 0x7f800000 && y[5] == 0);
}

static void test_ring(void)
{
    int x[77], y[96];
    bool good = true;
    for (int i = 0; i < 77; i++)
        x[i] = i + 1;
    good &= run(ring, y, 96, (const int *)copy_of(x, 77), 77);
    for (int i = 0; i < 96; i++) {
        const int from = i / 32 * 32 + 31 - i % 32;
        good &= y[i] == (from < 77 ? x[from] : 0);
    }
    test("a ring of cp.async", good);
}

int main(void)
{
    test_product<F16, F16>("mma_f16", product_mma_f16);
    test_product<BF16, BF16>("mma_bf16", product_mma_bf16);
    test_product<TF32, TF32>("mma_tf32", product_mma_tf32);
    test_product<F8<__nv_fp8_e4m3>, F8<__nv_fp8_e4m3>>("mma_e4m3", product_mma_e4m3);
    test_product<F8<__nv_fp8_e5m2>, F8<__nv_fp8_e5m2>>("mma_e5m2", product_mma_e5m2);
    test_product<I8<signed char>, I8<signed char>>("mma_s8", product_mma_s8);
    test_product<I8<unsigned char>, I8<unsigned char>>("mma_u8", product_mma_u8);
    test_product<I8<signed char>, I8<unsigned char>>("mma_s8_u8", product_mma_s8_u8);
    test_product<I8<unsigned char>, I8<signed char>>("mma_u8_s8", product_mma_u8_s8);
    test_turned();
    test_f64();
    test_roundings();
    test_ring();
    return 0;
}
