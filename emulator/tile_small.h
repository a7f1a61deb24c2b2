/* tile_small.h -- floating-point formats of 16 and 8 bits: rounding, decoding, the common class */
#ifndef TILE_SMALL_H
#define TILE_SMALL_H

#include <math.h>
#include <stdint.h>
#include <string.h>

// A small number that a call gives goes to memory without the checks seeing it: g++ tells them of
// assignments alone. So there are no calls.
#define TILE_INLINE static inline __attribute__((always_inline))

/* A format of 1 sign bit, then exponent bits, then mantissa bits. */
struct TileFormat {
    int bits, mantissa, bias;
    unsigned largest;               // largest finite value
    unsigned overflow;              // what lies beyond: infinity, or NaN in e4m3
    unsigned nan;
};

constexpr TileFormat TILE_F16 = {16, 10, 15, 0x7bff, 0x7c00, 0x7fff};
constexpr TileFormat TILE_BF16 = {16, 7, 127, 0x7f7f, 0x7f80, 0x7fff};
constexpr TileFormat TILE_E4M3 = {8, 3, 7, 0x7e, 0x7f, 0x7f};
constexpr TileFormat TILE_E5M2 = {8, 2, 15, 0x7b, 0x7c, 0x7f};

/* ---- rounding ----------------------------------------------------------------------- */

/* m * 2^-shift, to nearest, ties to even. */
static inline uint64_t tile_shift_even(uint64_t m, int shift)
{
    if (shift <= 0)
        return m << -shift;
    if (shift >= 64)
        return shift == 64 && m > 1ull << 63;
    const uint64_t whole = m >> shift, rest = m << (64 - shift), half = 1ull << 63;
    return whole + (rest > half || (rest == half && (whole & 1)));
}

/* The bits of m * 2^e, rounded once to nearest even. */
static inline unsigned tile_round(const TileFormat &f, bool negative, uint64_t m, int e,
                                  bool saturate)
{
    const unsigned sign = (unsigned)negative << (f.bits - 1);
    if (m == 0)
        return sign;
    const int top = 63 - __builtin_clzll(m) + e, least = 1 - f.bias;
    const int exponent = top > least ? top : least;     // subnormals share that of the least normal
    if (exponent > f.bias + 1)
        return sign | (saturate ? f.largest : f.overflow);
    const uint64_t units = tile_shift_even(m, exponent - f.mantissa - e);
    const uint64_t bits = units + ((uint64_t)(exponent - least) << f.mantissa);
    return sign | (bits <= f.largest ? (unsigned)bits : saturate ? f.largest : f.overflow);
}

/* The bits of a double, rounded once. */
static inline unsigned tile_encode(const TileFormat &f, double v, bool saturate = false)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    const int exponent = bits >> 52 & 0x7ff;
    const uint64_t fraction = bits & ((1ull << 52) - 1);
    if (exponent == 0x7ff && fraction)
        return f.nan;
    if (exponent == 0x7ff)
        return (bits >> 63 ? 1u << (f.bits - 1) : 0u) | (saturate ? f.largest : f.overflow);
    return tile_round(f, bits >> 63, exponent ? fraction | 1ull << 52 : fraction,
                      (exponent ? exponent : 1) - 1075, saturate);
}

/* The bits of a 64-bit integer, rounded once. */
template <typename I>
static inline unsigned tile_encode_integer(const TileFormat &f, I v, bool saturate = false)
{
    return tile_round(f, v < 0, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 0, saturate);
}

/* ---- decoding ----------------------------------------------------------------------- */

/* The value of bits; each is a float. NaN comes as the canonical one, but from bf16 as it is. */
static inline float tile_decode(const TileFormat &f, unsigned bits)
{
    const unsigned magnitude = bits & ((1u << (f.bits - 1)) - 1);
    const unsigned fraction = magnitude & ((1u << f.mantissa) - 1);
    const unsigned exponent = magnitude >> f.mantissa;
    const unsigned sign = (bits >> (f.bits - 1) & 1) << 31;
    unsigned word = sign | (exponent - f.bias + 127) << 23 | fraction << (23 - f.mantissa);
    float value;
    if (f.bits == 16 && f.mantissa == 7)
        word = bits << 16;
    else if (magnitude > f.largest)
        word = f.overflow == f.nan || magnitude > f.overflow ? 0x7fffffff : sign | 0x7f800000;
    else if (exponent == 0)
        return ldexpf(sign ? -(float)fraction : (float)fraction, 1 - f.bias - f.mantissa);
    memcpy(&value, &word, sizeof value);
    return value;
}

/* a + b in double, the last bit set if it is not exact: rounding that again is rounding once. */
static inline double tile_add_odd(double a, double b)
{
    const double sum = a + b, part = sum - a;
    const double lost = (a - (sum - part)) + (b - part);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (lost == 0.0 || lost != lost || (bits & 1))
        return sum;
    bits += (lost > 0.0) == (sum > 0.0) ? 1 : -1;
    double odd;
    memcpy(&odd, &bits, sizeof odd);
    return odd;
}

/* An integer type's range around a float: truncated, saturated, NaN is 0. */
template <typename I>
static inline I tile_truncate(float v)
{
    const I low = (I)-1 > 0 ? 0 : (I)(1ull << (8 * sizeof(I) - 1)), high = (I)~low;
    if (v != v)
        return sizeof(I) == 8 ? (I)(1ull << 63) : (I)0;
    return v <= (float)low ? low : v >= (float)high ? high : (I)v;
}

/* ---- the class of a 16-bit format --------------------------------------------------- */

/* A raw struct RAW and the struct NAME that converts from and to everything, as CUDA's does. */
#define TILE_SMALL_CLASS(NAME, RAW, FORMAT)                                                       \
    struct RAW { unsigned short x; };                                                             \
    struct __attribute__((aligned(2))) NAME {                                                     \
        unsigned short __x;                                                                       \
        NAME() = default;                                                                         \
        constexpr NAME(RAW raw) : __x(raw.x) {}                                                   \
        NAME(float v) : __x(tile_encode(FORMAT, v)) {}                                            \
        NAME(double v) : __x(tile_encode(FORMAT, v)) {}                                           \
        NAME(short v) : __x(tile_encode_integer(FORMAT, v)) {}                                    \
        NAME(unsigned short v) : __x(tile_encode_integer(FORMAT, v)) {}                           \
        NAME(int v) : __x(tile_encode_integer(FORMAT, v)) {}                                      \
        NAME(unsigned v) : __x(tile_encode_integer(FORMAT, v)) {}                                 \
        NAME(long v) : __x(tile_encode_integer(FORMAT, v)) {}                                     \
        NAME(unsigned long v) : __x(tile_encode_integer(FORMAT, v)) {}                            \
        NAME(long long v) : __x(tile_encode_integer(FORMAT, v)) {}                                \
        NAME(unsigned long long v) : __x(tile_encode_integer(FORMAT, v)) {}                       \
        template <typename Small, typename = decltype(Small::tile_format)>                        \
        explicit NAME(Small v) : __x(tile_encode(FORMAT, (float)v)) {}                            \
        static constexpr const TileFormat *tile_format = &FORMAT;                                 \
        operator RAW() const { return RAW{__x}; }                                                 \
        operator float() const { return tile_decode(FORMAT, __x); }                               \
        operator signed char() const { return tile_truncate<signed char>(*this); }                \
        operator unsigned char() const { return tile_truncate<unsigned char>(*this); }            \
        operator char() const { return tile_truncate<signed char>(*this); }                       \
        operator short() const { return tile_truncate<short>(*this); }                            \
        operator unsigned short() const { return tile_truncate<unsigned short>(*this); }          \
        operator int() const { return tile_truncate<int>(*this); }                                \
        operator unsigned() const { return tile_truncate<unsigned>(*this); }                      \
        operator long() const { return tile_truncate<long>(*this); }                              \
        operator unsigned long() const { return tile_truncate<unsigned long>(*this); }            \
        operator long long() const { return tile_truncate<long long>(*this); }                    \
        operator unsigned long long() const { return tile_truncate<unsigned long long>(*this); }  \
        operator bool() const { return (__x & 0x7fff) != 0; }                                     \
    };                                                                                            \
    static inline double tile_wide(NAME v) { return (float)v; }

#include "tile_small_functions.h"

#endif
