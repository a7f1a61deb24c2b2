/* ops.c -- the table of elementwise operations, and what each gives for one element */
#include <math.h>
#include "ir.h"

#define NONE 0

/* ---- the table ------------------------------------------------------------------------------- */

const OpRow op_rows[] = {
#define OP(name, symbol, arity, rule, fuse, f32, f64, ints, f16, ulp, of_f, of_i, of_u, meaning)\
    {#name, symbol, arity, rule, f32, f64, ints, f16, ulp, meaning, fuse},
#include "ops.def"
#undef OP
};
const int op_row_count = sizeof op_rows / sizeof op_rows[0];

/* The row of this name; NULL if there is none. */
const OpRow *op_row(const char *name)
{
    const Name want = name_of(name);
    for (int i = 0; i < op_row_count; i++)
        if (name_of(op_rows[i].name) == want)
            return &op_rows[i];
    return NULL;
}

/* The row of an operator as it is written, with so many operands; NULL if there is none. */
const OpRow *op_row_symbol(const char *symbol, int arity)
{
    const Name want = name_of(symbol);
    for (int i = 0; i < op_row_count; i++)
        if (op_rows[i].symbol && op_rows[i].arity == arity && name_of(op_rows[i].symbol) == want)
            return &op_rows[i];
    return NULL;
}

/* ---- what C cannot say in an expression ------------------------------------------------------ */

/* Bits of an integer type. */
static uint64_t width(Elem e)
{
    return 8 * (uint64_t)elem_info[e].bytes;
}

/* a / b towards zero; x / 0 is 0, INT64_MIN / -1 wraps. */
static int64_t divide_signed(int64_t a, int64_t b)
{
    if (b == 0)
        return 0;
    return b == -1 ? (int64_t)-(uint64_t)a : a / b;
}

/* What divide_signed leaves: x % 0 is x. */
static int64_t remainder_signed(int64_t a, int64_t b)
{
    if (b == 0)
        return a;
    return b == -1 ? 0 : a % b;
}

/* a / b rounded down; by 0: 0. */
static int64_t divide_floor(int64_t a, int64_t b)
{
    const int64_t rest = remainder_signed(a, b);
    return divide_signed(a, b) - (b != 0 && rest != 0 && (rest < 0) != (b < 0));
}

/* What divide_floor leaves, with the sign of b; by 0: a. */
static int64_t modulo_floor(int64_t a, int64_t b)
{
    const int64_t rest = remainder_signed(a, b);
    return b != 0 && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* a / b rounded up; by 0: 0. */
static int64_t divide_ceil(int64_t a, int64_t b)
{
    const int64_t rest = remainder_signed(a, b);
    return divide_signed(a, b) + (b != 0 && rest != 0 && (rest < 0) == (b < 0));
}

/* Any count: the width of e or more gives 0, and so does a negative one, which is huge here. */
static uint64_t shift_left(uint64_t a, uint64_t count, Elem e)
{
    return count < width(e) ? a << count : 0;
}

/* Any count: what is shifted out completely leaves the sign. */
static int64_t shift_right_signed(int64_t a, int64_t count, Elem e)
{
    return a >> ((uint64_t)count < width(e) ? count : 63);
}

/* IEEE 754-2019 maximum: NaN if one is NaN; +0 is above -0. */
static double maximum(double a, double b)
{
    if (isnan(a) || isnan(b))
        return a + b;
    if (a == b)
        return signbit(a) ? b : a;
    return a > b ? a : b;
}

/* 1 / (1 + exp(-x)) without a loss where exp(-x) overflows. */
static double sigmoid_float(double a)
{
    const double small = exp(-fabs(a));
    return (a < 0 ? small : 1.0) / (1.0 + small);
}

/* a * b + c, in f64 rounded once. Of narrower types the product is exact in a double; if their sum
   is not, it is moved to the neighbour that ends in an odd bit, on the side of the exact sum: then
   rounding to the narrower type is right, as it sees on which side of a tie that was. */
static double fma_to_odd(double a, double b, double c, Elem e)
{
    if (e == EL_F64)
        return fma(a, b, c);
    const double product = a * b, sum = product + c;
    if (!isfinite(sum))
        return sum;
    const double back = sum - product;
    const double rest = (product - (sum - back)) + (c - back);
    union { double f; uint64_t bits; } u = {sum};
    if (rest == 0 || u.bits & 1)
        return sum;
    return nextafter(sum, rest > 0 ? INFINITY : -INFINITY);
}

/* ---- the reference --------------------------------------------------------------------------- */

/* One function an operation and class of type: float_exp, int_add, uint_shr. */
#define OP(name, symbol, arity, rule, fuse, f32, f64, ints, f16, ulp, of_f, of_i, of_u, meaning)\
    static double float_##name(double a, double b, double c, Elem e)                        \
    {                                                                                       \
        (void)a, (void)b, (void)c, (void)e;                                                 \
        return of_f;                                                                        \
    }                                                                                       \
    static int64_t int_##name(int64_t a, int64_t b, int64_t c, Elem e)                      \
    {                                                                                       \
        (void)a, (void)b, (void)c, (void)e;                                                 \
        return of_i;                                                                        \
    }                                                                                       \
    static uint64_t uint_##name(uint64_t a, uint64_t b, uint64_t c, Elem e)                 \
    {                                                                                       \
        (void)a, (void)b, (void)c, (void)e;                                                 \
        return of_u;                                                                        \
    }
#include "ops.def"
#undef OP

static const struct {
    double   (*on_float)(double, double, double, Elem);
    int64_t  (*on_int)(int64_t, int64_t, int64_t, Elem);
    uint64_t (*on_uint)(uint64_t, uint64_t, uint64_t, Elem);
} references[] = {
#define OP(name, symbol, arity, rule, fuse, f32, f64, ints, f16, ulp, of_f, of_i, of_u, meaning)\
    {float_##name, int_##name, uint_##name},
#include "ops.def"
#undef OP
};

/* One element: operands of type e, given in the member of their class. The result is rounded to
   its type; a bool is in i. */
Constant op_reference(const OpRow *row, Elem e, const Constant a[3])
{
    const int i = (int)(row - op_rows);
    const bool gives_bool = row->rule == RULE_COMPARE || row->rule == RULE_EQUAL
                            || row->rule == RULE_TEST || row->rule == RULE_BOOL;
    Constant r = {0};
    switch (elem_info[e].class) {
    case CLASS_ERROR:
        break;
    case CLASS_FLOAT:
        r.f = references[i].on_float(a[0].f, a[1].f, a[2].f, e);
        if (gives_bool)
            r.i = r.f != 0;
        break;
    case CLASS_UNSIGNED:
        r.u = references[i].on_uint(a[0].u, a[1].u, a[2].u, e);
        break;
    case CLASS_BOOL: case CLASS_SIGNED:
        r.i = references[i].on_int(a[0].i, a[1].i, a[2].i, e);
        break;
    }
    return round_to_elem(gives_bool ? EL_BOOL : e, r);
}
