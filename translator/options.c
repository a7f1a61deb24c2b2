/* options.c -- the command line: a table of options, and GNU habits */
#include "driver.h"
#include <ctype.h>
#include <string.h>

struct Options options;

typedef enum { TAKES_NOTHING, TAKES_VALUE, MAY_TAKE } Takes;
typedef struct Option {
    const char *name;
    Takes takes;
    bool (*set)(Request *r, const char *value);    /* value: NULL: none; false after a report */
    const char *shown, *help;                      /* for --help */
    Action action;                                 /* without `set`: what to do */
} Option;

/* An error of the command line, or of a file: 2, the exit status. */
int complain_usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("tilec: error: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return 2;
}

/* False, after such an error. */
#define refuse(...) (complain_usage(__VA_ARGS__), false)

/* ---- what each option sets ------------------------------------------------------------------- */

#define IGNORE(x) ((void)(x))

/* -o FILE, --header=FILE. */
static bool set_output(Request *r, const char *value)  { r->output = value; return true; }
static bool set_header(Request *r, const char *value)  { r->header = value; return true; }

/* --check. */
static bool set_check(Request *r, const char *value)
{
    IGNORE(value);
    return r->check_only = true;
}

/* -MD. */
static bool set_depend(Request *r, const char *value)
{
    IGNORE(value);
    return r->dependencies = true;
}

/* -I DIR. */
static bool set_include(Request *r, const char *value)
{
    IGNORE(r);
    push(&options.include_dirs, value);
    return true;
}

/* -g: #line in the output. */
static bool set_lines(Request *r, const char *value)
{
    IGNORE(r), IGNORE(value);
    return options.debug_lines = true;
}

/* -Werror. */
static bool set_werror(Request *r, const char *value)
{
    IGNORE(r), IGNORE(value);
    return options.warnings_are_errors = true;
}

/* -MF FILE: it is -MD too. */
static bool set_depend_file(Request *r, const char *value)
{
    r->dependency_file = value;
    return r->dependencies = true;
}

/* A name as in the language, n bytes of it. */
static bool is_name(const char *s, size_t n)
{
    if (n == 0 || isdigit((unsigned char)*s)) return false;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)s[i]) && s[i] != '_') return false;
    return true;
}

/* -D NAME=VALUE, -D KERNEL.NAME=VALUE. */
static bool set_define(Request *r, const char *value)
{
    IGNORE(r);
    const char *equal = strchr(value, '=');
    const char *dot = memchr(value, '.', equal ? (size_t)(equal - value) : 0);
    const char *name = dot ? dot + 1 : value;
    bool good = equal && equal[1] && is_name(name, (size_t)(equal - name))
             && (!dot || is_name(value, (size_t)(dot - value)));
    if (!good) return refuse("-D takes NAME=VALUE or KERNEL.NAME=VALUE, not `%s`", value);
    Define d = { .kernel = dot ? arena_printf("%.*s", (int)(dot - value), value) : NULL,
                 .name = arena_printf("%.*s", (int)(equal - name), name), .value = equal + 1 };
    push(&options.defines, d);
    return true;
}

/* sm_80,sm_90a. */
static bool set_arch(Request *r, const char *value)
{
    IGNORE(r);
    for (const char *s = value; ; s++) {
        size_t n = strspn(s, "sm_0123456789af");
        if (strncmp(s, "sm_", 3) || n < 5 || (s[n] && s[n] != ','))
            return refuse("--arch takes architectures as sm_80,sm_90a, not `%s`", value);
        s += n;
        if (!*s) break;
    }
    options.arch = value;
    return true;
}

/* --host=runtime. */
static bool set_host(Request *r, const char *value)
{
    IGNORE(r);
    if (!strcmp(value, "driver")) return refuse("--host=driver comes later; there is runtime");
    if (strcmp(value, "runtime"))
        return refuse("--host takes runtime or driver, not `%s`", value);
    options.host = value;
    return true;
}

/* -d LETTERS. */
static bool set_dump(Request *r, const char *value)
{
    if (!pass_letters(value))
        return refuse("-d takes letters of tilec --passes, or all; not `%s`", value);
    r->dump = value;
    return true;
}

/* --stop LETTER. */
static bool set_stop(Request *r, const char *value)
{
    if (!pass_letters(value) || value[1])
        return refuse("--stop takes a letter of tilec --passes, not `%s`", value);
    r->stop = value[0];
    return true;
}

/* --ops, --ops=markdown. */
static bool set_ops(Request *r, const char *value)
{
    if (value && strcmp(value, "markdown"))
        return refuse("--ops takes markdown or nothing, not `%s`", value);
    r->action = DO_OPS;
    r->subject = value;
    return true;
}

/* --explain=E0502, --explain=shadow; alone: what was decided, and why. */
static bool set_explain(Request *r, const char *value)
{
    if (!value) return options.explain = true;
    const char *near = code_find(value) ? NULL : code_nearest(value);
    if (near) return refuse("nothing is called `%s`; did you mean %s?", value, near);
    if (!code_find(value))
        return refuse("nothing is called `%s`; errors have codes as E0101", value);
    r->action = DO_EXPLAIN;
    r->subject = value;
    return true;
}

/* --diagnostics=text, --diagnostics=json. */
static bool set_diagnostics(Request *r, const char *value)
{
    IGNORE(r);
    options.json = !strcmp(value, "json");
    if (!options.json && strcmp(value, "text"))
        return refuse("--diagnostics takes text or json, not `%s`", value);
    return true;
}

/* --color=auto, always, never. */
static bool set_color(Request *r, const char *value)
{
    static const char *const words[] = {
        [COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"
    };
    IGNORE(r);
    for (int i = 0; i < 3; i++) {
        if (strcmp(words[i], value)) continue;
        options.color = i;
        return true;
    }
    return refuse("--color takes auto, always or never, not `%s`", value);
}

/* -Wno-NAME of a warning that there is. */
static bool set_quiet(Request *r, const char *name)
{
    IGNORE(r);
    const Code *c = code_find(name);
    bool known = c && code_is_warning(c);
    const char *near = known ? NULL : code_nearest(name);
    if (near) return refuse("there is no warning `%s`; did you mean -Wno-%s?", name, near);
    if (!known) return refuse("there is no warning `%s`", name);
    push(&options.quiet, name);
    return true;
}

/* ---- the table ------------------------------------------------------------------------------- */

static const Option table[] = {
    { "-o", TAKES_VALUE, set_output, "-o FILE", "write FILE and its header; - is stdout", 0 },
    { "--header", TAKES_VALUE, set_header, "--header=FILE", "write the header there", 0 },
    { "-I", TAKES_VALUE, set_include, "-I DIR", "look there for files", 0 },
    { "-D", TAKES_VALUE, set_define, "-D [KERNEL.]NAME=VALUE", "a static parameter or const", 0 },
    { "--arch", TAKES_VALUE, set_arch, "--arch=sm_80,sm_90a", "bodies for these alone", 0 },
    { "--host", TAKES_VALUE, set_host, "--host=runtime", "launch functions for it", 0 },
    { "-g", TAKES_NOTHING, set_lines, "-g", "#line in the output, for debuggers", 0 },
    { "-MD", TAKES_NOTHING, set_depend, "-MD", "write dependencies for Make, as FILE.d", 0 },
    { "-MF", TAKES_VALUE, set_depend_file, "-MF FILE", "write dependencies there", 0 },
    { "--check", TAKES_NOTHING, set_check, "--check", "write nothing but diagnostics", 0 },
    { "-d", TAKES_VALUE, set_dump, "-d LETTERS|all", "dump these passes on stderr", 0 },
    { "--stop", TAKES_VALUE, set_stop, "--stop LETTER", "end after this pass", 0 },
    { "-Wno-", TAKES_VALUE, set_quiet, "-Wno-NAME", "without this warning", 0 },
    { "-Werror", TAKES_NOTHING, set_werror, "-Werror", "warnings are errors", 0 },
    { "--diagnostics", TAKES_VALUE, set_diagnostics, "--diagnostics=text|json", NULL, 0 },
    { "--color", TAKES_VALUE, set_color, "--color=auto|always|never", NULL, 0 },
    { "--explain", MAY_TAKE, set_explain, "--explain", "each decision and its reason, by line", 0 },
    { "--explain", MAY_TAKE, set_explain, "--explain=E0502", "what a message means", 0 },
    { "--passes", TAKES_NOTHING, NULL, "--passes", "the passes and their letters", DO_PASSES },
    { "--ops", MAY_TAKE, set_ops, "--ops[=markdown]", "the table of operations", 0 },
    { "--version", TAKES_NOTHING, NULL, "--version", NULL, DO_VERSION },
    { "--help", TAKES_NOTHING, NULL, "--help", NULL, DO_HELP },
    { "-h", TAKES_NOTHING, NULL, NULL, NULL, DO_HELP },
};
enum { TABLE = sizeof table / sizeof *table };

/* What --help prints. */
void options_help(FILE *out)
{
    fputs("tilec softmax.tile -o softmax.cu      translate: softmax.cu and softmax.h\n"
          "tilec --check softmax.tile            diagnostics only\n"
          "tilec run softmax.tile softmax x=x.npy y=out.npy\n"
          "                                      run a kernel; also x=random:4096x256, ..,\n"
          "                    --on=ref|cpu|gpu --seed N --print y --check --time -D -I\n"
          "tilec doctor                          which tools are there, what is missing\n\n", out);
    for (int i = 0; i < TABLE; i++)
        if (table[i].shown)
            fprintf(out, table[i].help ? "  %-27s %s\n" : "  %s\n", table[i].shown, table[i].help);
    fputs("\nExit status: 0; 1 for an error in the program; 2 for a wrong command line, or a file\n"
          "that cannot be read or written.\n", out);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The option that a word begins with, *rest: what stands behind its name. NULL if there is none. */
static const Option *find(const char *word, const char **rest)
{
    for (int i = 0; i < TABLE; i++) {
        const Option *o = &table[i];
        size_t n = strlen(o->name);
        bool joins = o->takes == TAKES_VALUE && o->name[1] != '-'
                  && (n == 2 || o->name[n - 1] == '-');
        if (strncmp(word, o->name, n)) continue;
        *rest = word + n;
        if (!word[n] || (o->name[1] == '-' && word[n] == '=') || joins) return o;
    }
    return NULL;
}

/* An option that does not exist: what may have been meant. */
static bool unknown(const char *word)
{
    const char *names[TABLE], *name = arena_printf("%.*s", (int)strcspn(word, "="), word);
    for (int i = 0; i < TABLE; i++) names[i] = table[i].name;
    const char *near = nearest(name, names, TABLE);
    if (near) return refuse("unknown option `%s`; did you mean `%s`?", name, near);
    return refuse("unknown option `%s`; tilec --help lists them", name);
}

/* One option; *next: the word behind it, used up (NULL) if it is its value. */
static bool read_option(Request *r, const char *word, const char **next)
{
    const char *rest, *value = NULL;
    const Option *o = find(word, &rest);
    if (!o) return unknown(word);
    if (*rest) value = o->name[1] == '-' ? rest + 1 : rest;
    if (value && o->takes == TAKES_NOTHING) return refuse("`%s` takes no value", o->name);
    if (!value && o->takes == TAKES_VALUE) value = *next, *next = NULL;
    if (!value && o->takes == TAKES_VALUE)
        return refuse("`%s` needs a value: %s", o->name, o->shown);
    if (value && !*value) return refuse("`%s` has an empty value", o->name);
    if (o->set) return o->set(r, value);
    r->action = o->action;
    return true;
}

/* Reads the command line: options and files in any order, `--` ends options. */
bool options_read(int argc, char **argv, Request *r)
{
    bool only_files = false;
    options.host = "runtime";
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL, *after = next;
        if (!only_files && !strcmp(word, "--")) {
            only_files = true;
        } else if (only_files || word[0] != '-' || !word[1]) {
            push(&r->inputs, word);
        } else {
            if (!read_option(r, word, &after)) return false;
            i += next && !after;
        }
    }
    if (r->action == DO_TRANSLATE && r->inputs.n == 0)
        return refuse("no input file; tilec --help tells more");
    if (r->inputs.n > 1)
        return refuse("one file at a time: `%s` and `%s`", r->inputs.at[0], r->inputs.at[1]);
    return true;
}
