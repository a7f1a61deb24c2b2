/* combine.c -- folds and scans: along an axis, in the order of the elements */
/* needs: a body being written.  gives: CUDA C.  keeps: the plan.
 *
 * The function becomes a C++ lambda, what it works on a value or a struct of the tuple's members.
 * A thread goes along its W neighbours, the threads side by side meet in their order, the rounds
 * follow each other with what came before them:
 *
 *     round 0: lane 0 [ W ]  lane 1 [ W ] ..   round 1: lane 0 [ W ]  lane 1 [ W ] ..
 *              run ->        run ->            carry ->
 *
 * Where translation cannot tell that init combined with itself is init (0 / 0, inf - inf), each
 * value says whether it stands for any element, and what stands for none is left out. */
#include "mapping.h"
#include <string.h>

/* ---- masks ----------------------------------------------------------------------------------- */

/* Does what lies outside along the axis hold init by itself? */
static bool outside_is_init(const Op *op)
{
    const int n = op_members(op), axis = op_axis(op);
    for (int i = 0; i < n; i++) {
        const Value *v = op->args[i];
        const Op *init = op->args[n + i]->def;
        Pad pad = pad_along(v, op->reduce_axes, fill_of, NULL);
        bool data = map_of(v)->dim[axis] && v->valid[axis].kind == VALID_ANY;
        if (!init || init->kind != OP_CONST || pad.kind != PAD_CONST
            || pad.value.u != init->constant.u || (data && !(v->def && v->def->kind == OP_FILL)))
            return false;
    }
    return true;
}

/* The condition under which an element counts, noted in the head; NULL if all may. */
static const char *mask_of(Emit *e, const Combine *m)
{
    const Op *op = m->op;
    const Value *bounds = op->args[0];
    for (int i = 0; i < m->n && bounds->valid[op_axis(op)].kind == VALID_ANY; i++)
        bounds = op->args[i];
    const char *mask = valid_guard(e, bounds, op->reduce_axes, true);
    if (!mask)
        return NULL;
    const char *what = op->kind == OP_SCAN ? "scan" : "reduction";
    bool free = !m->flagged && outside_is_init(op);
    note_padding(e, arena_printf(free ? "the %s by %s needs no mask, since what lies outside the "
                                        "valid part is its init"
                                      : "the %s by %s has a mask, since outside the valid part "
                                        "lies what it must not see", what, m->f));
    return free ? NULL : mask;
}

/* ---- one place of the nest ------------------------------------------------------------------- */

/* The present element as a state. */
static const char *element_state(Emit *e, const Combine *m)
{
    const char *x = state_of(e, m, m->op->args, "true");
    if (!m->mask)
        return x;
    bool loose = !state_is_struct(m) && element(e, m->op->args[0]).prec >= PREC_COND;
    return arena_printf(loose ? "%s ? (%s) : %s" : "%s ? %s : %s", m->mask, x, m->none);
}

/* result[..] = state for the results of a scan that are used. */
static void put_results(Emit *e, const Combine *m, const char *state)
{
    for (int i = 0; i < m->n; i++) {
        const Value *r = m->op->results[i];
        if (!m->out[i])
            continue;
        const Dim *dims[MAX_NEST];
        int n = dims_of(r, dims);
        const char *lane = n && has_lanes(e, dims[n - 1]) ? arena_printf("[%s]", e->lane) : "";
        line(e, "%s%s = %s;", m->out[i], m->streams ? lane : index_suffix(e, r),
             member_of(m, state, i));
    }
}

/* The call by which the threads that share a line meet. */
static const char *meeting(Emit *e, const Combine *m, const char *state)
{
    const Spread *s = spread_of(e, m->d);
    int step = 1 << s->shift, span = s->shift >= 5 ? 1 : 32 >> s->shift;
    const char *back = m->op->reverse ? "true" : "false";
    if (!m->parts)
        return arena_printf("warp_scan<%d, %d, %s>(%s, %s, %s)",
                            s->threads < span ? s->threads : span, step, back, state, m->none,
                            m->f);
    const char *warps = e->body->kind == BODY_BLOCK && m->d->whole
        ? arena_printf("%s / %d", e->threads, step * span)
        : arena_printf("%d", s->threads / span);
    return arena_printf("block_scan<%d, %d, %s, %s>(%s, %s, %s, %s%s)", span, step, warps, back,
                        state, m->none, m->f, m->parts,
                        m->turn ? arena_printf("[%s]", m->turn) : "");
}

/* Lets the threads meet; the name of what they found, a Met. */
static const char *write_meeting(Emit *e, const Combine *m, const char *state)
{
    const char *met = fresh(e, arena_printf("%s_met", m->f));
    if (m->parts && !m->turn)
        barrier(e, "the last round's parts have been read");
    line(e, "const auto %s = %s;", met, meeting(e, m, state));
    if (m->turn)
        line(e, "%s ^= 1;", m->turn);
    return met;
}

/* Takes the present element into what came before; the threads of the line, if several, meet. */
static void step_alone(Emit *e, const Combine *m)
{
    const char *carry = arena_printf("%s%s", m->carry, index_suffix(e, m->line));
    if (!m->meets) {
        line(e, "%s = %s(%s, %s);", carry, m->f, carry, element_state(e, m));
        if (m->op->kind == OP_SCAN)
            put_results(e, m, carry);
        return;
    }
    const char *x = fresh(e, "x"), *met;
    line(e, "const %s %s = %s;", m->type, x, element_state(e, m));
    met = write_meeting(e, m, x);
    if (m->op->kind == OP_SCAN) {
        const char *here = arena_printf("%s(%s(%s, %s.before), %s)", m->f, m->f, carry, met, x);
        const char *name = state_is_struct(m) ? fresh(e, "here") : here;
        if (state_is_struct(m))
            line(e, "const %s %s = %s;", m->type, name, here);
        put_results(e, m, name);
    }
    line(e, "%s = %s(%s, %s.all);", carry, m->f, carry, met);
}

/* A run of W neighbours: alone first, then with what the threads and rounds before it hold. p: the
   phase whose loop over the neighbours it opens. */
static void step_run(Emit *e, const Combine *m, Phase *p)
{
    const char *carry = arena_printf("%s%s", m->carry, index_suffix(e, m->line));
    bool scan = m->op->kind == OP_SCAN;
    const char *run = fresh(e, "run"), *runs = scan ? fresh(e, "runs") : NULL;
    line(e, "%s %s = %s;", m->type, run, m->none);
    if (scan)
        line(e, "%s %s[%s];", m->type, runs, e->w);
    phase_lanes(e, p);
    line(e, "%s = %s(%s, %s);", run, m->f, run, element_state(e, m));
    if (scan)
        line(e, "%s[%s] = %s;", runs, e->lane, run);
    phase_lanes_close(e, p);
    const char *met = write_meeting(e, m, run);
    if (scan) {
        const char *before = fresh(e, "before"), *here = arena_printf("%s[%s]", runs, e->lane);
        line(e, "const %s %s = %s(%s, %s.before);", m->type, before, m->f, carry, met);
        line(e, "#pragma unroll");
        open_block(e, "for (int %s = 0; %s < %s; %s++)", e->lane, e->lane, e->w, e->lane);
        here = arena_printf("%s(%s, %s)", m->f, before, here);
        if (state_is_struct(m)) {
            line(e, "const %s here = %s;", m->type, here);
            here = "here";
        }
        put_results(e, m, here);
        close_block(e, "");
    }
    line(e, "%s = %s(%s, %s.all);", carry, m->f, carry, met);
}

/* Has the tile W elements side by side in a thread? */
static bool tile_has_lanes(Emit *e, const Value *v)
{
    const Dim *dims[MAX_NEST];
    int n = dims_of(v, dims);
    return n && has_lanes(e, dims[n - 1]);
}

/* All that stands at one place of the nest outside the loop over neighbours. */
static void write_step(Emit *e, const Combine *m, Phase *p)
{
    bool lanes = tile_has_lanes(e, m->op->args[0]);
    if (lanes && m->lanes && m->meets) {
        step_run(e, m, p);
        return;
    }
    phase_lanes(e, p);
    step_alone(e, m);
    phase_lanes_close(e, p);
}

/* ---- what stands before the loops ------------------------------------------------------------ */

/* A value with the layout of the operand's lines: all axes but the one that is gone along. */
static Value *line_value(const Op *op)
{
    Value *v = new(Value);
    *v = *op->args[0];
    v->plan = new(ValueMap);
    *map_of(v) = *map_of(op->args[0]);
    map_of(v)->dim[op_axis(op)] = NULL;
    map_of(v)->local = NULL;
    return v;
}

/* Does the state meet through shared memory, beyond a warp? */
static bool crosses_warps(Emit *e, const Dim *d)
{
    const Spread *s = spread_of(e, d);
    return s->threads > 1 && s->threads << s->shift > 32;
}

/* Bytes of the state in C, with the gaps between its members. */
static int64_t state_bytes(const Combine *m)
{
    int64_t bytes = 0, widest = 1;
    for (int i = 0; i < m->n; i++) {
        int64_t each = elem_info[m->op->args[i]->type.elem].bytes;
        bytes = (bytes + each - 1) / each * each + each;
        widest = each > widest ? each : widest;
    }
    bytes += m->flagged;
    return (bytes + widest - 1) / widest * widest;
}

enum { HALVES_BYTES = 24 * 1024 };             /* more than that, and all rounds share one half */

/* Declares the shared memory of a meeting: for two rounds in turn, if that is not too much. */
static void declare_parts(Emit *e, Combine *m)
{
    int step = 1 << spread_of(e, m->d)->shift, groups = step < 32 ? step : 32;
    int64_t bytes = state_bytes(m) * (e->body->threads / 32 * groups);
    bool halves = 2 * bytes <= HALVES_BYTES;
    const char *slots = e->body->kind == BODY_BLOCK
        ? arena_printf(groups == 32 ? "%s" : groups > 1 ? "%s / 32 * %d" : "%s / 32", e->threads,
                       groups)
        : arena_printf("%d", e->body->threads / 32 * groups);
    m->parts = fresh(e, arena_printf("%s_parts", m->f));
    m->turn = halves ? fresh(e, arena_printf("%s_turn", m->f)) : NULL;
    declare_array(e, (SharedArray){ .name = m->parts, .type = m->type,
                                    .dims = arena_printf("%s[%s]", halves ? "[2]" : "", slots),
                                    .bytes = halves ? 2 * bytes : bytes,
                                    .first = e->root->number, .last = e->root->last_number });
    if (!halves) {
        note_barrier(e, "in block_scan: every warp's part is written before anyone reads them");
        return;
    }
    round_barrier(e, "the last round's parts have been read");
    note_barrier(e, arena_printf("in block_scan: every warp's part is written before anyone reads "
                                 "them; the next round's go to the other half of %s", m->parts));
    line(e, "int %s = 0;   // the half of %s that is written", m->turn, m->parts);
}

/* carry = init for each line of the thread. */
static void start_carry(Emit *e, const Combine *m)
{
    const Dim *dims[MAX_NEST];
    int n = dims_of(m->line, dims);
    const Dim *rounds = e->rounds, *backwards = e->backwards;
    Phase p;
    e->rounds = e->backwards = NULL;
    phase_open(e, &p, m->op, dims, n);
    phase_lanes(e, &p);
    line(e, "%s%s = %s;", m->carry, index_suffix(e, m->line), m->none);
    phase_close(e, &p);
    e->rounds = rounds, e->backwards = backwards;
}

/* Is the result's own variable what a fold carries? */
static bool carries_result(const Combine *m)
{
    const Value *r = m->op->results[0];
    return m->op->kind == OP_FOLD && !state_is_struct(m) && map_of(r)->var && !m->streams
        && !map_of(web_root((Value *)r))->declared;
}

/* Declares what a fold or scan needs before its loops: function, first value, shared memory. */
static void prepare(Emit *e, Combine *m)
{
    const Op *op = m->op;
    int i;
    Constant c;
    m->n = op_members(op);
    m->d = map_of(op->args[0])->dim[op_axis(op)];
    m->flagged = op_identity(op, &i, &c) != IDENTITY_YES;
    m->meets = m->d && spread_of(e, m->d)->threads > 1;
    m->lanes = m->d && has_lanes(e, m->d);
    m->line = line_value(op);
    m->type = device_type(op->args[0]->type.elem);
    if (state_is_struct(m)) {
        m->type = fresh(e, op->kind == OP_SCAN ? "scan_state" : "fold_state");
        declare_struct(e, m);
    }
    write_function(e, m);
    write_none(e, m);
    m->carry = carries_result(m) ? map_of(web_root(op->results[0]))->name
                                 : fresh(e, arena_printf("%s_carry", m->f));
    if (m->meets && crosses_warps(e, m->d))
        declare_parts(e, m);
}

/* float carry = 0.0f; or an array with its loop. */
static void declare_carry(Emit *e, const Combine *m)
{
    const char *array = array_suffix(e, m->line);
    if (!*array) {
        line(e, "%s %s = %s;", m->type, m->carry, m->none);
        return;
    }
    line(e, "%s %s%s;", m->type, m->carry, array);
    start_carry(e, m);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The results of a fold: members of what is carried in the end. */
static void finish_fold(Emit *e, const Combine *m)
{
    const Dim *dims[MAX_NEST];
    for (int i = 0; i < m->n; i++) {
        Value *r = m->op->results[i];
        ValueMap *root = map_of(web_root(r));
        if (!map_of(r)->var || m->carry == root->name)
            continue;
        const char *array = array_suffix(e, r);
        const char *from = member_of(m, m->carry, i);
        if (!*array && !root->declared) {
            line(e, "%s%s %s = %s;", alone(e, r) ? "const " : "", device_type(r->type.elem),
                 root->name, from);
            root->declared = true;
            continue;
        }
        Phase p;
        declare(e, r);
        phase_open(e, &p, m->op, dims, dims_of(r, dims));
        phase_lanes(e, &p);
        const char *index = index_suffix(e, r);
        line(e, "%s%s = %s;", root->name, index,
             member_of(m, arena_printf("%s%s", m->carry, index), i));
        phase_close(e, &p);
    }
}

/* Folds or scans op's operands into the variables of its results. */
void write_combine(Emit *e, const Op *op)
{
    Combine m = { .op = op };
    const Dim *dims[MAX_NEST];
    bool used = false;
    m.out = new_array(const char *, op->nresults);
    for (int i = 0; i < op->nresults; i++) {
        used |= map_of(op->results[i])->var;
        if (op->kind == OP_SCAN && map_of(op->results[i])->var)
            m.out[i] = map_of(web_root(op->results[i]))->name;
    }
    if (!used)
        return;
    quote(e, op->stmt);
    for (int i = 0; i < op->nresults; i++)
        if (m.out[i])
            declare(e, op->results[i]);
    prepare(e, &m);
    declare_carry(e, &m);
    if (carries_result(&m))
        map_of(web_root(op->results[0]))->declared = true;
    Phase p;
    e->backwards = op->reverse ? m.d : NULL;
    e->rounds = m.d && spread_of(e, m.d)->loops ? m.d : NULL;
    phase_open(e, &p, op, dims, dims_of(op->args[0], dims));
    phase_lazies(e, &p, op->args, m.n);
    m.mask = mask_of(e, &m);
    write_step(e, &m, &p);
    phase_close(e, &p);
    e->backwards = e->rounds = NULL;
    if (op->kind == OP_FOLD)
        finish_fold(e, &m);
}

/* ---- in a streaming body --------------------------------------------------------------------- */

/* Names what stands before the phase, so that the next one calls its own otherwise. */
static void keep_names(Emit *e, int first)
{
    for (int i = first; i < e->names.used.n; i++)
        keep_name(e, e->names.used.at[i]);
}

/* The lines of prepare(), and of what is carried through the whole phase, before its loops. */
static void prepare_before(Emit *e, Combine *m)
{
    Text *out = e->out;
    int indent = e->indent, first = e->names.used.n;
    e->out = e->pending, e->indent = e->pending_indent;
    prepare(e, m);
    if (!m->d || spread_of(e, m->d)->loops)
        declare_carry(e, m);
    e->out = out, e->indent = indent;
    keep_names(e, first);
}

/* What is carried along a static axis begins anew with each chunk. */
static void carry_in_chunk(Emit *e, Phase *p, const Combine *m)
{
    Text text = { 0 }, *out = e->out;
    int indent = e->indent;
    if (!m->d || spread_of(e, m->d)->loops)
        return;
    text_add(&text, "", 0);
    e->out = &text, e->indent = p->indent + 1;
    declare_carry(e, m);
    e->out = out, e->indent = indent;
    phase_once(p, text.at);
}

/* A scan at the place where a phase of a streaming body stands: its results are local to it, and it
   carries on what came before from chunk to chunk. */
void local_combine(Emit *e, Phase *p, const Op *op)
{
    Combine m = { .op = op, .streams = true };
    bool lanes = tile_has_lanes(e, op->args[0]);
    Phase own = { .lanes = lanes, .width = e->w };
    m.out = new_array(const char *, op->nresults);
    scan_operands(e, p, &own, op);
    prepare_before(e, &m);
    carry_in_chunk(e, p, &m);
    quote(e, op->stmt);
    for (int i = 0; i < op->nresults; i++) {
        Value *r = op->results[i];
        if (!r->uses)
            continue;
        m.out[i] = fresh(e, r->name ? c_name(r->name) : "scanned");
        line(e, "%s %s%s;", device_type(r->type.elem), m.out[i],
             lanes ? arena_printf("[%s]", e->w) : "");
        push(&p->locals, r);
    }
    m.mask = mask_of(e, &m);
    const Dim *backwards = e->backwards;
    e->backwards = op->reverse ? m.d : NULL;
    write_step(e, &m, &own);
    e->backwards = backwards;
    for (int i = 0; i < own.locals.n; i++)
        push(&p->locals, own.locals.at[i]);
    for (int i = 0; i < op->nresults; i++)
        if (m.out[i])
            map_of(op->results[i])->local = m.out[i], map_of(op->results[i])->local_lanes = lanes;
}
