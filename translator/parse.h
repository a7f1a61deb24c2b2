/* parse.h -- inside the parser: what the lexer, the grammar and the files round them share */
#ifndef PARSE_H
#define PARSE_H
#include "ast.h"

enum { DEEPEST_NESTING = 200 };                    /* open brackets at one time */

typedef struct Parser {
    const Source *source;
    const char *text;                              /* of the source */
    void *engine;                                  /* Lemon's */
    uint32_t at;                                   /* where the next token starts */
    Token last, before;                            /* the token being parsed, the one before */
    int code_before;
    uint32_t said;                                 /* 1 + where the last error of the lexer was */
    bool panic;                                    /* the token being parsed does not fit */
    bool stop;
    Node *file;
    /* brackets that are open, and how many of them are { */
    int depth, braces;
    struct Bracket { int code, after; Token token; } open[DEEPEST_NESTING];
    /* after an error, until a token at which to go on */
    enum { SKIP_NOTHING, SKIP_ITEM, SKIP_STATEMENT, SKIP_TO_ELSE } skipping;
    int level;                                     /* braces round the statement that is skipped */
} Parser;

/* ---- grammar/tile.re, token.c ---------------------------------------------------------------- */

int lex(Parser *p, Token *t);                      /* the next token's code, 0 at the end */
int cut_text(ptrdiff_t n);                         /* bytes of a piece of text in a message */
void lex_error(Parser *p, const char *from, const char *to, const char *code,
               const char *format, ...) __attribute__((format(printf, 5, 6)));

/* ---- grammar/tile.y: Lemon's parser, and what only its tables tell --------------------------- */

void *TileAlloc(void *(*make)(size_t), Parser *p);
void  Tile(void *engine, int code, Token t);
void  TileFree(void *engine, void (*end)(void *));
bool  parser_accepts(const void *engine, int code);   /* would it take this token now? */
bool  parser_is_lost(const void *engine);          /* does it wait behind an error for a ; or }? */
int   parser_blocks(const void *engine);           /* how many blocks it is in */
void  parser_resume(void *engine, bool item);      /* reports again; item: forgets this one */

/* ---- mistake.c: what is said about a token that does not fit --------------------------------- */

void syntax_error(Parser *p, int code, Token t);
void help_habit(const Parser *p, int code, Token t);   /* habit.c: what was probably meant */
void too_deep(Parser *p, Token t);
void missing_brace(Parser *p, Token before);       /* an item starts or the text ends in a block */

/* ---- ast.c: constructors for the grammar ----------------------------------------------------- */

/* A list under construction is its last node; the first is behind it. NULL is left out. */
Node *list_add(Node *list, Node *n);
Node *leaf(Parser *p, NodeKind kind, Token text);
/* n children, NULL for a missing one: N_NONE where others follow. No text: that of the first. */
Node *tree_node(Parser *p, NodeKind kind, Token text, Node **kids, int n);
Node *list_node(Parser *p, NodeKind kind, Token text, Node *list);
Node *list_join(Parser *p, Node *n, Node *list);   /* list's nodes become n's last children */
Node *clause_join(Parser *p, Node *clauses, Node *clause);   /* NULL: the first */
#endif
