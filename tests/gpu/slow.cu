// slow.cu -- a kernel that takes its time before it writes
#include <cuda_runtime.h>

extern "C" __global__ void slow_fill(float *y, int n, float value, int milliseconds)
{
    for (int k = 0; k < milliseconds; k++)
        __nanosleep(1000000);
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        y[k] = value;
}

// y[0 .. n) = value, after at least so many milliseconds.
extern "C" cudaError_t slow(float *y, int n, float value, int milliseconds, cudaStream_t stream)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1, 1, 1);
    config.blockDim = dim3(128, 1, 1);
    config.stream = stream;
    return cudaLaunchKernelEx(&config, slow_fill, y, n, value, milliseconds);
}
