/* ir.h -- the program as tile operations: typed, structured, single assignment
 *
 * A Program has Functions: what a C caller sees, softmax_f32. A Function has one or more Kernels:
 * the same body with other static parameters (tune, lists); the launch function picks. A Kernel's
 * body is a Block of Ops. Each Value is made once: by an op, as a parameter, as the index of a
 * program axis or as an argument of a region. if, for and while are ops with regions; what a loop
 * carries and what an if decides are their results. Everything is explicit: broadcasting, casts,
 * where a tile starts in its tensor. Extents are Syms over extent names, int parameters and values.
 */
#ifndef IR_H
#define IR_H
#include "ast.h"

enum { MAX_TILE_RANK = 5, MAX_RANK = 6 };

/* ---- types -------------------------------------------------------------------------------- */

typedef enum {
    EL_ERROR, EL_BOOL, EL_I8, EL_I16, EL_I32, EL_I64, EL_U8, EL_U16, EL_U32, EL_U64,
    EL_F16, EL_BF16, EL_F32, EL_F64, EL_F8E4M3, EL_F8E5M2, EL_TF32, EL_COUNT
} Elem;

typedef enum { CLASS_ERROR, CLASS_BOOL, CLASS_SIGNED, CLASS_UNSIGNED, CLASS_FLOAT } ElemClass;
typedef struct {
    const char *name;                              /* as in the language: bf16 */
    ElemClass class;
    int bytes;
    int digits;                                    /* of the significand, or value bits of an int */
    const char *device, *c_type;                   /* in CUDA C++ and in the C99 header */
} ElemInfo;
extern const ElemInfo elem_info[EL_COUNT];         /* ops.c */
bool elem_of(Name name, Elem *elem);
static inline bool elem_is_float(Elem e) { return elem_info[e].class == CLASS_FLOAT; }
static inline bool elem_is_int(Elem e)
{
    return elem_info[e].class == CLASS_SIGNED || elem_info[e].class == CLASS_UNSIGNED;
}

typedef enum { TYPE_TILE, TYPE_TENSOR } TypeKind;
/* A tile (rank 0: a scalar), or a view of a tensor. dim: extents; of a tile static (SYM_CONST) but
   for at most one whole axis, whose extent is a Sym known at launch. */
typedef struct { TypeKind kind; Elem elem; int rank; Sym dim[MAX_RANK]; } Type;

typedef union { int64_t i; uint64_t u; double f; } Constant;  /* by class: floats in f, bool in i */

/* ---- what padding.c finds ------------------------------------------------------------------- */

typedef enum { VALID_ANY, VALID_INTERVAL, VALID_MIXED } ValidKind;
/* Of a tile axis, in places of the tile; some: an interval that provably is not empty. */
typedef struct { ValidKind kind; Sym lo, hi; bool some; } Valid;
/* What a value holds outside its valid part, if that is known at translation. */
typedef enum {
    PAD_UNKNOWN,
    PAD_CONST,          /* value */
    PAD_MINUS_INF_OR_NAN, /* -inf; or NaN, but only where every valid element of the same reduction
                             is NaN too: t - max(t) with t padded by -inf. (A whole axis of extent
                             0 has no valid element: there it is NaN, and what sums it up must not
                             look.) */
    PAD_ZERO_OR_NAN     /* 0; or NaN, likewise: exp of the above */
} PadKind;
typedef struct { PadKind kind; Constant value; } Pad;

/* ---- values, operations --------------------------------------------------------------------- */

typedef struct Value Value;
typedef struct Op Op;
typedef struct Block Block;
typedef struct Kernel Kernel;
typedef struct Function Function;

struct Value {
    Type type;
    Op *def;                                       /* NULL: parameter, index, region argument */
    Block *block;                                  /* the region whose argument it is, or NULL */
    int id;                                        /* unique in the kernel, from 0; array index */
    Name name;                                     /* the user's (last) name for it, or NULL */
    Pos pos;                                       /* the expression that made it */
    int uses;                                      /* kept by ir_count_uses */
    Sym sym;                                       /* check: what sym_of_value found; an int
                                                      parameter's: sym_name(its name) */
    Valid valid[MAX_TILE_RANK];                    /* padding.c */
    Pad pad;
    void *plan;                                    /* mapping: layout and C name (emit.h) */
};

typedef enum {
    OP_CONST,           /* -> scalar                           constant */
    OP_SYM,             /* -> scalar i64                       sym: extents, ceil(M, 8).. */
    OP_HAS,             /* tensor -> bool                      is the optional argument there? */
    OP_ELEM,            /* a[, b, c] -> tile; same shapes      row: of ops.def; types by it */
    OP_CAST,            /* a -> tile of another element type   language.md section 6 */
    OP_BITCAST,         /* a -> tile of another type, same bytes */
    OP_SELECT,          /* bool c, a, b -> tile; same shapes */
    OP_BROADCAST,       /* a -> larger shape                   right-aligned; extent 1 stretches */
    OP_EXPAND,          /* a -> with extents 1                 axes (mask of the result's) */
    OP_SQUEEZE,         /* a -> without extents 1              axes (mask of the operand's) */
    OP_RESHAPE,         /* a -> same elements in row-major order; static extents only */
    OP_PERMUTE,         /* a -> result axis i is operand axis perm[i] */
    OP_FLIP,            /* a -> the axes (mask) run backwards */
    OP_EXTRACT,         /* a, i64 index for each axis -> that piece of a, counted in pieces of the
                           result's shape; outside of a: 0 */
    OP_CAT,             /* a, b -> b behind a along `axis` */
    OP_IOTA,            /* from -> [n]: from + 0, 1, ..        any integer or float type */
    OP_COORD,           /* tensor -> i64 [n]: coordinates along `axis` of a part: start[0] .. */
    OP_FILL,            /* a, scalar v -> a with v where it is not valid */
    OP_KEEP,            /* a, i64 lo, hi -> a; only [lo, hi) of `axis` is valid */
    OP_VALID,           /* a -> bool tile: true where a is valid */
    OP_REDUCE,          /* a -> without the axes (bit mask)    reduce: what; elem: accumulator's */
    OP_FOLD,            /* tiles, inits -> without the axis    region 0: args a.., b.. (scalars);
                                                               yields what they combine to */
    OP_SCAN,            /* tiles, inits -> the same shapes     likewise; reverse */
    OP_MMA,             /* a [.., m, k], b [.., k, n][, acc [.., m, n]] -> [.., m, n], of the type
                           of acc; leading axes of a and b line up from the right, 1 stretches */
    OP_SORT,            /* a -> tile: along `axis` its valid elements in order, the smallest first;
                           with a second result, i32: the largest first, as many as fit, and the
                           places where they stood. 0 in the padding of both */
    OP_HISTOGRAM,       /* a, integers -> i32 [n]: how often each of 0 .. n - 1 is valid in a */
    OP_RANDOM,          /* u64 seed, u64 tile -> u32 tile      Philox of each element's number */
    OP_LOAD,            /* tensor, pad scalar -> tile          access */
    OP_STORE,           /* tensor, tile [, bool mask]          access */
    OP_GATHER,          /* tensor, pad scalar, index tiles.. -> tile   access with index[] */
    OP_SCATTER,         /* tensor, tile, index tiles..         access with index[] */
    OP_ATOMIC,          /* tensor, tile, index tiles.. -> what was there, if that is used
                                                               access with index[]; atomic */
    OP_PRINT,           /* values ..                           text: the format, checked */
    OP_ASSERT,          /* bool                                text: the message */
    OP_IF,              /* bool -> joined values               region 0: then, 1: else */
    OP_FOR,             /* from, to, step, inits.. -> carried  region 0; args: index, carried.. */
    OP_WHILE,           /* inits.. -> carried                  region 0: condition (yields bool,
                                                               carried..), 1: body; args: carried */
    OP_YIELD,           /* values: ends a region; an arm without it has left by break, return .. */
    OP_BREAK,           /* carried values of the innermost loop */
    OP_CONTINUE,        /* likewise */
    OP_RETURN,          /* ends the program */
    OP_RELAYOUT,        /* a -> the same tile, held by other threads (made by the mapping only) */
    OP_KIND_COUNT
} OpKind;

typedef enum {
    REDUCE_SUM, REDUCE_PROD, REDUCE_MAX, REDUCE_MIN, REDUCE_MEAN, REDUCE_ARGMAX, REDUCE_ARGMIN,
    REDUCE_ANY, REDUCE_ALL
} ReduceKind;

typedef enum {
    ATOMIC_ADD, ATOMIC_MIN, ATOMIC_MAX, ATOMIC_AND, ATOMIC_OR, ATOMIC_XOR, ATOMIC_EXCHANGE,
    ATOMIC_COUNT
} AtomicKind;
extern const char *const atomic_names[ATOMIC_COUNT];   /* dump.c: atomic_add, .. */

/* What a cast does with what is between two numbers of its type. */
typedef enum {
    ROUND_AS,           /* `as`: floats to nearest even, to integers toward zero */
    ROUND_RN,           /* to nearest, ties to even */
    ROUND_RZ,           /* toward zero */
    ROUND_RU,           /* up */
    ROUND_RD            /* down */
} Rounding;
extern const char *const rounding_names[];         /* rn .. as round_to is told; elem.c */

/* Where a load or store touches its tensor. For each axis a of the tensor: element
   start[a] + step[a] * t, where t is the place along tile axis map[a] (t = 0 if map[a] < 0: one
   element). Tile axes that no tensor axis maps to have extent 1. An element exists if
   lo[a] <= index < hi[a] on every axis; others read as the pad, stores drop them. A whole axis has
   start = lo = 0, step = 1 and the tile's extent = hi.
   Of gather, scatter and atomics an axis may have an index tile, operand index[a]: then it is
   element start[a] + index, and map[a] < 0. Axis t of an index tile is axis t of the tile. */
typedef struct {
    Sym start[MAX_RANK], lo[MAX_RANK], hi[MAX_RANK];
    int64_t step[MAX_RANK];
    int map[MAX_RANK];
    int index[MAX_RANK];                           /* number of an operand; 0: none */
    bool part;                                     /* through the owned part of a &mut */
    bool covers;                                   /* a store: all of the part (or its pieces) */
} Access;


typedef struct {
    Name name;
    Pos pos;
    const Node *args;
    int64_t value;                                 /* of the first argument, if an int */
} Attr;
typedef LIST(Attr) AttrList;

struct OpRow;
struct Op {
    OpKind kind;
    Pos pos;                                       /* the expression */
    Pos stmt;                                      /* the statement, as the output copies it */
    int nargs, nresults, nregions;
    Value **args, **results;
    Block *region[2];
    Op *prev, *next;
    Block *block;                                  /* where it stands */
    int number, last_number;                       /* in program order; with regions (mapping) */
    union {                                        /* by kind */
        Constant constant;
        Sym sym;
        const struct OpRow *row;
        uint32_t axes;                             /* bit mask */
        int axis;
        int perm[MAX_TILE_RANK];
        ReduceKind reduce;
        AtomicKind atomic;
        Rounding rounding;                         /* OP_CAST */
        const char *text;
    };
    bool renames;                                  /* mapping: it only gives axes other names */
    uint32_t reduce_axes;                          /* OP_REDUCE, OP_FOLD, OP_SCAN (one bit): bit
                                                      mask of the operand's axes */
    bool reverse;                                  /* OP_SCAN: from the last element on */
    Access *access;                                /* of what moves a tile; OP_COORD (of `axis`) */
    AttrList *attrs;                               /* OP_FOR: its #[..], or NULL */
    bool names;                                    /* OP_SYM: made for its name, where formulas
                                                      have it: the ends of a range */
};

/* Does op read a tile from memory? Does it write one? (Atomics do both.) */
static inline bool op_reads(const Op *op) { return op->kind == OP_LOAD || op->kind == OP_GATHER; }
static inline bool op_writes(const Op *op)
{
    return op->kind == OP_STORE || op->kind == OP_SCATTER || op->kind == OP_ATOMIC;
}
/* Is operand i an index tile of op? */
static inline bool op_is_index(const Op *op, int i)
{
    return i >= 2 && (op->kind == OP_GATHER || op->kind == OP_SCATTER || op->kind == OP_ATOMIC);
}
/* The tile that op moves between registers and memory. */
static inline Value *op_tile(const Op *op)
{
    return op_reads(op) ? op->results[0] : op->args[1];
}

struct Block {
    Op *first, *last;
    Op *parent;                                    /* NULL: a kernel's body */
    Value **args; int nargs;
};

/* ---- kernels --------------------------------------------------------------------------------- */

typedef enum { PARAM_SHARED, PARAM_MUT, PARAM_ATOMIC, PARAM_SCALAR } ParamKind;
typedef struct {
    ParamKind kind;
    Name name;
    Pos pos;
    Type type;                                     /* tensor, or scalar (rank 0) */
    bool optional, strided;
    bool written, updated, loaded;                 /* of &mut: every element stored / some / read */
    bool unnamed[MAX_RANK];                        /* the extent is _, its name made: x_extent_0 */
    Value *value;
    /* of &mut with `by`: how each axis is cut */
    bool has_by;
    struct Cut {
        enum { CUT_TILES, CUT_ELEMENTS, CUT_WHOLE, CUT_REGION } kind;
        int axis;                                  /* program axis (into kernel->axes), or -1 */
        Sym size;                                  /* elements of one part: BM, 1, the extent */
    } cut[MAX_RANK];
} Param;

typedef struct {
    Name name;                                     /* i; NULL if not named */
    Pos pos;
    Value *index;                                  /* i64 */
    LIST(struct Count { int param; Sym count; }) counts;
        /* programs that each output needs: ceil(M, BM); the axis has their maximum; param -1: the
           grid clause */
} Axis;

typedef struct Cond {
    Pos pos;
    enum { COND_EQ, COND_NE, COND_LT, COND_LE, COND_TRUE, COND_FALSE, COND_ALIGNED } kind;
    Sym a, b; Name tensor;                         /* a == b, ..; aligned(tensor, a) */
    const struct Cond *or;                         /* another one, which is enough; or NULL */
} Cond;
typedef LIST(Cond) CondList;

struct Kernel {
    Function *function;
    const char *suffix;                            /* "" or "_D64_BM128": its siblings differ */
    LIST(struct Static { Name name; Elem elem; int64_t value; bool listed; Pos pos; }) statics;
        /* int and bool static parameters and their values; listed: chosen by the caller */
    LIST(Param) params;                            /* tensors and scalars, in source order */
    LIST(Name) extents;                            /* bound at launch, in order of appearance */
    LIST(Axis) axes;                               /* program axes, slowest first */
    CondList conds;                                /* of where, what is left for the launch */
    AttrList attrs;
    Block *body;
    LIST(Value *) values;                          /* by id */
    bool padded;                                   /* padding() has found the valid parts */
};

struct Function {
    Name name;                                     /* softmax */
    const char *symbol;                            /* softmax_f32 */
    Pos pos;
    const Node *decl;                              /* N_KERNEL */
    const char *comment;                           /* the lines above it in the source, or NULL */
    LIST(struct StaticArg {
        Name name;
        Elem elem;
        LIST(int64_t) values;
        bool extent;
        Pos pos;
    }) listed;
        /* static ints and bools with a list, in order: a C argument unless `extent` (it stands as
           an extent of a tensor: then the extent argument of this name chooses) */
    LIST(Kernel *) kernels;                        /* by preference; all have the same params */
};

typedef struct {
    const Source *source;                          /* the main file */
    LIST(Function *) functions;
    LIST(const Source *) used;                     /* files that `use` brought in, for -MD */
} Program;

/* ---- ops.def, ops.c: what the elementwise operations are ------------------------------------- */

typedef enum {          /* which operands an operation takes; the result's type */
    RULE_FLOAT,         /* floats (not f8, tf32) -> the same */
    RULE_INT,           /* integers -> the same */
    RULE_NUMBER,        /* integers or floats -> the same */
    RULE_BITS,          /* integers or bool -> the same */
    RULE_BOOL,          /* bool -> bool */
    RULE_COMPARE,       /* numbers -> bool */
    RULE_EQUAL,         /* numbers or bool -> bool */
    RULE_TEST,          /* floats -> bool: isnan */
    RULE_SHIFT          /* integers, count of any integer type (check casts it) -> the first's */
} TypeRule;

typedef struct OpRow {
    const char *name;                              /* as it is called: exp; operators: add, .. */
    const char *symbol;                            /* the operator as written: "+", or NULL */
    int arity;
    TypeRule rule;
    const char *cuda_f32, *cuda_f64, *cuda_int;    /* $0 $1 $2: operands (in parentheses where
                                                      needed), $T: the element type; NULL: not for
                                                      it. f16, bf16: by f32, then rounded, if
                                                      cuda_f16 is NULL */
    const char *cuda_f16;                          /* NULL, or the text for both 16-bit types */
    int ulp;                                       /* largest error of f32 and f64; 0: rounded */
    const char *meaning;                           /* for docs/ops.md */
    enum { FUSE_NONE, FUSE_PRODUCT, FUSE_SUM } fuse;
        /* a compiler may fuse such a product into such a sum: then __fmul_rn or __dmul_rn is
           written */
} OpRow;
extern const OpRow op_rows[]; extern const int op_row_count;
const OpRow *op_row(const char *name);             /* by name; NULL if there is none */
const OpRow *op_row_symbol(const char *symbol, int arity);
/* The reference: one element. a[i] hold the operands (class of `elem`); the result's class by the
   rule. */
Constant op_reference(const OpRow *row, Elem elem, const Constant a[3]);
Constant cast_reference(Elem from, Elem to, Constant v);  /* rounding, saturation as in section 6 */
Constant round_reference(Elem from, Elem to, Constant v, Rounding rounding);
Constant round_to_elem(Elem e, Constant v);        /* wraps an int, rounds a float to its type */
void ops_print(FILE *out);                         /* tilec --ops */
void ops_markdown(FILE *out);                      /* tilec --ops=markdown: docs/ops.md */

/* ---- ir.c: making, walking, printing --------------------------------------------------------- */

Value *ir_value(Kernel *k, Type type, Pos pos);
Op    *ir_op(Kernel *k, Block *b, OpKind kind, Pos pos, Pos stmt, int nargs, Value **args,
             int nresults, const Type *types);     /* appended to b; results made */
Block *ir_block(Op *parent);
Value *ir_block_arg(Kernel *k, Block *b, Type type, Pos pos);
void   ir_insert_before(Op *at, Op *op);
void   ir_remove(Op *op);
void   ir_count_uses(Kernel *k);
bool   op_combines(const Op *op);                   /* its region is a function of scalars */
int    op_members(const Op *op);                   /* of the tuple that such an op works on */
int    op_axis(const Op *op);                      /* the axis that it goes along */
const struct OpRow *op_lambda_row(const Op *op);   /* its function, if it is one row; or NULL */
Valid  op_valid(const Op *op);                     /* of its operands together, on that axis */
/* identity.c: is f(init, init) init? member, got: which is not, and what it is. */
typedef enum { IDENTITY_YES, IDENTITY_NO, IDENTITY_UNKNOWN } Identity;
Identity op_identity(const Op *op, int *member, Constant *got);
void   ir_walk(Block *b, void (*f)(Op *op, void *arg), void *arg);   /* regions after their op */
void   ir_dump(FILE *out, const Program *p);
Type   type_scalar(Elem e);
bool   type_same(const Type *a, const Type *b);
bool   type_same_shape(const Type *a, const Type *b);
const char *type_text(const Type *t);              /* tile<f32, [8, N]> */
bool   type_is_whole(const Type *t, int axis);     /* the extent is not static */
int64_t type_extent(const Type *t, int axis);      /* static extent; -1 for a whole axis */
const char *elem_constant_text(Elem e, Constant c); /* for dumps: 1.5, -inf, true */

/* ---- the passes over it, in order ------------------------------------------------------------ */

Program *check(Node *file);                        /* resolve, check, lower; NULL-safe; reports */
/* What v would hold outside its valid part (and past the end of whole axes) if loads had other
   fills there: fill() gives a load's, or NULL for the pad that the program says. pad_along: at the
   places that lie outside along one of these axes, wherever they lie along the others. A fill is
   taken for what lies past the end of a whole axis; along other axes padding is data for a store,
   so what a load with another fill holds there is not known. */
Pad      pad_if(const Value *v, const Constant *(*fill)(const Op *load, void *arg), void *arg);
Pad      pad_along(const Value *v, uint32_t axes,
                   const Constant *(*fill)(const Op *load, void *arg), void *arg);
bool     pad_is_identity(Pad p, ReduceKind kind, Elem elem);
bool     verify(const Program *p, const char *after);   /* the IR's rules; prints what is broken */
/* Valid parts; reports errors of rule 3. Once a kernel: what comes later keeps them, so that what a
   program means, and whether it is one, does not depend on what simplify() can fold or drop. */
void     padding(Program *p);
void     simplify(Program *p);                     /* fold, drop; needs and keeps valid parts */
void     drop_unused(Kernel *k);                   /* unused.c: the second half of it */
void     padding_dump(FILE *out, const Program *p);     /* every tile: t: [0, 8) x any  pad 0.0 */

/* ---- interp.c and the files after it: the reference interpreter ------------------------------ */

typedef struct {
    void *data; Elem elem; int rank;
    int64_t extent[MAX_RANK], stride[MAX_RANK];    /* strides in elements */
    bool present;                                  /* false: an optional one that was left out */
} Tensor;
typedef struct { Tensor tensor; Constant scalar; } Arg;

/* The first kernel of f that takes these arguments (one a parameter) and these values of f->listed;
   NULL and the reason if there is none. */
const Kernel *choose_kernel(const Function *f, const Arg *args, const int64_t *listed,
                            const char **why);
/* Runs every program of a kernel after the checks of a launch (padding() has run); NULL, or why it
   was refused or an assert failed. What it prints goes to `prints`; NULL: nowhere. */
const char *interpret(const Kernel *k, const Arg *args, FILE *prints);
Constant elem_load(Elem e, const void *at);        /* elem.c: one element as it lies in memory */
void     elem_store(Elem e, void *at, Constant v); /* v is of that type already */
double   elem_ulp(Elem e, double v);               /* a unit in the last place around v */
#endif
