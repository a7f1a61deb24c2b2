/* show.c -- arrays for people: as NumPy prints them, and how far two are apart */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "run.h"

enum { EDGE = 3, SUMMARY_ABOVE = 1000, LINE = 75, MOST_DIGITS = 8 };

/* How the elements of an array are written: all of one width. */
typedef struct {
    const Tensor *t;
    bool summary;                                  /* only the edges of each axis */
    bool exponent;                                 /* 1.5e-07 */
    int left, right;                               /* places before and behind the point */
    int width;
    double most, least;                            /* magnitudes, of what is finite and not 0 */
    int column;                                    /* of the line being written */
    int owed;                                      /* spaces that a line does not end with */
} Style;

/* ---- one element ----------------------------------------------------------------------------- */

/* The element at this offset. */
static Constant element_at(const Tensor *t, int64_t offset)
{
    return elem_load(t->elem, (const char *)t->data + offset * elem_info[t->elem].bytes);
}

/* Significant digits that tell v from its neighbours in its type, and the decimal exponent. */
static int unique_digits(Elem e, double v, int *exponent)
{
    char text[40];
    int digits = 1;
    for (; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, v);
        if (round_to_elem(e, (Constant){.f = strtod(text, NULL)}).f == v)
            break;
    }
    *exponent = atoi(strchr(text, 'e') + 1);
    return digits;
}

/* A finite float as text with at most so many places behind the point, trailing zeros dropped. */
static void float_digits(const Style *s, double v, int places, char *text, size_t size)
{
    int exponent;
    const int digits = unique_digits(s->t->elem, v, &exponent);
    int behind = s->exponent ? digits - 1 : digits - 1 - exponent;
    behind = behind < 0 ? 0 : behind > places ? places : behind;
    snprintf(text, size, s->exponent ? "%#.*e" : "%#.*f", s->exponent ? places : behind, v);
    if (s->exponent)
        return;
    char *end = text + strlen(text);
    while (end[-1] == '0' && strchr(text, '.'))
        *--end = '\0';
}

/* One element as text, without its padding. */
static void element_text(const Style *s, Constant c, int places, char *text, size_t size)
{
    if (elem_is_float(s->t->elem) && isfinite(c.f))
        float_digits(s, c.f, places, text, size);
    else if (elem_is_float(s->t->elem))
        snprintf(text, size, "%s", isnan(c.f) ? "nan" : c.f < 0 ? "-inf" : "inf");
    else if (s->t->elem == EL_BOOL)
        snprintf(text, size, "%s", c.i ? "True" : "False");
    else
        snprintf(text, size, "%s", elem_constant_text(s->t->elem, c));
}

/* ---- the style ------------------------------------------------------------------------------- */

/* Calls f for every element that is shown. */
static void each_shown(Style *s, int axis, int64_t offset, void (*f)(Style *s, Constant c))
{
    const Tensor *t = s->t;
    if (axis == t->rank) {
        f(s, element_at(t, offset));
        return;
    }
    const int64_t n = t->extent[axis];
    for (int64_t i = 0; i < n; i++) {
        if (s->summary && n > 2 * EDGE && i == EDGE)
            i = n - EDGE;
        each_shown(s, axis + 1, offset + i * t->stride[axis], f);
    }
}

/* First look: the range of magnitudes. */
static void see_magnitude(Style *s, Constant c)
{
    const double v = fabs(c.f);
    if (!elem_is_float(s->t->elem) || !isfinite(v) || v == 0)
        return;
    s->most = v > s->most ? v : s->most;
    s->least = s->least == 0 || v < s->least ? v : s->least;
}

/* Second look: places before and behind the point. */
static void see_places(Style *s, Constant c)
{
    char text[64];
    int exponent, right = 0;
    element_text(s, c, MOST_DIGITS, text, sizeof text);
    const bool plain = !elem_is_float(s->t->elem) || !isfinite(c.f);
    const char *point = plain ? NULL : strchr(text, '.');
    const int left = (int)(point ? (size_t)(point - text) : strlen(text));
    if (point && s->exponent)
        right = unique_digits(s->t->elem, c.f, &exponent) - 1;
    else if (point)
        right = (int)strlen(point + 1);
    right = right > MOST_DIGITS ? MOST_DIGITS : right;
    if (plain)
        s->width = left > s->width ? left : s->width;
    else
        s->left = left > s->left ? left : s->left;
    s->right = right > s->right ? right : s->right;
}

/* Chooses the style as NumPy does: an exponent for wide ranges, all elements of one width. */
static void choose_style(Style *s)
{
    int64_t n = 1;
    for (int a = 0; a < s->t->rank; a++)
        n *= s->t->extent[a];
    s->summary = n > SUMMARY_ABOVE;
    each_shown(s, 0, 0, see_magnitude);
    s->exponent = s->most >= 1e8
                  || (s->least > 0 && (s->least < 1e-4 || s->most / s->least > 1000));
    each_shown(s, 0, 0, see_places);
    if (s->left) {
        const int width = s->left + 1 + s->right + (s->exponent ? 4 : 0);
        s->width = width > s->width ? width : s->width;
    }
}

/* ---- the array ------------------------------------------------------------------------------- */

/* One element, padded: numbers by their points, everything else to the right. */
static void put_element(FILE *out, Style *s, Constant c)
{
    char text[64];
    element_text(s, c, s->right, text, sizeof text);
    const char *point = elem_is_float(s->t->elem) && isfinite(c.f) ? strchr(text, '.') : NULL;
    const int behind = point && !s->exponent ? s->right - (int)strlen(point + 1) : 0;
    fprintf(out, "%*s", s->owed + s->width - behind, text);
    s->owed = behind;
}

static void put_axis(FILE *out, Style *s, int axis, int64_t offset);

/* What stands between two entries of an axis: a space, or line ends and the indent. */
static void put_gap(FILE *out, Style *s, int axis, int width)
{
    const int rank = s->t->rank;
    if (axis == rank - 1 && s->column + 1 + width <= LINE - rank) {
        s->owed++;
        s->column++;
        return;
    }
    s->owed = 0;
    for (int i = axis; i < (axis == rank - 1 ? rank : rank - 1); i++)
        fprintf(out, "\n");
    fprintf(out, "%*s", axis + 1, "");
    s->column = axis + 1;
}

/* The entry i of an axis. */
static void put_entry(FILE *out, Style *s, int axis, int64_t offset)
{
    if (axis < s->t->rank - 1) {
        put_axis(out, s, axis + 1, offset);
        return;
    }
    put_element(out, s, element_at(s->t, offset));
    s->column += s->width;
}

/* The entries of an axis in brackets. */
static void put_axis(FILE *out, Style *s, int axis, int64_t offset)
{
    const int64_t n = s->t->extent[axis];
    fprintf(out, "[");
    s->column = axis + 1;
    for (int64_t i = 0; i < n; i++) {
        if (i)
            put_gap(out, s, axis, s->width);
        if (s->summary && n > 2 * EDGE && i == EDGE) {
            fprintf(out, "%*s...", s->owed, "");
            s->owed = 0;
            s->column += 3;
            i = n - EDGE;
            put_gap(out, s, axis, s->width);
        }
        put_entry(out, s, axis, offset + i * s->t->stride[axis]);
    }
    fprintf(out, "%*s]", s->owed, "");
    s->owed = 0;
}

/* The array as NumPy prints it; a large one by its edges. */
void show_array(FILE *out, const Tensor *t)
{
    Style s = {.t = t};
    choose_style(&s);
    if (t->rank == 0)
        put_element(out, &s, element_at(t, 0));
    else
        put_axis(out, &s, 0, 0);
    fprintf(out, "\n");
}

/* ---- differences ----------------------------------------------------------------------------- */

/* How far two elements are apart; infinitely if one is NaN, or infinite, and the other is not. */
static double distance(Elem e, Constant a, Constant b)
{
    if (!elem_is_float(e))
        return a.u == b.u ? 0 : elem_info[e].class == CLASS_UNSIGNED
               ? fabs((double)a.u - (double)b.u) : fabs((double)a.i - (double)b.i);
    if (a.f == b.f || (isnan(a.f) && isnan(b.f)))
        return 0;
    const double d = fabs(a.f - b.f);
    return isnan(d) ? INFINITY : d;
}

/* [3, 17] for the element number i of a contiguous array. */
static const char *place_text(const Tensor *t, int64_t i)
{
    const char *text = "]";
    for (int a = t->rank - 1; a >= 0; a--) {
        text = arena_printf("%s%lld%s", a ? ", " : "[", (long long)(i % t->extent[a]), text);
        i /= t->extent[a];
    }
    return text;
}

/* One line: the largest difference, absolute and in ulps of what it should be, and where. */
void show_difference(FILE *out, const char *name, const Tensor *got, const Tensor *want)
{
    const Elem e = want->elem;
    const int64_t n = tensor_bytes(want) / elem_info[e].bytes;
    double most = 0, most_ulps = 0;
    int64_t at = -1, differ = 0;
    for (int64_t i = 0; i < n; i++) {
        const Constant a = element_at(got, i), b = element_at(want, i);
        const double d = distance(e, a, b);
        const double ulps = d == 0 ? 0 : d / elem_ulp(e, elem_is_float(e) ? b.f : 0);
        differ += d > 0;
        if (d > most || at < 0)
            at = i;
        most = d > most ? d : most;
        most_ulps = ulps > most_ulps ? ulps : most_ulps;
    }
    if (differ == 0)
        fprintf(out, "%s: equal, %lld elements\n", name, (long long)n);
    else
        fprintf(out, "%s: largest error %.3g at %s, %.3g ulp; %lld of %lld elements differ\n", name,
                most, place_text(want, at), most_ulps, (long long)differ, (long long)n);
}
