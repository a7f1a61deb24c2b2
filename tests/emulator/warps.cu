/* warps.cu -- barriers, shuffles, votes and atomics do what CUDA says */

#include <vector>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include "test.h"
#include "tile_emu.h"

/* Launches kernel with n threads, the output y of n elements and a block's shared bytes. */
template <typename T>
static std::vector<T> run(void (*kernel)(T *), unsigned n, unsigned blocks = 1, size_t shared = 0)
{
    const cudaLaunchConfig_t config = {dim3(blocks), dim3(n), shared, NULL, NULL, 0};
    std::vector<T> out(n * blocks);
    T *y;
    cudaMalloc(&y, n * blocks * sizeof(T));
    cudaMemset(y, 0, n * blocks * sizeof(T));
    if (cudaLaunchKernelEx(&config, kernel, y))
        out.clear();
    else
        cudaMemcpy(out.data(), y, n * blocks * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(y);
    return out;
}

/* Whether element i of out is expected(i) for all of n. */
template <typename T, typename F>
static void expect(const char *name, const std::vector<T> &out, F expected)
{
    bool good = !out.empty();
    for (size_t i = 0; i < out.size(); i++)
        good &= out[i] == (T)expected((int)i);
    test(name, good);
}

__global__ void shuffle_up(int *y) { y[threadIdx.x] = __shfl_up_sync(~0u, (int)threadIdx.x, 3, 8); }
__global__ void shuffle_down(double *y)
{
    y[threadIdx.x] = __shfl_down_sync(~0u, threadIdx.x + 0.5, 5, 16);
}
__global__ void shuffle_lane(float *y)
{
    y[threadIdx.x] = __shfl_sync(~0u, (float)threadIdx.x, 37);
}
__global__ void shuffle_half(int *y)
{
    y[threadIdx.x] = (int)__shfl_xor_sync(~0u, __half((int)threadIdx.x), 1);
}

/* Two halves of a warp shuffle apart, each with its own mask. */
__global__ void shuffle_masks(int *y)
{
    if (threadIdx.x % 32 < 16)
        y[threadIdx.x] = __shfl_xor_sync(0x0000ffff, (int)threadIdx.x, 8);
    else
        y[threadIdx.x] = __shfl_xor_sync(0xffff0000, (int)threadIdx.x, 1);
}

__global__ void votes(unsigned *y)
{
    const unsigned odd = __ballot_sync(~0u, threadIdx.x & 1);
    const int some = __any_sync(~0u, threadIdx.x == 5), every = __all_sync(~0u, threadIdx.x < 31);
    y[threadIdx.x] = odd ^ (some << 1) ^ every;
}

__global__ void matches(unsigned *y) { y[threadIdx.x] = __match_any_sync(~0u, threadIdx.x / 8); }
__global__ void reduces(int *y) { y[threadIdx.x] = __reduce_max_sync(~0u, -(int)threadIdx.x); }

/* Lanes that have exited need not come. */
__global__ void exited(unsigned *y)
{
    if (threadIdx.x >= 20)
        return;
    y[threadIdx.x] = __ballot_sync(~0u, 1);
}

__global__ void counts(int *y)
{
    const int n = __syncthreads_count(threadIdx.x % 3 == 0);
    y[threadIdx.x] = n + 1000 * __syncthreads_or(threadIdx.x == 7)
                     + 2000 * __syncthreads_and(threadIdx.x != 7);
}

/* Reverses a block by way of dynamic shared memory, twice, with what the barriers must order. */
__global__ void reverse(int *y)
{
    extern __shared__ __align__(1024) unsigned char smem[];
    int *const cells = (int *)smem;
    cells[threadIdx.x] = threadIdx.x;
    __syncthreads();
    const int other = cells[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    cells[threadIdx.x] = 2 * other;
    __syncthreads();
    y[blockIdx.x * blockDim.x + threadIdx.x] = cells[threadIdx.x ^ 1];
}

/* All threads of all blocks add up in element 0; element 1 takes the largest, 2 a CAS. */
__global__ void atomics(int *y)
{
    atomicAdd(&y[0], 1);
    atomicMax(&y[1], (int)(blockIdx.x * blockDim.x + threadIdx.x));
    atomicCAS(&y[2], 0, 7);
    atomicAdd((float *)&y[3], 0.5f);
}

static void test_warps(void)
{
    expect("shfl_up", run(shuffle_up, 64), [](int i) { return i % 8 < 3 ? i : i - 3; });
    expect("shfl_down", run(shuffle_down, 32),
           [](int i) { return (i % 16 < 11 ? i + 5 : i) + .5; });
    expect("shfl", run(shuffle_lane, 96), [](int i) { return i / 32 * 32 + 5; });
    expect("shfl_xor of half", run(shuffle_half, 32), [](int i) { return i ^ 1; });
    expect("masks", run(shuffle_masks, 64), [](int i) { return i % 32 < 16 ? i ^ 8 : i ^ 1; });
    expect("votes", run(votes, 32), [](int) { return 0xaaaaaaaa ^ 2; });
    expect("match", run(matches, 32), [](int i) { return 0xffu << i / 8 * 8; });
    expect("reduce", run(reduces, 64), [](int i) { return -(i / 32 * 32); });
    expect("exited lanes", run(exited, 32), [](int i) { return i < 20 ? 0xfffff : 0; });
    expect("syncthreads_count", run(counts, 100), [](int) { return 1034; });
    expect("dynamic shared memory", run(reverse, 1024, 50, 4096),
           [](int i) { return 2 * (1023 - (i % 1024 ^ 1)); });
    expect("atomics", run(atomics, 64, 10), [](int i) {
        return i == 0 ? 640 : i == 1 ? 639 : i == 2 ? 7 : i == 3 ? __float_as_int(320.0f) : 0;
    });
}

static void test_limits(void)
{
    const auto launch = [](dim3 grid, dim3 block, size_t shared) {
        const cudaLaunchConfig_t config = {grid, block, shared, NULL, NULL, 0};
        return cudaLaunchKernelEx(&config, counts, (int *)NULL);
    };
    test("too many threads", launch(1, 1025, 0) == cudaErrorInvalidConfiguration);
    test("no block", launch(0, 32, 0) == cudaErrorInvalidConfiguration);
    test("65536 in y", launch(dim3(1, 65536), 32, 0) == cudaErrorInvalidConfiguration);
    test("48 KB and a byte", launch(1, 32, 49153) == cudaErrorInvalidValue);
    cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448);
    expect("227 KB", run(reverse, 32, 1, 232448), [](int i) { return 2 * (31 - (i ^ 1)); });
}

static void test_arithmetic(void)
{
    test("cospif, sinpif", cospif(0.5f) == 0 && sinpif(1.0f) == 0 && cospif(3.0f) == -1
         && fabsf(sinpif(0.25f) - sqrtf(0.5f)) < 1e-7f && sinpif(-0.5f) == -1.0f);
    test("float to int", __float2int_rn(2.5f) == 2 && __float2int_rz(-2.9f) == -2
         && __float2int_rn(3e9f) == INT_MAX && __float2uint_rz(-1.0f) == 0
         && __float2int_rz(NAN) == 0 && __double2int_rz(NAN) == INT_MIN);
    test("max.NaN, min.NaN", isnan(max_nan(1.0f, NAN)) && isnan(min_nan((float)NAN, 1.0f))
         && !signbit(max_nan(-0.0f, 0.0f)) && signbit(min_nan(0.0f, -0.0f))
         && max_nan(1.0, 2.0) == 2.0 && isnan(max_nan((double)NAN, 2.0)));
    test("bits", __popc(0xf0) == 4 && __clz(1) == 31 && __clz(0) == 32 && __ffs(8) == 4
         && __brev(1) == 0x80000000 && __byte_perm(0x33221100, 0x77665544, 0x7610) == 0x77661100);
    test("min, max", min(3, 5) == 3 && max(3u, 5u) == 5 && max(1.0f, NAN) == 1.0f);
    test("rounded conversions", __double2float_ru(1.0 + 1e-12) > 1.0f
         && __double2float_rd(1.0 + 1e-12) == 1.0f && __double2float_rz(-1.0 - 1e-12) == -1.0f);
}

int main(void)
{
    test_warps();
    test_limits();
    test_arithmetic();
    test("no errors", tile_emu_errors() == 0);
    return 0;
}
