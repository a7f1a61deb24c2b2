/* graph.cpp -- launches captured into a graph, replayed with other inputs (T82) */
#include "check.h"
#include "own.h"
#include "work.h"

#ifdef TILE_EMULATOR
void graphs(void)
{
    skip("the emulator has no graphs");
}
#else

/* What a capture of two calls became; NULL if it failed. */
template <typename Calls>
static cudaGraphExec_t captured(cudaStream_t stream, Calls calls)
{
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t result = nullptr;
    FINE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    FINE(calls());
    if (FINE(cudaStreamEndCapture(stream, &graph)) && graph) {
        FINE(cudaGraphInstantiate(&result, graph, 0));
        FINE(cudaGraphDestroy(graph));
    }
    return result;
}

/* A kernel with more than 48 KB of shared memory, used for the first time in the capture, then a
   second that reads its result. */
static void first_in_capture(cudaStream_t stream)
{
    enum { SIDE = 70 };
    std::vector<float> host(SIDE * SIDE);
    float *a = nullptr, *b, *c;
    FINE(cudaMalloc((void **)&a, 3 * SIDE * SIDE * sizeof(float)));
    b = a + SIDE * SIDE, c = b + SIDE * SIDE;
    cudaGraphExec_t exec = captured(stream, [&] {
        const cudaError_t error = late(b, a, a, SIDE, SIDE, SIDE, stream);
        return error == cudaSuccess ? late(c, a, b, SIDE, SIDE, SIDE, stream) : error;
    });
    for (int k = 1; k <= 3 && exec; k++) {              // a is k everywhere, b = 1 + SIDE k k
        for (float &v : host)
            v = (float)k;
        FINE(cudaMemcpyAsync(a, host.data(), host.size() * 4, cudaMemcpyHostToDevice, stream));
        FINE(cudaGraphLaunch(exec, stream));
        FINE(cudaMemcpyAsync(host.data(), c, host.size() * 4, cudaMemcpyDeviceToHost, stream));
        FINE(cudaStreamSynchronize(stream));
        const float expected = 1.0f + SIDE * k * (1.0f + SIDE * k * k);
        CHECK(host.front() == expected && host[SIDE + 1] == expected && host.back() == expected);
    }
    if (exec)
        FINE(cudaGraphExecDestroy(exec));
    FINE(cudaFree(a));
}

/* All kernels of the examples: each replay gives the bits of a run by itself. */
static void whole_work(cudaStream_t stream)
{
    Work work, second;
    if (!CHECK(work.ready() && second.ready()))
        return;
    cudaGraphExec_t exec = captured(stream, [&] { return work.enqueue(stream); });
    for (unsigned seed = 1; seed <= 3 && exec; seed++) {
        FINE(work.inputs(seed, stream));
        FINE(cudaGraphLaunch(exec, stream));
        FINE(second.inputs(seed, stream));
        FINE(second.enqueue(stream));
        const std::vector<unsigned char> expected = second.outputs(stream);
        CHECK(!expected.empty() && work.outputs(stream) == expected);
    }
    if (exec)
        FINE(cudaGraphExecDestroy(exec));
}

void graphs(void)
{
    cudaStream_t stream = nullptr;
    FINE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    first_in_capture(stream);
    whole_work(stream);
    FINE(cudaStreamDestroy(stream));
}
#endif
