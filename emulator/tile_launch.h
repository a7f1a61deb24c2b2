/* tile_launch.h -- cudaLaunchKernelEx: the arguments of a kernel, a call for each thread */
#ifndef TILE_LAUNCH_H
#define TILE_LAUNCH_H

#include "cuda_runtime_api.h"

/* Runs call(arguments) once for every thread of the grid; returns when all are done. */
extern "C" cudaError_t tile_launch(const cudaLaunchConfig_t *config, const void *kernel,
                                   void (*call)(void *), void *arguments);

template <typename T> struct TileSame { typedef T type; };

/* Converts the arguments to the kernel's parameters and launches. What runs here in place of the
 * hardware is not checked: it reads the parameters from the launching thread's stack. */
template <typename... Parameters>
static cudaError_t tile_launch_with(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                                    typename TileSame<Parameters>::type... parameters)
{
    auto thread = [&]() __attribute__((no_sanitize("thread"))) { kernel(parameters...); };
    typedef decltype(thread) Thread;
    struct Call {
        __attribute__((no_sanitize("thread"))) static void one(void *call) { (*(Thread *)call)(); }
    };
    return tile_launch(config, (const void *)kernel, Call::one, &thread);
}

/* Launches kernel on the grid of config; its errors are returned here. */
template <typename... Parameters, typename... Arguments>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                             void (*kernel)(Parameters...),
                                             Arguments &&...arguments)
{
    return tile_launch_with<Parameters...>(config, kernel, static_cast<Arguments &&>(arguments)...);
}

/* The forms of the runtime's functions that take a kernel as it is. */
template <typename Kernel>
static inline cudaError_t cudaFuncSetAttribute(Kernel *kernel, cudaFuncAttribute attribute,
                                               int value)
{
    return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}

template <typename Kernel>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Kernel *kernel,
                                                                        int threads, size_t bytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads,
                                                         bytes);
}

template <typename T>
static inline cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
    return cudaMalloc((void **)pointer, bytes);
}

#endif
