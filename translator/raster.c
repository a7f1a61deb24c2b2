/* raster.c -- which program a block runs: the order of programs along the program axes
 *
 *   #[order(j, -i)]   j slowest, i fastest and from its last to its first
 *   #[group(8)]       of the two fastest axes the slower one advances by 8 at a time:
 *
 *        j  0  1  2        the numbers of programs (i, j), 3 columns, group(2): programs
 *     i 0   0  2  4        that run at one time need few rows and few columns of what
 *       1   1  3  5        is loaded
 *       2   6  7  8
 */
#include "mapping.h"

/* ---- the order ------------------------------------------------------------------------------- */

/* The program axes, slowest first, and which of them run from their last to their first. */
typedef struct { int n, *axis; bool *back; } Order;

/* The axis of this name. */
static int axis_of(const Kernel *k, Name name)
{
    int i = 0;
    while (i < k->axes.n && k->axes.at[i].name != name)
        i++;
    return i;
}

/* Adds an axis to the order, once. */
static void add_axis(Order *o, int axis, bool back)
{
    for (int i = 0; i < o->n; i++)
        if (o->axis[i] == axis)
            return;
    o->axis[o->n] = axis;
    o->back[o->n++] = back;
}

/* The order that #[order(..)] gives; axes that it leaves out follow in their own. */
static Order order_of(const Kernel *k)
{
    Order o = { 0, new_array(int, k->axes.n + 1), new_array(bool, k->axes.n + 1) };
    const Attr *a = attr_of(&k->attrs, "order");
    for (const Node *n = a && a->args ? a->args->kids : NULL; n; n = n->next) {
        bool back = n->kind == N_UNARY;
        int axis = axis_of(k, node_name(back ? kid(n, 0) : n));
        if (axis < k->axes.n)
            add_axis(&o, axis, back);
    }
    for (int i = 0; i < k->axes.n; i++)
        add_axis(&o, i, false);
    return o;
}

/* How many programs of the slower of the two fastest axes stand together; 0: they do not. */
static int group_of(const Kernel *k)
{
    return k->axes.n < 2 ? 0 : hint_of(k, "group");
}

/* ---- as C ------------------------------------------------------------------------------------ */

/* Has the text an operator outside parentheses? */
static bool needs_parens(const char *text)
{
    int depth = 0;
    for (const char *s = text; *s; s++) {
        depth += (*s == '(') - (*s == ')');
        if (*s == ' ' && depth == 0)
            return true;
    }
    return false;
}

/* The text as a factor of a product. */
static const char *factor(const char *text)
{
    return needs_parens(text) ? arena_printf("(%s)", text) : text;
}

/* The number of programs along an axis, as a factor. */
static const char *count(const Kernel *k, int axis)
{
    return factor(c_programs(k, &k->axes.at[axis]));
}

/* const int64_t i = text; from the other end if the axis runs back. */
static void axis_line(const Kernel *k, HeadLines *lines, const Order *o, int place,
                      const char *text)
{
    const char *name = map_of(k->axes.at[o->axis[place]].index)->name;
    if (o->back[place])
        text = arena_printf("%s - 1 - %s", count(k, o->axis[place]), text);
    add_head(lines, name, arena_printf("const int64_t %s = %s;", name, text));
}

/* The two fastest axes in groups. Returns how many axes are left. */
static int group_lines(Emit *e, HeadLines *lines, const Order *o, const char *number, int group)
{
    const Kernel *k = e->k;
    int n = o->n;
    const char *slow = count(k, o->axis[n - 2]), *fast = count(k, o->axis[n - 1]);
    const char *of = map_of(k->axes.at[o->axis[n - 2]].index)->name;
    const char *size = fresh(e, "group_size"), *at = fresh(e, "in_group"),
               *first = fresh(e, arena_printf("first_%s", of)),
               *high = fresh(e, "group_height");
    add_head(lines, size, arena_printf("const int64_t %s = %d * %s;", size, group, fast));
    const char *plane = n == 2 ? number : arena_printf("%s %% (%s * %s)", number, slow, fast);
    add_head(lines, at, arena_printf("const int64_t %s = %s %% %s;", at, plane, size));
    add_head(lines, first, arena_printf("const int64_t %s = %s / %s * %d;", first, plane, size,
                                        group));
    add_head(lines, high, arena_printf("const int64_t %s = tile_min(%d, %s - %s);", high, group,
                                       slow, first));
    axis_line(k, lines, o, n - 1, arena_printf("%s / %s", at, high));
    axis_line(k, lines, o, n - 2, o->back[n - 2] ? arena_printf("(%s + %s %% %s)", first, at, high)
                                                 : arena_printf("%s + %s %% %s", first, at, high));
    return n - 2;
}

/* The axes one by one, by the number of the program. */
static void axes_lines(Emit *e, HeadLines *lines, const Order *o, const char *number)
{
    const Kernel *k = e->k;
    int n = o->n, group = group_of(k), left = n;
    if (group > 1)
        left = group_lines(e, lines, o, number, group);
    for (int i = left - 1; i >= 0; i--) {
        const char *value = number;
        for (int j = n - 1; j > i; j--)
            value = arena_printf("%s / %s", value, count(k, o->axis[j]));
        axis_line(k, lines, o, i,
                  i ? arena_printf("%s %% %s", value, count(k, o->axis[i])) : value);
    }
}

/* All programs of the kernel. */
static const char *total_programs(const Kernel *k)
{
    const char *total = k->axes.n ? "" : "1";
    for (int i = 0; i < k->axes.n; i++)
        total = arena_printf(i ? "%s * %s" : "%s%s", total, count(k, i));
    return total;
}

/* The name of a program's number in a loop over those of a block. */
void name_program(Emit *e)
{
    const Kernel *k = e->k;
    const bool lone = k->axes.n == 1 && !order_of(k).back[0];
    e->program = lone ? map_of(k->axes.at[0].index)->name : fresh(e, "program");
}

/* The head of that loop; turn: a name for 0, 1, 0, .., or NULL. */
const char *program_loop(const Emit *e, const char *turn, int indent)
{
    const char *i = e->program, *first = turn ? arena_printf(", %s = 0", turn) : "",
               *next = turn ? arena_printf(", %s ^= 1", turn) : "";
    return arena_printf("%*sfor (int64_t %s = blockIdx.x%s; %s < %s;\n"
                        "%*s     %s += gridDim.x%s) {\n", indent, "", i, first, i,
                        total_programs(e->k), indent, "", i, next);
}

/* Which program this is, along each axis; programs past the last leave. */
void program_lines(Emit *e, HeadLines *lines)
{
    const Kernel *k = e->k;
    int n = k->axes.n, per = e->body->programs;
    Order o = order_of(k);
    bool lone = n == 1 && !o.back[0];
    const char *each = e->body->kind == BODY_WARP
        ? arena_printf("(blockDim.x / %d)", e->body->threads)
        : arena_printf("%d", per);
    const char *number = per == 1
        ? "blockIdx.x"
        : arena_printf("(int64_t)blockIdx.x * %s + threadIdx.x / %d", each, e->body->threads);
    if (e->body->turns) {
        number = e->program;
        if (lone)
            return;
    } else if (per > 1 || n > 1 || (n == 1 && !lone)) {
        const char *program = lone ? map_of(k->axes.at[0].index)->name : fresh(e, "program");
        add_head(lines, per > 1 ? NULL : program,
                 arena_printf("const int64_t %s = %s;", program, number));
        if (per > 1) {
            add_head(lines, NULL, arena_printf("if (%s >= %s)", program, total_programs(k)));
            add_head(lines, NULL, "    return;");
        }
        number = program;
    }
    if (!(per > 1 && lone))
        axes_lines(e, lines, &o, number);
}

/* ---- for the head ---------------------------------------------------------------------------- */

/* What #[order] and #[group] made of the order of programs; NULL if they stand nowhere. */
const char *order_text(const Kernel *k)
{
    Text t = { 0 };
    Order o = order_of(k);
    text_add(&t, "", 0);
    for (int i = 0; attr_of(&k->attrs, "order") && i < o.n; i++) {
        Name name = k->axes.at[o.axis[i]].name;
        text_printf(&t, "%s%s%s", i ? ", then " : "programs are numbered along ",
                    name ? name->text : "the unnamed axis",
                    o.back[i] ? " from its last to its first" : i ? "" : ", the slowest");
    }
    if (group_of(k) > 1) {
        Name name = k->axes.at[o.axis[o.n - 2]].name;
        text_printf(&t, "%s%d values of %s stand together before the fastest axis goes on: blocks "
                    "that run at one time share more of what they load",
                    t.n ? "; " : "", group_of(k), name ? name->text : "the slower axis");
    }
    return t.n ? t.at : NULL;
}
