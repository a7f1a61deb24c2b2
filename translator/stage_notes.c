/* stage_notes.c -- what the head says of operands in shared memory: rows, banks, masks */
/* needs: staged operands.  gives: lines for the head.  keeps: the plan. */
#include "contraction.h"
#include "padding.h"

/* Adds the lanes along a Dim, NULL: none, whose elements are `stride` apart. */
static void lie_along(const Emit *e, Lie *at, const Dim *d, int64_t stride)
{
    const Spread *s = d ? spread_of(e, d) : NULL;
    if (!s)
        return;
    at->part[at->n].shift = s->shift, at->part[at->n].threads = s->threads;
    at->part[at->n++].stride = stride * s->vector;
}

/* How the lanes that write the operand touch its array. */
static Lie lie_written(Emit *e, const Staged *s)
{
    Lie at = { .vector = 1, .bytes = elem_info[s->elem].bytes };
    for (int a = 0; a < s->v->type.rank; a++)
        lie_along(e, &at, map_of(s->v)->dim[a], staged_stride(s, a));
    if (staged_in_vectors(e, s))
        at.vector = spread_of(e, map_of(s->v)->dim[s->inner])->vector;
    return at;
}

/* How the lanes that read fragments do: by ldmatrix eight rows of 16 bytes; otherwise lane / 4
   tells elements apart, and lane % 4 those along k. */
static Lie lie_fragments(const Staged *s)
{
    const int bytes = elem_info[s->elem].bytes;
    if (read_as_matrices(s))
        return (Lie){ .vector = 16 / bytes, .bytes = bytes, .n = 1,
                      .part = { { 0, 8, s->pitch } } };
    const int64_t k = staged_stride(s, s->k);
    return (Lie){ .vector = 1, .bytes = bytes, .n = 2,
                  .part = { { 2, 8, k == 1 ? s->pitch : 1 }, { 0, 4, k } } };
}

/* How the lanes that read it for one k do. */
static Lie lie_read(const Emit *e, const Staged *s, const StagedFor *reader)
{
    const Type *t = &s->v->type;
    const Value *r = reader->mma->results[0];
    const int k = k_axis(s->v, reader->side), more = r->type.rank - t->rank;
    Lie at = { .vector = 1, .bytes = elem_info[s->elem].bytes };
    for (int a = 0; a < t->rank; a++)
        if (a != k && !sym_is(t->dim[a], 1))
            lie_along(e, &at, map_of(r)->dim[a + more], staged_stride(s, a));
    const Dim *inner = s->inner == k || sym_is(t->dim[s->inner], 1)
                           ? NULL : map_of(r)->dim[s->inner + more];
    if (inner && has_lanes(e, inner)
        && type_extent(t, s->inner) % spread_of(e, inner)->vector == 0)
        at.vector = spread_of(e, inner)->vector;
    return at;
}

/* Which rows the array has, how far apart they are and why, and who meets in a bank. */
static void note_rows(Emit *e, const Staged *s)
{
    const Type *t = &s->v->type;
    const int bytes = elem_info[s->elem].bytes;
    const int64_t inner = type_extent(t, s->inner), rows = s->size / s->pitch;
    const StagedFor *reader = e->readers.at;
    while (&e->staged.at[reader->stage] != s)
        reader++;
    const Lie written = lie_written(e, s);
    const Lie read = e->plan->tensor ? lie_fragments(s) : lie_read(e, s, reader);
    const char *turned = arena_printf("%s%s", s->elem == t->elem ? "" : ", widened to f16",
                                      s->inner == t->rank - 1 ? "" : ", transposed on the way");
    const char *why = s->pitch == inner ? ""
        : s->wide ? arena_printf(", %lld apart, an odd number of banks", (long long)s->pitch)
        : e->plan->tensor && !read_as_matrices(s)
                  ? arena_printf(", %lld apart, so that the 4 or 8 that are read at once begin in "
                                 "different banks", (long long)s->pitch)
                  : arena_printf(", %lld apart: %lld bytes, an odd number of 16, so that 8 rows "
                                 "begin in different banks", (long long)s->pitch,
                                 (long long)s->pitch * bytes);
    note_shared(e, arena_printf("%s: %lld row%s of %lld%s%s; %s", s->name, (long long)rows,
                                rows == 1 ? "" : "s", (long long)inner, turned, why,
                                banks_text(&written, &read)));
}

/* Which masks the operand has, or why it needs none. */
static void note_masks(Emit *e, const Staged *s)
{
    const Valid *own = &s->v->valid[s->k];
    const Pad pad = pad_along(s->v, 1u << s->k, fill_of, NULL);
    if (s->other)
        note_padding(e, arena_printf("%s: 0 where the other operand has no data along k, which may "
                                     "be infinite here: 0 * inf is NaN", s->name));
    if (s->own)
        note_padding(e, arena_printf("%s: 0 where it has no data along k, since anything may lie "
                                     "there", s->name));
    else if (pad.kind == PAD_CONST && !is_whole(own, s->v->type.dim[s->k]))
        note_padding(e, arena_printf("%s: no mask of its own, since outside the valid part lies %s"
                                     ", and no infinity meets it", s->name,
                                     pad_text_of(pad, s->v->type.elem)));
}

/* How the rooms of boxes lie. */
static void note_boxes(Emit *e, const Staged *s)
{
    const char *boxes = s->box->across == s->pitch ? ""
        : arena_printf("%lld boxes of ", (long long)(s->box->across / s->pitch));
    note_shared(e, arena_printf("%s: %d rooms of %s%lld rows of %lld, which are 128 bytes, as TMA "
                                "swizzles them: of row r the 16 bytes c lie at c ^ r %% 8, so that "
                                "8 rows one above the other lie in different banks", s->name,
                                s->rounds, boxes, (long long)s->box->rows, (long long)s->pitch));
}

/* Says in the head how an operand lies in shared memory, and why. */
void note_staged(Emit *e, const Staged *s)
{
    (s->box ? note_boxes : note_rows)(e, s);
    note_masks(e, s);
}
