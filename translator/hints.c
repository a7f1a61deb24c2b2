/* hints.c -- attributes: those that the mapping follows, and a word about the others */
#include "mapping.h"
#include <string.h>

/* Is the attribute meant for one target's body, #[threads(256, sm = 90)]? There is none yet. */
static bool for_one_target(const Attr *a)
{
    for (const Node *n = a->args ? a->args->kids : NULL; n; n = n->next)
        if (n->kind == N_NAMED)
            return true;
    return false;
}

/* The attribute of this name that means all targets; NULL if it is not there. */
const Attr *attr_of(const AttrList *list, const char *name)
{
    for (int i = 0; list && i < list->n; i++)
        if (list->at[i].name == name_of(name) && !for_one_target(&list->at[i]))
            return &list->at[i];
    return NULL;
}

/* The number that an attribute gives; 0 if the kernel does not have it. */
int hint_of(const Kernel *k, const char *name)
{
    const Attr *a = attr_of(&k->attrs, name);
    return a ? (int)a->value : 0;
}

/* Does every entry stay within what a multiprocessor holds, n blocks at a time? */
static bool fit(const Plan *p, int64_t n)
{
    enum { MOST_THREADS = 2048, MOST_BLOCKS = 32 };
    for (int i = 0; i < p->entries.n; i++)
        if (n > MOST_BLOCKS || n * p->entries.at[i].threads > MOST_THREADS)
            return false;
    return true;
}

/* What is done about the number of threads, if not what was asked for. */
static const char *instead_of_threads(const Plan *p, int64_t wish)
{
    if (p->whole)
        return "rows of a whole axis have as many threads as their length wants";
    int threads = p->bodies.n ? p->bodies.at[0]->threads : (int)wish;
    return threads == wish ? NULL
        : arena_printf("a program has %d threads, %s", threads,
                       threads > wish ? "the next power of two"
                                      : "and no use for more with its tiles");
}

/* Says what is done where an attribute cannot be followed; NULL: it is followed. */
static const char *instead_of(const Plan *p, const Attr *a)
{
    const char *name = a->name->text;
    if (for_one_target(a))
        return "there is no body for one target alone; all targets have the same";
    if (!strcmp(name, "persistent"))
        return "each block runs one program, or a few small ones";
    if (!strcmp(name, "cluster"))
        return "blocks run by themselves";
    if (!strcmp(name, "group") && p->kernel->axes.n < 2)
        return "the programs have one axis, along which they run in order";
    if (!strcmp(name, "threads"))
        return instead_of_threads(p, a->value);
    if (!strcmp(name, "occupancy") && !fit(p, a->value))
        return "so many blocks have too many threads for a multiprocessor, which has 2048; "
               "registers are shared out as if it was not there";
    return NULL;
}

/* A warning that says what is done instead. */
void not_followed(const Attr *a, const char *instead)
{
    warn(a->pos, "attribute", "#[%s] is not followed here: %s", a->name->text, instead);
    help("leave it out; results are the same");
}

/* Of the attributes of loops `unroll` is followed, and `stages` on tensor cores. */
static void loop_hints(Op *op, void *arg)
{
    const Plan *p = arg;
    for (int i = 0; op->attrs && i < op->attrs->n; i++) {
        const Attr *a = &op->attrs->at[i];
        if (for_one_target(a))
            not_followed(a, "there is no body for one target alone; all targets have the same");
        else if (!strcmp(a->name->text, "stages") && !p->tensor)   /* else pipeline.c follows */
            not_followed(a, "what a round loads is loaded in that round");
    }
}

/* Follows #[occupancy(n)] in the entries; warns of attributes that the plan does not follow. */
void follow_hints(Plan *p)
{
    int blocks = hint_of(p->kernel, "occupancy");
    for (int i = 0; blocks > 0 && fit(p, blocks) && i < p->entries.n; i++)
        p->entries.at[i].blocks = blocks;
    for (int i = 0; i < p->kernel->attrs.n; i++) {
        const Attr *a = &p->kernel->attrs.at[i];
        const char *instead = instead_of(p, a);
        if (instead)
            not_followed(a, instead);
    }
    ir_walk(p->kernel->body, loop_hints, p);
}
