/* pass.c -- the table of passes: in this order a program goes through them */
#include "driver.h"
#include "parse.h"
#include <stdlib.h>
#include <string.h>

/* ---- what each does, what each shows ------------------------------------------------------- */

static void run_parse(Job *j)      { j->tree = parse(j->source); }
static void run_check(Job *j)      { j->program = check(j->tree); }
static void run_simplify(Job *j)   { simplify(j->program); }
static void run_padding(Job *j)    { padding(j->program); }
static void run_emit(Job *j)       { emit_program(j->program, j->base, &j->cu, &j->header); }

static void dump_tokens(Job *j)    { tokens_dump(stderr, j->source); }
static void dump_tree(Job *j)      { ast_dump(stderr, j->tree); }
static void dump_ir(Job *j)        { ir_dump(stderr, j->program); }
static void dump_padding(Job *j)   { padding_dump(stderr, j->program); }
static void dump_text(Job *j)      { fwrite(j->cu.at, 1, j->cu.n, stderr); }

/* Plans are made by the emitter; for the dump they are made here, and nothing is emitted. */
static void dump_plans(Job *j)
{
    j->planned = true;
    for (int f = 0; f < j->program->functions.n; f++) {
        const Function *function = j->program->functions.at[f];
        for (int k = 0; k < function->kernels.n; k++) {
            const Plan *plan = plan_kernel(function->kernels.at[k]);
            if (plan) plan_dump(stderr, plan);
        }
    }
}

static const struct Pass {
    char letter;
    const char *name, *caption;
    void (*run)(Job *j);
    void (*dump)(Job *j);
} passes[] = {
    { 't', "tokens", "what the lexer makes of the text", NULL, dump_tokens },
    { 'a', "tree", "the program as it is written", run_parse, dump_tree },
    { 'i', "ir", "tile operations, checked, for each instance", run_check, dump_ir },
    { 'p', "padding", "what of each tile is data, what padding holds", run_padding, dump_padding },
    { 's', "simplify", "folded, dropped where unused", run_simplify, dump_ir },
    { 'm', "mapping", "how tiles become threads; ends there", NULL, dump_plans },
    { 'e', "emit", "CUDA C", run_emit, dump_text },
};
enum { PASSES = sizeof passes / sizeof *passes };

/* tilec --passes. */
void passes_print(FILE *out)
{
    for (int i = 0; i < PASSES; i++)
        fprintf(out, "%c  %-9s %s\n", passes[i].letter, passes[i].name, passes[i].caption);
}

/* Are they all letters of passes, or is it the word all? */
bool pass_letters(const char *letters)
{
    if (!strcmp(letters, "all")) return true;
    for (const char *l = letters; *l; l++) {
        bool found = false;
        for (int i = 0; i < PASSES; i++) found = found || passes[i].letter == *l;
        if (!found) return false;
    }
    return *letters != 0;
}

/* Is a dump asked for? The word all leaves out the plans, behind which nothing is emitted. */
static bool is_dumped(const Request *r, const struct Pass *pass)
{
    if (!r->dump) return false;
    return strcmp(r->dump, "all") ? strchr(r->dump, pass->letter) != NULL : pass->letter != 'm';
}

/* In builds for testing: the rules of the IR hold after each pass that made or changed it. */
static void check_rules(const Job *j, const struct Pass *pass)
{
#ifdef VERIFY
    if (j->program && !verify(j->program, pass->name)) abort();
#else
    (void)j, (void)pass;
#endif
}

/* Runs the passes up to the one asked for, or an error. True if all have run. */
bool passes_run(Job *j)
{
    for (int i = 0; i < PASSES && !j->planned; i++) {
        if (passes[i].run) passes[i].run(j);
        if (error_count()) return false;
        check_rules(j, &passes[i]);
        if (is_dumped(j->request, &passes[i])) passes[i].dump(j);
        if (passes[i].letter == j->request->stop) return false;
    }
    return !j->planned && !error_count();
}
