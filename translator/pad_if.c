/* pad_if.c -- questions about pads: through ifs and loops, under other fills, for all values */
/* needs: valid parts.  gives: pads.  keeps: the IR. */
#include <math.h>
#include <stdlib.h>
#include "padding.h"

enum { DEEPEST = 3000 };                           /* ops in a chain that an answer depends on */

static const Pad unknown = {.kind = PAD_UNKNOWN};

/* ---- control --------------------------------------------------------------------------------- */

/* All values that are handed to a place. */
typedef LIST(Value *) Values;

/* Adds operand i of the op that ends the block, and of breaks (continues) of the loop inside. */
static void ways_out(Block *b, const Op *loop, int i, OpKind kind, Values *values)
{
    for (Op *op = b->first; op; op = op->next) {
        if (op->kind == kind && i < op->nargs)
            push(values, op->args[i]);
        for (int r = 0; op->kind == OP_IF && r < op->nregions; r++)
            ways_out(op->region[r], loop, i, kind, values);
    }
}

/* Adds operand i of the yield of a region, if it has one. */
static void yielded(const Block *b, int i, Values *values)
{
    if (b->last && b->last->kind == OP_YIELD && i < b->last->nargs)
        push(values, b->last->args[i]);
}

/* What leads to the i-th value that a loop carries at its head; to its result. */
static void carried(const Op *loop, int i, bool head, Values *values)
{
    Block *body = loop->region[loop->nregions - 1];
    const bool counts = loop->kind == OP_FOR;
    if (head || counts) {
        push(values, loop->args[i + (counts ? 3 : 0)]);
        yielded(body, i, values);
        ways_out(body, loop, i, OP_CONTINUE, values);
    }
    if (!head)
        ways_out(body, loop, i, OP_BREAK, values);
    if (!head && !counts)
        yielded(loop->region[0], i + 1, values);
}

/* What leads to a result of an if, for, while. */
static Values ways_in(const Value *v)
{
    const Op *op = v->def;
    Values values = {0};
    int i = 0;
    while (op->results[i] != v)
        i++;
    if (op->kind == OP_IF)
        for (int r = 0; r < op->nregions; r++)
            yielded(op->region[r], i, &values);
    else
        carried(op, i, false, &values);
    return values;
}

/* ---- questions ------------------------------------------------------------------------------- */

/* The slot of a value; with room for it if it has none. */
static Slot *slot_of(Ask *q, const Value *v)
{
    if (q->n * 2 >= q->room) {
        Slot *old = q->slots;
        const int room = q->room;
        q->room = room ? room * 2 : 64;
        q->slots = calloc((size_t)q->room, sizeof *q->slots);
        q->n = 0;
        for (int i = 0; i < room; i++)
            if (old[i].v)
                *slot_of(q, old[i].v) = old[i];
        free(old);
    }
    unsigned at = (unsigned)v->id * 2654435761u & (unsigned)(q->room - 1);
    while (q->slots[at].v && q->slots[at].v != v)
        at = (at + 1) & (unsigned)(q->room - 1);
    q->n += !q->slots[at].v;
    q->slots[at].v = v;
    return &q->slots[at];
}

/* The value that an argument of a while's body is: what the condition hands on; or NULL. */
static Value *handed_on(const Value *v)
{
    const Op *loop = v->block ? v->block->parent : NULL;
    Values values = {0};
    int i = 0;
    if (!loop || loop->kind != OP_WHILE || v->block != loop->region[1])
        return NULL;
    while (v->block->args[i] != v)
        i++;
    yielded(loop->region[0], i + 1, &values);
    return values.n ? values.at[0] : NULL;
}

/* Takes what a loop carries to hold what it begins with, or what an earlier round left of that. */
static void guess_carried(Ask *q, const Op *loop, int i, const Value *v)
{
    Values values = {0};
    Holds guess = slot_of(q, v)->guess;
    carried(loop, i, true, &values);
    if (!slot_of(q, v)->guessed)
        guess = holds_joined(q, values.at, 1, v);
    Slot *s = slot_of(q, v);
    s->asked = s->guessed = true;
    s->guess = s->holds = guess;
}

/* Compares the guess with all ways that lead to the head of the loop; a wrong one is lowered. */
static void check_guess(Ask *q, const Op *loop, int i, const Value *v)
{
    Values values = {0};
    carried(loop, i, true, &values);
    const Holds all = holds_joined(q, values.at, values.n, v);
    Slot *s = slot_of(q, v);
    const Holds right = holds_both(s->guess, &all);
    q->again = q->again || !holds_same(&right, &s->guess);
    s->guess = right;
}

/* Works out what a loop carries, all at once, before anything in the loop is asked for. */
static void enter_loop(Ask *q, const Op *loop)
{
    const Block *head = loop->region[0];
    const int index = loop->kind == OP_FOR;
    if (head->nargs <= index || slot_of(q, head->args[index])->asked)
        return;
    for (int i = index; i < head->nargs; i++)
        guess_carried(q, loop, i - index, head->args[i]);
    for (int i = index; i < head->nargs; i++)
        check_guess(q, loop, i - index, head->args[i]);
}

/* Enters the loops around a block, the outermost first. */
static void enter_loops(Ask *q, const Block *b)
{
    const Op *op = b ? b->parent : NULL;
    if (!op)
        return;
    enter_loops(q, op->block);
    if (op->kind != OP_IF && !op_combines(op))
        enter_loop(q, op);
}

/* What ifs and loops make: what is right of all ways. */
static Holds joined(Ask *q, const Value *v)
{
    if (v->def->kind != OP_IF)
        enter_loop(q, v->def);
    const Values values = ways_in(v);
    return holds_joined(q, values.at, values.n, v);
}

/* What a value holds outside; each is worked out once a question. */
Holds holds_of(Ask *q, const Value *v)
{
    const Slot *s = slot_of(q, v);
    Value *same = handed_on(v);
    if (same)
        return holds_joined(q, &same, 1, v);
    if (s->asked || !v->def || q->depth > DEEPEST)
        return s->holds;
    slot_of(q, v)->asked = true;
    q->depth++;
    const Holds h = v->def->nregions && !op_combines(v->def) ? joined(q, v) : holds_made(q, v->def);
    q->depth--;
    slot_of(q, v)->holds = h;
    return h;
}

/* Asks until no guess was wrong. */
static Holds ask(Ask *q, const Value *v)
{
    Holds h;
    do {
        for (int i = 0; i < q->room && q->again; i++) {
            q->slots[i].asked = false;
            q->slots[i].holds = (Holds){0};
        }
        q->again = false;
        enter_loops(q, v->def ? v->def->block : v->block);
        h = holds_of(q, v);
    } while (q->again);
    return h;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* The pad at the places that lie outside along one of these axes. */
static Pad along(const Holds *h, const Value *v, uint32_t axes)
{
    Pad pad = unknown;
    bool first = true;
    for (int a = 0; a < v->type.rank && a < MAX_TILE_RANK; a++)
        if (axes >> a & 1) {
            pad = first ? h->axis[a] : pad_join(pad, h->axis[a]);
            first = false;
        }
    return h->constant ? h->axis[0] : pad;
}

/* The axes along which something may lie outside: not those of extent 1 that are complete. */
static uint32_t padded_axes(const Value *v)
{
    uint32_t axes = 0;
    for (int a = 0; a < v->type.rank && a < MAX_TILE_RANK; a++) {
        const bool complete = valid_complete(&v->valid[a], v->type.dim[a]);
        if (!complete || type_extent(&v->type, a) != 1)
            axes |= 1u << a;
    }
    return axes;
}

/* What v would hold outside along these axes, if loads had other fills. */
Pad pad_along(const Value *v, uint32_t axes, const Constant *(*fill)(const Op *load, void *arg),
              void *arg)
{
    Ask q = {.fill = fill, .arg = arg};
    const Holds h = ask(&q, v);
    free(q.slots);
    return along(&h, v, axes);
}

/* What v would hold outside along any axis, if loads had other fills. */
Pad pad_if(const Value *v, const Constant *(*fill)(const Op *load, void *arg), void *arg)
{
    return pad_along(v, padded_axes(v), fill, arg);
}

/* Sets the pad of all values. */
void pad_values(Kernel *k)
{
    Ask q = {0};
    for (int i = 0; i < k->values.n; i++) {
        Value *v = k->values.at[i];
        uint32_t intervals = 0;
        if (v->type.kind != TYPE_TILE)
            continue;
        for (int a = 0; a < v->type.rank; a++)
            intervals |= (uint32_t)(v->valid[a].kind != VALID_ANY) << a;
        const Holds h = ask(&q, v);
        v->pad = along(&h, v, intervals);
    }
    free(q.slots);
}

/* Does an element that holds p change nothing in such a reduction of elements of this type? */
bool pad_is_identity(Pad p, ReduceKind kind, Elem elem)
{
    const bool number = p.kind == PAD_CONST, is_float = elem_is_float(elem);
    const Constant infinite = {.f = kind == REDUCE_MAX ? -INFINITY : INFINITY};
    switch (kind) {
    case REDUCE_SUM: case REDUCE_MEAN:             /* -0.0 too: a sum starts at +0.0 */
        return p.kind == PAD_ZERO_OR_NAN
               || (number && (is_float ? p.value.f == 0 : p.value.i == 0));
    case REDUCE_PROD:
        return number && (is_float ? p.value.f == 1 : p.value.i == 1);
    case REDUCE_MAX: case REDUCE_MIN:
        if (p.kind == PAD_MINUS_INF_OR_NAN)
            return kind == REDUCE_MAX;
        if (is_float)
            return number && p.value.f == infinite.f;
        return number && p.value.u == cast_reference(EL_F64, elem, infinite).u;
    case REDUCE_ANY:
        return number && !p.value.i;
    case REDUCE_ALL:
        return number && p.value.i;
    case REDUCE_ARGMAX: case REDUCE_ARGMIN:
        return false;
    }
    return false;
}

/* 0.0, -inf or nan. */
const char *pad_text_of(Pad pad, Elem elem)
{
    switch (pad.kind) {
    case PAD_UNKNOWN:          return "unknown";
    case PAD_CONST:            return elem_constant_text(elem, pad.value);
    case PAD_MINUS_INF_OR_NAN: return "-inf or nan";
    case PAD_ZERO_OR_NAN:      return "0.0 or nan";
    }
    return "unknown";
}
