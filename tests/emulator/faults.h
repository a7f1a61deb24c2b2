/* faults.h -- kernels that do one wrong thing, and what the emulator must say of each */
#ifndef FAULTS_H
#define FAULTS_H

#include <string>
#include <cuda_runtime.h>
#include "test.h"
#include "tile_emu.h"

constexpr unsigned N = 64;              // threads of the block, elements of y

/* What the first error of a launch of blocks of N threads says; look(y) sees the array. */
static std::string run(void (*kernel)(int *), bool fill, cudaError_t *error, unsigned blocks = 1,
                       void (*look)(int *) = NULL)
{
    const cudaLaunchConfig_t config = {dim3(blocks), dim3(N), 16, NULL, NULL, 0};
    int *y;
    tile_emu_reset();
    cudaMalloc(&y, N * sizeof *y);
    tile_emu_name(y, "y");
    if (fill)
        cudaMemset(y, 1, N * sizeof *y);
    *error = cudaLaunchKernelEx(&config, kernel, y);
    const std::string text = tile_emu_error(0) ? tile_emu_error(0) : "";
    if (look)
        look(y);
    cudaFree(y);
    return text;
}

struct Fault {
    void (*kernel)(int *);
    bool fill, needs_checks;
    cudaError_t error;
    const char *text;
    unsigned blocks = 1;
};

/* A test a fault: its launch returns the error and says the text. */
template <size_t COUNT>
static void test_faults(const Fault (&faults)[COUNT])
{
    tile_emu_verbose(0);
    for (const Fault &f : faults) {
        if (f.needs_checks && !tile_emu_checked())
            continue;
        cudaError_t error;
        const std::string text = run(f.kernel, f.fill, &error, f.blocks);
        const bool passed = error == f.error && text.find(f.text) != std::string::npos
                            && text.empty() == (f.error == cudaSuccess);
        test(passed ? *f.text ? f.text : "no error" : (std::string(f.text) + ", but it was: "
             + text + " " + cudaGetErrorName(error)).c_str(), passed);
    }
}

#endif
