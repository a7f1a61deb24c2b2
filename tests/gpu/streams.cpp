/* streams.cpp -- first use from two threads, the same call twice, two streams, order in a stream */
#include <thread>
#include "01_add.h"
#include "check.h"
#include "own.h"
#include "work.h"

extern "C" cudaError_t slow(float *y, int n, float value, int milliseconds, cudaStream_t stream);

/* A stream that the default stream does not wait for. */
static cudaStream_t new_stream(void)
{
    cudaStream_t stream = nullptr;
    FINE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

/* More than 48 KB of shared memory, used for the first time by two threads at once (T77). */
void first_use(void)
{
    enum { SIDE = 64 };
    float *memory[2] = {nullptr, nullptr}, got[2] = {0, 0};
    std::thread threads[2];
    for (int t = 0; t < 2; t++) {
        FINE(cudaMalloc((void **)&memory[t], 3 * SIDE * SIDE * sizeof(float)));
        FINE(slow(memory[t], 2 * SIDE * SIDE, 1 + t, 0, nullptr));
    }
    FINE(cudaDeviceSynchronize());
    for (int t = 0; t < 2; t++)
        threads[t] = std::thread([&memory, t] {
            cudaStream_t stream = new_stream();
            float *const a = memory[t];
            FINE(product(a + 2 * SIDE * SIDE, a, a + SIDE * SIDE, SIDE, SIDE, SIDE, stream));
            FINE(cudaStreamSynchronize(stream));
            FINE(cudaStreamDestroy(stream));
        });
    for (int t = 0; t < 2; t++) {
        threads[t].join();
        FINE(cudaMemcpy(&got[t], memory[t] + 3 * SIDE * SIDE - 1, sizeof got[t], cudaMemcpyDeviceToHost));
        CHECK(got[t] == SIDE * (1 + t) * (1 + t));
        FINE(cudaFree(memory[t]));
    }
}

/* What a Work gives for a seed, by itself. */
static std::vector<unsigned char> alone(Work &work, unsigned seed, cudaStream_t stream)
{
    FINE(work.inputs(seed, stream));
    FINE(work.enqueue(stream));
    return work.outputs(stream);
}

/* The same call gives the same bits, ten times; other inputs give others. */
void repeats(void)
{
    Work work;
    if (!CHECK(work.ready()))
        return;
    const std::vector<unsigned char> first = alone(work, 1, nullptr);
    CHECK(!first.empty());
    for (int k = 0; k < 10; k++) {
        FINE(work.enqueue(nullptr));
        CHECK(work.outputs(nullptr) == first);
    }
    CHECK(alone(work, 2, nullptr) != first);
    CHECK(alone(work, 1, nullptr) == first);
}

/* Two threads, each with a stream and memory of its own, at the same time: the bits of one alone. */
void two_streams(void)
{
    Work work[2];
    std::vector<unsigned char> expected[2];
    std::thread threads[2];
    if (!CHECK(work[0].ready() && work[1].ready()))
        return;
    for (int t = 0; t < 2; t++)
        expected[t] = alone(work[t], 10 + t, nullptr);
    for (int t = 0; t < 2; t++)
        threads[t] = std::thread([&work, &expected, t] {
            cudaStream_t stream = new_stream();
            for (int k = 0; k < 5; k++) {
                for (int again = 0; again < 3; again++)
                    FINE(work[t].enqueue(stream));
                CHECK(work[t].outputs(stream) == expected[t]);
            }
            FINE(cudaStreamDestroy(stream));
        });
    for (int t = 0; t < 2; t++)
        threads[t].join();
}

/* T79: a launch waits for what is before it in its stream, and for nothing else. */
void order_in_a_stream(void)
{
    enum { N = 1000, PAUSE = 200 };
    float *memory = nullptr, got[2] = {0, 0};
    cudaStream_t busy = new_stream(), other = new_stream();
    FINE(cudaMalloc((void **)&memory, 5 * N * sizeof(float)));
    FINE(slow(memory, 2 * N, 1, 0, busy));              // both kernels have been used before
    FINE(add(memory + 2 * N, memory, memory + N, N, busy));
    FINE(cudaStreamSynchronize(busy));

    FINE(slow(memory, 2 * N, 21, PAUSE, busy));
    FINE(add(memory + 2 * N, memory, memory + N, N, busy));
#ifndef TILE_EMULATOR
    CHECK(cudaStreamQuery(busy) == cudaErrorNotReady);  // neither launch has waited
#endif
    FINE(add(memory + 4 * N, memory + 3 * N, memory + 3 * N, N, other));
    FINE(cudaStreamSynchronize(other));
#ifndef TILE_EMULATOR
    CHECK(cudaStreamQuery(busy) == cudaErrorNotReady);  // nor has the other stream
#endif
    FINE(cudaMemcpyAsync(&got[0], memory + 2 * N, sizeof got[0], cudaMemcpyDeviceToHost, busy));
    FINE(cudaMemcpyAsync(&got[1], memory + 3 * N - 1, sizeof got[1], cudaMemcpyDeviceToHost, busy));
    FINE(cudaStreamSynchronize(busy));
    CHECK(got[0] == 42 && got[1] == 42);
    FINE(cudaStreamDestroy(busy));
    FINE(cudaStreamDestroy(other));
    FINE(cudaFree(memory));
}
