/* token.c -- round the lexer: its errors, its dump */
#include "parse.h"
#include "tile.h"

/* How much of a piece of text a message shows. */
int cut_text(ptrdiff_t n)
{
    return n < 60 ? (int)n : 60;
}

/* An error of the lexer; the parser then says nothing about this place. In what is skipped after
   another error only a comment without an end is worth it. */
void lex_error(Parser *p, const char *from, const char *to, const char *code,
               const char *format, ...)
{
    bool end = to - from == 2 && from[0] == '/' && from[1] == '*';
    if (p->skipping && !end) return;
    va_list args;
    va_start(args, format);
    char message[400];
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    Pos pos = { p->source, (uint32_t)(from - p->text), (uint32_t)(to - from) };
    p->said = pos.at + 1;
    error(pos, code, "%s", message);
}

/* What sort of token it is, for people. */
static const char *token_class(int code)
{
    if (code == T_LITERAL) return "literal";
    if (code == T_STRING) return "string";
    return code == T_NAME ? "name" : "token";
}

/* Prints the tokens of a source, one a line: where, what sort, the text. */
void tokens_dump(FILE *out, const Source *source)
{
    Parser p = { .source = source, .text = source->text };
    Token t;
    for (int code = lex(&p, &t); code; code = lex(&p, &t)) {
        Pos at = { source, t.at, t.len };
        fprintf(out, "%d:%d\t%s\t%.*s\n", source_line(at), source_column(at), token_class(code),
                (int)t.len, source->text + t.at);
    }
}
