/* names.c -- the tables and rules of abi.c, csym.c and template.c, one by one */
#include <string.h>
#include "../../translator/launch.h"
#include "../../translator/options.h"

struct Options options;
static int passed, failed;

/* Not the emitter's business here. */
Plan *plan_kernel(Kernel *k) { (void)k; return NULL; }
void emit_kernel(Text *out, const Plan *p) { (void)out, (void)p; }
void emit_summary(Text *out, const Plan *p) { (void)out, (void)p; }

static void same(const char *what, const char *got, const char *want)
{
    bool good = !strcmp(got, want);
    passed += good;
    failed += !good;
    if (!good)
        printf("names.c: %s: got `%s`, not `%s`\n", what, got, want);
}

/* T84: names that C, C++ or CUDA have; and none that they do not. */
static void names(void)
{
    static const char *const taken[] = {
        "double", "asm", "linux", "unix", "NAN", "INFINITY", "signed", "threadIdx",
        "class", "new", "template", "EOF", "NULL", "assert", "exp", "expf", "max",
        "min", "float4", "half", "__x", "_Bool", "M_PI_2", "tile_ceil", "tile_f16",
        "cudaSuccess", "M_PI", "INT32_MAX", "INT_MAX", "FLT_MAX", "stream", "smem",
        "x_stride", "x_stride_2", "warp_sum", "REFUSE", "and", "co_await", "uint64_t"
    };
    static const char *const kept[] = {
        "x", "y", "eps", "Mx", "sum", "strides", "stride", "xstride_1", "index", "y1",
        "M", "M_x", "gamma", "select", "tile_mean", "tile"
    };
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        same(taken[i], c_name(name_of(taken[i])), arena_printf("%s_", taken[i]));
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        same(kept[i], c_name(name_of(kept[i])), kept[i]);
    same("double_", c_name(name_of("double_")), "double__");
}

static void formulas(void)
{
    Kernel k = { 0 };
    Param n = { .kind = PARAM_SCALAR, .name = name_of("n"), .type = { .elem = EL_I32 } };
    push(&k.extents, name_of("M"));
    push(&k.extents, name_of("N"));
    push(&k.params, n);
    Sym M = sym_name(name_of("M")), N = sym_name(name_of("N")), s = sym_name(name_of("n"));
    Sym two = sym_const(2), one = sym_const(1);
    same("sum", c_sym(sym_add(M, one)), "M + 1");
    same("minus", c_sym(sym_sub(M, one)), "M - 1");
    same("difference", c_sym(sym_sub(one, M)), "1 - M");
    same("negative", c_sym(sym_sub(sym_const(0), M)), "-M");
    same("product", c_sym_in(&k, sym_mul(sym_mul(two, M), N), NULL, NULL), "2 * M * N");
    same("ceil", c_sym(sym_ceil(sym_add(M, one), two)), "tile_ceil(M + 1, 2)");
    same("half", c_sym_in(&k, sym_div(N, two), NULL, NULL), "N / 2");
    same("half of a sum", c_sym_in(&k, sym_div(sym_add(N, one), two), NULL, NULL), "(N + 1) / 2");
    same("unknown sign", c_sym_in(&k, sym_div(s, two), NULL, NULL), "tile_div(n, 2)");
    same("perhaps negative", c_sym_in(&k, sym_mod(sym_sub(M, N), two), NULL, NULL),
         "tile_mod(M - N, 2)");
    same("in a product", c_sym_in(&k, sym_mul(M, sym_div(N, two)), NULL, NULL), "M * (N / 2)");
    same("on the host", c_sym_host(&k, sym_mul(M, N)), "tile_times(M, N)");
    same("small on the host", c_sym_host(&k, sym_add(sym_mul(two, M), s)), "2 * M + (int64_t)n");
}

/* A section comes with what it names, in order; comments and strings name nothing. */
static void helpers(void)
{
    Helpers h = { 0 };
    bring_helpers(&h, "int x; // tile_max\nconst char *s = \"tile_min\";");
    same("nothing", arena_printf("%zu %zu %zu", h.instructions.n, h.device.n, h.host.n), "0 0 0");
    bring_helpers(&h, "tile_check(tensors); tile_ceil(1, 2)");
    const char *first = strstr(h.host.at, "tile_bytes("), *then = strstr(h.host.at, "tile_check(");
    same("order", first && then && first < then ? "first" : "later", "first");
    bool all = strstr(h.host.at, "tile_folded") && strstr(h.host.at, "struct tile_axis");
    bool more = strstr(h.host.at, "tile_times(") || strstr(h.device.at, "tile_min(");
    same("transitive", all ? "all" : "not all", "all");
    same("not asked for", more ? "more" : "no more", "no more");
}

int main(void)
{
    names();
    formulas();
    helpers();
    arena_free_all();
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
