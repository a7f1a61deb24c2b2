/* launch_args.c -- `tilec run`: from the words of the command line to what a launch takes */
#include <stdlib.h>
#include <string.h>
#include "interp.h"
#include "options.h"
#include "run.h"

/* Where the argument of a parameter comes from. */
typedef struct { Word *word; Recipe recipe; bool to_make; } Origin;

/* Everything about one launch that is being put together. */
typedef struct {
    RunRequest *request;
    const Program *program;
    Launch *launch;
    Origin *origins;                               /* by parameter */
    int status;
} Reading;

/* ---- words ----------------------------------------------------------------------------------- */

/* The word that gives a name its value; NULL if there is none. */
static Word *find_word(RunRequest *request, const char *name)
{
    for (int i = 0; i < request->words.n; i++)
        if (!strcmp(request->words.at[i].name, name)) {
            request->words.at[i].used = true;
            return &request->words.at[i];
        }
    return NULL;
}

/* Reports, and sets the exit status; false. */
static bool give_up(Reading *r, int status, const char *why)
{
    complain("%s", why);
    r->status = status;
    return false;
}

/* ---- the instance ---------------------------------------------------------------------------- */

/* Is this function called so, as a kernel or as an instance of one? */
static bool is_called(const Function *f, const char *name)
{
    return !strcmp(f->name->text, name) || !strcmp(f->symbol, name);
}

/* The file of an input, or of an output that is there already, is read at once: its type tells the
   instance. */
static bool read_origin(Reading *r, const Param *p, int i)
{
    Origin *s = &r->origins[i];
    Tensor *t = &r->launch->args[i].tensor;
    s->word = find_word(r->request, p->name->text);
    s->to_make = p->kind != PARAM_SHARED && !s->word && !p->optional;
    if (!s->word || p->kind == PARAM_SCALAR)
        return true;
    const char *why = recipe_read(s->word->value, &s->recipe);
    if (why)
        return give_up(r, 2, arena_printf("%s=%s %s", s->word->name, s->word->value, why));
    if (s->recipe.kind != MADE_FILE)
        return true;
    FILE *there = p->kind == PARAM_SHARED ? NULL : fopen(s->recipe.path, "rb");
    s->to_make = p->kind != PARAM_SHARED && !there;
    if (there)
        fclose(there);
    if (p->kind != PARAM_SHARED)
        r->launch->path[i] = s->recipe.path;
    why = s->to_make ? NULL : npy_read(s->recipe.path, t);
    if (why)
        return give_up(r, 2, arena_printf("%s %s", s->recipe.path, why));
    if (s->to_make || s->recipe.elem == EL_ERROR)
        return true;
    if (elem_info[s->recipe.elem].bytes != elem_info[t->elem].bytes)
        return give_up(r, 2, arena_printf("%s has elements of %d bytes; %s has %d",
                                          s->recipe.path, elem_info[t->elem].bytes,
                                          elem_info[s->recipe.elem].name,
                                          elem_info[s->recipe.elem].bytes));
    t->elem = s->recipe.elem;
    return true;
}

/* The element type that is said, EL_ERROR if it leaves it open. */
static Elem origin_elem(const Reading *r, int i)
{
    const Tensor *t = &r->launch->args[i].tensor;
    return t->present ? t->elem : r->origins[i].word ? r->origins[i].recipe.elem : EL_ERROR;
}

/* Can f take arrays of the types that are known? */
static bool types_fit(const Reading *r, const Function *f)
{
    const Kernel *k = f->kernels.at[0];
    for (int i = 0; i < k->params.n; i++) {
        const Elem e = origin_elem(r, i);
        if (k->params.at[i].kind != PARAM_SCALAR && e != EL_ERROR && e != k->params.at[i].type.elem)
            return false;
    }
    return true;
}

/* What there is instead of a kernel or instance. */
static const char *names_of(const Program *p, const char *kernel)
{
    Text out = {0};
    text_printf(&out, "%s", "");
    for (int i = 0; i < p->functions.n; i++)
        if (!kernel || is_called(p->functions.at[i], kernel))
            text_printf(&out, "%s%s", out.n ? ", " : "", p->functions.at[i]->symbol);
    return out.at;
}

/* Finds the instance by its name and the types of the arrays. */
static bool find_function(Reading *r)
{
    const char *name = r->request->kernel;
    const Function *some = NULL;
    for (int i = 0; i < r->program->functions.n && !some; i++)
        if (is_called(r->program->functions.at[i], name))
            some = r->program->functions.at[i];
    if (!some)
        return give_up(r, 2, arena_printf("%s has no kernel `%s`; it has %s", r->request->file,
                                          name, names_of(r->program, NULL)));
    const Kernel *k = some->kernels.at[0];
    r->launch->nargs = k->params.n;
    r->launch->args = new_array(Arg, k->params.n + 1);
    r->launch->path = new_array(const char *, k->params.n + 1);
    r->origins = new_array(Origin, k->params.n + 1);
    for (int i = 0; i < k->params.n; i++)
        if (!read_origin(r, &k->params.at[i], i))
            return false;
    for (int i = 0; i < r->program->functions.n && !r->launch->function; i++) {
        const Function *f = r->program->functions.at[i];
        if (is_called(f, name) && types_fit(r, f))
            r->launch->function = f;
    }
    return r->launch->function
           || give_up(r, 1, arena_printf("no instance of `%s` takes arrays of these types; there "
                                         "are %s", name, names_of(r->program, name)));
}

/* ---- scalars, listed statics ----------------------------------------------------------------- */

/* Reads the scalar parameters. */
static bool read_scalars(Reading *r)
{
    const Kernel *k = r->launch->function->kernels.at[0];
    for (int i = 0; i < k->params.n; i++) {
        const Param *p = &k->params.at[i];
        const Word *word = r->origins[i].word;
        if (p->kind != PARAM_SCALAR)
            continue;
        if (!word)
            return give_up(r, 2, arena_printf("%s is missing: write %s=1", p->name->text,
                                              p->name->text));
        if (!number_read(word->value, p->type.elem, &r->launch->args[i].scalar))
            return give_up(r, 2, arena_printf("%s=%s is no number of type %s", word->name,
                                              word->value, elem_info[p->type.elem].name));
    }
    return true;
}

/* Reads the listed ints and bools that are no extents. */
static bool read_listed(Reading *r)
{
    const Function *f = r->launch->function;
    r->launch->listed = new_array(int64_t, f->listed.n + 1);
    for (int i = 0; i < f->listed.n; i++) {
        const struct StaticArg *s = &f->listed.at[i];
        const Word *word = find_word(r->request, s->name->text);
        Constant number;
        Text values = {0};
        bool found = false;
        for (int j = 0; j < s->values.n; j++)
            text_printf(&values, "%s%lld", j ? ", " : "", (long long)s->values.at[j]);
        if (s->extent && !word)
            continue;
        if (!word)
            return give_up(r, 2, arena_printf("%s is missing; it is one of %s", s->name->text,
                                              values.at));
        if (!number_read(word->value, s->elem, &number)
            && !number_read(word->value, EL_I64, &number))
            return give_up(r, 2, arena_printf("%s=%s is no number", word->name, word->value));
        for (int j = 0; j < s->values.n; j++)
            found = found || s->values.at[j] == number.i;
        if (!found)
            return give_up(r, 1, arena_printf("%s is %s; it is one of %s", word->name, word->value,
                                              values.at));
        r->launch->listed[i] = number.i;
    }
    return true;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* Makes the arrays that are described. */
static bool make_described(Reading *r)
{
    const Kernel *k = r->launch->function->kernels.at[0];
    for (int i = 0; i < k->params.n; i++) {
        const Param *p = &k->params.at[i];
        const Origin *s = &r->origins[i];
        Tensor *t = &r->launch->args[i].tensor;
        if (p->kind == PARAM_SCALAR)
            continue;
        if (!s->word && !p->optional && p->kind == PARAM_SHARED)
            return give_up(r, 2, arena_printf("%s is missing: write %s=FILE.npy or "
                                              "%s=random:4096x256", p->name->text, p->name->text,
                                              p->name->text));
        if (!s->word || s->recipe.kind == MADE_FILE)
            continue;
        t->elem = p->type.elem;
        const char *why = recipe_make(&s->recipe, r->request->seed * 64 + (uint64_t)i + 1, t);
        if (why)
            return give_up(r, 2, arena_printf("%s=%s %s", s->word->name, s->word->value, why));
    }
    return true;
}

/* Is it an extent of the kernel? */
static bool is_extent(const Kernel *k, const char *name)
{
    for (int i = 0; i < k->extents.n; i++)
        if (!strcmp(k->extents.at[i]->text, name))
            return true;
    return false;
}

/* Binds what -D says of extents that no array fixes. */
static void bind_defines(const Kernel *k, Names *names)
{
    Constant number;
    for (int i = options.defines.n - 1; i >= 0; i--) {
        const Define *d = &options.defines.at[i];
        if (!d->kernel && is_extent(k, d->name) && number_read(d->value, EL_I64, &number))
            names_bind(names, name_of(d->name), number.i, NULL);
    }
}

/* Sets the extents of what must be made by those of a kernel; NULL or why that cannot be. */
static const char *outputs_of(Reading *r, const Kernel *k)
{
    Names names = {0};
    launch_bind(k, r->launch->args, &names);
    bind_defines(k, &names);
    for (int i = 0; i < k->params.n; i++) {
        const Param *p = &k->params.at[i];
        Tensor *t = &r->launch->args[i].tensor;
        const char *why = t->present ? launch_tensor(p, t, &names) : NULL;
        if (why)
            return why;
        t->elem = r->origins[i].to_make ? p->type.elem : t->elem;
        t->rank = r->origins[i].to_make ? p->type.rank : t->rank;
        for (int a = 0; a < p->type.rank && r->origins[i].to_make; a++)
            if (!names_eval(&names, p->type.dim[a], &t->extent[a]) || t->extent[a] < 0)
                return arena_printf("nothing fixes axis %d of %s, which is %s; -D can", a,
                                    p->name->text, sym_text(p->type.dim[a]));
    }
    return NULL;
}

/* Makes the outputs that do not exist yet, by the first kernel whose extents agree. */
static bool make_outputs(Reading *r)
{
    const Function *f = r->launch->function;
    const char *why = NULL;
    for (int i = 0; i < f->kernels.n; i++)
        if (!(why = outputs_of(r, f->kernels.at[i])))
            break;
    if (why)
        return give_up(r, 1, arena_printf("%s: %s", f->symbol, why));
    for (int i = 0; i < r->launch->nargs; i++) {
        Tensor *t = &r->launch->args[i].tensor;
        if (!r->origins[i].to_make)
            continue;
        why = tensor_make(t);
        if (why)
            return give_up(r, 2, arena_printf("%s %s",
                                              f->kernels.at[0]->params.at[i].name->text, why));
        if (f->kernels.at[0]->params.at[i].kind == PARAM_ATOMIC)
            memset(t->data, 0, (size_t)tensor_bytes(t));   /* what counts begins at nothing */
        else
            fill_sentinel(t);
    }
    return true;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* A word that is no argument is a mistake, and so is a -D that is no static, const or extent. */
static bool all_used(Reading *r)
{
    const Kernel *k = r->launch->function->kernels.at[0];
    for (int i = 0; i < options.defines.n; i++) {
        const Define *d = &options.defines.at[i];
        if (!d->parsed && !is_extent(k, d->name))
            return give_up(r, 2, arena_printf("-D %s: `%s` has no parameter and no extent of this "
                                              "name", d->name, r->request->kernel));
    }
    for (int i = 0; i < r->request->words.n; i++)
        if (!r->request->words.at[i].used)
            return give_up(r, 2, arena_printf("`%s` takes no argument `%s`", r->request->kernel,
                                              r->request->words.at[i].name));
    return true;
}

/* Finds the instance, reads and makes the arrays; false after a report. */
bool launch_args(RunRequest *request, const Program *program, Launch *launch, int *status)
{
    Reading r = {.request = request, .program = program, .launch = launch};
    const bool right = find_function(&r) && read_scalars(&r) && read_listed(&r) && all_used(&r)
                       && make_described(&r) && make_outputs(&r);
    *status = r.status;
    return right;
}
