/* cuda_bf16.h -- __nv_bfloat16 and __nv_bfloat162 */
#ifndef TILE_CUDA_BF16_H
#define TILE_CUDA_BF16_H

#include "cuda_fp16.h"

TILE_SMALL_CLASS(__nv_bfloat16, __nv_bfloat16_raw, TILE_BF16)
TILE_SMALL_ARITHMETIC(__nv_bfloat16)
TILE_SMALL_COMPARE(__nv_bfloat16)
TILE_SMALL_CONVERT(__nv_bfloat16, bfloat16)
TILE_SMALL_PAIR(__nv_bfloat16, __nv_bfloat162)
TILE_SMALL_ATOMIC(__nv_bfloat16, __nv_bfloat162)

struct __nv_bfloat162_raw {
    unsigned short x, y;
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

static inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
static inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
static inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 v) { return {v, v}; }
static inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
static inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
static inline float __low2float(__nv_bfloat162 v) { return v.x; }
static inline float __high2float(__nv_bfloat162 v) { return v.y; }
static inline __nv_bfloat162 __float2bfloat162_rn(float v) { return {v, v}; }
static inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {x, y}; }
static inline __nv_bfloat162 __float22bfloat162_rn(float2 v) { return {v.x, v.y}; }
static inline float2 __bfloat1622float2(__nv_bfloat162 v) { return make_float2(v.x, v.y); }

#endif
