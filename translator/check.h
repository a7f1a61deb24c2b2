/* check.h -- inside check: scopes, bindings and what its files offer each other
 *
 * check() walks the tree of each kernel once per instance, with its static parameters bound, and
 * builds typed tile IR as it goes: resolve.c and instance.c make the kernels, signature.c and own.c
 * read parameters, program axes and contracts, shape.c extents and types; stmt.c, expr.c, call.c,
 * access.c, inline.c the bodies.
 */
#ifndef CHECK_H
#define CHECK_H
#include "ir.h"

typedef enum {
    BIND_VALUE,         /* a let: value */
    BIND_MUT,           /* a let mut: value is the current one */
    BIND_TUPLE,         /* several values under one name (a fn's tuple argument) */
    BIND_TENSOR,        /* a tensor parameter: value; param: its index in the kernel */
    BIND_AXIS,          /* a program axis: value (i64) */
    BIND_EXTENT,        /* an extent name: sym; as a value an i64 */
    BIND_STATIC,        /* a static int or bool: number; stands for a literal */
    BIND_CONST,         /* a const: its expression (evaluated where used), [type] */
    BIND_TYPE,          /* T: elem */
    BIND_SHAPE,         /* a variable of a fn that stands for a whole shape: shape */
    BIND_FN,            /* a fn by name: decl */
    BIND_LAMBDA,        /* a lambda: decl, and the scope that it was written in */
    BIND_BUILTIN,       /* a function of the language by another name: builtin */
    BIND_ERROR          /* something went wrong at its definition: silences what follows */
} BindKind;

typedef struct Scope Scope;
typedef struct Binding {
    BindKind kind;
    Name name;
    Pos pos;                                       /* where it was declared */
    Value *value;
    Sym sym;
    int64_t number; bool is_bool;                  /* of a lambda: calls.n where it was written */
    Elem elem;
    int param;
    Type shape;                                    /* BIND_SHAPE: rank and dim */
    const Node *decl;
    Scope *scope;                                  /* also of BIND_FN, BIND_CONST: the file's, in
                                                      which its names are looked up */
    Name builtin;                                  /* BIND_BUILTIN: exp */
    const Node *clash;                             /* the other, if two used files declare it */
    struct Binding *members; int nmembers;         /* BIND_TUPLE */
    const struct View *view;                       /* BIND_TENSOR: what of it; NULL: all */
    bool used;
    struct Binding *next;
} Binding;

/* Names are in three spaces: values, functions and kernels, types. */
typedef enum { SPACE_VALUE, SPACE_FUNCTION, SPACE_TYPE, SPACE_COUNT } Space;
struct Scope { Binding *first[SPACE_COUNT]; NameMap named[SPACE_COUNT]; Scope *outer; };

typedef struct Check {
    const Node *file;
    Program *program;
    Scope *globals;                                /* consts, fns, kernels: of files in use */
    Kernel *kernel;                                /* being built */
    Scope *scope;                                  /* innermost */
    Block *block;                                  /* where ops go */
    Pos stmt;                                      /* of the statement being lowered */
    LIST(const Node *) calls;                      /* fns being inlined: fn, its call, next fn.. */
    LIST(const Node *) inlined;                    /* every fn that a kernel calls, once */
    int unrolled;                                  /* rounds of `for static`, calls of fns */
    int depth;                                     /* of nested expressions and statements */
    bool promised;                                 /* in an `unsafe` statement */
    bool gave_up;                                  /* this body is too deep or large: it was said */
    struct Loop *loop;                             /* loop.c: innermost */
    struct Known *known;                           /* optional.c: optional tensors that are there */
    LIST(struct File *) files;                     /* resolve.c: main, then what `use` brought */
} Check;

/* ---- scope.c --------------------------------------------------------------------------------- */
Scope   *scope_push(Check *c);
void     scope_pop(Check *c);
Binding *scope_add(Check *c, Space space, BindKind kind, Name name, Pos pos);  /* may warn */
Binding *scope_find(Check *c, Space space, Name name);                         /* NULL if unknown */
/* Reports an unknown name, with the nearest known one as help. */
void     unknown_name(Check *c, Space space, Name name, Pos pos);
/* False after a report if two used files declare it: to ask where a fn or const is used. */
bool     binding_clear(const Binding *b, Pos use);
bool     word_is_name(const Node *n);               /* an N_WORD that is no literal */
/* Of the words that it is shown, the nearest to `word`, or NULL: for "did you mean". */
typedef struct { const char *word, *best; int distance; } Nearest;
void     nearest_try(Nearest *n, const char *candidate);

/* ---- resolve.c, const.c, define.c, symbol.c, instance.c, signature.c, axes.c, where.c, own.c - */
/* resolve.c: files and `use`, globals. instance.c: static parameters of kernels, lists, tune, -D:
   the Functions and Kernels. signature.c: parameters and extents of c->kernel, bound in c->scope.
   own.c, before the body: every `&mut .. by` names each program axis once; after it: each &mut is
   stored; written or updated. */
void instances(Check *c, const Node *attrs, const Node *kernel);
const char *c_symbol(const char *name);            /* symbol.c: name, or name_ if C, CUDA has it */
bool symbols_differ(const Program *p);             /* symbol.c: false after a report */
/* const.c: no const needs itself, each is made of literals, consts and operators. */
void check_consts(Check *c, Scope *file);
/* define.c. True if -D gives a value; it is parsed, or NULL after a report. */
bool define_find(Name kernel, Name name, const Node **value);
void define_report(Check *c);                      /* those that nothing took */
void signature(Check *c, const Node *kernel);
void program_axes(Check *c, const Node *kernel);   /* axes.c: `by` and `grid` -> cuts and axes */
/* where.c. The first condition over statics alone that is false, or NULL; the rest into conds. */
const Node *where_refuses(Check *c, const Node *kernel);
void where_contract(Check *c, const Node *kernel);
/* attribute.c: each is known, in its place, has the arguments it takes, and joins the list. */
typedef enum { ATTR_KERNEL, ATTR_FOR, ATTR_OTHER } AttrPlace;
void attributes(Check *c, const Node *attrs, AttrPlace place, AttrList *list);
void own_before(Check *c, const Node *kernel);
void own_after(Check *c, const Node *kernel);

/* ---- shape.c: extents; type.c: element types, shapes of tiles, sym_of_value ------------------ */
bool type_elem(Check *c, const Node *type, Elem *elem);        /* f32, or T */
/* An integer expression over extents, statics, int parameters (and literals): its Sym.
   sym_bad and a report if it is something else. */
Sym  extent_of(Check *c, const Node *expr);
/* The same, known at launch: no program index and nothing that a kernel computes. */
Sym  launch_extent(Check *c, const Node *expr);
/* The same, but must be a number now (tile extents, step, axis): false and a report if not. */
bool static_int(Check *c, const Node *expr, int64_t *k);
bool static_bool(Check *c, const Node *expr, bool *b);
/* [BM, N] of a tile: static extents > 0, or one whole axis (an extent expression of a tensor). */
bool tile_shape(Check *c, const Node *list, Type *type);
/* The Sym of an i64 (or other integer) scalar by how it was computed: constants, extents, program
   indices, + - * of such; anything else is the atom sym_value(v). */
Sym  sym_of_value(Value *v);

/* ---- stmt.c ---------------------------------------------------------------------------------- */
void lower_body(Check *c, const Node *block);                  /* of c->kernel, into c->block */

/* ---- expr.c: what an expression gives -------------------------------------------------------- */
typedef enum { GIVES_ERROR, GIVES_NOTHING, GIVES_VALUE, GIVES_LITERAL, GIVES_TENSOR, GIVES_TUPLE,
               GIVES_LIST } GiveKind;
typedef struct Given {
    GiveKind kind;
    Value *value;                                  /* GIVES_VALUE, GIVES_TENSOR */
    bool is_float, is_bool, too_big; Constant literal;  /* GIVES_LITERAL: no type yet */
    struct Given *members; int n;                  /* GIVES_TUPLE */
    const struct View *view;                       /* GIVES_TENSOR */
    Pos pos;
    const Node *node;
} Given;
Given  expr(Check *c, const Node *n);
/* As a tile or scalar value; a literal becomes `want` (EL_ERROR: i32 or i64, f32). NULL after a
   report. */
Value *expr_value(Check *c, const Node *n, Elem want);
Value *given_value(Check *c, Given g, Elem want);
Value *convert_literal(Check *c, Given literal, Elem elem);    /* checks that it fits */
/* v in a shape that it can be broadcast to (NumPy's rule). */
Value *broadcast_value(Check *c, Value *v, const Type *shape, Pos pos);

/* ---- building (build.c): one line each in the lowering files --------------------------------- */
const char *node_source(const Node *n);            /* for a message: one line, cut if long */
bool   deeper(Check *c, Pos pos);                  /* c->depth + 1; false after a report */
Value *build(Check *c, OpKind kind, Type type, Pos pos, int nargs, Value **args, Op **op);
Value *build_const(Check *c, Elem e, Constant k, Pos pos);
Value *build_int(Check *c, int64_t k, Pos pos);                /* an i64 */
Value *build_sym(Check *c, Sym s, Pos pos);                    /* an i64; a constant if it is one */
Value *build_elem(Check *c, const char *row, Value *a, Value *b, Pos pos);
Value *build_cast(Check *c, Value *v, Elem to, Pos pos);       /* v itself if it has that type */

/* ---- call.c, access.c, inline.c -------------------------------------------------------------- */
Given call(Check *c, const Node *call);                      /* builtins, fns, methods of tensors */
bool  is_builtin(Name name);                                 /* exp, sum, zeros .. */
Given method(Check *c, const Node *call, Given tensor, Name name);
Given inline_fn(Check *c, const Node *call, const Binding *fn);
void  check_fn(const Node *fn);                              /* fns.c: its parameters */
void  check_uncalled(Check *c, const Node *fn);              /* fns.c: names, if nothing calls it */
void  not_yet(Pos pos, const char *what);                      /* E1001 */
#endif
