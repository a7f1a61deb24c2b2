/* vector_functions.h -- make_float4 and its kin */
#ifndef TILE_VECTOR_FUNCTIONS_H
#define TILE_VECTOR_FUNCTIONS_H

#include "vector_types.h"

/* make_NAME1 to make_NAME4 of element type T. */
#define TILE_MAKE(NAME, T)                                                                      \
    static inline NAME##1 make_##NAME##1(T x) { NAME##1 v = {x}; return v; }                    \
    static inline NAME##2 make_##NAME##2(T x, T y) { NAME##2 v = {x, y}; return v; }            \
    static inline NAME##3 make_##NAME##3(T x, T y, T z) { NAME##3 v = {x, y, z}; return v; }    \
    static inline NAME##4 make_##NAME##4(T x, T y, T z, T w)                                    \
    {                                                                                           \
        NAME##4 v = {x, y, z, w};                                                               \
        return v;                                                                               \
    }

TILE_MAKE(char, signed char)
TILE_MAKE(uchar, unsigned char)
TILE_MAKE(short, short)
TILE_MAKE(ushort, unsigned short)
TILE_MAKE(int, int)
TILE_MAKE(uint, unsigned)
TILE_MAKE(long, long)
TILE_MAKE(ulong, unsigned long)
TILE_MAKE(longlong, long long)
TILE_MAKE(ulonglong, unsigned long long)
TILE_MAKE(float, float)
TILE_MAKE(double, double)

#undef TILE_MAKE
#endif
