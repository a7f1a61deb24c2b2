/* recipe.c -- arrays of `tilec run` by description: x.npy, random:4x4, full:8:1.5 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "run.h"

/* ---- reading --------------------------------------------------------------------------------- */

static const char *const made_names[] = {
    [MADE_FILE] = NULL, [MADE_RANDOM] = "random:", [MADE_NORMAL] = "normal:",
    [MADE_ARANGE] = "arange:", [MADE_ZEROS] = "zeros:", [MADE_FULL] = "full:",
};

/* Takes a type off the end: x.npy:bf16 leaves x.npy. EL_ERROR if there is none. */
static Elem take_elem(char *text)
{
    char *colon = strrchr(text, ':');
    Elem e = EL_ERROR;
    if (colon && elem_of(name_of(colon + 1), &e))
        *colon = '\0';
    return e;
}

/* 4096x256 into extents; the rest of the text, or NULL if it is no shape. */
static const char *read_extents(const char *at, Recipe *recipe)
{
    for (recipe->rank = 0; recipe->rank < MAX_RANK;) {
        char *end;
        errno = 0;
        const long long n = strtoll(at, &end, 10);
        if (end == at || n < 0 || errno)
            return NULL;
        recipe->extent[recipe->rank++] = n;
        if (*end != 'x')
            return end;
        at = end + 1;
    }
    return NULL;
}

/* What stands behind x= ; NULL or why not. */
const char *recipe_read(const char *text, Recipe *recipe)
{
    char *rest = arena_printf("%s", text);
    *recipe = (Recipe){.kind = MADE_FILE};
    for (int kind = MADE_RANDOM; kind <= MADE_FULL; kind++)
        if (!strncmp(rest, made_names[kind], strlen(made_names[kind]))) {
            recipe->kind = (MadeKind)kind;
            rest += strlen(made_names[kind]);
        }
    recipe->elem = take_elem(rest);
    recipe->path = rest;
    if (recipe->kind == MADE_FILE)
        return *rest ? NULL : "names no file";
    const char *end = read_extents(rest, recipe);
    if (!end)
        return "has no extents; write 4096x256";
    if (recipe->kind == MADE_FULL) {
        char *after;
        recipe->value = *end == ':' ? strtod(end + 1, &after) : 0;
        if (*end != ':' || after == end + 1 || *after)
            return "has no value; write full:4096x256:1.5";
        return NULL;
    }
    return *end ? arena_printf("has `%s` behind its extents", end) : NULL;
}

/* A scalar of this type as a person writes it; false if it is none or does not fit. */
bool number_read(const char *text, Elem e, Constant *number)
{
    char *end;
    errno = 0;
    *number = (Constant){0};
    if (elem_is_float(e)) {
        number->f = strtod(text, &end);
        *number = round_to_elem(e, *number);
    } else if (e == EL_BOOL && (!strcmp(text, "true") || !strcmp(text, "false"))) {
        number->i = text[0] == 't';
        return true;
    } else if (e == EL_U64) {
        number->u = strtoull(text, &end, 0);
        return end != text && !*end && !errno && text[0] != '-';
    } else {
        number->i = strtoll(text, &end, 0);
        if (round_to_elem(e, *number).i != number->i)
            return false;
        errno = errno == ERANGE ? ERANGE : 0;
    }
    return end != text && !*end && (elem_is_float(e) || !errno);
}

/* ---- making ---------------------------------------------------------------------------------- */

/* 64 bits of the place i of a stream: the same for every seed, on every machine. */
static uint64_t bits_at(uint64_t seed, uint64_t i)
{
    uint64_t x = seed * 0x9e3779b97f4a7c15u + i * 0xd1342543de82ef95u + 0x632be59bd9b4e019u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* A number in [0, 1) of 24 bits. */
static double uniform_at(uint64_t seed, uint64_t i)
{
    return (double)(bits_at(seed, i) >> 40) * 0x1p-24;
}

/* A number of the normal distribution: Box and Muller's way. */
static double normal_at(uint64_t seed, uint64_t i)
{
    const double two_pi = 6.283185307179586476925287;
    const double radius = sqrt(-2 * log(1 - uniform_at(seed, 2 * i)));
    return radius * cos(two_pi * uniform_at(seed, 2 * i + 1));
}

/* The element i: random is [0, 1) of floats, 0 to 99 of integers. */
static Constant made_element(const Recipe *recipe, Elem e, uint64_t seed, uint64_t i)
{
    Constant c = {0};
    switch (recipe->kind) {
    case MADE_RANDOM:
        if (elem_is_float(e))
            c.f = uniform_at(seed, i);
        else
            c.i = (int64_t)((bits_at(seed, i) >> 8) % (e == EL_BOOL ? 2 : 100));
        return round_to_elem(e, c);
    case MADE_NORMAL:
        c.f = normal_at(seed, i);
        if (!elem_is_float(e))
            c.f = nearbyint(c.f);
        break;
    case MADE_ARANGE:
        c.i = (int64_t)i;
        return cast_reference(EL_I64, e, c);
    case MADE_FULL:
        c.f = recipe->value;
        break;
    case MADE_ZEROS: case MADE_FILE:
        break;
    }
    return cast_reference(EL_F64, e, c);
}

/* Makes the array of type t->elem; NULL or why not. */
const char *recipe_make(const Recipe *recipe, uint64_t seed, Tensor *t)
{
    t->rank = recipe->rank;
    for (int a = 0; a < t->rank; a++)
        t->extent[a] = recipe->extent[a];
    const char *why = tensor_make(t);
    const int size = elem_info[t->elem].bytes;
    const int64_t n = why ? 0 : tensor_bytes(t) / size;
    for (int64_t i = 0; i < n; i++)
        elem_store(t->elem, (char *)t->data + i * size,
                   made_element(recipe, t->elem, seed, (uint64_t)i));
    return why;
}

/* Fills an output with what no kernel stores by chance: large numbers. */
void fill_sentinel(Tensor *t)
{
    memset(t->data, t->elem == EL_BOOL ? 1 : 0x7a, (size_t)tensor_bytes(t));
}
