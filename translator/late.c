/* late.c -- a gathered operand of a contraction is made where that wants it */
/* needs: valid parts.  gives: ops in another order.  keeps: what the program means.
 *
 * An operand is on its way to shared memory. Held in registers through what stands between its line
 * and the contraction, such as the other contraction of an attention, it would only take their
 * room. A load needs none of this: place.c prints it where it is staged. */
#include "mapping.h"

/* Is v gathered from a tensor that nobody writes, and then only handed on? All in one block, for
   one use. */
static bool comes_late(const Kernel *k, const Value *v, const Block *block)
{
    const Op *op = v->def;
    if (!op || op->block != block || v->uses != 1)
        return false;
    switch ((int)op->kind) {
    case OP_GATHER:
        return is_shared(k, op->args[0]);
    case OP_RESHAPE: case OP_PERMUTE: case OP_FLIP: case OP_EXPAND: case OP_SQUEEZE: case OP_KEEP:
    case OP_FILL: case OP_CAST:
        return comes_late(k, op->args[0], block);
    }
    return false;
}

/* Moves what makes v to before `at`; of an op's operands only the first is a tile on its way. */
static void delay(Value *v, Op *at)
{
    Op *op = v->def;
    ir_remove(op);
    ir_insert_before(at, op);
    if (op->kind != OP_GATHER)
        delay(op->args[0], op);
}

/* Both operands of one contraction. */
static void delay_operands(Op *op, void *arg)
{
    for (int i = 0; i < 2 && op->kind == OP_MMA; i++)
        if (comes_late(arg, op->args[i], op->block))
            delay(op->args[i], op);
}

/* Moves gathered operands of contractions to these. */
void delay_gathers(Kernel *k)
{
    ir_count_uses(k);
    ir_walk(k->body, delay_operands, k);
}
