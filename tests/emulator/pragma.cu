/* pragma.cu -- what translated files may write and must compile without a warning */

#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include "test.h"

struct __align__(16) Packed {
    __nv_bfloat162 pair[4];
};

template <int N>
static __device__ __forceinline__ float sum(const float (&v)[N])
{
    float s = 0.0f;
#pragma unroll
    for (int i = 0; i < N; i++)
        s = __fadd_rn(s, v[i]);
    return s;
}

extern "C" __global__ void __launch_bounds__(128, 2)
pragmas(float *__restrict__ y, const Packed *__restrict__ x, const __grid_constant__ int n)
{
    const Packed p = x[threadIdx.x];
    float v[8];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float2 pair = __bfloat1622float2(p.pair[i]);
        v[2 * i] = pair.x;
        v[2 * i + 1] = pair.y;
    }
    if (threadIdx.x < (unsigned)n)
        y[threadIdx.x] = sum(v);
    if (threadIdx.x == 0)
        printf("ok printf in block %u of %u\n", blockIdx.x, gridDim.x);
}

int main(void)
{
    cudaLaunchConfig_t config = {};
    cudaStream_t stream;
    Packed host[4], *x;
    float *y, out[4];
    for (int i = 0; i < 32; i++)
        host[i / 8].pair[i / 2 % 4] = __floats2bfloat162_rn((float)i, (float)i);
    cudaStreamCreate(&stream);
    cudaMalloc(&x, sizeof host);
    cudaMalloc(&y, sizeof out);
    cudaMemcpyAsync(x, host, sizeof host, cudaMemcpyHostToDevice, stream);
    config.gridDim = dim3(1);
    config.blockDim = dim3(4);
    config.stream = stream;
    const cudaError_t error = cudaLaunchKernelEx(&config, pragmas, y, x, 4);
    cudaMemcpy(out, y, sizeof out, cudaMemcpyDeviceToHost);
    test("a struct of pairs", error == cudaSuccess && out[0] == 2 * (1 + 3 + 5 + 7.0f)
         && out[3] == 2 * (25 + 27 + 29 + 31.0f));
    return 0;
}
