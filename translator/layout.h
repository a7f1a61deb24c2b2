/* layout.h -- what the files that choose layouts share: layout.c, rename.c, alike.c */
#ifndef LAYOUT_H
#define LAYOUT_H
#include "mapping.h"

/* Axes of values are nodes 0 .. n of a union-find; a class of nodes becomes a Dim. */
typedef struct {
    Kernel *k;
    int *parent;
    Sym *extent;
    LIST(int) *members;                          /* of a root: the values that have an axis in it */
    int room;
} Classes;

/* ---- layout.c -------------------------------------------------------------------------------- */
int     node_of(const Value *v, int axis);
int     find(Classes *c, int n);
bool    has_dim(const Type *t, int axis);          /* axes of extent 1 have none */
bool    tie(Classes *c, const Value *v, int a, const Value *w, int b);
int     result_axis(const Op *op, const Value *operand, int a);
int64_t assumed(Sym extent);
Op     *relayout_of(Classes *c, Op *op, Value *from);      /* made before op */
void    relayout(Classes *c, Op *op, int i);       /* of arg i */

/* ---- tensor.c: contractions on tensor cores -------------------------------------------------- */
bool part_from_memory(Classes *c);                 /* false: there are none */
bool mark_tensor_dims(Plan *p);                    /* false: some Dim would be on both sides */

/* ---- rename.c -------------------------------------------------------------------------------- */
void tie_moves(Classes *c);

/* ---- alike.c --------------------------------------------------------------------------------- */
void merge_alike(Classes *c);                      /* ties that save loops, and cost nothing */
#endif
