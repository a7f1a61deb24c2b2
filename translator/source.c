/* source.c -- source files: their text, and offsets as lines and columns */
#include "base.h"
#include <errno.h>
#include <string.h>

enum { LARGEST_SOURCE = 1 << 28 };

__typeof__(all_sources) all_sources;

/* The offset of the first character of a text: a byte order mark is none. */
static uint32_t first_character(const char *text, size_t size)
{
    return size >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3) ? 3 : 0;
}

/* Finds where each line starts; LF, CR LF and CR end a line. */
static void find_lines(Source *s)
{
    LIST(uint32_t) lines = { 0 };
    push(&lines, 0);
    for (uint32_t i = 0; i < s->size; i++) {
        char c = s->text[i];
        if (c == '\n' || (c == '\r' && s->text[i + 1] != '\n')) push(&lines, i + 1);
    }
    s->lines = lines.at;
    s->nlines = lines.n;
}

/* A source that borrows its text, which ends with a NUL behind size bytes. */
static Source *source_new(const char *path, const char *text, size_t size)
{
    Source *s = new(Source);
    *s = (Source){ .path = path, .text = text, .size = (uint32_t)size, .number = all_sources.n };
    if (!all_sources.room) arena_root(&all_sources, sizeof all_sources);
    push(&all_sources, s);
    find_lines(s);
    return s;
}

/* A source from memory; path is what messages call it. */
Source *source_text(const char *path, const char *text, size_t size)
{
    char *copy = arena_alloc(size + 1);
    if (size) memcpy(copy, text, size);
    return source_new(arena_printf("%s", path), copy, size);
}

/* Reads to the end of a file. False and errno if that fails; EFBIG if it is too large. */
static bool read_all(FILE *f, Text *t)
{
    char buffer[1 << 14];
    size_t n;
    while ((n = fread(buffer, 1, sizeof buffer, f)) > 0) {
        text_add(t, buffer, n);
        if (t->n > LARGEST_SOURCE) { errno = EFBIG; return false; }
    }
    return !ferror(f);
}

/* Reads a file; NULL and a reason if it cannot be read. */
Source *source_open(const char *path, const char **why)
{
    FILE *f = fopen(path, "rb");
    Text t = { 0 };
    text_add(&t, "", 0);
    errno = f ? 0 : errno;
    bool good = f && read_all(f, &t);
    if (!good) *why = arena_printf("%s", errno ? strerror(errno) : "it cannot be read");
    if (f) fclose(f);
    return good ? source_new(arena_printf("%s", path), t.at, t.n) : NULL;
}

/* The number of the line that holds p's first byte, from 1. */
int source_line(Pos p)
{
    int low = 0, high = p.source->nlines;          /* lines[low] <= at < lines[high] */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (p.source->lines[middle] <= p.at) low = middle; else high = middle;
    }
    return low + 1;
}

/* The column of p's first byte, from 1, in characters of UTF-8. */
int source_column(Pos p)
{
    uint32_t from = p.source->lines[source_line(p) - 1];
    int column = 1;
    if (from == 0) from = first_character(p.source->text, p.source->size);
    for (uint32_t i = from; i < p.at; i++) column += (p.source->text[i] & 0xC0) != 0x80;
    return column;
}

/* A line without its end; *len: its bytes. The first is without a byte order mark. */
const char *source_line_text(const Source *s, int line, int *len)
{
    uint32_t from = s->lines[line - 1], to = line < s->nlines ? s->lines[line] : s->size;
    if (line < s->nlines && to > from && s->text[to - 1] == '\n') to--;
    if (line < s->nlines && to > from && s->text[to - 1] == '\r') to--;
    if (from == 0) from = first_character(s->text, s->size);
    if (from > to) from = to;
    *len = (int)(to - from);
    return s->text + from;
}
