/* bounds.c -- is a formula never negative, whatever the launch and the program are? */
/* needs: the bounds of loops and program axes.  gives: proofs.  keeps: everything. */
#include <string.h>
#include "padding.h"

enum { DEEPEST = 6, MOST_STEPS = 400 };

typedef struct { const Kernel *k; int steps; } Proof;

static bool holds(Proof *p, Sym s, int depth);
static Sym sym_at_depth(const Value *v, int depth);

/* ---- contracts ------------------------------------------------------------------------------- */

/* The largest number that `where X % d == 0` says divides a name. */
static int64_t contract_divisor(const Kernel *k, Sym name)
{
    int64_t most = 1, d;
    for (int i = 0; i < k->conds.n; i++) {
        const Cond *c = &k->conds.at[i];
        if (c->kind != COND_EQ || c->or)
            continue;
        const Sym mod = sym_is(c->b, 0) ? c->a : sym_is(c->a, 0) ? c->b : NULL;
        if (mod && mod->kind == SYM_MOD && mod->kid[0] == name && sym_const_of(mod->kid[1], &d)
            && d > most)
            most = d;
    }
    return most;
}

/* A name that a contract makes a multiple of d, as d times its quotient. */
static Sym by_contract(Sym atom, void *arg)
{
    const int64_t d = atom->kind == SYM_NAME ? contract_divisor(arg, atom) : 1;
    return d == 1 ? atom : sym_mul(sym_const(d), sym_div(atom, sym_const(d)));
}

/* A formula, told what the contract says. */
static Sym told(const Kernel *k, Sym s)
{
    return sym_replace(s, by_contract, (void *)k);
}

/* ---- what bounds an atom --------------------------------------------------------------------- */

/* The formula of a division by a number above 0, or NULL. */
static Sym quotient_of(const char *row, Sym a, Sym b)
{
    int64_t d;
    if (!sym_const_of(b, &d) || d <= 0)
        return NULL;
    return !strcmp(row, "ceildiv") ? sym_ceil(a, b) : !strcmp(row, "floordiv") ? sym_div(a, b)
         : !strcmp(row, "mod") ? sym_mod(a, b) : NULL;
}

/* The formula of an operation on i64 scalars, or NULL. */
static Sym formula_of(const Op *op, int depth)
{
    static const struct { const char *row; Sym (*make)(Sym a, Sym b); } makers[] = {
        {"add", sym_add}, {"sub", sym_sub}, {"mul", sym_mul}, {"min", sym_min}, {"max", sym_max},
    };
    if (op->kind != OP_ELEM || op->nargs != 2 || op->args[0]->type.elem != EL_I64)
        return NULL;
    const Sym a = sym_at_depth(op->args[0], depth + 1), b = sym_at_depth(op->args[1], depth + 1);
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
        if (!strcmp(op->row->name, makers[i].row))
            return makers[i].make(a, b);
    return quotient_of(op->row->name, a, b);
}

/* The formula of an integer scalar, from not too many operations. */
static Sym sym_at_depth(const Value *v, int depth)
{
    const bool known = v->sym && !sym_is_bad(v->sym) && v->sym != sym_value(v);
    if (v->def && v->def->kind == OP_CONST)
        return sym_const(v->def->constant.i);
    if (v->def && v->def->kind == OP_SYM)
        return v->def->sym;
    const Sym made = known ? v->sym : v->def && depth < DEEPEST ? formula_of(v->def, depth) : NULL;
    return made && !sym_is_bad(made) ? made : sym_value(v);
}

/* The formula of an integer scalar; if nothing is known, it stands for itself. */
Sym sym_of_scalar(const Value *v)
{
    return sym_at_depth(v, 0);
}

/* The for whose index v is, if that counts up; or NULL. */
static const Op *counting_loop(const Value *v)
{
    const Op *loop = v->block ? v->block->parent : NULL;
    const bool index = loop && loop->kind == OP_FOR && v->block->args[0] == v;
    int64_t step;
    return index && sym_const_of(sym_of_scalar(loop->args[2]), &step) && step > 0 ? loop : NULL;
}

/* The program axis whose index v is, or NULL. */
static const Axis *program_axis(const Kernel *k, const Value *v)
{
    for (int i = 0; i < k->axes.n; i++)
        if (k->axes.at[i].index == v)
            return &k->axes.at[i];
    return NULL;
}

/* Is an integer of this type, as an i64, never below 0? */
static bool never_below(Elem e)
{
    return elem_info[e].class == CLASS_UNSIGNED && elem_info[e].bytes < 8;
}

/* Extents, indices of programs and quotients of such are at least 0. */
static bool atom_holds(Proof *p, Sym s, int depth)
{
    switch (s->kind) {
    case SYM_CONST:
        return s->k >= 0;
    case SYM_NAME:
        for (int i = 0; i < p->k->extents.n; i++)
            if (p->k->extents.at[i] == s->name)
                return true;
        for (int i = 0; i < p->k->params.n; i++)
            if (p->k->params.at[i].name == s->name && p->k->params.at[i].kind == PARAM_SCALAR)
                return never_below(p->k->params.at[i].type.elem);
        return false;
    case SYM_VALUE: {
        const Op *loop = counting_loop(s->value);
        return program_axis(p->k, s->value) || never_below(((const Value *)s->value)->type.elem)
               || (loop && holds(p, told(p->k, sym_of_scalar(loop->args[0])), depth + 1));
    }
    case SYM_DIV: case SYM_CEIL:
        return holds(p, s->kid[0], depth + 1) && holds(p, s->kid[1], depth + 1);
    case SYM_MOD:
        return holds(p, sym_sub(s->kid[1], sym_const(1)), depth + 1);
    case SYM_MIN:
        return holds(p, s->kid[0], depth + 1) && holds(p, s->kid[1], depth + 1);
    case SYM_MAX:
        return holds(p, s->kid[0], depth + 1) || holds(p, s->kid[1], depth + 1);
    case SYM_SUM: case SYM_PRODUCT: case SYM_BAD:
        break;
    }
    return false;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* A term of a sum, k * rest * atom, and the sum without it. */
typedef struct { Sym without, rest, atom; int64_t k; } Piece;

/* The greatest common divisor. */
static int64_t gcd(int64_t a, int64_t b)
{
    return b ? gcd(b, a % b) : a;
}

/* Does the sum hold with by / divisor for the atom? All of it is multiplied where that divides. */
static bool holds_with(Proof *p, const Piece *t, Sym by, int64_t divisor, int depth)
{
    if (t->k > INT32_MAX || t->k < INT32_MIN || divisor > INT32_MAX)
        return false;
    const int64_t times = divisor / gcd(t->k < 0 ? -t->k : t->k, divisor);
    const Sym term = sym_mul(sym_mul(sym_const(t->k * times / divisor), t->rest), by);
    return holds(p, sym_add(sym_mul(t->without, sym_const(times)), term), depth + 1);
}

/* Does the sum hold with the least or largest number that a quotient can be? */
static bool holds_quotient(Proof *p, const Piece *t, bool largest, int depth)
{
    int64_t d;
    const bool up = t->atom->kind == SYM_CEIL;
    Sym a = t->atom->kid[0];
    if (!sym_const_of(t->atom->kid[1], &d) || d <= 0)
        return false;
    if (up && largest)
        a = sym_add(a, sym_const(d - 1));
    if (!up && !largest)
        a = sym_sub(a, sym_const(d - 1));
    return holds_with(p, t, a, d, depth);
}

/* Does the sum hold with the largest index of a program axis, whichever output has most? */
static bool holds_axis(Proof *p, const Piece *t, const Axis *axis, int depth)
{
    for (int i = 0; i < axis->counts.n; i++) {
        const Sym count = told(p->k, axis->counts.at[i].count);
        if (!holds_with(p, t, sym_sub(count, sym_const(1)), 1, depth))
            return false;
    }
    return axis->counts.n > 0;
}

/* Does the sum hold with a bound for an index: the least if its term adds, else the largest? */
static bool holds_index(Proof *p, const Piece *t, int depth)
{
    const Value *v = t->atom->value;
    const Axis *axis = program_axis(p->k, v);
    const Op *loop = counting_loop(v);
    if (axis)
        return t->k < 0 && holds_axis(p, t, axis, depth);
    if (!loop)
        return false;
    const Sym least = told(p->k, sym_of_scalar(loop->args[0]));
    const Sym largest = told(p->k, sym_sub(sym_of_scalar(loop->args[1]), sym_const(1)));
    return holds_with(p, t, t->k < 0 ? largest : least, 1, depth);
}

/* Does the sum hold with a bound in the place of the atom? */
static bool holds_bounded(Proof *p, const Piece *t, int depth)
{
    const Sym atom = t->atom;
    bool both;
    switch (atom->kind) {
    case SYM_VALUE:
        return holds_index(p, t, depth);
    case SYM_DIV: case SYM_CEIL:
        return holds_quotient(p, t, t->k < 0, depth);
    case SYM_MOD:
        return t->k < 0 && holds_with(p, t, sym_sub(atom->kid[1], sym_const(1)), 1, depth);
    case SYM_MIN: case SYM_MAX:
        both = (atom->kind == SYM_MIN) == (t->k > 0);
        if (holds_with(p, t, atom->kid[0], 1, depth) != both)
            return !both;
        return holds_with(p, t, atom->kid[1], 1, depth);
    case SYM_CONST: case SYM_NAME: case SYM_SUM: case SYM_PRODUCT: case SYM_BAD:
        break;
    }
    return false;
}

/* The sum without the atoms of its term i: a sum's i-th, or a product itself. */
static Piece piece_of(Sym s, Sym term, int atom)
{
    Piece t = {sym_sub(s, term), sym_const(1), term->kid[atom], term->k};
    for (int i = 0; i < term->n; i++)
        if (i != atom)
            t.rest = sym_mul(t.rest, term->kid[i]);
    return t;
}

/* All terms at least 0? */
static bool terms_hold(Proof *p, Sym s, int depth)
{
    if (s->k < 0)
        return false;
    for (int i = 0; i < s->n; i++)
        if (s->kind == SYM_SUM ? !terms_hold(p, s->kid[i], depth)
                               : !atom_holds(p, s->kid[i], depth))
            return false;
    return true;
}

/* Provably s >= 0: its terms are, or what is left with bounds for some of its atoms is. */
static bool holds(Proof *p, Sym s, int depth)
{
    if (sym_is_bad(s) || ++p->steps > MOST_STEPS || depth > DEEPEST)
        return false;
    if (s->kind != SYM_SUM && s->kind != SYM_PRODUCT)
        return atom_holds(p, s, depth);
    if (terms_hold(p, s, depth))
        return true;
    const int terms = s->kind == SYM_SUM ? s->n : 1;
    for (int i = 0; i < terms; i++) {
        const Sym term = s->kind == SYM_SUM ? s->kid[i] : s;
        for (int a = 0; a < term->n; a++) {
            const Piece t = piece_of(s, term, a);
            if (holds(p, t.rest, depth + 1) && holds_bounded(p, &t, depth))
                return true;
        }
    }
    return false;
}

/* ---- proofs ---------------------------------------------------------------------------------- */

/* Provably d divides s in every launch that the kernel takes. */
bool provably_divides(const Kernel *k, int64_t d, Sym s)
{
    return sym_divides(d, told(k, s));
}

/* Provably s >= least in every program of every launch that the kernel takes. */
bool provably_at_least(const Kernel *k, Sym s, int64_t least)
{
    Proof p = {.k = k};
    int64_t number;
    if (sym_const_of(s, &number))
        return number >= least;
    return holds(&p, sym_sub(told(k, s), sym_const(least)), 0);
}
