/* cuda_fp16.h -- __half and __half2 */
#ifndef TILE_CUDA_FP16_H
#define TILE_CUDA_FP16_H

#include "cuda_runtime.h"
#include "tile_small.h"

TILE_SMALL_CLASS(__half, __half_raw, TILE_F16)
TILE_SMALL_ARITHMETIC(__half)
TILE_SMALL_COMPARE(__half)
TILE_SMALL_CONVERT(__half, half)
TILE_SMALL_PAIR(__half, __half2)
TILE_SMALL_ATOMIC(__half, __half2)

struct __half2_raw {
    unsigned short x, y;
};

typedef __half half;
typedef __half2 half2;

static inline __half2 make_half2(__half x, __half y) { return __half2(x, y); }
static inline __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
static inline __half2 __half2half2(__half v) { return __half2(v, v); }
static inline __half __low2half(__half2 v) { return v.x; }
static inline __half __high2half(__half2 v) { return v.y; }
static inline float __low2float(__half2 v) { return v.x; }
static inline float __high2float(__half2 v) { return v.y; }
static inline __half2 __float2half2_rn(float v) { return __half2(v, v); }
static inline __half2 __floats2half2_rn(float x, float y) { return __half2(x, y); }
static inline __half2 __float22half2_rn(float2 v) { return __half2(v.x, v.y); }
static inline float2 __half22float2(__half2 v) { return make_float2(v.x, v.y); }

#endif
