/* claims.c -- does every tile hold what padding() says of it? Runs kernels and looks
 *
 * usage: claims FILE.tile ...      Built by claims.sh with an interpreter that calls claims_of() for
 * each value as soon as it is made. Prints what is not true; the last line counts. */
#include <math.h>
#include <stdlib.h>
#include "padding.h"
#include "interp.h"

enum { LAUNCHES = 12 };

static int wrong, looked, launches, refused;
static const char *file;

/* ---- looking ------------------------------------------------------------------------------------ */

/* Says once in a while what does not hold. */
static void say(const Value *v, int axis, const char *what)
{
    if (wrong++ < 40)
        printf("%s:%d: %s (%%%d), axis %d: %s\n", file, source_line(v->pos),
               v->name ? v->name->text : "a tile", v->id, axis, what);
}

/* Is the element what the pad says? */
static bool meets(Pad p, Elem e, Constant c)
{
    const bool is_float = elem_is_float(e);
    switch (p.kind) {
    case PAD_UNKNOWN: return true;
    case PAD_CONST:
        return is_float ? c.f == p.value.f || (isnan(c.f) && isnan(p.value.f))
                        : c.u == p.value.u;
    case PAD_MINUS_INF_OR_NAN: return isnan(c.f) || (isinf(c.f) && c.f < 0);
    case PAD_ZERO_OR_NAN: return isnan(c.f) || c.f == 0;
    }
    return false;
}

/* What lies outside along one axis is what pad_along says. */
static void look_at_pad(Run *r, const Value *v, int axis, Range part)
{
    const Held *h = held(r, v);
    const Pad p = pad_along(v, 1u << axis, NULL, NULL);
    int64_t place[MAX_TILE_RANK] = {0};
    for (int64_t i = 0; i < h->count && p.kind != PAD_UNKNOWN; i++) {
        if (!range_has(&part, place[axis]) && !meets(p, v->type.elem, h->at[i])) {
            say(v, axis, "holds something else outside its valid part");
            return;
        }
        place_next(h, place);
    }
}

/* The part that the interpreter found is the one that padding() says. */
static void look_at_axis(Run *r, const Value *v, int axis)
{
    const Held *h = held(r, v);
    const Valid *valid = &v->valid[axis];
    const Range found = h->valid[axis];
    const int64_t extent = h->extent[axis];
    if (valid->kind == VALID_MIXED)
        return;
    if (valid->kind == VALID_ANY) {
        if (!range_complete(&found, extent))
            say(v, axis, "is any, and something is padding");
        return;
    }
    const Range said = {VALID_INTERVAL, sym_number(r, v->def, valid->lo),
                        sym_number(r, v->def, valid->hi)};
    for (int64_t i = 0; i < extent; i++)
        if (range_has(&said, i) != range_has(&found, i) || found.kind == VALID_MIXED) {
            say(v, axis, arena_printf("%s is %lld..%lld, and %lld..%lld is true", valid_text(valid),
                                      (long long)said.lo, (long long)said.hi, (long long)found.lo,
                                      (long long)found.hi));
            break;
        }
    if (valid->some && said.lo >= said.hi)
        say(v, axis, "is said not to be empty");
    look_at_pad(r, v, axis, said);
}

/* Looks at one value. */
void claims_of(Run *r, const Value *v)
{
    if (r->failure || v->type.kind != TYPE_TILE)
        return;
    for (int a = 0; a < v->type.rank; a++, looked++)
        look_at_axis(r, v, a);
}

/* Looks at what an op made. */
void claims_of_op(Run *r, const Op *op)
{
    for (int i = 0; i < op->nresults; i++)
        claims_of(r, op->results[i]);
}

/* ---- running ------------------------------------------------------------------------------------- */

typedef struct { const Kernel *k; const int64_t *number; } Chosen;

/* The number that was chosen for an extent. */
static bool chosen(Sym atom, int64_t *k, void *arg)
{
    const Chosen *c = arg;
    for (int i = 0; i < c->k->extents.n; i++)
        if (atom->kind == SYM_NAME && atom->name == c->k->extents.at[i]) {
            *k = c->number[i];
            return true;
        }
    return false;
}

/* A tensor of small numbers; false if it has no extents. */
static bool make_tensor(const Param *p, const Chosen *c, Tensor *t)
{
    int64_t n = 1;
    *t = (Tensor){.elem = p->type.elem, .rank = p->type.rank, .present = !p->optional || rand() % 2};
    for (int a = t->rank - 1; a >= 0; a--) {
        if (!sym_eval(p->type.dim[a], chosen, (void *)c, &t->extent[a]) || t->extent[a] < 0)
            return false;
        t->stride[a] = n;
        n *= t->extent[a];
    }
    char *data = arena_alloc((size_t)(n + 1) * 8);
    t->data = data;
    for (int64_t i = 0; i < n; i++) {
        const int64_t number = elem_info[t->elem].class == CLASS_UNSIGNED ? rand() % 9
                             : t->elem == EL_BOOL ? rand() % 2 : rand() % 9 - 4;
        const Constant c64 = elem_is_float(t->elem) ? (Constant){.f = (double)number / 2}
                                                    : (Constant){.i = number};
        elem_store(t->elem, data + i * elem_info[t->elem].bytes, c64);
    }
    return true;
}

/* One launch with extents by chance. */
static void launch(const Kernel *k)
{
    static const int64_t sizes[] = {0, 1, 2, 3, 5, 7, 8, 9, 13, 16, 17, 24, 32, 48, 64, 65};
    int64_t number[64];
    Chosen c = {k, number};
    Arg *args = new_array(Arg, k->params.n + 1);
    if (k->extents.n > 64)
        return;
    for (int i = 0; i < k->extents.n; i++)
        number[i] = sizes[rand() % (int)(sizeof sizes / sizeof sizes[0])];
    for (int i = 0; i < k->params.n; i++) {
        const Param *p = &k->params.at[i];
        if (p->kind != PARAM_SCALAR) {
            if (!make_tensor(p, &c, &args[i].tensor))
                return;
        } else if (elem_is_float(p->type.elem)) {
            args[i].scalar.f = rand() % 9 / 2.0 - 1;
        } else {
            args[i].scalar.i = rand() % 12 - 2 * (elem_info[p->type.elem].class == CLASS_SIGNED);
        }
    }
    const char *why = interpret(k, args, NULL);
    launches++;
    refused += why != NULL;
    if (getenv("WHY") && why)
        printf("%s: %s\n", file, why);
}

/* All kernels of all files. */
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *why;
        Source *source = source_open(file = argv[i], &why);
        Program *program = source ? check(parse(source)) : NULL;
        if (!program || error_count())
            continue;
        padding(program);
        for (int f = 0; f < program->functions.n && !error_count(); f++)
            for (int k = 0; k < program->functions.at[f]->kernels.n && k < 3; k++)
                for (int n = 0; n < LAUNCHES; n++)
                    launch(program->functions.at[f]->kernels.at[k]);
    }
    printf("%d axes of %d launches (%d refused): %d wrong\n", looked, launches, refused, wrong);
    return wrong != 0;
}
