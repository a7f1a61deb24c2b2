/* wish.c -- what variables of the output are called: as the user says, or by how they are made */
/* needs: webs.  gives: a name for each, and fresh ones.  keeps: the plan. */
#include "mapping.h"
#include <string.h>

/* Uses the name from now on, to the end of its scope. */
void take_name(Emit *e, const char *name)
{
    push(&e->names.used, name);
    map_put(&e->names.places, name_of(name), (void *)(intptr_t)e->names.used.n);
}

/* Is the name in use? Its place tells: scopes end by taking the last names away. */
static bool is_used(const Emit *e, const char *name)
{
    intptr_t place = (intptr_t)map_find(&e->names.places, name_of(name));
    return place && place <= e->names.used.n && !strcmp(e->names.used.at[place - 1], name);
}

/* t2 for t, t1_2 for t1. */
static const char *numbered(const char *wish, int n)
{
    size_t len = strlen(wish);
    bool digit = len && wish[len - 1] >= '0' && wish[len - 1] <= '9';
    return arena_printf(digit ? "%s_%d" : "%s%d", wish, n);
}

/* The first number to try with a wish: behind the last one that it got, if that is in use. */
static int first_number(const Emit *e, const char *wish)
{
    int last = (int)(intptr_t)map_find(&e->names.numbers, name_of(wish));
    return last && !c_reserved(wish) && is_used(e, numbered(wish, last)) ? last + 1 : 2;
}

/* The wish, or if it is taken the wish and a number; taken from now on. */
const char *fresh(Emit *e, const char *wish)
{
    const char *name = wish;
    for (int n = first_number(e, wish); ; n++) {
        bool reserved = c_reserved(name);
        if (reserved && n > 3)
            wish = arena_printf("a_%s", wish);     /* its beginning is reserved */
        if (!reserved && !is_used(e, name))
            break;
        name = numbered(wish, n);
        map_put(&e->names.numbers, name_of(wish), (void *)(intptr_t)n);
    }
    take_name(e, name);
    return name;
}

/* The name of v, or of the first of its operands in turn that has one. */
const char *value_called(const Value *v)
{
    for (; v; v = v->def && v->def->nargs ? v->def->args[0] : NULL) {
        if (v->plan && map_of(web_root((Value *)v))->name)
            return map_of(web_root((Value *)v))->name;
        if (v->name)
            return c_name(v->name);
    }
    return "t";
}

/* i_times_64, where the other operand is a constant; i_next, where it is not. */
static const char *number_wish(const Op *op)
{
    static const struct { const char *row, *word; } words[] = {
        { "add", "plus" }, { "sub", "minus" }, { "mul", "times" },
    };
    const Op *by = op->nargs == 2 ? op->args[1]->def : NULL;
    if (op->nargs == 0)
        return "value";
    const char *first = value_called(op->args[0]);
    for (int i = 0; by && by->kind == OP_CONST && i < 3; i++)
        if (is_row(op, words[i].row) && !elem_is_float(op->args[1]->type.elem)
            && by->constant.i >= 0)
            return arena_printf("%s_%s_%lld", first, words[i].word, (long long)by->constant.i);
    return arena_printf("%s_next", first);
}

/* A name by how v is made. */
static const char *wish_for(const Value *v)
{
    static const char *const reduced[] = {
        [REDUCE_SUM] = "sum", [REDUCE_PROD] = "product", [REDUCE_MAX] = "max", [REDUCE_MIN] = "min",
        [REDUCE_MEAN] = "mean", [REDUCE_ARGMAX] = "argmax", [REDUCE_ARGMIN] = "argmin",
        [REDUCE_ANY] = "any", [REDUCE_ALL] = "all",
    };
    if (v->name)
        return c_name(v->name);
    if (!v->def)
        return "carried";
    switch (v->def->kind) {
    case OP_LOAD: case OP_GATHER:
        return arena_printf(v->type.rank ? "%s_tile" : "%s_element", tensor_name(v->def->args[0]));
    case OP_ATOMIC:
        return arena_printf("%s_old", tensor_name(v->def->args[0]));
    case OP_REDUCE:
        if (v->def->args[0]->name)
            return arena_printf("%s_%s", c_name(v->def->args[0]->name), reduced[v->def->reduce]);
        return arena_printf("%s_%s", dim_count(v) ? "row" : "whole", reduced[v->def->reduce]);
    case OP_MMA:
        return "product";
    case OP_SORT:
        return v == v->def->results[0] ? v->def->nresults > 1 ? "best" : "sorted" : "places";
    case OP_HISTOGRAM:
        return "counts";
    case OP_FOLD:
        return dim_count(v) ? "row_folded" : "folded";
    case OP_SCAN:
        return "scanned";
    case OP_IF: case OP_FOR: case OP_WHILE:
        return "joined";
    case OP_PERMUTE:
        return arena_printf("%s_t", value_called(v->def->args[0]));
    case OP_FLIP:
        return arena_printf("%s_flipped", value_called(v->def->args[0]));
    case OP_EXTRACT:
        return arena_printf("%s_piece", value_called(v->def->args[0]));
    case OP_CAT:
        return arena_printf("%s_%s", value_called(v->def->args[0]),
                            value_called(v->def->args[1]));
    default:
        if (map_of(v)->places_of)
            return arena_printf("%s_place", tensor_name(map_of(v)->places_of));
        return number_wish(v->def);
    }
}

/* The value whose variable v is another view of, or itself. */
static const Value *viewed(const Value *v)
{
    while (v->def && v->plan && !map_of(v)->var && v->def->nargs && is_view(v))
        v = v->def->args[0];
    return v;
}

/* Notes for each web, by the id of its root, the first user's name of a value of it, or if views
   is set of another view of one, where there is no name yet. */
static void note_names(const Emit *e, bool views, Name *names)
{
    Name *found = new_array(Name, e->k->values.n + 1);
    for (int i = 0; i < e->k->values.n; i++) {
        const Value *v = e->k->values.at[i], *of = v->name ? viewed(v) : v;
        if (!v->name || (of != v) != views || !of->plan || !map_of(of)->var)
            continue;
        Name *at = &found[web_root((Value *)of)->id];
        *at = *at ? *at : v->name;
    }
    for (int i = 0; i < e->k->values.n; i++)
        names[i] = names[i] ? names[i] : found[i];
}

/* Names each web that has a variable: as the user calls a value of it, or by how it is made. */
void name_webs(Emit *e)
{
    Name *names = new_array(Name, e->k->values.n + 1);
    note_names(e, false, names);
    note_names(e, true, names);
    for (int i = 0; i < e->k->values.n; i++) {
        Value *v = e->k->values.at[i];
        if (!v->plan || !map_of(v)->var || map_of(web_root(v))->name)
            continue;
        const Value *root = web_root(v);
        const char *wish = names[root->id] ? c_name(names[root->id]) : wish_for(root);
        map_of(root)->name = fresh(e, wish);
    }
}
