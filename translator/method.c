/* method.c -- x.load(..), y.store(..): which method, and whether this tensor allows it */
#include "lower.h"
#include <string.h>

/* What a method does to the tensor. */
typedef enum { ASKS, READS, WRITES, SCATTERS, UPDATES, ASKS_PART } Touch;

typedef struct { Builtin args; Method *lower; Touch touch; } MethodRow;

#define NAMED(x) (1u << ARG_##x)

#define ATOMIC(name)                                                                          \
    { { name, NULL, 0, 2, MAX_RANK + 1, 0, "h." name "(rows, c ..+ BC, t)" }, method_atomic,  \
      UPDATES }

static const MethodRow methods[] = {
    { { "load", NULL, 0, 0, 2, NAMED(PAD), "x.load([i, k], [BM, BK], pad = 0)" },
      method_load, READS },
    { { "load_like", NULL, 0, 1, 1, NAMED(PAD), "x.load_like(y, pad = 0)" }, method_like, READS },
    { { "window", NULL, 0, 2, 2, NAMED(PAD) | NAMED(STEP),
        "x.window([r, c], [BM, BN], step = [1, 1], pad = 0)" }, method_window, READS },
    { { "store", NULL, 0, 1, 2, NAMED(MASK), "y.store(t)` or `y.store(t, [k, 0], mask = m)" },
      method_store, WRITES },
    { { "put", NULL, 0, 2, 2, 0, "y.put(t, [r, c])" }, method_put, WRITES },
    { { "gather", NULL, 0, 1, MAX_RANK, NAMED(PAD), "x.gather(rows, c ..+ BC, pad = 0)" },
      method_gather, READS },
    { { "scatter", NULL, 0, 2, MAX_RANK + 1, 0, "unsafe y.scatter(rows, c ..+ BC, t)" },
      method_scatter, SCATTERS },
    ATOMIC("atomic_add"), ATOMIC("atomic_min"), ATOMIC("atomic_max"), ATOMIC("atomic_and"),
    ATOMIC("atomic_or"), ATOMIC("atomic_xor"), ATOMIC("atomic_exchange"),
    { { "extent", NULL, 0, 1, 1, 0, "x.extent(0)" }, method_extent, ASKS },
    { { "origin", NULL, 0, 1, 1, 0, "y.origin(0)" }, method_origin, ASKS_PART },
    { { "index", NULL, 0, 1, 1, 0, "y.index(0)" }, method_index, ASKS_PART },
    { { "coord", NULL, 0, 1, 1, 0, "y.coord(0)" }, method_coord, ASKS_PART },
};
enum { METHODS = sizeof methods / sizeof *methods };

/* The row of a name; NULL after a report. */
static const MethodRow *find(Check *c, Name name, const Node *call)
{
    Nearest near = { .word = name->text };
    for (int i = 0; i < METHODS; i++) {
        if (!strcmp(methods[i].args.name, name->text)) return &methods[i];
        nearest_try(&near, methods[i].args.name);
    }
    mistake(c, node_pos(kid(kid(call, 0), 1)), "E0704", "a tensor has no method `%s`", name->text);
    if (near.best) help("did you mean `%s`?", near.best);
    else
        help("it has load load_like window gather extent, an owned part store put scatter origin "
             "index coord too, an `&atomic` one atomic_add and its kin");
    return NULL;
}

/* Reports a method that the way in which the tensor is taken does not allow. */
static bool refuse(Check *c, const Node *call, const View *v, const char *what, const char *way_out)
{
    const char *name = v->param->name->text;
    mistake(c, node_pos(call), "E0710", "%s `%s`, which is %s", what, name,
            v->param->kind == PARAM_ATOMIC ? "for `atomic_..` alone"
            : v->readonly || v->param->kind == PARAM_SHARED ? "shared: nobody writes it"
            : v->param->has_by ? "owned: its part is this program's alone" : "not cut in parts");
    note(v->param->pos, "it is declared here");
    help(way_out, name);
    return false;
}

/* May the tensor be read? False after a report. */
bool may_read(Check *c, const Node *use, const View *v)
{
    if (v->param->kind == PARAM_SHARED || (v->param->kind == PARAM_MUT && v->param->has_by))
        return true;
    return refuse(c, use, v, "a load of", "read it in a later launch, through `%s: &tensor<..>`");
}

/* May the method be used on this tensor? False after a report. */
static bool allowed(Check *c, const Node *call, const View *v, Touch touch)
{
    const Param *p = v->param;
    bool owned = p->kind == PARAM_MUT && p->has_by;
    if (touch == ASKS) return true;
    if (touch == READS) return may_read(c, call, v);
    if (touch == ASKS_PART)
        return owned
               || refuse(c, call, v, "a part of", "only a `%s: &mut tensor<..> by [..]` has parts");
    if (touch == UPDATES) {
        if (p->kind == PARAM_ATOMIC) return true;
        return refuse(c, call, v, "an atomic update of", "take it as `%s: &atomic tensor<..>`");
    }
    if (p->kind == PARAM_MUT && !v->readonly && (owned || touch == SCATTERS)) return true;
    if (p->kind == PARAM_ATOMIC)
        return refuse(c, call, v, "a store to", "write `%s.atomic_exchange(..)`");
    if (p->kind == PARAM_MUT && !v->readonly)
        return refuse(
            c, call, v, "a store to",
            "say who owns what: `%s: &mut tensor<..> by [..]`, or use `unsafe` and `scatter`");
    return refuse(c, call, v, "a store to", "take it as `%s: &mut tensor<..> by [..]`");
}

/* A method of a tensor. */
Given method(Check *c, const Node *call, Given tensor, Name name)
{
    const MethodRow *row = find(c, name, call);
    View view;
    Args a;
    if (!row || !is_there(c, &tensor) || !view_of(c, &tensor, &view))
        return give_kind(GIVES_ERROR, call);
    if (!allowed(c, call, &view, row->touch) || !arguments(c, call, &row->args, &a))
        return give_kind(GIVES_ERROR, call);
    return row->lower(c, &a, &view);
}
