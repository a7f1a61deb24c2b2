/* excerpt.c -- the source line of a diagnostic, with carets below the place */
#include "diag.h"
#include <string.h>

enum { WIDTH = 100, BEFORE = 40 };                 /* of a long line: shown, and before the place */

/* The bytes of the character at s, of which n are there; 0 if that is no UTF-8. */
size_t utf8_length(const char *s, size_t n)
{
    const unsigned char *u = (const unsigned char *)s;
    size_t len = n == 0 ? 0 : u[0] < 0x80 ? 1 : u[0] < 0xC2 ? 0 : u[0] < 0xE0 ? 2 : u[0] < 0xF0 ? 3
               : u[0] < 0xF5 ? 4 : 0;
    if (len > n) return 0;
    for (size_t i = 1; i < len; i++)
        if ((u[i] & 0xC0) != 0x80) return 0;
    bool bad = len >= 3 && ((u[0] == 0xE0 && u[1] < 0xA0) || (u[0] == 0xED && u[1] > 0x9F)
                            || (u[0] == 0xF0 && u[1] < 0x90) || (u[0] == 0xF4 && u[1] > 0x8F));
    return bad ? 0 : len;
}

/* How many bytes to step over for one column: what is no character counts as one, byte by byte. */
static int step(const char *s, int n)
{
    size_t len = utf8_length(s, (size_t)n);
    return len ? (int)len : 1;
}

/* A piece of a line: the bytes from..to of it are shown, the place is at..end of them. */
typedef struct { const char *s; int len, from, to, at, end; } Window;

/* The offset `count` characters after `from`, at most len. */
static int forward(const Window *w, int from, int count)
{
    while (from < w->len && count-- > 0) from += step(w->s + from, w->len - from);
    return from < w->len ? from : w->len;
}

/* The offset `count` characters before `from`, at least 0. */
static int backward(const Window *w, int from, int count)
{
    while (from > 0 && count-- > 0) {
        from--;
        while (from > 0 && (w->s[from] & 0xC0) == 0x80) from--;
    }
    return from;
}

/* Chooses what to show of a line: all of it, or about WIDTH characters round the place. */
static void choose(Window *w)
{
    w->from = 0;
    w->to = forward(w, 0, WIDTH);
    if (w->to == w->len) return;
    if (w->at > forward(w, 0, WIDTH - BEFORE)) w->from = backward(w, w->at, BEFORE);
    w->to = forward(w, w->from, WIDTH);
}

/* Would a terminal show the character of n bytes, and do nothing else? */
static bool is_plain(const char *s, int n)
{
    const unsigned char *u = (const unsigned char *)s;
    if (n == 1) return *u == '\t' || (*u >= 0x20 && *u < 0x7F);
    return !(u[0] == 0xC2 && u[1] < 0xA0);
}

/* Adds the piece of the line; what would steer a terminal, and what is no UTF-8, as `?`. */
static void add_piece(Text *out, const Window *w)
{
    if (w->from > 0) text_add(out, "...", 3);
    for (int i = w->from; i < w->to; ) {
        int n = step(w->s + i, w->to - i);
        bool plain = is_plain(w->s + i, n);
        text_add(out, plain ? w->s + i : "?", plain ? (size_t)n : 1);
        i += n;
    }
    if (w->to < w->len) text_add(out, "...", 3);
}

/* Adds the carets: a tab stays a tab, so that they stand below the place whatever its width. */
static void add_carets(Text *out, const Window *w)
{
    if (w->from > 0) text_add(out, "   ", 3);
    for (int i = w->from; i < w->at && i < w->to; i += step(w->s + i, w->to - i))
        text_add(out, w->s[i] == '\t' ? "\t" : " ", 1);
    text_add(out, "^", 1);
    if (w->at >= w->to) return;
    int i = w->at + step(w->s + w->at, w->to - w->at);
    for (; i < w->end && i < w->to; i += step(w->s + i, w->to - i))
        text_add(out, "~", 1);
}

/* Adds the line of p, and carets below its place (the first line of it): two lines. */
void excerpt(Text *out, Pos p, const char *color, const char *plain)
{
    Window w = { 0 };
    int line = source_line(p);
    w.s = source_line_text(p.source, line, &w.len);
    long at = p.source->text + p.at - w.s;
    w.at = at < 0 ? 0 : at > w.len ? w.len : (int)at;
    w.end = (size_t)(w.len - w.at) < p.len ? w.len : w.at + (int)p.len;
    while (w.end > w.at && (w.s[w.end - 1] == ' ' || w.s[w.end - 1] == '\t')) w.end--;
    choose(&w);
    text_printf(out, "%5d | ", line);
    add_piece(out, &w);
    text_printf(out, "\n      | %s", color);
    add_carets(out, &w);
    text_printf(out, "%s\n", plain);
}
