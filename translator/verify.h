/* verify.h -- what verify.c and its other files share: a kernel that is being checked */
#ifndef VERIFY_H
#define VERIFY_H
#include "ir.h"

typedef struct {
    const Kernel *kernel;
    const char *after;
    unsigned char *made, *seen;                    /* by value id: defined somewhere; here */
    const Op *op;                                  /* being checked */
    bool right;
} Verify;

/* ---- verify.c -------------------------------------------------------------------------------- */
bool rule(Verify *v, bool holds, const char *what);
void use_sym(Verify *v, Sym s);
bool is_scalar(const Value *value, Elem e);

/* ---- verify_access.c ------------------------------------------------------------------------- */
void verify_access(Verify *v, const Op *op, const Type *tile);
void verify_store(Verify *v, const Op *op);
void verify_coord(Verify *v, const Op *op);
void verify_places(Verify *v, const Op *op);

/* ---- verify_along.c -------------------------------------------------------------------------- */
void verify_reduce(Verify *v, const Op *op);
void verify_mma(Verify *v, const Op *op);
void verify_sort(Verify *v, const Op *op);
void verify_combines(Verify *v, const Op *op);
#endif
