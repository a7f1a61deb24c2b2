/* plan.h -- how tiles become threads: layouts, bodies, entries */
#ifndef PLAN_H
#define PLAN_H
#include "ir.h"

/* ---- layout.c: which tile axes go together, which thread holds which element -------------------
 *
 * A Dim is a class of tile axes that elementwise operations tie together (the rows of t, of its row
 * maximum and of the result are one Dim). A blocked layout spreads the elements of a Dim over
 * threads:
 *
 *     element = (repeat * threads + coordinate) * vector + lane     coordinate = a few bits of the
 *                                                                   thread's number in its program
 *
 * Tensor cores hold the rows and columns of their results in pairs: a lane of a warp has rows 8
 * apart, and columns side by side, which are a vector of 2,
 *
 *     row    = (repeat / 2 * warps + warp) * 16 + repeat % 2 * 8 + lane of warp / 4
 *     column =  repeat                     *  8 + lane of warp % 4 * 2 + lane of vector
 *
 * Columns may be dealt to groups of warps, too, a piece for each: then `warps` are those of one
 * group, and the columns of group g begin at g * (columns / groups).
 *
 * A value's layout is the Dim of each of its axes: `blocked` if it has all of a space, `slice` if
 * some are missing (the value is replicated across those threads), `uniform` if there are none. */
typedef struct Dim Dim;
struct Dim {
    Sym extent;                                    /* static, or the extent of the whole axis */
    bool whole;
    int id;                                        /* in the kernel */
    int space;                                     /* Dims of one tile are in one space */
    const char *name;                              /* of its coordinate in the output: row, .. */
    bool moved;                                    /* short, and elements move along it: one thread
                                                      holds all of it */
    bool alone;                                    /* a thread has all of it: what it sorts */
    bool fast;                                     /* the one that loads and stores run along */
    int64_t weight;                                /* bytes that run along it: what made it fast */
    enum { TENSOR_NONE, TENSOR_ROWS, TENSOR_COLS } side;       /* of results on tensor cores */
};

/* How one body spreads a Dim. */
typedef struct {
    int threads, shift;                            /* coordinate: thread >> shift & (threads - 1) */
    int vector;                                    /* W in the output for the fast Dim, 2 for pairs
                                                      of columns, else 1 */
    int repeats;                                   /* VECS in the output: a ladder's fast Dim */
    bool loops;                                    /* streaming: the repeats are a loop */
    int pair;                                      /* tensor cores: 8 for rows, 1 for columns: how
                                                      far apart the two of a pair are */
    int groups, group;                             /* of columns: how many, of so many threads each;
                                                      0: all warps have all columns */
} Spread;

typedef enum { BODY_TILE, BODY_WARP, BODY_BLOCK, BODY_STREAM } BodyKind;

/* One __device__ function, a template over <VECS, W> (or <W>), with its entries. */
typedef struct {
    BodyKind kind;
    const char *name;                              /* softmax_f32_warp */
    int threads;                                   /* of a program */
    int programs;                                  /* of a block */
    bool rereads;                                  /* the row is read again after its reduction */
    bool keeps;                                    /* short moved Dims have one thread */
    bool boxes;                                    /* TMA brings operands, wgmma multiplies: on
                                                      sm_90a alone */
    bool turns;                                    /* and two groups of `threads` take the programs
                                                      of a block in turn */
    int askers;                                    /* threads more, of which one asks for boxes: a
                                                      warp; or four, which give registers away */
    LIST(Spread) spread;                           /* by Dim */
} Body;

/* One __global__ function. The launch function takes the first whose conditions hold:
   length <= capacity (if whole), and if width > 1 then for each of `vectors`: the pointer is a
   multiple of `align` bytes, its strides (of axes longer than 1) of align / element bytes, and
   its last extent of width. */
typedef struct {
    const char *symbol;                            /* softmax_f32_warp_1024 */
    const Body *body;
    int threads, programs;                         /* block size; programs a block */
    int64_t capacity;                              /* largest whole extent, 0: any */
    int64_t at_least;                              /* least whole extent it is right for: 0, 1 */
    int width;                                     /* elements of one access on the fast axis */
    int vecs;                                      /* repeats of the fast Dim; 0: not in the name */
    int blocks;                                    /* that should fit on a multiprocessor at once */
    int64_t dynamic;                               /* bytes of dynamic shared memory; by emission */
} Entry;

/* An operand that TMA brings: boxes of 64 elements along the tensor's last axis times `rows` along
   another, as many as the tile is wide. */
typedef struct {
    const Op *load;
    int param, outer;                              /* the tensor; its axis across the rows */
    const Dim *along;                              /* of the last axis */
    int64_t rows, across;                          /* across: all boxes of the tile together */
    int map;                                       /* number of the tensor map, maybe shared */
} Box;

typedef struct {
    Kernel *kernel;
    LIST(Dim *) dims;
    bool *meets;                                   /* [a * n + b]: do a and b stand in some tile? */
    Sym whole;                                     /* the extent of the whole axis, or NULL */
    bool tensor;                                   /* contractions are made on tensor cores */
    const Op *ring, *ring_at;                      /* the loop whose operands are boxes; the op
                                                      after the scalars by which they are found */
    LIST(Box) boxes;
    bool halves;                                   /* entries of 8 bytes an access, too */
    LIST(Body *) bodies;
    LIST(Entry) entries;                           /* in order of preference */
    LIST(struct VectorParam { int param, align; }) vectors;
    int64_t longest;                               /* whole extents beyond are refused, if not 0 */
    const char *longest_why;
} Plan;

bool  dims_meet(const Plan *p, const Dim *a, const Dim *b);
Plan *plan_kernel(Kernel *k);                      /* NULL after a report */
void  plan_dump(FILE *out, const Plan *p);
#endif
