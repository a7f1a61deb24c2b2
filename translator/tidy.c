/* tidy.c -- names that nothing mentions go, and braces around a single statement */
#include "mapping.h"
#include <string.h>

/* The name that a declaration `const int64_t name = ..` gives. */
static const char *declared_name(const char *line)
{
    const char *end = strstr(line, " = "), *start = end;
    while (start > line && start[-1] != ' ')
        start--;
    return arena_printf("%.*s", (int)(end - start), start);
}

/* Takes the \1 from each line that has one, from the last to the first, or the whole line if what
   it declares is not mentioned after it. */
void drop_unmentioned(Text *t)
{
    for (size_t i = t->n; i-- > 0; ) {
        char *mark = t->at + i;
        if (*mark != '\1')
            continue;
        char *end = strstr(mark, ";\n") + 2;
        bool used = mentions(end, declared_name(mark));
        char *rest = used ? mark + 1 : end;
        memmove(mark, rest, t->n - (size_t)(rest - t->at) + 1);
        t->n -= (size_t)(rest - mark);
    }
}

typedef struct { const char *at; size_t len, indent; } Line;

/* The line that begins at s. */
static Line line_at(const char *s)
{
    Line l = { s, strcspn(s, "\n"), 0 };
    while (l.indent < l.len && s[l.indent] == ' ')
        l.indent++;
    return l;
}

/* Where the next line begins. */
static const char *after(Line l)
{
    return l.at[l.len] ? l.at + l.len + 1 : l.at + l.len;
}

/* Does the line, past its indentation, start with the word? */
static bool starts(Line l, const char *word)
{
    return l.len - l.indent >= strlen(word) && !strncmp(l.at + l.indent, word, strlen(word));
}

/* Does the line open the block of a for or an if? */
static bool opens(Line l)
{
    return l.len > 2 && !strncmp(l.at + l.len - 2, " {", 2)
        && (starts(l, "for (") || starts(l, "if ("));
}

/* A whole statement on one line that declares nothing. */
static bool is_statement(Line l, Line opener)
{
    if (l.len < 2 || l.at[l.len - 1] != ';' || l.indent != opener.indent + 4 || starts(l, "const "))
        return false;
    size_t word =
        strspn(l.at + l.indent, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    const char *next = l.at + l.indent + word;
    bool declares = *next == ' ' && (next[1] == '_' || (next[1] >= 'a' && next[1] <= 'z'));
    return !declares || starts(l, "return ");
}

/* Rewrites the text: `for (..) { x; }` on three lines becomes two. */
void drop_single_braces(Text *t)
{
    Text to = { 0 };
    text_add(&to, "", 0);
    for (const char *s = t->at; *s; ) {
        Line a = line_at(s), b = line_at(after(a)), c = line_at(after(b));
        if (opens(a) && is_statement(b, a) && c.len == c.indent + 1 && starts(c, "}")
            && c.indent == a.indent) {
            text_printf(&to, "%.*s\n%.*s\n", (int)a.len - 2, a.at, (int)b.len, b.at);
            s = after(c);
        } else {
            text_printf(&to, "%.*s\n", (int)a.len, a.at);
            s = after(a);
        }
    }
    *t = to;
}
