/* tensor_faults.cu -- wrong uses of ldmatrix, mma.sync and cp.async; the emulator must say which */

#include "faults.h"

/* ---- ldmatrix, mma.sync ---- */

/* Each thread writes a row of eight elements. */
__device__ static void fill(int4 *rows) { rows[threadIdx.x] = make_int4(1, 2, 3, 4); }

__global__ void matrix_read(int *y)
{
    __shared__ int4 rows[N];
    unsigned r[4];
    fill(rows);
    __syncwarp();
    ldmatrix_x4(r, &rows[threadIdx.x]);
    y[threadIdx.x] = r[0];
}

__global__ void matrix_early(int *y)
{
    __shared__ int4 rows[N];
    unsigned r[4];
    fill(rows);
    ldmatrix_x4(r, &rows[threadIdx.x & ~1u]);
    y[threadIdx.x] = r[0];
}

__global__ void matrix_empty(int *y)
{
    __shared__ int4 rows[N];
    unsigned r[2];
    if (threadIdx.x != 9)
        fill(rows);
    __syncthreads();
    ldmatrix_x2(r, &rows[threadIdx.x]);
    y[threadIdx.x] = r[0];
}

__global__ void matrix_half_used(int *y)
{
    __shared__ int4 rows[16];
    unsigned r[2];
    if (threadIdx.x < 16)
        fill(rows);
    __syncthreads();
    ldmatrix_x2(r, threadIdx.x % 32 < 16 ? &rows[threadIdx.x % 16] : NULL);
    y[threadIdx.x] = r[0];
}

__global__ void matrix_after(int *y)
{
    extern __shared__ __align__(1024) unsigned char smem[];
    unsigned r[4];
    ldmatrix_x4_trans(r, &smem[16]);
    y[threadIdx.x] = r[0];
}

__global__ void matrix_odd(int *y)
{
    __shared__ int4 rows[N];
    unsigned r[4];
    fill(rows);
    __syncthreads();
    ldmatrix_x4(r, (char *)rows + 8);
    y[threadIdx.x] = r[0];
}

__global__ void matrix_global(int *y)
{
    unsigned r[4];
    ldmatrix_x4(r, y);
    y[threadIdx.x] = r[0];
}

__global__ void matrix_apart(int *y)
{
    float sum[2][2] = {};
    const unsigned a[4] = {};
    if (threadIdx.x != 5)
        mma_f16(sum[0], sum[1], a, 0, 0);
    else
        mma_bf16(sum[0], sum[1], a, 0, 0);
    y[threadIdx.x] = (int)sum[0][0];
}

__global__ void matrix_left(int *y)
{
    float sum[2][2] = {};
    const unsigned a[4] = {};
    if (threadIdx.x == 5)
        return;
    mma_f16(sum[0], sum[1], a, 0, 0);
    y[threadIdx.x] = (int)sum[0][0];
}

/* ---- cp.async: one warp copies, both read ---- */

template <int PENDING>
__device__ static void copy(int *to, const int *y, int from, bool there = true)
{
    if (threadIdx.x < 32) {
        cp_async_4(&to[threadIdx.x], &y[from + (int)threadIdx.x], there);
        cp_async_commit();
        cp_async_wait<PENDING>();
    }
}

__global__ void copied(int *y)
{
    __shared__ int cells[32];
    copy<0>(cells, y, 0);
    __syncthreads();
    const int t = cells[threadIdx.x % 32];
    __syncthreads();
    copy<0>(cells, y, N, false);                        // not there: not read
    __syncthreads();
    y[threadIdx.x] = t + cells[threadIdx.x % 32];
}

__global__ void copy_not_awaited(int *y)
{
    __shared__ int cells[32];
    copy<1>(cells, y, 0);
    __syncthreads();
    y[threadIdx.x] = cells[threadIdx.x % 32];
}

__global__ void copy_not_committed(int *y)
{
    __shared__ int cells[N];
    cp_async_4(&cells[threadIdx.x], &y[threadIdx.x], true);
    cp_async_wait<0>();
    y[threadIdx.x] = cells[threadIdx.x];
}

__global__ void copy_no_barrier(int *y)
{
    __shared__ int cells[32];
    copy<0>(cells, y, 0);
    if (threadIdx.x < 32)
        y[threadIdx.x] = cells[threadIdx.x & ~1u];
}

__global__ void copy_over_reader(int *y)
{
    __shared__ int cells[32];
    copy<0>(cells, y, 0);
    __syncthreads();
    const int t = cells[threadIdx.x % 32];
    if (threadIdx.x >= 32)
        y[threadIdx.x] = t;
    __nanosleep(0);                                     // the other warp has read
    copy<0>(cells, y, 0);
}

__global__ void copy_and_write(int *y)
{
    __shared__ int cells[32];
    copy<1>(cells, y, 0);
    if (threadIdx.x < 32)
        cells[threadIdx.x] = 1;
}

__global__ void copy_twice(int *y)
{
    __shared__ int cells[32];
    copy<1>(cells, y, 0);
    copy<0>(cells, y, 0);
}

__global__ void copy_from_after(int *y)
{
    __shared__ int cells[32];
    copy<0>(cells, y, N - 31);
}

__global__ void copy_to_after(int *y)
{
    extern __shared__ __align__(1024) unsigned char smem[];
    copy<0>((int *)smem, y, 0);
}

__global__ void copy_odd(int *y)
{
    __shared__ __align__(16) int cells[N + 4];
    cp_async_8(&cells[1], y, true);
}

__global__ void copy_of_odd(int *y)
{
    __shared__ __align__(16) int cells[N + 4];
    cp_async_16(cells, y + 2, true);
}

__global__ void copy_to_global(int *y)
{
    cp_async_4(y, y, true);
}

__global__ void copy_of_shared(int *)
{
    __shared__ int cells[32];
    cp_async_4(cells, cells, true);
}

/* ---- barriers of some warps, mbarriers ---- */

/* The first warp writes, the second reads; one comes to a barrier, the other waits there. */
__device__ static void pass_on(int *y, void (*come)(void), void (*wait)(void))
{
    __shared__ int cells[32];
    for (int k = 0; k < 2; k++) {
        if (threadIdx.x < 32) {
            cells[threadIdx.x] = k;
            come();
        } else {
            wait();
            y[threadIdx.x] = cells[63 - threadIdx.x];
        }
        __syncthreads();
    }
}

__global__ void named(int *y)
{
    pass_on(y, [] { named_barrier_arrive(3, 64); }, [] { named_barrier_sync(3, 64); });
}

__global__ void named_apart(int *y)
{
    pass_on(y, [] { named_barrier_arrive(3, 32); }, [] { named_barrier_sync(4, 32); });
}

__global__ void named_zero(int *) { named_barrier_sync(0, 64); }
__global__ void named_many(int *) { named_barrier_sync(1, 96); }

__global__ void phases(int *y)
{
    __shared__ uint64_t barrier;
    __shared__ int cells[32];
    if (threadIdx.x == 0)
        mbarrier_init(&barrier, 32);
    __syncthreads();
    for (int k = 0; k < 3; k++) {
        if (threadIdx.x < 32) {
            cells[threadIdx.x] = k;
            mbarrier_arrive(&barrier);
        } else {
            mbarrier_wait(&barrier, k & 1);
            y[threadIdx.x] = cells[63 - threadIdx.x];
        }
        __syncthreads();
    }
}

__global__ void phases_early(int *y)
{
    __shared__ uint64_t barrier;
    __shared__ int cells[32];
    if (threadIdx.x == 0)
        mbarrier_init(&barrier, 32);
    __syncthreads();
    if (threadIdx.x < 32) {
        mbarrier_arrive(&barrier);
        cells[threadIdx.x] = 1;
    } else {
        mbarrier_wait(&barrier, 0);
        y[threadIdx.x] = cells[63 - threadIdx.x];
    }
}

static const Fault faults[] = {
    {named, true, true, cudaSuccess, ""},
    {named_apart, true, true, cudaErrorLaunchFailure, "race: "},
    {named_zero, true, false, cudaErrorLaunchFailure, "it takes barriers 1 to 15 and whole warps"},
    {named_many, true, false, cudaErrorLaunchTimeout, "waits for memory that nobody changes"},
    {phases, true, true, cudaSuccess, ""},
    {phases_early, true, true, cudaErrorLaunchFailure, "race: "},
    {matrix_read, true, true, cudaSuccess, ""},
    {matrix_early, true, true, cudaErrorLaunchFailure, "race: read of 16 bytes that thread"},
    {matrix_empty, true, true, cudaErrorIllegalAddress,
     "read of 16 bytes that nobody wrote: shared rows [1024 bytes] + 144"},
    {matrix_half_used, true, true, cudaSuccess, ""},
    {matrix_after, true, true, cudaErrorIllegalAddress, "read of 16 bytes outside of all arrays: shared smem [16 bytes] + 16"},
    {matrix_odd, true, false, cudaErrorMisalignedAddress, "ldmatrix_x4 needs a multiple of 16 bytes"},
    {matrix_global, true, false, cudaErrorIllegalAddress,
     "ldmatrix_x4 needs a shared address: y [256 bytes] + 0"},
    {matrix_apart, true, false, cudaErrorLaunchTimeout,
     "mma_f16 with mask 0xffffffff waits for thread (5, 0, 0), which is in line"},
    {matrix_left, true, false, cudaErrorLaunchFailure,
     "mma_f16 is for whole warps, and lane 5 has exited"},
    {copied, true, true, cudaSuccess, ""},
    {copy_not_awaited, true, true, cudaErrorLaunchFailure,
     "read of 4 bytes to which an asynchronous copy is on its way: shared cells"},
    {copy_not_committed, true, true, cudaErrorLaunchFailure,
     "read of 4 bytes to which an asynchronous copy is on its way: shared cells"},
    {copy_no_barrier, true, true, cudaErrorLaunchFailure, "race: read of 4 bytes that thread"},
    {copy_over_reader, true, true, cudaErrorLaunchFailure, "race: write of 4 bytes that thread"},
    {copy_and_write, true, true, cudaErrorLaunchFailure,
     "write of 4 bytes to which an asynchronous copy is on its way: shared cells"},
    {copy_twice, true, true, cudaErrorLaunchFailure,
     "write of 4 bytes to which an asynchronous copy is on its way: shared cells"},
    {copy_from_after, true, true, cudaErrorIllegalAddress, "y [256 bytes] + 256"},
    {copy_to_after, true, true, cudaErrorIllegalAddress, "outside of all arrays: shared smem [16 bytes] + 16"},
    {copy_odd, true, false, cudaErrorMisalignedAddress, "cp_async_8 needs a multiple of 8 bytes"},
    {copy_of_odd, true, false, cudaErrorMisalignedAddress,
     "cp_async_16 needs a multiple of 16 bytes: y [256 bytes] + 8"},
    {copy_to_global, true, false, cudaErrorIllegalAddress,
     "cp_async_4 needs a shared address: y [256 bytes] + 0"},
    {copy_of_shared, true, true, cudaErrorIllegalAddress, "cp_async_4 needs a global address"},
};

int main(void)
{
    test_faults(faults);
    return 0;
}
