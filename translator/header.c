/* header.c -- the C header: a declaration for each launch function, and what it promises */
#include <string.h>
#include "launch.h"

/* ---- comments -------------------------------------------------------------------------------- */

/* Text for a comment of either kind: it neither ends nor nests it, and joins no lines. */
const char *comment_text(const char *text)
{
    Text t = { 0 };
    text_add(&t, "", 0);
    for (const char *s = text; *s; s++) {
        bool pair = (s[0] == '*' && s[1] == '/') || (s[0] == '/' && s[1] == '*') ||
                    (s[0] == '?' && s[1] == '?') || (s[0] == '\\' && (!s[1] || s[1] == '\n'));
        if (*s != '\r')
            text_printf(&t, pair ? "%c " : "%c", *s);
    }
    return t.at;
}

/* Text broken into lines of 100 columns: the first begins with `head`, the others with `more`. */
static void broken(Text *out, const char *head, const char *more, const char *text)
{
    int column = (int)strlen(head);
    bool first = true;
    text_printf(out, "%s", head);
    for (const char *s = comment_text(text); *s;) {
        int n = (int)strcspn(s, " "), gap = (int)strspn(s + n, " ");
        if (!first && column + 1 + n > 100) {
            text_printf(out, "\n%s", more);
            column = (int)strlen(more);
            first = true;
        }
        text_printf(out, first ? "%.*s" : " %.*s", n, s);
        column += !first + n;
        first = false;
        s += n + gap;
    }
    text_printf(out, "\n");
}

/* A paragraph of a comment. */
static void paragraph(Text *out, const char *text)
{
    broken(out, " * ", " * ", text);
}

/* Lines of a comment of the source, each after ` * `; long ones are broken. */
static void comment_lines(Text *out, const char *text)
{
    for (const char *s = text; *s; s += *s == '\n') {
        int n = (int)strcspn(s, "\n");
        if (n > 94)
            paragraph(out, arena_printf("%.*s", n, s));
        else
            text_printf(out, n ? " * %s\n" : " *%s\n", comment_text(arena_printf("%.*s", n, s)));
        s += n;
    }
}

/* The name of a file without its folder. */
const char *source_name(const Source *s)
{
    const char *slash = strrchr(s->path, '/');
    return comment_text(slash ? slash + 1 : s->path);
}

/* ---- tensors and other arguments ------------------------------------------------------------- */

/* [M, N] as in the source; what a static parameter decides by its name. */
static const char *shape_text(const Function *f, int param)
{
    const Param *p = &f->kernels.at[0]->params.at[param];
    Pieces dims = { 0 };
    for (int a = 0; a < p->type.rank; a++)
        push(&dims, extent_is_fixed(f, param, a) ? sym_text(p->type.dim[a])
                                                 : extent_text(f, param, a));
    return arena_printf("[%s]", joined(&dims, ", "));
}

/* What a kernel does with a tensor. */
static const char *use_text(const Param *p)
{
    switch (p->kind) {
    case PARAM_SHARED: return "read";
    case PARAM_ATOMIC: return "updated atomically";
    case PARAM_SCALAR: return "";
    case PARAM_MUT: break;
    }
    if (!p->has_by)
        return "written by scatter: what it does not name stays";
    if (p->written)
        return p->loaded ? "read, and written: every element"
                         : "written: every element exactly once";
    return p->loaded ? "read and updated in part" : "updated: what is not stored stays";
}

/* An argument: its name in a column, and what it is. */
static void argument(Text *out, int width, const char *name, const char *text)
{
    broken(out, arena_printf(" *   %-*s   ", width, name), arena_printf(" *   %*s     ", width, ""),
           text);
}

/* The values that the caller may choose from. */
static const char *listed_text(const struct StaticArg *a)
{
    Pieces values = { 0 };
    for (int i = 0; i < a->values.n; i++)
        push(&values, a->elem == EL_BOOL ? a->values.at[i] ? "true" : "false"
                                         : arena_printf("%lld", (long long)a->values.at[i]));
    return arena_printf("%s%s", joined(&values, " or "), a->extent ? "" : ": picks the kernel");
}

/* Columns for the longest name of an argument. */
static int names_width(const Function *f)
{
    const Kernel *k = f->kernels.at[0];
    int width = 1;
    for (int i = 0; i < k->params.n + f->listed.n; i++) {
        Name name = i < k->params.n ? k->params.at[i].name : f->listed.at[i - k->params.n].name;
        int n = (int)strlen(c_name(name));
        width = n > width ? n : width;
    }
    return width;
}

/* A line for each argument but the extents that may be anything. */
static void arguments(Text *out, const Function *f)
{
    const Kernel *k = f->kernels.at[0];
    int width = names_width(f);
    for (int i = 0; i < k->params.n; i++) {
        const Param *p = &k->params.at[i];
        const char *elem = elem_info[p->type.elem].name;
        argument(out, width, c_name(p->name),
                 p->kind == PARAM_SCALAR ? elem
                 : arena_printf("%s %s, %s%s%s", elem, shape_text(f, i), use_text(p),
                                p->optional ? "; may be NULL" : "",
                                p->strided ? "; strided" : ""));
    }
    for (int i = 0; i < f->listed.n; i++)
        argument(out, width, c_name(f->listed.at[i].name), listed_text(&f->listed.at[i]));
}

/* ---- what is refused ------------------------------------------------------------------------- */

/* The conditions of where; those of single variants only if all have some. */
static void conditions(Text *out, const Function *f)
{
    Pieces all = { 0 };
    const Kernel *k = f->kernels.at[0];
    for (int i = 0; i < k->conds.n; i++)
        if (cond_is_shared(f, &k->conds.at[i]))
            push(&all, cond_plain(k, &k->conds.at[i]));
    if (all.n)
        paragraph(out, arena_printf("Refused unless %s.", joined(&all, ", ")));
}

/* The exclusive tensors by name: y; y, mean and rstd. */
static const char *exclusive_names(const Kernel *k)
{
    Pieces names = { 0 };
    for (int i = 0; i < k->params.n; i++)
        if (k->params.at[i].kind == PARAM_MUT || k->params.at[i].kind == PARAM_ATOMIC)
            push(&names, c_name(k->params.at[i].name));
    if (names.n < 2)
        return names.n ? names.at[0] : NULL;
    const char *last = names.at[--names.n];
    return arena_printf("%s and %s", joined(&names, ", "), last);
}

/* What the caller promises of tensors that any program may write. */
static void promises(Text *out, const Kernel *k)
{
    for (int i = 0; i < k->params.n; i++)
        if (k->params.at[i].kind == PARAM_MUT && !k->params.at[i].has_by)
            paragraph(out, arena_printf("The caller promises that no element of %s is written "
                                        "twice in a launch.", c_name(k->params.at[i].name)));
}

/* The longest whole axis, if one of the plans has to say. */
static void longest(Text *out, const Function *f, Plan *const *plans)
{
    int64_t most = 0;
    const Plan *which = NULL;
    for (int i = 0; i < f->kernels.n; i++) {
        if (!plans[i]->longest)
            return;
        if (plans[i]->longest > most)
            most = (which = plans[i])->longest;
    }
    paragraph(out, arena_printf("Refused if %s is more than %lld: %s.", sym_text(which->whole),
                                (long long)most, which->longest_why));
}

/* ---- declarations ---------------------------------------------------------------------------- */

/* The declaration of a launch function. */
static void declaration(Text *out, const Function *f, const char *name, AbiForm form)
{
    text_printf(out, "cudaError_t %s(", name);
    abi_params(out, f, form, 13 + (int)strlen(name));
    text_printf(out, ");\n\n");
}

/* y[i * y_stride + j], of the first tensor that has strides. */
static const char *element_example(const Kernel *k)
{
    static const char *const letters[] = { "i", "j", "k", "l", "m", "n" };
    int param = 0;
    Pieces terms = { 0 }, places = { 0 };
    while (c_strides(&k->params.at[param]) == 0)
        param++;
    const Param *p = &k->params.at[param];
    for (int a = 0; a < p->type.rank; a++) {
        push(&places, letters[a]);
        push(&terms, a < c_strides(p) ? arena_printf("%s * %s", letters[a], c_stride(p, a))
                                      : letters[a]);
    }
    return arena_printf("element (%s) of %s is %s[%s]", joined(&places, ", "), c_name(p->name),
                        c_name(p->name), joined(&terms, " + "));
}

/* What the source says of the kernel, and where it stands. */
static void title(Text *out, const Function *f)
{
    Text t = { 0 };
    comment_lines(&t, f->comment ? f->comment : arena_printf("%s.", f->name->text));
    size_t first = strcspn(t.at, "\n");
    const char *place = !f->pos.source ? "" : arena_printf("%s:%d", source_name(f->pos.source),
                                                           source_line(f->pos));
    int gap = 97 - (int)first - (int)strlen(place);
    text_printf(out, "/%.*s%*s%s%s", (int)first - 1, t.at + 1, gap > 1 ? gap : 0, "",
                gap > 1 ? place : "", t.at + first);
    if (gap <= 1)
        text_printf(out, " * (%s)\n", place);
    text_printf(out, " *\n");
}

/* The comment and the declarations of a function. */
static void function(Text *out, const Function *f, Plan *const *plans)
{
    title(out, f);
    arguments(out, f);
    text_printf(out, " *\n");
    const char *names = exclusive_names(f->kernels.at[0]);
    if (names)
        paragraph(out, arena_printf("No byte of %s may belong to another argument.", names));
    promises(out, f->kernels.at[0]);
    conditions(out, f);
    longest(out, f, plans);
    text_printf(out, " */\n");
    declaration(out, f, f->symbol, ABI_PLAIN_C);
    if (!strcmp(launch_general(f), f->symbol))
        return;
    const char *example = element_example(f->kernels.at[0]);
    bool fits = strlen(example) < 55;
    text_printf(out, "/* The same for strides of any size:%s%s.%s */\n", fits ? " " : "\n *     ",
                example, fits ? "" : "\n");
    declaration(out, f, launch_general(f), ABI_STRIDED_C);
}

/* ---- types ----------------------------------------------------------------------------------- */

static const struct Typedef { const char *name, *guard, *header, *cpp, *c; } typedefs[] = {
    { "tile_f16",    "TILE_HAS_F16",    "cuda_fp16.h", "__half",        "uint16_t" },
    { "tile_bf16",   "TILE_HAS_BF16",   "cuda_bf16.h", "__nv_bfloat16", "uint16_t" },
    { "tile_f8e4m3", "TILE_HAS_F8E4M3", "cuda_fp8.h",  "__nv_fp8_e4m3", "uint8_t" },
    { "tile_f8e5m2", "TILE_HAS_F8E5M2", "cuda_fp8.h",  "__nv_fp8_e5m2", "uint8_t" },
};

/* CUDA's own types in C++, their bits in C; each once, whatever headers are included. */
static void typedef_lines(Text *out, const char *code)
{
    for (size_t i = 0; i < sizeof typedefs / sizeof *typedefs; i++) {
        const struct Typedef *t = &typedefs[i];
        if (!strstr(code, arena_printf("%s ", t->name)))
            continue;
        text_printf(out, "#ifndef %s\n#define %s\n#ifdef __cplusplus\n#include <%s>\n", t->guard,
                    t->guard, t->header);
        text_printf(out, "typedef %s %s;\n#else\ntypedef %s %s;\n#endif\n#endif\n\n", t->cpp,
                    t->name, t->c, t->name);
    }
}

/* ---- the file -------------------------------------------------------------------------------- */

static const char general[] =
    "Pointers are to device memory. Tensors are row-major, with rows of any alignment; strides, "
    "where there are any, are in elements and not negative, and those of axes of extent 0 or 1 do "
    "not matter. A function enqueues its kernel on the stream and returns; nothing is "
    "synchronised. Without a program, that is, if an extent is 0 that the outputs are cut along, "
    "it does nothing. It returns cudaErrorInvalidValue, with the reason in tile_last_error(), for "
    "a negative extent, a null pointer to elements, an output two elements of which are in one "
    "place, arguments that overlap, and what its own comment says.";

/* Writes the header of a program. */
void emit_header(Text *out, const Program *p, Plan *const *const *plans, const char *guard,
                 const char *file)
{
    Text code = { 0 };
    text_add(&code, "", 0);
    for (int i = 0; i < p->functions.n; i++)
        function(&code, p->functions.at[i], plans[i]);
    broken(out, "/* ", " * ", arena_printf("%s -- translated from %s by tilec; edit the .tile, not "
                                           "this file.", file, source_name(p->source)));
    text_printf(out, " *\n");
    paragraph(out, general);
    text_printf(out, " */\n#ifndef %s\n#define %s\n\n#include <stdbool.h>\n#include <stdint.h>\n"
                     "#include <cuda_runtime_api.h>\n\n", guard, guard);
    typedef_lines(out, code.at);
    text_printf(out, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n%s", code.at);
    text_printf(out, "/* Why the last call in this thread failed; \"\" if it did not. */\n"
                     "const char *tile_last_error(void);\n\n"
                     "#ifdef __cplusplus\n}\n#endif\n#endif\n");
}
