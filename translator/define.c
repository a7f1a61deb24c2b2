/* define.c -- values that the command line gives: -D NAME=VALUE, -D KERNEL.NAME=VALUE */
#include "check.h"
#include "options.h"
#include <string.h>

static const Pos nowhere;

/* Parses the value of a -D as an expression; NULL after a report. */
static const Node *define_parse(Define *d)
{
    if (d->parsed) return d->expr;
    d->parsed = true;
    const char *text = arena_printf("const D = %s;", d->value);
    const char *path = arena_printf("-D%s=%s", d->name, d->value);
    int before = error_count();
    const Node *file = parse(source_text(path, text, strlen(text)));
    if (error_count() > before) return NULL;
    if (file && kid_count(file) == 1 && kid(file, 0)->kind == N_CONST)
        return d->expr = kid(kid(file, 0), 2);
    error(nowhere, "E0902", "-D %s=%s: the value is not one expression", d->name, d->value);
    return NULL;
}

/* True if -D gives a value for a name (of a kernel; NULL: a const). The last one counts, and one
   that names the kernel before one that does not. *value: parsed, or NULL after a report. */
bool define_find(Name kernel, Name name, const Node **value)
{
    Define *found = NULL;
    for (int i = 0; i < options.defines.n; i++) {
        Define *d = &options.defines.at[i];
        if (strcmp(d->name, name->text)) continue;
        if (d->kernel && (!kernel || strcmp(d->kernel, kernel->text))) continue;
        d->used = true;
        if (!found || d->kernel || !found->kernel) found = d;
    }
    if (!found) return false;
    *value = define_parse(found);
    return true;
}

/* Shows the static parameters of a kernel, or its name, to a search. */
static void try_kernel(Nearest *near, const Node *kernel, const Define *d, bool names)
{
    if (names) nearest_try(near, node_name(kid(kernel, 0))->text);
    if (names || (d->kernel && strcmp(d->kernel, node_name(kid(kernel, 0))->text))) return;
    const Node *statics = kid(kernel, 1);
    for (const Node *s = statics ? statics->kids : NULL; s; s = s->next)
        if (kid(s, 0)) nearest_try(near, node_name(kid(s, 0))->text);
}

/* What a -D that nothing took was probably meant for. */
static void suggest(Check *c, const Define *d, bool kernel)
{
    Nearest near = { .word = kernel ? d->kernel : d->name };
    for (const Node *n = c->file->kids; n; n = n->next) {
        const Node *decl = n->kind == N_WITH ? kid(n, 1) : n;
        if (decl && decl->kind == N_KERNEL) try_kernel(&near, decl, d, kernel);
        if (decl && decl->kind == N_CONST && !d->kernel)
            nearest_try(&near, node_name(kid(decl, 0))->text);
    }
    if (near.best) help("did you mean `%s`?", near.best);
}

/* Is there a kernel of that name in the main file? */
static bool has_kernel(Check *c, const char *name)
{
    const Binding *b = scope_find(c, SPACE_FUNCTION, name_of(name));
    return b && b->decl && b->decl->kind == N_KERNEL;
}

/* Reports each -D that no static parameter and no const took. */
void define_report(Check *c)
{
    c->scope = c->globals;
    for (int i = 0; i < options.defines.n; i++) {
        const Define *d = &options.defines.at[i];
        if (d->used) continue;
        if (d->kernel && !has_kernel(c, d->kernel)) {
            error(nowhere, "E0901", "-D %s.%s: there is no kernel `%s`", d->kernel, d->name,
                  d->kernel);
            suggest(c, d, true);
        } else {
            error(nowhere, "E0901", "-D %s%s%s: no static parameter%s has this name",
                  d->kernel ? d->kernel : "", d->kernel ? "." : "", d->name,
                  d->kernel ? " of the kernel" : " and no const");
            suggest(c, d, false);
        }
    }
}
