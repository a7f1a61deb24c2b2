/* tile_launch.cpp -- a launch: is it allowed, and who runs its blocks */

#include <stdlib.h>
#include <string.h>
#include <mutex>
#include <thread>
#include "tile_emu.h"
#include "tile_launch.h"
#include "tile_scheduler.h"

/* Set here and in the scheduler; const to device code. */
extern "C" {
extern __thread uint3 blockDim, gridDim;
}

static std::mutex workers_lock;
static std::vector<TileWorker *> idle_workers;

/* A worker that nobody uses; its stacks are kept for the next one who takes it. */
static TileWorker *take_worker(void)
{
    std::lock_guard<std::mutex> hold(workers_lock);
    if (idle_workers.empty())
        return new TileWorker();
    TileWorker *const w = idle_workers.back();
    idle_workers.pop_back();
    return w;
}

static void give_worker(TileWorker *w)
{
    std::lock_guard<std::mutex> hold(workers_lock);
    idle_workers.push_back(w);
}

/* Runs blocks of the launch on this OS thread while there are any and errors are few. */
static void work(TileLaunch *l, const TileSchedule *s)
{
    TileWorker *const w = take_worker();
    w->launch = l;
    blockDim = l->config->blockDim;
    gridDim = l->config->gridDim;
    memset(w->cache, 0, sizeof w->cache);
    if (tile_checked)
        tile_load_shared(w);
    if (w->dynamic)
        w->dynamic->high = w->dynamic->low + l->config->dynamicSmemBytes;
    for (uint64_t n; (n = l->next_block++) < l->blocks && l->errors < 10000;)
        tile_run_block(w, n, s);
    give_worker(w);
}

/* Product of the extents if each is in 1 .. its limit, otherwise 0. */
static uint64_t volume(dim3 d, uint64_t x, uint64_t y, uint64_t z)
{
    return d.x <= x && d.y <= y && d.z <= z ? (uint64_t)d.x * d.y * d.z : 0;
}

/* Checks the cluster's extents, if the launch asks for one: the grid consists of whole clusters. */
static bool good_cluster(const cudaLaunchConfig_t *c)
{
    for (unsigned i = 0; i < c->numAttrs; i++) {
        if (c->attrs[i].id != cudaLaunchAttributeClusterDimension)
            continue;
        const auto d = c->attrs[i].val.clusterDim;
        if (d.x == 0 || d.y == 0 || d.z == 0 || (uint64_t)d.x * d.y * d.z > 16
            || c->gridDim.x % d.x || c->gridDim.y % d.y || c->gridDim.z % d.z)
            return false;
    }
    return true;
}

/* The error of a launch that cannot be, cudaSuccess otherwise. */
static cudaError_t check_launch(const cudaLaunchConfig_t *config, const void *kernel)
{
    if (!config || !kernel)
        return cudaErrorInvalidValue;
    if (!volume(config->gridDim, INT32_MAX, 65535, 65535) || !good_cluster(config))
        return cudaErrorInvalidConfiguration;
    const uint64_t threads = volume(config->blockDim, 1024, 1024, 64);
    if (threads == 0 || threads > TILE_MAX_THREADS)
        return cudaErrorInvalidConfiguration;
    if (config->dynamicSmemBytes > tile_dynamic_limit(kernel))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

cudaError_t tile_launch(const cudaLaunchConfig_t *config, const void *kernel, void (*call)(void *),
                        void *arguments)
{
    static std::atomic<uint64_t> writers{0};
    TileSchedule schedule;
    const cudaError_t refused = check_launch(config, kernel);
    if (refused || !tile_current_schedule(&schedule))
        return refused ? refused : cudaErrorInvalidValue;

    const unsigned threads = volume(config->blockDim, 1024, 1024, 64);
    const uint64_t blocks = volume(config->gridDim, INT32_MAX, 65535, 65535);
    TileLaunch launch = {config, kernel, call, arguments, threads, blocks,
                         writers.fetch_add(blocks * threads), {0}, {0}, {0}};
    const char *const wanted = getenv("TILE_EMU_THREADS");
    std::vector<std::thread> helpers;
    for (int i = 1; wanted && i < atoi(wanted) && (uint64_t)i < blocks; i++)
        helpers.emplace_back(work, &launch, &schedule);
    work(&launch, &schedule);
    for (std::thread &helper : helpers)
        helper.join();
    tile_flush_errors();
    const cudaError_t error = (cudaError_t)launch.error.load();
    return error ? tile_fail(error) : cudaSuccess;
}
