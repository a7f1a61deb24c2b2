/* mapping.h -- inside the emitter: what its files know about values while one body is written
 *
 * A body is written in one walk over the ops. A value is either a C variable (a register array, one
 * element per repeat and lane: t[r][v][c]) or is printed where it is used. A phase is one loop nest
 * over the elements that a thread holds of some tile: a load, a store, a reduction or the making of
 * a variable. In a streaming body what lies along the whole axis is never a variable: each phase
 * computes it again from the loads.
 */
#ifndef MAPPING_H
#define MAPPING_H
#include "emit.h"

enum { MAX_NEST = 8 };

/* What the mapping knows of a value; v->plan. The first part is the plan's, the rest a body's. */
typedef struct ValueMap {
    Dim *dim[MAX_TILE_RANK];                       /* its layout; NULL: an axis of extent 1 */
    bool feeds_sum;                                /* a product that reaches a sum: never fused */
    bool in_sym;                                   /* a Sym mentions it: it needs a C name */
    bool var;                                      /* has a C variable */
    bool declared;
    Value *web;                                    /* union-find: values that share one variable */
    const char *name;                              /* of the web's root */
    const char *local;                             /* in the phase being written: a name for one element,
                                                      or of an array [W] */
    bool local_lanes;
    bool has_fill; Constant fill;                  /* of a load along a whole axis: what lies past its end */
} ValueMap;
static inline ValueMap *map_of(const Value *v) { return v->plan; }

typedef struct { LIST(const char *) used; } Names;
typedef struct { Sym sym; const char *name; } Hoisted;
typedef struct { const char *value, *name; } HoistedBase;

/* The state of one body being written. */
typedef struct Emit {
    Text *out;
    int indent;
    const Plan *plan;
    const Kernel *k;
    const Body *body;
    bool stream;
    Names names;
    LIST(Hoisted) hoisted;                         /* bounds that have a name in this block */
    LIST(HoistedBase) bases;                       /* and where tiles begin */
    Text *shared;                                  /* declarations of shared memory, first in the body */
    LIST(const char *) padding_notes, barrier_notes;   /* for the head */
    int barriers;
    LIST(const Op *) touched;                      /* loads and stores since the last barrier that orders them */
    int loop_depth;
    Pos said;                                      /* the statement that was last copied as a comment */
    const char *coordinate[64];                    /* C name of each Dim's coordinate in this body */
    const char *coordinate_thread[64];             /* of the thread's part of it: lane, thread / 32 */
    const char *repeat[64];                        /* and of its loop variable */
    const char *thread;                            /* the thread's number in its program */
    const char *w, *vecs, *threads, *lane, *warp_lane;   /* names: W VECS THREADS c lane, unless the user has them */
    LIST(const Value *) open;                      /* values with a local name in this phase */
    const Op *root;                                /* of the phase being written */
    const char *assumed;                           /* the condition that holds where loads are written now */
    Text *pending; int pending_indent;             /* where hoisted lines go while a phase is written */
} Emit;

/* ---- place.c: which values are variables, which share one ------------------------------------- */
void place(Emit *e);
const char *fresh(Emit *e, const char *wish);      /* a name not used yet in this scope */
Value *web_root(Value *v);
bool   is_lazy(const Emit *e, const Value *v);     /* streaming, along the whole axis */
bool   is_view(const Value *v);                    /* broadcast, expand..: printed through */

/* ---- text.c: lines ------------------------------------------------------------------------------ */
void line(Emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void open_block(Emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));  /* adds { */
void close_block(Emit *e, const char *after);      /* } and more */
void quote(Emit *e, Pos stmt);                     /* // softmax.tile:5    let t = .. unless just said */
void drop_single_braces(Text *t);                /* tidy.c */
void wrap_comment(Text *out, const char *head, const char *text);

/* ---- spread.c: Dims in the body ------------------------------------------------------------------- */
const Spread *spread_of(const Emit *e, const Dim *d);
const char *repeats_text(const Emit *e, const Dim *d);   /* "VECS", "4"; NULL: one, no loop */
const char *vecs_name(const Emit *e, const Dim *d);
bool   has_lanes(const Emit *e, const Dim *d);     /* W elements side by side */
int    dims_of(const Value *v, const Dim *dims[MAX_NEST]);   /* in nest order: the fast one last */
bool   overshoots(const Emit *e, const Dim *d);    /* threads hold places past the tile's extent */
int    thread_bits(const Emit *e, const Value *v); /* mask of the thread's bits that tell elements of v */
const char *array_suffix(Emit *e, const Value *v); /* "[4][VECS][W]" */
const char *index_suffix(Emit *e, const Value *v); /* "[r][v][c]" in the open nest */
const char *vector_suffix(Emit *e, const Value *v); /* the same without the lane */
const char *device_type(Elem elem);

/* ---- phase.c: loop nests ------------------------------------------------------------------------------ */
/* phase_open opens the loops over what a thread holds of dims (not the lanes). The text goes to a buffer,
   so that hoisted lines can still come before it, and a coordinate that nothing mentions goes. */
typedef struct {
    Text text, *outer, *outer_pending;
    int indent, outer_pending_indent, scope;
    bool lanes, lanes_open;
    const Value *root;                             /* what the phase makes: never a local of itself */
    LIST(const Value *) locals;
    LIST(Value *) shared;                          /* subterms with several uses: named in the lane loop */
    LIST(struct Coordinate { size_t at; const char *name, *line; }) coordinates;
} Phase;
const char *first_element(Emit *e, const Dim *d, const char *rep);
void phase_open(Emit *e, Phase *p, const Op *root, const Dim **dims, int n);
void phase_lazies(Emit *e, Phase *p, Value **roots, int nroots);  /* loads and shared subterms */
void phase_lanes(Emit *e, Phase *p);               /* opens the loop over c, if there are lanes */
void phase_lanes_close(Emit *e, Phase *p);
void phase_close(Emit *e, Phase *p);
void declare(Emit *e, Value *v);                   /* float t[VECS][W]; unless it is declared */
void fill_variable(Emit *e, Value *to, Value *from);   /* to[..] = from[..] over its elements */
bool mentions(const char *text, const char *name); /* as a whole word */

/* ---- access.c: addresses, bounds, loads, stores --------------------------------------------------------- */
bool access_is_vector(const Plan *p, const Op *op, int width);
const char *tensor_name(const Value *tensor);
const char *bound_name(Emit *e, Sym bound, const Dim *d);     /* hoisted: const int cols = .. */
/* "row < rows && col < cols"; NULL: always. lanes: also the lane's place, col + c. */
const char *access_guard(Emit *e, const Op *op, bool lanes);
const char *valid_guard(Emit *e, const Value *v, uint32_t axes, bool lanes);
void load_into(Emit *e, const Op *load, const char *to);
const char *one_thread(Emit *e, const Value *tile);
void write_load(Emit *e, const Op *load);
void write_store(Emit *e, const Op *store);
const char *sym_c(Emit *e, Sym s);                 /* atoms that are values by their C names */

/* ---- element.c: one element of a value as a C expression --------------------------------------------------- */
typedef struct { const char *s; int prec; } Ex;    /* prec 0: a name, call or index */
enum { PREC_PRIMARY, PREC_UNARY, PREC_MUL, PREC_ADD, PREC_SHIFT, PREC_LESS, PREC_EQUAL, PREC_AND,
       PREC_XOR, PREC_OR, PREC_LAND, PREC_LOR, PREC_COND };
Ex element(Emit *e, Value *v);
const char *element_text(Emit *e, Value *v);       /* without outer parentheses */
Ex cast_text(Elem from, Elem to, Ex x);
Ex constant_text(Elem e, Constant c);

/* ---- reduce.c, relayout.c ------------------------------------------------------------------------------------- */
void write_reduce(Emit *e, const Op *op);
void write_relayout(Emit *e, const Op *op);
void barrier(Emit *e, const char *why);            /* __syncthreads(), with its reason */
Elem accumulator(const Op *reduce);                /* the element type that partial results have */

const char *thread_part(const Emit *e, const Dim *d);   /* emit.c: its bits of the thread's number */

/* ---- head.c: the comment above a body ---------------------------------------------------------------------------- */
void body_head(Text *out, Emit *e, const char *code);
void note_padding(Emit *e, const char *text);      /* a line about padding and masks */
void note_barrier(Emit *e, const char *text);

/* ---- body.c -------------------------------------------------------------------------------------------------------- */
void write_block(Emit *e, const Block *b);
#endif
