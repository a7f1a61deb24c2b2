/* devices.cpp -- two devices in one process, the one or the other first (T77) */
#include "check.h"
#include "own.h"
#include "work.h"

/* The bits of the examples on one device. */
static std::vector<unsigned char> on(int device)
{
    std::vector<unsigned char> result;
    if (!FINE(cudaSetDevice(device)))
        return result;
    Work work;
    cudaStream_t stream = nullptr;
    if (CHECK(work.ready()) && FINE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking))) {
        FINE(work.inputs(1, stream));
        FINE(work.enqueue(stream));
        result = work.outputs(stream);
        FINE(cudaStreamDestroy(stream));
    }
    return result;
}

/* All examples, and a kernel with more than 48 KB of shared memory among them, on both devices. */
void devices(int first)
{
    int count = 0;
    FINE(cudaGetDeviceCount(&count));
    if (count < 2) {
        skip("there is one device");
        return;
    }
    const std::vector<unsigned char> one = on(first), other = on(1 - first);
    CHECK(!one.empty() && !other.empty());
    int same = 1, majors[2] = {0, 0}, minors[2] = {0, 0}, sms[2] = {0, 0};
    for (int d = 0; d < 2; d++) {
        FINE(cudaDeviceGetAttribute(&majors[d], cudaDevAttrComputeCapabilityMajor, d));
        FINE(cudaDeviceGetAttribute(&minors[d], cudaDevAttrComputeCapabilityMinor, d));
        FINE(cudaDeviceGetAttribute(&sms[d], cudaDevAttrMultiProcessorCount, d));
    }
    same = majors[0] == majors[1] && minors[0] == minors[1] && sms[0] == sms[1];
    if (same)
        CHECK(one == other);
    CHECK(on(first) == one);                            // and back
}
