/* texts.c -- prints a C++ program like probe.c that computes with the CUDA texts of ops.def
 *
 *   probe op NAME ELEM         a, b, c of one element after another, raw; the result, raw
 *   probe cast FROM TO         a float to an integer, by to_int
 */
#include <string.h>
#include "ir.h"

/* The text with the operands a, b, c and the element type put in. */
static void put_text(const char *text, const char *type)
{
    for (; *text; text++)
        if (*text == '$' && text[1] == 'T')
            printf("%s", type), text++;
        else if (*text == '$')
            printf("%c", 'a' + *++text - '0');
        else
            putchar(*text);
}

/* The function of one row and type. */
static void put_row(const OpRow *row, Elem e)
{
    const bool gives_bool = row->rule == RULE_COMPARE || row->rule == RULE_EQUAL
                            || row->rule == RULE_TEST || row->rule == RULE_BOOL;
    const char *text = e == EL_F32 ? row->cuda_f32 : e == EL_F64 ? row->cuda_f64 : row->cuda_int;
    const char *type = elem_info[e].device;
    if (!text || (row->rule == RULE_BOOL && e != EL_BOOL)
        || (e == EL_BOOL && row->rule != RULE_BOOL && row->rule != RULE_BITS
            && row->rule != RULE_EQUAL))
        return;
    printf("        if (!strcmp(name, \"%s\") && !strcmp(elem, \"%s\"))\n"
           "            run<%s, %s, %d>([](%s a, %s b, %s c) -> %s {\n"
           "                (void)a, (void)b, (void)c;\n                return ",
           row->name, elem_info[e].name, type, gives_bool ? "bool" : type, row->arity, type, type,
           type, gives_bool ? "bool" : type);
    put_text(text, type);
    printf(";\n            });\n");
}

/* The casts from one float type. */
static void put_casts(Elem from)
{
    for (int to = EL_I8; to <= EL_U64; to++)
        printf("    if (!strcmp(name, \"%s\") && !strcmp(elem, \"%s\"))\n        run<%s, %s, 1>([]"
               "(%s a, %s, %s) { return to_int<%s>(a); });\n", elem_info[from].name,
               elem_info[to].name, elem_info[from].device, elem_info[to].device,
               elem_info[from].device, elem_info[from].device, elem_info[from].device,
               elem_info[to].device);
}

/* The program: a line a row and type. */
int main(void)
{
    printf("#include \"helpers.cu\"\n\n"
           "template <typename T, typename R, int ARITY, typename F>\nstatic void run(F f)\n{\n"
           "    T a[3] = {};\n    while (fread(a, sizeof(T), ARITY, stdin) == ARITY) {\n"
           "        const R r = f(a[0], a[1], a[2]);\n        fwrite(&r, sizeof r, 1, stdout);\n"
           "    }\n}\n\nint main(int, char **argv)\n{\n"
           "    const char *name = argv[2], *elem = argv[3];\n"
           "    if (!strcmp(argv[1], \"op\")) {\n");
    for (int i = 0; i < op_row_count; i++)
        for (int e = EL_BOOL; e <= EL_F64; e++)
            if (e != EL_F16 && e != EL_BF16)
                put_row(&op_rows[i], (Elem)e);
    printf("        return 0;\n    }\n");
    put_casts(EL_F32);
    put_casts(EL_F64);
    printf("}\n");
    return 0;
}
