/* own.c -- each element of an output has one owner, and each output is stored */
#include "check.h"

/* ---- before the body: one owner -------------------------------------------------------------- */

/* Is an axis of the output cut by this program axis? */
static bool cut_by(const Param *p, int axis)
{
    for (int a = 0; a < p->type.rank; a++)
        if (p->cut[a].axis == axis) return true;
    return false;
}

/* How a program axis is called in messages. */
static const char *axis_name(const Axis *axis)
{
    return axis->name ? arena_printf("`%s`", axis->name->text) : "that has no name";
}

/* A program for messages: all indices 0 but that of one axis. (i = 0, j = 1) */
static const char *program_text(const Kernel *k, int one, int at)
{
    Text t = { 0 };
    for (int i = 0; i < k->axes.n; i++) {
        text_printf(&t, "%s", i ? ", " : "(");
        if (k->axes.at[i].name) text_printf(&t, "%s = ", k->axes.at[i].name->text);
        text_printf(&t, "%d", i == one ? at : 0);
    }
    text_printf(&t, ")");
    return t.at;
}

/* The first element of a tensor for messages: y[0, 0]. */
static const char *element_text(const Param *p)
{
    Text t = { 0 };
    text_printf(&t, "%s[", p->name->text);
    for (int a = 0; a < p->type.rank; a++) text_printf(&t, "%s0", a ? ", " : "");
    text_printf(&t, "]");
    return t.at;
}

/* Reports an output whose parts belong to all programs along an axis that it does not name. */
static void two_owners(const Kernel *k, const Param *p, int axis, Pos by)
{
    const Axis *a = &k->axes.at[axis];
    error(by, "E0502",
          "the `by` of `%s` lacks the program axis %s: its parts would have two owners",
          p->name->text, axis_name(a));
    note(a->pos, "the axis comes from here");
    note(p->pos, "programs %s and %s would both own %s", program_text(k, axis, 0),
         program_text(k, axis, 1), element_text(p));
    if (a->name)
        help("cut an axis of `%s` by `%s`, give `%s` one more axis for it (`%s:`), or write it in "
             "a kernel of its own",
             p->name->text, a->name->text, p->name->text, a->name->text);
    else
        help("cut as many axes of `%s`, or write it in a kernel of its own", p->name->text);
}

/* The `by` of a parameter in the source. */
static const Node *by_of(const Node *kernel, Name name)
{
    const Node *params = kid(kernel, 2);
    for (const Node *n = params ? params->kids : NULL; n; n = n->next)
        if (n->kind == N_PARAM_MUT && node_name(kid(n, 0)) == name) return kid(n, 3);
    return NULL;
}

/* At least one output must always be there, for the programs to be counted. */
static void one_required(const Node *kernel)
{
    const Node *params = kid(kernel, 2), *first = NULL;
    for (const Node *n = params ? params->kids : NULL; n; n = n->next) {
        if (n->kind != N_PARAM_MUT || !kid(n, 3)) continue;
        if (!kid(n, 2)) return;
        if (!first) first = n;
    }
    if (!first) return;
    error(node_word(kid(first, 0)), "E0508", "every output of this kernel is optional");
    help("at least one is always there, for the programs to be counted: leave out its `?`");
}

/* Checks that each output names each program axis, so that each part has one owner. */
void own_before(Check *c, const Node *kernel)
{
    const Kernel *k = c->kernel;
    for (int i = 0; i < k->params.n; i++) {
        const Param *p = &k->params.at[i];
        const Node *by = p->has_by ? by_of(kernel, p->name) : NULL;
        bool whole = true;                         /* was each of its axes read? */
        for (int a = 0; by && a < p->type.rank; a++) whole = whole && p->cut[a].size;
        for (int axis = 0; by && whole && axis < k->axes.n; axis++) {
            if (cut_by(p, axis)) continue;
            two_owners(k, p, axis, node_pos(by));
            break;
        }
    }
    one_required(kernel);
}

/* ---- after the body: what is stored ---------------------------------------------------------- */

/* A walk along all ways through a body that asks whether each of them stores all of one output.
 *
 * A set of bits says what a way has done so far, d loops deep. Bit d: all of the output is stored.
 * Bit e < d: this turn has stored its piece, so that once the loops deeper than e have run, all is
 * stored. A way that goes no further (return, break, continue) has all bits: it spoils nothing. */
enum { MOST_LOOPS = 31 };
static const uint32_t way_ends = ~(uint32_t)0;
typedef struct {
    const Value *tensor;
    const Value *index[MOST_LOOPS + 1];            /* of the loops, from 1; NULL: a while */
    int depth;
    uint32_t turn;                                 /* what all ways to the next turn have done */
    bool missed;                                   /* some way ends the program without it */
} Ways;

static uint32_t walk(Ways *w, const Block *b, uint32_t done);

/* Does the formula mention the index of the loop? */
static bool is_index(Sym atom, void *index)
{
    return atom->kind == SYM_VALUE && atom->value == index;
}

/* Does the place of a store depend on the index of this loop? */
static bool depends(const Ways *w, const Op *store, int loop)
{
    for (int a = 0; w->index[loop] && a < w->tensor->type.rank; a++) {
        Sym start = store->access->start[a];
        if (start && sym_mentions(start, is_index, (void *)(uintptr_t)w->index[loop])) return true;
    }
    return false;
}

/* What a store does: all of the part, or a piece for each turn of the innermost loops. */
static uint32_t store_does(const Ways *w, const Op *op)
{
    if (op->kind != OP_STORE || op->args[0] != w->tensor || op->nargs > 2) return 0;
    if (!op->access || !op->access->covers) return 0;
    int e = w->depth;
    while (e > 0 && depends(w, op, e)) e--;
    for (int outer = e; outer > 0; outer--)
        if (depends(w, op, outer)) return 0;
    return (uint32_t)1 << e;
}

/* After an if: what both arms have done. If it asks whether the output itself is there, it does not
   matter what happens where it is not. */
static uint32_t walk_if(Ways *w, const Op *op, uint32_t done)
{
    const Op *test = op->args[0]->def;
    bool asks = test && test->kind == OP_HAS && test->args[0] == w->tensor;
    uint32_t yes = op->region[0] ? walk(w, op->region[0], done) : done;
    if (asks) return yes == way_ends ? done : yes;
    return yes & (op->region[1] ? walk(w, op->region[1], done) : done);
}

/* After a loop: what was done before, and what each turn's piece adds up to. */
static uint32_t walk_loop(Ways *w, const Op *op, uint32_t done)
{
    if (w->depth == MOST_LOOPS) return done;
    bool counts = op->kind == OP_FOR && op->region[0] && op->region[0]->nargs > 0;
    uint32_t outer = w->turn, all = done & (uint32_t)1 << w->depth;
    w->turn = way_ends;
    w->index[++w->depth] = counts ? op->region[0]->args[0] : NULL;
    uint32_t turn = done | all << 1, last = way_ends;
    for (int i = 0; i < op->nregions; i++) last = walk(w, op->region[i], turn);
    turn = last & w->turn;
    w->depth--;
    w->turn = outer;
    if (!counts || turn == way_ends) return done;
    return done | (turn & (((uint32_t)2 << w->depth) - 1));
}

/* What is done at the end of a block, if `done` was at its start; way_ends if none gets there. */
static uint32_t walk(Ways *w, const Block *b, uint32_t done)
{
    for (const Op *op = b->first; op; op = op->next) {
        switch ((int)op->kind) {
        case OP_STORE:    done |= store_does(w, op); break;
        case OP_IF:       done = walk_if(w, op, done); break;
        case OP_FOR:
        case OP_WHILE:    done = walk_loop(w, op, done); break;
        case OP_RETURN:   w->missed |= !(done >> w->depth & 1); return way_ends;
        case OP_BREAK:    w->turn = 0; return way_ends;
        case OP_CONTINUE: w->turn &= done; return way_ends;
        default:          break;
        }
        if (done == way_ends) return way_ends;
    }
    return done;
}

/* Does every way through the kernel store all of the output? */
static bool written(const Kernel *k, const Value *tensor)
{
    Ways w = { .tensor = tensor, .turn = way_ends };
    uint32_t done = walk(&w, k->body, 0);
    return (done & 1) && !w.missed;
}

/* What is done to each tensor, by value. */
typedef struct { Kernel *k; bool *stored; Pos *loaded; } Uses;

/* Notes what reads or writes a parameter. */
static void note_use(Op *op, void *arg)
{
    Uses *u = arg;
    if (!op_reads(op) && !op_writes(op)) return;
    for (int i = 0; i < u->k->params.n; i++) {
        Param *p = &u->k->params.at[i];
        if (p->value != op->args[0]) continue;
        if (op_reads(op) && !p->loaded) u->loaded[i] = op->pos;
        if (op_reads(op)) p->loaded = true;
        else u->stored[i] = true;
    }
}

/* Reports an output that the body never stores. */
static void never_stored(const Param *p, Pos loaded)
{
    if (p->kind == PARAM_ATOMIC) {
        error(p->pos, "E0509", "nothing ever updates `%s`", p->name->text);
        help("write `%s.atomic_add(..)`, or leave the parameter out", p->name->text);
        return;
    }
    error(p->pos, "E0509", "nothing is ever stored in `%s`", p->name->text);
    if (p->loaded) note(loaded, "it is read here");
    if (!p->has_by)
        help("write `unsafe %s.scatter(..);`, or leave the parameter out", p->name->text);
    else if (p->loaded) help("it is only read: take it as `%s: &tensor<..>`", p->name->text);
    else help("store a tile, `%s.store(t);`, or leave the parameter out", p->name->text);
}

/* An output of which some elements keep what they had, which the kernel never looks at. */
static void warn_updated(const Param *p)
{
    warn(p->pos, "updated",
         "some elements of `%s` may keep what they held before, and nothing reads it",
         p->name->text);
    help("store it on every way through the kernel, or read what it held");
}

/* After the body: each output is stored; all of it on every way (written), or not (updated). */
void own_after(Check *c, const Node *kernel)
{
    Kernel *k = c->kernel;
    Uses u = { k, new_array(bool, k->params.n + 1), new_array(Pos, k->params.n + 1) };
    (void)kernel;
    ir_walk(k->body, note_use, &u);
    for (int i = 0; i < k->params.n; i++) {
        Param *p = &k->params.at[i];
        if (p->kind != PARAM_MUT && p->kind != PARAM_ATOMIC) continue;
        if (!u.stored[i]) never_stored(p, u.loaded[i]);
        if (!u.stored[i] || p->kind == PARAM_ATOMIC) continue;
        p->written = written(k, p->value);
        p->updated = !p->written;
        if (p->updated && p->has_by && !p->loaded) warn_updated(p);
    }
}
