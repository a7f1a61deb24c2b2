/* tile_async.h -- twins of cp.async: what is copied arrives as late as it may */
#ifndef TILE_ASYNC_H
#define TILE_ASYNC_H

#include "tile_tensor.h"

/* Reads now what the copy brings, and spoils what stands where it will arrive. (Of memcpy, unlike
 * memset, g++ makes an access that the checks see.) */
template <typename Unit>
static inline void tile_cp_async(void *shared, const void *global, bool there, const char *name,
                                 const char *file, int line)
{
    Unit unit = {}, spoilt;
    tile_demand_shared(shared, sizeof unit, name, file, line);
    tile_demand_global(global, sizeof unit, name, file, line);
    if (there)
        memcpy(&unit, global, sizeof unit);
    memset(&spoilt, 0xff, sizeof spoilt);
    memcpy(shared, &spoilt, sizeof spoilt);
    tile_copy_begin(shared, &unit, sizeof unit);
}

static __device__ __forceinline__ void cp_async_16(void *shared, const void *global, bool there,
                                                   TILE_HERE)
{
    tile_cp_async<uint4>(shared, global, there, "cp_async_16", file, line);
}
static __device__ __forceinline__ void cp_async_8(void *shared, const void *global, bool there,
                                                  TILE_HERE)
{
    tile_cp_async<uint2>(shared, global, there, "cp_async_8", file, line);
}
static __device__ __forceinline__ void cp_async_4(void *shared, const void *global, bool there,
                                                  TILE_HERE)
{
    tile_cp_async<unsigned>(shared, global, there, "cp_async_4", file, line);
}
static __device__ __forceinline__ void cp_async_commit(void)
{
    tile_copy_commit();
}

/* What arrives is written here, each by an access of its size: such the checks see. */
template <int PENDING>
static __device__ __forceinline__ void cp_async_wait(void)
{
    TileCopy copy;
    while (tile_copy_next(PENDING, &copy))
        switch (copy.size) {
        case 16: memcpy(copy.to, copy.bytes, 16); break;
        case 8: memcpy(copy.to, copy.bytes, 8); break;
        default: memcpy(copy.to, copy.bytes, 4);
        }
}

#endif
