/* axes.c -- program axes: what `by [..]` of each output and `grid [..]` say */
#include "check.h"

/* A program axis by its name, or the nth unnamed one; -1 if there is none yet. */
static int find_axis(const Kernel *k, Name name, int nth)
{
    for (int i = 0; i < k->axes.n; i++) {
        if (name && k->axes.at[i].name == name) return i;
        if (!name && !k->axes.at[i].name && nth-- == 0) return i;
    }
    return -1;
}

/* Reports an axis whose name something else of the kernel has. True if the name is free. */
static bool axis_name_free(Check *c, Name name, Pos pos)
{
    for (const Binding *b = c->scope->first[SPACE_VALUE]; b; b = b->next) {
        if (b->name != name || b->kind == BIND_AXIS) continue;
        if (b->kind == BIND_ERROR) return false;
        error(pos, "E0203", "the program axis `%s` has the name of something else", name->text);
        note(b->pos, "this `%s`", name->text);
        help("rename the axis");
        return false;
    }
    return true;
}

/* A new program axis, bound in the scope of the kernel if it has a name. Its index. */
static int add_axis(Check *c, Name name, Pos pos)
{
    Axis axis = { .name = name,
                  .pos = pos,
                  .index = ir_value(c->kernel, type_scalar(EL_I64), pos) };
    axis.index->name = name;
    push(&c->kernel->axes, axis);
    if (name) scope_add(c, SPACE_VALUE, BIND_AXIS, name, pos)->value = axis.index;
    return c->kernel->axes.n - 1;
}

/* The parts of an entry: [name:] [size] [in .. or of ..]. */
typedef struct { const Node *node, *name, *size, *from; } Entry;

/* Takes an entry of `by` or `grid` apart. */
static Entry entry_of(const Node *n)
{
    bool named = n->kind == N_NAMED_AXIS;
    return (Entry){ n, named ? kid(n, 0) : NULL, kid(n, named), kid(n, named + 1) };
}

/* Says what of an entry this translator has not. True if there is something. */
static bool entry_later(const Entry *e)
{
    if (e->from && e->from->kind == N_IN)
        return not_yet(node_pos(e->from), "an axis cut in segments (`in`)"), true;
    if (e->from)
        return not_yet(node_pos(e->from), "an axis cut by a list of elements (`of`)"), true;
    return false;
}

/* Is the axis left whole, as a region: `_`? */
static bool is_region(const Entry *e)
{
    return e->size && e->size->kind == N_WORD && node_is(e->size, "_");
}

/* ---- by -------------------------------------------------------------------------------------- */

/* The size of a part along an axis; bad after a report. */
static Sym part_size(Check *c, const Entry *e)
{
    int64_t k;
    Sym size = launch_extent(c, e->size);
    if (sym_is_bad(size) || !sym_const_of(size, &k) || (k > 0 && k <= INT32_MAX)) return size;
    error(node_pos(e->size), "E0317", "parts of %lld elements", (long long)k);
    help(k <= 0 ? "a part has at least one element on each axis"
                : "the largest size of a part is 2147483647");
    return sym_mul(sym_const(INT64_MAX), sym_const(2));
}

/* Two unnamed axes are one by their position: they must have the same number of programs. */
static bool axes_agree(const Kernel *k, const Axis *axis, const Param *p, Sym count, const Entry *e)
{
    if (axis->name || axis->counts.n == 0 || axis->counts.at[0].count == count) return true;
    const Param *other = &k->params.at[axis->counts.at[0].param];
    error(node_pos(e->node), "E0504",
          "`%s` and `%s` need different numbers of programs here: %s and %s", other->name->text,
          p->name->text, sym_text(axis->counts.at[0].count), sym_text(count));
    note(axis->pos, "the axis of `%s` that has the same position", other->name->text);
    help("name the axes: those with one name have as many programs as the output that needs most");
    return false;
}

/* The program axis of an entry that is cut; -1 after a report. */
static int axis_of(Check *c, const Param *p, const Entry *e, int axis, int nth)
{
    Kernel *k = c->kernel;
    Name name = e->name ? node_name(e->name) : NULL;
    Pos pos = e->name ? node_word(e->name) : node_pos(e->node);
    int at = find_axis(k, name, nth);
    if (at < 0) return !name || axis_name_free(c, name, pos) ? add_axis(c, name, pos) : -1;
    for (int a = 0; a < axis; a++) {
        if (p->cut[a].axis != at) continue;
        error(pos, "E0503", "the `by` of `%s` names the program axis `%s` twice", p->name->text,
              name->text);
        note(p->pos, "each program would own the parts on the diagonal, and nobody the others");
        help("give the second axis a name of its own");
        return -1;
    }
    return at;
}

/* An axis that stays whole, for pieces and elements. False after a report. */
static bool leave_whole(struct Cut *cut, const Entry *e, Sym extent)
{
    if (!e->name) {
        cut->kind = CUT_REGION;
        cut->size = extent;
        return true;
    }
    error(node_pos(e->node), "E0511", "a region is not cut, so there is no program axis `%s`",
          node_name(e->name)->text);
    help("leave the axis whole, `_`, or cut it: `%s: BM`, `%s:`", node_name(e->name)->text,
         node_name(e->name)->text);
    return false;
}

/* How one axis of an output is cut. False after a report. */
static bool cut_axis(Check *c, int param, int axis, const Entry *e, int *nth)
{
    Kernel *k = c->kernel;
    Param *p = &k->params.at[param];
    struct Cut *cut = &p->cut[axis];
    Sym extent = p->type.dim[axis], size = sym_const(1);
    cut->axis = -1;
    if (entry_later(e)) return false;
    if (is_region(e)) return leave_whole(cut, e, extent);
    if (e->size) size = part_size(c, e);
    if (sym_is_bad(size)) return false;
    cut->size = size;
    cut->kind = e->size ? CUT_TILES : CUT_ELEMENTS;
    if (!e->name && size == extent) return cut->kind = CUT_WHOLE, true;
    Sym count = e->size ? sym_ceil(extent, size) : extent;
    cut->axis = axis_of(c, p, e, axis, *nth);
    if (cut->axis < 0 || !axes_agree(k, &k->axes.at[cut->axis], p, count, e))
        return cut->size = NULL, false;            /* not read: own.c asks no more of it */
    if (!e->name) ++*nth;
    push(&k->axes.at[cut->axis].counts, ((struct Count){ param, count }));
    return true;
}

/* Binds the names of an entry that went wrong, so that the body says no more of them. */
static void silence(Check *c, const Entry *e)
{
    if (!e->name || scope_find(c, SPACE_VALUE, node_name(e->name))) return;
    scope_add(c, SPACE_VALUE, BIND_ERROR, node_name(e->name), node_word(e->name));
}

/* The parameter of this name; -1 if it could not be read. */
static int param_of(const Kernel *k, const Node *n)
{
    for (int i = 0; i < k->params.n; i++)
        if (k->params.at[i].name == node_name(kid(n, 0))) return i;
    return -1;
}

/* Reads the `by` of one output. */
static void read_by(Check *c, const Node *n, const Node *axes)
{
    int param = param_of(c->kernel, n), nth = 0, axis = 0;
    const Param *p = param < 0 ? NULL : &c->kernel->params.at[param];
    bool good = p && kid_count(axes) == p->type.rank;
    if (p && !good) {
        error(node_pos(axes), "E0501", "`by` says how to cut %d axes, and `%s` has %d",
              kid_count(axes), p->name->text, p->type.rank);
        note(p->pos, "`%s` is declared here", p->name->text);
        help("one entry an axis: `i: BM` cuts it in tiles, `b:` in elements, its own extent or `_` "
             "leaves it whole");
    }
    for (const Node *a = axes->kids; a; a = a->next, axis++) {
        Entry e = entry_of(a);
        good = good && cut_axis(c, param, axis, &e, &nth);
        silence(c, &e);
    }
    Binding *b = good || !p ? NULL : scope_find(c, SPACE_VALUE, p->name);
    if (b) b->kind = BIND_ERROR;                   /* its part is not known */
}

/* ---- grid ------------------------------------------------------------------------------------ */

/* Reads one entry of `grid`: an axis with its number of programs. */
static void grid_axis(Check *c, const Entry *e)
{
    int64_t k;
    Name name = e->name ? node_name(e->name) : NULL;
    Pos pos = e->name ? node_word(e->name) : node_pos(e->node);
    if (entry_later(e)) return silence(c, e);
    if (!e->size || is_region(e)) {
        error(pos, "E0507", "`grid` needs the number of programs along `%s`",
              name ? name->text : "_");
        help("write `%s: ceil(N, BN)`, or a scalar parameter", name ? name->text : "i");
        return silence(c, e);
    }
    Sym count = launch_extent(c, e->size);
    if (sym_is_bad(count)) return silence(c, e);
    if (sym_const_of(count, &k) && k <= 0) {
        error(node_pos(e->size), "E0507", "a grid of %lld programs", (long long)k);
        help("at least one program must run for the kernel to do something");
    }
    if (name && find_axis(c->kernel, name, 0) >= 0) {
        error(pos, "E0503", "`grid` names the program axis `%s` twice", name->text);
        note(c->kernel->axes.at[find_axis(c->kernel, name, 0)].pos, "here already");
        return;
    }
    if (name && !axis_name_free(c, name, pos)) return silence(c, e);
    int at = add_axis(c, name, pos);
    push(&c->kernel->axes.at[at].counts, ((struct Count){ -1, count }));
}

/* The axes of the grid clause, NULL without one; a second one is reported. */
static const Node *grid_clause(const Node *kernel)
{
    const Node *clauses = kid(kernel, 3), *grid = NULL;
    for (const Node *n = clauses ? clauses->kids : NULL; n; n = n->next) {
        if (n->kind == N_BLOCK_SIZE) not_yet(node_pos(n), "a `block` clause");
        if (n->kind != N_GRID) continue;
        if (grid) error(node_pos(n), "E0506", "a second `grid`");
        if (grid) note(node_pos(grid), "the first is here");
        else grid = n;
    }
    return grid ? kid(grid, 0) : NULL;
}

/* Reports a kernel whose programs nothing counts, or both `by` and `grid`. */
static void one_source(const Node *kernel, const Node *by, const Node *grid)
{
    if (by && grid) {
        error(node_pos(grid), "E0506", "`grid` beside `by`: the programs follow from the outputs");
        note(node_pos(by), "this output is cut in parts, one a program");
        help("leave out `grid`");
    } else if (!by && !grid) {
        error(node_word(kid(kernel, 0)), "E0505", "nothing says how many programs `%s` runs",
              node_name(kid(kernel, 0))->text);
        help("give it an output, `y: &mut tensor<..> by [i: BM, ..]`, or `grid [i: ceil(N, BN)]`");
    }
}

/* Makes the program axes of c->kernel and says how each output is cut. */
void program_axes(Check *c, const Node *kernel)
{
    const Node *params = kid(kernel, 2), *grid = grid_clause(kernel), *by = NULL;
    for (const Node *n = params ? params->kids : NULL; n; n = n->next) {
        if (n->kind != N_PARAM_MUT) continue;
        const Node *axes = kid(n, 3) ? kid(kid(n, 3), 0) : NULL;
        if (!axes || axes->kind != N_AXES) continue;
        if (!by) by = kid(n, 3);
        read_by(c, n, axes);
    }
    for (const Node *n = grid ? grid->kids : NULL; n; n = n->next) {
        Entry e = entry_of(n);
        if (by) silence(c, &e);
        else grid_axis(c, &e);
    }
    bool wrong = params && c->kernel->params.n < kid_count(params);    /* that was said */
    if (by || grid || !wrong) one_source(kernel, by, grid);
}
