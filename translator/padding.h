/* padding.h -- what the passes about padding share: bounds.c, valid.c, padding.c, mixed.c */
#ifndef PADDING_H
#define PADDING_H
#include "ir.h"

/* ---- bounds.c -------------------------------------------------------------------------------- */
Sym  sym_of_scalar(const Value *v);
bool provably_at_least(const Kernel *k, Sym s, int64_t least);
bool provably_divides(const Kernel *k, int64_t d, Sym s);

/* ---- valid.c: the valid part of one axis ----------------------------------------------------- */
bool  valid_same(const Valid *a, const Valid *b);
bool  valid_complete(const Valid *v, Sym extent);              /* nothing is padding; provably */
Valid valid_of_load(const Kernel *k, const Access *access, int axis, Sym extent);
/* The first so many places, as many as were valid in v, and at most extent. */
Valid valid_first(const Kernel *k, const Valid *v, Sym extent);
Valid valid_kept(const Kernel *k, const Valid *v, Sym lo, Sym hi, Sym extent);
Valid valid_flipped(const Kernel *k, const Valid *v, Sym extent);
Valid valid_shifted(const Kernel *k, const Valid *v, Sym of, Sym start, Sym extent);
Valid valid_cat(const Kernel *k, const Valid *a, Sym a_extent, const Valid *b, Sym b_extent);
/* Of all axes of a tile of another shape; false if `axis` and its like cannot say it. */
bool  valid_reshaped(const Kernel *k, const Type *from, const Valid *valid, const Type *to,
                     Valid *result, int *axis);
const char *formula_words(Sym s);                              /* N - i * 8 */
const char *valid_text(const Valid *v);            /* [0, clamp(N - i * 8, 0, 8)) */

/* ---- padding.c, mixed.c: where the valid parts come from ------------------------------------- */
typedef enum {
    CAUSE_NONE,
    CAUSE_FROM,                                    /* an interval that `a` made */
    CAUSE_TWO,                                     /* mixed: `a` and `b` made different ones */
    CAUSE_LOOP,                                    /* mixed: a's is another each round of `where` */
    CAUSE_ARM,                                     /* mixed: a's exists in an arm of `where` only */
    CAUSE_SQUEEZE,                                 /* mixed: `where` drops what a may have padded */
    CAUSE_GAP,                                     /* mixed: `where` puts b behind a with a gap */
    CAUSE_LARGE                                    /* mixed: a's bounds are no formula of 64 bits */
} CauseKind;
typedef struct { CauseKind kind; const Op *a, *b, *where; Valid va, vb; } Cause;

/* Reports that op consumes `axis`, which is mixed for this reason. */
void report_mixed(const Op *op, int axis, const Cause *cause);
/* Reports that op merges or splits `axis`, and its interval does not come out as one. */
void report_reshape(const Op *op, int axis, const Cause *cause);

/* ---- padding.c, padding_along.c: the parts of a kernel on the way ---------------------------- */
/* A kernel on the way. Arguments of regions and what ifs and loops give are joined from all ways
   that lead there; as a loop leads back, the ops are gone through until nothing changes. */
typedef struct {
    Kernel *k;
    Cause (*cause)[MAX_TILE_RANK];                 /* by value id, as Value.valid is */
    bool changed, reporting;
} Pass;
Cause *cause_of(Pass *p, const Value *v, int axis);
void make_data(Pass *p, Value *v);                 /* everything is data */
void make_part(Pass *p, Value *v, int axis, const Op *op, Valid valid);
void copy_part(Pass *p, Value *v, int axis, const Value *from, int from_axis);
bool join_parts(Valid *valid, Cause *mine, Valid with, Cause cause);   /* rule 2 */
void join_part(Pass *p, Value *v, int axis, Valid with, Cause cause);
bool consume(Pass *p, const Op *op, const Value *v, uint32_t axes);    /* false after a report */
void consume_places(Pass *p, const Op *op);
void padding_contract(Pass *p, const Op *op);      /* mma */
void padding_sort(Pass *p, const Op *op);
void padding_members(Pass *p, const Op *op);       /* fold, scan */

/* ---- pad_value.c, pad_if.c: what lies outside the valid part --------------------------------- */
/* What one value holds: a constant everywhere, or a pad along each axis. */
typedef struct { bool constant; Pad axis[MAX_TILE_RANK]; } Holds;

/* A question on the way. What a loop carries is guessed to hold what it begins with; where that
   turns out wrong the guess is lowered to what is right of it, and the question is asked again. */
typedef struct { const Value *v; bool asked, guessed; Holds holds, guess; } Slot;
typedef struct {
    const Constant *(*fill)(const Op *load, void *arg);
    void *arg;
    Slot *slots;                                   /* by value */
    int n, room, depth;
    bool again;
} Ask;

Pad   pad_join(Pad a, Pad b);
Holds holds_of(Ask *q, const Value *v);
Holds holds_made(Ask *q, const Op *op);
Holds holds_joined(Ask *q, Value *const *values, int n, const Value *result);
Holds holds_both(Holds a, const Holds *b);         /* what is right of both */
bool  holds_same(const Holds *a, const Holds *b);
void  pad_values(Kernel *k);                       /* Value.pad of all values */
const char *pad_text_of(Pad pad, Elem elem);       /* 0.0, -inf or nan, unknown */
#endif
