/* driver.h -- inside the driver: what the command line asked for, files, passes */
#ifndef DRIVER_H
#define DRIVER_H
#include "emit.h"
#include "diag.h"
#include "options.h"

/* ---- options.c ------------------------------------------------------------------------------ */

typedef enum { DO_TRANSLATE, DO_HELP, DO_VERSION, DO_PASSES, DO_OPS, DO_EXPLAIN } Action;

/* What the driver alone needs of the command line. */
typedef struct {
    LIST(const char *) inputs;
    const char *output;                            /* -o; "-": standard output; NULL: none given */
    const char *header;                            /* --header; NULL: beside the output */
    bool check_only;                               /* --check */
    bool dependencies;                             /* -MD, or -MF FILE */
    const char *dependency_file;
    const char *dump;                              /* -d: letters */
    char stop;                                     /* --stop: the last pass to run; 0: all */
    Action action;                                 /* --help and the like: what to print */
    const char *subject;                           /* --explain=E0502 */
} Request;

bool options_read(int argc, char **argv, Request *r);   /* false after a report on stderr */
void options_help(FILE *out);
int  complain_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));   /* gives 2 */

/* ---- output.c: files that appear whole or not at all ----------------------------------------- */

typedef struct { const char *path, *text; size_t size; const char *beside; } Output;
const char *outputs_write(Output *o, int n);       /* all or none; NULL, or what failed and why */
const char *stdout_write(const char *text, size_t size);
bool same_file(const char *a, const char *b);      /* two names of one file that exists */
const char *path_with_suffix(const char *path, const char *suffix);   /* a/b.cu, .h -> a/b.h */
const char *path_base(const char *path);           /* a/softmax.cu -> softmax */
const char *home_find(const char *name, const char *file);   /* a folder of tilec with this file */

/* ---- pass.c ---------------------------------------------------------------------------------- */

/* What the passes hand on. */
typedef struct {
    const Request *request;
    const Source *source;
    const char *base;                              /* softmax for softmax.cu */
    Node *tree;
    Program *program;
    bool planned;                                  /* for a dump: nothing is emitted then */
    Text cu, header;
} Job;
void passes_print(FILE *out);
bool pass_letters(const char *letters);            /* all are letters of passes, or it is "all" */
bool passes_run(Job *job);                         /* true if all have run without an error */

/* ---- lines.c --------------------------------------------------------------------------------- */

Text with_lines(const Text *cu, const char *path); /* -g: #line before what came from a .tile */

/* ---- doctor.c, run.c ------------------------------------------------------------------------- */

int doctor_main(void);
int run_main(int argc, char **argv);               /* argv begins behind the word run */
#endif
