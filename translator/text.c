/* text.c -- text of the output: lines, blocks, the .tile line above what it became, conditions */
#include "mapping.h"
#include <string.h>

enum { WIDTH = 100 };

/* The indentation of a line here. */
static void indent(Emit *e)
{
    for (int i = 0; i < e->indent; i++)
        text_add(e->out, "    ", 4);
}

/* Where a line that is too long may be broken: after the last ", " or before an operator. */
static size_t break_at(const char *s, size_t room)
{
    size_t best = 0, depth = 0, best_depth = 99;
    for (size_t i = 1; i < room && s[i + 1]; i++) {
        depth += s[i - 1] == '(' || s[i - 1] == '[';
        depth -= depth && (s[i - 1] == ')' || s[i - 1] == ']');
        bool comma = s[i - 1] == ',' && s[i] == ' ';
        bool mark = s[i - 1] == ' ' && strchr("?:+-*/&|<>=", s[i])
            && strchr("? :+-&|<>=", s[i + 1]);
        if ((comma || mark) && (depth <= best_depth || i > room * 3 / 4))
            best = i, best_depth = depth;
    }
    return best;
}

/* Adds one statement, broken into lines of at most 100 columns. */
static void add_wrapped(Emit *e, const char *s)
{
    size_t room = (size_t)(WIDTH - 4 * e->indent), hang = 4;
    for (;;) {
        size_t at = strlen(s) > room && !strchr(s, '"') && strncmp(s, "//", 2) ? break_at(s, room)
                                                                               : 0;
        if (!at)
            break;
        size_t end = at;
        while (end && s[end - 1] == ' ')
            end--;
        text_add(e->out, s, end);
        text_add(e->out, "\n", 1);
        indent(e);
        text_printf(e->out, "%*s", (int)hang, "");
        s += at;
        while (*s == ' ')
            s++;
        room = (size_t)(WIDTH - 4 * e->indent) - hang;
    }
    text_add(e->out, s, strlen(s));
}

/* One line, broken where it is too long; `after` comes behind it. */
static void add_line(Emit *e, const char *s, const char *after)
{
    if (*s) {
        indent(e);
        add_wrapped(e, s);
    }
    text_add(e->out, after, strlen(after));
    text_add(e->out, "\n", 1);
}

/* What printf would print, in the arena. */
static const char *formatted(const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *s = arena_alloc((size_t)n + 1);
    vsnprintf(s, (size_t)n + 1, format, args);
    return s;
}

/* One line of the output at the present indentation. */
void line(Emit *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_line(e, formatted(format, args), "");
    va_end(args);
}

/* A line that opens a block. */
void open_block(Emit *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_line(e, formatted(format, args), " {");
    va_end(args);
    e->indent++;
}

/* Closes a block; `after` follows the brace. */
void close_block(Emit *e, const char *after)
{
    e->indent--;
    indent(e);
    text_printf(e->out, "}%s\n", after);
}

/* The path without its folders. */
static const char *file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Adds one line of source text to a comment: what could end it or continue it is escaped. */
static void add_source_line(Text *t, const char *s, int len)
{
    while (len && (s[len - 1] == ' ' || s[len - 1] == '\t' || s[len - 1] == '\r'))
        len--;
    for (int i = 0; i < len; i++)
        text_add(t, s[i] == '\t' ? "    " : s + i, s[i] == '\t' ? 4 : 1);
    if (len && s[len - 1] == '\\')
        text_add(t, " .", 2);
}

/* The line of the last character. */
static int last_line(Pos p)
{
    return source_line((Pos){ p.source, p.at + (p.len ? p.len - 1 : 0), 0 });
}

/* Are the statement's lines among those that were copied last? */
static bool said_already(const Emit *e, Pos stmt)
{
    return stmt.source == e->said.source && source_line(stmt) >= source_line(e->said)
        && last_line(stmt) <= last_line(e->said);
}

/* The statement's own lines as comments, unless it was the last one said. */
void quote(Emit *e, Pos stmt)
{
    if (!stmt.source || said_already(e, stmt))
        return;
    e->said = stmt;
    int first = source_line(stmt), last = last_line(stmt);
    int strip = 1000;
    for (int n = first; n <= last; n++) {
        int len = 0, blank = 0;
        const char *s = source_line_text(stmt.source, n, &len);
        while (blank < len && (s[blank] == ' ' || s[blank] == '\t'))
            blank++;
        if (blank < strip && blank < len)
            strip = blank;
    }
    if (e->out->n >= 2 && e->out->at[e->out->n - 2] != '{' && e->out->at[e->out->n - 2] != '\n')
        text_add(e->out, "\n", 1);
    for (int n = first; n <= last; n++) {
        int len = 0;
        const char *s = source_line_text(stmt.source, n, &len);
        int cut = strip < len ? strip : len;
        indent(e);
        text_printf(e->out, "// %s:%d    ", file_of(stmt.source->path), n);
        add_source_line(e->out, s + cut, len - cut);
        text_add(e->out, "\n", 1);
    }
}

/* Adds `//   head  text`, broken at words so that it stays within the page; head is 11 wide. */
void wrap_comment(Text *out, const char *head, const char *text)
{
    enum { HEAD = 11, ROOM = 78 };
    text_printf(out, "//   %-*s", HEAD, head);
    int used = 0;
    for (const char *word = text; *word; ) {
        int len = (int)strcspn(word, " \n");
        if (used && (used + 1 + len > ROOM || word[-1] == '\n')) {
            text_printf(out, "\n//   %-*s", HEAD, "");
            used = 0;
        } else if (used) {
            text_add(out, " ", 1);
            used++;
        }
        text_add(out, word, (size_t)len);
        used += len;
        word += len;
        word += *word != 0;
    }
    text_add(out, "\n", 1);
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* Both conditions; either may be NULL, which always holds. */
const char *and_also(const char *a, const char *b)
{
    return !a ? b : !b ? a : arena_printf("%s && %s", a, b);
}

/* Is `one` a term of the conjunction? */
bool mentions_condition(const char *all, const char *one)
{
    for (const char *s = all; s; s = strstr(s, " && ") ? strstr(s, " && ") + 4 : NULL)
        if (!strncmp(s, one, strlen(one))
            && (!s[strlen(one)] || !strncmp(s + strlen(one), " && ", 4)))
            return true;
    return false;
}

/* What of the guard is not part of the condition that holds here already; NULL: nothing. */
const char *beyond_assumed(const Emit *e, const char *guard)
{
    const char *rest = NULL;
    while (guard && *guard) {
        const char *end = strstr(guard, " && ");
        const char *one = end ? arena_printf("%.*s", (int)(end - guard), guard) : guard;
        if (!e->assumed || !mentions_condition(e->assumed, one))
            rest = and_also(rest, one);
        guard = end ? end + 4 : NULL;
    }
    return rest;
}
