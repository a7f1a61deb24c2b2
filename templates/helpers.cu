// helpers.cu -- functions that C cannot say in an operator; a section comes along where it is used

// ---- add_wrap
// Sum that wraps.
template <typename T>
static __device__ __forceinline__ T add_wrap(T a, T b)
{
    return (T)((uint64_t)a + (uint64_t)b);
}

// ---- sub_wrap
// Difference that wraps.
template <typename T>
static __device__ __forceinline__ T sub_wrap(T a, T b)
{
    return (T)((uint64_t)a - (uint64_t)b);
}

// ---- mul_wrap
// Product that wraps.
template <typename T>
static __device__ __forceinline__ T mul_wrap(T a, T b)
{
    return (T)((uint64_t)a * (uint64_t)b);
}

// ---- neg_wrap
// Negative; that of the lowest is the lowest.
template <typename T>
static __device__ __forceinline__ T neg_wrap(T a)
{
    return (T)(0 - (uint64_t)a);
}

// ---- is_negative
// Less than 0, said so that it may be asked of unsigned types too.
template <typename T>
static __device__ __forceinline__ bool is_negative(T a)
{
    return a < (T)1 && a != (T)0;
}

// ---- abs_wrap
// Absolute value; that of the lowest is the lowest.
template <typename T>
static __device__ __forceinline__ T abs_wrap(T a)
{
    return is_negative<T>(a) ? neg_wrap<T>(a) : a;
}

// ---- sign_int
// -1, 0 or 1.
template <typename T>
static __device__ __forceinline__ T sign_int(T a)
{
    return (T)((a != (T)0) - 2 * is_negative<T>(a));
}

// ---- sign_float
// -1, 0 or 1; NaN stays.
template <typename T>
static __device__ __forceinline__ T sign_float(T a)
{
    return isnan(a) ? a : (T)((a > (T)0) - (a < (T)0));
}

// ---- is_minus_one
// -1 of a signed type, nothing of an unsigned one.
template <typename T>
static __device__ __forceinline__ bool is_minus_one(T a)
{
    return a == (T)-1 && is_negative<T>(a);
}

// ---- div_int
// Quotient towards zero; x / 0 is 0, and the lowest / -1 wraps.
template <typename T>
static __device__ __forceinline__ T div_int(T a, T b)
{
    if (b == (T)0)
        return (T)0;
    return is_minus_one<T>(b) ? neg_wrap<T>(a) : (T)(a / b);
}

// ---- rem_int
// What div_int leaves, with the sign of a; x % 0 is x.
template <typename T>
static __device__ __forceinline__ T rem_int(T a, T b)
{
    if (b == (T)0)
        return a;
    return is_minus_one<T>(b) ? (T)0 : (T)(a % b);
}

// ---- floordiv_int
// Quotient rounded down; by 0: 0.
template <typename T>
static __device__ __forceinline__ T floordiv_int(T a, T b)
{
    const T rest = rem_int<T>(a, b);
    const bool above = b != (T)0 && rest != (T)0 && is_negative<T>(rest) != is_negative<T>(b);
    return (T)(div_int<T>(a, b) - (above ? (T)1 : (T)0));
}

// ---- mod_int
// What floordiv_int leaves, with the sign of b; by 0: a.
template <typename T>
static __device__ __forceinline__ T mod_int(T a, T b)
{
    const T rest = rem_int<T>(a, b);
    const bool above = b != (T)0 && rest != (T)0 && is_negative<T>(rest) != is_negative<T>(b);
    return (T)(rest + (above ? b : (T)0));
}

// ---- ceildiv_int
// Quotient rounded up; by 0: 0.
template <typename T>
static __device__ __forceinline__ T ceildiv_int(T a, T b)
{
    const T rest = rem_int<T>(a, b);
    const bool below = b != (T)0 && rest != (T)0 && is_negative<T>(rest) == is_negative<T>(b);
    return (T)(div_int<T>(a, b) + (below ? (T)1 : (T)0));
}

// ---- shl_int
// Shifted left; by a negative count, or by all bits and more: 0.
template <typename T>
static __device__ __forceinline__ T shl_int(T a, T count)
{
    return (uint64_t)count < 8 * sizeof(T) ? (T)((uint64_t)a << count) : (T)0;
}

// ---- shr_int
// Shifted right; by a negative count, or by all bits and more: the sign.
template <typename T>
static __device__ __forceinline__ T shr_int(T a, T count)
{
    if ((uint64_t)count < 8 * sizeof(T))
        return (T)(a >> count);
    return is_negative<T>(a) ? (T)-1 : (T)0;
}

// ---- max_int
// The larger of two.
template <typename T>
static __device__ __forceinline__ T max_int(T a, T b)
{
    return a > b ? a : b;
}

// ---- min_int
// The smaller of two.
template <typename T>
static __device__ __forceinline__ T min_int(T a, T b)
{
    return a < b ? a : b;
}

// ---- max_nan_f64
// The larger of two; NaN propagates and +0 is above -0: what max_nan is for f32.
static __device__ __forceinline__ double max_nan_f64(double a, double b)
{
    if (isnan(a) || isnan(b) || (a == 0.0 && b == 0.0))
        return a + b;
    return a > b ? a : b;
}

// ---- min_nan_f64
// The smaller of two; NaN propagates and -0 is below +0: what min_nan is for f32.
static __device__ __forceinline__ double min_nan_f64(double a, double b)
{
    if (isnan(a) || isnan(b) || (a == 0.0 && b == 0.0))
        return -(-a + -b);
    return a < b ? a : b;
}

// ---- max_num
// The larger of two, +0 above -0; of a number and NaN the number.
template <typename T>
static __device__ __forceinline__ T max_num(T a, T b)
{
    if (a == (T)0 && b == (T)0)
        return a + b;
    return isnan(a) || a < b ? b : a;
}

// ---- min_num
// The smaller of two, -0 below +0; of a number and NaN the number.
template <typename T>
static __device__ __forceinline__ T min_num(T a, T b)
{
    if (a == (T)0 && b == (T)0)
        return -(-a + -b);
    return isnan(a) || a > b ? b : a;
}

// ---- sigmoid_of
// 1 / (1 + exp(-x)), right too where exp(-x) is more than the largest number.
template <typename T>
static __device__ __forceinline__ T sigmoid_of(T x)
{
    const T small = exp(-fabs(x));
    return (x < (T)0 ? small : (T)1) / ((T)1 + small);
}

// ---- to_int
// A float towards zero as an integer; what does not fit becomes the nearest that does, NaN 0.
template <typename T, typename F>
static __device__ __forceinline__ T to_int(F x)
{
    const bool has_sign = is_negative<T>((T)-1);
    const uint64_t most = ~(uint64_t)0 >> (64 - 8 * sizeof(T) + has_sign);
    const F end = (F)(most / 2 + 1) * (F)2;                 // the first that does not fit
    if (isnan(x))
        return (T)0;
    if (x >= end)
        return (T)most;
    if (has_sign)
        return x < -end ? (T)~most : (T)x;
    return x <= (F)-1 ? (T)0 : (T)x;
}

// ---- tile_inverse
// What tile_quotient() takes for 1 / b; NaN where the result could not be relied on.
static __device__ __forceinline__ float tile_inverse(float b)
{
    const float y = rcp_approx(b);
    return fabsf(b) >= 1e-9f && fabsf(b) <= 1e9f ? fmaf(y, fmaf(-b, y, 1.0f), y) : NAN;
}

// ---- tile_quotient
// a / b to the last bit where `least` stays at 1e-21 or more, for y = tile_inverse(b): a * y,
// corrected once by its exact remainder, as a division does (Markstein, IBM J. R&D 34, 1990).
static __device__ __forceinline__ float tile_quotient(float a, float b, float y, float &least)
{
    const float near = a * y;
    const float q = fmaf(fmaf(-b, near, a), y, near);
    least = min_nan(least, fabsf(q));
    return q;
}
