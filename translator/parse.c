/* parse.c -- tokens to the parser, one by one; where to go on after an error
 *
 * A statement or item with an error is skipped up to its end, so that each mistake is reported once
 * and the next one too. Three are mended on the way: a `;` that is missing at the end of a line, a
 * `}` that is missing before an item, a bracket that is not closed before a `;`.
 */
#include "parse.h"
#include "tile.h"
#include <string.h>

/* ---- brackets -------------------------------------------------------------------------------- */

/* Forgets open brackets down to the innermost `{`: behind a `;` or `}` nothing closes them. */
static void drop_to_brace(Parser *p)
{
    while (p->depth && p->open[p->depth - 1].code != T_LBRACE) p->depth--;
}

/* One more open bracket; too many are an error. */
static void open_bracket(Parser *p, int code, Token t)
{
    if (code == T_LBRACE) drop_to_brace(p);        /* no block stands in parentheses */
    if (p->depth == DEEPEST_NESTING) {
        too_deep(p, t);
        return;
    }
    int kind = code == T_HASHBRACKET ? T_LBRACKET : code;
    p->open[p->depth++] = (struct Bracket){ kind, p->code_before, t };
    p->braces += code == T_LBRACE;
}

/* Closes the innermost bracket of this kind, and what is open in it; none in another block. */
static void close_bracket(Parser *p, int opener)
{
    int i = p->depth - 1;
    while (i >= 0 && p->open[i].code != opener && p->open[i].code != T_LBRACE) i--;
    if (i >= 0 && p->open[i].code == opener) p->depth = i;
}

/* Keeps account of the brackets that are open. */
static void count_brackets(Parser *p, int code, Token t)
{
    switch (code) {
    case T_LPAREN: case T_LBRACKET: case T_HASHBRACKET: case T_LBRACE:
        open_bracket(p, code, t);
        break;
    case T_RPAREN:   close_bracket(p, T_LPAREN); break;
    case T_RBRACKET: close_bracket(p, T_LBRACKET); break;
    case T_RBRACE:
        drop_to_brace(p);
        if (p->depth) p->depth--, p->braces--;
        break;
    case T_SEMI:
        if (p->braces) drop_to_brace(p);
        break;
    }
}

/* ---- mending --------------------------------------------------------------------------------- */

/* Is this the first token on its line? */
static bool starts_line(const Parser *p, Token t)
{
    uint32_t end = p->before.at + p->before.len;
    return end == 0 || memchr(p->text + end, '\n', t.at - end)
        || memchr(p->text + end, '\r', t.at - end);
}

/* A word that starts an item, and nothing else at the start of a line. */
static bool starts_item(const Parser *p, int code, Token t)
{
    bool word = code == T_KERNEL || code == T_PIPELINE || code == T_SIMT || code == T_FN
             || code == T_USE || code == T_CONST;
    return word && starts_line(p, t);
}

/* Gives the parser a token that is not in the text, or one that ends what was skipped. */
static void give(Parser *p, int code, Token t)
{
    p->panic = true;                               /* says nothing more about it */
    Tile(p->engine, code, t);
    p->panic = false;
    parser_resume(p->engine, false);
}

/* Leaves the item that the parser is in: another one starts. */
static void leave_item(Parser *p)
{
    parser_resume(p->engine, true);
    p->depth = p->braces = 0;
    p->skipping = SKIP_NOTHING;
}

/* Could a `;` be missing before this token? A cheap test, nearly always false. */
static bool may_miss_semicolon(const Parser *p, int code, Token t)
{
    switch (p->code_before) {
    case T_RPAREN: case T_RBRACKET: case T_NAME: case T_LITERAL:
    case T_BREAK: case T_CONTINUE: case T_RETURN:
        break;
    default:
        return false;
    }
    switch (code) {
    case T_RBRACE:
        return true;
    case T_NAME: case T_LET: case T_IF: case T_FOR: case T_WHILE: case T_RETURN: case T_STATIC:
    case T_BREAK: case T_CONTINUE:
        return starts_line(p, t);
    default:
        return false;
    }
}

/* Puts in a `;`, or leaves an item that was not closed, after a report. */
static void mend(Parser *p, int code, Token t)
{
    if (may_miss_semicolon(p, code, t) && !parser_accepts(p->engine, code)
        && parser_accepts(p->engine, T_SEMI)) {
        syntax_error(p, code, t);
        give(p, T_SEMI, (Token){ p->before.at + p->before.len, 0 });
    } else if (starts_item(p, code, t) && !parser_accepts(p->engine, code)) {
        if (p->depth) missing_brace(p, t);
        else syntax_error(p, code, t);
        leave_item(p);
    }
}

/* ---- skipping -------------------------------------------------------------------------------- */

/* After an error: skip to the end of the item or statement, unless the parser found it already. */
static void start_skipping(Parser *p)
{
    p->panic = false;
    if (!parser_is_lost(p->engine)) {
        parser_resume(p->engine, false);
        return;
    }
    p->skipping = parser_accepts(p->engine, T_RBRACE) ? SKIP_STATEMENT : SKIP_ITEM;
    p->level = parser_blocks(p->engine);
}

/* The end of what is skipped: `;`, or the `}` of the block round it. */
static void stop_skipping(Parser *p, int code, Token t)
{
    p->skipping = SKIP_NOTHING;
    give(p, code, t);
}

/* A word that starts a statement, and a line: what is skipped ends before it. */
static bool starts_statement(const Parser *p, int code, Token t)
{
    bool word = code == T_LET || code == T_IF || code == T_FOR || code == T_WHILE
             || code == T_RETURN;
    return word && p->skipping == SKIP_STATEMENT && p->braces == p->level
        && p->code_before != T_ELSE && starts_line(p, t);
}

/* Between the `;` of a loop as C writes it. */
static bool in_c_loop(const Parser *p)
{
    const struct Bracket *top = p->depth ? &p->open[p->depth - 1] : NULL;
    return top && top->code == T_LPAREN && top->after == T_FOR;
}

/* Skips a token. False if it starts something new, which the parser is to see. */
static bool skip(Parser *p, int code, Token t)
{
    if (code == 0) p->stop = true;
    if (p->skipping == SKIP_TO_ELSE && code == T_SEMI) p->skipping = SKIP_STATEMENT;
    if ((p->skipping == SKIP_TO_ELSE && code != T_ELSE) || starts_statement(p, code, t)) {
        drop_to_brace(p);
        stop_skipping(p, T_SEMI, t);
        return false;
    }
    if (starts_item(p, code, t)) {
        leave_item(p);
        return false;
    }
    if (p->skipping == SKIP_TO_ELSE) p->skipping = SKIP_STATEMENT;
    if (code == T_SEMI && in_c_loop(p)) return true;
    int depth = p->depth, braces = p->braces;
    count_brackets(p, code, t);
    if (p->skipping == SKIP_ITEM) {
        if (code == T_LBRACE && braces == 0 && parser_accepts(p->engine, T_LBRACE))
            stop_skipping(p, T_LBRACE, t);
        else if ((code == T_SEMI && depth == 0) || (code == T_RBRACE && p->braces == 0))
            stop_skipping(p, T_SEMI, t);
    } else if (code == T_SEMI && p->braces <= p->level) {
        stop_skipping(p, T_SEMI, t);
    } else if (code == T_RBRACE && p->braces < p->level) {
        stop_skipping(p, T_RBRACE, t);
    } else if (code == T_RBRACE && braces > p->level && p->braces == p->level) {
        p->skipping = SKIP_TO_ELSE;
    }
    return true;
}

/* ---- parsing --------------------------------------------------------------------------------- */

/* Hands one token to the parser. */
static void take(Parser *p, int code, Token t)
{
    if (p->skipping && skip(p, code, t)) return;
    mend(p, code, t);
    if (code == 0 && (p->depth || !parser_accepts(p->engine, 0))) {
        syntax_error(p, code, t);
        p->stop = true;
        return;
    }
    bool crossed = code == T_SEMI && p->depth && p->open[p->depth - 1].code != T_LBRACE;
    if (crossed && !parser_accepts(p->engine, code)) {
        syntax_error(p, code, t);                  /* the `;` is not the end of what is skipped */
        give(p, T_NOTHING, t);
        start_skipping(p);
        if (p->skipping) skip(p, code, t);
        return;
    }
    Tile(p->engine, code, t);
    count_brackets(p, code, t);
    if (p->panic) start_skipping(p);
}

/* The tree of a source: N_FILE, even if it is empty. What was wrong has been reported. */
Node *parse(const Source *source)
{
    Parser *p = new(Parser);
    Token t;
    int code;
    *p = (Parser){ .source = source, .text = source->text };
    p->engine = TileAlloc(arena_alloc, p);
    Tile(p->engine, T_START, (Token){ 0 });
    do {
        code = lex(p, &t);
        p->last = t;
        take(p, code, t);
        p->before = t;
        p->code_before = code;
    } while (code && !p->stop && !too_many_errors());
    return p->file ? p->file : leaf(p, N_FILE, (Token){ 0 });
}
