/* file.c -- the whole output: head, includes, helpers, kernels, launch functions; and its header */
#include <ctype.h>
#include <string.h>
#include "launch.h"

/* ---- plans ----------------------------------------------------------------------------------- */

/* The plans of all kernels, by function and kernel; NULL after a report. */
static Plan ***plan_all(const Program *p)
{
    Plan ***plans = new_array(Plan **, p->functions.n + 1);
    bool good = true;
    for (int i = 0; i < p->functions.n; i++) {
        const Function *f = p->functions.at[i];
        plans[i] = new_array(Plan *, f->kernels.n);
        for (int j = 0; j < f->kernels.n; j++) {
            plans[i][j] = plan_kernel(f->kernels.at[j]);
            good = good && plans[i][j];
        }
    }
    return good ? plans : NULL;
}

/* ---- names of the file ----------------------------------------------------------------------- */

/* Adds a name that the file defines; false and a report if another function has it already. */
static bool add_symbol(NameMap *all, const char *name, const Function *f)
{
    const Function *other = map_find(all, name_of(name));
    if (other && other != f) {
        error(f->pos, "E0209", "two kernels give the C function `%s`", name);
        note(other->pos, "`%s` is the other", other->name->text);
        help("rename one of them");
        return false;
    }
    map_put(all, name_of(name), (void *)f);
    return true;
}

/* False after a report if two functions of the file would share a name. */
static bool symbols_are_free(const Program *p, Plan *const *const *plans)
{
    NameMap all = { 0 };
    bool good = true;
    for (int i = 0; i < p->functions.n; i++) {
        const Function *f = p->functions.at[i];
        good = add_symbol(&all, f->symbol, f) && add_symbol(&all, launch_general(f), f) && good;
        for (int j = 0; j < f->kernels.n; j++) {
            const Plan *plan = plans[i][j];
            for (int e = 0; e < plan->entries.n; e++)
                good = add_symbol(&all, plan->entries.at[e].symbol, f) && good;
        }
    }
    return good;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* Has a kernel a body for sm_90a? */
static bool has_boxes(const Program *p, Plan *const *const *plans)
{
    bool any = false;
    for (int i = 0; i < p->functions.n; i++)
        for (int j = 0; j < p->functions.at[i]->kernels.n; j++)
            any |= plans[i][j]->ring != NULL;
    return any;
}

/* The first lines: what this is, how to build it, and each kernel in a few lines. */
static void head(Text *out, const Program *p, Plan *const *const *plans, const char *base,
                 bool header)
{
    const char *b = comment_text(base);
    text_printf(out, "// %s.cu -- translated from %s by tilec; edit the .tile, not this file.\n",
                b, source_name(p->source));
    text_printf(out, "//\n");
    int width = 29 + (int)strlen(b);
    text_printf(out, "//   %-*s   an object with the launch functions%s\n", width,
                arena_printf("nvcc -arch=native -c %s.cu", b),
                header ? arena_printf(" of %s.h", b) : "");
    if (has_boxes(p, plans))
        text_printf(out, "//   %-*s   for H100 and H200, with the bodies for them\n", width,
                    arena_printf("nvcc -arch=sm_90a -c %s.cu", b));
    text_printf(out, "//   %-*s   the device code alone\n//\n", width,
                arena_printf("nvcc -arch=sm_90 -fatbin %s.cu", b));
    text_printf(out, "// Not for -ftz=true or -use_fast_math: they change results.\n//\n");
    for (int i = 0; i < p->functions.n; i++)
        for (int j = 0; j < p->functions.at[i]->kernels.n; j++)
            if (launch_reaches(p->functions.at[i], plans[i], j))
                emit_summary(out, plans[i][j]);
    while (out->n > 3 && !strcmp(out->at + out->n - 3, "//\n"))
        out->at[out->n -= 3] = '\0';
}

static const struct Include { const char *header, *word; } include_table[] = {
    { "float.h", "FLT_" }, { "float.h", "DBL_" }, { "limits.h", "INT_M" }, { "math.h", NULL },
    { "stdint.h", NULL }, { "stdio.h", NULL }, { "string.h", "memcpy" },
    { "cuda.h", "CUtensorMap" },
    { "cuda_runtime.h", NULL }, { "cuda_fp16.h", "__half" }, { "cuda_fp16.h", "2half" },
    { "cuda_bf16.h", "bfloat16" }, { "cuda_fp8.h", "__nv_fp8_" },
};

/* The headers that the code needs. */
static void includes(Text *out, const char *code, const char *base, bool header)
{
    text_printf(out, "\n");
    const char *last = "";
    for (size_t i = 0; i < sizeof include_table / sizeof *include_table; i++) {
        const struct Include *in = &include_table[i];
        if (strcmp(in->header, last) && (!in->word || strstr(code, in->word)))
            text_printf(out, "#include <%s>\n", last = in->header);
    }
    if (header)
        text_printf(out, "#include \"%s.h\"\n", base);
}

/* // ---- title ------------------ */
static void rule(Text *out, const char *title)
{
    size_t n = strlen(title);
    text_printf(out, "\n// ---- %s ", title);
    for (size_t column = 9 + n; column < 90; column++)
        text_add(out, "-", 1);
    text_printf(out, "\n\n");
}

/* The device code of all kernels that a launch function may choose. */
static const char *kernels(const Program *p, Plan *const *const *plans)
{
    Text out = { 0 };
    text_add(&out, "", 0);
    for (int i = 0; i < p->functions.n; i++)
        for (int j = 0; j < p->functions.at[i]->kernels.n; j++)
            if (launch_reaches(p->functions.at[i], plans[i], j)) {
                text_printf(&out, "\n");
                emit_kernel(&out, plans[i][j]);
            }
    return out.at;
}

/* The launch functions of all kernels. */
static const char *launches(const Program *p, Plan *const *const *plans)
{
    Text out = { 0 };
    text_add(&out, "", 0);
    for (int i = 0; i < p->functions.n; i++)
        emit_launch(&out, p->functions.at[i], plans[i]);
    return out.at;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* The instructions of sm_90a, and what tells whether they can be used. */
static void sm90a_text(Text *out, const char *instructions)
{
    rule(out, "instructions of sm_90a");
    text_printf(out, "// Not every GPU has them: in code for another target the bodies that use "
                     "them are empty, and\n// the launch function does not choose those.\n"
                     "#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)\n"
                     "#define TILE_SM90A\n#endif\n\n"
                     "#if defined(TILE_SM90A) && !defined(TILE_EMULATOR)\n%s#endif\n",
                instructions);
}

/* The whole .cu. */
static void program_text(Text *out, const Program *p, Plan *const *const *plans, const char *base,
                         bool header)
{
    const char *device = kernels(p, plans), *launch = launches(p, plans);
    const char *code = arena_printf("tile_last_error %s%s", device, launch);
    Helpers h = { 0 };
    bring_helpers(&h, code);
    head(out, p, plans, base, header);
    includes(out, arena_printf("%s%s%s", code, h.device.n ? h.device.at : "",
                               h.instructions.n ? h.instructions.at : ""), base, header);
    if (h.instructions.n) {
        rule(out, "instructions that C cannot say");
        text_printf(out, "#ifndef TILE_EMULATOR\n%s#endif\n", h.instructions.at);
    }
    if (h.sm90a.n)
        sm90a_text(out, h.sm90a.at);
    if (h.device.n) {
        rule(out, "helpers");
        text_printf(out, "%s", h.device.at);
    }
    text_printf(out, "%s", device);
    rule(out, "launch");
    text_printf(out, "%s%s", h.host.at, launch);
}

/* SOFTMAX_H of softmax; a letter first. */
static const char *guard_of(const char *base)
{
    char *guard = arena_printf("%s%s_H", isalpha((unsigned char)*base) ? "" : "TILE_", base);
    for (char *s = guard; *s; s++)
        *s = isalnum((unsigned char)*s) ? (char)toupper((unsigned char)*s) : '_';
    return guard;
}

/* Writes both texts of a program. */
bool emit_program(const Program *p, const char *base, Text *cu, Text *header)
{
    Plan *const *const *plans = (Plan *const *const *)plan_all(p);
    if (!plans || !symbols_are_free(p, plans))
        return false;
    program_text(cu, p, plans, base, header != NULL);
    if (header)
        emit_header(header, p, plans, guard_of(base), arena_printf("%s.h", base));
    return true;
}
