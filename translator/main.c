/* main.c -- the command: what is asked for, the passes, the files that come out */
#include "driver.h"
#include <string.h>

#define VERSION "0.1"

/* ---- dependencies for Make ------------------------------------------------------------------- */

/* Adds a file name as Make wants it. */
static void add_name(Text *out, const char *name)
{
    for (; *name; name++) {
        if (*name == ' ' || *name == '#' || *name == '\\') text_add(out, "\\", 1);
        if (*name == '$') text_add(out, "$", 1);
        text_add(out, name, 1);
    }
}

/* softmax.cu softmax.h: softmax.tile nn.tile; and a rule for each, so that one may vanish. */
static Text dependencies(const char *cu, const char *header, const Program *p)
{
    Text out = { 0 };
    add_name(&out, cu);
    if (header) {
        text_add(&out, " ", 1);
        add_name(&out, header);
    }
    text_add(&out, ": ", 2);
    add_name(&out, p->source->path);
    for (int i = 0; i < p->used.n; i++) {
        text_add(&out, " \\\n  ", 5);
        add_name(&out, p->used.at[i]->path);
    }
    text_add(&out, "\n", 1);
    for (int i = 0; i < p->used.n; i++) {
        add_name(&out, p->used.at[i]->path);
        text_add(&out, ":\n", 2);
    }
    return out;
}

/* ---- output ---------------------------------------------------------------------------------- */

/* Where things go; NULL: nowhere. */
typedef struct { const char *cu, *header, *depend; } Paths;

/* Where the outputs go, by the command line and the name of the input. */
static Paths paths_of(const Request *r)
{
    Paths p = { .cu = r->output, .header = r->header };
    bool to_stdout = r->output && !strcmp(r->output, "-");
    const char *here = path_with_suffix(path_base(r->inputs.at[0]), ".cu");
    if (!p.cu) p.cu = here;
    if (!p.header && !to_stdout) p.header = path_with_suffix(p.cu, ".h");
    if (r->dependencies) p.depend = path_with_suffix(to_stdout ? here : p.cu, ".d");
    if (r->dependency_file) p.depend = r->dependency_file;
    return p;
}

/* Is this path that of a file that was read? */
static bool is_input(const char *path)
{
    for (int i = 0; i < all_sources.n; i++)
        if (same_file(path, all_sources.at[i]->path)) return true;
    return false;
}

/* False after a report if two outputs are one, or one of them is an input. */
static bool paths_differ(const Paths *p)
{
    const char *path[] = { p->cu, p->header, p->depend };
    bool good = true;
    for (int i = 0; i < 3 && good; i++) {
        if (!path[i] || !strcmp(path[i], "-")) continue;
        good = good && !is_input(path[i]);
        if (!good) complain_usage("%s is an input: it would be overwritten", path[i]);
        for (int k = 0; k < i && good; k++) {
            good = !path[k] || strcmp(path[i], path[k]);
            if (!good) complain_usage("%s would be written twice; see --header=FILE", path[i]);
        }
    }
    return good;
}

/* Writes what came out of the passes. The exit status. */
static int write_outputs(const Request *r, const Job *job)
{
    Paths paths = paths_of(r);
    Output out[3];
    int n = 0;
    if (!paths_differ(&paths)) return 2;
    bool to_stdout = !strcmp(paths.cu, "-");
    Text cu = options.debug_lines ? with_lines(&job->cu, to_stdout ? "<stdin>" : paths.cu)
                                  : job->cu;
    if (!to_stdout) out[n++] = (Output){ paths.cu, cu.at, cu.n, NULL };
    if (paths.header) out[n++] = (Output){ paths.header, job->header.at, job->header.n, NULL };
    Text depend = { 0 };
    if (paths.depend) {
        const char *here = path_with_suffix(path_base(r->inputs.at[0]), ".cu");
        depend = dependencies(to_stdout ? here : paths.cu, paths.header, job->program);
        out[n++] = (Output){ paths.depend, depend.at, depend.n, NULL };
    }
    const char *why = outputs_write(out, n);
    if (!why && to_stdout) why = stdout_write(cu.at, cu.n);
    return why ? complain_usage("%s", why) : 0;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Translates a file. The exit status. */
static int translate(const Request *r)
{
    const char *path = r->inputs.at[0], *why;
    Source *source = source_open(path, &why);
    if (!source) return complain_usage("cannot read %s: %s", path, why);
    bool named = r->output && strcmp(r->output, "-");
    Job job = { .request = r, .source = source, .base = path_base(named ? r->output : path) };
    bool done = passes_run(&job);
    if (error_count()) return 1;
    if (options.explain) explain_print(stderr);
    return done && !r->check_only ? write_outputs(r, &job) : 0;
}

/* Prints what --help and the like ask for. The exit status. */
static int print(const Request *r)
{
    switch (r->action) {
    case DO_TRANSLATE: break;
    case DO_HELP:      options_help(stdout); break;
    case DO_VERSION:   puts("tilec " VERSION); break;
    case DO_PASSES:    passes_print(stdout); break;
    case DO_OPS:       if (r->subject) ops_markdown(stdout); else ops_print(stdout); break;
    case DO_EXPLAIN:   code_explain(stdout, code_find(r->subject)); break;
    }
    const char *why = stdout_write("", 0);
    return why ? complain_usage("%s", why) : 0;
}

/* tilec run, tilec doctor, or a translation. The exit status. */
static int command(int argc, char **argv)
{
    Request request = { 0 };
    options.stdlib_dir = home_find("stdlib", "std");
    if (argc > 1 && !strcmp(argv[1], "run")) return run_main(argc - 2, argv + 2);
    if (argc > 1 && !strcmp(argv[1], "doctor")) return doctor_main();
    if (!options_read(argc, argv, &request)) return 2;
    return request.action == DO_TRANSLATE ? translate(&request) : print(&request);
}

/* Runs the command, and gives its memory back. */
int main(int argc, char **argv)
{
    int status = command(argc, argv);
    arena_free_all();
    return status;
}
