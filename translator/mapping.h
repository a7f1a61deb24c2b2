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
    const Value *places_of;                        /* the tensor of which it is an index tile */
    bool feeds_sum;                                /* a product that reaches a sum: never fused */
    bool in_sym;                                   /* a Sym mentions it: it needs a C name */
    bool var;                                      /* has a C variable */
    bool declared;
    Value *web;                                    /* union-find: values that share one variable */
    Value *next;                                   /* of its web, in a ring */
    const char *name;                              /* of the web's root */
    const char *local;                             /* in the phase being written: a name for one
                                                      element, or of an array [W] */
    bool local_lanes;
    const char *buffer;                            /* of a move's result: its shared array */
    const char *first[MAX_TILE_RANK];              /* and the first element of an extract's piece */
    bool has_fill; Constant fill;                  /* of a load along a whole axis: past its end */
} ValueMap;
static inline ValueMap *map_of(const Value *v) { return v->plan; }

/* Those in use, by scope; where each stands there, from 1; the last number that each wish got. */
typedef struct { LIST(const char *) used; NameMap places, numbers; } Names;
typedef struct { Sym sym; const char *name; } Hoisted;
typedef struct { const char *value, *name; } HoistedBase;

/* Loads and stores; loop: of earlier rounds of this one, NULL: of this round, or before. */
typedef struct { LIST(struct Touch { const Op *op, *loop; }) at; } Touched;

/* An array in shared memory: the ops during which it is needed, and where it lies if arrays share
   memory. */
typedef struct {
    const char *name, *type, *dims;                /* k_shared, __nv_bfloat16, [64][4] */
    int align;
    int64_t bytes, at;                             /* bytes -1: known at launch only; on its own */
    int first, last;                               /* numbers of ops */
    bool reuses;                                   /* its memory was, or will be, another's */
    bool ring;                                     /* of boxes: groups that take turns share it */
} SharedArray;

/* An operand of contractions as it lies in shared memory. */
typedef struct {
    const Value *v;
    const Op *anchor;                              /* staged before this op */
    int last;                                      /* needed until the op of this number */
    int k, inner;                                  /* axes: contracted; along which rows run */
    Elem elem;                                     /* what lies there: f8 may be widened to f16 */
    int64_t pitch, size;                           /* elements of a padded row, of the array */
    bool wide;                                     /* rows are read by too many lanes for vectors */
    bool own;                                      /* 0 outside its valid part along k */
    const Valid *other;                            /* and outside that of the other operand */
    const char *base, *array, *name;               /* k, k_shared; what it is read by */
    const Op *loop; int rounds;                    /* fetched ahead in a loop with room for so many
                                                      rounds; NULL: staged where it is needed */
    const char *fetch;                             /* the lambda that does */
    const Box *box;                                /* or TMA brings it; NULL: it does not */
} Staged;
typedef struct { const Op *mma; int side, stage; } StagedFor;

/* How the lanes of a warp touch an array: at once, `vector` elements of so many bytes, `stride`
   elements apart from one to the next in each of n parts of a lane's number. */
typedef struct {
    int vector, bytes, n;
    struct { int shift, threads; int64_t stride; } part[MAX_RANK + 1];
} Lie;

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
    LIST(const Value *) formulas;                  /* integers that the user has named */
    Text *shared;                                  /* __shared__ declarations, first in the body */
    LIST(SharedArray) arrays;                      /* in the order in which they are asked for */
    const SharedArray *places;                     /* where they lie, if they share memory */
    const char *memory;                            /* smem: what they share */
    LIST(Staged) staged; LIST(StagedFor) readers;  /* operands of contractions */
    LIST(const char *) shared_notes, padding_notes, barrier_notes;   /* for the head */
    bool synced;                                   /* this round has been at a barrier */
    struct { const char *full, *empty, *room, *phase, *group, *turn, *done; int rooms;
             Text asking; } ring;                  /* of boxes: ring.c */
    Touched touched;                               /* loads and stores that no barrier orders yet */
    int loop_depth;
    Pos said;                                      /* the statement last copied as a comment */
    const char **coordinate;                      /* C name of each Dim's coordinate here */
    const char **coordinate_thread;             /* of the thread's part: lane, thread / 32 */
    const char **repeat;                          /* and of its loop variable */
    const char *thread;                            /* the thread's number in its program */
    const char *program;                           /* the program's, where a block runs several */
    const char *w, *vecs, *threads, *lane, *warp_lane;   /* W VECS THREADS c lane, unless taken */
    LIST(const Value *) open;                      /* values with a local name in this phase */
    const Op *root;                                /* of the phase being written */
    const Op *quotient; const char *inverse, *least;   /* quotient.c: how it is written now */
    const Dim *backwards;                          /* this phase goes from its last element on */
    const Dim *rounds;                             /* all threads go along it together, past its
                                                      end too: they meet in the loop */
    const char *assumed;                           /* a condition that holds for loads now */
    bool sparing;                                  /* single elements go one after the other: all
                                                      at once they would take many registers */
    Text *pending; int pending_indent;             /* where hoisted lines go during a phase */
} Emit;

/* ---- pieces.c -------------------------------------------------------------------------------- */
void take_pieces(Kernel *k);                       /* extract of a load, store of a cat */
bool is_shared(const Kernel *k, const Value *tensor);          /* a parameter nobody writes to? */

/* ---- late.c ---------------------------------------------------------------------------------- */
void delay_gathers(Kernel *k);                     /* gathered operands of contractions */

/* ---- layout.c -------------------------------------------------------------------------------- */
void layout(Plan *p, bool tensor);                 /* p->dims; the Dims of every value */
void drop_relayouts(Kernel *k);                    /* tensor.c: before it is done once more */

/* ---- stream.c: scans in the passes of a streaming body --------------------------------------- */
const char *why_no_pass(const Kernel *k);          /* NULL: each pass can make those it needs */

/* ---- facts.c: what is learnt about a kernel -------------------------------------------------- */
typedef struct {
    Plan *plan;
    int live;                                      /* bytes at once for each element held */
    int slim;                                      /* bytes of each element that all rows share */
    int late;                                      /* loads made where they are used: weights */
    int reductions, contractions, whole_loads, whole_stores;
    int meeting;                                   /* words that go from thread to thread where a
                                                      function of scalars goes along a whole axis */
    bool combines;                                 /* such functions anywhere */
    bool control;                                  /* loops or ifs around reductions */
    bool row_reduction;                            /* along a fast Dim */
    bool changes_layout;
    int key_words, sort_live;                      /* of sorts beside a whole axis: registers for
                                                      keys, bytes for each element; 0: none */
    bool carried_whole;
    int gathers;
    bool reduced_whole;                            /* so does a reduction along another axis */
    bool old_whole;                                /* an atomic gives a tile along a whole axis */
    Pos carried_at;
    int vector;
    int least_bytes;                               /* of an element that moves along the fast Dim */
    bool two_words;                                /* are elements of 8 bytes made on the way? */
} Facts;
Facts learn_facts(Plan *p);
int    state_words(const Op *op);
const char *why_not_streamed(const Facts *f);      /* NULL: a whole axis can come in pieces */

/* ---- threads.c: how a body's threads share the elements of each Dim; entries ----------------- */
int     word_budget(int threads, int width);       /* registers for tiles in each thread */
int64_t power_above(int64_t n);                    /* the least power of two that is n or more */
int64_t static_extent(const Dim *d);               /* 1 for a whole Dim */
Body   *new_body(Plan *p, BodyKind kind, const char *name);
int     free_bit(const Plan *p, const Body *b, const Dim *d);
void    spread_static(const Facts *f, Body *b, const Dim *d, int limit, int most);
int64_t elements_held(const Body *b, const Value *v);      /* by one thread; 1 a whole axis */
void    spread_statics(const Facts *f, Body *b, bool fast, int limit, int most);
int     threads_used(const Body *b);
int     spread_bits(const Spread *s);              /* of its number that tell places apart */
int     spread_over(const Spread *s);              /* how many threads */
bool    held_twice(const Body *b, const Op *op);
/* Do two accesses of one program to a tensor have to keep their order, whoever makes them? */
bool    must_order(const Op *a, const Op *b);
int     most_held(const Facts *f, const Body *b);  /* elements of one tile, in one thread */
void    share_block(const Facts *f, Body *b);
void    add_entry(Plan *p, const Body *b, int threads, int vecs, int width, int64_t capacity,
                  const char *suffix, int programs);

/* ---- ladder.c: bodies along whole axes ------------------------------------------------------- */
const Dim *whole_dim(const Plan *p, int nth);      /* NULL if there are fewer */
bool plan_whole(const Facts *f);                   /* false after a report */

/* ---- plan_mma.c: the body of a kernel that contracts ----------------------------------------- */
int64_t contracted(const Op *mma);                 /* the extent along k */
Body   *plan_contractions(const Facts *f);            /* NULL after a report */
Body   *plan_tensor(const Facts *f);               /* NULL: registers do not hold the tiles */

/* ---- fills.c: what loads put past the end of a whole axis ------------------------------------ */
const Constant *fill_of(const Op *load, void *arg);   /* for pad_if; NULL: the program's pad */

/* ---- web.c: which values share one variable, what is needed at once -------------------------- */
typedef struct { LIST(Op *) at; } Users;
typedef struct {
    Emit *e;
    Users *users;                                  /* by value id */
} Placing;
Users *users_of(const Kernel *k);
void   op_atoms(const Op *op, bool (*is)(Sym atom, void *arg), void *arg);
Value *web_root(Value *v);
void   share_variables(Placing *p);
int    live_weight(Emit *e, int (*weight)(const Emit *e, const Value *v));
int    live_bytes(Emit *e);                        /* of tiles, for each element held */
int    slim_bytes(const Emit *e);                  /* of what all rows share, for each element */

/* ---- place.c: which values are variables, and their names ------------------------------------ */
void place(Emit *e);
const char *fresh(Emit *e, const char *wish);      /* a name not used yet in this scope */
void take_name(Emit *e, const char *name);         /* it is used from now on */
const char *value_called(const Value *v);          /* its name, or its first named operand's */
void name_webs(Emit *e);                           /* wish.c */
bool is_row(const Op *op, const char *name);       /* the elementwise row of that name */
int  dim_count(const Value *v);                    /* axes spread over threads, repeats */
bool   is_full(const Emit *e, const Value *v);     /* has all Dims of its space */
bool   is_lazy(const Emit *e, const Value *v);     /* streaming, along the whole axis */
bool   is_view(const Value *v);                    /* broadcast, expand..: printed through */

/* ---- text.c: lines --------------------------------------------------------------------------- */
void line(Emit *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void open_block(Emit *e, const char *format, ...) __attribute__((format(printf, 2, 3))); /* { */
void close_block(Emit *e, const char *after);      /* } and more */
void quote(Emit *e, Pos stmt);                     /* // softmax.tile:5    let t = .., once */
void wrap_comment(Text *out, const char *head, const char *text);
const char *and_also(const char *a, const char *b);        /* a && b; NULL: always true */
bool mentions_condition(const char *all, const char *one);
const char *beyond_assumed(const Emit *e, const char *guard);   /* what e->assumed lacks of it */

/* ---- spread.c: Dims in the body -------------------------------------------------------------- */
const Spread *spread_of(const Emit *e, const Dim *d);
const char *repeats_text(const Emit *e, const Dim *d);   /* "VECS", "4"; NULL: one, no loop */
const char *vecs_name(const Emit *e, const Dim *d);
bool   has_lanes(const Emit *e, const Dim *d);     /* W elements side by side, or a pair */
const char *lanes_text(const Emit *e, const Dim *d);       /* W, or 2 */
int    dims_of(const Value *v, const Dim *dims[MAX_NEST]);   /* in nest order: the fast one last */
bool   overshoots(const Emit *e, const Dim *d);    /* threads hold places past the tile's extent */
/* Mask of the bits of the thread's number that tell elements of v. */
int    thread_bits(const Emit *e, const Value *v);
const char *one_thread(Emit *e, const Value *tile);
const char *array_suffix(Emit *e, const Value *v); /* "[4][VECS][W]" */
const char *index_suffix(Emit *e, const Value *v); /* "[r][v][c]" in the open nest */
const char *vector_suffix(Emit *e, const Value *v); /* the same without the lane */
const char *device_type(Elem elem);

/* ---- atom.c: names in C ---------------------------------------------------------------------- */
const char *tensor_name(const Value *tensor);
const char *sym_c(Emit *e, Sym s);                 /* atoms that are values by their C names */

/* ---- raster.c: which program a block runs ---------------------------------------------------- */
/* Lines at the head of a body: those with a name stay only if it is mentioned. */
typedef LIST(struct HeadLine { const char *name, *text; }) HeadLines;
void add_head(HeadLines *lines, const char *name, const char *text);   /* emit.c */
void program_lines(Emit *e, HeadLines *lines);
void name_program(Emit *e);                        /* where a block loops over its programs */
const char *program_loop(const Emit *e, const char *turn, int indent);
const char *order_text(const Kernel *k);           /* for the head; NULL: as they are cut */

/* ---- hints.c ------------------------------------------------------------------------------ */
void not_followed(const Attr *a, const char *instead);        /* warns */
const Attr *attr_of(const AttrList *list, const char *name);   /* NULL if it is not there */
int  hint_of(const Kernel *k, const char *name);   /* #[threads(128)]: 128; 0: not said */
void follow_hints(Plan *p);                        /* warns of what is not followed */

/* ---- phase.c: loop nests --------------------------------------------------------------------- */
/* phase_open opens the loops over what a thread holds of dims (not the lanes). The text goes to a
   buffer, so that hoisted lines can still come before it, and a coordinate that nothing mentions
   goes. */
typedef struct {
    Text text, *outer, *outer_pending;
    int indent, outer_pending_indent, scope;
    bool lanes, lanes_open;
    const char *width;                             /* how many lanes: W, or 2 */
    const Value *root;                             /* what it makes: never a local of itself */
    LIST(const Value *) locals;
    LIST(Value *) shared;                          /* subterms used often: named in the lane loop */
    LIST(struct Coordinate { size_t at; const char *name, *line; }) coordinates;
        /* inserted in front of what follows `at`; name NULL: always */
    const Dim *rounds, *backwards;                 /* of the phase around it */
} Phase;
const char *first_element(Emit *e, const Dim *d, const char *rep);
void phase_open(Emit *e, Phase *p, const Op *root, const Dim **dims, int n);
void phase_once(Phase *p, const char *text);       /* once for each chunk of a stream */
void keep_name(Emit *e, const char *name);         /* of a line before the phase */
void phase_lanes(Emit *e, Phase *p);               /* opens the loop over c, if there are lanes */
void phase_lanes_close(Emit *e, Phase *p);
void phase_close(Emit *e, Phase *p);
void declare(Emit *e, Value *v);                   /* float t[VECS][W]; unless it is declared */
bool alone(const Emit *e, const Value *v);           /* no other value shares its variable */
void fill_variable(Emit *e, Value *to, Value *from);   /* to[..] = from[..] over its elements */
bool mentions(const char *text, const char *name); /* as a whole word */

/* ---- lazy.c: what a phase computes again ----------------------------------------------------- */
void phase_lazies(Emit *e, Phase *p, Value **roots, int nroots);  /* loads and shared subterms */
bool loads_again(Emit *e, Value *v);
void scan_operands(Emit *e, Phase *p, Phase *own, const Op *op);
void declare_for_later(Emit *e, const Op *op);     /* of an if: before its arms */
bool meets_in_pass(Emit *e, const Op *store);       /* so that no thread may stay away */
void find_rounds(Emit *e, const Op *root);
void early_scans(Emit *e, Phase *p, const Op *root, const Dim **dims, int n);

/* ---- access.c: addresses, bounds, loads, stores ---------------------------------------------- */
bool access_is_vector(const Plan *p, const Op *op, int width);
const char *valid_guard(Emit *e, const Value *v, uint32_t axes, bool lanes);
/* Is it in this part along one axis? NULL: always. */
const char *part_guard(Emit *e, const Value *v, int axis, const Valid *valid, bool lanes);
void load_into(Emit *e, const Op *load, const char *to);
const Param *param_of(const Kernel *k, const Value *tensor);   /* NULL if it is none */
const char *find_hoisted(Emit *e, Sym s);
void hoist_line(Emit *e, const char *text);
const char *access_guard(Emit *e, const Op *op, bool lanes);
const char *tile_base(Emit *e, const Op *op);
const char *offset_text(Emit *e, const Op *op, const Value *tile, bool lanes);
int  body_vector(const Emit *e, const Value *tile);
void store_vector(Emit *e, Phase *p, const Op *store, const char *guard);
void write_load(Emit *e, const Op *load);
void write_store(Emit *e, const Op *store);
const char *hinted_load(Emit *e, const Op *load);  /* again.c */

/* ---- quotient.c ------------------------------------------------------------------------------ */
void write_neighbours(Emit *e, Phase *p, Value *tile, const char *out);
/* ---- scatter.c: index tiles; scatter and atomics --------------------------------------------- */
const char *indexed_place(Emit *e, const Op *op, int axis);
const char *indexed_guard(Emit *e, const Op *op, int axis);
void note_gather(Emit *e, const Op *op);
void load_or_pad(Emit *e, const char *guard, const char *to, const char *from, const char *pad);
void write_scatter(Emit *e, const Op *op);
void write_atomic(Emit *e, const Op *op);

/* ---- element.c: one element of a value as a C expression ------------------------------------- */
typedef struct { const char *s; int prec; } Ex;    /* prec 0: a name, call or index */
enum { PREC_PRIMARY, PREC_UNARY, PREC_MUL, PREC_ADD, PREC_SHIFT, PREC_LESS, PREC_EQUAL, PREC_AND,
       PREC_XOR, PREC_OR, PREC_LAND, PREC_LOR, PREC_COND };
Ex element(Emit *e, Value *v);
const char *element_text(Emit *e, Value *v);       /* without outer parentheses */
bool is_fast(const Kernel *k);                     /* #[fast_math] */
Ex constant_text(Elem e, Constant c);

/* ---- cast.c ---------------------------------------------------------------------------------- */
Ex ex(const char *s, int prec);
const char *within(Ex x, int prec);                /* in parentheses if it binds looser */
Ex widened(Elem from, Ex x);                       /* what C computes a narrow float in */
Ex cast_text(Elem from, Elem to, Ex x);
Ex round_text(Elem from, Elem to, Ex x, Rounding rounding);

/* ---- memory.c: barriers; arrays in shared memory, which may share it ------------------------- */
enum { SHARED_BYTES = 48 * 1024,           /* of static shared memory in a block, on every target */
       MOST_SHARED = 227 * 1024 };                 /* of dynamic shared memory on any target */
void remark(Emit *e, const char *code, const char *text);      /* code;   // text */
void barrier(Emit *e, const char *why);            /* __syncthreads(), with its reason */
void round_barrier(Emit *e, const char *why);      /* in a loop, unless this round had one */
void declare_array(Emit *e, SharedArray a);
int64_t place_arrays(SharedArray *arrays, int n);  /* sets at, reuses; how many bytes they need */
int64_t array_bytes(const Emit *e);                /* each on its own */

/* ---- shared.c: tiles in shared memory -------------------------------------------------------- */
/* How a tile lies in shared memory: elements along axis a are stride[a] + more[a] apart; where
   whole[a], stride[a] times the capacity of the body + more[a]. */
typedef struct {
    int rank;
    Elem elem;
    int64_t extent[MAX_TILE_RANK];                 /* 1 of a whole axis */
    int64_t stride[MAX_TILE_RANK], more[MAX_TILE_RANK];
    bool whole[MAX_TILE_RANK];
    int64_t count, extra; bool count_whole;        /* elements in all, as the strides are */
    uint32_t padded;                               /* mask of the axes with an odd stride */
    const Dim *along;                              /* the whole axis, or NULL */
    int64_t gap;                                   /* elements between rows */
} Stage;
/* The places of an element along the axes of a stage, as texts. */
typedef struct { const char *at[MAX_TILE_RANK]; const char *guard; } Place;
Stage   stage_rows(const Type *t);                 /* row-major, without gaps */
void    stage_gap(Stage *s);
void    stage_pad(Stage *s, int axis);             /* makes the stride of the axis odd */
int64_t stage_bytes(const Stage *s, int64_t whole);
const char *shared_array(Emit *e, const char *wish, const Stage *s);
const char *shared_array_of(Emit *e, const char *wish, const char *type, int64_t n, int64_t bytes);
const char *stride_text(Emit *e, const Stage *s, int axis);
Place   place_in(Emit *e, const Value *v, bool lanes);         /* of the present element of v */
const char *inside_along(Emit *e, const Value *v, uint32_t axes, bool lanes);
const char *inside_tile(Emit *e, const Value *v, bool lanes);
/* Writes a tile to shared memory, `from` standing at `shift` along `axis`. */
void    shared_put(Emit *e, const Op *op, Value *from, const Stage *s, const char *buffer, int axis,
                   int64_t shift);
/* Gives `to` its elements; map() turns a place in it into one in the stage; vectors: it keeps the
   neighbours along the fast axis together. */
typedef Place PlaceMap(Emit *e, const Op *op, Place at);
void    shared_get(Emit *e, const Op *op, Value *to, const Stage *s, const char *buffer,
                   PlaceMap *map, bool vectors);

/* ---- move.c: elements that move inside a tile ------------------------------------------------ */
bool    moves_along(const Op *op, int axis);       /* flip, extract, cat: along this axis */
bool    is_move(const Op *op);                     /* it moves elements, and is no renaming */
bool    moves_in_registers(const Body *b, const Op *op);       /* none from thread to thread */
int64_t staged_bytes(const Op *op, int64_t whole);  /* through shared memory; whole axes so long */
int64_t staged_in(const Body *b, const Op *op, int64_t whole); /* the same, 0 in registers */
int64_t shared_bytes(const Plan *p, const Body *b, int64_t whole);  /* of all ops of a body */
void    write_move(Emit *e, const Op *op);
int     last_piece(const Op *op);                  /* number of the last op that reads its array */

/* ---- regroup.c: a reshape in registers ------------------------------------------------------- */
bool regroups(const Body *b, const Op *op);         /* each thread has its part already */
void write_regrouped(Emit *e, const Op *op);

/* ---- order.c, debug.c ------------------------------------------------------------------------ */
int64_t static_elements(const Type *t);
bool    beside_whole(const Op *sort);              /* of a tile with a whole axis */
int64_t key_bytes(const Op *sort);                 /* of one element in shared memory */
int64_t order_bytes(const Op *op);                 /* sort, histogram, print: shared memory */
void    write_sort(Emit *e, const Op *op);
void    write_histogram(Emit *e, const Op *op);
void    write_print(Emit *e, const Op *op);
void    write_assert(Emit *e, const Op *op);

/* ---- reduce.c, combine.c, combine_function.c, emit.c ----------------------------------------- */
/* A fold or scan being written. */
typedef struct {
    const Op *op;
    const Dim *d;                                  /* along which it goes; NULL: extent 1 */
    int n;
    bool flagged;                                  /* with `some`: stands for any element */
    bool meets;                                    /* several threads share a line */
    bool lanes;                                    /* W neighbours of the line in a thread */
    bool streams;                                  /* as part of another phase */
    const char *type, *f, *none;                   /* of what it works on; function; init */
    const char *carry;                             /* what came before, one for each line */
    const char *parts, *turn;                      /* shared memory, which half of it; or NULL */
    Value *line;                                   /* has the layout of carry */
    const char *mask;                              /* an element counts; NULL: all do */
    const char **out;                              /* names of the results; NULL: not used */
} Combine;
void write_combine(Emit *e, const Op *op);
void local_combine(Emit *e, Phase *p, const Op *op);   /* in a phase of a streaming body */
bool state_is_struct(const Combine *m);            /* not one plain value */
const char *member_of(const Combine *m, const char *state, int i);     /* s.v, or s */
const char *state_of(Emit *e, const Combine *m, Value **values, const char *some);
void declare_struct(Emit *e, const Combine *m);
void write_function(Emit *e, Combine *m);
void write_none(Emit *e, Combine *m);
void write_reduce(Emit *e, const Op *op);
const char *threads_of_block(const Emit *e);       /* of the one program in it */
const char *thread_part(const Emit *e, const Dim *d);   /* its bits of the thread's number */

/* ---- head.c: the comment above a body -------------------------------------------------------- */
void body_head(Text *out, Emit *e, const char *code);
void note_padding(Emit *e, const char *text);      /* a line about padding and masks */
void note_barrier(Emit *e, const char *text);
void note_shared(Emit *e, const char *text);       /* how a tile lies in shared memory, and why */

/* ---- waits.c: a program's own accesses ------------------------------------------------------- */
Touched either_way(Touched a, Touched b);
void wait_for_others(Emit *e, const Op *op);
void touch_rounds(Emit *e, const Op *loop);
bool made_inside(Sym atom, void *loop);            /* in each round of it */
void note_leave(Op *op, void *leaves);
bool staging_ends_in_barrier(const Emit *e, const Op *op);
bool staging_is_over(const Emit *e, const char *array);
bool staging_waits_later(const Emit *e, const Op *op);

/* ---- body.c ---------------------------------------------------------------------------------- */
void write_block(Emit *e, const Block *b);

/* ---- tidy.c: the finished text --------------------------------------------------------------- */
void drop_unmentioned(Text *t);                    /* marked lines whose names nothing mentions */
void drop_single_braces(Text *t);
#endif
