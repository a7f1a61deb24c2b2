// gpu.cu -- device memory for the runner
#include <cuda_runtime.h>

extern "C" void *gpu_alloc(size_t bytes)
{
    void *at;
    return cudaMalloc(&at, bytes) == cudaSuccess ? at : NULL;
}

extern "C" void gpu_free(void *at)
{
    cudaFree(at);
}

extern "C" int gpu_put(void *at, const void *host, size_t bytes)
{
    return cudaMemcpy(at, host, bytes, cudaMemcpyHostToDevice);
}

// Waits for the kernels before it; their errors are returned.
extern "C" int gpu_get(void *host, const void *at, size_t bytes)
{
    const cudaError_t error = cudaDeviceSynchronize();
    return error != cudaSuccess ? error : cudaMemcpy(host, at, bytes, cudaMemcpyDeviceToHost);
}
