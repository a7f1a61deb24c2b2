/* hints.c -- attributes: those that the mapping follows, and a word about the others */
#include "mapping.h"
#include <string.h>

/* Is the attribute meant for one target's body, #[threads(256, sm = 90)]? There is none yet. */
static bool for_one_target(const Attr *a)
{
    return a->args && kid_count(a->args) > 1 && strcmp(a->name->text, "order");
}

/* The number that an attribute gives; 0 if the kernel does not have it. */
int hint_of(const Kernel *k, const char *name)
{
    for (int i = 0; i < k->attrs.n; i++)
        if (k->attrs.at[i].name == name_of(name) && !for_one_target(&k->attrs.at[i]))
            return (int)k->attrs.at[i].value;
    return 0;
}

/* Says what is done where an attribute cannot be followed; NULL: it is followed. */
static const char *instead_of(const Plan *p, const Attr *a)
{
    static const struct { const char *name, *instead; } table[] = {
        { "group", "programs run in the order of their numbers" },
        { "order", "programs run in the order of their numbers, the last axis fastest" },
        { "persistent", "each block runs one program, or a few small ones" },
        { "cluster", "blocks run by themselves" },
    };
    if (for_one_target(a))
        return "there is no body for one target alone; all targets have the same";
    if (!strcmp(a->name->text, "threads") && p->whole)
        return "rows of a whole axis have as many threads as their length wants";
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(a->name->text, table[i].name))
            return table[i].instead;
    return NULL;
}

/* Follows #[occupancy(n)] in the entries; warns of attributes that the plan does not follow. */
void follow_hints(Plan *p)
{
    int blocks = hint_of(p->kernel, "occupancy");
    for (int i = 0; i < p->entries.n; i++)
        if (blocks > 0 && blocks * p->entries.at[i].threads <= 2048)
            p->entries.at[i].blocks = blocks;
    for (int i = 0; i < p->kernel->attrs.n; i++) {
        const Attr *a = &p->kernel->attrs.at[i];
        const char *instead = instead_of(p, a);
        if (!instead)
            continue;
        warn(a->pos, "attribute", "#[%s] is not followed here: %s", a->name->text, instead);
        help("leave it out; results are the same");
    }
}
