/* lower.h -- inside lowering: what the files that turn bodies into operations offer each other */
#ifndef LOWER_H
#define LOWER_H
#include "check.h"

/* ---- build.c --------------------------------------------------------------------------------- */
/* An error, with a note for each fn that is being inlined here. */
void  mistake(Check *c, Pos p, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
Value *build_row(Check *c, const OpRow *row, int n, Value **args, Pos pos);
Op   *build_effect(Check *c, OpKind kind, Pos pos, int nargs, Value **args);   /* no result */
Given give(Value *v, const Node *n);               /* NULL: GIVES_ERROR */
Given give_kind(GiveKind kind, const Node *n);
Type  type_with_elem(Type shape, Elem e);
const char *cast_source(const Node *n, const char *type);      /* with `as type` behind it */
void  name_value(Value *v, Name name);
Elem  value_elem(const Given *g);

/* ---- literal.c ------------------------------------------------------------------------------- */
Given  literal(Check *c, const Node *word);        /* 12, 1.5e3, 0xff, true, inf */
bool   is_literal(const Node *word);
Given  literal_int(int64_t k, const Node *n);
Elem   literal_elem(const Given *g);               /* the type that it has alone */
Value *literal_cast(Check *c, Given literal, Elem e);          /* `300 as u8` */
Given  literal_negate(Check *c, Given literal, const Node *n);
Given  literal_fold(Check *c, const OpRow *row, const Given *args, int n, const Node *at);
double elem_largest(Elem e);                       /* the largest finite value of a float type */

/* ---- elementwise.c --------------------------------------------------------------------------- */
Given elementwise(Check *c, const OpRow *row, Given *args, int n, const Node *at);
/* One element type for operands i0.. of args, by the table of mixed types; false after a report. */
bool  unify(Check *c, const Given *args, int n, const char *what, Pos pos, Elem *elem);
/* v as `to` where nothing can be lost; NULL after a report that names `where`. */
Value *widen(Check *c, Given g, Elem to, const char *where);
bool  operand(Check *c, const Given *g);           /* a value or a literal; false after a report */
/* Each in its own block, in their common shape; false after a report. */
bool  join_shapes(Check *c, Block *block[2], Value *v[2], Pos pos);
/* The shape that operands have together; false after a report if they have none. */
bool  common_shape(Check *c, Value **v, int n, Pos pos, Type *shape);
bool  broadcast_all(Check *c, Value **v, int n, Pos pos);
Value *index_value(Check *c, const Node *n);       /* an i64 scalar; NULL after a report */

/* ---- optional.c ------------------------------------------------------------------------------ */
typedef struct Known { const Value *tensor; struct Known *next; } Known;
/* What is there if the condition is `truth`: joins c->known. */
void   narrow(Check *c, const Node *condition, bool truth);
bool   is_there(Check *c, const Given *tensor);    /* false after a report */
Value *condition(Check *c, const Node *n);         /* a bool scalar; NULL after a report */
Given  tensor_test(Check *c, Given g);             /* an optional tensor becomes a bool */

/* ---- branch.c -------------------------------------------------------------------------------- */
typedef struct { Block *block; Given given; } Arm;
Given join_arms(Check *c, Value *cond, Arm *yes, Arm *no, const Node *at);
Given conditional(Check *c, const Node *n);        /* c ? a : b */
Given logical(Check *c, const Node *n);            /* a && b, a || b */

/* ---- stmt.c, loop.c -------------------------------------------------------------------------- */
typedef LIST(Binding *) Variables;
typedef struct Loop { Variables carried; const Node *unrolled; struct Loop *outer; } Loop;
void statements(Check *c, const Node *block);      /* in a scope of their own */
void statement(Check *c, const Node *n);
void warn_unreachable(const Node *first, const Node *last);
bool block_ended(const Block *b);                  /* by yield, break, continue, return */
bool block_left(const Block *b);                   /* its end is not reached */
void bind_given(Check *c, const Node *pattern, Given g, BindKind kind);
void names_differ(Check *c, const Node *pattern);              /* reports one that is twice */
/* The `let mut`s outside that statements assign; their values; new values for them. */
void assigned(Check *c, const Node *n, Variables *out);
Value **present(const Variables *vars);
void give_all(const Variables *vars, Value **values);
void lower_if(Check *c, const Node *n);
void lower_for(Check *c, const Node *n);
void lower_for_static(Check *c, const Node *n);
void lower_while(Check *c, const Node *n);
void lower_jump(Check *c, const Node *n);          /* break, continue */
Pos  header_pos(const Node *n, const Node *last);  /* from the start of n to the end of last */

/* ---- call.c, call_reduce.c, call_combine.c, call_make.c, call_shape.c .. --------------------- */
enum { MAX_ARGS = 16 };
typedef enum { ARG_AXIS, ARG_KEEPDIMS, ARG_PAD, ARG_MASK, ARG_INIT, ARG_STEP, ARG_FROM, ARG_REVERSE,
               ARG_COUNT } NamedArg;
typedef struct {
    const Node *call; const char *name;
    int n; const Node *at[MAX_ARGS];
    const Node *named[ARG_COUNT];
} Args;
typedef struct Builtin {
    const char *name;
    Given (*lower)(Check *c, const Args *a, int what);         /* NULL: not yet */
    int what;
    int min, max;                                  /* positional arguments */
    unsigned named;                                /* bit mask of NamedArg */
    const char *usage;
} Builtin;
bool  arguments(Check *c, const Node *call, const Builtin *b, Args *a);
bool  axis_list(Check *c, const Node *n, int rank, uint32_t *axes);
/* axis = 1; the last one if it is not said; false after a report. */
bool  one_axis_of(Check *c, const Args *a, int rank, int *axis);
Given reduction(Check *c, const Args *a, int kind);
Value *build_all(Check *c, Value *v, Pos pos);                 /* all(v) */
Elem  reduce_accumulator(ReduceKind kind, Elem e);
bool  reduce_takes(Check *c, const Args *a, ReduceKind kind, const Given *g, Elem e);
bool  keepdims(Check *c, const Args *a, bool *keep);
Type  without_axes(Type t, uint32_t axes);
Value *keep_axes(Check *c, Value *v, uint32_t axes, int rank, Pos pos);
Given lower_reduce(Check *c, const Args *a, int what);         /* reduce(t, init = v, f) */
Given lower_scan(Check *c, const Args *a, int what);
Given lower_cumulative(Check *c, const Args *a, int what);     /* cumsum, cumprod */
Given lower_fill(Check *c, const Args *a, int what);
Given lower_keep(Check *c, const Args *a, int what);
Given lower_valid(Check *c, const Args *a, int what);
Given lower_full(Check *c, const Args *a, int what);
Given lower_constant(Check *c, const Args *a, int what);       /* zeros, ones */
Given lower_iota(Check *c, const Args *a, int what);
Given lower_select(Check *c, const Args *a, int what);
Given lower_bitcast(Check *c, const Args *a, int what);
Given lower_round_to(Check *c, const Args *a, int what);
Given lower_sort(Check *c, const Args *a, int what);
Given lower_topk(Check *c, const Args *a, int what);
Given lower_histogram(Check *c, const Args *a, int what);
Given lower_random(Check *c, const Args *a, int what);
Given lower_print(Check *c, const Args *a, int what);
Given lower_assert(Check *c, const Args *a, int what);
Given lower_reshape(Check *c, const Args *a, int what);
Given lower_expand(Check *c, const Args *a, int what);
Given lower_squeeze(Check *c, const Args *a, int what);
Given lower_broadcast(Check *c, const Args *a, int what);
Given lower_transpose(Check *c, const Args *a, int what);
Given lower_permute(Check *c, const Args *a, int what);
Given lower_cat(Check *c, const Args *a, int what);
Given lower_split(Check *c, const Args *a, int what);
Given lower_extract(Check *c, const Args *a, int what);
Given lower_flip(Check *c, const Args *a, int what);
Given lower_mma(Check *c, const Args *a, int what);
Given transposed(Check *c, Value *v, const Node *at);          /* the last two axes change places */

/* ---- view.c ---------------------------------------------------------------------------------- */
/* What of a tensor a name stands for: all of a shared one, this program's part of an owned one. */
typedef struct View {
    Value *tensor;
    const Param *param;
    int rank;
    int axis[MAX_RANK];                            /* of each of its axes: that of the tensor */
    Sym size[MAX_RANK];                            /* of each of its axes: elements of the whole */
    Sym extent[MAX_RANK];                          /* of each of its axes: how many of them exist */
    Sym index[MAX_RANK];                           /* of each of its axes: the number of the part */
    Sym start[MAX_RANK], lo[MAX_RANK], hi[MAX_RANK];   /* of each axis of the tensor */
    bool region[MAX_RANK];                         /* of each of its axes: `_`, no tile */
    bool readonly;                                 /* handed on as & */
} View;
bool view_of(Check *c, const Given *tensor, View *view);       /* false if its `by` was wrong */
bool view_whole(const View *view, int axis);       /* all of the tensor's axis */
bool view_shape(Check *c, const View *view, Pos pos, Type *type);  /* its tile */
bool view_axis(Check *c, const View *view, const Node *n, int *axis);
void view_access(const View *view, Access *access);            /* its first element */
/* The place, or the nearest that is outside too if it may be so far off that sums overflow. */
Sym  view_near(Check *c, const View *v, int i, Sym place, Sym piece, int64_t reach, Pos pos);
/* Tile `index` of the view in tiles of this shape; element `index`. False after a report. */
bool view_tiles(Check *c, const View *view, const Node *index, const Type *tile, Access *access);
/* Is this extent along axis i static, or all of it from 0? False after a report. */
bool view_whole_fits(Check *c, const View *v, int i, Sym extent, Sym at, const Node *n);
bool view_window(Check *c, const View *view, const Node *index, const Node *step, const Type *tile,
                 Access *access);

/* ---- places.c: elements by index tiles and windows ------------------------------------------- */
typedef struct {
    Access access;
    Type shape;                                    /* axes of the index tiles, then one a window */
    int windows;
    int n; Value *index[MAX_RANK]; int axis[MAX_RANK];  /* index tiles, and their tensor axes */
} Places;
bool read_places(Check *c, const Args *a, const View *view, int n, Places *places);
/* The places in a larger shape, in which their axes are the last. */
void stretch_places(Check *c, Places *places, const Type *shape, Pos pos);
Op  *build_places(Check *c, OpKind kind, const Args *a, const View *view, Value *second,
                  const Places *places, const Type *result);

/* ---- at.c, cover.c --------------------------------------------------------------------------- */
Given tensor_at(Check *c, const Node *n, Given tensor);        /* x[..] */
/* Does a store at this place of the program, with the loops around it, reach all of the part? */
bool covers(Check *c, const View *view, const Type *tile, const Access *store);

/* ---- method.c, method_load.c, method_like.c, method_store.c, method_part.c ------------------- */
bool may_read(Check *c, const Node *use, const View *view);    /* false after a report */
typedef Given Method(Check *c, const Args *a, const View *view);
Method method_load, method_window, method_like, method_store, method_put;
Method method_gather, method_scatter, method_atomic;
Method method_extent, method_origin, method_index, method_coord;
Value *load_pad(Check *c, const Args *a, Elem e);  /* v of `pad = v`, or 0; NULL after a report */
Given build_load(Check *c, const Args *a, const View *view, Type tile, const Access *access);

/* ---- fns.c, call.c: names in fns that nothing calls ------------------------------------------ */
void look_function(Check *c, const Node *callee, const Node *call);   /* reports an unknown one */

/* ---- inline.c, infer.c ----------------------------------------------------------------------- */
bool  function_given(Check *c, const Node *n, const Node *param, Binding *function);
Given call_function(Check *c, const Node *call, const Binding *f, const Given *g, int n);
Given apply_builtin(Check *c, const Node *at, Name name, const Given *g, int n);
Given call_lambda(Check *c, const Node *call, const Binding *lambda);
/* What was given, as the type that is written. If `binds`, names in it that nothing has (and that
   begin with a capital) are variables, bound to what they must be. GIVES_ERROR after a report. */
Given infer_value(Check *c, const Node *type, Given g, const char *where, bool binds);
bool  infer_tensor(Check *c, const Node *tensor, const Type *type, Pos given);
#endif
