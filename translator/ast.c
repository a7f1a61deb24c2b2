/* ast.c -- trees: how the grammar makes them, how others read them */
#include "parse.h"
#include <string.h>

/* ---- making ---------------------------------------------------------------------------------- */

/* Adds a node behind the last one of a list; gives the new last one. */
Node *list_add(Node *list, Node *n)
{
    if (!n) return list;
    if (!list) return n->next = n;
    n->next = list->next;
    return list->next = n;
}

/* A node without children; its extent is its text. */
Node *leaf(Parser *p, NodeKind kind, Token text)
{
    Node *n = new(Node);
    *n = (Node){ .kind = kind, .height = 1, .text = text, .from = text.at, .to = text.at + text.len,
                 .source = p->source };
    return n;
}

/* Its height from its children; one that is too high is an error. */
static void measure(Parser *p, Node *n, const Node *kids)
{
    for (const Node *k = kids; k; k = k->next)
        if (k->height >= n->height) n->height = k->height + 1;
    if (n->height > DEEPEST_TREE && !p->stop) too_deep(p, n->text);
}

/* A node over a list that is complete. It ends with the last token that was taken. */
Node *list_node(Parser *p, NodeKind kind, Token text, Node *list)
{
    Node *n = leaf(p, kind, text), *first = list ? list->next : NULL;
    if (list) list->next = NULL;
    n->kids = first;
    measure(p, n, first);
    while (first && first->kind == N_NONE) first = first->next;
    if (first && text.len == 0) n->text = first->text;
    if (first && (text.len == 0 || first->from < n->from)) n->from = first->from;
    n->to = p->before.at + p->before.len;
    if (n->to < n->from) n->to = n->from;
    return n;
}

/* A node with children in fixed places. */
Node *tree_node(Parser *p, NodeKind kind, Token text, Node **kids, int n)
{
    Node *list = NULL;
    while (n > 0 && !kids[n - 1]) n--;
    for (int i = 0; i < n; i++)
        list = list_add(list, kids[i] ? kids[i] : leaf(p, N_NONE, (Token){ 0 }));
    return list_node(p, kind, text, list);
}

/* Adds a list to the children of a node. */
Node *list_join(Parser *p, Node *n, Node *list)
{
    Node **end = &n->kids, *first = list ? list->next : NULL;
    if (list) list->next = NULL;
    while (*end) end = &(*end)->next;
    *end = first;
    measure(p, n, first);
    n->to = p->before.at + p->before.len;
    return n;
}

/* Adds a clause of a kernel to those before it. */
Node *clause_join(Parser *p, Node *clauses, Node *clause)
{
    Node *list = list_add(NULL, clause);
    return clauses ? list_join(p, clauses, list) : list_node(p, N_CLAUSES, (Token){ 0 }, list);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The i-th child; NULL if it is missing. */
Node *kid(const Node *n, int i)
{
    Node *k = n ? n->kids : NULL;
    while (k && i-- > 0) k = k->next;
    return k && k->kind != N_NONE ? k : NULL;
}

/* How many children there are, missing ones in the middle included. */
int kid_count(const Node *n)
{
    int count = 0;
    for (const Node *k = n ? n->kids : NULL; k; k = k->next) count++;
    return count;
}

Pos node_pos(const Node *n)  { return (Pos){ n->source, n->from, n->to - n->from }; }
Pos node_word(const Node *n) { return (Pos){ n->source, n->text.at, n->text.len }; }

/* What the node is named by, interned. */
Name node_name(const Node *n)
{
    return name_n(n->source->text + n->text.at, n->text.len);
}

/* Is it named by this? */
bool node_is(const Node *n, const char *text)
{
    size_t len = strlen(text);
    return n->text.len == len && !memcmp(n->source->text + n->text.at, text, len);
}

/* ---- the comment above a definition ---------------------------------------------------------- */

/* A line that is a // comment and nothing else: what stands behind // and a space. */
static bool comment_line(const Source *s, int line, const char **at, int *len)
{
    const char *text = source_line_text(s, line, len), *end = text + *len;
    while (text < end && (*text == ' ' || *text == '\t')) text++;
    if (end - text < 2 || text[0] != '/' || text[1] != '/') return false;
    text += end - text > 2 && text[2] == ' ' ? 3 : 2;
    *at = text;
    *len = (int)(end - text);
    return true;
}

/* The // lines right above a definition, without //; NULL if there are none. */
const char *node_comment(const Node *n)
{
    const char *at;
    int len, line = source_line(node_pos(n)), first = line;
    while (first > 1 && comment_line(n->source, first - 1, &at, &len)) first--;
    if (first == line) return NULL;
    Text t = { 0 };
    for (int i = first; i < line; i++) {
        comment_line(n->source, i, &at, &len);
        if (i > first) text_add(&t, "\n", 1);
        text_add(&t, at, (size_t)len);
    }
    return t.at;
}

/* ---- dumping --------------------------------------------------------------------------------- */

static const char *const kind_names[] = {
    [N_NONE] = "-", [N_FILE] = "file", [N_USE_FILE] = "use-file", [N_USE_STD] = "use",
    [N_CONST] = "const", [N_WITH] = "with", [N_ATTRS] = "attrs", [N_ATTR] = "attr", [N_FN] = "fn",
    [N_COLLECTIVE_FN] = "collective-fn", [N_KERNEL] = "kernel", [N_SIMT_KERNEL] = "simt-kernel",
    [N_PIPELINE] = "pipeline", [N_STATICS] = "statics", [N_STATIC] = "static",
    [N_STATIC_IN] = "static-in", [N_PARAMS] = "params", [N_PARAM] = "param",
    [N_PARAM_REF] = "param&", [N_PARAM_ATOMIC] = "param&atomic",
    [N_PARAM_MUT] = "param&mut", [N_PARAM_ADD] = "param&add",
    [N_OPTIONAL] = "optional", [N_BY] = "by", [N_AXES] = "axes", [N_AXIS] = "axis",
    [N_NAMED_AXIS] = "named-axis", [N_IN] = "in", [N_OF] = "of", [N_CLAUSES] = "clauses",
    [N_WHERE] = "where", [N_TUNE] = "tune", [N_GRID] = "grid", [N_BLOCK_SIZE] = "block-size",
    [N_TILE_TYPE] = "tile", [N_TENSOR] = "tensor", [N_TYPES] = "types", [N_LIST] = "list",
    [N_BLOCK] = "block", [N_LET] = "let", [N_MUT] = "mut", [N_NAMES] = "names", [N_DO] = "do",
    [N_UNSAFE] = "unsafe", [N_IF] = "if", [N_ARM] = "arm", [N_STATIC_ARM] = "static-arm",
    [N_WHILE] = "while", [N_FOR] = "for", [N_FOR_STATIC] = "for-static", [N_STEP] = "step",
    [N_BREAK] = "break", [N_CONTINUE] = "continue", [N_BARRIER] = "barrier", [N_RETURN] = "return",
    [N_SHARED] = "shared", [N_COND] = "?:", [N_AS] = "as", [N_PAREN] = "()", [N_TUPLE] = "tuple",
    [N_DOT] = ".", [N_CALL] = "call", [N_ARGS] = "args", [N_NAMED] = "named", [N_AT] = "at",
    [N_ALL] = "all", [N_RANGE] = "range", [N_FROM] = "from", [N_TO] = "to", [N_WINDOW] = "window",
    [N_BORROW] = "&", [N_BORROW_MUT] = "&mut", [N_LAMBDA] = "lambda"
};

/* Prints a node; depth: by how much the next line is indented. */
static void dump(FILE *out, const Node *n, int depth)
{
    const char *name = kind_names[n->kind], *text = n->source->text + n->text.at;
    if (n->kind == N_WORD) { fprintf(out, "%.*s", (int)n->text.len, text); return; }
    if (n->kind == N_NONE) { fprintf(out, "-"); return; }
    if (name) fprintf(out, "(%s", name);
    else fprintf(out, "(%.*s", (int)n->text.len, text);        /* an operator */
    if (n->kind == N_USE_FILE) fprintf(out, " %.*s", (int)n->text.len, text);
    bool lines = n->kind == N_FILE || n->kind == N_BLOCK;
    for (const Node *k = n->kids; k; k = k->next) {
        if (lines) fprintf(out, "\n%*s", 2 * depth + 2, ""); else fprintf(out, " ");
        dump(out, k, depth + lines);
    }
    fprintf(out, ")");
}

/* The tree as an S-expression: a statement a line. */
void ast_dump(FILE *out, const Node *n)
{
    dump(out, n, 0);
    fprintf(out, "\n");
}

/* The bytes of a string literal: quotes off, escapes done. */
const char *string_text(const Node *n)
{
    const char *at = n->source->text + n->text.at, *end = at + n->text.len;
    Text t = { 0 };
    text_add(&t, "", 0);
    for (at++; at < end - 1; at++) {
        char ch = *at;
        if (ch == '\\' && at + 1 < end - 1) {
            ch = *++at;
            if (ch == 'n') ch = '\n';
            else if (ch == 't') ch = '\t';
            else if (ch == 'x' && at + 2 < end - 1) {
                char hex[3] = { at[1], at[2], 0 };
                unsigned k = 0;
                sscanf(hex, "%x", &k);
                ch = (char)k;
                at += 2;
            }
        }
        text_add(&t, &ch, 1);
    }
    return t.at ? t.at : "";
}

/* A text as C writes it: in quotes, with what is not plain ASCII as escapes. (Three octal digits:
   an escape in hexadecimal would take the letters behind it along.) */
const char *quoted_text(const char *text)
{
    Text t = { 0 };
    text_add(&t, "\"", 1);
    for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
        bool trigraph = *s == '?' && s[1] == '?';
        if (*s == '"' || *s == '\\' || trigraph) text_printf(&t, "\\%c", *s);
        else if (*s == '\n') text_printf(&t, "\\n");
        else if (*s == '\t') text_printf(&t, "\\t");
        else if (*s < ' ' || *s > '~') text_printf(&t, "\\%03o", *s);
        else text_printf(&t, "%c", *s);
    }
    text_add(&t, "\"", 1);
    return t.at;
}
