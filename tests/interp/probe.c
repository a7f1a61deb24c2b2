/* probe.c -- the reference formulas as a filter: raw operands in, raw results out
 *
 *   probe op NAME ELEM         a, b, c of one element after another
 *   probe cast FROM TO
 */
#include <stdlib.h>
#include <string.h>
#include "ir.h"

/* Reads n elements; false at the end. */
static bool read_elements(Elem e, Constant *to, int n)
{
    unsigned char raw[8];
    for (int i = 0; i < n; i++) {
        if (fread(raw, 1, (size_t)elem_info[e].bytes, stdin) != (size_t)elem_info[e].bytes)
            return false;
        to[i] = elem_load(e, raw);
    }
    return true;
}

/* Filters standard input to standard output; 2 if there is no such operation or type. */
int main(int argc, char **argv)
{
    unsigned char raw[8];
    Elem from, to;
    if (argc != 4)
        return 2;
    const bool cast = !strcmp(argv[1], "cast");
    const OpRow *row = cast ? NULL : op_row(argv[2]);
    if (!elem_of(name_of(argv[cast ? 2 : 3]), &from) || (!cast && !row))
        return 2;
    to = row && (row->rule == RULE_COMPARE || row->rule == RULE_EQUAL || row->rule == RULE_TEST
                 || row->rule == RULE_BOOL) ? EL_BOOL : from;
    if (cast && !elem_of(name_of(argv[3]), &to))
        return 2;
    for (Constant a[3] = {{0}}; read_elements(from, a, cast ? 1 : row->arity);) {
        elem_store(to, raw, cast ? cast_reference(from, to, a[0]) : op_reference(row, from, a));
        fwrite(raw, 1, (size_t)elem_info[to].bytes, stdout);
    }
    return 0;
}
