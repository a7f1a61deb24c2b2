/* wrap.c -- lists, conditions and refusals, broken into lines of 100 columns */
#include <string.h>
#include "launch.h"

enum { WIDTH = 100 };

/* The column at which the next character of a text stands, from 0. */
static int column(const Text *t)
{
    size_t n = t->n;
    while (n > 0 && t->at[n - 1] != '\n')
        n--;
    return (int)(t->n - n);
}

/* Two columns are left for what follows: a comma, or a bracket and a semicolon. */
static bool fits(const Text *t, size_t more)
{
    return column(t) + (int)more + 2 <= WIDTH;
}

/* Adds an item after a comma, on a new line if it does not fit. */
void list_item(Text *out, bool *first, int indent, const char *text)
{
    if (!*first && fits(out, strlen(text) + 2))
        text_printf(out, ", ");
    else if (!*first)
        text_printf(out, ",\n%*s", indent, "");
    text_printf(out, "%s", text);
    *first = false;
}

/* Does one pair of parentheses enclose all of the text? */
static bool enclosed(const char *text)
{
    int depth = 0;
    for (const char *s = text; *s; s++) {
        depth += (*s == '(') - (*s == ')');
        if (depth == 0)
            return *text == '(' && !s[1];
    }
    return false;
}

/* Joins conditions by an operator; new lines begin with it. */
void chain(Text *out, int indent, const char *operator, const Pieces *pieces)
{
    if (pieces->n == 1 && enclosed(pieces->at[0])) {
        text_printf(out, "%.*s", (int)strlen(pieces->at[0]) - 2, pieces->at[0] + 1);
        return;
    }
    for (int i = 0; i < pieces->n; i++) {
        const char *text = i ? arena_printf(" %s %s", operator, pieces->at[i]) : pieces->at[0];
        if (i && !fits(out, strlen(text))) {
            text_printf(out, "\n%*s", indent, "");
            text++;
        }
        text_printf(out, "%s", text);
    }
}

/* A literal in pieces, one a line, cut after blanks. */
static void literal(Text *out, int indent, const char *text)
{
    text_printf(out, "\"");
    while (*text) {
        size_t n = strcspn(text, " ");
        n += text[n] == ' ';
        if (!fits(out, n + 1))
            text_printf(out, "\"\n%*s\"", indent, "");
        text_add(out, text, n);
        text += n;
    }
    text_printf(out, "\"");
}

/* Writes the statement that refuses a launch. */
void refuse(Text *out, int indent, const char *format, const Pieces *args)
{
    bool first = false;
    text_printf(out, "%*sREFUSE(", indent, "");
    literal(out, indent + 7, format);
    for (int i = 0; args && i < args->n; i++)
        list_item(out, &first, indent + 7, args->at[i]);
    text_printf(out, ");\n");
}

/* The text for a printf format in a literal. */
const char *escape(const char *text)
{
    Text t = { 0 };
    text_add(&t, "", 0);
    for (const char *s = text; *s; s++)
        text_printf(&t, "%s%c", *s == '%' ? "%" : *s == '"' || *s == '\\' ? "\\" : "", *s);
    return t.at;
}

/* Is the text among the pieces? */
bool pieces_have(const Pieces *p, const char *text)
{
    for (int i = 0; i < p->n; i++)
        if (!strcmp(p->at[i], text))
            return true;
    return false;
}

/* The pieces as one text. */
const char *joined(const Pieces *p, const char *between)
{
    Text t = { 0 };
    text_printf(&t, "%s", "");
    for (int i = 0; i < p->n; i++)
        text_printf(&t, "%s%s", i ? between : "", p->at[i]);
    return t.at;
}
