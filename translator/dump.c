/* dump.c -- tile operations as text: for -d, tests and docs */
#include <math.h>
#include <stdlib.h>
#include "ir.h"
#include <string.h>

/* ---- formulas -------------------------------------------------------------------------------- */

/* A value in a formula is called as in the dump: a program index by its name, others %12. */
static Sym called(Sym atom, void *arg)
{
    (void)arg;
    if (atom->kind != SYM_VALUE)
        return atom;
    const Value *v = atom->value;
    const bool index = !v->def && !v->block && v->name;
    return sym_name(index ? v->name : name_of(arena_printf("%%%d", v->id)));
}

/* A formula as text; ? if there is none. */
static const char *formula(Sym s)
{
    return s ? sym_text(sym_replace(s, called, NULL)) : "?";
}

/* ---- types and constants --------------------------------------------------------------------- */

/* f32 for a scalar, tile<f32, [8, N]>, tensor<f32, [M, N]>. */
const char *type_text(const Type *t)
{
    Text out = {0};
    const char *elem = elem_info[t->elem].name;
    if (t->kind == TYPE_TILE && t->rank == 0)
        return elem;
    text_printf(&out, "%s<%s, [", t->kind == TYPE_TILE ? "tile" : "tensor", elem);
    for (int a = 0; a < t->rank; a++)
        text_printf(&out, "%s%s", a ? ", " : "", sym_text(t->dim[a]));
    text_printf(&out, "]>");
    return out.at;
}

/* The shortest decimal that reads back as the same number of its type. */
static const char *float_text(Elem e, double v)
{
    if (isnan(v))
        return "nan";
    if (isinf(v))
        return v < 0 ? "-inf" : "inf";
    const char *text = NULL;
    for (int digits = 1; digits <= 17; digits++) {
        text = arena_printf("%.*g", digits, v);
        const double back = strtod(text, NULL);
        if (e == EL_F64 ? back == v : (float)back == (float)v)
            break;
    }
    for (const char *p = text; *p; p++)
        if (*p == '.' || *p == 'e')
            return text;
    return arena_printf("%s.0", text);
}

/* 1.5, -inf, true, 255. */
const char *elem_constant_text(Elem e, Constant c)
{
    switch (elem_info[e].class) {
    case CLASS_ERROR:    return "error";
    case CLASS_BOOL:     return c.i ? "true" : "false";
    case CLASS_SIGNED:   return arena_printf("%lld", (long long)c.i);
    case CLASS_UNSIGNED: return arena_printf("%llu", (unsigned long long)c.u);
    case CLASS_FLOAT:    return float_text(e, c.f);
    }
    return "error";
}

/* ---- parts of a line ------------------------------------------------------------------------- */

static const char *const op_names[OP_KIND_COUNT] = {
    [OP_CONST] = "const", [OP_SYM] = "sym", [OP_HAS] = "has", [OP_ELEM] = "elem",
    [OP_CAST] = "cast", [OP_BITCAST] = "bitcast", [OP_SELECT] = "select",
    [OP_BROADCAST] = "broadcast", [OP_EXPAND] = "expand", [OP_SQUEEZE] = "squeeze",
    [OP_RESHAPE] = "reshape", [OP_PERMUTE] = "permute", [OP_FLIP] = "flip",
    [OP_EXTRACT] = "extract", [OP_CAT] = "cat", [OP_IOTA] = "iota", [OP_COORD] = "coord",
    [OP_FILL] = "fill", [OP_KEEP] = "keep", [OP_VALID] = "valid", [OP_REDUCE] = "reduce",
    [OP_FOLD] = "fold", [OP_SCAN] = "scan",
    [OP_MMA] = "mma", [OP_LOAD] = "load", [OP_STORE] = "store", [OP_GATHER] = "gather",
    [OP_SCATTER] = "scatter",
    [OP_ATOMIC] = "atomic", [OP_IF] = "if", [OP_FOR] = "for",
    [OP_WHILE] = "while", [OP_YIELD] = "yield", [OP_BREAK] = "break", [OP_CONTINUE] = "continue",
    [OP_SORT] = "sort", [OP_HISTOGRAM] = "histogram", [OP_RANDOM] = "random",
    [OP_PRINT] = "print", [OP_ASSERT] = "assert",
    [OP_RETURN] = "return", [OP_RELAYOUT] = "relayout",
};

static const char *const reduce_names[] = {
    [REDUCE_SUM] = "sum", [REDUCE_PROD] = "prod", [REDUCE_MAX] = "max", [REDUCE_MIN] = "min",
    [REDUCE_MEAN] = "mean", [REDUCE_ARGMAX] = "argmax", [REDUCE_ARGMIN] = "argmin",
    [REDUCE_ANY] = "any", [REDUCE_ALL] = "all",
};

const char *const atomic_names[ATOMIC_COUNT] = {
    [ATOMIC_ADD] = "atomic_add", [ATOMIC_MIN] = "atomic_min", [ATOMIC_MAX] = "atomic_max",
    [ATOMIC_AND] = "atomic_and", [ATOMIC_OR] = "atomic_or", [ATOMIC_XOR] = "atomic_xor",
    [ATOMIC_EXCHANGE] = "atomic_exchange",
};

/* %12, or x for a tensor parameter. */
static const char *operand(const Value *v)
{
    if (!v)
        return "none";
    if (v->type.kind == TYPE_TENSOR && v->name)
        return v->name->text;
    return arena_printf("%%%d", v->id);
}

/* %12 t: tile<f32, [1, N]> */
static void add_definition(Text *out, const Value *v)
{
    text_printf(out, "%%%d%s%s: %s", v->id, v->name ? " " : "", v->name ? v->name->text : "",
                type_text(&v->type));
}

/* Operands from the one given on, with commas. */
static void add_operands(Text *out, const Op *op, int from)
{
    for (int i = from; i < op->nargs; i++)
        text_printf(out, "%s%s", i > from ? ", " : "", operand(op->args[i]));
}

/* [0, 2] for the bits 5. */
static void add_axes(Text *out, uint32_t mask)
{
    const char *comma = "";
    text_printf(out, "[");
    for (int a = 0; a < 32; a++)
        if (mask >> a & 1) {
            text_printf(out, "%s%d", comma, a);
            comma = ", ";
        }
    text_printf(out, "]");
}

/* One axis of an access: start + step * place in lo .. hi, as 8 * i + t0 in 0..M. */
static void add_place(Text *out, const Op *op, int a)
{
    const Access *access = op->access;
    const bool moves = access->map[a] >= 0;
    if (!moves || !access->start[a] || !sym_is(access->start[a], 0))
        text_printf(out, "%s%s", formula(access->start[a]), moves ? " + " : "");
    if (moves && access->step[a] != 1)
        text_printf(out, "%lld * ", (long long)access->step[a]);
    if (moves)
        text_printf(out, "t%d", access->map[a]);
    if (access->index[a])
        text_printf(out, " + %s", operand(op->args[access->index[a]]));
    text_printf(out, " in %s..%s", formula(access->lo[a]), formula(access->hi[a]));
}

/* x[8 * i + t0 in 0..M, t1 in 0..N] */
static void add_access(Text *out, const Op *op)
{
    const Value *tensor = op->args[0];
    text_printf(out, "%s[", operand(tensor));
    for (int a = 0; a < tensor->type.rank && op->access; a++) {
        text_printf(out, "%s", a ? ", " : "");
        if (op->kind != OP_COORD)
            add_place(out, op, a);
        else if (a == op->axis)
            add_place(out, op, 0);
        else
            text_printf(out, "..");
    }
    text_printf(out, "]");
}

/* What stands after the name of an op: a flat switch. */
static void add_details(Text *out, const Op *op)
{
    switch (op->kind) {
    case OP_CONST:
        text_printf(out, " %s", elem_constant_text(op->results[0]->type.elem, op->constant));
        break;
    case OP_SYM:
        text_printf(out, " %s", formula(op->sym));
        break;
    case OP_EXPAND: case OP_SQUEEZE: case OP_FLIP:
        text_printf(out, " ");
        add_axes(out, op->axes);
        break;
    case OP_REDUCE: case OP_FOLD: case OP_SCAN:
        text_printf(out, "%s%s ", op->kind == OP_REDUCE || op->reverse ? " " : "",
                    op->kind == OP_REDUCE ? reduce_names[op->reduce]
                    : op->reverse ? "reverse" : "");
        add_axes(out, op->reduce_axes);
        break;
    case OP_KEEP: case OP_CAT: case OP_SORT:
        text_printf(out, " [%d]", op->axis);
        break;
    case OP_CAST:
        if (op->rounding)
            text_printf(out, " %s", rounding_names[op->rounding]);
        break;
    case OP_PRINT: case OP_ASSERT:
        text_printf(out, " %s", quoted_text(op->text));
        break;
    case OP_COORD:
        text_printf(out, " [%d] ", op->axis);
        add_access(out, op);
        break;
    case OP_PERMUTE:
        for (int a = 0; a < op->results[0]->type.rank; a++)
            text_printf(out, "%s%d", a ? ", " : " [", op->perm[a]);
        text_printf(out, "]");
        break;
    case OP_LOAD: case OP_STORE: case OP_GATHER: case OP_SCATTER: case OP_ATOMIC:
        if (op->kind == OP_ATOMIC)
            text_printf(out, " %s", atomic_names[op->atomic] + strlen("atomic_"));
        text_printf(out, " ");
        add_access(out, op);
        text_printf(out, op_reads(op) ? ", pad %s" : ", %s", operand(op->args[1]));
        if (op->kind == OP_STORE && op->nargs > 2)
            text_printf(out, ", %s", operand(op->args[2]));
        break;
    case OP_HAS: case OP_ELEM: case OP_HISTOGRAM: case OP_RANDOM: case OP_BITCAST:
    case OP_SELECT: case OP_BROADCAST:
    case OP_RESHAPE: case OP_IOTA: case OP_FILL: case OP_VALID: case OP_MMA: case OP_IF:
    case OP_FOR: case OP_WHILE: case OP_YIELD: case OP_BREAK: case OP_CONTINUE: case OP_RETURN:
    case OP_RELAYOUT: case OP_EXTRACT: case OP_KIND_COUNT:
        break;
    }
    if (op_reads(op) || op_writes(op) || op->kind == OP_COORD || op->nargs == 0)
        return;
    text_printf(out, " ");
    add_operands(out, op, 0);
}

/* What padding.c found: valid [any, 0..N], pad -inf; nothing if everything is data. */
static void add_valid(Text *out, const Value *v)
{
    bool any = true;
    for (int a = 0; a < v->type.rank && a < MAX_TILE_RANK; a++)
        any = any && v->valid[a].kind == VALID_ANY;
    if (any || v->type.kind == TYPE_TENSOR)
        return;
    for (int a = 0; a < v->type.rank; a++) {
        const Valid *valid = &v->valid[a];
        text_printf(out, "%s", a ? ", " : "  valid [");
        if (valid->kind == VALID_INTERVAL)
            text_printf(out, "%s..%s", formula(valid->lo), formula(valid->hi));
        else
            text_printf(out, valid->kind == VALID_ANY ? "any" : "mixed");
    }
    text_printf(out, "]");
    if (v->pad.kind == PAD_CONST)
        text_printf(out, " pad %s", elem_constant_text(v->type.elem, v->pad.value));
    else if (v->pad.kind == PAD_MINUS_INF_OR_NAN)
        text_printf(out, " pad -inf or nan");
}

/* ---- lines, blocks --------------------------------------------------------------------------- */

/* Writes a line, with the source line in a column of its own. */
static void put_line(FILE *out, const Text *line, Pos pos)
{
    if (pos.source)
        fprintf(out, "%-88s ; %d\n", line->at, source_line(pos));
    else
        fprintf(out, "%s\n", line->at);
}

static void dump_block(FILE *out, const Block *b, int depth);

/* The regions of an op, in braces; `middle` stands between two. */
static void dump_regions(FILE *out, const Op *op, int depth)
{
    for (int r = 0; r < op->nregions; r++) {
        dump_block(out, op->region[r], depth + 1);
        const bool last = r == op->nregions - 1;
        fprintf(out, "%*s}%s\n", 4 * depth, "",
                last ? "" : op->kind == OP_IF ? " else {" : " do {");
    }
}

/* One op: a line, and its regions. */
static void dump_op(FILE *out, const Op *op, int depth)
{
    Text line = {0};
    text_printf(&line, "%*s", 4 * depth, "");
    for (int i = 0; i < op->nresults; i++) {
        text_printf(&line, "%s", i ? ", " : "");
        add_definition(&line, op->results[i]);
    }
    text_printf(&line, "%s%s", op->nresults ? " = " : "",
                op->kind == OP_ELEM && op->row ? op->row->name : op_names[op->kind]);
    add_details(&line, op);
    if (op->nresults == 1)
        add_valid(&line, op->results[0]);
    if (op->nregions)
        text_printf(&line, " {");
    put_line(out, &line, op->pos);
    dump_regions(out, op, depth);
}

/* The arguments of a region and its ops. */
static void dump_block(FILE *out, const Block *b, int depth)
{
    if (b->nargs) {
        fprintf(out, "%*s(", 4 * depth, "");
        for (int i = 0; i < b->nargs; i++) {
            Text arg = {0};
            add_definition(&arg, b->args[i]);
            add_valid(&arg, b->args[i]);
            fprintf(out, "%s%s", i ? ", " : "", arg.at);
        }
        fprintf(out, ")\n");
    }
    for (const Op *op = b->first; op; op = op->next)
        dump_op(out, op, depth);
}

/* ---- kernels --------------------------------------------------------------------------------- */

/*  by [i: 8, N] */
static void dump_cuts(FILE *out, const Kernel *k, const Param *p)
{
    static const char *const whole[] = {"", "", " whole", " region"};
    for (int a = 0; a < p->type.rank; a++) {
        const struct Cut *cut = &p->cut[a];
        fprintf(out, "%s", a ? ", " : " by [");
        if (cut->axis >= 0 && cut->axis < k->axes.n) {
            const Axis *axis = &k->axes.at[cut->axis];
            fprintf(out, "%s: ", axis->name ? axis->name->text : arena_printf("#%d", cut->axis));
        }
        if (cut->kind != CUT_ELEMENTS)
            fprintf(out, "%s%s", cut->size ? sym_text(cut->size) : "_", whole[cut->kind]);
    }
    fprintf(out, "]");
}

/* One parameter. */
static void dump_param(FILE *out, const Kernel *k, const Param *p)
{
    static const char *const how[] = {"& ", "&mut ", "&atomic ", ""};
    fprintf(out, "    param %s: %s%s%s", p->name->text, how[p->kind], type_text(&p->type),
            p->optional ? "?" : "");
    if (p->has_by)
        dump_cuts(out, k, p);
    fprintf(out, "%s%s%s%s", p->strided ? " strided" : "", p->written ? " written" : "",
            p->updated ? " updated" : "", p->loaded ? " loaded" : "");
    fprintf(out, "  ; %%%d\n", p->value ? p->value->id : -1);
}

/* One program axis and how many programs it has. */
static void dump_axis(FILE *out, const Kernel *k, const Axis *axis)
{
    fprintf(out, "    axis %s", axis->name ? axis->name->text : "_");
    for (int i = 0; i < axis->counts.n; i++) {
        const struct Count *count = &axis->counts.at[i];
        fprintf(out, "%s%s", i ? ", " : ": ", sym_text(count->count));
        fprintf(out, " of %s", count->param < 0 ? "grid" : k->params.at[count->param].name->text);
    }
    fprintf(out, "  ; %%%d\n", axis->index ? axis->index->id : -1);
}

/* One condition of `where`. */
static void dump_cond(FILE *out, const Cond *c, const char *word)
{
    static const char *const sign[] = {"==", "!=", "<", "<="};
    if (c->kind == COND_ALIGNED)
        fprintf(out, "    %s aligned(%s, %s)\n", word, c->tensor->text, sym_text(c->a));
    else if (c->kind == COND_TRUE || c->kind == COND_FALSE)
        fprintf(out, "    %s %s\n", word, c->kind == COND_TRUE ? "true" : "false");
    else
        fprintf(out, "    %s %s %s %s\n", word, sym_text(c->a), sign[c->kind], sym_text(c->b));
}

/* A kernel: what it takes, then its body. */
static void dump_kernel(FILE *out, const Kernel *k)
{
    fprintf(out, "kernel %s%s {\n", k->function ? k->function->symbol : "?",
            k->suffix ? k->suffix : "");
    for (int i = 0; i < k->statics.n; i++)
        fprintf(out, "    static %s = %lld%s\n", k->statics.at[i].name->text,
                (long long)k->statics.at[i].value, k->statics.at[i].listed ? " listed" : "");
    for (int i = 0; i < k->params.n; i++)
        dump_param(out, k, &k->params.at[i]);
    for (int i = 0; i < k->extents.n; i++)
        fprintf(out, "%s%s%s", i ? ", " : "    extents ", k->extents.at[i]->text,
                i == k->extents.n - 1 ? "\n" : "");
    for (int i = 0; i < k->axes.n; i++)
        dump_axis(out, k, &k->axes.at[i]);
    for (int i = 0; i < k->conds.n; i++)
        for (const Cond *c = &k->conds.at[i]; c; c = c->or)
            dump_cond(out, c, c == &k->conds.at[i] ? "where" : "   or");
    fprintf(out, "\n");
    dump_block(out, k->body, 1);
    fprintf(out, "}\n");
}

/* Every kernel of a program. */
void ir_dump(FILE *out, const Program *p)
{
    for (int f = 0; f < p->functions.n; f++)
        for (int k = 0; k < p->functions.at[f]->kernels.n; k++) {
            fprintf(out, "%s", f || k ? "\n" : "");
            dump_kernel(out, p->functions.at[f]->kernels.at[k]);
        }
}
