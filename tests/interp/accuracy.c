/* accuracy.c -- prints a CUDA program that measures the f32 texts of ops.def on a GPU
 *
 *   accuracy >a.cu; nvcc -std=c++17 --extended-lambda -arch=native -I templates a.cu -o a; ./a
 *
 * Functions of one operand: all 2^32 values; of more: random ones. The reference is the f64 text.
 * The last line is `N passed, N failed, N skipped`; a row passes within its bound in ops.def.
 */
#include "ir.h"

static const char head[] =
    "#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n"
    "#include \"ptx.cu\"\n#include \"helpers.cu\"\n\n"
    "static __device__ unsigned long long worst_bits;\nstatic __device__ float worst_at[3];\n\n"
    "// How far r is from w, in units in the last place of a float.\n"
    "static __device__ double ulps(float r, double w)\n{\n"
    "    if ((isnan(r) && isnan(w)) || (double)r == w || r == (float)w)\n"
    "        return fabs((double)r - w) > 0 && isfinite(w) && isfinite(r)\n"
    "               ? fabs((double)r - w) / ldexp(1.0, max(ilogb(w) - 23, -149)) : 0;\n"
    "    if (isnan(r) || isnan(w) || isinf(w))\n        return 1e30;\n"
    "    const double got = isinf(r) ? copysign(0x1p128, (double)r) : (double)r;\n"
    "    return fabs(got - w) / ldexp(1.0, min(max(ilogb(w), -126) - 23, 104));\n}\n\n"
    "// Random bits, the same on every machine.\n"
    "static __device__ uint64_t mix(uint64_t x)\n{\n"
    "    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;\n    x = (x ^ x >> 27) * 0x94d049bb133111ebu;\n"
    "    return x ^ x >> 31;\n}\n\n"
    "// A float of any size, or in half of the cases a moderate one.\n"
    "static __device__ float operand(uint64_t bits)\n{\n"
    "    return bits >> 40 & 1 ? __uint_as_float((uint32_t)bits)\n"
    "                          : ldexpf((float)(int32_t)bits, -31 + (int)(bits >> 50 & 7));\n}\n\n"
    "template <int ARITY, typename F, typename D>\n"
    "__global__ void measure(F f, D d)\n{\n"
    "    const uint64_t n = (uint64_t)1 << 32, all = (uint64_t)gridDim.x * blockDim.x;\n"
    "    double most = 0;\n    float at[3] = {};\n"
    "    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all) {\n"
    "        const float a = ARITY == 1 ? __uint_as_float((uint32_t)i) : operand(mix(3 * i));\n"
    "        const float b = operand(mix(3 * i + 1)), c = operand(mix(3 * i + 2));\n"
    "        const double u = ulps(f(a, b, c), d((double)a, (double)b, (double)c));\n"
    "        if (u > most)\n            most = u, at[0] = a, at[1] = b, at[2] = c;\n    }\n"
    "    const unsigned long long bits = __double_as_longlong(most);\n"
    "    if (atomicMax(&worst_bits, bits) < bits)\n"
    "        for (int k = 0; k < 3; k++)\n            worst_at[k] = at[k];\n}\n\n"
    "// One row: the largest error against its bound.\n"
    "template <int ARITY, typename F, typename D>\n"
    "static int row(const char *name, double bound, F f, D d)\n{\n"
    "    unsigned long long bits = 0;\n    float at[3];\n    double most;\n"
    "    cudaMemcpyToSymbol(worst_bits, &bits, sizeof bits);\n"
    "    measure<ARITY><<<1024, 256>>>(f, d);\n"
    "    cudaMemcpyFromSymbol(&bits, worst_bits, sizeof bits);\n"
    "    cudaMemcpyFromSymbol(at, worst_at, sizeof at);\n"
    "    memcpy(&most, &bits, sizeof most);\n"
    "    printf(\"%-8s %.4g ulp of %g, near %a %a %a\\n\", name, most, bound, at[0], at[1],\n"
    "           at[2]);\n"
    "    return most <= bound && cudaGetLastError() == cudaSuccess;\n}\n\n"
    "int main()\n{\n    int rows = 0, right = 0;\n";

/* A text with the operands put in. */
static void put_text(const char *text)
{
    for (; *text; text++)
        if (*text == '$')
            putchar('a' + *++text - '0');
        else
            putchar(*text);
}

/* The program. */
int main(void)
{
    printf("%s", head);
    for (int i = 0; i < op_row_count; i++) {
        const OpRow *r = &op_rows[i];
        if (!r->cuda_f32 || (r->rule != RULE_FLOAT && r->rule != RULE_NUMBER))
            continue;
        printf("    rows++, right += row<%d>(\"%s\", %d + 0.5001,\n        [] __device__ (float a, "
               "float b, float c) { (void)a, (void)b, (void)c; return ", r->arity, r->name, r->ulp);
        put_text(r->cuda_f32);
        printf("; },\n        [] __device__ (double a, double b, double c) { (void)a, (void)b, "
               "(void)c; return ");
        put_text(r->cuda_f64);
        printf("; });\n");
    }
    printf("    printf(\"%%d passed, %%d failed, 0 skipped\\n\", right, rows - right);\n"
           "    return right != rows;\n}\n");
    return 0;
}
