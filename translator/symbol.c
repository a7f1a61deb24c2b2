/* symbol.c -- the names of C functions: what C or CUDA has already, what two kernels would share */
#include "check.h"
#include <string.h>

/* Names that fall under a rule: those of the compiler, of CUDA, of our own helpers. */
static bool ruled(const char *name)
{
    static const char *const starts[] = { "cuda", "cu_", "tile_", "nv", "__", "M_" };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (!strncmp(name, starts[i], strlen(starts[i]))) return true;
    return c_ruled(name) || template_named(name);
}

/* The name of an extern "C" function: as it is, or with `_` behind it if it is taken. */
const char *c_symbol(const char *name)
{
    return c_word(name) || c_linked(name) || ruled(name) ? arena_printf("%s_", name) : name;
}

/* Reports two functions that would have the same C name. */
static void report_same(const Function *a, const Function *b, const char *name)
{
    error(b->pos, "E0209", "two kernels give the C function `%s`", name);
    note(a->pos, "`%s` is the other", a->name->text);
    help("rename one of them");
}

/* Reports functions whose C names meet, the strided forms among them. False if there are any. */
bool symbols_differ(const Program *p)
{
    NameMap first = { 0 };                         /* the first function with each symbol */
    bool good = true;
    for (int i = 0; i < p->functions.n; i++) {
        Function *f = p->functions.at[i], *same = map_find(&first, name_of(f->symbol));
        if (same) report_same(same, f, f->symbol);
        else map_put(&first, name_of(f->symbol), f);
        good = good && !same;
    }
    for (int i = 0; i < p->functions.n; i++) {
        const Function *f = p->functions.at[i];
        const char *strided = arena_printf("%s_strided", f->symbol);
        const Function *same = map_find(&first, name_of(strided));
        if (same) report_same(same, f, strided);
        good = good && !same;
    }
    return good;
}
