/* work.h -- every kernel of the examples once, on memory of the current device */
#pragma once
#include <cuda_runtime.h>
#include <cstdint>
#include <vector>

class Work {
public:
    Work();
    ~Work();
    Work(const Work &) = delete;
    bool ready() const { return memory != nullptr; }
    cudaError_t enqueue(cudaStream_t stream);           // all kernels: from the inputs to the outputs
    cudaError_t inputs(unsigned seed, cudaStream_t stream);
    std::vector<unsigned char> outputs(cudaStream_t stream);    // waits for what is in the stream

private:
    unsigned char *memory = nullptr;                    // the inputs, then the outputs
    size_t in_bytes, bytes;
    std::vector<unsigned char> host;
};

/* A random number from low to high; each seed has its own row of them. */
struct Random {
    uint64_t state;
    explicit Random(unsigned seed) : state(0x9e3779b97f4a7c15u * (seed + 1)) { }
    double next(double low, double high)
    {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return low + (high - low) * (double)(state >> 11) / 9007199254740992.0;
    }
};
