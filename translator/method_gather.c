/* method_gather.c -- elements by index tiles: gather, scatter, atomic_add and its kin */
#include "lower.h"
#include <string.h>

/* A bad call, already reported. */
static Given bad(const Args *a)
{
    return give_kind(GIVES_ERROR, a->call);
}

/* x.gather(rows, c ..+ BC, pad = v) */
Given method_gather(Check *c, const Args *a, const View *view)
{
    Places p;
    if (!read_places(c, a, view, a->n, &p)) return bad(a);
    if (!p.n) return build_load(c, a, view, p.shape, &p.access);
    Value *pad = load_pad(c, a, view->param->type.elem);
    if (!pad) return bad(a);
    Type tile = type_with_elem(p.shape, view->param->type.elem);
    return give(build_places(c, OP_GATHER, a, view, pad, &p, &tile)->results[0], a->call);
}

/* The last argument as a tile in the tensor's type; NULL after a report. */
static Value *moved(Check *c, const Args *a, const View *view)
{
    return widen(c, expr(c, a->at[a->n - 1]), view->param->type.elem,
                 arena_printf("`%s`", view->param->name->text));
}

/* y.scatter(rows, c ..+ BC, t) */
Given method_scatter(Check *c, const Args *a, const View *view)
{
    Places p;
    Type shape;
    Pos pos = node_pos(a->at[a->n - 1]);
    if (!view->param->has_by && !c->promised) {
        mistake(c, node_pos(a->call), "E0510", "`scatter` to `%s` without `unsafe`",
                view->param->name->text);
        note(view->param->pos, "it is not cut in parts: any program may write any element");
        help("write `unsafe %s;`: a promise that no element is written twice",
             node_source(a->call));
        return bad(a);
    }
    c->promised = false;
    if (!read_places(c, a, view, a->n - 1, &p)) return bad(a);
    Value *v = moved(c, a, view);
    if (!v) return bad(a);
    Value places = { .type = type_with_elem(p.shape, v->type.elem), .pos = node_pos(a->call) };
    Value *both[] = { v, &places };
    if (!common_shape(c, both, 2, pos, &shape)) return bad(a);
    if (!type_same_shape(&shape, &p.shape)) {
        mistake(c, pos, "E0711", "this is %s, and there are places for %s", type_text(&v->type),
                type_text(&places.type));
        help("one place an element: index tiles of its axes, and a window for each axis that is "
             "not indexed");
        return bad(a);
    }
    build_places(c, OP_SCATTER, a, view, broadcast_value(c, v, &shape, pos), &p, NULL);
    return give_kind(GIVES_NOTHING, a->call);
}

/* ---- atomics --------------------------------------------------------------------------------- */

/* Which atomic operation a call is. */
static AtomicKind atomic_kind(const Args *a)
{
    int kind = 0;
    while (kind < ATOMIC_COUNT - 1 && strcmp(atomic_names[kind], a->name)) kind++;
    return kind;
}

/* Has memory this operation on elements of the tensor's type? False after a report. */
static bool atomic_takes(Check *c, const Args *a, const View *view, AtomicKind kind)
{
    Elem e = view->param->type.elem;
    bool bits = kind == ATOMIC_AND || kind == ATOMIC_OR || kind == ATOMIC_XOR;
    bool sized = e == EL_I32 || e == EL_U32 || e == EL_I64 || e == EL_U64;
    bool number = e == EL_F16 || e == EL_BF16 || e == EL_F32 || e == EL_F64;
    if (sized || (number && !bits)) return true;
    mistake(c, node_pos(a->call), "E0404", "`%s` of a tensor of %s", a->name, elem_info[e].name);
    note(view->param->pos, "it is declared here");
    help(bits ? "it takes i32 u32 i64 u64"
              : "it takes i32 u32 i64 u64 f32 f64 f16 bf16");
    return false;
}

/* h.atomic_add(rows, c ..+ BC, t): the old values. */
Given method_atomic(Check *c, const Args *a, const View *view)
{
    Places p;
    Type shape;
    Pos pos = node_pos(a->at[a->n - 1]);
    AtomicKind kind = atomic_kind(a);
    if (!atomic_takes(c, a, view, kind) || !read_places(c, a, view, a->n - 1, &p)) return bad(a);
    Value *v = moved(c, a, view);
    if (!v) return bad(a);
    Value places = { .type = type_with_elem(p.shape, v->type.elem), .pos = node_pos(a->call) };
    Value *both[] = { v, &places };
    if (!common_shape(c, both, 2, pos, &shape)) return bad(a);
    stretch_places(c, &p, &shape, pos);
    shape = type_with_elem(shape, view->param->type.elem);
    v = broadcast_value(c, v, &shape, pos);
    Op *op = build_places(c, OP_ATOMIC, a, view, v, &p, &shape);
    op->atomic = kind;
    return give(op->results[0], a->call);
}
