/* codes.c -- the table of errors and warnings: --explain */
#include "diag.h"
#include <string.h>

#define X(code, title, text) { code, title, text },
static const Code table[] = {
#include "codes.def"
};
#undef X
enum { TABLE = sizeof table / sizeof *table };

#define E(code, text) { code, text },
static const struct { const char *code, *text; } examples[] = {
#include "examples.def"
};
#undef E
enum { EXAMPLES = sizeof examples / sizeof *examples };

/* The row of a code or of a warning's name; NULL if there is none. */
const Code *code_find(const char *code)
{
    for (int i = 0; i < TABLE; i++)
        if (!strcmp(table[i].code, code)) return &table[i];
    return NULL;
}

/* Warnings have names, errors have codes. */
bool code_is_warning(const Code *c)
{
    return c->code[0] != 'E';
}

/* The name of the warning that was meant; NULL if none is near. */
const char *code_nearest(const char *code)
{
    const char *names[TABLE] = { NULL };
    size_t n = 0;
    for (int i = 0; i < TABLE; i++)
        if (code_is_warning(&table[i])) names[n++] = table[i].code;
    return nearest(code, names, n);
}

/* Prints what a diagnostic means. */
void code_explain(FILE *out, const Code *c)
{
    fprintf(out, "%s%s: %s\n\n%s\n", code_is_warning(c) ? "-W" : "", c->code, c->title, c->text);
    for (int i = 0; i < EXAMPLES; i++)
        if (!strcmp(examples[i].code, c->code))
            fprintf(out, "\nSuch a program:\n\n%s\n", examples[i].text);
}
