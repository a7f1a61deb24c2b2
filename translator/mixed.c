/* mixed.c -- errors about padding: what is mixed, both loads that made it so, the way out */
#include <math.h>
#include <string.h>
#include "padding.h"

/* ---- pieces of messages ---------------------------------------------------------------------- */

/* A piece of the program in one line, cut if it is long. */
static const char *source_piece(Pos p)
{
    enum { MOST = 60 };
    Text t = {0};
    bool blank = false;
    for (uint32_t i = 0; p.source && i < p.len; i++) {
        const char c = p.source->text[p.at + i];
        const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (t.n >= MOST && !((unsigned char)c >> 6 == 2)) {
            text_printf(&t, " ..");
            break;
        }
        if (!space || !blank)
            text_add(&t, space ? " " : &c, 1);
        blank = space;
    }
    return t.at ? t.at : "..";
}

/* What an op that makes a valid part is called. */
static const char *maker(const Op *op)
{
    return op->kind == OP_LOAD ? "this load" : op->kind == OP_GATHER ? "this gather"
         : op->kind == OP_ATOMIC ? "this update" : op->kind == OP_COORD ? "these coordinates"
         : op->kind == OP_EXTRACT ? "this `extract`" : "this `keep`";
}

static const char *const reductions[] = {
    [REDUCE_SUM] = "sum", [REDUCE_PROD] = "prod", [REDUCE_MAX] = "max", [REDUCE_MIN] = "min",
    [REDUCE_MEAN] = "mean", [REDUCE_ARGMAX] = "argmax", [REDUCE_ARGMIN] = "argmin",
    [REDUCE_ANY] = "any", [REDUCE_ALL] = "all",
};

/* What changes no result of a reduction, as it is written for a load of this type. */
static const char *neutral(ReduceKind kind, Elem e)
{
    Constant c = {0};
    switch (kind) {
    case REDUCE_SUM: case REDUCE_MEAN: break;
    case REDUCE_PROD:
        if (elem_is_float(e))
            c.f = 1;
        else
            c.i = 1;
        break;
    case REDUCE_MAX: case REDUCE_ARGMAX: case REDUCE_MIN: case REDUCE_ARGMIN:
        c.f = kind == REDUCE_MAX || kind == REDUCE_ARGMAX ? -INFINITY : INFINITY;
        if (!elem_is_float(e))
            c = cast_reference(EL_F64, e, c);
        break;
    case REDUCE_ANY: return "false";
    case REDUCE_ALL: return "true";
    }
    return elem_constant_text(e, c);
}

/* ---- why ------------------------------------------------------------------------------------- */

/* Says which valid parts met, and where. */
static void explain(const Cause *c)
{
    switch (c->kind) {
    case CAUSE_NONE: case CAUSE_FROM:
        break;
    case CAUSE_TWO:
        note(c->a->pos, "%s has its data in %s", maker(c->a), valid_text(&c->va));
        note(c->b->pos, "and %s in %s", maker(c->b), valid_text(&c->vb));
        break;
    case CAUSE_LOOP:
        note(c->a->pos, "%s has its data in %s, another part in each round", maker(c->a),
             valid_text(&c->va));
        note(c->where->pos, "of this loop, which carries the tile on");
        break;
    case CAUSE_ARM:
        note(c->a->pos, "%s has its data in %s", maker(c->a), valid_text(&c->va));
        note(c->where->pos, "which is computed in an arm of this `if` and not known after it");
        break;
    case CAUSE_SQUEEZE:
        note(c->a->pos, "%s has its data in %s of an axis", maker(c->a), valid_text(&c->va));
        note(c->where->pos, "that is dropped here: if it is padding, so is everything else");
        break;
    case CAUSE_GAP:
        if (c->a)
            note(c->a->pos, "%s has its data in %s", maker(c->a), valid_text(&c->va));
        if (c->b)
            note(c->b->pos, "%s has its data in %s", maker(c->b), valid_text(&c->vb));
        note(c->where->pos, "what lies between the two here would be padding among data");
        break;
    case CAUSE_LARGE:
        note(c->a->pos, "the bounds of %s are too large a formula", maker(c->a));
        break;
    }
}

/* Shows the loads with fill around them. */
static void suggest(const Cause *c, const char *value, int axis)
{
    if (c->a && op_reads(c->a) && value) {
        const bool both = c->kind == CAUSE_TWO && op_reads(c->b)
            && c->b->pos.at != c->a->pos.at;
        const char *other = both ? source_piece(c->b->pos) : "";
        help("if what is absent counts as %s: `fill(%s, %s)`%s", value, source_piece(c->a->pos),
             value, both ? arena_printf(" and `fill(%s, %s)`", other, value) : "");
    }
    help("or say what is data: `keep(.., lo, hi, axis = %d)`", axis);
}

/* What an op that consumes an axis is called. */
static const char *consumer(const Op *op)
{
    if (op->kind == OP_REDUCE)
        return reductions[op->reduce];
    return op->kind == OP_HISTOGRAM ? "histogram" : op->nresults == 2 ? "topk" : "sort";
}

/* What an absent element may count as for it, as it is written for a load; NULL: nothing. */
static const char *absent_as(const Op *op, const Op *load)
{
    const Elem e = load->results[0]->type.elem;
    if (op->kind == OP_REDUCE)
        return neutral(op->reduce, e);
    if (op->kind == OP_SORT)
        return neutral(op->nresults == 2 ? REDUCE_MAX : REDUCE_MIN, e);
    return elem_info[e].class == CLASS_SIGNED ? "-1" : NULL;
}

/* ---- reports --------------------------------------------------------------------------------- */

/* The name of the function that a fold or scan was written as. */
static const char *called(const Op *op)
{
    const char *call = source_piece(op->pos);
    return arena_printf("%.*s", (int)strcspn(call, "( "), call);
}

/* Reports that op consumes `axis`, which is mixed for this reason. */
void report_mixed(const Op *op, int axis, const Cause *cause)
{
    const char *value = NULL;
    if (op->kind == OP_REDUCE || op->kind == OP_SORT || op->kind == OP_HISTOGRAM) {
        error(op->pos, "E0601", "`%s` along axis %d, where data and padding are mixed",
              consumer(op), axis);
        if (cause->a && op_reads(cause->a))
            value = absent_as(op, cause->a);
    } else if (op->kind == OP_MMA) {
        error(op->pos, "E0601", "`mma` along axis %d, where data and padding are mixed", axis);
        if (cause->a && cause->a->kind == OP_LOAD)
            value = neutral(REDUCE_SUM, cause->a->results[0]->type.elem);
    } else if (op_combines(op)) {
        const Op *init = op->args[op_members(op)]->def;
        error(op->pos, "E0601", "`%s` along axis %d, where data and padding are mixed", called(op),
              axis);
        if (init && init->kind == OP_CONST && op_members(op) == 1)
            value = elem_constant_text(init->results[0]->type.elem, init->constant);
    } else if (op->kind == OP_FILL) {
        error(op->pos, "E0602", "`fill` of a tile whose data and padding are mixed along axis %d",
              axis);
        value = source_piece(op->args[1]->pos);
    } else if (op_writes(op)) {
        error(op->pos, "E0605", "`%s` of a tile whose data and padding are mixed along axis %d",
              op->kind == OP_ATOMIC ? atomic_names[op->atomic] : "scatter", axis);
    } else {
        error(op->pos, "E0603", "`valid` of a tile whose data and padding are mixed along axis %d",
              axis);
    }
    explain(cause);
    if (op->kind == OP_REDUCE && op->reduce == REDUCE_MEAN)
        help("a sum and a count of your own, `sum(fill(..)) / n`, says what is counted");
    suggest(cause, value, axis);
}

/* Reports that op merges or splits `axis`, and its interval does not come out as one. */
void report_reshape(const Op *op, int axis, const Cause *cause)
{
    error(op->pos, "E0604", "`reshape` of axis %d, whose padding would lie scattered", axis);
    if (cause->kind == CAUSE_FROM)
        note(cause->a->pos, "%s has its data in %s", maker(cause->a), valid_text(&cause->va));
    if (cause->kind == CAUSE_FROM && op_reads(cause->a))
        help("make it data first: `fill(%s, v)`", source_piece(cause->a->pos));
    else
        help("make it data first: `fill(t, v)`");
}
