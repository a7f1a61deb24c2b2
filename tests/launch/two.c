/* two.c -- a plain C program that links two translated files: add, then softmax, on a device or its emulation */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "01_add.h"
#include "04_softmax.h"

enum { M = 37, N = 1001 };
static int passed, failed;

static void check(const char *what, int good)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("two.c: %s: \"%s\"\n", what, tile_last_error());
}

/* The largest difference of y from the softmax of a + b, in double. */
static double worst(const float *y, const float *a, const float *b)
{
    double most = 0;
    for (int i = 0; i < M; i++) {
        double top = -INFINITY, sum = 0;
        for (int j = 0; j < N; j++)
            top = fmax(top, (double)(a[i * N + j] + b[i * N + j]));
        for (int j = 0; j < N; j++)
            sum += exp((double)(a[i * N + j] + b[i * N + j]) - top);
        for (int j = 0; j < N; j++)
            most = fmax(most, fabs(exp((double)(a[i * N + j] + b[i * N + j]) - top) / sum - y[i * N + j]));
    }
    return most;
}

int main(void)
{
    const size_t bytes = sizeof(float) * M * N;
    float *a = malloc(bytes), *b = malloc(bytes), *y[2] = { malloc(bytes), malloc(bytes) };
    float *da, *db, *dt, *dy;
    void *none;
    cudaStream_t stream;
    for (int i = 0; i < M * N; i++)
        a[i] = (float)(rand() % 2001 - 1000) / 200, b[i] = (float)(rand() % 2001 - 1000) / 500;
    check("allocation", cudaMalloc((void **)&da, bytes) == cudaSuccess && cudaMalloc((void **)&db, bytes) == cudaSuccess
          && cudaMalloc((void **)&dt, bytes) == cudaSuccess && cudaMalloc((void **)&dy, bytes) == cudaSuccess
          && cudaStreamCreate(&stream) == cudaSuccess);
    cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice);
    for (int round = 0; round < 2; round++) {
        cudaMalloc(&none, (size_t)1 << 60);                   /* leaves an error behind, which is not ours */
        check("add", add(dt, da, db, (int64_t)M * N, stream) == cudaSuccess);
        check("softmax", softmax(dy, dt, M, N, stream) == cudaSuccess);
        check("synchronise", cudaStreamSynchronize(stream) == cudaSuccess);
        cudaMemcpy(y[round], dy, bytes, cudaMemcpyDeviceToHost);
    }
    check("the result", worst(y[0], a, b) < 1e-6);
    check("the same bits twice", !memcmp(y[0], y[1], bytes));
    check("refused", softmax(dy, dy, M, N, stream) == cudaErrorInvalidValue && strstr(tile_last_error(), "overlap"));
    check("and forgotten", add(dt, da, db, 0, stream) == cudaSuccess && !*tile_last_error());
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
