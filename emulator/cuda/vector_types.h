/* vector_types.h -- float4 and its kin with CUDA's alignments, in C and in C++ */
#ifndef TILE_VECTOR_TYPES_H
#define TILE_VECTOR_TYPES_H

#define TILE_ALIGNED(bytes) __attribute__((aligned(bytes)))

/* One struct of each length, NAME1 to NAME3, of element type T; only two elements are aligned. */
#define TILE_VECTORS(NAME, T)                                                   \
    typedef struct NAME##1 { T x; } NAME##1;                                    \
    typedef struct TILE_ALIGNED(2 * sizeof(T)) NAME##2 { T x, y; } NAME##2;     \
    typedef struct NAME##3 { T x, y, z; } NAME##3;

/* Four elements, aligned to what one access moves. */
#define TILE_VECTOR4(NAME, T, BYTES) \
    typedef struct TILE_ALIGNED(BYTES) NAME { T x, y, z, w; } NAME;

TILE_VECTORS(char, signed char)
TILE_VECTORS(uchar, unsigned char)
TILE_VECTORS(short, short)
TILE_VECTORS(ushort, unsigned short)
TILE_VECTORS(int, int)
TILE_VECTORS(uint, unsigned)
TILE_VECTORS(long, long)
TILE_VECTORS(ulong, unsigned long)
TILE_VECTORS(longlong, long long)
TILE_VECTORS(ulonglong, unsigned long long)
TILE_VECTORS(float, float)
TILE_VECTORS(double, double)

TILE_VECTOR4(char4, signed char, 4)
TILE_VECTOR4(uchar4, unsigned char, 4)
TILE_VECTOR4(short4, short, 8)
TILE_VECTOR4(ushort4, unsigned short, 8)
TILE_VECTOR4(int4, int, 16)
TILE_VECTOR4(uint4, unsigned, 16)
TILE_VECTOR4(float4, float, 16)
TILE_VECTOR4(long4, long, 16)
TILE_VECTOR4(ulong4, unsigned long, 16)
TILE_VECTOR4(longlong4, long long, 16)
TILE_VECTOR4(ulonglong4, unsigned long long, 16)
TILE_VECTOR4(double4, double, 16)
TILE_VECTOR4(longlong4_16a, long long, 16)
TILE_VECTOR4(longlong4_32a, long long, 32)
TILE_VECTOR4(ulonglong4_16a, unsigned long long, 16)
TILE_VECTOR4(ulonglong4_32a, unsigned long long, 32)
TILE_VECTOR4(double4_16a, double, 16)
TILE_VECTOR4(double4_32a, double, 32)

/* Extents of a grid or a block; what is not said is 1. */
typedef struct dim3 {
    unsigned x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
} dim3;

#endif
