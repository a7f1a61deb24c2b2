/* options.h -- what the command line asks for: filled by the driver before the first pass */
#ifndef OPTIONS_H
#define OPTIONS_H
#include "base.h"

/* -D NAME=VALUE, or -D KERNEL.NAME=VALUE; as written, cut at '.' and '='. */
typedef struct {
    const char *kernel;                            /* NULL: every kernel with it, and consts */
    const char *name, *value;
    bool used;                                     /* set by check: some static or const took it */
    bool parsed; const struct Node *expr;          /* set by check: as an expression, or NULL */
} Define;

extern struct Options {
    LIST(const char *) include_dirs;               /* -I, in order */
    const char *stdlib_dir;                        /* what holds std/nn.tile; NULL: not installed */
    LIST(Define) defines;                          /* -D, in order: a later one wins */
    const char *arch;                              /* --arch, as written; NULL: all there are */
    const char *host;                              /* --host: "runtime" (default) or "driver" */
    bool explain;                                  /* --explain: decisions and their reasons */
    bool debug_lines;                              /* -g: #line in the output */
    bool warnings_are_errors;                      /* -Werror */
    LIST(const char *) quiet;                      /* -Wno-NAME: the names */
    bool json;                                     /* --diagnostics=json */
    enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color;
} options;
#endif
