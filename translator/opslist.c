/* opslist.c -- the table of operations for people: tilec --ops, docs/ops.md */
#include <string.h>
#include "ir.h"

/* What a type rule takes and gives, in the words of the docs. */
static const char *const rule_text[] = {
    [RULE_FLOAT] = "floats", [RULE_INT] = "integers", [RULE_NUMBER] = "integers, floats",
    [RULE_BITS] = "integers, bool", [RULE_BOOL] = "bool",
    [RULE_COMPARE] = "integers, floats -> bool", [RULE_EQUAL] = "all -> bool",
    [RULE_TEST] = "floats -> bool", [RULE_SHIFT] = "integers",
};

/* x + y for an operator, exp(x) for a function. */
static const char *usage(const OpRow *row)
{
    static const char *const operands[] = {"", "x", "x, y", "x, y, z"};
    if (row->symbol)
        return row->arity == 1 ? arena_printf("%sx", row->symbol)
                               : arena_printf("x %s y", row->symbol);
    return strcmp(row->name, "clamp") ? arena_printf("%s(%s)", row->name, operands[row->arity])
                                      : "clamp(x, lo, hi)";
}

/* How far f32 and f64 may be off. */
static const char *accuracy(const OpRow *row)
{
    if (!row->cuda_f32 || row->rule == RULE_COMPARE || row->rule == RULE_EQUAL
        || row->rule == RULE_TEST)
        return "exact";
    return row->ulp ? arena_printf("%d ulp", row->ulp) : "rounded once";
}

/* A column's text, the operands named: expf(x). */
static const char *column(const char *text)
{
    static const char names[] = "xyz";
    Text out = {0};
    if (!text)
        return "";
    for (const char *p = text; *p; p++)
        if (*p == '$' && p[1] >= '0' && p[1] <= '2')
            text_add(&out, &names[*++p - '0'], 1);
        else if (*p == '$')
            continue;
        else
            text_add(&out, p, 1);
    return out.at;
}

/* The table, a line an operation. */
void ops_print(FILE *out)
{
    fprintf(out, "%-10s%-20s%-26s%-14s%s\n", "name", "written", "of", "accuracy", "meaning");
    for (int i = 0; i < op_row_count; i++) {
        const OpRow *row = &op_rows[i];
        fprintf(out, "%-10s%-20s%-26s%-14s%s\n", row->name, usage(row), rule_text[row->rule],
                accuracy(row), row->meaning);
    }
}

/* A cell in code style; | would end it. */
static void put_code(FILE *out, const char *text)
{
    fprintf(out, *text ? " `" : " ");
    for (const char *p = text; *p; p++)
        fprintf(out, *p == '|' ? "\\|" : "%c", *p);
    fprintf(out, *text ? "` |" : " |");
}

static const struct { const char *usage, *of, *meaning; } functions[] = {
#define FUNCTION(usage, of, meaning) {usage, of, meaning},
#include "functions.def"
#undef FUNCTION
};
static const struct { const char *name, *text, *bound; } fast[] = {
#define FAST(name, text, bound) {#name, text, bound},
#include "fast.def"
#undef FAST
};

/* The functions that are no rows, and what #[fast_math] changes. */
static void functions_markdown(FILE *out)
{
    fprintf(out, "\n# Other functions\n\n"
                 "From `translator/functions.def`; [language.md](language.md) has their rules.\n\n"
                 "| written | of | meaning |\n|---|---|---|\n");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        fprintf(out, "| `%s` | %s | %s |\n", functions[i].usage, functions[i].of,
                functions[i].meaning);
    fprintf(out,
        "\n# What `#[fast_math]` changes\n\n"
        "From `translator/fast.def`: f32, f16 and bf16; nothing else. The bounds are those that\n"
        "CUDA publishes for these instructions, of f32; f16 and bf16 are rounded once after that.\n"
        "\n| operation | CUDA, f32 | largest error |\n|---|---|---|\n");
    for (size_t i = 0; i < sizeof fast / sizeof *fast; i++) {
        fprintf(out, "| `%s` |", usage(op_row(fast[i].name)));
        put_code(out, column(fast[i].text));
        fprintf(out, " %s |\n", fast[i].bound);
    }
}

/* docs/ops.md. */
void ops_markdown(FILE *out)
{
    fprintf(out,
        "# Elementwise operations\n\n"
        "Made by `tilec --ops=markdown` from `translator/ops.def`; one row there is an operation.\n"
        "[Other functions](#other-functions), and what [`#[fast_math]`](#what-fast_math-changes)\n"
        "changes, follow.\n\n"
        "Accuracy is that of f32 and f64: the largest error in units in the last place, the\n"
        "bounds that CUDA publishes for its accurate functions. f16 and bf16 are computed in f32\n"
        "(`fma` by an instruction of its own) and rounded once. Integers wrap. T is the element\n"
        "type; functions that are not CUDA's own stand in `templates/` and come along where they\n"
        "are used.\n\n"
        "| written | of | meaning | accuracy | CUDA, f32 | f64 | integers, bool |\n"
        "|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < op_row_count; i++) {
        const OpRow *row = &op_rows[i];
        fprintf(out, "|");
        put_code(out, usage(row));
        fprintf(out, " %s | %s | %s |", rule_text[row->rule], row->meaning, accuracy(row));
        put_code(out, column(row->cuda_f32));
        put_code(out, column(row->cuda_f64));
        put_code(out, column(row->cuda_int));
        fprintf(out, "\n");
    }
    functions_markdown(out);
}
