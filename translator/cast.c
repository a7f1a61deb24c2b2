/* cast.c -- an element as another type: `as` and round_to in C */
#include "mapping.h"
#include <string.h>

/* A text with its precedence. */
Ex ex(const char *s, int prec)
{
    return (Ex){ s, prec };
}

/* The expression, in parentheses if it binds looser than prec. */
const char *within(Ex x, int prec)
{
    return x.prec <= prec ? x.s : arena_printf("(%s)", x.s);
}

/* function(x) */
static Ex call(const char *function, Ex x)
{
    return ex(arena_printf("%s(%s)", function, x.s), PREC_PRIMARY);
}

/* (type)x */
static Ex c_cast(Elem to, Ex x)
{
    return ex(arena_printf("(%s)%s", device_type(to), within(x, PREC_UNARY)), PREC_UNARY);
}

/* A float or double from the narrow types; x itself if it is one. */
Ex widened(Elem from, Ex x)
{
    switch (from) {
    case EL_F16:
        return call("__half2float", x);
    case EL_BF16:
        return call("__bfloat162float", x);
    case EL_F8E4M3: case EL_F8E5M2:
        return call("float", x);
    default:
        return x;
    }
}

/* Is it a float type that C computes in float instead? */
static bool is_narrow(Elem e)
{
    return e == EL_F16 || e == EL_BF16 || e == EL_F8E4M3 || e == EL_F8E5M2;
}

/* To f16, bf16 or f8 from a float or, where `wide`, from a double: one rounding. */
static Ex narrow(Elem to, Ex x, bool wide)
{
    static const char *const names[EL_COUNT][2] = {
        [EL_F16] = { "__float2half_rn", "__double2half" },
        [EL_BF16] = { "__float2bfloat16_rn", "__double2bfloat16" },
        [EL_F8E4M3] = { "__nv_fp8_e4m3", "__nv_fp8_e4m3" },
        [EL_F8E5M2] = { "__nv_fp8_e5m2", "__nv_fp8_e5m2" },
    };
    return call(names[to][wide], x);
}

/* An integer as a 16-bit or 8-bit float, rounded once. */
static Ex int_to_narrow(Elem from, Elem to, Ex x)
{
    if (elem_info[from].bytes == 8)
        return narrow(to, ex(arena_printf("sticky_double(%s)", x.s), PREC_PRIMARY), true);
    return narrow(to, c_cast(elem_info[from].bytes <= 2 ? EL_F32 : EL_F64, x),
                  elem_info[from].bytes > 2);
}

/* What is rounded to tf32 as a float: where f32 would round first, with the last bit sticky. */
static Ex to_tf32_source(Elem from, Ex x)
{
    if (elem_is_int(from) && elem_info[from].bytes == 8)
        x = call("sticky_double", x);
    else if (elem_is_int(from) && elem_info[from].bytes == 4)
        x = c_cast(EL_F64, x);
    else if (from != EL_F64)
        return cast_text(from, EL_F32, x);
    return call("odd_float", x);
}

/* t as T, as language.md's table of casts says. */
Ex cast_text(Elem from, Elem to, Ex x)
{
    if (from == to)
        return x;
    if (to == EL_BOOL)
        return ex(arena_printf("%s != 0", within(widened(from, x), PREC_LESS)), PREC_EQUAL);
    if (elem_is_int(to) && elem_is_float(from))
        return ex(arena_printf("saturate_cast<%s>(%s)", device_type(to), widened(from, x).s),
                  PREC_PRIMARY);
    if (elem_is_int(to))
        return c_cast(to, x);
    if (to == EL_TF32)
        return call("round_tf32", to_tf32_source(from, x));
    if (is_narrow(to))
        return elem_is_float(from) ? narrow(to, widened(from, x), from == EL_F64)
             : from == EL_BOOL ? narrow(to, c_cast(EL_F32, x), false) : int_to_narrow(from, to, x);
    if (is_narrow(from))
        return to == EL_F32 ? widened(from, x) : c_cast(to, widened(from, x));
    if (from == EL_TF32 && to == EL_F32)
        return x;
    return c_cast(to, x);
}

/* ---- round_to -------------------------------------------------------------------------------- */

/* Is every number of one type a number of the other, so that nothing is rounded? */
static bool exact(Elem from, Elem to)
{
    bool small = elem_info[from].bytes == 1 && elem_is_float(from);
    bool wide = to == EL_F32 || to == EL_F64 || to == EL_TF32 || !elem_is_float(from)
        || (small && elem_info[to].bytes == 2);
    return wide && elem_info[from].digits <= elem_info[to].digits;
}

/* A float as an integer. */
static Ex whole(Elem from, Elem to, Ex x, Rounding rounding)
{
    static const char *const names[][2] = {
        [ROUND_RN] = { "rintf", "rint" }, [ROUND_RZ] = { "truncf", "trunc" },
        [ROUND_RU] = { "ceilf", "ceil" }, [ROUND_RD] = { "floorf", "floor" },
    };
    if (rounding == ROUND_RZ)
        return cast_text(from, to, x);
    bool is_double = from == EL_F64;
    return cast_text(is_double ? EL_F64 : EL_F32, to,
                     call(names[rounding][is_double], widened(from, x)));
}

/* A float in a narrower type, not to nearest. */
static Ex directed(Elem to, Ex x, Rounding rounding)
{
    const char *mode = rounding_names[rounding];
    int sign = rounding == ROUND_RU ? 1 : rounding == ROUND_RD ? -1 : 0;
    switch ((int)to) {
    case EL_F32:
        return x;
    case EL_F16:
        return call(arena_printf("__float2half_%s", mode), x);
    case EL_BF16:
        return call(arena_printf("__float2bfloat16_%s", mode), x);
    case EL_TF32:
        return call(arena_printf("round_digits<11, -136, %d>", sign), x);
    }
    return narrow(to, call(arena_printf(to == EL_F8E4M3 ? "round_digits<4, -9, %d>"
                                                        : "round_digits<3, -16, %d>", sign), x),
                  false);
}

/* An integer as a float or double, not to nearest. */
static Ex int_directed(Elem from, Elem to, Ex x, Rounding rounding)
{
    const char *type = elem_info[from].bytes == 8 ? "ll" : "int";
    bool is_unsigned = elem_info[from].class == CLASS_UNSIGNED;
    if (exact(from, to))
        return c_cast(to, x);
    return call(arena_printf("__%s%s2%s_%s", is_unsigned ? "u" : "", type,
                             to == EL_F64 ? "double" : "float", rounding_names[rounding]), x);
}

/* round_to(t, T, mode). Rounding in one direction twice is rounding once. */
Ex round_text(Elem from, Elem to, Ex x, Rounding rounding)
{
    bool is_int = !elem_is_float(from);
    if (rounding == ROUND_AS || exact(from, to) || (rounding == ROUND_RN && elem_is_float(to)))
        return cast_text(from, to, x);
    if (!elem_is_float(to))
        return whole(from, to, x, rounding);
    if (is_int && to == EL_F64)
        return int_directed(from, to, x, rounding);
    if (is_int)
        x = int_directed(from, EL_F32, x, rounding);
    else if (from == EL_F64)
        x = call(arena_printf("__double2float_%s", rounding_names[rounding]), x);
    else
        x = widened(from, x);
    return directed(to, x, rounding);
}
