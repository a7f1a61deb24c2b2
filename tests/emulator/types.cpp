/* types.cpp -- the small formats, every value of them, against a formula that only uses ldexp */

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <string>
#include <vector>
#include <cuda_fp8.h>
#include "test.h"

/* A format described anew: what the value of its bits is. */
struct Format {
    const char *name;
    int bits, mantissa, bias;
    bool infinities;
    unsigned (*encode)(double);
    float (*decode)(unsigned);
};

/* The value of magnitude bits b as if there were neither infinities nor NaNs. */
static double value(const Format &f, unsigned b)
{
    const int exponent = b >> f.mantissa, fraction = b & ((1 << f.mantissa) - 1);
    return exponent ? ldexp((1 << f.mantissa) + fraction, exponent - f.bias - f.mantissa)
                    : ldexp(fraction, 1 - f.bias - f.mantissa);
}

/* The bits of the largest finite value. */
static unsigned largest(const Format &f)
{
    const unsigned all = (1u << (f.bits - 1)) - 1;
    return f.infinities ? all - (1u << f.mantissa) : all - 1;
}

/* All bits decode to their value, infinity or NaN. */
static bool decodes(const Format &f)
{
    const unsigned sign = 1u << (f.bits - 1), top = largest(f);
    bool good = true;
    for (unsigned b = 0; b < sign; b++) {
        const float plus = f.decode(b), minus = f.decode(b | sign);
        if (b <= top)
            good &= plus == value(f, b) && minus == -value(f, b) && signbit(minus);
        else if (f.infinities && b == top + 1)
            good &= plus == INFINITY && minus == -INFINITY;
        else
            good &= isnan(plus) && isnan(minus);
    }
    return good;
}

/* Between neighbours a < b the middle goes to the even one, what is beside it to the nearer one. */
static bool rounds(const Format &f, unsigned beyond)
{
    const unsigned sign = 1u << (f.bits - 1), top = largest(f);
    bool good = true;
    for (unsigned b = 0; b <= top; b++) {
        const unsigned next = b == top ? beyond : b + 1;
        const double low = value(f, b), middle = (low + value(f, b + 1)) / 2;
        const unsigned even = b & 1 ? next : b;
        good &= f.encode(low) == b && f.encode(-low) == (b | sign);
        good &= f.encode(middle) == even && f.encode(-middle) == (even | sign);
        good &= f.encode(nextafter(middle, 0)) == b;
        good &= f.encode(nextafter(middle, INFINITY)) == next;
        good &= f.encode((float)middle) == even;
    }
    return good && f.encode(INFINITY) == beyond && f.encode(1e308) == beyond;
}

static unsigned half_bits(double v) { return __half_as_ushort(__double2half(v)); }
static unsigned bfloat_bits(double v) { return __bfloat16_as_ushort(__double2bfloat16(v)); }
static unsigned e4m3_bits(double v) { return __nv_fp8_e4m3(v).__x; }
static unsigned e5m2_bits(double v) { return __nv_fp8_e5m2(v).__x; }
static unsigned e4m3_open(double v) { return __nv_cvt_double_to_fp8(v, __NV_NOSAT, __NV_E4M3); }
static unsigned e5m2_open(double v) { return __nv_cvt_double_to_fp8(v, __NV_NOSAT, __NV_E5M2); }
static float half_value(unsigned b) { return __half2float(__ushort_as_half(b)); }
static float bfloat_value(unsigned b) { return __bfloat162float(__ushort_as_bfloat16(b)); }

static float e4m3_value(unsigned b)
{
    __nv_fp8_e4m3 v;
    v.__x = b;
    return (float)v;
}

static float e5m2_value(unsigned b)
{
    return __half(__nv_cvt_fp8_to_halfraw(b, __NV_E5M2));
}

static void test_formats(void)
{
    static const struct { Format format; unsigned beyond; } rows[] = {
        {{"half", 16, 10, 15, true, half_bits, half_value}, 0x7c00},
        {{"bfloat16", 16, 7, 127, true, bfloat_bits, bfloat_value}, 0x7f80},
        {{"e4m3", 8, 3, 7, false, e4m3_bits, e4m3_value}, 0x7e},
        {{"e5m2", 8, 2, 15, true, e5m2_bits, e5m2_value}, 0x7b},
        {{"e4m3 unsaturated", 8, 3, 7, false, e4m3_open, e4m3_value}, 0x7f},
        {{"e5m2 unsaturated", 8, 2, 15, true, e5m2_open, e5m2_value}, 0x7c},
    };
    for (const auto &row : rows) {
        test((std::string(row.format.name) + ": all bits decode").c_str(), decodes(row.format));
        test((std::string(row.format.name) + ": rounds").c_str(), rounds(row.format, row.beyond));
    }
}

/* Sums and products of halves that need all the bits, and of bfloat16 that a float would spoil. */
static void test_arithmetic(void)
{
    const __half one = 1.0f, ulp = __ushort_as_half(0x1400);         // 2^-10
    test("half: 1 + ulp", (float)(one + ulp) == 1.0f + 0x1p-10f);
    const __half near = one + ulp + ulp + ulp;
    test("half: fma is rounded once", (float)__hfma(near, near, -one) == 6 * 0x1p-10f + 0x1p-17f);
    const __nv_bfloat16 a = 1.0f + 0x1p-7f, tiny = 0x1p-100f;
    // a * 1.5 = 1.51171875 lies between two neighbours: the tiny addend decides
    test("bfloat16: fma sees a tiny addend", __hfma(a, __nv_bfloat16(1.5f), tiny).__x == 0x3fc2);
    test("bfloat16: fma sees its sign", __hfma(a, __nv_bfloat16(1.5f), -tiny).__x == 0x3fc1);
    test("bfloat16 of 257, 259, 33000", (float)__nv_bfloat16(257) == 256 &&
         (float)__nv_bfloat16(259) == 260 && (float)__nv_bfloat16(33000) == 33024);
    test("half of 65519, 65520", (float)__half(65519) == 65504 && isinf((float)__half(65520)));
    test("bfloat16 of 2^62 + 2^54 + 1", __nv_bfloat16((1ll << 62) + (1ll << 54) + 1).__x == 0x5e81);
    test("max: NaN loses, in max_nan it wins", (float)__hmax(one, __half(NAN)) == 1.0f
         && __hisnan(__hmax_nan(one, __half(NAN))));
    test("half to int saturates", (signed char)__half(300.0f) == 127 && (unsigned)__half(-3.0f) == 0
         && (int)__half(NAN) == 0);
    test("e4m3 of NaN", __nv_fp8_e4m3(NAN).__x == 0x7f && isnan((float)__nv_fp8_e4m3(NAN)));
}

int main(void)
{
    test_formats();
    test_arithmetic();
    return 0;
}
