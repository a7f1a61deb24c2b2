/* instance.c -- a kernel's static parameters: which Functions and Kernels it stands for
 *
 * Each static parameter has its default or the value of -D, or it is a wheel with several values:
 * a list or `tune`. Types turn slowest, then lists, then `tune`; every position of the wheels that
 * the static part of `where` allows is a Kernel, and those with the same types are one Function.
 */
#include "check.h"

enum { MOST_INSTANCES = 1024 };

typedef enum { STATIC_INT, STATIC_BOOL, STATIC_TYPE, STATIC_FN } StaticKind;
typedef enum { TURN_TYPE, TURN_LIST, TURN_TUNE, TURN_COUNT } Turn;

typedef struct {
    StaticKind kind;
    int64_t number;
    Elem elem;
    const Node *node;                              /* of STATIC_FN: the word */
} Choice;

typedef struct {
    Name name;
    Pos pos;
    StaticKind kind;
    const Node *value;                             /* the default, or what -D says */
    bool defined;                                  /* by -D */
    const Node *list; Turn turn;                   /* a wheel, if list is not NULL */
    LIST(Choice) choices; int at;
} StaticParam;

typedef struct {
    Check *c;
    const Node *attrs, *kernel;
    LIST(StaticParam) params;
    LIST(int) wheels;                              /* params with a list, slowest first */
    const Node *refused; const char *refused_with; /* the last condition that was false */
    int made;
    Function *function;                            /* the last one made */
} Instances;

/* ---- reading --------------------------------------------------------------------------------- */

/* int, bool, type or fn; false after a report. */
static bool static_kind(const Node *word, StaticKind *kind)
{
    static const char *const kinds[] = { "int", "bool", "type", "fn" };
    for (int i = 0; i < 4; i++)
        if (node_is(word, kinds[i])) return *kind = (StaticKind)i, true;
    error(node_pos(word), "E0301", "a static parameter is an `int`, a `bool`, a `type` or a `fn`");
    Elem e;
    if (word_is_name(word) && elem_of(node_name(word), &e))
        help(elem_is_int(e) ? "write `int`: a static int is a literal, of any integer type"
                            : "pass it as a parameter: `(.., x: %s)`", elem_info[e].name);
    return false;
}

/* Reads one static parameter, without its values. False after a report. */
static bool read_static(Instances *in, const Node *n)
{
    StaticParam p = { .name = node_name(kid(n, 0)), .pos = node_word(kid(n, 0)) };
    if (!static_kind(kid(n, 1), &p.kind)) return false;
    for (int i = 0; i < in->params.n; i++)
        if (in->params.at[i].name == p.name) {
            error(p.pos, "E0203", "the static parameter `%s` is declared twice", p.name->text);
            note(in->params.at[i].pos, "here already");
            return false;
        }
    p.value = n->kind == N_STATIC ? kid(n, 2) : NULL;
    p.list = n->kind == N_STATIC_IN ? kid(n, 2) : NULL;
    p.turn = p.kind == STATIC_TYPE ? TURN_TYPE : TURN_LIST;
    if (define_find(node_name(kid(in->kernel, 0)), p.name, &p.value)) {
        if (!p.value) return false;
        p.defined = true;
        p.list = NULL;
    }
    if (p.list && p.kind == STATIC_FN) {
        error(node_pos(p.list), "E0304", "a list is for types, ints and bools; `%s` is a fn",
              p.name->text);
        help("write `%s: fn = ..`, or one kernel for each function", p.name->text);
        return false;
    }
    push(&in->params, p);
    return true;
}

/* `NAME in [..]` of tune gives the parameter its list. False after a report. */
static bool read_tune(Instances *in, const Node *n)
{
    Name name = node_name(kid(n, 0));
    Pos pos = node_word(kid(n, 0));
    Nearest near = { .word = name->text };
    StaticParam *p = NULL;
    for (int i = 0; i < in->params.n; i++) {
        nearest_try(&near, in->params.at[i].name->text);
        if (in->params.at[i].name == name) p = &in->params.at[i];
    }
    if (!p) {
        error(pos, "E0308", "`tune` takes a static parameter; `%s` is none of this kernel",
              name->text);
        if (near.best) help("did you mean `%s`?", near.best);
        else help("declare it: `<%s: int>`", name->text);
        return false;
    }
    if (p->kind == STATIC_TYPE || p->kind == STATIC_FN || p->list) {
        error(pos, "E0308",
              p->list ? "`%s` has its list already"
                      : "`tune` takes ints and bools, and `%s` is neither",
              name->text);
        bool twice = p->list && p->turn == TURN_TUNE;
        note(twice ? node_pos(p->list) : p->pos, twice ? "the list" : "it is declared here");
        help(twice ? "`tune` names a static parameter once: write one list"
             : p->list ? "a list is the caller's choice, `tune` the translator's: keep one of them"
             : p->kind == STATIC_FN ? "`%s` has one value: the name of a fn"
                     : "write the types as a list, `%s: type in [..]`", name->text);
        return false;
    }
    if (p->defined) return true;
    p->list = kid(n, 1);
    p->turn = TURN_TUNE;
    push(&in->wheels, (int)(p - in->params.at));
    return true;
}

/* The value of one expression for a static parameter. False after a report. */
static bool read_choice(Instances *in, const StaticParam *p, const Node *n, Choice *choice)
{
    Check *c = in->c;
    bool truth;
    *choice = (Choice){ .kind = p->kind };
    switch (p->kind) {
    case STATIC_INT:
        return static_int(c, n, &choice->number);
    case STATIC_BOOL:
        truth = node_is(n, "1");
        if (!(p->defined && (truth || node_is(n, "0"))) && !static_bool(c, n, &truth)) return false;
        choice->number = truth;
        return true;
    case STATIC_TYPE:
        return type_elem(c, n, &choice->elem);
    case STATIC_FN:
        choice->node = n;
        if (word_is_name(n)) return true;
        error(node_pos(n), "E0303", "`%s` takes the name of a function", p->name->text);
        help("write a `fn`, and its name here: `%s: fn = gelu`", p->name->text);
        return false;
    }
    return false;
}

/* Two equal values of a list, of which one can never be chosen. */
static bool repeated(const StaticParam *p, const Choice *choice, const Node *n)
{
    for (int i = 0; i < p->choices.n; i++) {
        const Choice *old = &p->choices.at[i];
        if (old->number != choice->number || old->elem != choice->elem) continue;
        error(node_pos(n), "E0304", "`%s` stands twice in the list of `%s`", node_source(n),
              p->name->text);
        note(node_pos(old->node), "here already");
        help("each value makes an instance of its own: leave one out");
        return true;
    }
    return false;
}

/* Reads the list of a wheel; its values use nothing but consts. False after a report. */
static bool read_list(Instances *in, StaticParam *p)
{
    if (!p->list->kids) {
        error(node_pos(p->list), "E0304", "the list of `%s` is empty", p->name->text);
        help("write at least one value: `%s: .. in [64]`", p->name->text);
        return false;
    }
    in->c->scope = in->c->globals;
    for (const Node *n = p->list->kids; n; n = n->next) {
        Choice choice;
        if (!read_choice(in, p, n, &choice)) {
            for (int i = 0; word_is_name(n) && i < in->params.n; i++)
                if (in->params.at[i].name == node_name(n))
                    help("the values of a list are made of numbers and consts; a default may use "
                         "`%s`", node_name(n)->text);
            return false;
        }
        if (repeated(p, &choice, n)) return false;
        choice.node = n;
        push(&p->choices, choice);
    }
    return true;
}

/* Reads static parameters, tune and lists, and puts the wheels in order. False after a report. */
static bool read_statics(Instances *in)
{
    const Node *statics = kid(in->kernel, 1), *clauses = kid(in->kernel, 3);
    bool good = true;
    for (const Node *n = statics ? statics->kids : NULL; n; n = n->next)
        good = read_static(in, n) && good;
    for (const Node *n = clauses ? clauses->kids : NULL; n; n = n->next)
        for (const Node *t = n->kind == N_TUNE ? n->kids : NULL; t; t = t->next)
            good = good && read_tune(in, t);
    LIST(int) order = { 0 };
    for (int turn = TURN_TYPE; turn <= TURN_LIST; turn++)
        for (int i = 0; i < in->params.n; i++)
            if (in->params.at[i].list && (int)in->params.at[i].turn == turn) push(&order, i);
    for (int i = 0; i < in->wheels.n; i++) push(&order, in->wheels.at[i]);
    in->wheels.n = 0;
    int64_t total = 1;
    for (int i = 0; good && i < order.n; i++) {
        StaticParam *p = &in->params.at[order.at[i]];
        push(&in->wheels, order.at[i]);
        good = read_list(in, p);
        total *= p->choices.n > 0 ? p->choices.n : 1;
        if (!good || total <= MOST_INSTANCES) continue;
        error(p->pos, "E0904", "the lists of this kernel have more than %d combinations",
              MOST_INSTANCES);
        help("shorten the lists, or split the kernel");
        good = false;
    }
    return good;
}

/* ---- one instance ---------------------------------------------------------------------------- */

/* Binds a function to the name of a static parameter. False after a report. */
static bool bind_fn(Check *c, const StaticParam *p, const Node *word)
{
    Name name = node_name(word);
    const Binding *fn = scope_find(c, SPACE_FUNCTION, name);
    if (fn && (!binding_clear(fn, node_word(word)) || fn->kind == BIND_ERROR)) return false;
    if (fn && fn->decl && fn->decl->kind == N_FN) {
        Binding *b = scope_add(c, SPACE_FUNCTION, BIND_FN, p->name, p->pos);
        b->decl = fn->decl;
        b->scope = fn->scope;
        return true;
    }
    if (!fn && is_builtin(name)) {
        scope_add(c, SPACE_FUNCTION, BIND_BUILTIN, p->name, p->pos)->builtin = name;
        return true;
    }
    if (!fn) {
        unknown_name(c, SPACE_FUNCTION, name, node_word(word));
        return false;
    }
    error(node_word(word), "E0303", "`%s` is not a `fn`", name->text);
    note(fn->pos, "it is declared here");
    help("only a pipeline calls kernels: put what both need into a `fn`");
    return false;
}

/* The value of a static parameter in this instance. False after a report. */
static bool choice_of(Instances *in, const StaticParam *p, Choice *choice)
{
    if (p->list) return *choice = p->choices.at[p->at], true;
    if (p->value) return read_choice(in, p, p->value, choice);
    error(p->pos, "E0302", "the static parameter `%s` has no value", p->name->text);
    help(p->kind == STATIC_TYPE ? "give it a list, `%s: type in [f32, bf16]`, or a default"
         : p->kind == STATIC_INT ? "give it a default, `%s: int = 64`, or a list, or say -D"
         : p->kind == STATIC_FN ? "give it the name of a fn: `%s: fn = gelu`"
         : "give it a default, `%s: bool = false`, a list, or say -D", p->name->text);
    return false;
}

/* Binds all static parameters in the innermost scope, and notes the numbers in *k. False after a
   report. */
static bool bind_statics(Instances *in, Kernel *k)
{
    Check *c = in->c;
    for (int i = 0; i < in->params.n; i++) {
        StaticParam *p = &in->params.at[i];
        Choice choice;
        if (!choice_of(in, p, &choice)) return false;
        if (p->kind == STATIC_FN) {
            if (!bind_fn(c, p, choice.node)) return false;
        } else if (p->kind == STATIC_TYPE) {
            scope_add(c, SPACE_TYPE, BIND_TYPE, p->name, p->pos)->elem = choice.elem;
        } else {
            Binding *b = scope_add(c, SPACE_VALUE, BIND_STATIC, p->name, p->pos);
            b->number = choice.number;
            b->is_bool = p->kind == STATIC_BOOL;
            push(&k->statics,
                 ((struct Static){ p->name, b->is_bool ? EL_BOOL : EL_I64, choice.number,
                                   p->list && p->turn == TURN_LIST, p->pos }));
        }
    }
    return true;
}

/* The part of the name that tells an instance from its siblings: _D64_BM128. */
static const char *suffix_of(const Instances *in)
{
    Text t = { 0 };
    text_add(&t, "", 0);
    for (int i = 0; i < in->wheels.n; i++) {
        const StaticParam *p = &in->params.at[in->wheels.at[i]];
        if (p->kind == STATIC_TYPE || p->choices.n < 2) continue;
        int64_t k = p->choices.at[p->at].number;
        if (k < 0) text_printf(&t, "_%sm%llu", p->name->text, 0 - (unsigned long long)k);
        else text_printf(&t, "_%s%lld", p->name->text, (long long)k);
    }
    return t.at ? t.at : "";
}

/* The values of the int and bool static parameters, for messages: BM = 24, BK = 32. */
static const char *values_text(const Kernel *k)
{
    Text t = { 0 };
    for (int i = 0; i < k->statics.n; i++) {
        const struct Static *s = &k->statics.at[i];
        text_printf(&t, "%s%s = ", i ? ", " : "", s->name->text);
        if (s->elem == EL_BOOL) text_printf(&t, "%s", s->value ? "true" : "false");
        else text_printf(&t, "%lld", (long long)s->value);
    }
    return t.at ? t.at : "no static parameters";
}

/* The function of the types that are bound now: the last one, or a new one. */
static Function *function_of(Instances *in)
{
    Check *c = in->c;
    Name name = node_name(kid(in->kernel, 0));
    Text symbol = { 0 };
    text_printf(&symbol, "%s", name->text);
    for (int i = 0; i < in->params.n; i++) {
        const Binding *b = in->params.at[i].kind != STATIC_TYPE ? NULL
                         : scope_find(c, SPACE_TYPE, in->params.at[i].name);
        if (b) text_printf(&symbol, "_%s", elem_info[b->elem].name);
    }
    const char *safe = c_symbol(symbol.at);
    if (in->function && name_of(in->function->symbol) == name_of(safe)) return in->function;
    Function *f = in->function = new(Function);
    f->name = name;
    f->symbol = safe;
    f->pos = node_word(kid(in->kernel, 0));
    f->decl = in->kernel;
    f->comment = node_comment(in->kernel);
    if (!f->comment && in->attrs) f->comment = node_comment(in->attrs);
    return f;
}

/* Checks and lowers the body with the static parameters as they are bound. */
static void lower_instance(Instances *in, Kernel *k)
{
    Check *c = in->c;
    k->suffix = suffix_of(in);
    k->body = ir_block(NULL);
    c->kernel = k;
    c->block = k->body;
    c->stmt = node_pos(in->kernel);
    c->calls.n = c->depth = 0;
    c->loop = NULL;
    c->known = NULL;
    int before = error_count();
    signature(c, in->kernel);
    own_before(c, in->kernel);
    if (in->attrs) attributes(c, in->attrs, ATTR_KERNEL, &k->attrs);
    lower_body(c, kid(in->kernel, 4));
    if (error_count() == before) own_after(c, in->kernel);
}

/* Makes the instance at this position of the wheels, unless `where` refuses it. False to stop. */
static bool make_instance(Instances *in)
{
    Check *c = in->c;
    Kernel *k = new(Kernel);
    int before = error_count();
    c->scope = c->globals;
    Scope *scope = scope_push(c);
    c->kernel = k;
    c->block = NULL;
    if (!bind_statics(in, k)) return false;
    const Node *refused = where_refuses(c, in->kernel);
    if (error_count() > before) return false;
    if (refused) {
        in->refused = refused;
        in->refused_with = values_text(k);
        return true;
    }
    k->function = function_of(in);
    in->made++;
    lower_instance(in, k);
    c->scope = scope;
    if (k->function->kernels.n == 0) push(&c->program->functions, k->function);
    push(&k->function->kernels, k);
    return error_count() == before && !too_many_errors();
}

/* ---- all instances --------------------------------------------------------------------------- */

/* Turns the wheels by one; false after the last position. */
static bool turn(Instances *in)
{
    for (int i = in->wheels.n - 1; i >= 0; i--) {
        StaticParam *p = &in->params.at[in->wheels.at[i]];
        if (++p->at < p->choices.n) return true;
        p->at = 0;
    }
    return false;
}

/* Does the name stand as an extent, so that the caller passes it? */
static bool is_extent(const Kernel *k, Name name)
{
    for (int i = 0; i < k->extents.n; i++)
        if (k->extents.at[i] == name) return true;
    return false;
}

/* Adds a number to a list that has it not yet. */
static void add_value(struct StaticArg *a, int64_t value)
{
    for (int i = 0; i < a->values.n; i++)
        if (a->values.at[i] == value) return;
    push(&a->values, value);
}

/* The static parameters that the caller of f chooses: those with a list, those that are extents. */
static void listed_of(const Instances *in, Function *f)
{
    for (int i = 0; i < in->params.n; i++) {
        const StaticParam *p = &in->params.at[i];
        bool extent = is_extent(f->kernels.at[0], p->name);
        bool list = p->list && p->turn == TURN_LIST;
        if (p->kind > STATIC_BOOL || (!list && !extent)) continue;
        struct StaticArg a = { .name = p->name, .pos = p->pos, .extent = extent,
                               .elem = p->kind == STATIC_BOOL ? EL_BOOL : EL_I64 };
        for (int n = 0; list && n < p->choices.n; n++) add_value(&a, p->choices.at[n].number);
        for (int n = 0; n < f->kernels.n; n++)
            for (int s = 0; s < f->kernels.at[n]->statics.n; s++) {
                struct Static *st = &f->kernels.at[n]->statics.at[s];
                if (st->name != p->name) continue;
                st->listed = true;
                add_value(&a, st->value);
            }
        push(&f->listed, a);
    }
}

/* Reports a `where` that leaves no instance. */
static void none_left(const Instances *in)
{
    int total = 1;
    for (int i = 0; i < in->wheels.n; i++) total *= in->params.at[in->wheels.at[i]].choices.n;
    if (total == 1) {
        bool any = in->params.n > 0;
        error(node_pos(in->refused), "E0305", "`%s` is false%s%s", node_source(in->refused),
              any ? ": " : "", any ? in->refused_with : "");
        help(any ? "change the default of a static parameter, or say -D NAME=VALUE"
                 : "no launch could be accepted: change the condition");
        return;
    }
    error(node_word(kid(in->kernel, 0)), "E0306",
          "none of the %d combinations of static parameters meets `where`",
          total);
    note(node_pos(in->refused), "the last of them, %s, fails this", in->refused_with);
    help("add values to the lists, or change the condition");
}

/* Makes the Functions of a kernel, with one Kernel for each combination of static parameters. */
void instances(Check *c, const Node *attrs, const Node *kernel)
{
    Instances in = { .c = c, .attrs = attrs, .kernel = kernel };
    int first = c->program->functions.n;
    if (!kid(kernel, 0) || !kid(kernel, 4) || !read_statics(&in)) return;
    bool more = true;
    while (more) more = make_instance(&in) && turn(&in);
    if (!in.made && in.refused) none_left(&in);
    for (int i = first; i < c->program->functions.n; i++)
        listed_of(&in, c->program->functions.at[i]);
    c->kernel = NULL;
    c->block = NULL;
}
