/* diag.c -- errors, warnings, notes, help: once each, at most twenty errors, as text or JSON */
#include "diag.h"
#include "options.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ERRORS = 20, LONGEST_MESSAGE = 1000 };
typedef enum { REPORT_ERROR, REPORT_WARNING, REPORT_NOTE, REPORT_HELP } ReportKind;
static const struct { const char *word, *color; } kinds[] = {
    [REPORT_ERROR]   = { "error",   "\033[1;31m" },
    [REPORT_WARNING] = { "warning", "\033[1;35m" },
    [REPORT_NOTE]    = { "note",    "\033[1;36m" },
    [REPORT_HELP]    = { "help",    "\033[1;32m" },
};

/* What was reported: a code at a place; where there is no place, with its message. */
typedef struct { const char *code; Name message; const Source *source; uint32_t at; } Seen;

static struct {
    int errors;                                    /* asked for */
    int shown;                                     /* of them printed */
    int reports;                                   /* errors and warnings printed */
    bool silent;                                   /* the last one is not printed, nor its notes */
    int *slots, room;                              /* by hash: 1 + index into seen, or 0 */
    LIST(Seen) seen;
} diag;

/* ---- once each ------------------------------------------------------------------------------- */

/* Of the code and the place, or the message where there is no place. */
static uint32_t seen_hash(const Seen *s)
{
    uint32_t h = s->message ? s->message->hash : s->at * 2654435761u;
    for (const char *c = s->code; *c; c++) h = h * 31 + (unsigned char)*c;
    h += s->source ? (uint32_t)s->source->number * 40503u : 0;
    return h ^ h >> 16;
}

/* Are these the same report? */
static bool seen_same(const Seen *a, const Seen *b)
{
    return a->at == b->at && a->source == b->source && a->message == b->message
        && !strcmp(a->code, b->code);
}

/* The slot of s in the table of so many slots: its own, or an empty one. */
static int seen_slot(const int *slots, int room, const Seen *s)
{
    int k = (int)(seen_hash(s) & (uint32_t)(room - 1));
    while (slots[k] && !seen_same(&diag.seen.at[slots[k] - 1], s)) k = (k + 1) & (room - 1);
    return k;
}

/* Was this reported before? Remembers it. */
static bool seen_before(Seen s)
{
    if (diag.seen.n * 2 >= diag.room) {
        int room = diag.room ? diag.room * 2 : 256;
        if (!diag.room) arena_root(&diag, sizeof diag);
        int *slots = new_array(int, room);
        for (int i = 0; i < diag.seen.n; i++)
            slots[seen_slot(slots, room, &diag.seen.at[i])] = i + 1;
        diag.slots = slots;
        diag.room = room;
    }
    int k = seen_slot(diag.slots, diag.room, &s);
    if (diag.slots[k]) return true;
    push(&diag.seen, s);
    diag.slots[k] = diag.seen.n;
    return false;
}

/* ---- as text, as JSON ------------------------------------------------------------------------ */

/* Is the output for a terminal that knows colors? */
static bool colored(void)
{
    const char *term = getenv("TERM"), *no = getenv("NO_COLOR");
    if (options.color != COLOR_AUTO) return options.color == COLOR_ALWAYS;
    return isatty(2) && !(no && *no) && term && strcmp(term, "dumb");
}

static bool is_control(char c) { return (unsigned char)c < 0x20 || c == 0x7F; }

/* A message without what would steer a terminal; a new line stays one, indented. */
static void add_clean(Text *out, const char *s)
{
    size_t left = strlen(s);
    while (left) {
        size_t n = utf8_length(s, left);
        if (*s == '\n') text_add(out, "\n        ", 9);
        else if (n == 0 || is_control(*s)) text_add(out, "?", 1);
        else text_add(out, s, n);
        s += n ? n : 1;
        left -= n ? n : 1;
    }
}

/* Prints one report as people and editors read it. */
static void print_text(ReportKind kind, Pos p, const char *tag, const char *message)
{
    bool color = colored();
    const char *bold = color ? "\033[1m" : "", *plain = color ? "\033[0m" : "";
    const char *hue = color ? kinds[kind].color : "";
    Text out = { 0 };
    if (kind == REPORT_HELP) text_printf(&out, "  ");
    else if (p.source) text_printf(&out, "%s%s:%d:%d:%s ", bold, p.source->path, source_line(p),
                                   source_column(p), plain);
    else text_printf(&out, "%stilec:%s ", bold, plain);
    text_printf(&out, "%s%s:%s ", hue, kinds[kind].word, plain);
    if (kind == REPORT_ERROR || kind == REPORT_WARNING) text_printf(&out, "%s", bold);
    add_clean(&out, message);
    if (tag) text_printf(&out, "%s [%s]\n", plain, tag); else text_printf(&out, "%s\n", plain);
    if (p.source) excerpt(&out, p, hue, plain);
    fwrite(out.at, 1, out.n, stderr);
}

/* Adds "key":"text" with what JSON wants escaped. */
static void add_json(Text *out, const char *key, const char *s)
{
    text_printf(out, ",\"%s\":\"", key);
    size_t left = strlen(s);
    while (left) {
        size_t n = utf8_length(s, left);
        if (n == 0) text_printf(out, "\\ufffd");
        else if (*s == '"' || *s == '\\') text_printf(out, "\\%c", *s);
        else if (is_control(*s)) text_printf(out, "\\u%04x", (unsigned char)*s);
        else text_add(out, s, n);
        s += n ? n : 1;
        left -= n ? n : 1;
    }
    text_add(out, "\"", 1);
}

/* Prints one report as a JSON object on a line; `report` tells which ones belong together. */
static void print_json(ReportKind kind, Pos p, const char *tag, const char *message)
{
    Text out = { 0 };
    text_printf(&out, "{\"report\":%d", diag.reports);
    add_json(&out, "kind", kinds[kind].word);
    if (tag) add_json(&out, "code", tag);
    if (p.source) {
        Pos end = { p.source, p.at + p.len, 0 };
        add_json(&out, "file", p.source->path);
        text_printf(&out, ",\"line\":%d,\"column\":%d", source_line(p), source_column(p));
        text_printf(&out, ",\"endLine\":%d,\"endColumn\":%d", source_line(end), source_column(end));
    }
    add_json(&out, "message", message);
    text_printf(&out, "}\n");
    fwrite(out.at, 1, out.n, stderr);
}

/* Prints one report in the form that was asked for. */
static void print(ReportKind kind, Pos p, const char *tag, const char *message)
{
    if (kind == REPORT_ERROR || kind == REPORT_WARNING) diag.reports++;
    if (options.json) print_json(kind, p, tag, message);
    else print_text(kind, p, tag, message);
}

/* Cuts what nobody would read to its end: a name may be as long as its file. */
static void cut_message(char *s, size_t n)
{
    if (n <= LONGEST_MESSAGE) return;
    n = LONGEST_MESSAGE;
    while (n > 0 && (s[n] & 0xC0) == 0x80) n--;
    memcpy(s + n, "..", 3);
}

/* The message that a format makes. */
static const char *message_of(const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *s = arena_alloc(n > 0 ? (size_t)n + 1 : 1);
    vsnprintf(s, n > 0 ? (size_t)n + 1 : 1, format, args);
    if (n > 0) cut_message(s, (size_t)n);
    return s;
}

/* ---- the contract ---------------------------------------------------------------------------- */

/* Prints an error, or a warning that is one, unless it is a repetition or one too many. */
static void report_error(Pos p, const char *code, const char *tag, const char *message)
{
    diag.errors++;
    Name text = p.source ? NULL : name_of(message);
    diag.silent = too_many_errors() || seen_before((Seen){ code, text, p.source, p.at });
    if (diag.silent) return;
    if (++diag.shown <= MOST_ERRORS) {
        print(REPORT_ERROR, p, tag, message);
        return;
    }
    diag.silent = true;
    print(REPORT_ERROR, (Pos){ 0 }, NULL, "too many errors: the rest is not shown");
}

/* An error, unless it was reported before or twenty were. */
void error(Pos p, const char *code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report_error(p, code, code, message_of(format, args));
    va_end(args);
}

/* Was this warning switched off by -Wno-NAME? */
static bool is_quiet(const char *name)
{
    for (int i = 0; i < options.quiet.n; i++)
        if (!strcmp(options.quiet.at[i], name)) return true;
    return false;
}

/* A warning, unless it is switched off or was reported before. */
void warn(Pos p, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    diag.silent = is_quiet(name) || too_many_errors();
    const char *message = diag.silent ? NULL : message_of(format, args);
    va_end(args);
    if (diag.silent) return;
    if (options.warnings_are_errors) {
        report_error(p, name, arena_printf("-Werror=%s", name), message);
        return;
    }
    diag.silent = seen_before((Seen){ name, p.source ? NULL : name_of(message), p.source, p.at });
    if (!diag.silent) print(REPORT_WARNING, p, arena_printf("-W%s", name), message);
}

/* The other place of the last report. */
void note(Pos p, const char *format, ...)
{
    if (diag.silent) return;
    va_list args;
    va_start(args, format);
    print(REPORT_NOTE, p, NULL, message_of(format, args));
    va_end(args);
}

/* The way out of the last report. */
void help(const char *format, ...)
{
    if (diag.silent) return;
    va_list args;
    va_start(args, format);
    print(REPORT_HELP, (Pos){ 0 }, NULL, message_of(format, args));
    va_end(args);
}

/* How often error() was called, repetitions included: it tells whether something went wrong. */
int error_count(void)
{
    return diag.errors;
}

/* Has the last error that is shown been shown? A pass may stop. */
bool too_many_errors(void)
{
    return diag.shown > MOST_ERRORS;
}
