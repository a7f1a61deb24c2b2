/* faults.cu -- each kernel does one thing that a GPU punishes; the emulator must say which */

#include "faults.h"

__device__ const int primes[4] = {2, 3, 5, 7};
__device__ int counter;

__global__ void good(int *y) { y[threadIdx.x] = primes[threadIdx.x % 4] + counter; }
__global__ void read_after(int *y) { y[threadIdx.x] = y[threadIdx.x + 1 == N ? N : threadIdx.x]; }
__global__ void write_before(int *y) { y[(int)threadIdx.x - 1] = 1; }
__global__ void misaligned(int *y) { *(int2 *)&y[threadIdx.x % 2] = make_int2(1, 2); }
__global__ void atomic_after(int *y) { atomicAdd(&y[threadIdx.x + 1], 1); }
__global__ void unwritten(int *y) { y[threadIdx.x] = y[(threadIdx.x + 1) % N]; }
__global__ void twice(int *y) { y[threadIdx.x / 2] = 1; }
__global__ void again(int *y) { ((volatile int *)y)[threadIdx.x] = 1; y[threadIdx.x] = 2; }
__global__ void trap(int *y) { if (y[threadIdx.x] != 1) __trap(); }
__global__ void wild(int *y) { y[threadIdx.x] = *(int *)(size_t)64; }

__global__ void shared_after(int *y)
{
    __shared__ int cells[N];
    int *const next = cells + 1;
    next[threadIdx.x] = 1;
    __syncthreads();
    y[threadIdx.x] = cells[threadIdx.x];
}

__global__ void dynamic_after(int *y)
{
    extern __shared__ __align__(1024) unsigned char smem[];
    smem[threadIdx.x] = 1;
    y[threadIdx.x] = smem[threadIdx.x];
}

__global__ void no_barrier(int *y)
{
    __shared__ int cells[N];
    cells[threadIdx.x] = 1;
    y[threadIdx.x] = cells[N - 1 - threadIdx.x];
}

__global__ void index_after(int *y)
{
    int cells[4] = {1, 2, 3, 4};
    y[threadIdx.x] = cells[threadIdx.x % 8];
}

__global__ void half_barrier(int *y)
{
    if (threadIdx.x < 32)
        __syncthreads();
    y[threadIdx.x] = 1;
}

__global__ void two_barriers(int *y)
{
    if (y[threadIdx.x] && threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
}

__global__ void lane_missing(int *y)
{
    if (threadIdx.x == 5)
        __syncthreads();
    y[threadIdx.x] = __shfl_xor_sync(~0u, 1, 1);
    if (threadIdx.x != 5)
        __syncthreads();
}

__global__ void other_mask(int *y)
{
    y[threadIdx.x] = __shfl_xor_sync(threadIdx.x == 3 ? 0xffffu : ~0u, 1, 1);
}

__global__ void not_in_mask(int *y) { y[threadIdx.x] = __shfl_xor_sync(0xffff, 1, 1); }

__global__ void reads_exited(int *y)
{
    if (threadIdx.x % 32 == 31)
        return;
    y[threadIdx.x] = __shfl_down_sync(~0u, 1, 1);
}

/* ---- races: one warp, global memory ---- */

__global__ void lanes_read(int *y)
{
    y[threadIdx.x] = 2;
    y[threadIdx.x ^ 1] += 1;
}

__global__ void lanes_read_apart(int *y)
{
    y[threadIdx.x] = 2;
    __shfl_xor_sync(~0u, 1, 1);                         // orders no memory
    if (threadIdx.x == 7)
        y[0] = y[8];
}

__global__ void lanes_overwrite(int *y)
{
    const int t = y[threadIdx.x ^ 1];
    y[threadIdx.x] = t;
}

__global__ void lanes_met(int *y)
{
    for (int k = 0; k < 3; k++) {
        const int t = y[threadIdx.x ^ 1];
        __syncwarp();
        y[threadIdx.x] = t;
        __syncwarp();
    }
}

__global__ void pairs_met(int *y)
{
    const unsigned pair = 3u << threadIdx.x % 32 / 2 * 2;
    y[threadIdx.x] = 2;
    __syncwarp(pair);
    const int t = y[threadIdx.x ^ 1];
    __syncwarp(pair);
    y[threadIdx.x] = t;
}

__global__ void others_met(int *y)
{
    y[threadIdx.x] = 2;
    __syncwarp(3u << threadIdx.x % 32 / 2 * 2);
    const int t = y[threadIdx.x ^ 2];
    __syncwarp();
    y[threadIdx.x] = t;
}

/* ---- races: warps ---- */

__global__ void warps_read(int *y)
{
    y[threadIdx.x] = 2;
    __syncwarp();
    const int t = y[threadIdx.x ^ 32];
    __syncthreads();
    y[threadIdx.x] = t;
}

__global__ void warps_met(int *y)
{
    y[threadIdx.x] = 2;
    __syncthreads();
    const int t = y[threadIdx.x ^ 32];
    __syncthreads();
    y[threadIdx.x] = t;
}

__global__ void both_warps_read(int *y)
{
    __shared__ int cell;
    for (int k = 0; k < 2; k++) {
        if (threadIdx.x == 0)
            cell = y[k];
        __syncthreads();
        y[threadIdx.x] = cell;                          // and again the first warp writes it
    }
}

__global__ void written_by_all(int *y)
{
    y[threadIdx.x % 2] = 1;
}

/* ---- races: atomics ---- */

__global__ void atomics_meet(int *y)
{
    atomicAdd(&y[0], 1);
    atomicMax(&y[0], 1);
    __syncthreads();
    if (threadIdx.x > 0)
        y[threadIdx.x] = y[0];
}

__global__ void atomic_then_read(int *y)
{
    atomicAdd(&y[threadIdx.x % 2], 1);
    if (threadIdx.x == 40)
        y[40] = y[1];
}

__global__ void read_then_atomic(int *y)
{
    if (y[0])
        atomicAdd(&y[1], 1);
    if (threadIdx.x == 40)
        atomicAdd(&y[0], 1);
}

__global__ void written_then_atomic(int *y)
{
    if (threadIdx.x == 0)
        y[0] = 0;
    atomicAdd(&y[0], 1);
}

__global__ void atomic_overwritten(int *y)
{
    __shared__ int cell;
    if (threadIdx.x == 0)
        cell = 0;
    __syncthreads();
    atomicAdd(&cell, 1);
    if (threadIdx.x == 0)
        cell = y[0];
}

__global__ void lanes_count(int *y)
{
    __shared__ int cells[N / 32];
    int *const cell = &cells[threadIdx.x / 32];
    if (threadIdx.x % 32 == 0)
        *cell = 0;
    __syncwarp();
    atomicAdd(cell, 1);
    __syncwarp();
    y[threadIdx.x] = *cell;
}

/* ---- races: blocks ---- */

__global__ void blocks_apart(int *y) { if (threadIdx.x % 2) y[threadIdx.x - blockIdx.x] = 1; }
__global__ void blocks_write(int *y) { if (threadIdx.x == blockIdx.x) y[7] = 1; }
__global__ void blocks_add(int *y) { atomicAdd(&y[threadIdx.x], 1); }

__global__ void blocks_share(int *y)
{
    __shared__ int cells[N];
    cells[threadIdx.x] = 1;
    __syncthreads();
    if (y[threadIdx.x] && cells[threadIdx.x ^ 1] != 1)
        __trap();
}

__global__ void block_reads(int *y)
{
    if (blockIdx.x == 0)
        y[threadIdx.x] = 2;
    else if (threadIdx.x == 1 && y[33])
        __threadfence();
}

__global__ void block_overwrites(int *y)
{
    const int t = y[threadIdx.x ^ 1];
    __syncthreads();
    if (blockIdx.x == 1)
        y[threadIdx.x] = t;
}

__global__ void block_reads_count(int *y)
{
    if (blockIdx.x == 0)
        atomicAdd(&y[3], 1);
    else if (y[3])
        __threadfence();
}

static const Fault faults[] = {
    {good, false, false, cudaSuccess, ""},
    {read_after, true, true, cudaErrorIllegalAddress,
     "read of 4 bytes outside of all arrays: y [256 bytes] + 256"},
    {write_before, true, true, cudaErrorIllegalAddress,
     "y [256 bytes] - 4; block (0, 0, 0), thread (0, 0, 0)"},
    {misaligned, true, true, cudaErrorMisalignedAddress, "y [256 bytes] + 4"},
    {atomic_after, true, true, cudaErrorIllegalAddress,
     "outside of all arrays: y [256 bytes] + 256"},
    {unwritten, false, true, cudaErrorIllegalAddress,
     "that nobody wrote: y [256 bytes]"},
    {twice, false, true, cudaErrorLaunchFailure,
     "race: write of 4 bytes that thread (0, 0, 0) wrote, and no barrier between: y [256 bytes] + 0"},
    {trap, true, false, cudaErrorLaunchFailure, "__trap()"},
    {wild, true, true, cudaErrorIllegalAddress, "address 0x40"},
    {shared_after, true, true, cudaErrorIllegalAddress,
     "shared cells [256 bytes] + 256"},
    {dynamic_after, true, true, cudaErrorIllegalAddress, "shared smem [16 bytes] + 16"},
    {no_barrier, true, true, cudaErrorIllegalAddress,
     "that nobody wrote: shared cells"},
    {index_after, true, true, cudaErrorIllegalAddress,
     "index 4 is outside of 'int [4]'"},
    {half_barrier, true, false, cudaErrorLaunchTimeout,
     "__syncthreads waits for thread (32, 0, 0), which has exited"},
    {two_barriers, true, false, cudaErrorLaunchTimeout,
     "__syncthreads waits for thread (32, 0, 0), which is in line"},
    {lane_missing, true, false, cudaErrorLaunchTimeout,
     "mask 0xffffffff waits for thread (5, 0, 0)"},
    {other_mask, true, false, cudaErrorLaunchTimeout,
     "waits for thread (3, 0, 0), which is in line"},
    {not_in_mask, true, false, cudaErrorLaunchFailure,
     "which its mask 0x0000ffff leaves out"},
    {lanes_read, true, true, cudaErrorLaunchFailure, "race: "},
    {lanes_read_apart, true, true, cudaErrorLaunchFailure,
     "race: read of 4 bytes that thread (8, 0, 0) wrote, and no barrier between: y [256 bytes] + 32"},
    {lanes_overwrite, true, true, cudaErrorLaunchFailure,
     "and no barrier between: y [256 bytes]"},
    {lanes_met, true, true, cudaSuccess, ""},
    {pairs_met, true, true, cudaSuccess, ""},
    {others_met, true, true, cudaErrorLaunchFailure, "race: read of 4 bytes that thread"},
    {warps_read, true, true, cudaErrorLaunchFailure, "race: "},
    {warps_met, true, true, cudaSuccess, ""},
    {both_warps_read, true, true, cudaErrorLaunchFailure,
     "and no barrier between: shared cell"},
    {written_by_all, true, true, cudaErrorLaunchFailure,
     "race: write of 4 bytes that thread (0, 0, 0) wrote"},
    {reads_exited, true, false, cudaErrorLaunchFailure,
     "__shfl_down_sync reads lane 31"},
    {atomic_then_read, true, true, cudaErrorLaunchFailure,
     "race: read of 4 bytes that thread (39, 0, 0) wrote, and no barrier between: y [256 bytes] + 4"},
    {read_then_atomic, true, true, cudaErrorLaunchFailure,
     "race: atomic of 4 bytes that thread "},
    {written_then_atomic, true, true, cudaErrorLaunchFailure,
     "race: atomic of 4 bytes that thread (0, 0, 0) wrote, and no barrier between: y [256 bytes] + 0"},
    {atomic_overwritten, true, true, cudaErrorLaunchFailure, "between: shared cell"},
    {lanes_count, true, true, cudaSuccess, ""},
    {blocks_apart, true, true, cudaSuccess, "", 2},
    {blocks_write, true, true, cudaErrorLaunchFailure,
     "race: write of 4 bytes that thread (0, 0, 0) of block 0 wrote", 2},
    {blocks_share, true, true, cudaSuccess, "", 3},
    {blocks_add, true, true, cudaSuccess, "", 3},
    {block_reads, true, true, cudaErrorLaunchFailure,
     "race: read of 4 bytes that thread (33, 0, 0) of block 0 wrote", 2},
    {block_overwrites, true, true, cudaErrorLaunchFailure,
     "of block 0 read, and no barrier", 2},
    {block_reads_count, true, true, cudaErrorLaunchFailure,
     "of block 0 wrote, and no barrier between: y [256 bytes] + 12", 2},
    {warps_met, true, true, cudaErrorLaunchFailure, "of block 0 wrote", 2},
    {atomics_meet, true, true, cudaSuccess, ""},
};

/* Launches a kernel twice on an array that no launch may write twice; the first error. */
static std::string run_once(void (*kernel)(int *))
{
    static int cells[N];
    const cudaLaunchConfig_t config = {dim3(1), dim3(N), 0, NULL, NULL, 0};
    tile_emu_reset();
    tile_emu_register(cells, sizeof cells, "cells", TILE_EMU_ONCE);
    for (int i = 0; i < 2; i++)
        cudaLaunchKernelEx(&config, kernel, (int *)cells);
    const std::string text = tile_emu_error(0) ? tile_emu_error(0) : "";
    tile_emu_unregister(cells);
    return text;
}

static void test_once(void)
{
    const char *const wrong = "second write of 4 bytes in one launch: cells [256 bytes]";
    cudaError_t error;
    run(twice, false, &error, 1, [](int *y) {
        test("written twice", tile_emu_written_twice(y) == N * 2 && tile_emu_unwritten(y) == N * 2);
    });
    test("each element once a launch", run_once(good).empty());
    test("an element by two threads", run_once(twice).find(wrong) != std::string::npos);
    test("an element by one thread twice", run_once(again).find(wrong) != std::string::npos);
}

/* What is said of an array whose shape is known: which elements nobody wrote, and where one is. */
static void test_shape(void)
{
    static int cells[N + 2];
    const int64_t extents[] = {11, 2, 3};
    const cudaLaunchConfig_t config = {dim3(1), dim3(N), 0, NULL, NULL, 0};
    char place[20] = "";
    tile_emu_reset();
    tile_emu_register(cells, sizeof cells, "cells", TILE_EMU_EMPTY);
    test("no shape", tile_emu_missed(cells, place, sizeof place) == -1);
    tile_emu_shape(cells, sizeof *cells, 3, extents);
    test("nobody came", tile_emu_missed(cells, place, sizeof place) == N + 2);
    cudaLaunchKernelEx(&config, good, (int *)cells);
    const bool two = tile_emu_missed(cells, place, sizeof place) == 2;
    test("missed the last two", two && !strcmp(place, "10, 1, 1"));
    tile_emu_promise(cells, TILE_EMU_READONLY);
    cudaLaunchKernelEx(&config, good, (int *)cells);
    const char *const text = tile_emu_error(0);
    test("element by index", text && strstr(text, "read-only array: cells[0, 0, 0]"));
    tile_emu_unregister(cells);
}

int main(void)
{
    tile_emu_verbose(0);
    if (tile_emu_checked())
        test_shape();
    if (tile_emu_checked())
        test_once();
    test_faults(faults);
    return 0;
}
