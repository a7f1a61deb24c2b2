/* softmax_test.cpp -- a translated file over many shapes, against a reference in double */

#include <math.h>
#include <stdlib.h>
#include <string>
#include <vector>
#include "softmax.h"
#include "test.h"
#include "tile_emu.h"

/* The largest relative error of y, the softmax of the rows of x. */
static double worst_error(const float *y, const float *x, int64_t M, int64_t N)
{
    double worst = 0;
    for (int64_t i = 0; i < M; i++, x += N, y += N) {
        double top = -INFINITY, sum = 0;
        for (int64_t j = 0; j < N; j++)
            top = fmax(top, x[j]);
        for (int64_t j = 0; j < N; j++)
            sum += exp(x[j] - top);
        for (int64_t j = 0; j < N; j++)
            worst = fmax(worst, isnan(y[j]) ? INFINITY : fabs(y[j] / (exp(x[j] - top) / sum) - 1));
    }
    return worst;
}

/* Runs one shape with arrays off cells into aligned memory; says all that is wrong. */
static std::string run(int64_t M, int64_t N, int off)
{
    float *const x = (float *)aligned_alloc(256, (M * N + off) * 4 + 255 & ~255);
    float *const y = (float *)aligned_alloc(256, (M * N + off) * 4 + 255 & ~255);
    for (int64_t i = 0; i < M * N; i++)
        x[off + i] = (float)drand48() * 20 - 10;
    tile_emu_register(x + off, M * N * 4, "x", TILE_EMU_READONLY);
    tile_emu_register(y + off, M * N * 4, "y", TILE_EMU_EMPTY);
    const cudaError_t error = softmax(y + off, x + off, M, N, NULL);
    std::string wrong;
    if (error || tile_emu_errors())
        wrong = cudaGetErrorName(error);
    else if (!(worst_error(y + off, x + off, M, N) < 4e-6))
        wrong = "wrong result";
    else if (tile_emu_checked() && (tile_emu_unwritten(y + off) || tile_emu_written_twice(y + off)))
        wrong = "not every element is written exactly once";
    for (int i = 0; tile_emu_error(i); i++)
        wrong += std::string("; ") + tile_emu_error(i);
    tile_emu_unregister(x + off);
    tile_emu_unregister(y + off);
    tile_emu_reset();
    free(x);
    free(y);
    return wrong;
}

/* A test a shape; with an argument one test, that a shape's trouble is this one. */
int main(int argc, char **argv)
{
    static const struct { int64_t M, N; int off; } shapes[] = {
        {5, 1000, 0}, {7, 781, 0}, {3, 9000, 0}, {1, 1, 0}, {4, 252, 0}, {5, 8192, 0}, {9, 4, 0},
        {4, 1024, 1}, {33, 31, 0}, {0, 7, 0}, {300, 96, 0},
    };
    std::string all;
    tile_emu_verbose(0);
    for (const auto &s : shapes) {
        const std::string wrong = run(s.M, s.N, s.off);
        all += wrong;
        if (argc < 2)
            test(("softmax " + std::to_string(s.M) + "x" + std::to_string(s.N) + (wrong.empty() ? ""
                  : ": " + wrong)).c_str(), wrong.empty());
    }
    if (argc == 2)
        test(("softmax: " + std::string(argv[1]) + (all.find(argv[1]) != std::string::npos ? ""
              : ", but it was: " + all)).c_str(), all.find(argv[1]) != std::string::npos);
    return 0;
}
