/* habit.c -- what was probably meant by a token that does not fit: habits of other languages */
#include "diag.h"
#include "parse.h"
#include "tile.h"
#include <string.h>

/* A row fits if all that it names is so: the token, the one before, what the parser would and would
   not take here, how the text goes on, and the text of the token before. */
static const struct {
    int code, before, takes, without;              /* 0: any */
    const char *text, *previous;                   /* NULL: any */
    const char *help;
} habits[] = {
    { T_MINUS, 0, 0, 0, "--", NULL, "there is no `--`: write x -= 1" },
    { T_TIMES, 0, 0, 0, "*", "*", "there is no `**`: write `pow(a, b)`, or `a * a`" },
    { T_NAME, 0, T_ANDAND, 0, "and", NULL, "write `&&`" },
    { T_NAME, 0, T_ANDAND, 0, "or", NULL, "write `||`" },
    { T_NAME, 0, 0, 0, NULL, "not", "write `!`" },
    { T_COLON, 0, T_OPASSIGN, 0, ":=", NULL,
      "`let a = ..;` makes a variable, `a = ..;` assigns one that was declared with `let mut`" },
    { T_COLON, 0, T_OPASSIGN, 0, NULL, NULL, "loops have no labels: `break` leaves the innermost" },
    { 0, 0, 0, 0, NULL, "elif", "write `else if`" },
    { 0, 0, 0, 0, NULL, "elsif", "write `else if`" },
    { T_NAME, 0, T_OPASSIGN, 0, "elif", NULL, "write `else if`" },
    { T_ASSIGN, T_DOTDOT, 0, 0, NULL, NULL, "a range ends before its bound: `0..n + 1`" },
    { T_LBRACE, 0, T_OPASSIGN, 0, NULL, "loop", "write `while true { .. }`" },
    { T_LBRACE, 0, T_OPASSIGN, 0, NULL, "do", "a loop is `while c { .. }`" },
    { T_SEMI, 0, T_ASSIGN, T_OPASSIGN, NULL, NULL,
      "a variable has a value from the start: `let mut a = 0.0;`" },
    { T_COMPARE, 0, T_ASSIGN, T_OPASSIGN, "==", NULL, "a value is given with `=`" },
    { T_COMPARE, 0, T_OPASSIGN, 0, "==", NULL, "an assignment is `=`" },
    { T_ASSIGN, 0, T_COMPARE, 0, NULL, NULL, "a comparison is ==" },
    { T_LBRACE, 0, T_DOTDOT, 0, NULL, NULL, "a loop runs over a range: `for k in 0..n { .. }`" },
    { T_LPAREN, T_FOR, 0, 0, NULL, NULL, "a loop is `for i in 0..n { .. }`" },
    { T_COMMA, 0, T_OPASSIGN, 0, NULL, NULL, "a tuple stands in parentheses: `(a, b) = ..;`" },
    { T_SEMI, 0, T_LET, 0, NULL, NULL, "there is no empty statement: leave it out" },
    { T_UNDERSCORE, 0, T_LITERAL, 0, NULL, NULL, "`_` drops a member in `let (_, b) = ..;` alone" },
    { T_IF, 0, T_LITERAL, T_LET, NULL, NULL,
      "an `if` is no value: write `c ? a : b`, or assign a `let mut` in both arms" },
    { T_FN, 0, T_LET, 0, NULL, NULL,
      "a fn stands outside of kernels and fns; a lambda, `|a| ..`, can be an argument" },
    { T_OR, T_ASSIGN, T_LITERAL, T_LBRACE, NULL, NULL,
      "a lambda is an argument, `f(t, |a| a * a)`; elsewhere functions go by the name of a fn" },
    { T_RBRACKET, T_HASHBRACKET, 0, 0, NULL, NULL, "name one: `#[threads(128)]`" },
    { 0, T_RBRACKET, T_KERNEL, T_USE, NULL, NULL, "attributes stand before a kernel or a `for`" },
    { 0, T_RBRACKET, T_FOR, T_LET, NULL, NULL, "attributes stand before a kernel or a `for`" },
    /* declarations */
    { T_BY, 0, T_COMMA, 0, NULL, NULL,
      "an output is cut, what is shared is not: `y: &mut tensor<..> by [..]`" },
    { T_TIMES, 0, T_RPAREN, T_ANDAND, "*", NULL,
      "there are no pointers: a tensor is `x: &tensor<f32, [N]>`" },
    { T_NAME, 0, T_TENSOR, T_LITERAL, NULL, NULL,
      "references are to tensors, `&tensor<f32, [N]>`; numbers are passed by value, `n: f32`" },
    { T_LBRACKET, T_LT, T_TENSOR, 0, NULL, NULL, "write the type, then the shape: <f32, [M, N]>" },
    { T_GT, 0, T_COMMA, T_GT, NULL, NULL, "a shape follows the type: <f32, [M, N]>" },
    { T_GT, 0, T_COLON, 0, NULL, NULL,
      "say what it is: `T: type in [f32, bf16]`, `BM: int = 8`, `C: bool = false`" },
    { T_COMMA, 0, T_COLON, T_ASSIGN, NULL, NULL, "say its type: `t: tile<T, S>`, `x: f32`" },
    { T_RPAREN, 0, T_COLON, T_ASSIGN, NULL, NULL, "say its type: `t: tile<T, S>`, `x: f32`" },
    { T_LT, 0, T_LPAREN, T_ANDAND, NULL, NULL,
      "a fn infers its types, `t: tile<T, S>`, and takes statics among the others, `BM: int`" },
    { T_QUESTION, 0, T_RPAREN, T_ANDAND, NULL, NULL, "only tensors are optional" },
    { T_WHERE, 0, T_LBRACE, 0, NULL, NULL, "contracts belong to kernels" },
    { T_ARROW, 0, T_LBRACE, 0, NULL, NULL,
      "a kernel returns nothing: results go to a `&mut` tensor" },
    { T_ASSIGN, 0, T_RPAREN, T_GT, NULL, NULL, "parameters have no defaults" },
    { T_ASSIGN, 0, T_GT, T_RPAREN, NULL, NULL,
      "a static parameter has a default or a list, not both" },
    { T_LPAREN, T_BY, 0, 0, NULL, NULL, "write `by [i: BM, j: BN]`" },
    { T_COLON, 0, T_LPAREN, 0, NULL, NULL, "write `by [i: BM, j: BN]`" },
    { T_LBRACE, T_WHERE, 0, 0, NULL, NULL, "write what must hold: `where N <= 4096, K % 16 == 0`" },
    { T_ASSIGN, 0, T_IN, 0, NULL, NULL, "write a list: `tune BM in [64, 128]`" },
    { T_NAME, T_IN, T_LBRACKET, 0, NULL, NULL, "write a list: `in [f32, bf16]`" },
    { T_LT, 0, T_GT, T_ANDAND, NULL, NULL, "a comparison stands in parentheses here" },
    { T_LITERAL, T_GT, T_LPAREN, 0, NULL, NULL,
      "a comparison in a default stands in parentheses: `(A > 4)`" },
    /* statements */
    { T_NAME, T_NAME, T_OPASSIGN, 0, NULL, NULL, "a variable is declared with `let name = ..;`" },
    { T_NAME, 0, T_LBRACE, 0, NULL, NULL, "a block stands in braces: `{ .. }`" },
    { T_RETURN, 0, T_LBRACE, 0, NULL, NULL, "a block stands in braces: `{ .. }`" },
    { T_BREAK, 0, T_LBRACE, 0, NULL, NULL, "a block stands in braces: `{ .. }`" },
    { T_CONTINUE, 0, T_LBRACE, 0, NULL, NULL, "a block stands in braces: `{ .. }`" },
    { T_COMPARE, 0, T_GT, 0, ">", NULL, "put a space behind the `>`" },
    { T_STRING, 0, 0, 0, NULL, NULL, "strings stand in use, print, assert and attributes" },
    { T_LBRACE, T_NAME, T_COMPARE, 0, NULL, NULL, "`{` starts a block" },
    { 0, 0, T_OPASSIGN, T_LET, NULL, NULL,
      "a value alone does nothing: give it a name, `let x = ..;`, or store it" },
};

/* Does the text at the token begin so? A word is a whole one. */
static bool begins(const Parser *p, Token t, const char *text)
{
    size_t n = strlen(text);
    bool word = text[0] >= 'a' && text[0] <= 'z';
    if (t.at + n > p->source->size || (word && t.len != n)) return false;
    return !memcmp(p->text + t.at, text, n);
}

/* Says what was probably meant, if that is known. */
void help_habit(const Parser *p, int code, Token t)
{
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++) {
        bool fits = (!habits[i].code || habits[i].code == code)
                    && (!habits[i].before || habits[i].before == p->code_before)
                    && (!habits[i].text || begins(p, t, habits[i].text))
                    && (!habits[i].previous || begins(p, p->before, habits[i].previous))
                    && (!habits[i].takes || parser_accepts(p->engine, habits[i].takes))
                    && (!habits[i].without || !parser_accepts(p->engine, habits[i].without));
        if (!fits) continue;
        help("%s", habits[i].help);
        return;
    }
}
