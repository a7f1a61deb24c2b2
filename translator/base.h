/* base.h -- what every file knows: memory, names, source text, diagnostics, symbolic integers */
#ifndef BASE_H
#define BASE_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- arena.c: one arena, freed once at exit ---------------------------------------------- */

void *arena_alloc(size_t bytes);                   /* zeroed, aligned to 16; exits if memory ends */
char *arena_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
void  arena_root(void *at, size_t size);           /* a static, zeroed by arena_free_all */
void  arena_free_all(void);
#define new(T)          ((T *)arena_alloc(sizeof(T)))
#define new_array(T, n) ((T *)arena_alloc(sizeof(T) * (size_t)(n)))

/* A growing array in the arena: T *at; int n, room.  push(&list, item). */
#define LIST(...) struct { __VA_ARGS__ *at; int n, room; }
#define push(list, item) \
    (list_grow((void **)&(list)->at, (list)->n, &(list)->room, sizeof *(list)->at), \
                          (list)->at[(list)->n++] = (item))
void  list_grow(void **at, int n, int *room, size_t size);

/* A growing text, also in the arena; always ends with a NUL. */
typedef struct { char *at; size_t n, room; } Text;
void text_add(Text *t, const char *s, size_t n);
void text_printf(Text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- name.c: interned, compared with == ------------------------------------------------ */

typedef const struct NameText { const char *text; uint32_t len, hash; } *Name;
Name name_n(const char *text, size_t len);
Name name_of(const char *text);

/* What belongs to a name; empty if zeroed. */
typedef struct { Name *names; void **values; uint32_t room, n; } NameMap;
void *map_find(const NameMap *m, Name name);       /* NULL if nothing was put */
void  map_put(NameMap *m, Name name, void *value);

/* ---- words.c: the words of C, C++ and CUDA --------------------------------------------- */

bool c_word(const char *word);                     /* no variable can have it */
bool c_linked(const char *word);                   /* no extern "C" function can have it */
bool c_ruled(const char *word);                    /* of a family that is too large to list */
bool template_named(const char *word);             /* template.c: of a helper of the output */

/* ---- source.c: files, offset -> line and column ---------------------------------------- */

typedef struct Source Source;
struct Source {
    const char *path;                              /* as given or found, for messages */
    const char *text;                              /* size bytes, then a NUL; a BOM is kept */
    uint32_t size;
    uint32_t *lines; int nlines;                   /* line starts; LF, CR LF and CR end one */
    int number;                                    /* in order of opening */
};

/* A piece of a source text. at + len <= size. Zero-initialised: no place. */
typedef struct { const Source *source; uint32_t at, len; } Pos;

Source *source_open(const char *path, const char **why);   /* NULL and a reason if it cannot be */
Source *source_text(const char *path, const char *text, size_t size);
int     source_line(Pos p);                        /* from 1 */
int     source_column(Pos p);                      /* from 1, in characters */
const char *source_line_text(const Source *s, int line, int *len);
extern LIST(Source *) all_sources;

/* ---- diag.c: errors, warnings, notes, help --------------------------------------------- */

/* Each is one report; note() and help() that follow belong to it, and vanish with it if it was a
   repetition (same code at the same place: instances of one kernel are checked one by one) or one
   too many (20 errors). code: "E0502"; the table of codes is in codes.def. */
void error(Pos p, const char *code, const char *format, ...) __attribute__((format(printf, 3, 4)));
void warn(Pos p, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
void note(Pos p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void help(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* explain.c: a decision and its reason, for --explain */
void explain_choice(Pos p, const char *format, ...) __attribute__((format(printf, 2, 3)));
int  error_count(void);
bool too_many_errors(void);

/* ---- sym.c: integers by formula, in a normal form --------------------------------------- */

/* Two are equal exactly if they are the same pointer. Arithmetic is exact in 64 bits; what
   overflows becomes sym_bad (never equal to anything useful, sym_is_bad tells). */
typedef const struct SymNode *Sym;
typedef enum {
    SYM_CONST,                                     /* k */
    SYM_NAME,                                      /* an extent, or an int parameter, by its name */
    SYM_VALUE,                                     /* a scalar of the IR, by its id (value) */
    SYM_SUM,                                       /* k + kid[0] + ..; kids: SYM_PRODUCT, sorted */
    SYM_PRODUCT,                                   /* k * kid[0] * ..; the kids are atoms, sorted */
    SYM_DIV, SYM_MOD, SYM_CEIL,                    /* floor(a / b), floor remainder, ceil(a / b) */
    SYM_MIN, SYM_MAX,
    SYM_BAD
} SymKind;
struct SymNode {
    SymKind kind; int n; uint32_t id;              /* id: order of making, what sorts */
    int64_t k;
    Name name;
    const void *value;                             /* of SYM_VALUE: struct Value * */
    Sym kid[];
};
Sym sym_const(int64_t k);
Sym sym_name(Name name);
Sym sym_value(const void *value);
Sym sym_add(Sym a, Sym b);
Sym sym_sub(Sym a, Sym b);
Sym sym_mul(Sym a, Sym b);
Sym sym_div(Sym a, Sym b);                         /* folds if exact: (2 * N) / 2 is N */
Sym sym_mod(Sym a, Sym b);
Sym sym_ceil(Sym a, Sym b);
Sym sym_min(Sym a, Sym b);
Sym sym_max(Sym a, Sym b);
bool sym_is(Sym s, int64_t k);
bool sym_const_of(Sym s, int64_t *k);              /* true and the number if it is one */
bool sym_is_bad(Sym s);
bool sym_divides(int64_t d, Sym s);                /* provably, whatever the names are */
bool sym_mentions(Sym s, bool (*is)(Sym atom, void *arg), void *arg);  /* any atom for which is() */
Sym  sym_replace(Sym s, Sym (*atom)(Sym atom, void *arg), void *arg);  /* with atoms mapped */
const char *sym_text(Sym s);                       /* as one would write it: ceil(M, 8) * N + 1 */
/* The number, if atom() gives every atom's; false if not, or on overflow. x / 0 is 0, x % 0 x. */
bool sym_eval(Sym s, bool (*atom)(Sym atom, int64_t *k, void *arg), void *arg, int64_t *k);
#endif
