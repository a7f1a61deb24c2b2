#!/bin/sh
# wgmma.sh -- wgmma as sections of a template: a function for each type and number of columns
#
# A function of N columns has N sums a thread, which inline PTX must name one by one; a program has
# only those functions that it calls, after templates/ptx_sm90.cu.
#
# usage: wgmma.sh [--tiles] [TYPE ...]    all types if none is named; --tiles: a never in registers
tiles=
[ "${1:-}" != --tiles ] || { tiles=1; shift; }
awk -v tiles="$tiles" -v types="${*:-f16 bf16 tf32 e4m3 e5m2}" '
# The N / 2 sums of a thread as PTX names them, and what they are.
function names(n,   i, s) {
    for (i = 0; i < n / 2; i++)
        s = s (i ? i % 12 ? ", " : ",\"\n                 \"" : "") "%" i
    return s
}
function sums(n,   i, s) {
    for (i = 0; i < n / 8; i++)
        s = s (i ? ",\n                   " : "") \
            sprintf("\"+f\"(upper[%d][0]), \"+f\"(upper[%d][1]), ", i, i) \
            sprintf("\"+f\"(lower[%d][0]), \"+f\"(lower[%d][1])", i, i)
    return s
}
# One function: its template line, what a is, the operands of a, what comes behind.
function one(name, type, k, n, head, a, a_names, a_values, flags, flag_values,   at) {
    at = n / 2 + (a_names == 4 ? 4 : 1)
    if (head) printf "template <%s>\n", head
    printf "static __device__ __forceinline__ void %s(\n", name
    printf "    float (&upper)[%d][2], float (&lower)[%d][2], %s, uint64_t b,", n / 8, n / 8, a
    printf "\n    bool accumulate)\n{\n"
    printf "    asm volatile(\"{\\n\"\n                 \".reg .pred accumulate;\\n\"\n"
    printf "                 \"setp.ne.b32 accumulate, %%%d, 0;\\n\"\n", at + 1
    printf "                 \"wgmma.mma_async.sync.aligned.m64n%dk%d.f32", n, k
    printf ".%s.%s\\n\"\n", type, type
    printf "                 \"{%s},\\n\"\n                 \"", names(n)
    if (a_names == 4)
        printf "{%%%d, %%%d, %%%d, %%%d}", n / 2, n / 2 + 1, n / 2 + 2, n / 2 + 3
    else
        printf "%%%d", n / 2
    printf ", %%%d, accumulate, 1, 1", at
    for (i = 1; i <= flags; i++) printf ", %%%d", at + 1 + i
    printf ";\\n\"\n                 \"}\"\n                 : %s\n", sums(n)
    printf "                 : %s,\n", a_values
    printf "                   \"l\"(b), \"r\"((int)accumulate)%s);\n}\n", flag_values
}
BEGIN {
    count = split(types, type_of)
    for (t = 1; t <= count; t++)
        for (n = 8; n <= 256; n += 8) {
            type = type_of[t]
            wide = type ~ /f16/
            name = sprintf("wgmma_%s_n%d", type, n)
            k = wide ? 16 : type == "tf32" ? 8 : 32
            printf "\n// ---- %s\n", name
            printf "// Begins to add to (or set) 64 x %d sums, 16 rows a warp as of mma_f16,", n
            printf " a (64 x %d)\n// times b (%d x %d)", k, k, n
            printf wide ? "; a tile is turned if k does not lie along its rows.\n" : ".\n"
            if (wide) {
                one(name, type, k, n, "int A_TURNED, int B_TURNED", "uint64_t a", 1, "\"l\"(a)", 2,
                    ", \"n\"(A_TURNED), \"n\"(B_TURNED)")
                if (tiles) continue
                printf "\n// The same with a in registers, as mma_%s has it.\n", type
                one(name, type, k, n, "int B_TURNED", "const unsigned (&a)[4]", 4,
                    "\"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3])", 1, ", \"n\"(B_TURNED)")
            } else
                one(name, type, k, n, "", "uint64_t a", 1, "\"l\"(a)", 0, "")
        }
}'
