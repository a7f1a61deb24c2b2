/* sym.c -- integers by formula: polynomials over atoms, equal exactly if they are one pointer
 *
 * An atom is a name, a value, or a division, remainder, minimum or maximum that does not fold. A
 * formula is a sum of products of atoms. Arithmetic takes it apart into a Poly, works on that, and
 * interns the result. A number, a sum of one product, a product of one atom are those themselves.
 */
#include "base.h"
#include <string.h>

enum { MOST_TERMS = 64, MOST_ATOMS = 16 };         /* beyond, a formula is not worth knowing */

/* Number times atoms, these sorted by id. */
typedef struct { int64_t k; int n; const Sym *atom; } Term;
/* A number and terms, sorted, none alike, none zero. */
typedef struct { bool bad; int64_t k; int n; Term term[MOST_TERMS]; } Poly;

/* ---- interning ------------------------------------------------------------------------------- */

static const struct SymNode bad = { .kind = SYM_BAD };
static struct { Sym *slots; uint32_t room, n; } table;

/* Of what tells nodes apart: all but the id. */
static uint32_t hash_of(const struct SymNode *s, const Sym *kid)
{
    uint64_t h = (uint64_t)s->kind * 0x9E3779B97F4A7C15u ^ (uint64_t)s->k;
    h = (h ^ (uintptr_t)s->name ^ (uintptr_t)s->value) * 0xBF58476D1CE4E5B9u;
    for (int i = 0; i < s->n; i++) h = (h ^ h >> 29 ^ kid[i]->id) * 0x94D049BB133111EBu;
    return (uint32_t)(h ^ h >> 32);
}

/* Is b what the node a with these kids would be? */
static bool same(const struct SymNode *a, Sym b, const Sym *kid)
{
    return a->kind == b->kind && a->n == b->n && a->k == b->k && a->name == b->name
        && a->value == b->value && (a->n == 0 || !memcmp(kid, b->kid, sizeof *kid * (size_t)a->n));
}

/* Doubles the table; the old one stays in the arena. */
static void table_grow(void)
{
    if (!table.room) arena_root(&table, sizeof table);
    uint32_t room = table.room ? table.room * 2 : 1024;
    Sym *slots = new_array(Sym, room);
    for (uint32_t i = 0; i < table.room; i++) {
        Sym s = table.slots[i];
        if (!s) continue;
        uint32_t k = hash_of(s, s->kid) & (room - 1);
        while (slots[k]) k = (k + 1) & (room - 1);
        slots[k] = s;
    }
    table.slots = slots;
    table.room = room;
}

/* The node that is like s and has these kids. */
static Sym intern(const struct SymNode *s, const Sym *kid)
{
    if (table.n * 2 >= table.room) table_grow();
    uint32_t k = hash_of(s, kid) & (table.room - 1);
    for (; table.slots[k]; k = (k + 1) & (table.room - 1))
        if (same(s, table.slots[k], kid)) return table.slots[k];
    size_t kids = sizeof *kid * (size_t)s->n;
    struct SymNode *made = arena_alloc(sizeof *s + kids);
    *made = *s;
    made->id = ++table.n;
    if (kids) memcpy(made->kid, kid, kids);
    return table.slots[k] = made;
}

/* The formula that is a number. */
Sym sym_const(int64_t k)
{
    return intern(&(struct SymNode){ .kind = SYM_CONST, .k = k }, NULL);
}

/* The formula that is an extent or a parameter, by its name. */
Sym sym_name(Name name)
{
    return intern(&(struct SymNode){ .kind = SYM_NAME, .name = name }, NULL);
}

/* The formula that is a value of the IR. */
Sym sym_value(const void *v)
{
    return intern(&(struct SymNode){ .kind = SYM_VALUE, .value = v }, NULL);
}

bool sym_is_bad(Sym s)        { return s->kind == SYM_BAD; }
bool sym_is(Sym s, int64_t k) { return s->kind == SYM_CONST && s->k == k; }

/* Is s a number? *k: which. */
bool sym_const_of(Sym s, int64_t *k)
{
    if (s->kind == SYM_CONST) *k = s->k;
    return s->kind == SYM_CONST;
}

/* A division, remainder, minimum or maximum as an atom. */
static Sym atom2(SymKind kind, Sym a, Sym b)
{
    return intern(&(struct SymNode){ .kind = kind, .n = 2 }, (Sym[]){ a, b });
}

/* ---- polynomials ----------------------------------------------------------------------------- */

/* k times atoms as a node of its own, the way it stands in a sum. */
static Sym product(const Term *t)
{
    return intern(&(struct SymNode){ .kind = SYM_PRODUCT, .k = t->k, .n = t->n }, t->atom);
}

/* The formula that a Poly is. */
static Sym poly_sym(const Poly *p)
{
    Sym kid[MOST_TERMS];
    if (p->bad) return &bad;
    if (p->n == 0) return sym_const(p->k);
    if (p->n == 1 && p->k == 0)
        return p->term[0].n == 1 && p->term[0].k == 1 ? p->term[0].atom[0] : product(&p->term[0]);
    for (int i = 0; i < p->n; i++) kid[i] = product(&p->term[i]);
    return intern(&(struct SymNode){ .kind = SYM_SUM, .k = p->k, .n = p->n }, kid);
}

/* Takes a formula apart. *s must stay where it is: an atom is its own list of atoms. */
static void poly_of(Poly *p, const Sym *s)
{
    p->bad = (*s)->kind == SYM_BAD;
    p->k = p->n = 0;
    switch ((*s)->kind) {
    case SYM_BAD:
        break;
    case SYM_CONST:
        p->k = (*s)->k;
        break;
    case SYM_SUM:
        p->k = (*s)->k;
        for (int i = 0; i < (*s)->n; i++) {
            Sym t = (*s)->kid[i];
            p->term[p->n++] = (Term){ t->k, t->n, t->kid };
        }
        break;
    case SYM_PRODUCT:
        p->term[p->n++] = (Term){ (*s)->k, (*s)->n, (*s)->kid };
        break;
    case SYM_NAME: case SYM_VALUE: case SYM_DIV: case SYM_MOD: case SYM_CEIL: case SYM_MIN:
    case SYM_MAX:
        p->term[p->n++] = (Term){ 1, 1, s };
        break;
    }
}

/* The order of terms in a sum: that of their atoms, one by one. */
static int term_order(const Term *a, const Term *b)
{
    for (int i = 0; i < a->n && i < b->n; i++)
        if (a->atom[i] != b->atom[i]) return a->atom[i]->id < b->atom[i]->id ? -1 : 1;
    return a->n - b->n;
}

/* Adds times * t to p, at its place. */
static void poly_add_term(Poly *p, Term t, int64_t times)
{
    int at = p->n;
    p->bad |= __builtin_mul_overflow(t.k, times, &t.k);
    if (p->bad || t.k == 0) return;
    while (at > 0 && term_order(&p->term[at - 1], &t) > 0) at--;
    if (at > 0 && term_order(&p->term[at - 1], &t) == 0) {
        Term *like = &p->term[at - 1];
        p->bad |= __builtin_add_overflow(like->k, t.k, &like->k);
        if (like->k == 0) memmove(like, like + 1, sizeof t * (size_t)(p->n-- - at));
        return;
    }
    if (p->n == MOST_TERMS) { p->bad = true; return; }
    memmove(p->term + at + 1, p->term + at, sizeof t * (size_t)(p->n++ - at));
    p->term[at] = t;
}

/* Adds times * q to p. */
static void poly_add(Poly *p, const Poly *q, int64_t times)
{
    int64_t k;
    p->bad |= q->bad || __builtin_mul_overflow(q->k, times, &k)
           || __builtin_add_overflow(p->k, k, &p->k);
    for (int i = 0; i < q->n && !p->bad; i++) poly_add_term(p, q->term[i], times);
}

/* a * b: the atoms of both, merged, in the arena. False if there are too many, or on overflow. */
static bool term_mul(Term *t, const Term *a, const Term *b)
{
    if (a->n + b->n > MOST_ATOMS || __builtin_mul_overflow(a->k, b->k, &t->k)) return false;
    t->n = a->n + b->n;
    t->atom = a->n ? a->atom : b->atom;
    if (!a->n || !b->n) return true;
    Sym *atom = new_array(Sym, t->n);
    for (int i = 0, j = 0; i + j < t->n; ) {
        bool first = j == b->n || (i < a->n && a->atom[i]->id <= b->atom[j]->id);
        atom[i + j] = first ? a->atom[i] : b->atom[j];
        if (first) i++; else j++;
    }
    t->atom = atom;
    return true;
}

/* Adds p * t to sum. */
static void poly_add_product(Poly *sum, const Poly *p, const Term *t)
{
    Term number = { p->k, 0, NULL }, one;
    for (int i = -1; i < p->n && !sum->bad; i++) {
        if (!term_mul(&one, i < 0 ? &number : &p->term[i], t)) sum->bad = true;
        else if (one.n == 0) sum->bad |= __builtin_add_overflow(sum->k, one.k, &sum->k);
        else poly_add_term(sum, one, 1);
    }
}

/* a + times * b. */
static Sym add_times(Sym a, Sym b, int64_t times)
{
    Poly p, q;
    poly_of(&p, &a);
    poly_of(&q, &b);
    poly_add(&p, &q, times);
    return poly_sym(&p);
}

Sym sym_add(Sym a, Sym b) { return add_times(a, b, 1); }
Sym sym_sub(Sym a, Sym b) { return add_times(a, b, -1); }

/* a * b, multiplied out. */
Sym sym_mul(Sym a, Sym b)
{
    Poly p, q, sum = { 0 };
    poly_of(&p, &a);
    poly_of(&q, &b);
    sum.bad = p.bad || q.bad;
    Term number = { q.k, 0, NULL };
    if (q.k) poly_add_product(&sum, &p, &number);
    for (int i = 0; i < q.n && !sum.bad; i++) poly_add_product(&sum, &p, &q.term[i]);
    return poly_sym(&sum);
}

/* ---- quotients ------------------------------------------------------------------------------- */

/* The quotient rounded down; b is no 0, and it does not overflow. */
static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* The greatest common divisor, 0 or more but for that of the lowest number. */
static int64_t gcd(int64_t a, int64_t b)
{
    while (b) { int64_t r = a % b; a = b; b = r; }
    return a < 0 && a != INT64_MIN ? -a : a;
}

/* a / b if it is exact, atoms and all. */
static bool term_div(Term *t, const Term *a, const Term *b)
{
    if (b->k == -1 ? a->k == INT64_MIN : a->k % b->k != 0) return false;
    Sym *atom = new_array(Sym, a->n + 1);
    int n = 0, j = 0;
    for (int i = 0; i < a->n; i++)
        if (j < b->n && a->atom[i] == b->atom[j]) j++; else atom[n++] = a->atom[i];
    *t = (Term){ a->k / b->k, n, atom };
    return j == b->n;
}

/* Adds a term, or a number if it has no atoms. */
static void poly_add_any(Poly *p, Term t)
{
    if (t.n) poly_add_term(p, t, 1);
    else p->bad |= __builtin_add_overflow(p->k, t.k, &p->k);
}

/* Splits p into *whole times d and *rest, term by term; of the number, a multiple of d goes. */
static void split(const Poly *p, const Term *d, Poly *whole, Poly *rest)
{
    *whole = *rest = (Poly){ .bad = p->bad };
    Term number = { p->k, 0, NULL }, part;
    for (int i = 0; i < p->n; i++) {
        if (term_div(&part, &p->term[i], d)) poly_add_any(whole, part);
        else poly_add_term(rest, p->term[i], 1);
    }
    if (d->n == 0 && d->k != -1) whole->k += p->k / d->k, rest->k = p->k % d->k;
    else if (term_div(&part, &number, d)) poly_add_any(whole, part);
    else rest->k = p->k;
}

/* a / b for a sum b, if a is a multiple of it: long division, by the terms with the most atoms. */
static bool long_division(const Poly *a, const Poly *b, Poly *quotient)
{
    const Term *lead = &b->term[0];
    for (int i = 1; i < b->n; i++)
        if (b->term[i].n > lead->n) lead = &b->term[i];
    Poly rest = *a;
    *quotient = (Poly){ 0 };
    for (int steps = 0; steps < MOST_TERMS && rest.n > 0 && !rest.bad; steps++) {
        const Term *top = &rest.term[0];
        Term t, minus;
        for (int i = 1; i < rest.n; i++)
            if (rest.term[i].n > top->n) top = &rest.term[i];
        if (!term_div(&t, top, lead) || t.k == INT64_MIN) return false;
        minus = (Term){ -t.k, t.n, t.atom };
        poly_add_any(quotient, t);
        poly_add_product(&rest, b, &minus);
    }
    return rest.n == 0 && rest.k == 0 && !rest.bad && !quotient->bad;
}

/* The divisor as one term; false if it is a sum. */
static bool one_term(const Poly *p, Term *t)
{
    if (p->n == 1 && p->k == 0) *t = p->term[0];
    else *t = (Term){ p->k, 0, NULL };
    return p->n == 0 || (p->n == 1 && p->k == 0);
}

/* What divides b and all numbers of a: 2 of (2 * N + 4) / 6. */
static int64_t common_factor(const Poly *a, int64_t b)
{
    int64_t g = gcd(b, a->k);
    for (int i = 0; i < a->n; i++) g = gcd(g, a->term[i].k);
    return g > 0 ? g : 1;
}

/* Divides all numbers of p by g, which divides them. */
static void poly_shrink(Poly *p, int64_t g)
{
    p->k /= g;
    for (int i = 0; i < p->n; i++) p->term[i].k /= g;
}

static Sym quotient(SymKind kind, Sym a, Sym b);

/* What is left of a quotient, rest / b, as an atom; b is no 0. Nested ones: N / 2 / 4 is N / 8. */
static Sym quotient_atom(SymKind kind, Poly *rest, Sym b)
{
    int64_t k, inner;
    if (rest->n == 0 && rest->k == 0) return sym_const(0);
    if (!sym_const_of(b, &k)) return atom2(kind, poly_sym(rest), b);
    int64_t g = common_factor(rest, k);
    poly_shrink(rest, g);
    k /= g;
    Sym a = poly_sym(rest);
    if (k == 1) return a;
    if (sym_const_of(a, &inner))
        return sym_const(kind == SYM_DIV ? floor_div(inner, k) : -floor_div(-inner, k));
    bool nested = a->kind == kind && sym_const_of(a->kid[1], &inner) && inner > 0;
    if (nested && !__builtin_mul_overflow(inner, k, &inner))
        return quotient(kind, a->kid[0], sym_const(inner));
    return atom2(kind, a, sym_const(k));
}

/* floor(a / b) or ceil(a / b): what divides exactly is taken out. */
static Sym quotient(SymKind kind, Sym a, Sym b)
{
    Poly p, q, whole, rest;
    Term d;
    poly_of(&p, &a);
    poly_of(&q, &b);
    if (p.bad || q.bad || sym_is(b, 0)) return &bad;
    if (!one_term(&q, &d)) {
        if (long_division(&p, &q, &whole)) return poly_sym(&whole);
        return atom2(kind, a, b);
    }
    if (d.n == 0 && d.k < 0)                       /* by a number below 0: both change their sign */
        return quotient(kind, sym_sub(sym_const(0), a), sym_sub(sym_const(0), b));
    split(&p, &d, &whole, &rest);
    if (whole.bad || rest.bad) return &bad;
    return sym_add(poly_sym(&whole), quotient_atom(kind, &rest, b));
}

Sym sym_div(Sym a, Sym b)  { return quotient(SYM_DIV, a, b); }
Sym sym_ceil(Sym a, Sym b) { return quotient(SYM_CEIL, a, b); }

/* The remainder of rest by a number k > 0, as an atom if it does not fold. */
static Sym remainder_atom(Poly *rest, int64_t k)
{
    int64_t inner;
    for (int i = 0; i < rest->n; i++) rest->term[i].k %= k;
    if (rest->n == 0) return sym_const(rest->k - k * floor_div(rest->k, k));
    int64_t g = common_factor(rest, k);
    poly_shrink(rest, g);
    k /= g;
    Sym a = poly_sym(rest), modulus = sym_const(k);
    if (a->kind == SYM_MOD && sym_const_of(a->kid[1], &inner) && inner > 0) {
        if (k % inner == 0) return sym_mul(sym_const(g), a);
        if (inner % k == 0) return sym_mul(sym_const(g), sym_mod(a->kid[0], modulus));
    }
    return sym_mul(sym_const(g), atom2(SYM_MOD, a, modulus));
}

/* a - b * floor(a / b). */
Sym sym_mod(Sym a, Sym b)
{
    Poly p, q, whole, rest;
    Term d;
    poly_of(&p, &a);
    poly_of(&q, &b);
    if (p.bad || q.bad || sym_is(b, 0)) return &bad;
    if (!one_term(&q, &d))
        return long_division(&p, &q, &whole) ? sym_const(0) : atom2(SYM_MOD, a, b);
    if (d.n == 0 && d.k < 0) {
        Sym zero = sym_const(0);
        return sym_sub(zero, sym_mod(sym_sub(zero, a), sym_sub(zero, b)));
    }
    split(&p, &d, &whole, &rest);
    if (rest.bad) return &bad;
    if (rest.n == 0 && rest.k == 0) return sym_const(0);
    return d.n == 0 ? remainder_atom(&rest, d.k) : atom2(SYM_MOD, poly_sym(&rest), b);
}

/* ---- minimum, maximum ------------------------------------------------------------------------ */

/* The one of two that is never larger; NULL if that depends. */
static Sym smaller(Sym a, Sym b)
{
    int64_t k;
    if (!sym_const_of(sym_sub(a, b), &k)) return NULL;
    return k <= 0 ? a : b;
}

static Sym other(Sym a, Sym b, Sym chosen) { return chosen == a ? b : a; }

/* min or max; nested ones lose a member that another one covers. */
static Sym extreme(SymKind kind, Sym a, Sym b)
{
    if (a->kind == SYM_BAD || b->kind == SYM_BAD) return &bad;
    if (a == b) return a;
    Sym least = smaller(a, b);
    if (least) return kind == SYM_MIN ? least : other(a, b, least);
    for (int turn = 0; turn < 2; turn++) {
        Sym in = turn ? b : a, out = turn ? a : b;
        for (int i = 0; in->kind == kind && i < 2; i++) {
            Sym sure = smaller(in->kid[i], out);
            if (!sure) continue;
            bool covered = (kind == SYM_MIN) == (sure == in->kid[i]);
            return covered ? in : extreme(kind, in->kid[1 - i], out);
        }
    }
    return a->id < b->id ? atom2(kind, a, b) : atom2(kind, b, a);
}

Sym sym_min(Sym a, Sym b) { return extreme(SYM_MIN, a, b); }
Sym sym_max(Sym a, Sym b) { return extreme(SYM_MAX, a, b); }
