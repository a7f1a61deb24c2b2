/* interp.h -- inside the reference interpreter: what values hold while a kernel runs */
#ifndef INTERP_H
#define INTERP_H
#include "ir.h"

/* ---- interp_value.c: tiles, valid parts, formulas -------------------------------------------- */

typedef struct { ValidKind kind; int64_t lo, hi; } Range;   /* the valid part along one axis */

/* What a value holds now: its elements in row-major order. Overwritten when its op runs again. */
typedef struct {
    Elem elem; int rank;
    int64_t extent[MAX_TILE_RANK], count, room;
    Range valid[MAX_TILE_RANK];
    Constant *at;
} Held;

/* What the names of a launch stand for. */
typedef struct {
    LIST(struct Bound { Name name; int64_t number; Name tensor; }) bound;  /* tensor: fixed it */
} Names;

typedef struct Run {
    const Kernel *kernel;
    const Arg *args;                               /* one a parameter */
    const Names *names;
    Held *held;                                    /* by value id */
    const char *failure;                           /* of the IR, or of an assert */
    FILE *prints;                                  /* or NULL */
} Run;

void fail(Run *r, const Op *op, const char *what);
Held *held(Run *r, const Value *v);
/* Room for a value of this type, its whole extent included; everything valid. NULL after fail(). */
Held *held_new(Run *r, const Op *op, const Value *v);
void held_copy(Held *to, const Held *from);        /* elements, valid parts */
int64_t held_int(Run *r, const Value *v);          /* of a scalar, as an i64 */
bool run_eval(const Run *r, Sym s, int64_t *k);    /* false if no i64 holds it */
/* The number of a formula; 0 after fail(). */
int64_t sym_number(Run *r, const Op *op, Sym s);
bool names_find(const Names *names, Name name, int64_t *number);
Range range_join(Range a, Range b);                /* rule 2: of values that are combined */
Range range_cut(const Range *r, int64_t lo, int64_t hi, int64_t extent);   /* rule 4: keep */
bool range_has(const Range *r, int64_t i);
bool range_complete(const Range *r, int64_t extent);
/* The element at the place is valid on all axes of the mask. */
bool held_valid(const Held *h, const int64_t *place, uint32_t axes);
/* The next place in row-major order; false after the last. */
bool place_next(const Held *h, int64_t *place);
/* What padding.c says of a value that an if or a loop joins, where more is valid than this time. */
void join_static(Run *r, const Op *op, const Value *v);

/* ---- interp_ops.c, _shape.c, _move.c, _reduce.c, _combine.c, _mma.c, _access.c: one op each -- */

void run_elementwise(Run *r, const Op *op);        /* OP_ELEM, OP_CAST, OP_BITCAST, OP_SELECT */
void run_fill(Run *r, const Op *op);
void run_keep(Run *r, const Op *op);
void run_valid(Run *r, const Op *op);
void run_iota(Run *r, const Op *op);
void run_shape(Run *r, const Op *op);              /* broadcast, expand, squeeze, permute */
void run_reshape(Run *r, const Op *op);
void run_move(Run *r, const Op *op);               /* flip, extract, cat */
void run_reduce(Run *r, const Op *op);
void run_mma(Run *r, const Op *op);
void run_sort(Run *r, const Op *op);               /* interp_order.c */
void run_histogram(Run *r, const Op *op);
void run_random(Run *r, const Op *op);
void philox(uint32_t c[4], uint32_t key0, uint32_t key1);  /* philox.c: c becomes random */
void run_print(Run *r, const Op *op);              /* interp_debug.c */
void run_assert(Run *r, const Op *op);
void run_combine(Run *r, const Op *op);            /* fold, scan: interp_combine.c */
Value **run_function(Run *r, const Op *op);        /* interp.c: what its region yields */
void run_load(Run *r, const Op *op);
void run_store(Run *r, const Op *op);
void run_scatter(Run *r, const Op *op);
void run_atomic(Run *r, const Op *op);
void run_coord(Run *r, const Op *op);

/* ---- interp_launch.c: what a launch checks --------------------------------------------------- */

/* Binds the extents and int parameters of k; NULL, or why the launch is refused. */
const char *launch_check(const Kernel *k, const Arg *args, Names *names);
bool names_eval(const Names *names, Sym s, int64_t *number);
void names_bind(Names *names, Name name, int64_t number, Name tensor);   /* if it is new */
void launch_bind(const Kernel *k, const Arg *args, Names *names);
/* Is the argument of the declared type, with the extents that the names say? NULL, or why not. */
const char *launch_tensor(const Param *p, const Tensor *t, const Names *names);
#endif
