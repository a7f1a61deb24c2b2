/* ring.c -- the body for sm_90a: a warp that asks TMA for boxes, and warps that multiply them */
/* needs: boxes, staged operands.  gives: CUDA C.  keeps: the plan.
 *
 * Every operand has room for several rounds, a ring of rooms. Two barriers in memory, full and empty,
 * stand for each room; the phases of both take turns:
 *
 *     the last warp       wait until room r is empty | ask for the boxes of round k | next room
 *     TMA                 copies them; full[r] counts their bytes
 *     the other warps     wait until room r is full | begin its products | wait for those of the
 *                         round before, whose room is empty now | next room
 *
 * So tensor cores have the next products already when they end one round's. */
#include "mapping.h"
#include <string.h>

enum { RING_BYTES = 200 * 1024, SHARED_RING = 100 * 1024,      /* where two blocks share */
       MOST_ROOMS = 8 };

/* ---- how many rooms -------------------------------------------------------------------------- */

/* Bytes of all boxes of one round. */
static int64_t round_bytes(const Emit *e)
{
    int64_t bytes = 0;
    for (int i = 0; i < e->staged.n; i++)
        bytes += e->staged.at[i].size * elem_info[e->staged.at[i].elem].bytes;
    return bytes;
}

/* As many rooms as fit, so that the memory's latency hides; #[stages(n)] may ask for fewer, or for
   more where blocks would share a multiprocessor. */
static int choose_rooms(const Emit *e, int64_t bytes)
{
    const Attr *wish = attr_of(e->plan->ring->attrs, "stages");
    const int64_t room = shares_multiprocessor(e->plan, e->body) ? SHARED_RING : RING_BYTES;
    int64_t rooms = room / bytes;
    rooms = rooms > MOST_ROOMS ? MOST_ROOMS : rooms < 2 ? 2 : rooms;
    if (wish && wish->value >= 2 && wish->value * bytes <= RING_BYTES && wish->value <= MOST_ROOMS)
        rooms = wish->value;
    return (int)rooms;
}

/* ---- the warp that asks ---------------------------------------------------------------------- */

/* a and b, for the reader. */
static const char *operands_text(const Emit *e)
{
    const char *text = e->staged.at[0].base;
    for (int i = 1; i < e->staged.n; i++)
        text = arena_printf(i == e->staged.n - 1 ? "%s and %s" : "%s, %s", text,
                            e->staged.at[i].base);
    return text;
}

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
    const char *col = b->across > 64 ? fresh(e, "col") : NULL;
    line(e, "%s *const %s = %s + %lld * %s;", device_type(s->elem), to, s->array,
         (long long)s->size, e->ring.room);
    if (col)
        line(e, "for (int %s = 0; %s < %lld; %s += 64)", col, col, (long long)b->across, col);
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
         (long long)round_bytes(e));
    for (int i = 0; i < e->staged.n; i++)
        ask(e, &e->staged.at[i]);
    next_room(e);
    close_block(e, "");
}

/* Names and declares the rooms and their barriers. */
static void declare_rooms(Emit *e)
{
    e->ring.rooms = choose_rooms(e, round_bytes(e));
    for (int i = 0; i < e->staged.n; i++) {
        Staged *s = &e->staged.at[i];
        s->loop = e->plan->ring;
        s->rounds = e->ring.rooms;
        name_staged(e, s);
        declare_staged(e, s, e->plan->ring);
    }
    e->ring.full = fresh(e, "full");
    e->ring.empty = fresh(e, "empty");
    text_printf(e->shared, "    __shared__ uint64_t %s[%d], %s[%d];\n", e->ring.full,
                e->ring.rooms, e->ring.empty, e->ring.rooms);
    note_shared(e, arena_printf("%s, %s: barriers of each room, which count bytes that have come, "
                                "and warps that are done", e->ring.full, e->ring.empty));
}

/* Makes the barriers, and lets the last warp go its way. The others come out behind. */
void write_ring(Emit *e)
{
    const int threads = e->body->threads;
    declare_rooms(e);
    const int scope = e->names.used.n;
    const char *r = fresh(e, "slot"), *why = "the barriers in memory are made before they are used";
    line(e, "// %s of a round come as boxes into room r of their rings", operands_text(e));
    open_block(e, "if (%s == 0)", e->thread);
    open_block(e, "for (int %s = 0; %s < %d; %s++)", r, r, e->ring.rooms, r);
    line(e, "mbarrier_init(&%s[%s], 1);    // for the thread that asks", e->ring.full, r);
    line(e, "mbarrier_init(&%s[%s], %d);   // for the warps that multiply", e->ring.empty, r,
         threads / 32);
    close_block(e, "");
    line(e, "mbarrier_init_fence();");
    close_block(e, "");
    note_barrier(e, why);
    line(e, "__syncthreads();%*s// %s", 24, "", why);
    e->names.used.n = scope;
    e->ring.room = fresh(e, "room"), e->ring.phase = fresh(e, "phase");
    line(e, "int %s = 0;", e->ring.room);
    line(e, "unsigned %s = 0;", e->ring.phase);
    open_block(e, "if (%s >= %d)", e->thread, threads);
    line(e, "// the last warp: one thread asks, as soon as a room is empty");
    line(e, "if (%s > %d)", e->thread, threads);
    line(e, "    return;");
    ask_rounds(e);
    line(e, "return;");
    close_block(e, "");
}

/* ---- the warps that multiply ----------------------------------------------------------------- */

/* Before the loop. The compiler would take what reads the sums behind it for a part of its last
   round, and begin with that before they are there, if both were not in an if of their own. */
void enter_ring(Emit *e, const char *from, const char *to)
{
    open_block(e, "if (%s < %s)", from, to);
    line(e, "// the products of one round are done while those of the next begin");
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

/* At its end: the room of the round before is empty. */
void release_boxes(Emit *e, const char *k, const char *from)
{
    line(e, "wgmma_commit();");
    line(e, "wgmma_wait<1>();");
    line(e, "if (%s > %s && %s %% 32 == 0)", k, from, e->thread);
    line(e, "    mbarrier_arrive(&%s[(%s ? %s : %d) - 1]);", e->ring.empty, e->ring.room,
         e->ring.room, e->ring.rooms);
    next_room(e);
}

/* Behind the loop: all products are in the registers of those who hold them. */
void leave_ring(Emit *e)
{
    line(e, "wgmma_wait<0>();");
    for (const Op *op = e->plan->ring->region[0]->first; op; op = op->next)
        if (op->kind == OP_MMA)
            line(e, "wgmma_sums(%s);", map_of(web_root(op->results[0]))->name);
    close_block(e, "");
}
