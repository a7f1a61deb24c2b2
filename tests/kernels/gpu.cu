// gpu.cu -- device memory for the runner
#include <unistd.h>
#include <cuda_runtime.h>

// Other processes use the GPU too: waits up to two minutes until they have left enough memory.
extern "C" void *gpu_alloc(size_t bytes)
{
    void *at;
    size_t left, all;
    for (int tries = 0; tries < 240; tries++) {
        if (cudaMemGetInfo(&left, &all) != cudaSuccess || left > bytes + ((size_t)1 << 30))
            break;
        usleep(500 * 1000);
    }
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
