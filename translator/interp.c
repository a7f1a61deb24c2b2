/* interp.c -- the reference interpreter: what a kernel means, one program after the other
 *
 * needs: padding().  It knows nothing of layouts, threads or memory spaces. A value holds its whole
 * tile and, along each axis, which part of it is data; programs run in order, ops one by one.
 */
#include <stdlib.h>
#include "interp.h"

/* How a block was left, and the op that left it, whose operands are what it hands over. */
typedef enum { LEFT_YIELD, LEFT_BREAK, LEFT_CONTINUE, LEFT_RETURN } How;
typedef struct { How how; const Op *op; } Left;

static Left run_block(Run *r, const Block *b);

/* ---- handing values over --------------------------------------------------------------------- */

/* Sets an integer scalar. */
static void set_int(Run *r, const Value *v, int64_t k)
{
    Held *h = held_new(r, v->def, v);
    if (h)
        h->at[0].i = k;
}

/* to[i] = from[i] all at once: what is overwritten may be needed, as in (a, b) = (b, a). */
static void hand_over(Run *r, const Op *op, int n, Value *const *from, Value *const *to)
{
    Held *copies = calloc((size_t)n + 1, sizeof *copies);
    for (int i = 0; i < n; i++)
        held_copy(&copies[i], held(r, from[i]));
    for (int i = 0; i < n; i++) {
        Held *h = held(r, to[i]);
        free(h->at);
        *h = copies[i];
        join_static(r, op, to[i]);
    }
    free(copies);
}

/* ---- control --------------------------------------------------------------------------------- */

static const Left next_op = {LEFT_YIELD, NULL};

/* What a block hands over, from the operand `from` on. */
static Value **handed(Left left, int from)
{
    return left.op ? left.op->args + from : NULL;
}

/* The block of an if or a loop has been left for good: its op's results are what it handed over. */
static Left finish(Run *r, const Op *op, Left left, int from)
{
    if (left.how == LEFT_RETURN)
        return left;
    hand_over(r, op, op->nresults, handed(left, from), op->results);
    return next_op;
}

/* if: one arm; an arm that breaks, continues or returns takes the ops around it along. */
static Left run_if(Run *r, const Op *op)
{
    const int arm = held_int(r, op->args[0]) ? 0 : 1;
    if (arm >= op->nregions)
        return next_op;
    const Left left = run_block(r, op->region[arm]);
    return left.how == LEFT_YIELD && left.op ? finish(r, op, left, 0) : left;
}

/* How often a loop from a to b by `step` runs; it cannot overflow. */
static uint64_t trip_count(int64_t a, int64_t b, int64_t step)
{
    if (step > 0 && a < b)
        return ((uint64_t)b - (uint64_t)a - 1) / (uint64_t)step + 1;
    if (step < 0 && a > b)
        return ((uint64_t)a - (uint64_t)b - 1) / -(uint64_t)step + 1;
    return 0;
}

/* for: the bounds are read once; carried values stay as they were if it never runs. */
static Left run_for(Run *r, const Op *op)
{
    const int64_t from = held_int(r, op->args[0]), step = held_int(r, op->args[2]);
    const uint64_t trips = trip_count(from, held_int(r, op->args[1]), step);
    const Block *body = op->region[0];
    if (trips == 0)
        hand_over(r, op, op->nresults, op->args + 3, op->results);
    else
        hand_over(r, op, op->nresults, op->args + 3, body->args + 1);
    for (uint64_t n = 0; n < trips && !r->failure; n++) {
        set_int(r, body->args[0], (int64_t)((uint64_t)from + n * (uint64_t)step));
        const Left left = run_block(r, body);
        if (r->failure || left.how == LEFT_RETURN)
            return left;
        if (left.how == LEFT_BREAK || n == trips - 1)
            return finish(r, op, left, 0);
        hand_over(r, op, op->nresults, handed(left, 0), body->args + 1);
    }
    return next_op;
}

/* while: the condition's region yields whether to go on, then what is carried. */
static Left run_while(Run *r, const Op *op)
{
    const Block *condition = op->region[0], *body = op->region[1];
    hand_over(r, op, op->nresults, op->args, condition->args);
    while (!r->failure) {
        Left left = run_block(r, condition);
        if (r->failure || left.how != LEFT_YIELD)
            return left;
        if (!held_int(r, left.op->args[0]))
            return finish(r, op, left, 1);
        hand_over(r, op, op->nresults, handed(left, 1), body->args);
        left = run_block(r, body);
        if (r->failure || left.how == LEFT_RETURN)
            return left;
        if (left.how == LEFT_BREAK)
            return finish(r, op, left, 0);
        hand_over(r, op, op->nresults, handed(left, 0), condition->args);
    }
    return next_op;
}

/* ---- ops ------------------------------------------------------------------------------------- */

/* Is the optional tensor there? */
static void run_has(Run *r, const Op *op)
{
    for (int p = 0; p < r->kernel->params.n; p++)
        if (r->kernel->params.at[p].value == op->args[0])
            set_int(r, op->results[0], r->args[p].tensor.present);
}

/* One op that goes on to the next. */
static void run_plain(Run *r, const Op *op)
{
    Held *h;
    switch (op->kind) {
    case OP_CONST:
        if ((h = held_new(r, op, op->results[0])))
            h->at[0] = op->constant;
        break;
    case OP_SYM:     set_int(r, op->results[0], sym_number(r, op, op->sym)); break;
    case OP_HAS:     run_has(r, op); break;
    case OP_ELEM: case OP_CAST: case OP_BITCAST: case OP_SELECT: run_elementwise(r, op); break;
    case OP_BROADCAST: case OP_EXPAND: case OP_SQUEEZE: case OP_PERMUTE: run_shape(r, op); break;
    case OP_RESHAPE: run_reshape(r, op); break;
    case OP_FLIP: case OP_EXTRACT: case OP_CAT: run_move(r, op); break;
    case OP_IOTA:    run_iota(r, op); break;
    case OP_COORD:   run_coord(r, op); break;
    case OP_FILL:    run_fill(r, op); break;
    case OP_KEEP:    run_keep(r, op); break;
    case OP_VALID:   run_valid(r, op); break;
    case OP_REDUCE:  run_reduce(r, op); break;
    case OP_MMA:     run_mma(r, op); break;
    case OP_SORT:    run_sort(r, op); break;
    case OP_HISTOGRAM: run_histogram(r, op); break;
    case OP_RANDOM:  run_random(r, op); break;
    case OP_PRINT:   run_print(r, op); break;
    case OP_ASSERT:  run_assert(r, op); break;
    case OP_FOLD: case OP_SCAN: run_combine(r, op); break;
    case OP_LOAD:    run_load(r, op); break;
    case OP_STORE:   run_store(r, op); break;
    case OP_GATHER:  run_load(r, op); break;
    case OP_SCATTER: run_scatter(r, op); break;
    case OP_ATOMIC:  run_atomic(r, op); break;
    case OP_RELAYOUT:
        if (held_new(r, op, op->results[0]))
            held_copy(held(r, op->results[0]), held(r, op->args[0]));
        break;
    case OP_IF: case OP_FOR: case OP_WHILE: case OP_YIELD: case OP_BREAK: case OP_CONTINUE:
    case OP_RETURN: case OP_KIND_COUNT:
        fail(r, op, "an op in the wrong place");
        break;
    }
}

/* One op; how its block is left by it, or next_op. */
static Left run_op(Run *r, const Op *op)
{
    switch ((int)op->kind) {
    case OP_IF:       return run_if(r, op);
    case OP_FOR:      return run_for(r, op);
    case OP_WHILE:    return run_while(r, op);
    case OP_YIELD:    return (Left){LEFT_YIELD, op};
    case OP_BREAK:    return (Left){LEFT_BREAK, op};
    case OP_CONTINUE: return (Left){LEFT_CONTINUE, op};
    case OP_RETURN:   return (Left){LEFT_RETURN, op};
    }
    run_plain(r, op);
    return next_op;
}

/* The ops of a block until one leaves it. */
static Left run_block(Run *r, const Block *b)
{
    for (const Op *op = b->first; op && !r->failure; op = op->next) {
        const Left left = run_op(r, op);
        if (left.how != LEFT_YIELD || left.op)
            return left;
    }
    return (Left){LEFT_YIELD, NULL};
}

/* What the function of a fold or scan gives, its arguments being set; NULL after a failure. */
Value **run_function(Run *r, const Op *op)
{
    const Left left = run_block(r, op->region[0]);
    return r->failure || !left.op ? NULL : left.op->args;
}

/* ---- programs -------------------------------------------------------------------------------- */

/* Programs of an axis: those of the output that needs most; one that is left out needs none. */
static int64_t axis_programs(Run *r, const Axis *axis)
{
    int64_t most = 0, n;
    for (int i = 0; i < axis->counts.n; i++) {
        const struct Count *count = &axis->counts.at[i];
        if (count->param >= 0 && !r->args[count->param].tensor.present)
            continue;
        if (names_eval(r->names, count->count, &n) && n > most)
            most = n;
    }
    return most;
}

/* Sets what is the same for all programs: scalar parameters. */
static void set_scalars(Run *r)
{
    for (int p = 0; p < r->kernel->params.n; p++) {
        const Param *param = &r->kernel->params.at[p];
        Held *h = param->kind == PARAM_SCALAR ? held_new(r, NULL, param->value) : NULL;
        if (h)
            h->at[0] = round_to_elem(param->type.elem, r->args[p].scalar);
    }
}

/* Runs the programs, the last axis fastest. */
static void run_programs(Run *r)
{
    enum { MOST_AXES = 16 };
    const Kernel *k = r->kernel;
    int64_t n[MOST_AXES], at[MOST_AXES] = {0};
    int a = 0;
    for (a = 0; a < k->axes.n; a++)
        if (a == MOST_AXES || (n[a] = axis_programs(r, &k->axes.at[a])) <= 0)
            return;
    do {
        for (a = 0; a < k->axes.n; a++)
            if (k->axes.at[a].index)
                set_int(r, k->axes.at[a].index, at[a]);
        run_block(r, k->body);
        for (a = k->axes.n - 1; a >= 0 && ++at[a] == n[a]; a--)
            at[a] = 0;
    } while (a >= 0 && !r->failure);
}

/* Runs every program of a kernel after the checks of a launch; NULL, or why it was refused or
   stopped. */
const char *interpret(const Kernel *k, const Arg *args, FILE *prints)
{
    Names names = {0};
    Run r = {.kernel = k, .args = args, .names = &names, .prints = prints};
    const char *why = launch_check(k, args, &names);
    if (why)
        return why;
    r.held = calloc((size_t)k->values.n + 1, sizeof *r.held);
    set_scalars(&r);
    if (!r.failure)
        run_programs(&r);
    for (int i = 0; i < k->values.n; i++)
        free(r.held[i].at);
    free(r.held);
    return r.failure;
}
