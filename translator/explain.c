/* explain.c -- tilec --explain: each decision and its reason, by source line */
#include "diag.h"
#include "options.h"
#include <stdlib.h>
#include <string.h>

typedef struct { Pos pos; const char *text; int order; } Decision;
static LIST(Decision) decisions;

/* Is it there already, on the same line? */
static bool explained(Pos pos, const char *text)
{
    for (int i = 0; i < decisions.n; i++) {
        const Decision *d = &decisions.at[i];
        if (d->pos.source == pos.source && !strcmp(d->text, text)
            && source_line(d->pos) == source_line(pos))
            return true;
    }
    return false;
}

/* Takes down what was decided at a place, if that is asked for; once for each line. */
void explain_choice(Pos pos, const char *format, ...)
{
    if (!options.explain || !pos.source) return;
    char text[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (explained(pos, text)) return;
    if (!decisions.room) arena_root(&decisions, sizeof decisions);
    push(&decisions, ((Decision){ pos, arena_printf("%s", text), decisions.n }));
}

/* By file and line, then as they were taken. */
static int compare(const void *a, const void *b)
{
    const Decision *x = a, *y = b;
    int lines[] = { source_line(x->pos), source_line(y->pos) };
    if (x->pos.source != y->pos.source)
        return x->pos.source->number < y->pos.source->number ? -1 : 1;
    if (lines[0] != lines[1]) return lines[0] < lines[1] ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Prints all of them: file:line: text. */
void explain_print(FILE *out)
{
    if (decisions.n) qsort(decisions.at, (size_t)decisions.n, sizeof(Decision), compare);
    for (int i = 0; i < decisions.n; i++) {
        const Decision *d = &decisions.at[i];
        fprintf(out, "%s:%d: %s\n", d->pos.source->path, source_line(d->pos), d->text);
    }
}
