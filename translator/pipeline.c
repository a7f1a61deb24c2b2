/* pipeline.c -- operands of a loop's contractions, fetched rounds ahead without waiting */
/* needs: staged operands.  gives: CUDA C.  keeps: the plan.
 *
 * Each array has room for several rounds. While tensor cores work on one, the next are on their way
 * from global memory by cp.async, which goes past the registers:
 *
 *     round k:   wait for tile k | barrier | fetch tile k + 3 | multiply tile k
 *
 * The barrier says both: tile k is there for all threads, and nobody reads tile k - 1, whose room
 * tile k + 3 gets. */
#include "mapping.h"
#include <string.h>

enum { FETCHED_BYTES = 100 * 1024,                 /* so that two blocks fit a multiprocessor */
       MOST_BYTES = 200 * 1024 };

/* ---- what can be fetched --------------------------------------------------------------------- */

/* The load that an operand is, by other names; NULL: it is computed. */
const Op *plain_load(const Value *v)
{
    while (v->def && !map_of(v)->var && is_view(v) && v->def->nargs
           && v->def->kind != OP_BROADCAST)        /* each element once */
        v = v->def->args[0];
    return v->def && v->def->kind == OP_LOAD && !map_of(v)->var ? v->def : NULL;
}

typedef struct { const Op *loop; bool no; } Inside;

/* Notes an atom that a round computes. */
static bool note_made(Sym atom, void *arg)
{
    Inside *in = arg;
    in->no |= made_inside(atom, (void *)in->loop);
    return false;
}

/* The loop of whose rounds op is a part, if it goes by one to its end; NULL: there is none. */
static const Op *round_of(const Op *op)
{
    const Op *loop = op->block->parent;
    bool leaves = false;
    if (!loop || loop->kind != OP_FOR)
        return NULL;
    const Op *step = loop->args[2]->def;
    ir_walk(loop->region[0], note_leave, &leaves);
    return !leaves && step && step->kind == OP_CONST && step->constant.i == 1 ? loop : NULL;
}

/* Is the pad of a load the number 0? */
static bool pads_zero(const Op *load)
{
    const Op *pad = load->args[1]->def;
    return pad && pad->kind == OP_CONST && pad->constant.u == 0
        && !map_of(load->results[0])->has_fill;
}

/* The loop whose rounds may fetch the operand ahead: a load in vectors of 16 bytes, as it is, of a
   place that is known before the round. NULL: none. */
static const Op *fetching_loop(Emit *e, const Staged *s)
{
    const Op *loop = round_of(s->anchor), *load = plain_load(s->v);
    const int width = load ? body_vector(e, load->results[0]) : 1;
    Inside in = { loop, false };
    if (!loop || !load || s->own || s->other || !staged_in_vectors(e, s) || !pads_zero(load)
        || width * elem_info[s->v->type.elem].bytes != 16
        || load->results[0]->type.elem != s->v->type.elem
        || !access_is_vector(e->plan, load, width))
        return NULL;
    op_atoms(load, note_made, &in);
    return in.no ? NULL : loop;
}

/* Bytes of one round of a loop. */
static int64_t round_bytes(const Emit *e, const Op *loop)
{
    int64_t bytes = 0;
    for (int i = 0; i < e->staged.n; i++)
        if (e->staged.at[i].loop == loop)
            bytes += e->staged.at[i].size * elem_info[e->staged.at[i].v->type.elem].bytes;
    return bytes;
}

/* How many rounds the loop has room for; 0: it fetches nothing. */
static int rounds_of(const Emit *e, const Op *loop)
{
    for (int i = 0; i < e->staged.n; i++)
        if (e->staged.at[i].loop == loop)
            return e->staged.at[i].rounds;
    return 0;
}

/* For how many rounds the arrays of a loop have room, 0: none are fetched ahead. #[stages(n)] may
   ask for as much memory as there is. */
static int choose_rounds(const Op *loop, int64_t bytes)
{
    const Attr *wish = attr_of(loop->attrs, "stages");
    if (wish && (wish->value == 2 || wish->value == 4 || wish->value == 8)
        && wish->value * bytes <= MOST_BYTES)
        return (int)wish->value;
    return 4 * bytes <= FETCHED_BYTES ? 4 : 2 * bytes <= FETCHED_BYTES ? 2 : 0;
}

/* Warns of #[stages(n)] that is not followed. */
static void check_stages(Op *op, void *arg)
{
    const Attr *wish = op->kind == OP_FOR ? attr_of(op->attrs, "stages") : NULL;
    const int rounds = wish ? rounds_of(arg, op) : 0;
    if (wish && !rounds)
        not_followed(wish, "what a round loads is loaded in that round");
    else if (wish && rounds != wish->value)
        not_followed(wish, arena_printf("there is room for %d rounds: it is for 2, 4 or 8, as "
                                        "memory allows", rounds));
}

/* Finds what is fetched ahead: tensor cores are so quick that waiting for memory shows. */
void find_fetched(Emit *e)
{
    if (!e->plan->tensor)
        return;
    for (int i = 0; i < e->staged.n; i++)
        e->staged.at[i].loop = fetching_loop(e, &e->staged.at[i]);
    for (int i = 0; i < e->staged.n; i++) {
        const Op *loop = e->staged.at[i].loop;
        const int rounds = loop ? choose_rounds(loop, round_bytes(e, loop)) : 0;
        for (int j = 0; j < e->staged.n && loop; j++)
            if (e->staged.at[j].loop == loop) {
                e->staged.at[j].rounds = rounds;
                e->staged.at[j].loop = rounds ? loop : NULL;
            }
    }
    ir_walk(e->k->body, check_stages, e);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The room of round k in the operand's array. */
static const char *room(const Staged *s, const char *k)
{
    return arena_printf("%s + %lld * (%s & %d)", s->array, (long long)s->size, k, s->rounds - 1);
}

/* Fetches one operand. */
static void fetch(Emit *e, Staged *s, const char *k)
{
    const Op *load = plain_load(s->v);
    const Value *tile = load->results[0];
    const Dim *dims[MAX_NEST];
    const char *one = one_thread(e, tile), *to = fresh(e, arena_printf("%s_to", s->base));
    const int bounds = e->hoisted.n, bases = e->bases.n;
    Phase p;
    line(e, "%s *const %s = %s;", device_type(s->v->type.elem), to, room(s, k));
    if (one)
        open_block(e, "if (%s)", one);
    e->sparing = true;
    phase_open(e, &p, load, dims, dims_of(tile, dims));
    e->sparing = false;
    const char *base = tile_base(e, load), *guard = access_guard(e, load, false);
    const char *inside = inside_tile(e, tile, false);
    if (inside)
        line(e, "if (%s)", inside);
    e->indent += inside != NULL;
    line(e, "fetch_vec<%s>(&%s[%s], &%s[%s], %s);", e->w, to, staged_place(e, s), base,
         offset_text(e, load, tile, false), guard ? guard : "true");
    e->indent -= inside != NULL;
    phase_close(e, &p);
    if (one) {                                     /* what was named inside of it goes with it */
        close_block(e, "");
        e->hoisted.n = bounds, e->bases.n = bases;
    }
}

/* a and b, for the reader. */
static const char *fetched_text(const Emit *e, const Op *loop)
{
    const char *text = NULL;
    for (int i = 0; i < e->staged.n; i++)
        if (e->staged.at[i].loop == loop)
            text = text ? arena_printf("%s and %s", text, e->staged.at[i].base)
                        : e->staged.at[i].base;
    return text;
}

/* Declares the arrays of what the loop fetches. */
static void declare_fetched(Emit *e, const Op *loop)
{
    for (int i = 0; i < e->staged.n; i++)
        if (e->staged.at[i].loop == loop)
            name_staged(e, &e->staged.at[i]);
    e->loop_depth--;                               /* not yet in this one */
    round_barrier(e, "the last round is done with shared memory");
    for (int i = 0; i < e->staged.n; i++)
        if (e->staged.at[i].loop == loop)
            declare_staged(e, &e->staged.at[i], loop);
    e->loop_depth++;
}

/* Before a loop: how a round's operands are fetched, and those of the first rounds. k: its index,
   from, to: its bounds. */
void fetch_first(Emit *e, const Op *loop, const char *k, const char *from, const char *to)
{
    const int rounds = rounds_of(e, loop);
    if (!rounds)
        return;
    declare_fetched(e, loop);
    const char *name = fresh(e, "fetch");
    const int scope = e->names.used.n, bounds = e->hoisted.n, bases = e->bases.n;
    line(e, "// %s of round %s come without waiting, into room %s & %d of their arrays",
         fetched_text(e, loop), k, k, rounds - 1);
    open_block(e, "const auto %s = [&](int64_t %s)", name, k);
    open_block(e, "if (%s < %s)", k, to);
    for (int i = 0; i < e->staged.n; i++)
        if (e->staged.at[i].loop == loop)
            e->staged.at[i].fetch = name, fetch(e, &e->staged.at[i], k);
    close_block(e, "");
    line(e, "cp_async_commit();");
    close_block(e, ";");
    e->hoisted.n = bounds, e->bases.n = bases;
    e->names.used.n = scope;
    if (rounds == 2) {
        line(e, "%s(%s);", name, from);
        return;
    }
    const char *end = strcmp(from, "0") ? arena_printf("%s + %d", from, rounds - 1)
                                        : arena_printf("%d", rounds - 1);
    line(e, "for (int64_t %s = %s; %s < %s; %s++)", k, from, k, end, k);
    line(e, "    %s(%s);", name, k);
}

/* At the start of a round of a loop: its operands are there, and later ones on their way. */
void await_fetched(Emit *e, const Op *loop)
{
    const int rounds = loop && loop->kind == OP_FOR ? rounds_of(e, loop) : 0;
    if (!rounds)
        return;
    const char *k = map_of(web_root(loop->region[0]->args[0]))->name, *name = NULL;
    line(e, "cp_async_wait<%d>();", rounds - 2);
    barrier(e, arena_printf("round %s is there, and nobody reads the one before", k));
    for (int i = 0; i < e->staged.n; i++)
        if (e->staged.at[i].loop == loop)
            name = e->staged.at[i].fetch;
    line(e, "%s(%s + %d);", name, k, rounds - 1);
    for (int i = 0; i < e->staged.n; i++) {
        Staged *s = &e->staged.at[i];
        if (s->loop != loop)
            continue;
        s->name = fresh(e, arena_printf("%s_now", s->base));
        line(e, "const %s *const %s = %s;", device_type(s->v->type.elem), s->name, room(s, k));
    }
}
