/* attribute.c -- attributes: which there are, where they stand, what they take */
#include "check.h"

typedef enum { TAKES_NOTHING, TAKES_COUNT, TAKES_ORDER } Takes;

static const struct { const char *name; AttrPlace place; Takes takes; int64_t most; } known[] = {
    { "threads",    ATTR_KERNEL, TAKES_COUNT,   1024 },
    { "group",      ATTR_KERNEL, TAKES_COUNT,   65535 },
    { "order",      ATTR_KERNEL, TAKES_ORDER,   0 },
    { "persistent", ATTR_KERNEL, TAKES_NOTHING, 0 },
    { "cluster",    ATTR_KERNEL, TAKES_COUNT,   16 },
    { "occupancy",  ATTR_KERNEL, TAKES_COUNT,   32 },
    { "fast_math",  ATTR_KERNEL, TAKES_NOTHING, 0 },
    { "stages",     ATTR_FOR,    TAKES_COUNT,   32 },
    { "unroll",     ATTR_FOR,    TAKES_COUNT,   1024 }
};
enum { KNOWN = sizeof known / sizeof *known };

/* Reports wrong arguments, with the form that is right. */
static bool wrong_arguments(Pos pos, int i)
{
    static const char *const example[] = { "", "(4)", "(j, -i)" };
    error(pos, "E0333", "`%s` takes %s", known[i].name,
          known[i].takes == TAKES_NOTHING ? "no argument"
          : known[i].takes == TAKES_COUNT ? "one number"
                                          : "program axes");
    help("write `#[%s%s]`, with `sm = 90` behind it for one architecture", known[i].name,
         example[known[i].takes]);
    return false;
}

/* Checks the number of an attribute. False after a report. */
static bool check_count(Check *c, const Node *n, int i)
{
    int64_t k;
    if (!static_int(c, n, &k)) return false;
    bool warps = known[i].most == 1024 && known[i].place == ATTR_KERNEL;
    if (k > 0 && k <= known[i].most && (!warps || k % 32 == 0)) return true;
    error(node_pos(n), "E0333", "`%s` cannot be %lld", known[i].name, (long long)k);
    help(warps ? "a block has a multiple of 32 threads, 1024 at most"
               : "take a number from 1 to %lld",
         (long long)known[i].most);
    return false;
}

/* Checks one axis of `order`: the name of a program axis, maybe with -. False after a report. */
static bool check_axis(Check *c, const Node *n, const Node *args)
{
    const Node *word = n->kind == N_UNARY && node_is(n, "-") ? kid(n, 0) : n;
    if (!word_is_name(word)) return wrong_arguments(node_pos(n), 2);
    const Binding *b = scope_find(c, SPACE_VALUE, node_name(word));
    if (b && b->kind == BIND_ERROR) return false;
    if (!b || b->kind != BIND_AXIS) {
        error(node_pos(word), "E0333", "`%s` is no program axis of this kernel",
              node_name(word)->text);
        help("`order` takes the names that `by` or `grid` give, slowest first");
        return false;
    }
    for (const Node *other = args->kids; other != n; other = other->next) {
        const Node *same = other->kind == N_UNARY ? kid(other, 0) : other;
        if (same->kind != N_WORD || node_name(same) != node_name(word)) continue;
        error(node_pos(word), "E0333", "`%s` stands twice in `order`", node_name(word)->text);
        note(node_pos(other), "here already");
        return false;
    }
    return true;
}

/* Checks the arguments of an attribute: those by position, and `sm`. False after a report. */
static bool check_arguments(Check *c, const Node *n, int i)
{
    const Node *args = kid(n, 1);
    int count = 0;
    bool good = true;
    for (const Node *a = args ? args->kids : NULL; a && good; a = a->next) {
        int64_t sm;
        if (a->kind == N_NAMED) {
            good = node_is(kid(a, 0), "sm") ? static_int(c, kid(a, 1), &sm)
                                            : wrong_arguments(node_pos(a), i);
            continue;
        }
        count++;
        if (known[i].takes == TAKES_NOTHING || (known[i].takes == TAKES_COUNT && count > 1))
            return wrong_arguments(node_pos(a), i);
        good = known[i].takes == TAKES_COUNT ? check_count(c, a, i) : check_axis(c, a, args);
    }
    if (good && count == 0 && known[i].takes != TAKES_NOTHING)
        return wrong_arguments(node_pos(n), i);
    return good;
}

/* The row of an attribute; -1 after a report if it is unknown or stands before the wrong thing. */
static int find_known(const Node *word, AttrPlace place)
{
    static const char *const before[] = { "a kernel", "a `for`", "this" };
    Nearest near = { .word = node_name(word)->text };
    for (int i = 0; i < KNOWN; i++) {
        if (node_is(word, known[i].name) && known[i].place == place) return i;
        if (node_is(word, known[i].name)) {
            error(node_word(word), "E0332", "`%s` before %s", known[i].name, before[place]);
            help("it stands before %s", before[known[i].place]);
            return -1;
        }
        if (known[i].place == place || place == ATTR_OTHER) nearest_try(&near, known[i].name);
    }
    error(node_word(word), "E0331", "there is no attribute `%s`", node_name(word)->text);
    if (near.best) help("did you mean `%s`?", near.best);
    else help("before a kernel: threads group order persistent cluster occupancy fast_math; before "
              "a `for`: stages unroll");
    return -1;
}

/* The first argument that says `sm = ..`, or NULL. */
static const Node *target_of(const Node *args)
{
    const Node *n = args ? args->kids : NULL;
    while (n && n->kind != N_NAMED) n = n->next;
    return n;
}

/* Reports an attribute that stands twice for the same targets. */
static bool stands_twice(const AttrList *list, const Attr *attr)
{
    for (int i = 0; i < list->n; i++) {
        const Attr *old = &list->at[i];
        if (old->name != attr->name || !target_of(old->args) != !target_of(attr->args)) continue;
        if (target_of(attr->args)) continue;
        error(attr->pos, "E0333", "`%s` stands twice", attr->name->text);
        note(old->pos, "here already");
        help("leave one of them out");
        return true;
    }
    return false;
}

/* Checks attributes where they stand, and adds them to a list. c->scope has a kernel's axes. */
void attributes(Check *c, const Node *attrs, AttrPlace place, AttrList *list)
{
    Block *body = c->block;
    if (place == ATTR_KERNEL) c->block = NULL;
    for (const Node *n = attrs->kids; n; n = n->next) {
        const Node *word = n->kids ? kid(n, 0) : n;
        int i = find_known(word, place);
        if (i < 0 || !check_arguments(c, n, i)) continue;
        Attr attr = { .name = node_name(word), .pos = node_word(word), .args = kid(n, 1) };
        if (known[i].takes == TAKES_COUNT) static_int(c, kid(attr.args, 0), &attr.value);
        if (!stands_twice(list, &attr)) push(list, attr);
    }
    c->block = body;
}
