/* type.c -- element types by name, shapes of tiles, the formula of a computed integer */
#include "check.h"
#include <string.h>

static const int64_t largest_extent = INT32_MAX;

/* ---- element types --------------------------------------------------------------------------- */

/* What other languages call our types. */
static const char *our_type(const char *name)
{
    static const char *const table[][2] = {
        { "float", "f32" },   { "double", "f64" },    { "half", "f16" },     { "float16", "f16" },
        { "float32", "f32" }, { "float64", "f64" },   { "fp16", "f16" },     { "fp32", "f32" },
        { "fp64", "f64" },    { "bfloat16", "bf16" }, { "int8", "i8" },      { "int16", "i16" },
        { "int32", "i32" },   { "int64", "i64" },     { "uint8", "u8" },     { "uint16", "u16" },
        { "uint32", "u32" },  { "uint64", "u64" },    { "int", "i32" },      { "long", "i64" },
        { "short", "i16" },   { "char", "i8" },       { "unsigned", "u32" }, { "size_t", "i64" },
        { "usize", "i64" },   { "isize", "i64" },     { "fp8", "f8e4m3" },   { "float8", "f8e4m3" },
        { "i1", "bool" },     { "int8_t", "i8" },     { "int16_t", "i16" },  { "int32_t", "i32" },
        { "int64_t", "i64" }, { "uint8_t", "u8" },    { "uint16_t", "u16" }, { "uint32_t", "u32" },
        { "uint64_t", "u64" }
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i][0], name)) return table[i][1];
    return NULL;
}

/* Reports a name that is no type, with the one that was probably meant. */
static void unknown_type(Check *c, const Node *n)
{
    Name name = node_name(n);
    Nearest near = { .word = name->text };
    for (int e = EL_ERROR + 1; e < EL_COUNT; e++) nearest_try(&near, elem_info[e].name);
    for (const Scope *s = c->scope; s; s = s->outer)
        for (const Binding *b = s->first[SPACE_TYPE]; b; b = b->next)
            nearest_try(&near, b->name->text);
    const char *ours = our_type(name->text);
    error(node_pos(n), "E0202", "there is no type `%s`", name->text);
    if (ours) near.best = ours;
    if (near.best) help("did you mean `%s`?", near.best);
    else
        help("a type is one of bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 f8e4m3 f8e5m2 "
             "tf32, or a static parameter `T: type = ..`");
}

/* f32, or T: the element type; false after a report. */
bool type_elem(Check *c, const Node *n, Elem *elem)
{
    *elem = EL_ERROR;
    if (!word_is_name(n)) {
        if (n) error(node_pos(n), "E0202", "`%s` is not an element type", node_source(n));
        if (n) help("write one such as f32, or a static parameter `T: type = ..`");
        return false;
    }
    const Binding *b = scope_find(c, SPACE_TYPE, node_name(n));
    if (b && b->kind == BIND_TYPE) *elem = b->elem;
    if (b) return b->kind == BIND_TYPE;
    if (elem_of(node_name(n), elem)) return true;
    unknown_type(c, n);
    return false;
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* Is this atom a scalar or something computed, and no extent of a tensor of the kernel? */
static bool no_extent(Sym atom, void *kernel)
{
    const Kernel *k = kernel;
    for (int i = 0; atom->kind == SYM_NAME && i < k->extents.n; i++)
        if (k->extents.at[i] == atom->name) return false;
    return atom->kind == SYM_NAME || atom->kind == SYM_VALUE;
}

/* Checks one extent that is not a number: an extent of a tensor, and the first one of the tile. */
static bool whole_axis(Check *c, const Node *n, Sym s, const Node *first)
{
    if (sym_mentions(s, no_extent, c->kernel)) {
        error(node_pos(n), "E0315", "the extent `%s` of a tile is not known at translation",
              node_source(n));
        help("a tile's extent is static, or that of a whole axis of a tensor: cut the axis in "
             "tiles of a static size and loop over them");
        return false;
    }
    if (!first) return true;
    error(node_pos(n), "E0316", "a tile can have one whole axis, and this is the second");
    note(node_pos(first), "the first is here");
    help("cut one of the axes in tiles of a static size and loop over them");
    return false;
}

/* Checks one static extent: 1 to 2^31 - 1. */
static bool tile_extent(const Node *n, int64_t k)
{
    if (k > 0 && k <= largest_extent) return true;
    error(node_pos(n), "E0317", "a tile of extent %lld", (long long)k);
    help(k <= 0 ? "an extent of a tile is at least 1"
                : "the largest extent of a tile is 2147483647");
    return false;
}

/* [BM, N]: rank and extents of a tile into *type, whose elem stays; false after a report. */
bool tile_shape(Check *c, const Node *list, Type *type)
{
    const Node *whole = NULL;
    int64_t elements = 1;
    bool good = true;
    type->kind = TYPE_TILE;
    type->rank = 0;
    if (word_is_name(list)) {
        const Binding *b = scope_find(c, SPACE_VALUE, node_name(list));
        if (b && b->kind == BIND_SHAPE) {
            type->rank = b->shape.rank;
            memcpy(type->dim, b->shape.dim, sizeof type->dim);
            return true;
        }
        if (b && b->kind == BIND_ERROR) return false;
    }
    if (!list || list->kind != N_LIST) {
        if (list) error(node_pos(list), "E0318", "`%s` is not a shape", node_source(list));
        if (list) help("write the extents in brackets: `[BM, BN]`");
        return false;
    }
    for (const Node *n = list->kids; n; n = n->next) {
        int64_t k;
        if (type->rank == MAX_TILE_RANK) {
            error(node_pos(n), "E0318", "a tile has at most %d axes", MAX_TILE_RANK);
            return false;
        }
        Sym s = type->dim[type->rank++] = extent_of(c, n);
        if (sym_is_bad(s)) { good = false; continue; }
        if (!sym_const_of(s, &k)) {
            good = whole_axis(c, n, s, whole) && good;
            whole = n;
            continue;
        }
        if (!tile_extent(n, k)) return false;
        elements = elements <= largest_extent / k ? elements * k : largest_extent + 1;
        if (elements <= largest_extent) continue;
        error(node_pos(list), "E0317", "a tile of more than 2147483647 elements");
        help("take a smaller tile and loop");
        return false;
    }
    return good;
}

/* ---- computed integers ----------------------------------------------------------------------- */

/* Large sums are not multiplied out: their product would grow without bound. */
static bool handy(Sym s)
{
    return s->kind != SYM_SUM || s->n <= 6;
}

/* A quotient by what only a launch knows, unless it folds: G * x / G is x, but for a G of 0. */
static Sym open_quotient(Sym s, Sym a, Sym b)
{
    bool kept = (s->kind == SYM_CEIL || s->kind == SYM_DIV) && s->kid[0] == a && s->kid[1] == b;
    return kept ? s : NULL;
}

/* The formula of an i64 operation; NULL if it has none. */
static Sym row_sym(const char *row, Sym a, Sym b)
{
    int64_t k;
    bool by_number = b && sym_const_of(b, &k) && k > 0;
    if (!handy(a) || (b && !handy(b))) return NULL;
    if (!strcmp(row, "neg")) return sym_sub(sym_const(0), a);
    if (!b) return NULL;
    if (!strcmp(row, "add")) return sym_add(a, b);
    if (!strcmp(row, "sub")) return sym_sub(a, b);
    if (!strcmp(row, "mul")) return sym_mul(a, b);
    if (!strcmp(row, "min")) return sym_min(a, b);
    if (!strcmp(row, "max")) return sym_max(a, b);
    if (by_number && !strcmp(row, "ceildiv")) return sym_ceil(a, b);
    if (by_number && !strcmp(row, "floordiv")) return sym_div(a, b);
    if (!strcmp(row, "ceildiv")) return open_quotient(sym_ceil(a, b), a, b);
    if (!strcmp(row, "floordiv")) return open_quotient(sym_div(a, b), a, b);
    if (by_number && !strcmp(row, "mod")) return sym_mod(a, b);
    return NULL;
}

/* Does the cast keep every number? */
static bool keeps(Elem from, Elem to)
{
    const ElemInfo *f = &elem_info[from], *t = &elem_info[to];
    if (!elem_is_int(from) || !elem_is_int(to)) return false;
    return f->digits <= t->digits && (f->class == CLASS_UNSIGNED || t->class == CLASS_SIGNED);
}

static Sym value_sym(Value *v, int depth);

/* The formula of an operation's result; NULL if it has none. */
static Sym op_sym(const Op *op, Elem elem, int depth)
{
    if (op->kind == OP_CONST) {
        bool large = elem == EL_U64 && op->constant.i < 0;
        return large || !elem_is_int(elem) ? NULL : sym_const(op->constant.i);
    }
    if (op->kind == OP_SYM) return op->sym;
    if (op->kind == OP_CAST && keeps(op->args[0]->type.elem, elem))
        return value_sym(op->args[0], depth);
    if (op->kind != OP_ELEM || elem != EL_I64 || op->nargs > 2 || op->args[0]->type.elem != EL_I64)
        return NULL;
    return row_sym(op->row->name, value_sym(op->args[0], depth),
                   op->nargs == 2 ? value_sym(op->args[1], depth) : NULL);
}

/* The same of a value, at most `depth` operations back. */
static Sym value_sym(Value *v, int depth)
{
    if (v->sym) return v->sym;
    bool looks =
        depth > 0 && v->def && v->type.rank == 0 && v->def->nresults == 1 && !v->def->nregions;
    Sym s = looks ? op_sym(v->def, v->type.elem, depth - 1) : NULL;
    return v->sym = s && !sym_is_bad(s) ? s : sym_value(v);
}

/* The Sym of an integer scalar by how it was computed; sym_value(v) if there is no more to it. */
Sym sym_of_value(Value *v)
{
    return value_sym(v, 500);
}
