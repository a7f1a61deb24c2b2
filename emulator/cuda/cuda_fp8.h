/* cuda_fp8.h -- __nv_fp8_e4m3 and __nv_fp8_e5m2, which only store and convert */
#ifndef TILE_CUDA_FP8_H
#define TILE_CUDA_FP8_H

#include "cuda_bf16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;

typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

/* ---- conversions -------------------------------------------------------------------- */

static inline const TileFormat &tile_fp8(__nv_fp8_interpretation_t kind)
{
    return kind == __NV_E4M3 ? TILE_E4M3 : TILE_E5M2;
}

static inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double v, __nv_saturation_t saturate,
                                                        __nv_fp8_interpretation_t kind)
{
    return (__nv_fp8_storage_t)tile_encode(tile_fp8(kind), v, saturate == __NV_SATFINITE);
}

static inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float v, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_double_to_fp8(v, saturate, kind);
}

static inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw v, __nv_saturation_t saturate,
                                                         __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__half(v), saturate, kind);
}

static inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw v,
                                                             __nv_saturation_t saturate,
                                                             __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__nv_bfloat16(v), saturate, kind);
}

static inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t saturate,
                                                            __nv_fp8_interpretation_t kind)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(v.x, saturate, kind)
                                  | __nv_cvt_float_to_fp8(v.y, saturate, kind) << 8);
}

static inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t bits,
                                                 __nv_fp8_interpretation_t kind)
{
    return __half(tile_decode(tile_fp8(kind), bits));
}

static inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t bits,
                                                     __nv_fp8_interpretation_t kind)
{
    return {__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)bits, kind).x,
            __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(bits >> 8), kind).x};
}

/* ---- the classes: conversions to them saturate, those from them must be written ----- */

#define TILE_FP8_CLASS(NAME, FORMAT)                                                              \
    struct NAME {                                                                                 \
        __nv_fp8_storage_t __x;                                                                   \
        NAME() = default;                                                                         \
        explicit NAME(float v) : __x(tile_encode(FORMAT, v, true)) {}                             \
        explicit NAME(double v) : __x(tile_encode(FORMAT, v, true)) {}                            \
        explicit NAME(__half v) : __x(tile_encode(FORMAT, (float)v, true)) {}                     \
        explicit NAME(__nv_bfloat16 v) : __x(tile_encode(FORMAT, (float)v, true)) {}              \
        explicit NAME(short v) : __x(tile_encode_integer(FORMAT, v, true)) {}                     \
        explicit NAME(unsigned short v) : __x(tile_encode_integer(FORMAT, v, true)) {}            \
        explicit NAME(int v) : __x(tile_encode_integer(FORMAT, v, true)) {}                       \
        explicit NAME(unsigned v) : __x(tile_encode_integer(FORMAT, v, true)) {}                  \
        explicit NAME(long v) : __x(tile_encode_integer(FORMAT, v, true)) {}                      \
        explicit NAME(unsigned long v) : __x(tile_encode_integer(FORMAT, v, true)) {}             \
        explicit NAME(long long v) : __x(tile_encode_integer(FORMAT, v, true)) {}                 \
        explicit NAME(unsigned long long v) : __x(tile_encode_integer(FORMAT, v, true)) {}        \
        explicit operator float() const { return tile_decode(FORMAT, __x); }                      \
        explicit operator double() const { return tile_decode(FORMAT, __x); }                     \
        explicit operator __half() const { return __half(tile_decode(FORMAT, __x)); }             \
        explicit operator __nv_bfloat16() const                                                   \
        {                                                                                         \
            return __nv_bfloat16(tile_decode(FORMAT, __x));                                       \
        }                                                                                         \
        explicit operator int() const { return tile_truncate<int>((float)*this); }                \
        explicit operator unsigned() const { return tile_truncate<unsigned>((float)*this); }      \
        explicit operator long long() const { return tile_truncate<long long>((float)*this); }    \
        explicit operator bool() const { return (__x & 0x7f) != 0; }                              \
    };

TILE_FP8_CLASS(__nv_fp8_e4m3, TILE_E4M3)
TILE_FP8_CLASS(__nv_fp8_e5m2, TILE_E5M2)

/* Two and four of them, as they are loaded together. */
#define TILE_FP8_PACK(NAME, STORAGE, BYTES) \
    struct __attribute__((aligned(BYTES))) NAME { STORAGE __x; };

TILE_FP8_PACK(__nv_fp8x2_e4m3, __nv_fp8x2_storage_t, 2)
TILE_FP8_PACK(__nv_fp8x2_e5m2, __nv_fp8x2_storage_t, 2)
TILE_FP8_PACK(__nv_fp8x4_e4m3, __nv_fp8x4_storage_t, 4)
TILE_FP8_PACK(__nv_fp8x4_e5m2, __nv_fp8x4_storage_t, 4)

#endif
