/* elem.c -- element types: what they are, rounding, casts, their bits in memory */
#include <math.h>
#include <string.h>
#include "ir.h"

const ElemInfo elem_info[EL_COUNT] = {
    /*              name      class        bytes digits  device           C99 header        */
    [EL_ERROR]  = {"error",  CLASS_ERROR,    0,  0,  "error",          "error"},
    [EL_BOOL]   = {"bool",   CLASS_BOOL,     1,  1,  "bool",           "bool"},
    [EL_I8]     = {"i8",     CLASS_SIGNED,   1,  7,  "int8_t",         "int8_t"},
    [EL_I16]    = {"i16",    CLASS_SIGNED,   2, 15,  "int16_t",        "int16_t"},
    [EL_I32]    = {"i32",    CLASS_SIGNED,   4, 31,  "int32_t",        "int32_t"},
    [EL_I64]    = {"i64",    CLASS_SIGNED,   8, 63,  "int64_t",        "int64_t"},
    [EL_U8]     = {"u8",     CLASS_UNSIGNED, 1,  8,  "uint8_t",        "uint8_t"},
    [EL_U16]    = {"u16",    CLASS_UNSIGNED, 2, 16,  "uint16_t",       "uint16_t"},
    [EL_U32]    = {"u32",    CLASS_UNSIGNED, 4, 32,  "uint32_t",       "uint32_t"},
    [EL_U64]    = {"u64",    CLASS_UNSIGNED, 8, 64,  "uint64_t",       "uint64_t"},
    [EL_F16]    = {"f16",    CLASS_FLOAT,    2, 11,  "__half",         "tile_f16"},
    [EL_BF16]   = {"bf16",   CLASS_FLOAT,    2,  8,  "__nv_bfloat16",  "tile_bf16"},
    [EL_F32]    = {"f32",    CLASS_FLOAT,    4, 24,  "float",          "float"},
    [EL_F64]    = {"f64",    CLASS_FLOAT,    8, 53,  "double",         "double"},
    [EL_F8E4M3] = {"f8e4m3", CLASS_FLOAT,    1,  4,  "__nv_fp8_e4m3",  "tile_f8e4m3"},
    [EL_F8E5M2] = {"f8e5m2", CLASS_FLOAT,    1,  3,  "__nv_fp8_e5m2",  "tile_f8e5m2"},
    [EL_TF32]   = {"tf32",   CLASS_FLOAT,    4, 11,  "float",          "float"},
};

/* The element type of this name, if it is one. */
bool elem_of(Name name, Elem *elem)
{
    for (int e = EL_ERROR + 1; e < EL_COUNT; e++)
        if (name == name_of(elem_info[e].name)) {
            *elem = (Elem)e;
            return true;
        }
    return false;
}

/* ---- rounding -------------------------------------------------------------------------------- */

/* Smallest power of two that a float type holds, as its exponent, and its largest number. */
static const struct { int least; double most; } float_range[EL_COUNT] = {
    [EL_F16]    = {-24,  65504.0},
    [EL_BF16]   = {-133, 0x1.fep127},
    [EL_F32]    = {-149, 0x1.fffffep127},
    [EL_F64]    = {-1074, 0x1.fffffffffffffp1023},
    [EL_F8E4M3] = {-9,   448.0},
    [EL_F8E5M2] = {-16,  57344.0},
    [EL_TF32]   = {-136, 0x1.ffcp127},
};

const char *const rounding_names[] = {
    [ROUND_AS] = "as", [ROUND_RN] = "rn", [ROUND_RZ] = "rz", [ROUND_RU] = "ru", [ROUND_RD] = "rd",
};

/* v as a whole number. */
static double round_whole(double v, Rounding rounding)
{
    switch (rounding) {
    case ROUND_AS: case ROUND_RN: return nearbyint(v);
    case ROUND_RZ: return trunc(v);
    case ROUND_RU: return ceil(v);
    case ROUND_RD: return floor(v);
    }
    return v;
}

/* Does rounding lead away from the infinity of v's sign? Then what is too large is the largest. */
static bool rounds_inward(double v, Rounding rounding)
{
    return rounding == ROUND_RZ || rounding == (v > 0 ? ROUND_RD : ROUND_RU);
}

/* v in float type e; too large becomes infinite or, as it is rounded, the largest; in 8 bits that
   in any case. */
static double round_float(Elem e, double v, Rounding rounding)
{
    if (e == EL_F64 || isnan(v) || v == 0)
        return v;
    const bool saturates = e == EL_F8E4M3 || e == EL_F8E5M2;
    const double top = saturates ? float_range[e].most : INFINITY;
    if (isinf(v))
        return copysign(top, v);
    int last = ilogb(v) - elem_info[e].digits + 1;          /* exponent of the last digit */
    if (last < float_range[e].least)
        last = float_range[e].least;
    const double r = ldexp(round_whole(ldexp(v, -last), rounding), last);
    if (fabs(r) <= float_range[e].most)
        return r;
    return copysign(rounds_inward(v, rounding) ? float_range[e].most : top, v);
}

/* The distance of the numbers of type e around v: one unit in the last place; of an integer 1. */
double elem_ulp(Elem e, double v)
{
    if (!elem_is_float(e))
        return 1;
    int last = v == 0 || !isfinite(v) ? float_range[e].least : ilogb(v) - elem_info[e].digits + 1;
    return ldexp(1, last < float_range[e].least ? float_range[e].least : last);
}

/* The low bits of an integer, as its type reads them. */
static Constant wrap_int(Elem e, Constant v)
{
    const int unused = 64 - 8 * elem_info[e].bytes;
    if (elem_info[e].class == CLASS_SIGNED)
        v.i = (int64_t)(v.u << unused) >> unused;
    else
        v.u = v.u << unused >> unused;
    return v;
}

/* v as type e holds it: an integer wrapped, a float rounded once. */
Constant round_to_elem(Elem e, Constant v)
{
    switch (elem_info[e].class) {
    case CLASS_ERROR:    break;
    case CLASS_BOOL:     v.i = v.i != 0; break;
    case CLASS_SIGNED:
    case CLASS_UNSIGNED: v = wrap_int(e, v); break;
    case CLASS_FLOAT:    v.f = round_float(e, v.f, ROUND_RN); break;
    }
    return v;
}

/* ---- casts ----------------------------------------------------------------------------------- */

/* A float towards zero into type e; what does not fit becomes the nearest that does, NaN 0. */
static Constant float_to_int(Elem e, double v)
{
    const double end = ldexp(1.0, elem_info[e].digits);     /* the first that does not fit */
    const uint64_t most = UINT64_MAX >> (64 - elem_info[e].digits);
    const bool is_signed = elem_info[e].class == CLASS_SIGNED;
    Constant r = {0};
    if (isnan(v))
        return r;
    if (v >= end)
        r.u = most;
    else if (is_signed)
        r.i = v < -end ? -(int64_t)most - 1 : (int64_t)v;
    else
        r.u = v <= -1 ? 0 : (uint64_t)v;
    return r;
}

/* An integer as an f64. */
static double int_to_double(bool negative, uint64_t magnitude, Rounding rounding)
{
    int shift = 0;
    while (magnitude >> shift >> 53)
        shift++;
    const uint64_t cut = magnitude >> shift;
    const bool away = rounding == (negative ? ROUND_RD : ROUND_RU) && cut << shift != magnitude;
    const double v = rounding <= ROUND_RN ? (double)magnitude : ldexp((double)(cut + away), shift);
    return negative ? -v : v;
}

/* An integer as a float of type e, rounded once: cut to what a double holds with the last bit set
   if something was lost, so that the second rounding sees on which side of a tie it was. */
static Constant int_to_float(Elem e, bool negative, uint64_t magnitude, Rounding rounding)
{
    int shift = 0;
    uint64_t m = magnitude;
    if (e == EL_F64)
        return (Constant){.f = int_to_double(negative, magnitude, rounding)};
    for (; m >> 53; shift++)
        m = m >> 1 | (m & 1);
    const double v = ldexp((double)m, shift);
    return (Constant){.f = round_float(e, negative ? -v : v, rounding)};
}

/* v of type `from` as type `to`, by section 6 of the language. */
Constant cast_reference(Elem from, Elem to, Constant v)
{
    return round_reference(from, to, v, ROUND_AS);
}

/* The same, rounded as round_to says. */
Constant round_reference(Elem from, Elem to, Constant v, Rounding rounding)
{
    const bool from_float = elem_is_float(from);
    if (elem_info[to].class == CLASS_BOOL)
        return (Constant){.i = from_float ? v.f != 0 : v.i != 0};
    if (from_float && elem_is_float(to))
        return (Constant){.f = round_float(to, v.f, rounding)};
    if (from_float)
        return float_to_int(to, rounding == ROUND_AS ? v.f : round_whole(v.f, rounding));
    if (!elem_is_float(to))
        return round_to_elem(to, v);
    const bool negative = elem_info[from].class == CLASS_SIGNED && v.i < 0;
    return int_to_float(to, negative, negative ? -v.u : v.u, rounding);
}

/* ---- in memory ------------------------------------------------------------------------------- */

/* Bits behind the point, and of the exponent when it says infinity or NaN, of a float type. */
static int fraction_bits(Elem e) { return e == EL_TF32 ? 23 : elem_info[e].digits - 1; }
static uint64_t nan_exponent(Elem e)
{
    return e == EL_F8E4M3 ? 0xf : (1u << (8 * elem_info[e].bytes - 1 - fraction_bits(e))) - 1;
}

/* NaN with the bits that it has in memory, in the upper ones of a double: a bitcast shows them. */
static double nan_value(Elem e, uint64_t bits)
{
    const int n = fraction_bits(e);
    union { uint64_t bits; double f; } u;
    u.bits = (uint64_t)0x7ff << 52 | (bits & (((uint64_t)1 << n) - 1)) << (52 - n);
    u.bits |= (bits >> (8 * elem_info[e].bytes - 1)) << 63;
    return u.f;
}

/* The bits of a NaN in memory; of a wider type's that would be infinity, the first NaN. */
static uint64_t nan_bits(Elem e, double v)
{
    const int n = fraction_bits(e);
    union { double f; uint64_t bits; } u = {v};
    uint64_t fraction = (u.bits & (((uint64_t)1 << 52) - 1)) >> (52 - n);
    if (e == EL_F8E4M3)
        fraction = 7;
    else if (fraction == 0)
        fraction = (uint64_t)1 << (n - 1);
    return u.bits >> 63 << (8 * elem_info[e].bytes - 1) | nan_exponent(e) << n | fraction;
}

/* The bits of a float of at most 16, sign apart: exponent and fraction. */
static uint32_t small_float_bits(Elem e, double v)
{
    const int digits = elem_info[e].digits, least = float_range[e].least;
    const uint32_t all = (1u << (8 * elem_info[e].bytes - digits)) - 1;
    if (isinf(v))
        return all << (digits - 1);
    if (v == 0 || ilogb(v) < least + digits - 1)
        return (uint32_t)ldexp(v, -least);
    const int exponent = ilogb(v);
    const uint32_t significand = (uint32_t)ldexp(v, digits - 1 - exponent);
    const uint32_t biased = (uint32_t)(exponent - least - digits + 2);
    return (biased << (digits - 1)) + significand - (1u << (digits - 1));
}

/* What bits without a sign say. */
static double small_float_value(Elem e, uint32_t bits)
{
    const int digits = elem_info[e].digits, least = float_range[e].least;
    const uint32_t all = (1u << (8 * elem_info[e].bytes - digits)) - 1;
    const uint32_t biased = bits >> (digits - 1), fraction = bits & ((1u << (digits - 1)) - 1);
    if (e == EL_F8E4M3 ? bits == 0x7f : biased == all && fraction)
        return NAN;
    if (e != EL_F8E4M3 && biased == all)
        return INFINITY;
    if (biased == 0)
        return ldexp(fraction, least);
    return ldexp(fraction + (1u << (digits - 1)), (int)biased - 1 + least);
}

/* The element at this address, which needs no alignment. */
Constant elem_load(Elem e, const void *at)
{
    const int bits = 8 * elem_info[e].bytes;
    Constant c = {0};
    float f;
    memcpy(&c, at, (size_t)elem_info[e].bytes);
    if (e == EL_F64)
        return c;
    if (e == EL_F32 || e == EL_TF32) {
        memcpy(&f, at, sizeof f);
        c.f = isnan(f) ? nan_value(e, c.u) : f;
    } else if (elem_is_float(e)) {
        const uint32_t raw = (uint32_t)c.u, sign = raw >> (bits - 1);
        const double v = small_float_value(e, raw & ~(1u << (bits - 1)));
        c.f = isnan(v) ? nan_value(e, raw) : sign ? -v : v;
    } else {
        c = round_to_elem(e, c);
    }
    return c;
}

/* Puts an element, already of this type, at an address. */
void elem_store(Elem e, void *at, Constant v)
{
    if (elem_is_float(e) && e != EL_F64 && isnan(v.f)) {
        v.u = nan_bits(e, v.f);
        memcpy(at, &v, (size_t)elem_info[e].bytes);
        return;
    }
    if (e == EL_F32 || e == EL_TF32) {
        const float f = (float)v.f;
        memcpy(at, &f, sizeof f);
        return;
    }
    if (elem_is_float(e) && e != EL_F64) {
        const uint32_t sign = signbit(v.f) ? 1u << (8 * elem_info[e].bytes - 1) : 0;
        v.u = sign | small_float_bits(e, fabs(v.f));
    }
    memcpy(at, &v, (size_t)elem_info[e].bytes);
}
