/* launch.c -- the launch functions: what a C program calls */
#include <string.h>
#include "launch.h"

/* ---- starting a kernel ----------------------------------------------------------------------- */

/* Allows the kernel so much shared memory, or returns. */
static void allow_shared(const Launch *l, int indent, const char *kernel, const char *shared)
{
    bool first = true;
    text_printf(l->out, "%*sif (const cudaError_t %s = tile_allow_shared(", indent, "",
                l->names.failed);
    const int hang = indent + 42 + (int)strlen(l->names.failed);
    list_item(l->out, &first, hang, arena_printf("\"%s\"", l->f->symbol));
    list_item(l->out, &first, hang, arena_printf("(const void *)%s", kernel));
    list_item(l->out, &first, hang, shared);
    text_printf(l->out, "))\n%*sreturn %s;\n", indent + 4, "", l->names.failed);
}

/* Refuses what no grid can have. */
static void refuse_grid(const Launch *l, int indent, const char *blocks)
{
    Pieces value = { 0 };
    text_printf(l->out, "%*sif (%s > 0x7fffffff)\n", indent, "", blocks);
    push(&value, arena_printf("(long long)%s", blocks));
    refuse(l->out, indent + 4, arena_printf("%s: %%lld blocks are needed; a grid has up to "
                                            "2147483647", l->f->symbol), &value);
}

/* What no grid can have is refused; then the six fields, and the kernel with its arguments.
   maps: those of its boxes, which are allowed their memory already; or NULL. */
void start(const Launch *l, int indent, const char *kernel, const char *blocks,
                  const char *threads, const char *shared, const Pieces *maps)
{
    const char *config = l->names.config;
    bool first = true;
    Text args = { 0 };
    int hang = indent + 29 + (int)strlen(config);
    if (strcmp(blocks, l->names.blocks) || !maps)
        refuse_grid(l, indent, blocks);
    if (l->dynamic && !maps)
        allow_shared(l, indent, kernel, shared);
    text_printf(l->out, "%*sconst cudaLaunchConfig_t %s = {", indent, "", config);
    list_item(l->out, &first, hang, arena_printf("dim3((unsigned)%s)", blocks));
    list_item(l->out, &first, hang, arena_printf("dim3(%s)", threads));
    list_item(l->out, &first, hang, arena_printf(l->dynamic || maps ? "(size_t)%s, stream, NULL, 0"
                                                 : "%s, stream, NULL, 0", shared));
    text_printf(l->out, "};\n%*sreturn cudaLaunchKernelEx(&%s, %s", indent, "", config, kernel);
    first = false;
    abi_params(&args, l->f, ABI_DEVICE_ARGS, 0);
    for (char *s = strtok(args.at, ",\n "); s; s = strtok(NULL, ",\n "))
        list_item(l->out, &first, indent + 26, s);
    for (int i = 0; maps && i < maps->n; i++)
        list_item(l->out, &first, indent + 26, maps->at[i]);
    text_printf(l->out, ");\n");
}

/* A function that does so, where several kernels are started. */
static void start_lambda(const Launch *l)
{
    const Locals *n = &l->names;
    const char *shared = l->dynamic ? arena_printf(", int %s", n->shared) : "";
    text_printf(l->out, "\n    const auto %s = [&](auto %s, int64_t %s, unsigned %s%s) {\n",
                n->launch, n->kernel, n->blocks, n->threads, shared);
    start(l, 8, n->kernel, n->blocks, n->threads, l->dynamic ? n->shared : "0", NULL);
    text_printf(l->out, "    };\n");
}

/* ---- entries --------------------------------------------------------------------------------- */

/* vectors; vectors_8 if there are accesses of several widths. */
static const char *vectors_name(const Launch *l, const Plan *p, int width)
{
    for (int i = 0; i < p->entries.n; i++)
        if (p->entries.at[i].width > 1 && p->entries.at[i].width != width)
            return arena_printf("%s_%d", l->names.vectors, width);
    return l->names.vectors;
}

/* N % 4 == 0, tile_aligned(tensors[0], 16), ..: what must hold so that accesses may be so wide. */
void vectors_need(const Launch *l, const Plan *p, int width, Pieces *needs)
{
    for (int i = 0; i < p->vectors.n; i++) {
        const Param *param = &p->kernel->params.at[p->vectors.at[i].param];
        Sym last = param->type.dim[param->type.rank - 1];
        Sym rest = sym_mod(last, sym_const(width));
        const char *whole = arena_printf("%s == 0", c_sym_host(p->kernel, rest));
        if (!sym_divides(width, last) && !pieces_have(needs, whole))
            push(needs, whole);
    }
    for (int i = 0; i < p->vectors.n; i++) {
        const Param *param = &p->kernel->params.at[p->vectors.at[i].param];
        const int bytes = width * elem_info[param->type.elem].bytes, most = p->vectors.at[i].align;
        push(needs, arena_printf("tile_aligned(%s[%d], %d)", l->names.tensors,
                                 tensor_index(p->kernel, p->vectors.at[i].param),
                                 bytes < most ? bytes : most));
    }
}

/* const bool vectors = ..: may accesses be so wide? */
static void vectors_line(const Launch *l, const Plan *p, int width, int indent)
{
    Pieces all = { 0 };
    vectors_need(l, p, width, &all);
    const char *name = vectors_name(l, p, width);
    text_printf(l->out, "%*sconst bool %s = ", indent, "", name);
    chain(l->out, indent + 14 + (int)strlen(name), "&&", &all);
    text_printf(l->out, ";\n");
}

/* A bool for each width of accesses that entries have. */
static void vectors_lines(const Launch *l, const Plan *p, int indent)
{
    for (int i = 0; i < p->entries.n; i++) {
        int width = p->entries.at[i].width;
        bool seen = width <= 1;
        for (int j = 0; j < i; j++)
            seen |= p->entries.at[j].width == width;
        if (!seen)
            vectors_line(l, p, width, indent);
    }
}

/* Lengths beyond p->longest are refused before, so that an entry of that capacity takes all. */
static bool is_limited(const Plan *p, const Entry *e)
{
    return p->whole && e->capacity && e->capacity != p->longest;
}

/* vectors && N > 0: what an entry needs but for its capacity; NULL: nothing. */
const char *entry_needs(const Launch *l, const Plan *p, const Entry *e)
{
    const char *vectors = e->width > 1 ? vectors_name(l, p, e->width) : NULL;
    if (!p->whole || e->at_least == 0)
        return vectors;
    const char *some = arena_printf("%s > 0", c_sym_host(p->kernel, p->whole));
    return vectors ? arena_printf("%s && %s", vectors, some) : some;
}

/* Do two entries need the same but for the capacity? */
static bool same_needs(const Entry *a, const Entry *b)
{
    return a->width == b->width && a->at_least == b->at_least;
}

/* return launch(softmax_f32_warp_1024, tile_ceil(programs, 4), 128); */
static void entry_line(const Launch *l, const Plan *p, const Entry *e, const char *needs,
                       int indent)
{
    Pieces all = { 0 };
    if (needs)
        push(&all, needs);
    if (is_limited(p, e))
        push(&all, arena_printf("%s <= %lld", c_sym_host(p->kernel, p->whole),
                                (long long)e->capacity));
    if (all.n) {
        text_printf(l->out, "%*sif (", indent, "");
        chain(l->out, indent + 4, "&&", &all);
        text_printf(l->out, l->single ? ") {\n" : ")\n");
        indent += 4;
    }
    const char *programs = l->names.programs, *symbol = c_global(l->f, e->symbol);
    const char *blocks = programs;
    if (e->programs > 1)
        blocks = arena_printf("tile_ceil(%s, %d)", programs, e->programs);
    const char *shared = arena_printf("%lld", (long long)e->dynamic);
    if (l->single)
        start(l, indent, symbol, blocks, arena_printf("%d", e->threads), shared, NULL);
    else
        text_printf(l->out, "%*sreturn %s(%s, %s, %d%s%s);\n", indent, "", l->names.launch, symbol,
                    blocks, e->threads, l->dynamic ? ", " : "", l->dynamic ? shared : "");
    if (all.n && l->single)
        text_printf(l->out, "%*s}\n", indent - 4, "");
}

/* The entries in order; neighbours with the same needs under one if. */
static void entry_lines(const Launch *l, const Plan *p, int indent)
{
    for (int i = 0, n; i < p->entries.n; i += n) {
        const Entry *e = &p->entries.at[i];
        const char *needs = entry_needs(l, p, e);
        n = 1;
        if (e->body->boxes) {
            boxes_entry(l, p, e, indent);
            continue;
        }
        while (i + n < p->entries.n && same_needs(e, e + n))
            n++;
        bool grouped = needs && n > 1;
        if (grouped)
            text_printf(l->out, "%*sif (%s) {\n", indent, "", needs);
        for (int j = 0; j < n; j++)
            entry_line(l, p, e + j, grouped ? NULL : needs, indent + (grouped ? 4 : 0));
        if (grouped)
            text_printf(l->out, "%*s}\n", indent, "");
    }
}

/* Does every launch that comes so far find an entry? */
static bool always_fits(const Plan *p)
{
    if (p->entries.n == 0)
        return false;
    const Entry *last = &p->entries.at[p->entries.n - 1];
    return last->width <= 1 && !is_limited(p, last) && (!p->whole || last->at_least == 0);
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Conditions of where that are this kernel's own, and its longest whole axis. */
static void own_conds(const Launch *l, const Plan *p, Pieces *all)
{
    const Kernel *k = p->kernel;
    for (int i = 0; i < k->conds.n; i++)
        if (!cond_is_shared(l->f, &k->conds.at[i]))
            push(all, cond_text(k, &k->conds.at[i], &l->names, true));
    if (p->longest && p->whole && l->f->kernels.n > 1)
        push(all, arena_printf("%s <= %lld", c_sym_host(k, p->whole), (long long)p->longest));
}

/* Is every condition of a one of b too? */
static bool conds_within(const Kernel *a, const Kernel *b)
{
    for (int i = 0; i < a->conds.n; i++) {
        bool found = false;
        for (int j = 0; j < b->conds.n; j++)
            found |= same_cond(&a->conds.at[i], &b->conds.at[j]);
        if (!found)
            return false;
    }
    return true;
}

/* Does the caller choose both kernels by the same values? */
bool same_choice(const Function *f, const Kernel *a, const Kernel *b)
{
    const char *x = choice_text(f, a), *y = choice_text(f, b);
    return x == y || (x && y && !strcmp(x, y));
}

/* Is there a launch for which kernel i is chosen: by waves, or as the first that fits? */
bool launch_reaches(const Function *f, Plan *const *plans, int i)
{
    for (int j = 0; j < i && !by_waves(f, plans, i); j++)
        if (same_choice(f, f->kernels.at[j], f->kernels.at[i]) && !plans[j]->longest
            && conds_within(f->kernels.at[j], f->kernels.at[i]) && always_fits(plans[j]))
            return false;
    return true;
}

/* Is there a kernel for every combination of what the caller may choose? */
static bool all_choices(const Function *f)
{
    int64_t combinations = 1;
    int distinct = 0;
    for (int i = 0; i < f->listed.n; i++)
        combinations *= f->listed.at[i].values.n;
    for (int i = 0; i < f->kernels.n; i++) {
        bool seen = false;
        for (int j = 0; j < i; j++)
            seen |= same_choice(f, f->kernels.at[i], f->kernels.at[j]);
        distinct += !seen;
    }
    return distinct == combinations;
}

/* Once all kernels before the last are tried: is its choice the only one left? */
static bool choice_settled(const Launch *l, int last)
{
    for (int i = 0; i < l->f->kernels.n; i++) {
        bool settled = same_choice(l->f, l->f->kernels.at[i], l->f->kernels.at[last]);
        for (int j = 0; j < l->f->kernels.n && !settled; j++) {
            Pieces own = { 0 };
            own_conds(l, l->plans[j], &own);
            settled = same_choice(l->f, l->f->kernels.at[i], l->f->kernels.at[j]) && own.n == 0 &&
                      always_fits(l->plans[j]);
        }
        if (!settled)
            return false;
    }
    return all_choices(l->f);
}

/* The programs of all axes together, as C. */
const char *programs_text(const Kernel *k)
{
    Pieces counts = { 0 };
    for (int i = 0; i < k->axes.n; i++)
        push(&counts, c_programs_host(k, &k->axes.at[i]));
    return counts.n == 0 ? "1" : counts.n == 1 ? counts.at[0]
         : arena_printf("tile_times(%s)", joined(&counts, ", "));
}

/* The programs of a kernel; without a program there is nothing to do. */
static void program_lines(const Launch *l, const Plan *p, int indent)
{
    text_printf(l->out, "%*sconst int64_t %s = %s;\n", indent, "", l->names.programs,
                programs_text(p->kernel));
    if (p->kernel->axes.n)
        text_printf(l->out, "%*sif (%s == 0)\n%*sreturn cudaSuccess;\n", indent, "",
                    l->names.programs, indent + 4, "");
}

/* One kernel: its own conditions, its programs, its entries; variant: what must hold so that it is
   chosen, or NULL. False if later code is not reached. */
static bool kernel_lines(const Launch *l, const Plan *p, bool choice_known, const char *variant)
{
    Pieces all = { 0 };
    const char *choice = choice_text(l->f, p->kernel);
    if (choice && !choice_known)
        push(&all, choice);
    own_conds(l, p, &all);
    if (variant)
        push(&all, variant);
    int indent = all.n ? 8 : 4;
    text_printf(l->out, "\n");
    if (l->f->kernels.n > 1)
        text_printf(l->out, "    // %s%s\n", l->f->symbol, p->kernel->suffix);
    if (all.n) {
        text_printf(l->out, "    if (");
        chain(l->out, 8, "&&", &all);
        text_printf(l->out, ") {\n");
    }
    program_lines(l, p, indent);
    vectors_lines(l, p, indent);
    entry_lines(l, p, indent);
    if (all.n)
        text_printf(l->out, "    }\n");
    return all.n || !always_fits(p);
}

/* What is said if no kernel fits: what each would need, and the values. */
static void none_fits(const Launch *l)
{
    Pieces needs = { 0 }, formats = { 0 }, args = { 0 };
    for (int i = 0; i < l->f->kernels.n; i++) {
        const Plan *p = l->plans[i];
        for (int j = 0; j < p->kernel->conds.n; j++) {
            const Cond *c = &p->kernel->conds.at[j];
            if (cond_is_shared(l->f, c) || pieces_have(&needs, cond_source(p->kernel, c)))
                continue;
            push(&needs, cond_source(p->kernel, c));
            add_cond_values(&formats, &args, p->kernel, c);
        }
        if (p->whole)
            add_values(&formats, &args, p->kernel, p->whole);
    }
    for (int i = 0; i < l->f->listed.n; i++)
        add_values(&formats, &args, l->f->kernels.at[0], sym_name(l->f->listed.at[i].name));
    refuse(l->out, 4, arena_printf("%s: no variant fits%s%s%s%s%s", l->f->symbol,
                                   needs.n ? ": none of `" : "", joined(&needs, "`, `"),
                                   needs.n ? "` holds" : "", formats.n ? ": " : "",
                                   joined(&formats, ", ")), &args);
}

/* A whole axis that must stay in registers has a largest length. */
static void refuse_longer(const Launch *l, const Plan *p)
{
    Pieces args = { 0 };
    if (!p->longest || !p->whole)
        return;
    const char *whole = c_sym_host(p->kernel, p->whole);
    const char *why = p->longest_why ? p->longest_why : "it stays in registers";
    text_printf(l->out, "    if (%s > %lld)\n", whole, (long long)p->longest);
    push(&args, arena_printf("(long long)%s", whole));
    refuse(l->out, 8, arena_printf("%s: %s is %%lld, and this kernel takes up to %lld: %s",
                                   l->f->symbol, escape(sym_text(p->whole)),
                                   (long long)p->longest, escape(why)), &args);
}

/* All kernels in order of preference. */
static void choose(const Launch *l)
{
    int n = l->f->kernels.n, last = n - 1;
    bool more = true;
    while (!launch_reaches(l->f, l->plans, last))
        last--;
    if (n == 1)
        refuse_longer(l, l->plans[0]);
    for (int i = 0; i <= last && more; i++)
        if (launch_reaches(l->f, l->plans, i)) {
            const bool settled = i == last && choice_settled(l, last);
            const char *variant = by_waves(l->f, l->plans, i) ? variant_text(l, i) : NULL;
            more = kernel_lines(l, l->plans[i], settled, settled ? NULL : variant);
        }
    if (more)
        none_fits(l);
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Is any tensor passed with a stride? */
static bool has_strides(const Function *f)
{
    for (int i = 0; i < f->kernels.at[0]->params.n; i++)
        if (c_strides(&f->kernels.at[0]->params.at[i]) > 0)
            return true;
    return false;
}

/* The name of the general form. */
const char *launch_general(const Function *f)
{
    return has_strides(f) ? arena_printf("%s_strided", f->symbol) : f->symbol;
}

/* The first lines of a launch function, up to its brace. */
static void function_head(Text *out, const Function *f, const char *name, AbiForm form)
{
    text_printf(out, "\nextern \"C\" cudaError_t\n%s(", name);
    abi_params(out, f, form, (int)strlen(name) + 1);
    text_printf(out, ")\n{\n");
}

/* The stride of an axis of a contiguous tensor: the product of the extents after it. */
static const char *contiguous_stride(const Function *f, int param, int axis)
{
    const Type *type = &f->kernels.at[0]->params.at[param].type;
    bool fixed = true;
    Sym product = sym_const(1);
    Pieces factors = { 0 };
    for (int a = axis + 1; a < type->rank; a++) {
        fixed = fixed && extent_is_fixed(f, param, a);
        product = sym_mul(product, type->dim[a]);
        push(&factors, extent_text(f, param, a));
    }
    if (fixed && !sym_is_bad(product))
        return c_sym_host(f->kernels.at[0], product);
    return factors.n == 1 ? factors.at[0] : arena_printf("tile_times(%s)", joined(&factors, ", "));
}

/* The contiguous form calls the general one. */
static void plain_function(Text *out, const Function *f)
{
    const Kernel *k = f->kernels.at[0];
    const char *general = c_global(f, launch_general(f));
    int indent = 12 + (int)strlen(general);
    bool first = true;
    function_head(out, f, f->symbol, ABI_PLAIN);
    text_printf(out, "    return %s(", general);
    for (int i = 0; i < k->params.n; i++) {
        list_item(out, &first, indent, c_name(k->params.at[i].name));
        for (int a = 0; a < c_strides(&k->params.at[i]); a++)
            list_item(out, &first, indent, contiguous_stride(f, i, a));
    }
    for (int i = 0; i < f->listed.n; i++)
        if (!f->listed.at[i].extent)
            list_item(out, &first, indent, c_name(f->listed.at[i].name));
    for (int i = 0; i < k->extents.n; i++)
        list_item(out, &first, indent, c_name(k->extents.at[i]));
    list_item(out, &first, indent, "stream");
    text_printf(out, ");\n}\n");
}

/* Variables of the launch function, called as nothing of the user's. */
static Locals locals_of(const Function *f)
{
    return (Locals){ .tensors = c_local(f, "tensors"), .programs = c_local(f, "programs"),
                     .vectors = c_local(f, "vectors"), .launch = c_local(f, "launch"),
                     .kernel = c_local(f, "kernel"), .blocks = c_local(f, "blocks"),
                     .threads = c_local(f, "threads"), .config = c_local(f, "config"),
                     .shared = c_local(f, "shared"), .failed = c_local(f, "failed"),
                     .processors = c_local(f, "multiprocessors"),
                     .variant = c_local(f, "variant"), .boxes = c_local(f, "boxes") };
}

/* Has an entry of some kernel dynamic shared memory, but for those that are allowed it once? */
static bool has_dynamic(const Function *f, Plan *const *plans)
{
    for (int i = 0; i < f->kernels.n; i++)
        for (int j = 0; j < plans[i]->entries.n; j++)
            if (plans[i]->entries.at[j].dynamic && !plans[i]->entries.at[j].body->boxes)
                return true;
    return false;
}

/* Writes the launch functions of f, the general one first. */
void emit_launch(Text *out, const Function *f, Plan *const *plans)
{
    Launch l = { out, f, plans, locals_of(f), f->kernels.n == 1 && plans[0]->entries.n == 1,
                 has_dynamic(f, plans) };
    function_head(out, f, launch_general(f), has_strides(f) ? ABI_STRIDED : ABI_PLAIN);
    text_printf(out, "    tile_error_text[0] = '\\0';\n");
    refuse_extents(out, f);
    refuse_conds(out, f, &l.names, false);
    refuse_tensors(out, f, &l.names);
    refuse_conds(out, f, &l.names, true);
    if (!l.single)
        start_lambda(&l);
    choose(&l);
    text_printf(out, "}\n");
    if (has_strides(f))
        plain_function(out, f);
}
