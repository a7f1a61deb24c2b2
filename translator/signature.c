/* signature.c -- a kernel's parameters: tensors, scalars, and the names in their extents */
#include "check.h"
#include <string.h>

/* A name in the extents of tensors that is no static parameter and no const. */
typedef struct {
    Name name;
    Pos first;                                     /* where it stands first */
    bool alone, alone_optional;                    /* in a tensor that is always there; or not */
} Extent;

typedef struct {
    Check *c;
    const Node *params;
    LIST(Extent) extents;
} Signature;

/* ---- the names in extents -------------------------------------------------------------------- */

/* Adds a name to those that are bound at launch, once. */
static void add_extent(Kernel *k, Name name)
{
    for (int i = 0; i < k->extents.n; i++)
        if (k->extents.at[i] == name) return;
    push(&k->extents, name);
}

/* What is declared for the kernel so far under this name: a static, extent, parameter or axis. */
static const Binding *declared(Check *c, Name name)
{
    return map_find(&c->scope->named[SPACE_VALUE], name);
}

/* Notes one name of an extent. */
static void see_name(Signature *s, const Node *word, bool alone, bool optional)
{
    Name name = node_name(word);
    Binding *b = scope_find(s->c, SPACE_VALUE, name);
    if (b && b->kind == BIND_STATIC && alone && !b->is_bool) add_extent(s->c->kernel, name);
    if (b) return;
    add_extent(s->c->kernel, name);
    int i = 0;
    while (i < s->extents.n && s->extents.at[i].name != name) i++;
    if (i == s->extents.n) push(&s->extents, ((Extent){ .name = name, .first = node_word(word) }));
    Extent *e = &s->extents.at[i];
    e->alone = e->alone || (alone && !optional);
    e->alone_optional = e->alone_optional || (alone && optional);
}

/* Notes the names of an extent; what is called is none. */
static void see_extent(Signature *s, const Node *n, bool alone, bool optional)
{
    if (!n || n->kind == N_DOT || !deeper(s->c, node_pos(n))) return;
    if (word_is_name(n)) see_name(s, n, alone, optional);
    bool inside = alone && n->kind == N_PAREN;
    for (const Node *part = n->kids; part; part = part->next)
        if (!(n->kind == N_CALL && part == n->kids)) see_extent(s, part, inside, optional);
    s->c->depth--;
}

/* Does the name stand somewhere in these trees, `depth` levels deep at most? */
static bool mentioned(const Node *n, Name name, int depth)
{
    for (; n && depth > 0; n = n->next)
        if ((word_is_name(n) && node_name(n) == name) || mentioned(n->kids, name, depth - 1))
            return true;
    return false;
}

/* The name that an extent written `_` gets: x_extent_0, with `_` behind it while it is taken. */
static Name unnamed_extent(const Signature *s, Name tensor, int axis)
{
    enum { DEEPEST = 100 };
    const char *name = arena_printf("%s_extent_%d", tensor->text, axis);
    while (mentioned(s->params->kids, name_of(name), DEEPEST)) name = arena_printf("%s_", name);
    return name_of(name);
}

/* Is it a tensor parameter? */
static bool is_tensor(const Node *n)
{
    return n->kind == N_PARAM_REF || n->kind == N_PARAM_MUT || n->kind == N_PARAM_ATOMIC
        || n->kind == N_PARAM_ADD;
}

/* Collects the names of all extents, and binds them. */
static void see_extents(Signature *s)
{
    for (const Node *n = s->params->kids; n; n = n->next) {
        const Node *shape = is_tensor(n) ? kid(kid(n, 1), 1) : NULL;
        int axis = 0;
        for (const Node *e = shape && shape->kind == N_LIST ? shape->kids : NULL; e;
             e = e->next, axis++) {
            see_extent(s, e, true, kid(n, 2) != NULL);
            if (node_is(e, "_") && e->kind == N_WORD)
                add_extent(s->c->kernel, unnamed_extent(s, node_name(kid(n, 0)), axis));
        }
    }
    for (int i = 0; i < s->extents.n; i++) {
        const Extent *e = &s->extents.at[i];
        scope_add(s->c, SPACE_VALUE, BIND_EXTENT, e->name, e->first)->sym = sym_name(e->name);
    }
}

/* Reports each name that no tensor which is always there has as an extent of its own. */
static void check_alone(Signature *s)
{
    for (int i = 0; i < s->extents.n; i++) {
        const Extent *e = &s->extents.at[i];
        if (e->alone) continue;
        error(e->first, "E0320", "the extent `%s` stands alone in no tensor%s", e->name->text,
              e->alone_optional ? " that is always there" : "");
        help("extents are computed from names, never solved for them: write `[_]`, or pass the "
             "number as a scalar parameter and check it with `where`");
    }
}

/* ---- one parameter --------------------------------------------------------------------------- */

/* Reports a second declaration of a name. True if the name is free. */
static bool name_free(Check *c, Name name, Pos pos, bool scalar)
{
    const Binding *b = declared(c, name);
    if (!b) return true;
    if (b->kind == BIND_EXTENT) {
        error(pos, "E0319", "`%s` is an extent and a %s parameter", name->text,
              scalar ? "scalar" : "tensor");
        note(b->pos, "the extent is here");
        if (scalar) help("an extent is passed anyway: leave the parameter out, or rename it");
        else help("rename one of the two");
        return false;
    }
    error(pos, "E0203", "`%s` is declared twice", name->text);
    note(b->pos, "here already");
    help("rename one of the two");
    return false;
}

/* Reports a parameter that a kernel cannot have. */
static void not_of_kernels(const Node *n)
{
    const Node *type = kid(n, 1);
    Name name = node_name(kid(n, 0));
    error(node_pos(type), "E0321", "a kernel's parameter is a tensor or a scalar");
    if (type->kind == N_TILE_TYPE)
        help("tiles live inside a kernel: pass `%s: &tensor<..>` and load from it", name->text);
    else if (type->kind == N_TENSOR)
        help("say how the kernel touches it: `%s: &tensor<..>` or `%s: &mut tensor<..> by [..]`",
             name->text, name->text);
    else
        help("make it a static parameter: `<%s: %s = ..>`", name->text,
             node_is(type, "fn") ? "fn" : node_is(type, "type") ? "type" : "int");
}

/* A scalar parameter. False after a report. */
static bool read_scalar(Check *c, const Node *n, Param *p)
{
    const Node *type = kid(n, 1);
    Elem elem;
    bool word = type && type->kind == N_WORD;
    if (!word || node_is(type, "fn") || node_is(type, "int") || node_is(type, "type"))
        return not_of_kernels(n), false;
    if (!type_elem(c, type, &elem)) return false;
    p->type = type_scalar(elem);
    p->value = ir_value(c->kernel, p->type, p->pos);
    p->value->name = p->name;
    if (elem_is_int(elem)) p->value->sym = sym_name(p->name);
    return true;
}

/* Where a division stands, for the condition that it is exact. */
typedef struct { Kernel *k; Pos pos; } Division;

/* N / 2 in an extent is meant to be exact, so the launch checks N % 2 == 0. Never true. */
static bool exact_division(Sym atom, void *arg)
{
    const Division *d = arg;
    if (atom->kind != SYM_DIV) return false;
    Sym rest = sym_mod(atom->kid[0], atom->kid[1]);
    bool known = sym_is(rest, 0) || sym_is_bad(rest);
    for (int i = 0; i < d->k->conds.n && !known; i++)
        known = d->k->conds.at[i].kind == COND_EQ && d->k->conds.at[i].a == rest
                && !d->k->conds.at[i].or;
    if (known) return false;
    Cond cond = { .pos = d->pos, .kind = COND_EQ, .a = rest, .b = sym_const(0) };
    push(&d->k->conds, cond);
    return false;
}

/* One extent of a tensor. False after a report. */
static bool read_extent(Signature *s, const Node *n, Param *p, int axis)
{
    int64_t k;
    if (n->kind == N_WORD && node_is(n, "_")) {
        p->unnamed[axis] = true;
        p->type.dim[axis] = sym_name(unnamed_extent(s, p->name, axis));
        return true;
    }
    Sym e = p->type.dim[axis] = extent_of(s->c, n);
    if (sym_is_bad(e)) return false;
    sym_mentions(e, exact_division, &(Division){ s->c->kernel, node_pos(n) });
    if (!sym_const_of(e, &k) || k >= 0) return true;
    error(node_pos(n), "E0317", "a tensor of extent %lld", (long long)k);
    help("an extent is at least 0");
    return false;
}

/* The type of a tensor parameter: element type, extents, strided. False after a report. */
static bool read_tensor(Signature *s, const Node *tensor, Param *p)
{
    const Node *shape = kid(tensor, 1), *strided = kid(tensor, 2);
    bool good = type_elem(s->c, kid(tensor, 0), &p->type.elem);
    p->type.kind = TYPE_TENSOR;
    if (!shape || shape->kind != N_LIST) {
        if (shape) error(node_pos(shape), "E0318", "`%s` is not a shape", node_source(shape));
        if (shape) help("a kernel names the extents of its tensors: `[M, N]`");
        return false;
    }
    int rank = kid_count(shape);
    if (rank < 1 || rank > MAX_RANK) {
        error(node_pos(shape), "E0318", "a tensor has 1 to %d axes, not %d", MAX_RANK, rank);
        if (!rank) help("pass one number as a scalar parameter, or a tensor `[1]`");
        return false;
    }
    for (const Node *n = shape->kids; n; n = n->next)
        good = read_extent(s, n, p, p->type.rank++) && good;
    if (strided && !node_is(strided, "strided")) {
        error(node_pos(strided), "E0322", "`%s` after the extents of a tensor",
              node_source(strided));
        help("`strided` is all that can stand there: then the last axis may have any stride");
        return false;
    }
    p->strided = strided != NULL;
    return good;
}

/* Says what of a tensor parameter this translator has not. True if there is something. */
static bool later(const Node *n, Pos pos)
{
    const Node *by = n->kind == N_PARAM_MUT ? kid(n, 3) : NULL;
    if (n->kind == N_PARAM_ADD) return not_yet(pos, "an `&add` output"), true;
    if (!by || (kid(by, 0) && kid(by, 0)->kind == N_AXES)) return false;
    return not_yet(pos, "an index space"), true;
}

/* One parameter: read, bound and added to the kernel; bound to silence if something is wrong. */
static void read_param(Signature *s, const Node *n)
{
    Check *c = s->c;
    const Node *word = kid(n, 0);
    Param p = { .kind = PARAM_SCALAR, .name = node_name(word), .pos = node_word(word) };
    bool tensor = is_tensor(n);
    if (!name_free(c, p.name, p.pos, !tensor)) {
        scope_add(c, SPACE_VALUE, BIND_ERROR, p.name, p.pos);
        return;
    }
    if (tensor)
        p.kind = n->kind == N_PARAM_REF   ? PARAM_SHARED
                 : n->kind == N_PARAM_MUT ? PARAM_MUT
                                          : PARAM_ATOMIC;
    p.optional = tensor && kid(n, 2);
    p.has_by = n->kind == N_PARAM_MUT && kid(n, 3);
    bool good = tensor ? read_tensor(s, kid(n, 1), &p) && !later(n, p.pos) : read_scalar(c, n, &p);
    BindKind kind = !good ? BIND_ERROR : tensor ? BIND_TENSOR : BIND_VALUE;
    Binding *b = scope_add(c, SPACE_VALUE, kind, p.name, p.pos);
    if (!good) return;
    if (tensor) {
        p.value = ir_value(c->kernel, p.type, p.pos);
        p.value->name = p.name;
    }
    b->value = p.value;
    b->param = c->kernel->params.n;
    push(&c->kernel->params, p);
}

/* Reads parameters, program axes and contract of c->kernel and binds their names in c->scope. */
void signature(Check *c, const Node *kernel)
{
    Signature s = { .c = c, .params = kid(kernel, 2) };
    Block *body = c->block;
    c->block = NULL;                               /* nothing here is computed by the kernel */
    if (s.params) {
        see_extents(&s);
        for (const Node *n = s.params->kids; n; n = n->next)
            if (kid(n, 0)) read_param(&s, n);
        check_alone(&s);
    }
    program_axes(c, kernel);
    where_contract(c, kernel);
    c->block = body;
}
