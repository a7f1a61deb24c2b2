/* combine_function.c -- the function of a fold or scan as a C++ lambda, and what it works on */
/* needs: a body being written.  gives: CUDA C.  keeps: the plan. */
#include "mapping.h"
#include <string.h>

/* Is the state a struct, not one plain value? */
bool state_is_struct(const Combine *m)
{
    return m->n > 1 || m->flagged;
}

/* The name of a member: the lambda's own for it, if no other has it. */
static const char *member(const Combine *m, int i)
{
    Value *const *args = m->op->region[0]->args;
    const Name name = args[i]->name ? args[i]->name : m->op->results[i]->name;
    bool clear = name != NULL && strcmp(c_name(name), "some");
    for (int j = 0; j < m->n && clear; j++)
        clear = j == i || (args[j]->name ? args[j]->name : m->op->results[j]->name) != name;
    return clear ? c_name(name) : arena_printf("v%d", i);
}

/* s.v, or s if it is one plain value. */
const char *member_of(const Combine *m, const char *state, int i)
{
    return state_is_struct(m) ? arena_printf("%s.%s", state, member(m, i)) : state;
}

/* An element as it stands in braces: C computes in int what is narrower. */
static const char *in_braces(Elem e, Ex x)
{
    bool widens = e == EL_BOOL || (elem_is_int(e) && elem_info[e].bytes < 4);
    if (!widens || x.prec == PREC_PRIMARY)
        return x.s;
    return arena_printf(x.prec <= PREC_UNARY ? "(%s)%s" : "(%s)(%s)", device_type(e), x.s);
}

/* A state made of the values; `some`: C for whether it stands for any element. */
const char *state_of(Emit *e, const Combine *m, Value **values, const char *some)
{
    if (!state_is_struct(m))
        return element_text(e, values[0]);
    Text t = { 0 };
    for (int i = 0; i < m->n; i++)
        text_printf(&t, "%s%s", i ? ", " : "",
                    in_braces(values[i]->type.elem, element(e, values[i])));
    return arena_printf("%s{%s%s%s}", m->type, t.at, m->flagged ? ", " : "",
                        m->flagged ? some : "");
}

/* Declares the struct, in front of the body, where shared memory can be of it. */
void declare_struct(Emit *e, const Combine *m)
{
    Text t = { 0 };
    for (int i = 0; i < m->n; i++)
        text_printf(&t, "%s %s; ", device_type(m->op->args[i]->type.elem), member(m, i));
    text_printf(e->shared, "    struct %s { %s%s};\n", m->type, t.at,
                m->flagged ? "bool some; " : "");
}

/* Gives the arguments of the function their names in it: a, b, or a.v, b.v. */
static void name_arguments(Emit *e, const Combine *m, const char *names[2])
{
    Value *const *args = m->op->region[0]->args;
    for (int side = 0; side < 2; side++) {
        const Name own = args[side]->name;
        bool keeps = !state_is_struct(m) && own && (side == 0 || args[0]->name != own);
        names[side] = fresh(e, keeps ? c_name(own) : side ? "b" : "a");
        for (int i = 0; i < m->n; i++)
            map_of(args[side * m->n + i])->name = member_of(m, names[side], i);
    }
}

/* const auto add = [&](float a, float b) { return a + b; }; */
void write_function(Emit *e, Combine *m)
{
    Block *b = m->op->region[0];
    const OpRow *row = op_lambda_row(m->op);
    Text body = { 0 }, *out = e->out;
    const char *names[2];
    int scope = e->names.used.n;
    m->f = fresh(e, row ? row->name : "combine");
    name_arguments(e, m, names);
    text_add(&body, "", 0);
    e->out = &body;
    e->indent++;
    for (int i = 0; m->flagged && i < 2; i++) {
        line(e, "if (!%s.some)", names[i]);
        line(e, "    return %s;", names[1 - i]);
    }
    write_block(e, b);
    e->indent--;
    e->out = out;
    const char *result = state_of(e, m, b->last->args, "true");
    const char *head = arena_printf("const auto %s = [&](%s %s, %s %s) -> %s", m->f, m->type,
                                    names[0], m->type, names[1], m->type);
    const char *short_form = arena_printf("%s { return %s; };", head, result);
    if (!body.n && 4 * e->indent + (int)strlen(short_form) <= 100) {
        line(e, "%s", short_form);
    } else {
        open_block(e, "%s", head);
        text_add(e->out, body.at, body.n);
        line(e, "return %s;", result);
        close_block(e, ";");
    }
    e->names.used.n = scope;
    take_name(e, m->f);
}

/* The first value by name or number. */
void write_none(Emit *e, Combine *m)
{
    Value **init = m->op->args + m->n;
    m->none = state_of(e, m, init, "false");
    const Elem elem = init[0]->type.elem;          /* that literals have in C */
    bool literal = elem == EL_F32 || elem == EL_F64 || elem == EL_I32 || elem == EL_U32;
    bool number =
        literal && !state_is_struct(m) && init[0]->def && init[0]->def->kind == OP_CONST;
    if (number || (!state_is_struct(m) && map_of(init[0])->var))
        return;
    const char *name = fresh(e, arena_printf("%s_none", m->f));
    line(e, "const %s %s = %s;", m->type, name, m->none);
    m->none = name;
}
