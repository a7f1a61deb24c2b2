/* ast.h -- the program as it is written: tokens and trees */
#ifndef AST_H
#define AST_H
#include "base.h"

/* ---- token.c, parse.c, grammar/tile.re, grammar/tile.y ------------------------------------- */

typedef struct { uint32_t at, len; } Token;        /* a piece of the source text */

/* The kinds of nodes, with their children in order ([x]: may be missing; then it is N_NONE where
   others follow, so that a child's place is fixed). Names and literals are N_WORD: text alone. */
typedef enum {
    N_NONE,
    N_WORD,             /* a name, literal, string, type name, operator: text */
    N_FILE,             /* item.. */
    N_USE_FILE,         /* text: the string */
    N_USE_STD,          /* word.. : std nn */
    N_CONST,            /* name, [type], expr */
    N_WITH,             /* N_ATTRS, definition or for */
    N_ATTRS,            /* attr.. */
    N_ATTR,             /* name, [N_ARGS] */
    N_FN, N_COLLECTIVE_FN,               /* name, [N_PARAMS], [result type], block */
    N_KERNEL, N_SIMT_KERNEL, N_PIPELINE, /* name, [N_STATICS], [N_PARAMS], [N_CLAUSES], block */
    N_STATICS,          /* N_STATIC or N_STATIC_IN.. */
    N_STATIC,           /* name, kind word, [default] */
    N_STATIC_IN,        /* name, kind word, N_LIST */
    N_PARAMS,           /* N_PARAM ... N_PARAM_ADD.. */
    N_PARAM,            /* name, type (or the word fn) */
    N_PARAM_REF,        /* name, N_TENSOR, [N_OPTIONAL]      x: &tensor<..>? */
    N_PARAM_ATOMIC,     /* name, N_TENSOR, [N_OPTIONAL] */
    N_PARAM_MUT,        /* name, N_TENSOR, [N_OPTIONAL], [N_BY] */
    N_PARAM_ADD,        /* name, N_TENSOR, [N_OPTIONAL], [N_BY] */
    N_OPTIONAL,
    N_BY,               /* N_AXES;  or name, [N_ARGS] */
    N_AXES,             /* N_AXIS or N_NAMED_AXIS.. */
    N_AXIS,             /* size, [from] */
    N_NAMED_AXIS,       /* name, [size], [from] */
    N_IN,               /* of an axis: tensor word, segment word; of tune: name, N_LIST */
    N_OF,               /* word */
    N_CLAUSES,          /* N_WHERE, N_TUNE, N_GRID, N_BLOCK_SIZE.. */
    N_WHERE,            /* expr.. */
    N_TUNE,             /* N_IN.. */
    N_GRID,             /* N_AXES */
    N_BLOCK_SIZE,       /* N_LIST */
    N_TILE_TYPE,        /* type, shape (word or N_LIST) */
    N_TENSOR,           /* type, shape, [word strided] */
    N_TYPES,            /* type.. */
    N_LIST,             /* expr.. */
    N_BLOCK,            /* statement.. */
    N_LET,              /* [N_MUT], pattern (word or N_NAMES), [type], expr */
    N_MUT,
    N_NAMES,            /* word.. */
    N_DO,               /* expr */
    N_UNSAFE,           /* expr */
    N_ASSIGN,           /* place, expr;  text: = */
    N_OP_ASSIGN,        /* place, expr;  text: += and the like */
    N_IF,               /* arm.., [N_BLOCK] */
    N_ARM, N_STATIC_ARM,                 /* expr, block */
    N_WHILE,            /* expr, block */
    N_FOR, N_FOR_STATIC,                 /* name, from, to, [N_STEP], block */
    N_STEP,             /* expr */
    N_BREAK, N_CONTINUE, N_BARRIER,
    N_RETURN,           /* [expr] */
    N_SHARED,           /* name, type word, N_LIST */
    N_COND,             /* c, a, b      c ? a : b */
    N_BINARY,           /* a, b;  text: the operator */
    N_UNARY,            /* a;     text: - ! ~ */
    N_AS,               /* expr, type word */
    N_PAREN,            /* expr */
    N_TUPLE,            /* expr.. */
    N_DOT,              /* expr, word */
    N_CALL,             /* callee, [N_ARGS] */
    N_ARGS,             /* expr, N_NAMED, N_WINDOW, N_LAMBDA, N_BORROW.. */
    N_NAMED,            /* word, value */
    N_AT,               /* expr, N_LIST of expr, N_ALL, N_RANGE, N_FROM, N_TO, N_WINDOW   x[..] */
    N_ALL, N_RANGE, N_FROM, N_TO,        /* .., a..b, a.., ..b */
    N_WINDOW,           /* c ..+ n */
    N_BORROW, N_BORROW_MUT,              /* expr */
    N_LAMBDA            /* N_NAMES, expr */
} NodeKind;

enum { DEEPEST_TREE = 1000 };                      /* parse() refuses a tree that is higher */

typedef struct Node Node;
struct Node {
    NodeKind kind;
    int height;         /* of the tree: 1 for a leaf */
    Token text;         /* what the node is named by: the operator, the name, the keyword */
    uint32_t from, to;  /* its whole extent in the source */
    const Source *source;
    Node *kids, *next;
};

Node *parse(const Source *source);                 /* N_FILE; what was wrong has been reported */
void  tokens_dump(FILE *out, const Source *source);  /* one a line: where, what */

/* ---- ast.c ------------------------------------------------------------------------------ */

Node *kid(const Node *n, int i);                   /* the i-th child; NULL if missing or N_NONE */
int   kid_count(const Node *n);
Pos   node_pos(const Node *n);                     /* its whole extent */
Pos   node_word(const Node *n);                    /* its text alone */
Name  node_name(const Node *n);                    /* its text, interned */
bool  node_is(const Node *n, const char *text);    /* its text is this */
const char *string_text(const Node *n);            /* of a string: its bytes, escapes done */
const char *quoted_text(const char *text);         /* in quotes, as C writes it */
void  ast_dump(FILE *out, const Node *n);          /* S-expression */
/* The comment lines right above a definition, without //; NULL if there are none. */
const char *node_comment(const Node *n);
#endif
