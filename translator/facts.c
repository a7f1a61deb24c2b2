/* facts.c -- what is learnt about a kernel before its bodies are planned */
/* needs: layouts.  gives: Facts, and the parameters of vector accesses.
   keeps: the IR, the Dims. */
#include "mapping.h"
#include <string.h>

/* Does v lie along a whole axis? */
static bool along_whole(const Value *v)
{
    for (int a = 0; a < MAX_TILE_RANK; a++)
        if (v->plan && map_of(v)->dim[a] && map_of(v)->dim[a]->whole)
            return true;
    return false;
}

/* Notes what a sort in a thread takes: registers for the keys of one line and, for each element,
   itself and what becomes of it. */
static void learn_sort(Facts *f, const Op *op)
{
    int64_t words = type_extent(&op->args[0]->type, op->axis) * ((key_bytes(op) + 3) / 4);
    int live = elem_info[op->args[0]->type.elem].bytes + 4;
    f->key_words = words > f->key_words ? words < 1000 ? (int)words : 1000 : f->key_words;
    f->sort_live = live > f->sort_live ? live : f->sort_live;
}

/* An upper bound of the words that a fold or scan carries: its members, each for itself, and
   whether they stand for any element. */
int state_words(const Op *op)
{
    int words = 1;
    for (int i = 0; i < op_members(op); i++)
        words += (elem_info[op->args[i]->type.elem].bytes + 3) / 4;
    return words;
}

/* The same if it goes along a whole axis, else 0. */
static int meeting_words(const Op *op)
{
    const Dim *d = map_of(op->args[0])->dim[op_axis(op)];
    return d && d->whole ? state_words(op) : 0;
}

/* Adds what one op tells: reductions, loops, changes of layout, the narrowest type that moves. */
static void learn(Op *op, void *arg)
{
    Facts *f = arg;
    if (op->kind == OP_REDUCE || op_combines(op)) {
        f->reductions++;
        for (int a = 0; a < op->args[0]->type.rank; a++) {
            const Dim *d = map_of(op->args[0])->dim[a];
            f->row_reduction |= op->reduce_axes >> a & 1 && d && d->fast;
        }
        f->control |= op->block->parent != NULL;
        f->reduced_whole |= op->kind != OP_SCAN && along_whole(op->results[0]);
    }
    if (op->kind == OP_MMA) {
        f->contractions++;
        f->control |= op->block->parent != NULL;
    }
    if (op->kind == OP_SORT && beside_whole(op))
        learn_sort(f, op);
    f->two_words |= (op->kind == OP_CAST || op->kind == OP_IOTA)
        && elem_info[op->results[0]->type.elem].bytes == 8 && along_whole(op->results[0]);
    if (op_combines(op) && meeting_words(op) > f->meeting)
        f->meeting = meeting_words(op);
    f->combines |= op_combines(op);
    f->changes_layout |= is_move(op) && (along_whole(op->args[0]) || along_whole(op->results[0]));
    f->control |= op->kind == OP_FOR || op->kind == OP_WHILE;
    if (op->kind == OP_FOR || op->kind == OP_WHILE)
        for (int i = 0; i < op->nresults; i++)
            if (along_whole(op->results[i]) && !f->carried_whole)
                f->carried_whole = true, f->carried_at = op->pos;
    if (op->kind == OP_ATOMIC && op->nresults && along_whole(op->results[0]))
        f->old_whole = true;
    if (op_reads(op) || op_writes(op)) {
        Elem elem = op->args[0]->type.elem;
        f->gathers += op->kind == OP_GATHER;
        f->whole_loads += op_reads(op) && along_whole(op->results[0]);
        f->whole_stores += op->kind == OP_STORE && along_whole(op->args[1]);
        if (access_is_vector(f->plan, op, 1) && elem_info[elem].bytes < f->least_bytes)
            f->least_bytes = elem_info[elem].bytes;
    }
}

typedef struct { const Plan *plan; int width, n; } Counting;

/* Counts the accesses that can be of c->width elements. */
static void count_vectors(Op *op, void *arg)
{
    Counting *c = arg;
    if (op_reads(op) || op_writes(op))
        c->n += access_is_vector(c->plan, op, c->width);
}

/* The widest access, in elements: 16 bytes of the narrowest type, if any
   access can be that wide. */
static int widest(const Facts *f)
{
    for (int w = f->least_bytes > 2 || f->least_bytes < 1 ? 16 / f->least_bytes : 8; w > 1;
         w /= 2) {
        Counting c = { f->plan, w, 0 };
        ir_walk(f->plan->kernel->body, count_vectors, &c);
        if (c.n)
            return w;
    }
    return 1;
}

/* Notes the parameter of a vector access, with the alignment that it takes. */
static void note_vector(Op *op, void *arg)
{
    Facts *f = arg;
    if ((!op_reads(op) && !op_writes(op)) || !access_is_vector(f->plan, op, f->vector))
        return;
    int param = 0, bytes = elem_info[op->args[0]->type.elem].bytes * f->vector;
    while (f->plan->kernel->params.at[param].value != op->args[0])
        param++;
    for (int i = 0; i < f->plan->vectors.n; i++)
        if (f->plan->vectors.at[i].param == param)
            return;
    push(&f->plan->vectors, ((struct VectorParam){ param, bytes > 16 ? 16 : bytes }));
}

/* ---- may a whole axis be streamed? ----------------------------------------------------------- */

typedef struct {
    const Kernel *k;
    const Op *store;
    const Value *tensor;
    Access *access;
    bool bad;
} Hazard;

/* Is v, along a whole axis, made from a load of the tensor? seen, by value id: those it is not. */
static bool finds(const Value *v, const Value *tensor, bool *seen)
{
    const Op *op = v->def;
    if (!op || !along_whole(v) || seen[v->id])
        return false;
    seen[v->id] = true;
    if (op_reads(op))
        return op->args[0] == tensor;
    for (int i = 0; i < op->nargs; i++)
        if (finds(op->args[i], tensor, seen))
            return true;
    for (int r = 0; r < op->nregions; r++)
        for (int i = 0; op->region[r]->last && i < op->region[r]->last->nargs; i++)
            if (finds(op->region[r]->last->args[i], tensor, seen))
                return true;
    return false;
}

/* Is v, along a whole axis, made from a load of the hazard's tensor? */
static bool reaches(const Hazard *h, const Value *v)
{
    return finds(v, h->tensor, new_array(bool, h->k->values.n));
}

/* Do both move the same part of their tensors? What index tiles name may be anything. */
static bool same_access(const Access *a, const Access *b)
{
    for (int i = 0; i < MAX_RANK; i++)
        if (a->index[i] || b->index[i])
            return false;
    return !memcmp(a->start, b->start, sizeof a->start) && !memcmp(a->map, b->map, sizeof a->map)
        && !memcmp(a->step, b->step, sizeof a->step);
}

/* Is what h->store wrote read by op, elsewhere or later? */
static void check_after(Op *op, void *arg)
{
    Hazard *h = arg;
    if (op_reads(op) && op->args[0] == h->tensor && !same_access(op->access, h->access))
        h->bad = true;
    if (op->number > h->store->number
        && (op->kind == OP_REDUCE || op->kind == OP_FOLD || op_writes(op)))
        for (int i = 0; i < op->nargs; i++)
            h->bad |= reaches(h, op->args[i]);
}

/* A phase that comes after a store must not read again what was stored over. */
static void check_store(Op *op, void *arg)
{
    Hazard *all = arg;
    if (!op_writes(op) || !along_whole(op->args[1]))
        return;
    const Block *body = op->block;
    while (body->parent)
        body = body->parent->block;
    Hazard h = { .k = all->k, .store = op, .tensor = op->args[0], .access = op->access };
    ir_walk((Block *)body, check_after, &h);
    bool looped = false;
    for (const Op *o = op->block->parent; o; o = o->block->parent)
        looped |= o->kind != OP_IF;
    all->bad |= h.bad || (looped && reaches(&h, op->args[1]));
}

/* The reason that a kernel cannot come along a whole axis in pieces; NULL if it can. */
const char *why_not_streamed(const Facts *f)
{
    if (f->carried_whole)
        return "a loop carries a tile along the whole axis, so it must stay in registers";
    if (f->key_words)
        return "a tile beside the whole axis is sorted, so it must stay in registers";
    if (f->changes_layout)
        return "elements of a tile along the whole axis go to other threads, so all of it must be "
               "held at once";
    if (f->old_whole)
        return "what was there before an update along the whole axis must stay in registers";
    if (f->reduced_whole)
        return "a reduction leaves a tile along the whole axis, so it must stay in registers";
    const char *why = why_no_pass(f->plan->kernel);
    if (why)
        return why;
    Hazard all = { .k = f->plan->kernel };
    ir_walk(f->plan->kernel->body, check_store, &all);
    return all.bad ? "the axis is read again after it was stored over, so it must stay in registers"
                   : NULL;
}

/* ---- the facts ------------------------------------------------------------------------------- */

/* Loads that are no variables: they are made where they are used. */
static int late_loads(const Kernel *k)
{
    int n = 0;
    for (int i = 0; i < k->values.n; i++) {
        const Value *v = k->values.at[i];
        n += v->def && op_reads(v->def) && v->plan && !map_of(v)->var;
    }
    return n;
}

/* Learns the facts of a kernel whose Dims are known; p->vectors gets the parameters that vector
   accesses need aligned. */
Facts learn_facts(Plan *p)
{
    Kernel *k = p->kernel;
    Facts f = { .plan = p, .least_bytes = 16 };
    Emit e = { .plan = p, .k = k };
    ir_walk(k->body, learn, &f);
    f.vector = widest(&f);
    ir_walk(k->body, note_vector, &f);
    if (f.vector == 1)
        p->vectors.n = 0;
    ir_count_uses(k);
    place(&e);
    f.live = live_bytes(&e);
    f.live = f.sort_live > f.live ? f.sort_live : f.live;
    f.slim = slim_bytes(&e);
    f.late = late_loads(k);
    return f;
}
