/* launch.h -- inside the writing of launch functions: what its files offer each other */
#ifndef LAUNCH_H
#define LAUNCH_H
#include "emit.h"

/* ---- wrap.c: code that is broken into lines of 100 columns ----------------------------------- */

typedef LIST(const char *) Pieces;

/* One more item of a list, after a comma; *first: there is none before it. */
void list_item(Text *out, bool *first, int indent, const char *text);
/* a && b && ..: lines after the first begin with the operator, at `indent`. */
void chain(Text *out, int indent, const char *operator, const Pieces *pieces);
/* REFUSE("format", args..); the format is printf's, and the text of a C literal. */
void refuse(Text *out, int indent, const char *format, const Pieces *args);
const char *escape(const char *text);              /* for use in such a format: \ " % */
bool pieces_have(const Pieces *p, const char *text);

/* ---- csym.c ---------------------------------------------------------------------------------- */

const char *c_sym_host(const Kernel *k, Sym s);    /* nothing overflows: products by tile_times */
const char *c_programs_host(const Kernel *k, const Axis *axis);

/* ---- contract.c: what a launch function checks before it chooses ----------------------------- */

/* Names of the launch function's own variables, other than all its parameters. */
typedef struct {
    const char *tensors, *programs, *vectors, *launch, *kernel, *blocks, *threads, *config,
               *shared, *failed, *processors, *variant, *boxes;
} Locals;

/* Static parameters and extents that are not what they may be. */
void refuse_extents(Text *out, const Function *f);
/* The table of tensors and its check. */
void refuse_tensors(Text *out, const Function *f, const Locals *names);
/* Conditions of where that all kernels share: those on tensors, after the table; or the others. */
void refuse_conds(Text *out, const Function *f, const Locals *names, bool on_tensors);
void add_cond_values(Pieces *formats, Pieces *args, const Kernel *k, const Cond *c);
bool same_cond(const Cond *a, const Cond *b);
bool cond_is_shared(const Function *f, const Cond *c);
/* As a C expression that is true if the condition holds, or if it does not. */
const char *cond_text(const Kernel *k, const Cond *c, const Locals *names, bool holds);
const char *cond_plain(const Kernel *k, const Cond *c);    /* N % 4 == 0, as a person would */
const char *cond_source(const Kernel *k, const Cond *c);   /* the same for a message's format */
/* Adds `N is %lld` for each name in s, unless it is there; the values to args. */
void add_values(Pieces *formats, Pieces *args, const Kernel *k, Sym s);
const char *joined(const Pieces *p, const char *between);
const char *choice_text(const Function *f, const Kernel *k);   /* D == 64 && CAUSAL, or NULL */
/* An extent of a tensor, right for all kernels; is it the same formula in all of them? */
const char *extent_text(const Function *f, int param, int axis);
bool extent_is_fixed(const Function *f, int param, int axis);
int  tensor_index(const Kernel *k, int param);     /* its row in the table of tensors */

/* ---- launch.c -------------------------------------------------------------------------------- */

typedef struct {
    Text *out;
    const Function *f;
    Plan *const *plans;
    Locals names;
    bool single;                                   /* there is one kernel with one entry */
    bool dynamic;                                  /* some entry has dynamic shared memory */
} Launch;

/* Starts a kernel; maps: those of its boxes, which are allowed their memory already; or NULL. */
void start(const Launch *l, int indent, const char *kernel, const char *blocks, const char *threads,
           const char *shared, const Pieces *maps);
const char *entry_needs(const Launch *l, const Plan *p, const Entry *e);
const char *launch_general(const Function *f);     /* softmax_strided; softmax without strides */
/* May the launch function choose kernel i, or does one before it always fit where i does? */
bool launch_reaches(const Function *f, Plan *const *plans, int i);

void vectors_need(const Launch *l, const Plan *p, int width, Pieces *needs);
bool same_choice(const Function *f, const Kernel *a, const Kernel *b);
const char *programs_text(const Kernel *k);        /* of all axes together, as C */

/* ---- launch_waves.c: which of several tilings ------------------------------------------------ */

/* Is kernel i chosen among others by how long its programs take together? */
bool by_waves(const Function *f, Plan *const *plans, int i);
/* The condition under which it is; before the first of them, the lines that choose. */
const char *variant_text(const Launch *l, int i);

/* ---- launch_boxes.c -------------------------------------------------------------------------- */

/* The entry whose operands are boxes, if the GPU has it and the maps can be made. */
void boxes_entry(const Launch *l, const Plan *p, const Entry *e, int indent);

/* ---- header.c -------------------------------------------------------------------------------- */

const char *comment_text(const char *text);        /* for a comment: cannot end it */
const char *source_name(const Source *s);          /* softmax.tile, without its folder */
#endif
