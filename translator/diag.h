/* diag.h -- what the driver asks of diagnostics: the table of codes, text for a terminal */
#ifndef DIAG_H
#define DIAG_H
#include "base.h"

/* A row of codes.def: an error by its code, or a warning by its name. */
typedef struct { const char *code, *title, *text; } Code;
const Code *code_find(const char *code);           /* E0502, or shadow; NULL if there is none */
bool code_is_warning(const Code *c);
const char *code_nearest(const char *code);        /* for "did you mean"; NULL if none is near */
void code_explain(FILE *out, const Code *c);

/* ---- explain.c ------------------------------------------------------------------------------- */
void explain_print(FILE *out);                     /* what was decided, by source line */

/* ---- near.c ---------------------------------------------------------------------------------- */
int word_distance(const char *a, const char *b);   /* letters that differ; INT_MAX if too long */
const char *nearest(const char *word, const char *const *words, size_t n); /* NULL: none is near */

/* ---- excerpt.c ------------------------------------------------------------------------------ */
size_t utf8_length(const char *s, size_t n);       /* bytes of the character at s; 0: none */
void excerpt(Text *out, Pos p, const char *color, const char *plain);   /* its line, and carets */
#endif
