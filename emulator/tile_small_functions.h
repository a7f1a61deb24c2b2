/* tile_small_functions.h -- arithmetic, comparisons, conversions and pairs of a 16-bit format */
#ifndef TILE_SMALL_FUNCTIONS_H
#define TILE_SMALL_FUNCTIONS_H

/* Sums, products and quotients are taken in double and rounded once more: a double has more than
 * twice the bits, so that is the same as rounding once. A fused sum needs tile_add_odd. */
#define TILE_SMALL_ARITHMETIC(T)                                                                  \
    TILE_INLINE T operator+(const T &a, const T &b) { return T(tile_wide(a) + tile_wide(b)); }    \
    TILE_INLINE T operator-(const T &a, const T &b) { return T(tile_wide(a) - tile_wide(b)); }    \
    TILE_INLINE T operator*(const T &a, const T &b) { return T(tile_wide(a) * tile_wide(b)); }    \
    TILE_INLINE T operator/(const T &a, const T &b) { return T(tile_wide(a) / tile_wide(b)); }    \
    TILE_INLINE T operator+(const T &a) { return a; }                                             \
    TILE_INLINE T operator-(const T &a) { T r = a; r.__x ^= 0x8000; return r; }                   \
    TILE_INLINE T &operator+=(T &a, const T &b) { return a = a + b; }                             \
    TILE_INLINE T &operator-=(T &a, const T &b) { return a = a - b; }                             \
    TILE_INLINE T &operator*=(T &a, const T &b) { return a = a * b; }                             \
    TILE_INLINE T &operator/=(T &a, const T &b) { return a = a / b; }                             \
    TILE_INLINE bool operator==(const T &a, const T &b) { return (float)a == (float)b; }          \
    TILE_INLINE bool operator!=(const T &a, const T &b) { return (float)a != (float)b; }          \
    TILE_INLINE bool operator<(const T &a, const T &b) { return (float)a < (float)b; }            \
    TILE_INLINE bool operator>(const T &a, const T &b) { return (float)a > (float)b; }            \
    TILE_INLINE bool operator<=(const T &a, const T &b) { return (float)a <= (float)b; }          \
    TILE_INLINE bool operator>=(const T &a, const T &b) { return (float)a >= (float)b; }          \
    TILE_INLINE T __hadd(T a, T b) { return a + b; }                                              \
    TILE_INLINE T __hsub(T a, T b) { return a - b; }                                              \
    TILE_INLINE T __hmul(T a, T b) { return a * b; }                                              \
    TILE_INLINE T __hdiv(T a, T b) { return a / b; }                                              \
    TILE_INLINE T __hadd_rn(T a, T b) { return a + b; }                                           \
    TILE_INLINE T __hsub_rn(T a, T b) { return a - b; }                                           \
    TILE_INLINE T __hmul_rn(T a, T b) { return a * b; }                                           \
    TILE_INLINE T __hneg(T a) { return -a; }                                                      \
    TILE_INLINE T __habs(T a) { a.__x &= 0x7fff; return a; }                                      \
    TILE_INLINE T __hfma(T a, T b, T c)                                                           \
    {                                                                                             \
        return T(tile_add_odd(tile_wide(a) * tile_wide(b), tile_wide(c)));                        \
    }

/* max and min: a number wins over NaN, in _nan NaN wins; +0 is larger than -0. */
#define TILE_SMALL_COMPARE(T)                                                                     \
    TILE_INLINE bool __heq(T a, T b) { return a == b; }                                           \
    TILE_INLINE bool __hne(T a, T b) { return a != b && a == a && b == b; }                       \
    TILE_INLINE bool __hlt(T a, T b) { return a < b; }                                            \
    TILE_INLINE bool __hle(T a, T b) { return a <= b; }                                           \
    TILE_INLINE bool __hgt(T a, T b) { return a > b; }                                            \
    TILE_INLINE bool __hge(T a, T b) { return a >= b; }                                           \
    TILE_INLINE bool __hneu(T a, T b) { return a != b; }                                          \
    TILE_INLINE bool __hisnan(T a) { return a != a; }                                             \
    TILE_INLINE int __hisinf(T a)                                                                 \
    {                                                                                             \
        return isinf((float)a) ? (float)a < 0.0f ? -1 : 1 : 0;                                    \
    }                                                                                             \
    TILE_INLINE T __hmax_nan(T a, T b)                                                            \
    {                                                                                             \
        if (a != a || b != b)                                                                     \
            return T(NAN);                                                                        \
        return a > b || (a == b && !(a.__x & 0x8000)) ? a : b;                                    \
    }                                                                                             \
    TILE_INLINE T __hmin_nan(T a, T b)                                                            \
    {                                                                                             \
        if (a != a || b != b)                                                                     \
            return T(NAN);                                                                        \
        return a < b || (a == b && a.__x & 0x8000) ? a : b;                                       \
    }                                                                                             \
    TILE_INLINE T __hmax(T a, T b)                                                                \
    {                                                                                             \
        return a != a ? b != b ? T(NAN) : b : b != b ? a : __hmax_nan(a, b);                      \
    }                                                                                             \
    TILE_INLINE T __hmin(T a, T b)                                                                \
    {                                                                                             \
        return a != a ? b != b ? T(NAN) : b : b != b ? a : __hmin_nan(a, b);                      \
    }                                                                                             \
    TILE_INLINE T hsqrt(T a) { return T(sqrt(tile_wide(a))); }                                    \
    TILE_INLINE T hrsqrt(T a) { return T(1.0 / sqrt(tile_wide(a))); }                             \
    TILE_INLINE T hrcp(T a) { return T(1.0 / tile_wide(a)); }                                     \
    TILE_INLINE T hexp(T a) { return T(exp(tile_wide(a))); }                                      \
    TILE_INLINE T hexp2(T a) { return T(exp2(tile_wide(a))); }                                    \
    TILE_INLINE T hlog(T a) { return T(log(tile_wide(a))); }                                      \
    TILE_INLINE T hlog2(T a) { return T(log2(tile_wide(a))); }                                    \
    TILE_INLINE T hsin(T a) { return T(sin(tile_wide(a))); }                                      \
    TILE_INLINE T hcos(T a) { return T(cos(tile_wide(a))); }                                      \
    TILE_INLINE T htanh(T a) { return T(tanh(tile_wide(a))); }                                    \
    TILE_INLINE T hceil(T a) { return T(ceil(tile_wide(a))); }                                    \
    TILE_INLINE T hfloor(T a) { return T(floor(tile_wide(a))); }                                  \
    TILE_INLINE T htrunc(T a) { return T(trunc(tile_wide(a))); }                                  \
    TILE_INLINE T hrint(T a) { return T(rint(tile_wide(a))); }

/* Conversions from and to the number type C, which CUDA calls N in function names; S is the
 * format's name there: half or bfloat16. */
#define TILE_SMALL_FROM(T, S, C, N) TILE_INLINE T __##N##2##S##_rn(C v) { return T(v); }
#define TILE_SMALL_TO(T, S, C, N)                                                                 \
    TILE_INLINE C __##S##2##N##_rz(T v) { return tile_truncate<C>((float)v); }                    \
    TILE_INLINE C __##S##2##N##_rn(T v) { return tile_truncate<C>(rintf((float)v)); }             \
    TILE_INLINE C __##S##2##N##_ru(T v) { return tile_truncate<C>(ceilf((float)v)); }             \
    TILE_INLINE C __##S##2##N##_rd(T v) { return tile_truncate<C>(floorf((float)v)); }
#define TILE_SMALL_INTEGER(T, S, C, N) TILE_SMALL_FROM(T, S, C, N) TILE_SMALL_TO(T, S, C, N)

#define TILE_SMALL_CONVERT(T, S)                                                                  \
    TILE_SMALL_FROM(T, S, float, float)                                                           \
    TILE_SMALL_INTEGER(T, S, short, short)                                                        \
    TILE_SMALL_INTEGER(T, S, unsigned short, ushort)                                              \
    TILE_SMALL_INTEGER(T, S, int, int)                                                            \
    TILE_SMALL_INTEGER(T, S, unsigned, uint)                                                      \
    TILE_SMALL_INTEGER(T, S, long long, ll)                                                       \
    TILE_SMALL_INTEGER(T, S, unsigned long long, ull)                                             \
    TILE_INLINE T __float2##S(float v) { return T(v); }                                           \
    TILE_INLINE T __float2##S##_rz(float v)                                                       \
    {                                                                                             \
        T r(v);                                                                                   \
        r.__x -= fabs(tile_wide(r)) > fabsf(v);                                                   \
        return r;                                                                                 \
    }                                                                                             \
    TILE_INLINE T __float2##S##_ru(float v)                                                       \
    {                                                                                             \
        T r(v);                                                                                   \
        r.__x += tile_wide(r) < v ? r.__x & 0x8000 ? -1 : 1 : 0;                                  \
        return r;                                                                                 \
    }                                                                                             \
    TILE_INLINE T __float2##S##_rd(float v) { return -__float2##S##_ru(-v); }                     \
    TILE_INLINE T __double2##S(double v) { return T(v); }                                         \
    TILE_INLINE float __##S##2float(T v) { return (float)v; }                                     \
    TILE_INLINE unsigned short __##S##_as_ushort(T v) { return v.__x; }                           \
    TILE_INLINE short __##S##_as_short(T v) { return (short)v.__x; }                              \
    TILE_INLINE T __ushort_as_##S(unsigned short bits) { T r; r.__x = bits; return r; }           \
    TILE_INLINE T __short_as_##S(short bits) { return __ushort_as_##S((unsigned short)bits); }

/* The pair T2 of two T, its functions done by halves. */
#define TILE_SMALL_PAIR(T, T2)                                                                    \
    struct __attribute__((aligned(4))) T2 {                                                       \
        T x, y;                                                                                   \
        T2() = default;                                                                           \
        T2(T x, T y) : x(x), y(y) {}                                                              \
    };                                                                                            \
    TILE_INLINE T2 make_##T2(T x, T y) { return T2(x, y); }                                       \
    TILE_INLINE T2 operator+(const T2 &a, const T2 &b) { return T2(a.x + b.x, a.y + b.y); }       \
    TILE_INLINE T2 operator-(const T2 &a, const T2 &b) { return T2(a.x - b.x, a.y - b.y); }       \
    TILE_INLINE T2 operator*(const T2 &a, const T2 &b) { return T2(a.x * b.x, a.y * b.y); }       \
    TILE_INLINE T2 operator/(const T2 &a, const T2 &b) { return T2(a.x / b.x, a.y / b.y); }       \
    TILE_INLINE T2 __hadd2(T2 a, T2 b) { return a + b; }                                          \
    TILE_INLINE T2 __hsub2(T2 a, T2 b) { return a - b; }                                          \
    TILE_INLINE T2 __hmul2(T2 a, T2 b) { return a * b; }                                          \
    TILE_INLINE T2 __h2div(T2 a, T2 b) { return a / b; }                                          \
    TILE_INLINE T2 __hadd2_rn(T2 a, T2 b) { return a + b; }                                       \
    TILE_INLINE T2 __hsub2_rn(T2 a, T2 b) { return a - b; }                                       \
    TILE_INLINE T2 __hmul2_rn(T2 a, T2 b) { return a * b; }                                       \
    TILE_INLINE T2 __hneg2(T2 a) { return T2(-a.x, -a.y); }                                       \
    TILE_INLINE T2 __habs2(T2 a) { return T2(__habs(a.x), __habs(a.y)); }                         \
    TILE_INLINE T2 __hmax2(T2 a, T2 b) { return T2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }         \
    TILE_INLINE T2 __hmin2(T2 a, T2 b) { return T2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }         \
    TILE_INLINE T2 __hmax2_nan(T2 a, T2 b)                                                        \
    {                                                                                             \
        return T2(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y));                                    \
    }                                                                                             \
    TILE_INLINE T2 __hmin2_nan(T2 a, T2 b)                                                        \
    {                                                                                             \
        return T2(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y));                                    \
    }                                                                                             \
    TILE_INLINE T2 __hfma2(T2 a, T2 b, T2 c)                                                      \
    {                                                                                             \
        return T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));                                  \
    }

/* Atomic sums, by the loop that all atomics use. */
#define TILE_SMALL_ATOMIC(T, T2)                                                                  \
    TILE_INLINE T atomicAdd(T *p, T v) { return tile_atomic(p, [=](T a) { return a + v; }); }     \
    TILE_INLINE T2 atomicAdd(T2 *p, T2 v) { return tile_atomic(p, [=](T2 a) { return a + v; }); }

#endif
