/* memory.cpp -- errors of others, null pointers, memory that is not cudaMalloc's */
#include <cstdlib>
#include <cstring>
#include "01_add.h"
#include "04_softmax.h"
#include "check.h"
#include "own.h"

enum { N = 5000 };

/* An error that an earlier call left behind is neither reported by a launch nor taken away, and a
   launch that is refused leaves none. (A launch that asks for more than 48 KB of shared memory takes
   it away: seen with CUDA 13 on an H200, though each call of it succeeds.) */
void stale_errors(void)
{
    float *memory = nullptr;
    void *none = nullptr;
    FINE(cudaMalloc((void **)&memory, 3 * N * sizeof(float)));
    FINE(cudaMemset(memory, 0, 3 * N * sizeof(float)));
    FINE(cudaGetLastError());
    CHECK(cudaMalloc(&none, (size_t)1 << 60) == cudaErrorMemoryAllocation);
    FINE(add(memory, memory + N, memory + 2 * N, N, nullptr));
    FINE(add(nullptr, nullptr, nullptr, 0, nullptr));
    CHECK(softmax(memory, memory, 10, 10, nullptr) == cudaErrorInvalidValue);
    CHECK(cudaPeekAtLastError() == cudaErrorMemoryAllocation);
    FINE(product(memory, memory + N, memory + 2 * N, 8, 8, 8, nullptr));
    cudaGetLastError();
    CHECK(softmax(memory, memory, 10, 10, nullptr) == cudaErrorInvalidValue);
    CHECK(softmax(nullptr, memory, 10, 10, nullptr) == cudaErrorInvalidValue);
    FINE(softmax(memory, memory + N, 0, 10, nullptr));
    FINE(softmax(memory, memory + N, 10, 0, nullptr));
    FINE(cudaGetLastError());
    FINE(cudaDeviceSynchronize());
    FINE(cudaFree(memory));
}

/* T71, T72: NULL of an empty tensor is nothing, of another it is refused by name. */
void null_pointers(void)
{
    float *memory = nullptr;
    FINE(cudaMalloc((void **)&memory, N * sizeof(float)));
    FINE(add(nullptr, nullptr, nullptr, 0, nullptr));
    FINE(softmax(nullptr, nullptr, 0, 0, nullptr));
    FINE(softmax(nullptr, nullptr, 5, 0, nullptr));
    CHECK(!*tile_last_error());
    CHECK(add(memory, nullptr, memory + 100, 100, nullptr) == cudaErrorInvalidValue
          && strstr(tile_last_error(), "x (&) is a null pointer"));
    CHECK(add(nullptr, memory, memory, 100, nullptr) == cudaErrorInvalidValue
          && strstr(tile_last_error(), "z (&mut) is a null pointer"));
    FINE(cudaGetLastError());
    FINE(cudaDeviceSynchronize());
    FINE(cudaFree(memory));
}

/* z = x + y in memory that both sides see. */
static void sum_in(float *memory)
{
    bool right = true;
    for (int k = 0; k < 2 * N; k++)
        memory[k] = (float)(k % 1000);
    FINE(add(memory + 2 * N, memory, memory + N, N, nullptr));
    FINE(cudaDeviceSynchronize());
    for (int k = 0; k < N; k++)
        right = right && memory[2 * N + k] == memory[k] + memory[N + k];
    CHECK(right);
}

/* Pinned and managed memory are as good as the device's own. */
void kinds_of_memory(void)
{
    float *memory = nullptr;
    if (FINE(cudaMallocHost((void **)&memory, 3 * N * sizeof(float)))) {
        sum_in(memory);
        FINE(cudaFreeHost(memory));
    }
#ifdef TILE_EMULATOR
    skip("the emulator has no managed memory");
#else
    if (FINE(cudaMallocManaged((void **)&memory, 3 * N * sizeof(float), cudaMemAttachGlobal))) {
        sum_in(memory);
        FINE(cudaFree(memory));
    }
#endif
}

/* malloc's memory: right where the device reaches it, an error at the next synchronisation elsewhere. That
   ends the context, so it is the only thing that its process does. */
void host_memory(void)
{
    float *const memory = (float *)malloc(3 * N * sizeof(float));
    int reached = 1;
#ifndef TILE_EMULATOR
    FINE(cudaDeviceGetAttribute(&reached, cudaDevAttrPageableMemoryAccess, 0));
#endif
    if (reached)
        sum_in(memory);
    else {
        FINE(add(memory + 2 * N, memory, memory + N, N, nullptr));
        CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    }
    free(memory);
}
