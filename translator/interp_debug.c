/* interp_debug.c -- the interpreter's print and assert */
#include <math.h>
#include <string.h>
#include "interp.h"

/* ---- print ----------------------------------------------------------------------------------- */

/* The bits of an integer of its type, as a number. */
static unsigned long long bits_of(Elem e, Constant c)
{
    return c.u & UINT64_MAX >> (64 - 8 * elem_info[e].bytes);
}

/* Prints a scalar as its conversion says, %-5d: the flags go with it. */
static void print_scalar(FILE *out, const char *conversion, int length, Elem e, Constant c)
{
    const char letter = conversion[length - 1];
    const char *flags = arena_printf("%.*s", length - 1, conversion);
    if (letter == 'x')
        fprintf(out, arena_printf("%sllx", flags), bits_of(e, c));
    else if (elem_is_float(e))
        fprintf(out, arena_printf("%s%c", flags, letter), isnan(c.f) ? NAN : c.f);
    else if (elem_info[e].class == CLASS_UNSIGNED)
        fprintf(out, arena_printf("%sllu", flags), (unsigned long long)c.u);
    else
        fprintf(out, arena_printf("%slld", flags), (long long)c.i);
}

/* Prints a tile in row-major order, each axis in brackets. */
static void print_tile(FILE *out, const Held *h)
{
    int64_t place[MAX_TILE_RANK] = {0};
    for (int64_t i = 0; i < h->count; i++) {
        int open = h->rank;
        while (open > 0 && place[open - 1] == 0)
            open--;
        for (int a = open; a < h->rank; a++)
            fputc('[', out);
        print_scalar(out, elem_is_float(h->elem) ? "%g" : "%d", 2, h->elem, h->at[i]);
        for (int a = h->rank - 1; a >= 0 && place[a] == h->extent[a] - 1; a--)
            fputc(']', out);
        if (i < h->count - 1)
            fputs(", ", out);
        place_next(h, place);
    }
}

/* print: the text with the values in their places, and a new line. */
void run_print(Run *r, const Op *op)
{
    int next = 0;
    if (!r->prints)
        return;
    for (const char *s = op->text; *s; s++) {
        const int length = *s == '%' ? 2 + (int)strcspn(s + 1, "duxfegt%") : 1;
        if (*s != '%' || s[length - 1] == '%') {
            fputc(*s, r->prints);
        } else {
            const Held *h = held(r, op->args[next++]);
            if (s[length - 1] == 't')
                print_tile(r->prints, h);
            else
                print_scalar(r->prints, s, length, h->elem, h->at[0]);
        }
        s += length - 1;
    }
    fputc('\n', r->prints);
}

/* ---- assert ---------------------------------------------------------------------------------- */

/* assert: the run ends where a condition does not hold. */
void run_assert(Run *r, const Op *op)
{
    if (held(r, op->args[0])->at[0].i || r->failure)
        return;
    const char *slash = strrchr(op->pos.source->path, '/');
    r->failure = arena_printf("%s:%d: assertion failed: %s",
                              slash ? slash + 1 : op->pos.source->path, source_line(op->pos),
                              op->text);
}
