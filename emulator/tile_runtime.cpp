/* tile_runtime.cpp -- CUDA's runtime functions: one device, whose memory is the host's */

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <map>
#include <mutex>
#include "tile_emu.h"
#include "tile_scheduler.h"

/* ---- errors ------------------------------------------------------------------------- */

static thread_local cudaError_t last_error;

cudaError_t tile_fail(cudaError_t error)
{
    return last_error = error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return last_error;
}

cudaError_t cudaGetLastError(void)
{
    const cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

struct ErrorText {
    cudaError_t error;
    const char *name, *text;
};

static const ErrorText error_texts[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidKernelImage, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
    {cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice",
     "no kernel image is available for execution on the device"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorSymbolNotFound, "cudaErrorSymbolNotFound", "named symbol not found"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    {cudaErrorIllegalInstruction, "cudaErrorIllegalInstruction",
     "an illegal instruction was encountered"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

/* The row of an error; NULL for a number that is none. */
static const ErrorText *find_error(cudaError_t error)
{
    for (const ErrorText &e : error_texts)
        if (e.error == error)
            return &e;
    return NULL;
}

const char *cudaGetErrorName(cudaError_t error)
{
    const ErrorText *const e = find_error(error);
    return e ? e->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    const ErrorText *const e = find_error(error);
    return e ? e->text : "unrecognized error code";
}

/* ---- device ------------------------------------------------------------------------- */

struct Attribute {
    cudaDeviceAttr attribute;
    int value;
};

static const Attribute attributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, TILE_MAX_THREADS},
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, INT32_MAX},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrMaxSharedMemoryPerBlock, TILE_MAX_STATIC_SHARED},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrMaxRegistersPerBlock, 65536},
    {cudaDevAttrMultiProcessorCount, 132},
    {cudaDevAttrL2CacheSize, 60 << 20},
    {cudaDevAttrMaxThreadsPerMultiProcessor, 2048},
    {cudaDevAttrComputeCapabilityMajor, 9},
    {cudaDevAttrComputeCapabilityMinor, 0},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, 233472},
    {cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
    {cudaDevAttrCooperativeLaunch, 0},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, TILE_MAX_SHARED},
    {cudaDevAttrMaxBlocksPerMultiprocessor, 32},
    {cudaDevAttrReservedSharedMemoryPerBlock, 1024},
    {cudaDevAttrClusterLaunch, 0},
};

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    if (device != 0)
        return tile_fail(cudaErrorInvalidDevice);
    for (const Attribute &a : attributes)
        if (a.attribute == attribute)
            return *value = a.value, cudaSuccess;
    return tile_fail(cudaErrorInvalidValue);
}

cudaError_t cudaGetDevice(int *device) { return *device = 0, cudaSuccess; }
cudaError_t cudaGetDeviceCount(int *count) { return *count = 1, cudaSuccess; }
cudaError_t cudaSetDevice(int d) { return d ? tile_fail(cudaErrorInvalidDevice) : cudaSuccess; }
cudaError_t cudaDeviceReset(void) { return last_error = cudaSuccess; }

/* An error of a kernel was returned by its launch; it is told again until somebody asks for it. */
cudaError_t cudaDeviceSynchronize(void)
{
    return last_error >= cudaErrorIllegalAddress ? last_error : cudaSuccess;
}

/* ---- streams and events ------------------------------------------------------------- */

struct CUstream_st {
    unsigned flags;
};

struct CUevent_st {
    struct timespec time;
};

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    return *stream = new CUstream_st{flags}, cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) { return delete stream, cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaDeviceSynchronize(); }
cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }

cudaError_t cudaEventCreate(cudaEvent_t *event) { return *event = new CUevent_st(), cudaSuccess; }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned) { return cudaEventCreate(e); }
cudaError_t cudaEventDestroy(cudaEvent_t event) { return delete event, cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t)
{
    clock_gettime(CLOCK_MONOTONIC, &event->time);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    *milliseconds = (end->time.tv_sec - start->time.tv_sec) * 1e3f
                    + (end->time.tv_nsec - start->time.tv_nsec) * 1e-6f;
    return cudaSuccess;
}

/* ---- memory ------------------------------------------------------------------------- */

constexpr size_t PAGE = 4096, EDGE = 512, LEAST_GUARD = 1 << 16;

/* Where an array of so many bytes lies: addresses that belong to nobody, at least as many as it
 * has, then EDGE bytes, the array, more than EDGE bytes, and addresses that belong to nobody again.
 * So an index that is wrong by less than the array's length hits no other array. */
struct Place {
    size_t guard, middle;
    explicit Place(size_t bytes)
        : guard((bytes > LEAST_GUARD ? bytes : LEAST_GUARD) / PAGE * PAGE + PAGE),
          middle((bytes + 2 * EDGE) / PAGE * PAGE + PAGE) {}
    size_t whole() const { return guard + middle + guard; }
};

/* Fresh memory holds NaNs, as far as it is cheap to fill. */
static cudaError_t allocate(void **pointer, size_t bytes, int flags)
{
    *pointer = NULL;
    if (bytes == 0)
        return cudaSuccess;
    if (bytes > SIZE_MAX / 8)
        return tile_fail(cudaErrorMemoryAllocation);
    const Place place(bytes);
    char *const p = (char *)mmap(NULL, place.whole(), PROT_NONE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return tile_fail(cudaErrorMemoryAllocation);
    if (mprotect(p + place.guard, place.middle, PROT_READ | PROT_WRITE))
        return munmap(p, place.whole()), tile_fail(cudaErrorMemoryAllocation);
    if (bytes <= 64 << 20)
        memset(p + place.guard, 0xff, place.middle);
    *pointer = p + place.guard + EDGE;
    tile_add_array((uintptr_t)*pointer, bytes, NULL, flags, true);
    return cudaSuccess;
}

cudaError_t cudaFree(void *pointer)
{
    if (!pointer)
        return cudaSuccess;
    const TileArray *const a = tile_find_array((uintptr_t)pointer);
    const Place place(a ? a->capacity : 0);
    if (!tile_remove_array((uintptr_t)pointer, true))
        return tile_fail(cudaErrorInvalidValue);
    munmap((char *)pointer - EDGE - place.guard, place.whole());
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **p, size_t bytes) { return allocate(p, bytes, TILE_EMU_EMPTY); }
cudaError_t cudaMallocHost(void **p, size_t bytes) { return allocate(p, bytes, TILE_EMU_FILLED); }
cudaError_t cudaFreeHost(void *pointer) { return cudaFree(pointer); }
cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t) { return cudaMalloc(p, bytes); }
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t) { return cudaFree(pointer); }

/* Whether [p, p + bytes) leaves the array in which it begins; other memory is not checked. */
static bool leaves_array(const void *p, size_t bytes)
{
    const TileArray *const a = tile_find_array((uintptr_t)p);
    return a && bytes > a->high - (uintptr_t)p;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    if (bytes == 0)
        return cudaSuccess;
    if (!to || !from || leaves_array(to, bytes) || leaves_array(from, bytes))
        return tile_fail(cudaErrorInvalidValue);
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return tile_fail(cudaErrorInvalidMemcpyDirection);
    memmove(to, from, bytes);
    tile_host_wrote((uintptr_t)to, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    if (bytes == 0)
        return cudaSuccess;
    if (!to || leaves_array(to, bytes))
        return tile_fail(cudaErrorInvalidValue);
    memset(to, value, bytes);
    tile_host_wrote((uintptr_t)to, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t)
{
    return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t)
{
    return cudaMemset(to, value, bytes);
}

/* ---- kernels ------------------------------------------------------------------------ */

static std::mutex lock;
static std::map<const void *, size_t> dynamic_limits;

/* Bytes of dynamic shared memory that the kernel may be launched with. */
size_t tile_dynamic_limit(const void *kernel)
{
    std::lock_guard<std::mutex> hold(lock);
    const auto limit = dynamic_limits.find(kernel);
    return limit == dynamic_limits.end() ? (size_t)TILE_MAX_STATIC_SHARED : limit->second;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value)
{
    if (!kernel)
        return tile_fail(cudaErrorInvalidDeviceFunction);
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return cudaSuccess;
    if (value < 0 || value > TILE_MAX_SHARED)
        return tile_fail(cudaErrorInvalidValue);
    std::lock_guard<std::mutex> hold(lock);
    dynamic_limits[kernel] = value;
    return cudaSuccess;
}

/* As if every kernel had shared memory, so that launch functions choose those for sm_90a; they do
   not if TILE_EMU_TARGET is another target, sm_80. */
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel)
{
    const char *target = getenv("TILE_EMU_TARGET");
    if (!kernel)
        return tile_fail(cudaErrorInvalidDeviceFunction);
    attributes->sharedSizeBytes = !target || !strcmp(target, "sm_90a");
    return cudaSuccess;
}

/* By threads and shared memory alone: registers are not known here. */
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *, int threads,
                                                          size_t dynamicSmemBytes)
{
    if (threads <= 0 || threads > TILE_MAX_THREADS)
        return tile_fail(cudaErrorInvalidValue);
    const int by_threads = 2048 / ((threads + 31) / 32 * 32);
    const int by_shared = (int)(233472 / (dynamicSmemBytes + 1024));
    *blocks = by_threads < by_shared ? by_threads : by_shared;
    *blocks = *blocks < 32 ? *blocks : 32;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *, const cudaLaunchConfig_t *)
{
    return *clusters = 66, cudaSuccess;
}
