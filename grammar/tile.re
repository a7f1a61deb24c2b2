/* tile.re -- bytes to tokens */
#include "diag.h"
#include "parse.h"
#include "tile.h"

static bool skip_comment(Parser *p, const char *open, const char **from);

/* The next token of p: its code, and its place in *t.  0 at the end of the text. */
int lex(Parser *p, Token *t)
{
    const char *at = p->text + p->at, *start, *mark;
    int code;
#define IS(c) do { code = (c); goto done; } while (0)
#define SAY(code, ...) lex_error(p, start, at, code, __VA_ARGS__)
#define BAD(code, ...) do { SAY(code, __VA_ARGS__); IS(T_LITERAL); } while (0)
#define TEXT cut_text(at - start), start
again:
    start = at;
/*!re2c
    re2c:define:YYCTYPE = "unsigned char";
    re2c:define:YYCURSOR = at;
    re2c:define:YYMARKER = mark;
    re2c:yyfill:enable = 0;

    digits  = [0-9] ("_"? [0-9])*;
    decimal = "0" | [1-9] ("_"? [0-9])*;
    hex     = "0x" [0-9a-fA-F] ("_"? [0-9a-fA-F])*;
    binary  = "0b" [01] ("_"? [01])*;
    power   = [eE] [+-]? digits;
    float   = digits "." digits power? | digits power;
    name    = [A-Za-z_] [A-Za-z0-9_]*;
    loose   = [^"\\\r\n\x00] | "\\" [^\r\n\x00];
    in_text = [^"\\\r\n\x00] | "\\" [nt\\"] | "\\x" [0-9a-fA-F]{2};

    [ \t\r\n]+                  { goto again; }
    "\xEF\xBB\xBF"              { if (start == p->text) goto again;
                                  SAY("E0107", "a byte order mark inside the text"); goto again; }
    "//" [^\r\n\x00]*           { goto again; }
    "/*"                        { if (skip_comment(p, start, &at)) goto again;
                                  IS(0); }

    "as"        { IS(T_AS); }       "barrier"   { IS(T_BARRIER); }  "break"     { IS(T_BREAK); }
    "const"     { IS(T_CONST); }    "continue"  { IS(T_CONTINUE); } "else"      { IS(T_ELSE); }
    "fn"        { IS(T_FN); }       "for"       { IS(T_FOR); }      "if"        { IS(T_IF); }
    "in"        { IS(T_IN); }       "kernel"    { IS(T_KERNEL); }   "let"       { IS(T_LET); }
    "mut"       { IS(T_MUT); }      "pipeline"  { IS(T_PIPELINE); } "return"    { IS(T_RETURN); }
    "shared"    { IS(T_SHARED); }   "simt"      { IS(T_SIMT); }     "static"    { IS(T_STATIC); }
    "tensor"    { IS(T_TENSOR); }   "unsafe"    { IS(T_UNSAFE); }   "use"       { IS(T_USE); }
    "while"     { IS(T_WHILE); }
    "true" | "false" | "inf" | "nan"    { IS(T_LITERAL); }

    // words with a meaning in one place: the grammar falls back to NAME elsewhere
    "add"       { IS(T_ADD); }      "atomic"    { IS(T_ATOMIC); }   "block"     { IS(T_BLOCK); }
    "by"        { IS(T_BY); }       "collective"{ IS(T_COLLECTIVE); }"grid"      { IS(T_GRID); }
    "of"        { IS(T_OF); }       "step"      { IS(T_STEP); }     "tile"      { IS(T_TILE); }
    "tune"      { IS(T_TUNE); }     "where"     { IS(T_WHERE); }

    "_"         { IS(T_UNDERSCORE); }
    name        { IS(T_NAME); }

    decimal | hex | binary | float      { IS(T_LITERAL); }
    "0" "_"? digits
        { const char *from = start;
          while (from < at - 1 && (*from == '0' || *from == '_')) from++;
          BAD("E0104", "a decimal number does not start with 0: write %.*s", cut_text(at - from),
              from); }
    "." digits
        { BAD("E0104", "a number starts with a digit: write 0%.*s", TEXT); }
    digits "." / [^.]
        { BAD("E0104", "a digit follows the point: write %.*s0", TEXT); }
    decimal [fFuUlL]+ | digits "." digits [fFlL]
        { const char *to = at;
          while (to[-1] > '9') to--;
          BAD("E0104", "a number has no suffix: write %.*s", cut_text(to - start), start); }
    [0-9] [A-Za-z0-9_]* | digits "." digits [A-Za-z0-9_]* | digits ("." digits)? [eE] [+-]
        { SAY("E0104", "`%.*s` is not a number", TEXT);
          help("numbers are 12, 1_000, 0x1f, 0b101, 1.5, 1e-3"); IS(T_LITERAL); }
    ["] in_text* ["]                    { IS(T_STRING); }
    ["] loose* ["]
        { SAY("E0105", "a string knows \\n \\t \\\\ \\\" \\xHH and no other escape");
          IS(T_STRING); }
    ["] loose*
        { SAY("E0105", "this string has no end on its line"); IS(T_STRING); }
    "++"
        { SAY("E0108", "there is no `++`: write x += 1, or a + b"); goto again; }

    "#["  { IS(T_HASHBRACKET); }    "->"  { IS(T_ARROW); }      ".."  { IS(T_DOTDOT); }
    "..+" { IS(T_WINDOW); }         "&&"  { IS(T_ANDAND); }     "||"  { IS(T_OROR); }
    "("   { IS(T_LPAREN); }         ")"   { IS(T_RPAREN); }     "["   { IS(T_LBRACKET); }
    "]"   { IS(T_RBRACKET); }       "{"   { IS(T_LBRACE); }     "}"   { IS(T_RBRACE); }
    ","   { IS(T_COMMA); }          ";"   { IS(T_SEMI); }       ":"   { IS(T_COLON); }
    "."   { IS(T_DOT); }            "?"   { IS(T_QUESTION); }   "="   { IS(T_ASSIGN); }
    "<"   { IS(T_LT); }             ">"   { IS(T_GT); }         "+"   { IS(T_PLUS); }
    "-"   { IS(T_MINUS); }          "&"   { IS(T_AND); }        "|"   { IS(T_OR); }
    "^"   { IS(T_XOR); }
    "!" | "~"                           { IS(T_NOT); }
    "*" | "/" | "%"                     { IS(T_TIMES); }
    "<<" | ">>"                         { IS(T_SHIFT); }
    "<=" | ">=" | "==" | "!="           { IS(T_COMPARE); }
    "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "<<=" | ">>="
                                        { IS(T_OPASSIGN); }

    "\x00"
        { if (start == p->text + p->source->size) { at--; IS(0); }
          SAY("E0107", "a NUL byte in the text"); goto again; }
    [\xC2-\xDF] [\x80-\xBF] | [\xE0-\xEF] [\x80-\xBF]{2} | [\xF0-\xF4] [\x80-\xBF]{3}
        { BAD("E0107", "`%.*s` has no meaning outside comments and strings", TEXT); }
    ['] [^'\r\n\x00]* [']?
        { BAD("E0107", "`'` has no meaning here: a character is written as its number"); }
    "#" name ("(" [^()\r\n\x00]* ")")?
        { BAD("E0107", "an attribute is written `#[%.*s]`", cut_text(at - start - 1), start + 1); }
    [$@\\`] name?
        { BAD("E0107", "`%c` has no meaning here", *start); }
    [\x21-\x7E]
        { BAD("E0107", "`%c` has no meaning here", *start); }
    *
        { BAD("E0107", "byte 0x%02x has no meaning here", (unsigned char)*start); }
*/
done:
    t->at = (uint32_t)(start - p->text);
    t->len = (uint32_t)(at - start);
    p->at = (uint32_t)(at - p->text);
    return code;
}

/* Moves *from past a comment and those in it; false and an error at its start if it has no end. */
static bool skip_comment(Parser *p, const char *open, const char **from)
{
    const char *at = *from;
    for (int depth = 1; depth > 0; ) {
/*!re2c
        "/*"        { depth++; continue; }
        "*" "/"     { depth--; continue; }
        "\x00"      { if (at <= p->text + p->source->size) continue;
                      lex_error(p, open, open + 2, "E0106", "this comment has no end");
                      *from = at - 1; return false; }
        [^*/\x00]+  { continue; }
        *           { continue; }
*/
    }
    *from = at;
    return true;
}
