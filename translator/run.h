/* run.h -- inside `tilec run`: what its command line says, arrays, other executions */
#ifndef RUN_H
#define RUN_H
#include "ir.h"

/* ---- npy.c ----------------------------------------------------------------------------------- */

int64_t tensor_bytes(const Tensor *t);
const char *tensor_make(Tensor *t);                /* strides, memory; NULL or why not */
const char *npy_read(const char *path, Tensor *t); /* NULL or why not: "is no .npy file" */
const char *npy_write(const char *path, const Tensor *t);

/* ---- recipe.c: arrays by description --------------------------------------------------------- */

typedef enum { MADE_FILE, MADE_RANDOM, MADE_NORMAL, MADE_ARANGE, MADE_ZEROS, MADE_FULL } MadeKind;
/* What stands behind x= : a file, or how to make an array. */
typedef struct {
    MadeKind kind;
    const char *path;                              /* of a file, without the type behind it */
    Elem elem;                                     /* as written behind it; EL_ERROR: not said */
    int rank; int64_t extent[MAX_RANK];
    double value;                                  /* full */
} Recipe;
const char *recipe_read(const char *text, Recipe *recipe);      /* NULL or why not */
const char *recipe_make(const Recipe *recipe, uint64_t seed, Tensor *t);   /* t->elem is set */
void fill_sentinel(Tensor *t);
bool number_read(const char *text, Elem e, Constant *number);   /* a scalar argument */

/* ---- show.c: arrays for people --------------------------------------------------------------- */

void show_array(FILE *out, const Tensor *t);       /* as NumPy prints it */
/* One line: the largest difference, absolute and in ulps, and where. */
void show_difference(FILE *out, const char *name, const Tensor *got, const Tensor *want);

/* ---- run.c, launch_args.c -------------------------------------------------------------------- */

typedef struct { const char *name, *value; bool used; } Word;   /* x=random:4x4 */
typedef struct {
    const char *file, *kernel;
    LIST(Word) words;
    enum { ON_REF, ON_CPU, ON_GPU } on;
    uint64_t seed;
    LIST(const char *) print;
    bool check, time;
} RunRequest;

/* What a launch takes. By parameter: args, and where an output is written (NULL: nowhere). */
typedef struct {
    const Function *function;
    Arg *args; int nargs;
    const char **path;
    int64_t *listed;                               /* by function->listed */
} Launch;

/* Finds the instance, reads and makes the arrays; false after a report, *status is the exit. */
bool launch_args(RunRequest *request, const Program *program, Launch *launch, int *status);
/* One line about a wrong command line or file; gives 2. */
int  complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- run_emulator.c: the emulator as one object ---------------------------------------------- */

/* The path of the object, compiled in `folder` unless it was kept from earlier; NULL: `status` is
   what the compiler gave, and said in `messages`. */
const char *emulator_object(const char *folder, const char *emulator, int *status);
/* Runs a program inside the folder; its messages go to a file there (NULL: to ours). Its exit
   status, NOT_FOUND if there is no such program. */
enum { NOT_FOUND = 127 };
int run_program(const char *folder, const char *const *words, const char *messages);

/* ---- run_cpu.c, run_driver.c: the generated code --------------------------------------------- */

/* Does the emulator look at each access? Not if time is taken. */
static inline bool run_is_checked(const RunRequest *r) { return r->on == ON_CPU && !r->time; }
/* Translates, compiles and runs the kernel k; its outputs are in the arrays of launch. The exit
   status: 0; 1 refused; 2 no compiler. */
int run_generated(const RunRequest *request, const Program *program, const Kernel *k,
                  Launch *launch);
/* The program that reads the arrays from files, calls the launch function and writes them back. */
void driver_text(Text *out, const RunRequest *request, const Kernel *k, const Launch *launch,
                 const char *header);
#endif
