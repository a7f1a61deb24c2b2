/* run.c -- `tilec run`: runs a kernel on arrays, by the interpreter, the emulator or a GPU */
#include <stdlib.h>
#include <string.h>
#include "driver.h"
#include "run.h"

/* One line about a wrong command line or a file that cannot be used; gives 2. */
int complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "tilec run: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    return 2;
}

/* ---- the command line ------------------------------------------------------------------------ */

/* The words of a command line, one by one. */
typedef struct { int argc, at; char **argv; RunRequest *request; } Words;

/* If the word is this option, its value: behind =, behind the letter, or the next word; "" if it
   takes none. NULL: it is another. */
static const char *option_value(Words *w, const char *option, bool takes)
{
    const char *word = w->argv[w->at];
    const size_t n = strlen(option);
    if (strncmp(word, option, n))
        return NULL;
    if (!takes)
        return word[n] ? NULL : "";
    if (word[n] == '=')
        return word + n + 1;
    if (word[n])
        return option[1] == '-' ? NULL : word + n;
    return w->at + 1 < w->argc ? w->argv[++w->at] : NULL;
}

/* -D NAME=VALUE or KERNEL.NAME=VALUE. */
static bool take_define(const char *text)
{
    const char *equal = strchr(text, '='), *dot = strchr(text, '.');
    if (!equal || equal == text)
        return false;
    const char *name = dot && dot < equal ? dot + 1 : text;
    Define d = {.name = arena_printf("%.*s", (int)(equal - name), name), .value = equal + 1};
    if (name != text)
        d.kernel = arena_printf("%.*s", (int)(dot - text), text);
    push(&options.defines, d);
    return true;
}

/* --on=ref, cpu or gpu. */
static bool take_on(RunRequest *request, const char *text)
{
    static const char *const names[] = {"ref", "cpu", "gpu"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(text, names[i])) {
            request->on = i;
            return true;
        }
    return false;
}

/* The option at w->at; false if it is wrong or unknown. */
static bool take_option(Words *w)
{
    RunRequest *request = w->request;
    const char *value;
    char *end;
    if ((value = option_value(w, "--on", true)))
        return take_on(request, value);
    if ((value = option_value(w, "--seed", true))) {
        request->seed = strtoull(value, &end, 0);
        return end != value && !*end;
    }
    if ((value = option_value(w, "--print", true)))
        return push(&request->print, value), true;
    if (option_value(w, "--check", false))
        return request->check = true;
    if (option_value(w, "--time", false))
        return request->time = true;
    if ((value = option_value(w, "-D", true)))
        return take_define(value);
    if ((value = option_value(w, "-I", true)))
        return push(&options.include_dirs, value), true;
    return false;
}

/* FILE, NAME, then name=value. */
static bool take_word(RunRequest *request, const char *text)
{
    const char *equal = strchr(text, '=');
    if (!request->file)
        request->file = text;
    else if (!request->kernel)
        request->kernel = text;
    else if (!equal || equal == text)
        return false;
    else
        push(&request->words, ((Word){arena_printf("%.*s", (int)(equal - text), text), equal + 1,
                                      false}));
    return true;
}

/* Reads the command line; false after a report. */
static bool read_command(int argc, char **argv, RunRequest *request)
{
    Words w = {.argc = argc, .argv = argv, .request = request};
    bool only_words = false;
    for (; w.at < argc; w.at++) {
        const char *word = argv[w.at];
        if (!only_words && !strcmp(word, "--"))
            only_words = true;
        else if (!only_words && word[0] == '-' && word[1] ? !take_option(&w)
                                                           : !take_word(request, word)) {
            complain("`%s` is not understood; see tilec --help", word);
            return false;
        }
    }
    if (!request->file || !request->kernel)
        complain("write tilec run FILE NAME arg=value ..");
    return request->file && request->kernel;
}

/* ---- the program ----------------------------------------------------------------------------- */

/* Nothing is printed but errors: every warning is switched off. */
static void silence_warnings(void)
{
    static const char *const codes[] = {
#define X(code, title, text) code,
#include "codes.def"
#undef X
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i][0] != 'E')
            push(&options.quiet, codes[i]);
}

/* -D may give an extent too, of which check knows nothing: launch_args reports what nobody took. */
static void excuse_defines(void)
{
    for (int i = 0; i < options.defines.n; i++)
        options.defines.at[i].used = options.defines.at[i].kernel == NULL;
}

/* The program of a file, checked, its padding known; NULL after reports, *status is the exit. */
static Program *read_program(const char *path, int *status)
{
    const char *why;
    Source *source = source_open(path, &why);
    *status = 2;
    if (!source) {
        complain("%s: %s", path, why);
        return NULL;
    }
    *status = 1;
    silence_warnings();
    excuse_defines();
    Program *program = check(parse(source));
    if (!program || error_count())
        return NULL;
    padding(program);
    return error_count() ? NULL : program;
}

/* ---- running --------------------------------------------------------------------------------- */

/* The arguments with outputs of their own, equal so far. */
static Arg *copy_outputs(const Kernel *k, const Launch *launch)
{
    Arg *copy = new_array(Arg, launch->nargs + 1);
    for (int i = 0; i < launch->nargs; i++) {
        copy[i] = launch->args[i];
        if (k->params.at[i].kind == PARAM_SHARED || !copy[i].tensor.present)
            continue;
        if (tensor_make(&copy[i].tensor))
            return NULL;
        memcpy(copy[i].tensor.data, launch->args[i].tensor.data,
               (size_t)tensor_bytes(&copy[i].tensor));
    }
    return copy;
}

/* Prints and writes what was asked for. */
static int finish(const RunRequest *request, const Kernel *k, const Launch *launch,
                  const Arg *reference)
{
    for (int i = 0; i < launch->nargs; i++) {
        const Tensor *t = &launch->args[i].tensor;
        const char *name = k->params.at[i].name->text;
        if (!t->present)
            continue;
        for (int p = 0; p < request->print.n; p++)
            if (!strcmp(request->print.at[p], name))
                show_array(stdout, t);
        if (reference && k->params.at[i].kind != PARAM_SHARED)
            show_difference(stdout, name, t, &reference[i].tensor);
        const char *why = launch->path[i] ? npy_write(launch->path[i], t) : NULL;
        if (why)
            return complain("%s %s", launch->path[i], why);
    }
    return 0;
}

/* Frees the arrays. */
static void free_arrays(const Launch *launch, const Arg *reference)
{
    for (int i = 0; i < launch->nargs; i++) {
        if (reference && reference[i].tensor.data != launch->args[i].tensor.data)
            free(reference[i].tensor.data);
        free(launch->args[i].tensor.data);
    }
}

/* Runs as asked: the reference, the generated code, or both. What is compared with the reference
   goes through simplify; the reference itself is the program as it was written. */
static int execute(const RunRequest *request, Program *program, Launch *launch)
{
    const char *why;
    const Kernel *k = choose_kernel(launch->function, launch->args, launch->listed, &why);
    if (!k) {
        complain("%s: %s", launch->function->symbol, why);
        return 1;
    }
    Arg *reference = request->check ? copy_outputs(k, launch) : NULL;
    why = reference ? interpret(k, reference, NULL) : NULL;
    if (reference || request->on != ON_REF) {
        simplify(program);
        padding(program);
    }
    if (!why && request->on == ON_REF)
        why = interpret(k, launch->args, stdout);
    if (why)
        complain("%s: %s", launch->function->symbol, why);
    int status = why ? 1 : 0;
    if (!why && request->on != ON_REF)
        status = run_generated(request, program, k, launch);
    if (status == 0)
        status = finish(request, k, launch, reference);
    free_arrays(launch, reference);
    return status;
}

/* tilec run FILE NAME arg=value ..; argv begins at FILE. The exit status. */
int run_main(int argc, char **argv)
{
    RunRequest request = {0};
    Launch launch = {0};
    int status = 2;
    if (!read_command(argc, argv, &request))
        return 2;
    Program *program = read_program(request.file, &status);
    if (!program)
        return status;
    if (launch_args(&request, program, &launch, &status))
        return execute(&request, program, &launch);
    free_arrays(&launch, NULL);
    return status;
}
