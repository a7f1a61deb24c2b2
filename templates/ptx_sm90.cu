// ptx_sm90.cu -- instructions of sm_90 and sm_90a: barriers in memory, boxes of tensors, wgmma

// ---- named_barrier_sync
// Waits until `threads` threads, whole warps, came to barrier id, 1 to 15.
static __device__ __forceinline__ void named_barrier_sync(int id, int threads)
{
    asm volatile("bar.sync %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

// ---- named_barrier_arrive
// Comes to barrier id as named_barrier_sync, and does not wait.
static __device__ __forceinline__ void named_barrier_arrive(int id, int threads)
{
    asm volatile("bar.arrive %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

// ---- mbarrier_init
// Makes 8 bytes of shared memory a barrier whose every phase lasts for so many arrivals.
static __device__ __forceinline__ void mbarrier_init(uint64_t *barrier, unsigned arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(arrivals)
                 : "memory");
}

// ---- mbarrier_init_fence
// What mbarrier_init did is seen by copies and the cluster; a barrier of the block comes after it.
static __device__ __forceinline__ void mbarrier_init_fence(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// ---- mbarrier_expect
// An arrival at the barrier; its phase lasts until so many more bytes have been copied.
static __device__ __forceinline__ void mbarrier_expect(uint64_t *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes)
                 : "memory");
}

// ---- mbarrier_arrive
// An arrival at the barrier.
static __device__ __forceinline__ void mbarrier_arrive(uint64_t *barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(barrier))
                 : "memory");
}

// ---- mbarrier_wait
// Waits until the phase of this parity, that of the first being 0, is over.
static __device__ __forceinline__ void mbarrier_wait(uint64_t *barrier, unsigned parity)
{
    unsigned over;
    do
        asm volatile("{\n"
                     ".reg .pred over;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, over;\n"
                     "}"
                     : "=r"(over)
                     : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity)
                     : "memory");
    while (!over);
}

// ---- fence_async
// What this thread wrote to shared memory is seen by wgmma and by copies of boxes.
static __device__ __forceinline__ void fence_async(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// ---- stmatrix_x4
// The reverse of ldmatrix_x4: lane l gives the address of row l % 8 of matrix l / 8.
static __device__ __forceinline__ void stmatrix_x4(void *row, const unsigned (&r)[4])
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(row)), "r"(r[0]), "r"(r[1]), "r"(r[2]),
                   "r"(r[3])
                 : "memory");
}

// ---- elect_one
// True for one lane of the warp, which must be there as a whole.
static __device__ __forceinline__ bool elect_one(void)
{
    unsigned chosen;
    asm volatile("{\n"
                 ".reg .pred chosen;\n"
                 "elect.sync _|chosen, 0xffffffff;\n"
                 "selp.u32 %0, 1, 0, chosen;\n"
                 "}"
                 : "=r"(chosen));
    return chosen;
}

// ---- fewer_registers
// The four warps, all of which are here, give registers back until they have COUNT a thread.
template <int COUNT>
static __device__ __forceinline__ void fewer_registers(void)
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(COUNT));
}

// ---- more_registers
// The four warps wait until others gave back what they need for COUNT registers a thread.
template <int COUNT>
static __device__ __forceinline__ void more_registers(void)
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(COUNT));
}

// ---- cluster_rank
// The number of this block in its cluster.
static __device__ __forceinline__ unsigned cluster_rank(void)
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// ---- cluster_arrive
// Every thread of the cluster comes here, and to cluster_wait after it.
static __device__ __forceinline__ void cluster_arrive(void)
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

// ---- cluster_wait
// Waits until every thread of the cluster came to cluster_arrive.
static __device__ __forceinline__ void cluster_wait(void)
{
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// ---- grid_wait
// Waits until the kernel before this one in the stream is over, if this one may have begun early.
static __device__ __forceinline__ void grid_wait(void)
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

// ---- grid_launch_next
// The next kernel in the stream may begin, if its launch allows that.
static __device__ __forceinline__ void grid_launch_next(void)
{
    asm volatile("griddepcontrol.launch_dependents;");
}

// ---- box_at
// A coordinate of a box as TMA takes it. Tensors that it copies end before 2^30: what begins beyond
// that is outside, wherever it is.
static __device__ __forceinline__ int box_at(int64_t at)
{
    const int64_t most = 1 << 30;
    return (int)(at > most ? most : at < -most ? -most : at);
}

// ---- tma_load_2d
// Begins to copy the map's box from element (x, y) on, x along the rows, to shared memory at a
// multiple of 128; its bytes, zeros where the tensor has none, count for the barrier's phase.
static __device__ __forceinline__ void tma_load_2d(void *to, const CUtensorMap *map,
                                                   uint64_t *barrier, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4}], [%2];"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(map),
                   "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(x), "r"(y)
                 : "memory");
}

// ---- tma_load_3d
// As tma_load_2d, of a tensor of three axes.
static __device__ __forceinline__ void tma_load_3d(void *to, const CUtensorMap *map,
                                                   uint64_t *barrier, int x, int y, int z)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4, %5}], [%2];"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(map),
                   "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(x), "r"(y), "r"(z)
                 : "memory");
}

// ---- tma_load_4d
// As tma_load_2d, of a tensor of four axes.
static __device__ __forceinline__ void tma_load_4d(void *to, const CUtensorMap *map,
                                                   uint64_t *barrier, int x, int y, int z, int u)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4, %5, %6}], [%2];"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(map),
                   "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(x), "r"(y), "r"(z), "r"(u)
                 : "memory");
}

// ---- tma_load_5d
// As tma_load_2d, of a tensor of five axes.
static __device__ __forceinline__ void tma_load_5d(void *to, const CUtensorMap *map,
                                                   uint64_t *barrier, int x, int y, int z, int u,
                                                   int v)
{
    asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%3, %4, %5, %6, %7}], [%2];"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(to)), "l"(map),
                   "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(x), "r"(y), "r"(z),
                   "r"(u), "r"(v)
                 : "memory");
}

// ---- tma_store_2d
// Begins to copy shared memory, after fence_async, to the box from (x, y) on; what lies outside of
// the tensor is cut off.
static __device__ __forceinline__ void tma_store_2d(const CUtensorMap *map, const void *from,
                                                    int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];"
                 :
                 : "l"(map), "r"((unsigned)__cvta_generic_to_shared(from)), "r"(x), "r"(y)
                 : "memory");
}

// ---- tma_store_3d
// As tma_store_2d, of a tensor of three axes.
static __device__ __forceinline__ void tma_store_3d(const CUtensorMap *map, const void *from,
                                                    int x, int y, int z)
{
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];"
                 :
                 : "l"(map), "r"((unsigned)__cvta_generic_to_shared(from)), "r"(x), "r"(y), "r"(z)
                 : "memory");
}

// ---- tma_store_commit
// The stores that this thread began since the last commit are a group.
static __device__ __forceinline__ void tma_store_commit(void)
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// ---- tma_store_wait_read
// Waits until of all groups of this thread but the PENDING latest the shared memory is free again.
template <int PENDING>
static __device__ __forceinline__ void tma_store_wait_read(void)
{
    asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(PENDING) : "memory");
}

// ---- tma_store_wait
// Waits until all groups of this thread but the PENDING latest are stored.
template <int PENDING>
static __device__ __forceinline__ void tma_store_wait(void)
{
    asm volatile("cp.async.bulk.wait_group %0;" : : "n"(PENDING) : "memory");
}

// ---- wgmma_tile
// Names a tile in shared memory, swizzled by 128 bytes, to wgmma. If k lies along its rows of 128
// bytes, `stride` is from eight rows to the next eight: 1024. Turned, with 64 elements of one k a
// row, `stride` is the same along k, and `leading` from 64 elements to the next.
static __device__ __forceinline__ uint64_t wgmma_tile(const void *tile, unsigned leading,
                                                      unsigned stride)
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(tile);
    return (uint64_t)((at & 0x3ffff) >> 4) | (uint64_t)(leading >> 4) << 16
           | (uint64_t)(stride >> 4) << 32 | (uint64_t)1 << 62;
}

// ---- wgmma_fence
// What the warps did to their sums and fragments so far comes before the next wgmma.
static __device__ __forceinline__ void wgmma_fence(void)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

// ---- wgmma_commit
// The products that were begun since the last commit are a group.
static __device__ __forceinline__ void wgmma_commit(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// ---- wgmma_wait
// Waits until all groups but the PENDING latest are done: their sums are there, their tiles free.
template <int PENDING>
static __device__ __forceinline__ void wgmma_wait(void)
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(PENDING) : "memory");
}

// ---- wgmma_sums
// What wgmma did to the sums is known from here on, behind wgmma_wait: they are not read before.
template <int ROWS, int COLS>
static __device__ __forceinline__ void wgmma_sums(float (&sums)[ROWS][COLS][2])
{
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
#pragma unroll
        for (int j = 0; j < COLS; j++)
            asm volatile("" : "+f"(sums[i][j][0]), "+f"(sums[i][j][1]) : : "memory");
    }
}
