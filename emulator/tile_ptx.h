/* tile_ptx.h -- C++ twins of the instructions that translated files write as inline PTX */
#ifndef TILE_PTX_H
#define TILE_PTX_H

#include <math.h>

/* ---- max.NaN, min.NaN --------------------------------------------------------------- */

/* Larger of two, as IEEE 754-2019 maximum: NaN propagates, and +0 is larger than -0. */
template <typename T>
static inline T tile_max_nan(T a, T b)
{
    if (a != a || b != b)
        return (T)NAN;
    return a > b || (a == b && !signbit(a)) ? a : b;
}

/* Smaller of two, as IEEE 754-2019 minimum. */
template <typename T>
static inline T tile_min_nan(T a, T b)
{
    if (a != a || b != b)
        return (T)NAN;
    return a < b || (a == b && signbit(a)) ? a : b;
}

static __device__ __forceinline__ float max_nan(float a, float b) { return tile_max_nan(a, b); }
static __device__ __forceinline__ float min_nan(float a, float b) { return tile_min_nan(a, b); }
static __device__ __forceinline__ double max_nan(double a, double b) { return tile_max_nan(a, b); }
static __device__ __forceinline__ double min_nan(double a, double b) { return tile_min_nan(a, b); }

static __device__ __forceinline__ float rcp_approx(float b) { return 1.0f / b; }

/* ---- loads with hints to the caches --------------------------------------------------- */

static __device__ __forceinline__ uint4 ldg_keep(const uint4 *from, bool there, uint4 otherwise)
{
    return there ? *from : otherwise;
}
static __device__ __forceinline__ uint4 ldg_last(const uint4 *from, bool there, uint4 otherwise)
{
    return there ? *from : otherwise;
}

#endif
