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
    bool good = true;
    for (int i = 0; i < p->functions.n; i++) {
        const Function *f = p->functions.at[i];
        const char *strided = arena_printf("%s_strided", f->symbol);
        for (int k = 0; k < p->functions.n; k++) {
            const Function *g = p->functions.at[k];
            bool same = k < i && !strcmp(f->symbol, g->symbol);
            if (!same && (k == i || strcmp(strided, g->symbol))) continue;
            report_same(g, f, same ? f->symbol : strided);
            good = false;
        }
    }
    return good;
}
