/* emit.h -- writing CUDA C */
#ifndef EMIT_H
#define EMIT_H
#include "plan.h"

/* ---- abi.c: names and parameter lists that device and host code share ------------------------ */

bool        c_reserved(const char *word);          /* by C, C++, CUDA or a template */
const char *c_name(Name name);                     /* usable in the output: `double` -> `double_` */
const char *c_stride(const Param *p, int axis);    /* y_stride; of several y_stride_0 .. */
int         c_strides(const Param *p);             /* how many strides it is passed with */
const char *c_local(const Function *f, const char *name);       /* name, or name_: no parameter */
const char *c_global(const Function *f, const char *symbol);    /* ::symbol if a parameter is so */
/* csym.c: a Sym as a C expression of int64_t. atom() gives an atom's text, with precedence at least
   that of a cast; NULL: names by c_name. Names of k's extents, and what is made of them without a
   minus, are taken to be 0 at least: N / 4; others are divided by tile_div(a, b). tile_ceil(a, b),
   tile_mod, tile_min, tile_max are sections of templates/integer.cu. */
const char *c_sym(Sym s);
const char *c_sym_with(Sym s, const char *(*atom)(Sym atom, void *arg),
                       const char *(*known)(Sym s, void *arg), void *arg);
const char *c_sym_in(const Kernel *k, Sym s, const char *(*atom)(Sym atom, void *arg), void *arg);
bool        sym_not_negative(const Kernel *k, Sym s);   /* whatever the extents are */
/* How many programs an axis has: tile_ceil(M, 8); the largest of several outputs', those that may
   be NULL only if they are there: tile_max(tile_ceil(M, 8), mean ? tile_ceil(G, 8) : 0). */
const char *c_programs(const Kernel *k, const Axis *axis);
typedef enum {
    ABI_DEVICE,   /* float *__restrict__ y, int64_t y_stride, .., float eps, int64_t M, int64_t N */
    ABI_DEVICE_ARGS,    /* y, y_stride, .., eps, M, N */
    ABI_STRIDED,        /* float *y, int64_t y_stride, .., int64_t N, cudaStream_t stream */
    ABI_PLAIN,          /* float *y, .., int64_t N, cudaStream_t stream */
    ABI_PLAIN_C,        /* the same with the header's C99 types (tile_bf16 *y) */
    ABI_STRIDED_C
} AbiForm;
/* Parameters, wrapped at 100 columns with continuation lines indented by `indent`. */
void abi_params(Text *out, const Function *f, AbiForm form, int indent);

/* ---- emit.c and the files after it: the device code of one kernel ---------------------------- */

void emit_kernel(Text *out, const Plan *plan);     /* bodies and entries, with their heads */
/* The lines of a kernel for the head of the file: program, variants, traffic. */
void emit_summary(Text *out, const Plan *plan);

/* ---- template.c: helpers, brought along only if their name is used --------------------------- */

/* Sections by where they go: of ptx.cu, for what the emulator has twins of; of ptx_sm90.cu and
   wgmma.cu, likewise, for sm_90a alone; of host.cu, for the launch section; the others. */
typedef struct { Text instructions, sm90a, host, device; } Helpers;
/* Adds the sections of templates/ that `code` names, and those that they name in turn. */
void bring_helpers(Helpers *to, const char *code);

/* ---- launch_boxes.c: tensor maps, by which TMA finds boxes ----------------------------------- */

const char *map_name(const Plan *p, const Box *box);           /* a_map */
void map_params(Text *out, const Plan *p, int indent);         /* behind a kernel's parameters */

/* ---- launch.c, header.c ---------------------------------------------------------------------- */

/* The launch functions of f. plans[i] belongs to f->kernels.at[i]. */
void emit_launch(Text *out, const Function *f, Plan *const *plans);
/* plans[i] are those of p->functions.at[i]. */
void emit_header(Text *out, const Program *p, Plan *const *const *plans, const char *guard,
                 const char *file);

/* ---- file.c: the whole .cu ------------------------------------------------------------------- */

/* Both texts of a program; base: softmax for softmax.cu and softmax.h; header may be NULL: then
   there is none to include. false after a report. */
bool emit_program(const Program *p, const char *base, Text *cu, Text *header);
#endif
