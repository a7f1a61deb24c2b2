/* tile_math.h -- CUDA's arithmetic functions and intrinsics over the C library's */
#ifndef TILE_MATH_H
#define TILE_MATH_H

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- bits --------------------------------------------------------------------------- */

/* The bits of v as a To of the same size. */
template <typename To, typename From>
static inline To tile_bits(From v)
{
    static_assert(sizeof(To) == sizeof(From), "only the type changes");
    To r;
    memcpy((void *)&r, (const void *)&v, sizeof r);
    return r;
}

static inline int __float_as_int(float v) { return tile_bits<int>(v); }
static inline unsigned __float_as_uint(float v) { return tile_bits<unsigned>(v); }
static inline float __int_as_float(int v) { return tile_bits<float>(v); }
static inline float __uint_as_float(unsigned v) { return tile_bits<float>(v); }
static inline long long __double_as_longlong(double v) { return tile_bits<long long>(v); }
static inline double __longlong_as_double(long long v) { return tile_bits<double>(v); }
static inline int __double2hiint(double v) { return (int)(tile_bits<uint64_t>(v) >> 32); }
static inline int __double2loint(double v) { return (int)tile_bits<uint64_t>(v); }
static inline double __hiloint2double(int high, int low)
{
    return tile_bits<double>((uint64_t)(unsigned)high << 32 | (unsigned)low);
}

static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
static inline int __clz(int v) { return v ? __builtin_clz(v) : 32; }
static inline int __clzll(long long v) { return v ? __builtin_clzll(v) : 64; }
static inline int __ffs(int v) { return __builtin_ffs(v); }
static inline int __ffsll(long long v) { return __builtin_ffsll(v); }

/* The bits in reverse order. */
static inline unsigned __brev(unsigned v)
{
    unsigned r = 0;
    for (int i = 0; i < 32; i++)
        r |= (v >> i & 1) << (31 - i);
    return r;
}

static inline unsigned long long __brevll(unsigned long long v)
{
    return (unsigned long long)__brev((unsigned)v) << 32 | __brev((unsigned)(v >> 32));
}

/* Four bytes of the eight of y:x, one for each of the four selectors; bit 3 spreads the sign. */
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selectors)
{
    const uint64_t bytes = (uint64_t)y << 32 | x;
    unsigned r = 0;
    for (int i = 0; i < 4; i++) {
        const unsigned selector = selectors >> 4 * i & 15;
        unsigned byte = bytes >> 8 * (selector & 7) & 255;
        if (selector & 8)
            byte = byte & 128 ? 255 : 0;
        r |= byte << 8 * i;
    }
    return r;
}

static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by)
{
    return (unsigned)(((uint64_t)high << 32 | low) << (by & 31) >> 32);
}

static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by)
{
    return (unsigned)(((uint64_t)high << 32 | low) >> (by & 31));
}

/* ---- integers ----------------------------------------------------------------------- */

static inline int __mulhi(int a, int b) { return (int)((int64_t)a * b >> 32); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (uint64_t)a * b >> 32; }
static inline long long __mul64hi(long long a, long long b) { return (__int128)a * b >> 64; }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned __int128)a * b >> 64;
}
static inline int __mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (b << 8 >> 8)); }
static inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
static inline unsigned __usad(unsigned a, unsigned b, unsigned c)
{
    return c + (a > b ? a - b : b - a);
}

/* The four products of signed bytes, added to c. */
static inline int __dp4a(int a, int b, int c)
{
    for (int i = 0; i < 32; i += 8)
        c += (int8_t)(a >> i) * (int8_t)(b >> i);
    return c;
}

/* min and max of arguments that meet in T. */
#define TILE_MIN_MAX(T, A, B)                                                   \
    static inline T min(A a, B b) { return (T)a < (T)b ? (T)a : (T)b; }         \
    static inline T max(A a, B b) { return (T)a > (T)b ? (T)a : (T)b; }
#define TILE_FLOAT_MIN_MAX(T, A, B, SUFFIX)                                     \
    static inline T min(A a, B b) { return fmin##SUFFIX((T)a, (T)b); }          \
    static inline T max(A a, B b) { return fmax##SUFFIX((T)a, (T)b); }

TILE_MIN_MAX(int, int, int)
TILE_MIN_MAX(unsigned, unsigned, unsigned)
TILE_MIN_MAX(unsigned, int, unsigned)
TILE_MIN_MAX(unsigned, unsigned, int)
TILE_MIN_MAX(long, long, long)
TILE_MIN_MAX(unsigned long, unsigned long, unsigned long)
TILE_MIN_MAX(unsigned long, long, unsigned long)
TILE_MIN_MAX(unsigned long, unsigned long, long)
TILE_MIN_MAX(long long, long long, long long)
TILE_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
TILE_MIN_MAX(unsigned long long, long long, unsigned long long)
TILE_MIN_MAX(unsigned long long, unsigned long long, long long)
TILE_FLOAT_MIN_MAX(float, float, float, f)
TILE_FLOAT_MIN_MAX(double, double, double, )
TILE_FLOAT_MIN_MAX(double, float, double, )
TILE_FLOAT_MIN_MAX(double, double, float, )
static inline unsigned umin(unsigned a, unsigned b) { return min(a, b); }
static inline unsigned umax(unsigned a, unsigned b) { return max(a, b); }

/* ---- rounding said in the name: the file is compiled without contraction ------------ */

static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __frcp_rn(float a) { return 1.0f / a; }
static inline float __fsqrt_rn(float a) { return sqrtf(a); }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline float __fmaf_ieee_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline float __frsqrt_rn(float a) { return (float)(1.0L / sqrtl(a)); }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __drcp_rn(double a) { return 1.0 / a; }
static inline double __dsqrt_rn(double a) { return sqrt(a); }
static inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

/* ---- approximations: here the accurate function ------------------------------------- */

static inline float rsqrtf(float a) { return (float)(1.0 / sqrt((double)a)); }
static inline double rsqrt(double a) { return (double)(1.0L / sqrtl(a)); }
static inline float rsqrt(float a) { return rsqrtf(a); }
static inline float rcbrtf(float a) { return (float)(1.0 / cbrt((double)a)); }
static inline double rcbrt(double a) { return (double)(1.0L / cbrtl(a)); }
static inline float fdividef(float a, float b) { return a / b; }
static inline float __fdividef(float a, float b) { return a / b; }
/* Macros, because the C library declares functions of these names. */
#define __expf(a) expf(a)
#define __exp10f(a) exp10f(a)
#define __logf(a) logf(a)
#define __log2f(a) log2f(a)
#define __log10f(a) log10f(a)
#define __powf(a, b) powf(a, b)
#define __sinf(a) sinf(a)
#define __cosf(a) cosf(a)
#define __tanf(a) tanf(a)
#define __tanhf(a) tanhf(a)
#define __sincosf(a, s, c) sincosf(a, s, c)
static inline float __saturatef(float a) { return a > 0.0f ? a < 1.0f ? a : 1.0f : 0.0f; }

/* sin(pi a) by the half turn: exact at multiples of 1/2, where pi a would be rounded. */
static inline double sinpi(double a)
{
    const double r = remainder(a, 2.0), near = fabs(r) <= 0.5 ? r : copysign(1.0, r) - r;
    if (isinf(a))
        return NAN;
    if (r == 0.0 || fabs(r) == 1.0)
        return copysign(0.0, a);
    return (double)sinl(near * 3.14159265358979323846264338327950288L);
}

/* cos(pi a): the distance from the nearest odd multiple of 1/2 goes through the sine. */
static inline double cospi(double a)
{
    const double r = fabs(remainder(a, 2.0));
    if (r == 0.5)
        return 0.0;
    if (r > 0.25 && r < 0.75)
        return (double)sinl((0.5 - r) * 3.14159265358979323846264338327950288L);
    return (double)cosl(r * 3.14159265358979323846264338327950288L);
}

static inline float sinpif(float a) { return (float)sinpi(a); }
static inline float cospif(float a) { return (float)cospi(a); }
static inline void sincospi(double a, double *s, double *c) { *s = sinpi(a), *c = cospi(a); }
static inline void sincospif(float a, float *s, float *c) { *s = sinpif(a), *c = cospif(a); }
static inline double normcdf(double a) { return 0.5 * erfc(a * -0.70710678118654752440); }
static inline float normcdff(float a) { return (float)normcdf(a); }
static inline double erfcx(double a) { return (double)(expl((long double)a * a) * erfcl(a)); }
static inline float erfcxf(float a) { return (float)erfcx(a); }
static inline float rhypotf(float a, float b) { return (float)(1.0 / hypot((double)a, (double)b)); }
static inline double rhypot(double a, double b) { return 1.0 / hypot(a, b); }

/* ---- conversions -------------------------------------------------------------------- */

/* A rounded F cut to the integers of T, LOW .. HIGH. NaN becomes 0, or the bits 1000.. as soon as
 * one of the two has 64 bits. */
template <typename T, typename F>
static inline T tile_to_integer(F v, T low, T high)
{
    if (v != v)
        return sizeof(T) == 8 || sizeof(F) == 8 ? (T)(1ull << (8 * sizeof(T) - 1)) : (T)0;
    return v <= (F)low ? low : v >= (F)high ? high : (T)v;
}

/* The four roundings of FROM (a T of F's) to NAME. */
#define TILE_TO_INTEGER(FROM, F, NAME, T, LOW, HIGH)                                              \
    TILE_ROUND_TO(FROM, F, NAME, T, LOW, HIGH, rz, trunc)                                         \
    TILE_ROUND_TO(FROM, F, NAME, T, LOW, HIGH, rn, rint)                                          \
    TILE_ROUND_TO(FROM, F, NAME, T, LOW, HIGH, ru, ceil)                                          \
    TILE_ROUND_TO(FROM, F, NAME, T, LOW, HIGH, rd, floor)
#define TILE_ROUND_TO(FROM, F, NAME, T, LOW, HIGH, MODE, ROUND)                                   \
    static inline T __##FROM##2##NAME##_##MODE(F v)                                               \
    {                                                                                             \
        return tile_to_integer<T, F>((F)ROUND((double)v), LOW, HIGH);                             \
    }

TILE_TO_INTEGER(float, float, int, int, INT_MIN, INT_MAX)
TILE_TO_INTEGER(float, float, uint, unsigned, 0, UINT_MAX)
TILE_TO_INTEGER(float, float, ll, long long, LLONG_MIN, LLONG_MAX)
TILE_TO_INTEGER(float, float, ull, unsigned long long, 0, ULLONG_MAX)
TILE_TO_INTEGER(double, double, int, int, INT_MIN, INT_MAX)
TILE_TO_INTEGER(double, double, uint, unsigned, 0, UINT_MAX)
TILE_TO_INTEGER(double, double, ll, long long, LLONG_MIN, LLONG_MAX)
TILE_TO_INTEGER(double, double, ull, unsigned long long, 0, ULLONG_MAX)
#undef TILE_TO_INTEGER
#undef TILE_ROUND_TO

static inline float __int2float_rn(int v) { return (float)v; }
static inline float __uint2float_rn(unsigned v) { return (float)v; }
static inline float __ll2float_rn(long long v) { return (float)v; }
static inline float __ull2float_rn(unsigned long long v) { return (float)v; }
static inline double __int2double_rn(int v) { return v; }
static inline double __uint2double_rn(unsigned v) { return v; }
static inline double __ll2double_rn(long long v) { return (double)v; }
static inline double __ull2double_rn(unsigned long long v) { return (double)v; }
static inline float __double2float_rn(double v) { return (float)v; }

/* A neighbour of the nearest float if that lies on the wrong side of v. */
static inline float __double2float_rz(double v)
{
    const float f = (float)v;
    return fabs((double)f) > fabs(v) ? nextafterf(f, 0.0f) : f;
}

static inline float __double2float_ru(double v)
{
    const float f = (float)v;
    return (double)f < v ? nextafterf(f, INFINITY) : f;
}

static inline float __double2float_rd(double v)
{
    const float f = (float)v;
    return (double)f > v ? nextafterf(f, -INFINITY) : f;
}

/* Integers as floats: the nearest, or its neighbour if that lies on the wrong side. */
#define TILE_FROM_INTEGER(F, T, N, NEXT)                                                          \
    static inline F __##N##2##F##_rz(T v)                                                         \
    {                                                                                             \
        const F f = (F)v;                                                                         \
        const __int128 exact = v, near = (__int128)f;                                             \
        return (exact < 0 ? near < exact : near > exact) ? NEXT(f, (F)0) : f;                     \
    }                                                                                             \
    static inline F __##N##2##F##_ru(T v)                                                         \
    {                                                                                             \
        return (__int128)(F)v < (__int128)v ? NEXT((F)v, (F)INFINITY) : (F)v;                     \
    }                                                                                             \
    static inline F __##N##2##F##_rd(T v)                                                         \
    {                                                                                             \
        return (__int128)(F)v > (__int128)v ? NEXT((F)v, (F)-INFINITY) : (F)v;                    \
    }

TILE_FROM_INTEGER(float, int, int, nextafterf)
TILE_FROM_INTEGER(float, unsigned, uint, nextafterf)
TILE_FROM_INTEGER(float, long long, ll, nextafterf)
TILE_FROM_INTEGER(float, unsigned long long, ull, nextafterf)
TILE_FROM_INTEGER(double, long long, ll, nextafter)
TILE_FROM_INTEGER(double, unsigned long long, ull, nextafter)
#undef TILE_FROM_INTEGER

#endif
