/* abi.c -- names and parameter lists that device code, launch functions and header share */
#include <string.h>
#include "launch.h"

/* ---- names ----------------------------------------------------------------------------------- */

/* y_stride, y_stride_2: what the output itself makes from a tensor's name. */
static bool looks_made(const char *word)
{
    size_t n = strlen(word);
    while (n > 0 && word[n - 1] >= '0' && word[n - 1] <= '9')
        n--;
    if (n > 0 && n < strlen(word) && word[n - 1] == '_')
        n--;
    return n > 7 && !strncmp(word + n - 7, "_stride", 7);
}

/* A C, C++ or CUDA word, macro or library name, or one of the templates. */
bool c_reserved(const char *word)
{
    return c_word(word) || c_ruled(word) || template_named(word);
}

/* Appends _ if the name without its trailing _ is taken, so that double and double_ stay apart. */
const char *c_name(Name name)
{
    size_t n = name->len;
    while (n > 1 && name->text[n - 1] == '_')
        n--;
    const char *bare = arena_printf("%.*s", (int)n, name->text);
    return c_reserved(bare) || looks_made(bare) ? arena_printf("%s_", name->text) : name->text;
}

/* ---- parameter lists ------------------------------------------------------------------------- */

/* How many strides a parameter is passed with: none of the last axis, unless it is strided. */
int c_strides(const Param *p)
{
    return p->kind == PARAM_SCALAR ? 0 : p->strided ? p->type.rank : p->type.rank - 1;
}

/* y_stride, or y_stride_0 .. where there are several. */
const char *c_stride(const Param *p, int axis)
{
    return c_strides(p) == 1 ? arena_printf("%s_stride", c_name(p->name))
                             : arena_printf("%s_stride_%d", c_name(p->name), axis);
}

/* The type of an element in CUDA C++, or in the header. */
static const char *elem_c(Elem e, AbiForm form)
{
    bool c99 = form == ABI_PLAIN_C || form == ABI_STRIDED_C;
    return c99 ? elem_info[e].c_type : elem_info[e].device;
}

/* A tensor with its strides, or a scalar. */
static void param_items(Text *out, bool *first, const Param *p, AbiForm form, int indent)
{
    const char *type = elem_c(p->type.elem, form), *name = c_name(p->name);
    bool args = form == ABI_DEVICE_ARGS;
    if (p->kind == PARAM_SCALAR) {
        list_item(out, first, indent, args ? name : arena_printf("%s %s", type, name));
        return;
    }
    list_item(out, first, indent,
         args ? name : arena_printf("%s%s *%s%s", p->kind == PARAM_SHARED ? "const " : "", type,
                                    form == ABI_DEVICE ? "__restrict__ " : "", name));
    if (form == ABI_PLAIN || form == ABI_PLAIN_C)
        return;
    for (int a = 0; a < c_strides(p); a++)
        list_item(out, first, indent,
             arena_printf("%s%s", args ? "" : "int64_t ", c_stride(p, a)));
}

/* An extent that is a static parameter is known to device code. */
static bool extent_is_static(const Kernel *k, Name name)
{
    for (int i = 0; i < k->statics.n; i++)
        if (k->statics.at[i].name == name)
            return true;
    return false;
}

/* Extents as arguments. */
static void extent_items(Text *out, bool *first, const Kernel *k, AbiForm form, int indent)
{
    bool device = form == ABI_DEVICE || form == ABI_DEVICE_ARGS;
    const char *type = form == ABI_DEVICE_ARGS ? "" : "int64_t ";
    for (int i = 0; i < k->extents.n; i++)
        if (!device || !extent_is_static(k, k->extents.at[i]))
            list_item(out, first, indent, arena_printf("%s%s", type, c_name(k->extents.at[i])));
}

/* The parameters of a function in one of the forms. */
void abi_params(Text *out, const Function *f, AbiForm form, int indent)
{
    const Kernel *k = f->kernels.at[0];
    bool device = form == ABI_DEVICE || form == ABI_DEVICE_ARGS, first = true;
    for (int i = 0; i < k->params.n; i++)
        param_items(out, &first, &k->params.at[i], form, indent);
    for (int i = 0; i < f->listed.n && !device; i++)
        if (!f->listed.at[i].extent)
            list_item(out, &first, indent,
                 arena_printf("%s %s", elem_c(f->listed.at[i].elem, form),
                              c_name(f->listed.at[i].name)));
    extent_items(out, &first, k, form, indent);
    if (!device)
        list_item(out, &first, indent, "cudaStream_t stream");
}

/* Is it a parameter of the launch function? */
static bool is_parameter(const Function *f, const char *name)
{
    Text params = { 0 };
    size_t n = strlen(name);
    abi_params(&params, f, ABI_STRIDED, 0);
    for (const char *s = strstr(params.at, name); s; s = strstr(s + 1, name))
        if ((s == params.at || strchr(" *", s[-1])) && (!s[n] || strchr(",\n", s[n])))
            return true;
    return false;
}

/* A name that no parameter has. */
const char *c_local(const Function *f, const char *name)
{
    while (is_parameter(f, name))
        name = arena_printf("%s_", name);
    return name;
}

/* A function of the file, whatever the parameters are called. */
const char *c_global(const Function *f, const char *symbol)
{
    return is_parameter(f, symbol) ? arena_printf("::%s", symbol) : symbol;
}
