/* atom.c -- names of the program in C: tensors, scalars, and formulas of them */
#include "mapping.h"

/* The C name of a tensor. */
const char *tensor_name(const Value *tensor)
{
    return map_of(tensor)->name ? map_of(tensor)->name
         : tensor->name ? c_name(tensor->name) : "tensor";
}

/* ---- formulas as C --------------------------------------------------------------------------- */

/* The integer that an atom stands for has fewer than 64 bits. */
static bool is_narrow(const Kernel *k, Sym atom)
{
    for (int i = 0; atom->kind == SYM_NAME && i < k->params.n; i++)
        if (k->params.at[i].kind == PARAM_SCALAR && k->params.at[i].name == atom->name)
            return elem_info[k->params.at[i].type.elem].bytes < 8;
    return atom->kind == SYM_VALUE && elem_info[((const Value *)atom->value)->type.elem].bytes < 8;
}

/* The C name of an atom. */
static const char *atom_name(Sym atom)
{
    if (atom->kind != SYM_VALUE)
        return c_name(atom->name);
    const Value *v = atom->value;
    return map_of(v)->var ? map_of(web_root((Value *)v))->name : map_of(v)->name;
}

/* The same inside a formula, which is computed in 64 bits: 128 * (int64_t)n. */
static const char *atom_in_formula(Sym atom, void *arg)
{
    const Emit *e = arg;
    return is_narrow(e->k, atom) ? arena_printf("(int64_t)%s", atom_name(atom)) : atom_name(atom);
}

/* Has the value a C variable of 64 bits, written once, that the op being written can see? */
static bool is_visible(const Emit *e, const Value *v)
{
    if (!map_of(v)->var || !map_of(web_root((Value *)v))->declared || !alone(e, v))
        return false;
    const Block *b = e->root ? e->root->block : NULL;
    while (b && b != v->def->block)
        b = b->parent ? b->parent->block : NULL;
    return b != NULL;
}

/* The user's name for a formula, if it has one here: lo for g * ceil(M, G). */
static const char *known_formula(Sym s, void *arg)
{
    const Emit *e = arg;
    if (s->kind == SYM_CONST || s->kind == SYM_NAME || s->kind == SYM_VALUE)
        return NULL;
    for (int i = 0; i < e->formulas.n; i++) {
        const Value *v = e->formulas.at[i];
        if (v->sym == s && is_visible(e, v))
            return map_of(web_root((Value *)v))->name;
    }
    return NULL;
}

/* A Sym as C, its values by the names of their variables. */
const char *sym_c(Emit *e, Sym s)
{
    bool atom = s->kind == SYM_VALUE || s->kind == SYM_NAME;
    return atom ? atom_name(s) : c_sym_with(s, atom_in_formula, known_formula, e);
}
