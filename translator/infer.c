/* infer.c -- types as they are written against values as they are: T, S and extents of a fn */
#include "lower.h"
#include <string.h>

/* A name that can be a variable of a fn's types. */
static bool variable_name(const Node *n)
{
    if (!word_is_name(n) || !n->text.len) return false;
    char first = n->source->text[n->text.at];
    return first >= 'A' && first <= 'Z';
}

/* Marks a binding as a variable that a call bound. */
static Binding *bind_variable(Check *c, Space space, BindKind kind, const Node *n, Pos given)
{
    Binding *b = scope_add(c, space, kind, node_name(n), given);
    b->decl = n;
    return b;
}

/* ---- element types --------------------------------------------------------------------------- */

/* Reports a variable that would need two meanings. */
static bool two_types(Check *c, const Binding *b, const Node *n, const char *had, const char *now,
                      Pos given)
{
    mistake(c, given, "E0715", "`%s` is %s already, and here %s", b->name->text, had, now);
    note(b->pos, "it becomes %s here", had);
    note(node_pos(n), "the type that says so");
    return false;
}

/* The element type that is written; a new variable becomes `e`. False after a report. */
static bool elem_or_bind(Check *c, const Node *n, Elem e, Pos given, bool literal, bool binds,
                         Elem *out)
{
    Binding *b = word_is_name(n) ? scope_find(c, SPACE_TYPE, node_name(n)) : NULL;
    if (binds && !b && variable_name(n) && !elem_of(node_name(n), out)) {
        b = bind_variable(c, SPACE_TYPE, BIND_TYPE, n, given);
        b->elem = e;
    }
    if (!type_elem(c, n, out)) return false;
    bool inferred = b && b->kind == BIND_TYPE && b->decl;
    if (!inferred || *out == e || literal) return true;
    return two_types(c, b, n, elem_info[*out].name, elem_info[e].name, given);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* [8, N], for messages. */
static const char *shape_text(const Type *t)
{
    Text text = { 0 };
    for (int i = 0; i < t->rank; i++)
        text_printf(&text, "%s%s", i ? ", " : "[", sym_text(t->dim[i]));
    text_printf(&text, t->rank ? "]" : "[]");
    return text.at;
}

/* S: the whole shape by one name. */
static bool shape_variable(Check *c, const Node *n, const Type *type, Pos given, bool binds)
{
    Binding *b = scope_find(c, SPACE_VALUE, node_name(n));
    if (!b && binds && variable_name(n)) {
        b = bind_variable(c, SPACE_VALUE, BIND_SHAPE, n, given);
        b->shape = *type;
        return true;
    }
    if (b && b->kind == BIND_SHAPE) {
        if (type_same_shape(&b->shape, type)) return true;
        return two_types(c, b, n, shape_text(&b->shape), shape_text(type), given);
    }
    if (b && b->kind == BIND_ERROR) return false;
    mistake(c, node_pos(n), "E0715", "`%s` is not a shape", node_name(n)->text);
    help("write `[BM, BN]`, or a name that begins with a capital and stands for any shape");
    return false;
}

/* Binds an extent by name, if it has no meaning yet. */
static void bind_extent(Check *c, const Node *n, Sym dim, Pos given)
{
    int64_t k;
    if (!variable_name(n) || scope_find(c, SPACE_VALUE, node_name(n))) return;
    bool number = sym_const_of(dim, &k);
    Binding *b = bind_variable(c, SPACE_VALUE, number ? BIND_STATIC : BIND_EXTENT, n, given);
    b->sym = dim;
    if (number) b->number = k;
}

/* One extent against what it must be; false after a report. */
static bool same_extent(Check *c, const Node *n, Sym dim, const Type *type, Pos given)
{
    if (n->kind == N_WORD && node_is(n, "_")) return true;
    Sym want = extent_of(c, n);
    if (sym_is_bad(want)) return false;
    if (want == dim) return true;
    const Binding *b = word_is_name(n) ? scope_find(c, SPACE_VALUE, node_name(n)) : NULL;
    if (b && b->pos.source && (b->kind == BIND_STATIC || b->kind == BIND_EXTENT))
        return two_types(c, b, n, sym_text(want), sym_text(dim), given);
    mistake(c, given, "E0408", "an extent is %s, and here it must be %s", sym_text(dim),
            sym_text(want));
    note(node_pos(n), "the type that says so; this is %s", shape_text(type));
    return false;
}

/* [BM, N] or S against a shape. */
static bool infer_shape(Check *c, const Node *shape, const Type *type, Pos given, bool binds)
{
    if (shape && shape->kind == N_WORD) return shape_variable(c, shape, type, given, binds);
    if (!shape || shape->kind != N_LIST) return false;
    int n = kid_count(shape);
    if (n != type->rank) {
        mistake(c, given, "E0408", "this has rank %d, %s, and rank %d is needed", type->rank,
                shape_text(type), n);
        note(node_pos(shape), "the type that says so");
        return false;
    }
    for (int i = 0; binds && i < n; i++) bind_extent(c, kid(shape, i), type->dim[i], given);
    for (int i = 0; i < n; i++)
        if (!same_extent(c, kid(shape, i), type->dim[i], type, given)) return false;
    return true;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* A scalar or a tile; shape NULL: a scalar. */
static Given infer_tile(Check *c, const Node *elem, const Node *shape, Given g, const char *where,
                        bool binds)
{
    Elem e;
    Given bad = give_kind(GIVES_ERROR, g.node);
    if (!operand(c, &g)) return bad;
    if (!elem_or_bind(c, elem, value_elem(&g), g.pos, g.kind == GIVES_LITERAL, binds, &e))
        return bad;
    Value *v = widen(c, g, e, where);
    if (!v) return bad;
    if (shape && !infer_shape(c, shape, &v->type, g.pos, binds)) return bad;
    if (!shape && v->type.rank) {
        mistake(c, g.pos, "E0408", "%s is a scalar, and this is %s", where, type_text(&v->type));
        note(node_pos(elem), "the type that says so");
        help("write `tile<%s, [..]>`", elem_info[e].name);
        return bad;
    }
    Given out = give(v, g.node);
    out.pos = g.pos;
    return out;
}

/* (A, B): each member against its type. */
static Given infer_tuple(Check *c, const Node *types, Given g, const char *where, bool binds)
{
    int n = kid_count(types);
    if (g.kind == GIVES_ERROR) return g;
    if (g.kind != GIVES_TUPLE || g.n != n) {
        mistake(c, g.pos, "E0409", "%s is a tuple of %d, and this is %s", where, n,
                g.kind == GIVES_TUPLE ? arena_printf("one of %d", g.n) : "none");
        note(node_pos(types), "the type that says so");
        return give_kind(GIVES_ERROR, g.node);
    }
    Given out = g;
    out.members = new_array(Given, n);
    for (int i = 0; i < n; i++) {
        out.members[i] = infer_value(c, kid(types, i), g.members[i], where, binds);
        if (out.members[i].kind == GIVES_ERROR) out.kind = GIVES_ERROR;
    }
    return out;
}

/* What was given, as the type that is written; GIVES_ERROR after a report. */
Given infer_value(Check *c, const Node *type, Given g, const char *where, bool binds)
{
    if (!type || g.kind == GIVES_ERROR) return give_kind(GIVES_ERROR, g.node);
    if (type->kind == N_WORD) return infer_tile(c, type, NULL, g, where, binds);
    if (type->kind == N_TILE_TYPE)
        return infer_tile(c, kid(type, 0), kid(type, 1), g, where, binds);
    if (type->kind == N_TYPES) return infer_tuple(c, type, g, where, binds);
    mistake(c, node_pos(type), "E0405", "this type is no value's");
    if (type->kind == N_TENSOR)
        help("tensors are handed on by reference: `&%s`", node_source(type));
    return give_kind(GIVES_ERROR, g.node);
}

/* tensor<T, [M, N]> against a tensor's type, binding its variables; false after a report. */
bool infer_tensor(Check *c, const Node *tensor, const Type *type, Pos given)
{
    Elem e;
    if (!tensor || !elem_or_bind(c, kid(tensor, 0), type->elem, given, false, true, &e))
        return false;
    if (e != type->elem) {
        mistake(c, given, "E0405", "this is %s, and a tensor of %s is needed", type_text(type),
                elem_info[e].name);
        note(node_pos(tensor), "the type that says so");
        return false;
    }
    return infer_shape(c, kid(tensor, 1), type, given, true);
}
