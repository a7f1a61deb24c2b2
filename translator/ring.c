/* ring.c -- the body for sm_90a: a warp that asks TMA for boxes, and warps that multiply them */
/* needs: boxes, staged operands.  gives: CUDA C.  keeps: the plan.
 *
 * Every operand has room for several rounds, a ring of rooms. Two barriers in memory, full and
 * empty, stand for each room; the phases of both take turns:
 *
 *     the last warp       wait until room r is empty | ask for the boxes of round k | next room
 *     TMA                 copies them; full[r] counts their bytes
 *     the other warps     wait until room r is full | begin its products | wait for those of the
 *                         round before, whose room is empty now | next room
 *
 * So tensor cores have the next products already when they end one round's. */
#include "contraction.h"
#include "padding.h"
#include <string.h>

enum { SHARED_RING = 100 * 1024,                   /* where two blocks share a multiprocessor */
       BARRIER_BYTES = 2 * 1024,                   /* more than full and empty take */
       MOST_ROOMS = 8 };

/* ---- how many rooms -------------------------------------------------------------------------- */

/* Bytes of all boxes of one round. */
static int64_t round_bytes(const Plan *p)
{
    int64_t bytes = 0;
    for (int i = 0; i < p->boxes.n; i++)
        bytes += p->boxes.at[i].rows * p->boxes.at[i].across
                 * elem_info[p->boxes.at[i].load->results[0]->type.elem].bytes;
    return bytes;
}

typedef struct { const Body *body; int64_t bytes; } Beside;

/* Adds what a move takes of shared memory. */
static void add_beside(Op *op, void *arg)
{
    Beside *b = arg;
    if (is_move(op))
        b->bytes += (staged_in(b->body, op, 0) + 127) / 128 * 128;
}

/* Bytes of the arrays that each of the groups that take turns has beside the ring. */
static int64_t bytes_beside(const Plan *p, const Body *b)
{
    Beside beside = { b, 0 };
    ir_walk(p->kernel->body, add_beside, &beside);
    return beside.bytes;
}

/* As many rooms as fit, so that the memory's latency hides, and the arrays of what stands around
   the loop beside them if groups take turns; #[stages(n)] may ask for fewer, or for more where
   blocks would share a multiprocessor. */
int ring_rooms(const Plan *p, const Body *b)
{
    const Attr *wish = attr_of(p->ring->attrs, "stages");
    const int64_t most = MOST_SHARED - BARRIER_BYTES - 2 * b->turns * bytes_beside(p, b);
    const int64_t fit = most / round_bytes(p);
    int64_t rooms = shares_multiprocessor(p, b) ? SHARED_RING / round_bytes(p) : fit;
    rooms = rooms > MOST_ROOMS ? MOST_ROOMS : rooms < 2 ? 2 : rooms;
    if (wish && wish->value >= 2 && wish->value <= fit && wish->value <= MOST_ROOMS)
        rooms = wish->value;
    return (int)(rooms > fit ? fit : rooms);
}

/* ---- the start ------------------------------------------------------------------------------- */

/* a and b, for the reader. */
static const char *operands_text(const Emit *e)
{
    const char *text = e->staged.at[0].base;
    for (int i = 1; i < e->staged.n; i++)
        text = arena_printf(i == e->staged.n - 1 ? "%s and %s" : "%s, %s", text,
                            e->staged.at[i].base);
    return text;
}

/* Names and declares the rooms and their barriers. */
static void declare_rooms(Emit *e)
{
    e->ring.rooms = ring_rooms(e->plan, e->body);
    for (int i = 0; i < e->staged.n; i++) {
        Staged *s = &e->staged.at[i];
        s->loop = e->plan->ring;
        s->rounds = e->ring.rooms;
        name_staged(e, s);
        declare_staged(e, s, e->plan->ring);
    }
    e->ring.full = fresh(e, "full"), e->ring.empty = fresh(e, "empty");
    e->ring.room = fresh(e, "room"), e->ring.phase = fresh(e, "phase");
    text_printf(e->shared, "    __shared__ uint64_t %s[%d], %s[%d];\n", e->ring.full,
                e->ring.rooms, e->ring.empty, e->ring.rooms);
    note_shared(e, arena_printf("%s, %s: barriers of each room, which count bytes that have come, "
                                "and warps that are done", e->ring.full, e->ring.empty));
}

/* The barriers of all rooms, made by one thread. */
static void make_barriers(Emit *e)
{
    const int scope = e->names.used.n;
    const char *r = fresh(e, "slot"), *why = "the barriers in memory are made before they are used";
    line(e, "// %s of a round come as boxes into a room of their rings", operands_text(e));
    open_block(e, "if (threadIdx.x == 0)");
    open_block(e, "for (int %s = 0; %s < %d; %s++)", r, r, e->ring.rooms, r);
    remark(e, arena_printf("mbarrier_init(&%s[%s], 1);", e->ring.full, r),
           "for the thread that asks");
    remark(e, arena_printf("mbarrier_init(&%s[%s], %d);", e->ring.empty, r, e->body->threads / 32),
           "for the warps that multiply");
    close_block(e, "");
    line(e, "mbarrier_init_fence();");
    close_block(e, "");
    note_barrier(e, why);
    remark(e, "__syncthreads();", why);
    e->names.used.n = scope;
}

/* At the start of a body: the rooms, and groups that take turns, the first of which begins. */
void begin_ring(Emit *e)
{
    if (e->body->turns) {
        e->ring.group = fresh(e, "group");
        e->ring.turn = fresh(e, "turn"), e->ring.done = fresh(e, "done");
    }
    declare_rooms(e);
    make_barriers(e);
    if (!e->body->turns)
        return;
    line(e, "if (%s == 1)", e->ring.group);
    e->indent++;
    remark(e, arena_printf("named_barrier_arrive(3, %d);", 2 * e->body->threads),
           "group 0 has the first turn");
    e->indent--;
    remark(e, arena_printf("int64_t %s = 0;", e->ring.done), "rounds of all programs so far");
}

/* ---- the warp that asks ---------------------------------------------------------------------- */

/* Where a box begins, innermost axis first; col: along the rows of boxes beside each other. */
static const char *corner_text(Emit *e, const Box *b, const char *col)
{
    const Access *a = b->load->access;
    const int rank = b->load->args[0]->type.rank;
    const char *text = "";
    for (int axis = rank - 1; axis >= 0; axis--) {
        const char *at = sym_c(e, a->start[axis]);
        if (col && axis == rank - 1)
            at = sym_is(a->start[axis], 0) ? col : arena_printf("%s + %s", at, col);
        at = sym_is(a->start[axis], 0) ? at : arena_printf("box_at(%s)", at);
        text = *text ? arena_printf("%s, %s", text, at) : at;
    }
    return text;
}

/* Asks for all boxes of an operand. */
static void ask(Emit *e, const Staged *s)
{
    const Box *b = s->box;
    const int scope = e->names.used.n;
    const char *to = fresh(e, arena_printf("%s_to", s->base));
    const int width = box_width(s->elem);
    const char *col = b->across > width ? fresh(e, "col") : NULL;
    line(e, "%s *const %s = %s + %lld * %s;", device_type(s->elem), to, s->array,
         (long long)s->size, e->ring.room);
    if (col)
        line(e, "for (int %s = 0; %s < %lld; %s += %d)", col, col, (long long)b->across, col,
             width);
    const char *from = col ? arena_printf("%s + %lld * %s", to, (long long)b->rows, col) : to;
    const char *call = arena_printf("tma_load_%dd(%s, &%s, &%s[%s],", b->load->args[0]->type.rank,
                                    from, map_name(e->plan, b), e->ring.full, e->ring.room);
    const char *corner = corner_text(e, b, col);
    e->indent += col != NULL;
    if (4 * e->indent + strlen(call) + strlen(corner) + 3 <= 100) {
        line(e, "%s %s);", call, corner);
    } else {
        line(e, "%s", call);
        line(e, "            %s);", corner);
    }
    e->indent -= col != NULL;
    e->names.used.n = scope;
}

/* room and phase go on to the next room. */
static void next_room(Emit *e)
{
    line(e, "if (++%s == %d)", e->ring.room, e->ring.rooms);
    line(e, "    %s = 0, %s ^= 1;", e->ring.room, e->ring.phase);
}

/* The loop of the thread that asks. */
static void ask_rounds(Emit *e)
{
    const Op *loop = e->plan->ring;
    const char *k = map_of(web_root(loop->region[0]->args[0]))->name;
    open_block(e, "for (int64_t %s = %s; %s < %s; %s++)", k, element_text(e, loop->args[0]), k,
               element_text(e, loop->args[1]), k);
    line(e, "mbarrier_wait(&%s[%s], %s ^ 1);", e->ring.empty, e->ring.room, e->ring.phase);
    line(e, "mbarrier_expect(&%s[%s], %lld);", e->ring.full, e->ring.room,
         (long long)round_bytes(e->plan));
    for (int i = 0; i < e->staged.n; i++)
        ask(e, &e->staged.at[i]);
    next_room(e);
    close_block(e, "");
}

/* How many rounds the loop makes. */
static const char *rounds_text(Emit *e)
{
    const Op *loop = e->plan->ring, *end = loop->args[1]->def;
    const char *from = element_text(e, loop->args[0]), *to = element_text(e, loop->args[1]);
    if (strcmp(from, "0"))
        return arena_printf("tile_max(0, %s - (%s))", to, from);
    const bool sure = end && end->kind == OP_SYM && provably_at_least(e->k, end->sym, 0);
    return sure ? to : arena_printf("tile_max(0, %s)", to);
}

/* Where the ring stands: at its start, or where the programs before have left it. */
static void stand(Emit *e)
{
    if (!e->body->turns) {
        line(e, "int %s = 0;", e->ring.room);
        line(e, "unsigned %s = 0;", e->ring.phase);
        return;
    }
    line(e, "int %s = (int)(%s %% %d);", e->ring.room, e->ring.done, e->ring.rooms);
    line(e, "unsigned %s = (unsigned)(%s / %d %% 2);", e->ring.phase, e->ring.done,
         e->ring.rooms);
    line(e, "%s += %s;", e->ring.done, rounds_text(e));
}

/* The lines one level further in. */
static void add_deeper(Text *to, const Text *from)
{
    for (const char *at = from->at, *end; *at; at = end) {
        end = strchr(at, '\n') + 1;
        text_printf(to, "%s%.*s", *at == '\n' ? "" : "    ", (int)(end - at), at);
    }
}

/* What the thread that asks does, in an if of its own. */
static void write_asking(Emit *e, const char *condition)
{
    line(e, "// one thread asks, as soon as a room is empty");
    open_block(e, "if (%s)", condition);
    ask_rounds(e);
    close_block(e, "");
}

/* Where all is known that is needed to ask: those who ask go their way. Groups that take turns have
   left them before, with the same lines so far; a group whose turn it is not goes on. */
void write_ring(Emit *e)
{
    const int threads = e->body->threads;
    if (e->body->turns) {
        Text *out = e->out;
        text_add(&e->ring.asking, "", 0);
        add_deeper(&e->ring.asking, out);
        e->out = &e->ring.asking;
        e->indent++;
        stand(e);
        write_asking(e, arena_printf("%s == 0", e->thread));
        e->indent--;
        e->out = out;
        stand(e);
        line(e, "if (%s != %s)", e->ring.turn, e->ring.group);
        line(e, "    continue;");
        return;
    }
    stand(e);
    open_block(e, "if (threadIdx.x >= %d)", threads);
    if (e->body->askers > 32)
        line(e, "fewer_registers<40>();");
    write_asking(e, arena_printf("threadIdx.x == %d", threads));
    line(e, "return;");
    close_block(e, "");
    if (e->body->askers > 32)
        line(e, "more_registers<232>();");
}

/* ---- the warps that multiply ----------------------------------------------------------------- */

/* Are the sums of each round complete at its end? */
static bool ends_rounds(const Emit *e)
{
    bool all = false;
    for (const Op *op = e->plan->ring->region[0]->first; op; op = op->next)
        all |= op->kind == OP_MMA && is_promoted(e->plan, op);
    return all;
}

/* The room before the present one is empty. */
static void release(Emit *e, const char *guard)
{
    line(e, "if (%s%s %% 32 == 0)", guard, e->thread);
    line(e, "    mbarrier_arrive(&%s[(%s ? %s : %d) - 1]);", e->ring.empty, e->ring.room,
         e->ring.room, e->ring.rooms);
}

/* Before the loop. The compiler would take what reads the sums behind it for a part of its last
   round, and begin with that before they are there, if both were not in an if of their own. */
void enter_ring(Emit *e, const char *from, const char *to)
{
    if (e->body->turns) {
        const char *why = "the other group has begun all its products";
        note_barrier(e, why);
        remark(e, arena_printf("named_barrier_sync(3 + %s, %d);", e->ring.group,
                               2 * e->body->threads), why);
    }
    open_block(e, "if (%s < %s)", from, to);
    line(e, ends_rounds(e)
            ? "// the products of a round have few digits: their sums are added up here"
            : "// the products of one round are done while those of the next begin");
}

/* At the start of a round: its boxes are there. */
void await_boxes(Emit *e)
{
    line(e, "mbarrier_wait(&%s[%s], %s);", e->ring.full, e->ring.room, e->ring.phase);
    for (int i = 0; i < e->staged.n; i++) {
        Staged *s = &e->staged.at[i];
        s->name = fresh(e, arena_printf("%s_now", s->base));
        line(e, "const %s *const %s = %s + %lld * %s;", device_type(s->elem), s->name,
             s->array, (long long)s->size, e->ring.room);
    }
    line(e, "wgmma_fence();");
}

/* At its end: the room of the round before is empty; its own, if its products are done. */
void release_boxes(Emit *e, const char *k, const char *from)
{
    if (ends_rounds(e)) {
        line(e, "if (%s %% 32 == 0)", e->thread);
        line(e, "    mbarrier_arrive(&%s[%s]);", e->ring.empty, e->ring.room);
        next_room(e);
        return;
    }
    line(e, "wgmma_commit();");
    line(e, "wgmma_wait<1>();");
    release(e, arena_printf("%s > %s && ", k, from));
    next_room(e);
}

/* Behind the loop: all products are in the registers of those who hold them. */
void leave_ring(Emit *e)
{
    const char *pass = arena_printf("named_barrier_arrive(4 - %s, %d);", e->ring.group,
                                    2 * e->body->threads);
    if (e->body->turns)
        remark(e, pass, "the other group's turn");
    if (ends_rounds(e)) {
        close_block(e, "");
        return;
    }
    line(e, "wgmma_wait<0>();");
    for (const Op *op = e->plan->ring->region[0]->first; op; op = op->next)
        if (op->kind == OP_MMA)
            line(e, "wgmma_sums(%s);", map_of(web_root(op->results[0]))->name);
    if (e->body->turns) {
        release(e, "");
        close_block(e, " else {");
        e->indent++;
        line(e, "%s", pass);
    }
    close_block(e, "");
}
