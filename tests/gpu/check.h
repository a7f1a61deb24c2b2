/* check.h -- counts what holds and what does not, from any thread */
#pragma once
#include <cuda_runtime.h>
#include <atomic>
#include <cstdio>

extern "C" const char *tile_last_error(void);

inline std::atomic<int> passed, failed, skipped;

inline bool check(bool good, const char *what, const char *file, int line)
{
    good ? passed++ : failed++;
    if (!good)
        printf("%s:%d: %s does not hold; \"%s\"\n", file, line, what, tile_last_error());
    return good;
}
#define CHECK(condition) check(condition, #condition, __FILE__, __LINE__)

/* The call succeeds. */
inline bool fine(cudaError_t status, const char *what, const char *file, int line)
{
    if (status != cudaSuccess)
        printf("%s:%d: %s\n", file, line, cudaGetErrorString(status));
    return check(status == cudaSuccess, what, file, line);
}
#define FINE(call) fine(call, #call, __FILE__, __LINE__)

inline void skip(const char *what)
{
    skipped++;
    printf("gpu: skipped, %s\n", what);
}

/* Each file's part. */
void first_use(void);           // streams.cpp: before anything else has used a kernel
void graphs(void);              // graph.cpp: its large kernel has its first use in a capture
void repeats(void);             // streams.cpp
void two_streams(void);
void order_in_a_stream(void);
void stale_errors(void);        // memory.cpp
void null_pointers(void);
void kinds_of_memory(void);
void host_memory(void);
void large_tensors(void);       // large.cpp
void devices(int first);        // devices.cpp
