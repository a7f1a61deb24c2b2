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

/* ---- rename.c -------------------------------------------------------------------------------- */
void tie_moves(Classes *c);

/* ---- alike.c --------------------------------------------------------------------------------- */
void merge_alike(Classes *c);                      /* ties that save loops, and cost nothing */
#endif
