/* lines.c -- tilec -g: #line directives, so that debuggers and profilers show the .tile file
 *
 * The code below a comment `// softmax.tile:5    let t = ..` came from that line; each of its lines
 * gets a directive of its own. A body ends with its `}`: behind it the .cu file counts again.
 */
#include "driver.h"
#include <stdlib.h>
#include <string.h>

/* The source and line that a comment of a body names; NULL: it names none. */
static const Source *line_of(const char *s, size_t n, int *line)
{
    const char *colon = NULL;
    while (n && *s == ' ') s++, n--;
    if (n < 4 || memcmp(s, "// ", 3)) return NULL;
    for (size_t i = 3; i + 1 < n && !colon && s[i] != ' '; i++)
        if (s[i] == ':' && s[i + 1] >= '0' && s[i + 1] <= '9') colon = s + i;
    for (int i = 0; colon && i < all_sources.n; i++) {
        const char *path = all_sources.at[i]->path, *slash = strrchr(path, '/');
        const char *name = slash ? slash + 1 : path;
        size_t length = strlen(name);
        if ((size_t)(colon - s - 3) != length || memcmp(s + 3, name, length)) continue;
        *line = atoi(colon + 1);
        return all_sources.at[i];
    }
    return NULL;
}

/* Adds a directive. */
static void directive(Text *out, int line, const char *path)
{
    text_printf(out, "#line %d \"", line);
    for (; *path; path++) text_printf(out, *path == '"' || *path == '\\' ? "\\%c" : "%c", *path);
    text_printf(out, "\"\n");
}

/* The text of a .cu file with its directives; path: of that file. */
Text with_lines(const Text *cu, const char *path)
{
    Text out = { 0 };
    const Source *from = NULL;
    int line = 0, lines = 1;                       /* of the input; of the output, from 1 */
    bool quoting = false;                          /* the line before was such a comment */
    text_add(&out, "", 0);
    for (const char *s = cu->at, *end = cu->at + cu->n; s < end; ) {
        const char *newline = memchr(s, '\n', (size_t)(end - s));
        size_t n = (newline ? (size_t)(newline - s) : (size_t)(end - s));
        int said;
        const Source *source = line_of(s, n, &said);
        bool closes = from && n == 1 && *s == '}', code = n && s[n - 1] != '\\';
        if (source && !quoting) from = source, line = said;
        quoting = source != NULL;
        if (from && !source && code && !closes) {
            directive(&out, line, from->path);
            lines++;
        }
        text_add(&out, s, n);
        text_add(&out, "\n", 1);
        lines++;
        if (closes) {
            from = NULL;
            directive(&out, ++lines, path);
        }
        s += n + 1;
    }
    return out;
}
