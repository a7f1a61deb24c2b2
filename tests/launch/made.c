/* made.c -- Functions and Plans by hand, and the file that is written of them: made.cu, made.h */
#include <stdlib.h>
#include <string.h>
#include "../../translator/launch.h"
#include "../../translator/options.h"

struct Options options;

/* ---- instead of the mapping and the emitter ------------------------------------------------- */

typedef struct { const Kernel *kernel; Plan *plan; } Made;
static LIST(Made) made;

Plan *plan_kernel(Kernel *k)
{
    for (int i = 0; i < made.n; i++)
        if (made.at[i].kernel == k)
            return made.at[i].plan;
    return NULL;
}

void emit_summary(Text *out, const Plan *p)
{
    text_printf(out, "// kernel %s%s\n//\n", p->kernel->function->symbol, p->kernel->suffix);
}

/* Kernels that do nothing but touch what they get. */
void emit_kernel(Text *out, const Plan *p)
{
    for (int i = 0; i < p->entries.n; i++) {
        const Entry *e = &p->entries.at[i];
        text_printf(out, "\nextern \"C\" __global__ void __launch_bounds__(%d)\n%s(", e->threads,
                    e->symbol);
        abi_params(out, p->kernel->function, ABI_DEVICE, 1 + (int)strlen(e->symbol));
        text_printf(out, ")\n{\n");
        for (int j = 0; j < p->kernel->params.n; j++)
            text_printf(out, "    (void)%s;\n", c_name(p->kernel->params.at[j].name));
        text_printf(out, "    (void)max_nan(1.0f, 2.0f);\n}\n");
    }
}

/* ---- building ------------------------------------------------------------------------------- */

static Program program;
static const char *prefix = "";                    /* of all symbols, so that two outputs differ */
static Function *f;
static Kernel *k;
static Plan *plan;

static Sym N(const char *name) { return sym_name(name_of(name)); }
static Sym C(int64_t number) { return sym_const(number); }

static void function(const char *symbol, const char *comment)
{
    f = new(Function);
    f->name = name_of(symbol);
    f->symbol = arena_printf("%s%s", prefix, symbol);
    f->comment = comment;
    f->pos = (Pos){ program.source, 0, 1 };
    push(&program.functions, f);
}

/* One more kernel of f, with one entry a programs, unless more are added. */
static void kernel(const char *suffix)
{
    k = new(Kernel);
    k->function = f;
    k->suffix = suffix;
    plan = new(Plan);
    plan->kernel = k;
    push(&f->kernels, k);
    push(&made, ((Made){ k, plan }));
}

static void entry(const char *suffix, int threads, int programs, int width, int64_t capacity)
{
    static const Body body;
    push(&plan->entries, ((Entry){ .body = &body, .symbol = arena_printf("%s%s_%s", f->symbol, k->suffix, suffix),
                                   .threads = threads, .programs = programs, .width = width,
                                   .capacity = capacity, .at_least = capacity ? 1 : 0 }));
}

static Param *tensor(ParamKind kind, Elem elem, const char *name, int rank, ...)
{
    va_list dims;
    Param p = { .kind = kind, .name = name_of(name), .written = kind == PARAM_MUT };
    p.type = (Type){ .kind = TYPE_TENSOR, .elem = elem, .rank = rank };
    va_start(dims, rank);
    for (int a = 0; a < rank; a++)
        p.type.dim[a] = va_arg(dims, Sym);
    va_end(dims);
    push(&k->params, p);
    return &k->params.at[k->params.n - 1];
}

static void scalar(Elem elem, const char *name)
{
    Param p = { .kind = PARAM_SCALAR, .name = name_of(name), .type = { .elem = elem } };
    push(&k->params, p);
}

static void extents(const char *names)
{
    for (char *s = strtok(arena_printf("%s", names), " "); s; s = strtok(NULL, " "))
        push(&k->extents, name_of(s));
}

static void axis(int param, Sym count)
{
    Axis a = { 0 };
    push(&a.counts, ((struct Count){ param, count }));
    push(&k->axes, a);
}

static void cond(int kind, Sym a, Sym b, const char *aligned)
{
    Cond c = { .a = a, .b = b, .tensor = aligned ? name_of(aligned) : NULL };
    c.kind = kind;
    push(&k->conds, c);
}

static void number(const char *name, Elem elem, int64_t value)
{
    push(&k->statics, ((struct Static){ .name = name_of(name), .elem = elem, .value = value,
                                        .listed = true }));
}

static void listed(const char *name, Elem elem, bool extent, int64_t a, int64_t b)
{
    struct StaticArg s = { .name = name_of(name), .elem = elem, .extent = extent };
    push(&s.values, a);
    push(&s.values, b);
    push(&f->listed, s);
}

static void vector(int param, int align)
{
    push(&plan->vectors, ((struct VectorParam){ param, align }));
}

/* ---- functions ------------------------------------------------------------------------------ */

/* y[M, N] by [i: 1, N], x[M, N]: a ladder. */
static void softmax(void)
{
    function("softmax_f32", "y[M, N] = softmax(x[M, N]) by rows: */ any row length, 100%.");
    kernel("");
    tensor(PARAM_MUT, EL_F32, "y", 2, N("M"), N("N"));
    tensor(PARAM_SHARED, EL_F32, "x", 2, N("M"), N("N"));
    extents("M N");
    axis(0, N("M"));
    plan->whole = N("N");
    vector(0, 16);
    vector(1, 16);
    entry("warp_256", 128, 4, 4, 256);
    entry("warp_1024", 128, 4, 4, 1024);
    entry("warp_256_unaligned", 128, 4, 1, 256);
    entry("stream", 256, 1, 1, 0);
}

/* Optional inputs and outputs of several shapes and types, a scalar, a longest row. */
static void layernorm(void)
{
    function("layernorm_bf16", "Layer norm by rows.\nb is optional.");
    kernel("");
    tensor(PARAM_MUT, EL_BF16, "y", 2, N("M"), N("N"));
    tensor(PARAM_MUT, EL_F32, "mean", 1, N("M"))->optional = true;
    tensor(PARAM_SHARED, EL_BF16, "x", 2, N("M"), N("N"));
    tensor(PARAM_SHARED, EL_F32, "w", 1, N("N"));
    tensor(PARAM_SHARED, EL_F32, "b", 1, N("N"))->optional = true;
    scalar(EL_F32, "eps");
    extents("M N");
    axis(0, sym_ceil(N("M"), C(2)));
    push(&k->axes.at[0].counts, ((struct Count){ 1, sym_ceil(N("M"), C(4)) }));
    plan->whole = N("N");
    plan->longest = 4096;
    plan->longest_why = "a loop carries a row";
    entry("block_1024", 128, 1, 1, 1024);
    entry("block_4096", 512, 1, 1, 4096);
}

/* o, q, k, v[B, S, H, D]; the caller chooses D and a bool; two sizes of tiles, one conditional. */
static void attention(void)
{
    function("attention", NULL);
    listed("D", EL_I64, true, 64, 128);
    listed("CAUSAL", EL_BOOL, false, 1, 0);
    for (int d = 64; d <= 128; d *= 2)
        for (int causal = 1; causal >= 0; causal--)
            for (int bm = 128; bm >= 64; bm /= 2) {
                kernel(arena_printf("_D%d_CAUSAL%d_BM%d", d, causal, bm));
                number("D", EL_I64, d);
                number("CAUSAL", EL_BOOL, causal);
                tensor(PARAM_MUT, EL_F16, "o", 4, N("B"), N("S"), N("H"), C(d));
                tensor(PARAM_SHARED, EL_F16, "q", 4, N("B"), N("S"), N("H"), C(d));
                tensor(PARAM_SHARED, EL_F16, "k", 4, N("B"), N("S"), N("H"), C(d));
                tensor(PARAM_SHARED, EL_F16, "v", 4, N("B"), N("S"), N("H"), C(d + 8));
                extents("B S H D");
                axis(0, N("B"));
                axis(0, N("H"));
                axis(0, sym_ceil(N("S"), C(bm)));
                if (bm == 128)
                    cond(COND_EQ, sym_mod(N("S"), C(bm)), C(0), NULL);
                entry("tile", 128, 1, 1, 0);
            }
}

/* c[M, N] += .. in slices: a grid clause, an int parameter, atomics, conditions. */
static void splitk(void)
{
    function("splitk", "Every slice adds.");
    kernel("");
    tensor(PARAM_ATOMIC, EL_F32, "c", 2, N("M"), N("N"));
    tensor(PARAM_SHARED, EL_F32, "a", 2, N("M"), N("K"));
    scalar(EL_I64, "slices");
    scalar(EL_I32, "n");
    extents("M N K");
    axis(-1, sym_ceil(N("M"), C(64)));
    axis(-1, N("slices"));
    cond(COND_LT, C(0), N("slices"), NULL);
    cond(COND_EQ, sym_mod(N("K"), C(16)), C(0), NULL);
    cond(COND_LE, sym_mul(N("M"), N("K")), C(1 << 20), NULL);
    cond(COND_LE, sym_add(N("slices"), N("n")), sym_mul(C(2), N("K")), NULL);
    cond(COND_ALIGNED, C(16), NULL, "a");
    entry("tile", 256, 1, 1, 0);
}

/* Extents by formula, an axis with a stride throughout, names that C has. */
static void odd(void)
{
    function("odd", "Formulas and names.");
    kernel("");
    tensor(PARAM_MUT, EL_I32, "double", 2, N("linux"), sym_sub(N("tensors"), C(1)))->strided = true;
    tensor(PARAM_SHARED, EL_F8E4M3, "stream", 3, N("linux"), sym_mul(C(2), N("tensors")),
           sym_div(N("launch"), C(2)));
    tensor(PARAM_SHARED, EL_F8E5M2, "odd_tile", 1, sym_mul(N("linux"), N("tensors")));
    scalar(EL_BOOL, "programs");
    scalar(EL_I64, "double_stride");
    extents("linux tensors launch");
    axis(0, N("linux"));
    axis(0, sym_ceil(sym_sub(N("tensors"), C(1)), C(8)));
    cond(COND_TRUE, N("programs"), NULL, NULL);
    entry("tile", 64, 2, 1, 0);
    entry("unused", 64, 2, 1, 0);
    plan->entries.n = 1;
}

/* y[N], x[N]: nothing has a stride, so there is one form. */
static void copy(void)
{
    function("copy_u8", "A copy.");
    kernel("");
    tensor(PARAM_MUT, EL_U8, "y", 1, N("N"));
    tensor(PARAM_SHARED, EL_U8, "x", 1, N("N"));
    extents("N");
    axis(0, N("N"));
    vector(0, 16);
    vector(1, 16);
    entry("tile", 128, 1, 16, 0);
    entry("tile_unaligned", 128, 1, 1, 0);
}

/* y[A, B, C] of any strides. */
static void cube(void)
{
    function("cube", "Three axes, each with a stride.");
    kernel("");
    tensor(PARAM_MUT, EL_F32, "y", 3, N("A"), N("B"), N("C"))->strided = true;
    tensor(PARAM_SHARED, EL_F32, "x", 3, N("A"), N("B"), N("C"))->strided = true;
    extents("A B C");
    axis(0, N("A"));
    entry("tile", 128, 1, 1, 0);
}

/* made FOLDER [PREFIX]: writes PREFIXmade.cu and PREFIXmade.h. */
int main(int argc, char **argv)
{
    Text cu = { 0 }, header = { 0 };
    static void (*const all[])(void) = { softmax, layernorm, attention, splitk, odd, copy, cube };
    const char *folder = argc > 1 ? argv[1] : ".";
    prefix = argc > 2 ? argv[2] : "";
    program.source = source_text("some/where/made.tile", "kernel\n", 7);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        all[i]();
    if (!emit_program(&program, arena_printf("%smade", prefix), &cu, &header))
        return 1;
    const Text *texts[] = { &cu, &header };
    for (int i = 0; i < 2; i++) {
        FILE *out = fopen(arena_printf("%s/%smade.%s", folder, prefix, i ? "h" : "cu"), "w");
        if (!out || fwrite(texts[i]->at, 1, texts[i]->n, out) != texts[i]->n || fclose(out))
            return 2;
    }
    arena_free_all();
    return 0;
}
