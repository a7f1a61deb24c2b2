/* contraction.h -- inside the mapping: operands of mma, and how they are multiplied */
#ifndef CONTRACTION_H
#define CONTRACTION_H
#include "mapping.h"

/* ---- stage.c: operands of contractions in shared memory; mma.c ------------------------------- */
void find_staged(Emit *e);
/* ---- pipeline.c: operands that a loop fetches rounds ahead ----------------------------------- */
const Op *plain_load(const Value *v);              /* that an operand is; NULL: it is computed */
void find_fetched(Emit *e);
void fetch_first(Emit *e, const Op *loop, const char *k, const char *from, const char *to);
void await_fetched(Emit *e, const Op *loop);       /* at the start of its rounds */
void write_fragments(Emit *e, const Op *op, const Value *acc);   /* fragments.c: tensor cores */
void stage_before(Emit *e, const Op *op);
void name_staged(Emit *e, Staged *s);
void declare_staged(Emit *e, const Staged *s, const Op *op);   /* needed from op on */
bool is_whole(const Valid *v, Sym extent);         /* is nothing padding? */
void note_staged(Emit *e, const Staged *s);        /* stage_notes.c: in the head */
bool staged_in_vectors(Emit *e, const Staged *s);
const char *staged_place(Emit *e, const Staged *s);
int  lanes_in_a_bank(const Lie *at);
const char *banks_text(const Lie *written, const Lie *read);
int k_axis(const Value *v, int side);              /* of an operand: 0 a, 1 b */
bool operand_is_masked(const Op *mma, int side);   /* along k */
bool read_as_matrices(const Staged *s);            /* fragments.c: by ldmatrix */
int  product_depth(Elem elem);                     /* of tensor cores, along k */
const Staged *staged_of(const Emit *e, const Op *mma, int side);
int64_t staged_stride(const Staged *s, int axis);
void write_mma(Emit *e, const Op *op);
Elem mma_computes(const Op *op);

/* ---- boxes.c: operands that TMA can bring; ring.c, wgmma.c: how ------------------------------ */
bool find_boxes(Plan *p);                          /* false: there are none */
int  box_width(Elem elem);                         /* elements of a row */
bool is_promoted(const Plan *p, const Op *mma);    /* the sums of a round begin at 0 */
const Box *box_of_operand(const Plan *p, const Value *v);      /* NULL: it is none */
Body *plan_boxes(const Facts *f);                  /* plan_mma.c; NULL: there is no such body */
bool shares_multiprocessor(const Plan *p, const Body *b);      /* with another block */
int  ring_rooms(const Plan *p, const Body *b);     /* rounds of boxes that memory has room for */
void begin_ring(Emit *e);                          /* at the start of the body */
void write_ring(Emit *e);                          /* those who ask for boxes */
void enter_ring(Emit *e, const char *from, const char *to);    /* before the loop */
void await_boxes(Emit *e);                         /* at the start of a round; at its end; behind */
void release_boxes(Emit *e, const char *k, const char *from);
void leave_ring(Emit *e);
void write_wgmma(Emit *e, const Op *op, const Value *acc);
#endif
