/* run_driver.c -- `tilec run`: the program that calls a launch function on arrays in files */
#include <math.h>
#include <string.h>
#include "emit.h"
#include "interp.h"
#include "run.h"

/* What every driver begins with: device memory from a file and back. The emulator has the same
   functions as CUDA, so one text serves both. */
static const char head[] =
    "#include <math.h>\n"
    "#include <stdint.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <cuda_runtime.h>\n"
    "#include \"%s\"\n"
    "\n"
    "// Stops with a reason if a call failed.\n"
    "static void check(cudaError_t e, const char *what)\n"
    "{\n"
    "    if (e != cudaSuccess) {\n"
    "        fprintf(stderr, \"%%s: %%s\\n\", what, cudaGetErrorString(e));\n"
    "        exit(2);\n"
    "    }\n"
    "}\n"
    "\n"
    "// Device memory with what a file holds.\n"
    "static void *load(const char *path, size_t bytes)\n"
    "{\n"
    "    void *host = malloc(bytes + 1), *device = NULL;\n"
    "    FILE *in = fopen(path, \"rb\");\n"
    "    if (!host || !in || fread(host, 1, bytes, in) != bytes)\n"
    "        check(cudaErrorInvalidValue, path);\n"
    "    fclose(in);\n"
    "    check(cudaMalloc(&device, bytes ? bytes : 1), \"cudaMalloc\");\n"
    "    check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), \"cudaMemcpy\");\n"
    "    free(host);\n"
    "    return device;\n"
    "}\n"
    "\n"
    "// Writes device memory to a file.\n"
    "static void save(const char *path, const void *device, size_t bytes)\n"
    "{\n"
    "    void *host = malloc(bytes + 1);\n"
    "    check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), \"cudaMemcpy\");\n"
    "    FILE *out = fopen(path, \"wb\");\n"
    "    if (!out || fwrite(host, 1, bytes, out) != bytes || fclose(out))\n"
    "        check(cudaErrorInvalidValue, path);\n"
    "    free(host);\n"
    "}\n"
    "\n";

/* What the driver for the emulator has besides: who of the outputs promised what. */
static const char coverage[] =
    "#include <tile_emu.h>\n"
    "\n"
    "// Names an array, and says what lies in it.\n"
    "static void describe(const void *array, const char *name, int promise, size_t element,\n"
    "                     int rank, const int64_t *extents)\n"
    "{\n"
    "    tile_emu_name(array, name);\n"
    "    tile_emu_shape(array, element, rank, extents);\n"
    "    tile_emu_promise(array, promise);\n"
    "}\n"
    "\n"
    "// Says how many of n elements of an output were not written; 1 if all had to be.\n"
    "static int covered(const void *array, const char *name, int64_t n, bool whole)\n"
    "{\n"
    "    char place[200] = \"\";\n"
    "    const int64_t missed = tile_emu_missed(array, place, sizeof place);\n"
    "    if (missed <= 0)\n"
    "        return 0;\n"
    "    fprintf(stderr, \"tilec run: %s%lld of %lld elements of %s were not written%s, \"\n"
    "            \"%s[%s] the first\\n\", whole ? \"\" : \"note: \", (long long)missed,\n"
    "            (long long)n, name, whole ? \"\" : \" and keep what they held\", name, place);\n"
    "    return whole;\n"
    "}\n"
    "\n";

/* The median of some launches, in microseconds. */
static const char timing[] =
    "    enum { LAUNCHES = 21 };\n"
    "    float us[LAUNCHES];\n"
    "    cudaEvent_t from, to;\n"
    "    check(cudaEventCreate(&from), \"cudaEventCreate\");\n"
    "    check(cudaEventCreate(&to), \"cudaEventCreate\");\n"
    "    for (int i = 0; i < LAUNCHES; i++) {\n"
    "        float ms = 0;\n"
    "        check(cudaEventRecord(from, NULL), \"cudaEventRecord\");\n"
    "        launch();\n"
    "        check(cudaEventRecord(to, NULL), \"cudaEventRecord\");\n"
    "        check(cudaEventSynchronize(to), \"launch\");\n"
    "        check(cudaEventElapsedTime(&ms, from, to), \"cudaEventElapsedTime\");\n"
    "        int at = i;\n"
    "        for (; at > 0 && us[at - 1] > 1000 * ms; at--)\n"
    "            us[at] = us[at - 1];\n"
    "        us[at] = 1000 * ms;\n"
    "    }\n"
    "    printf(\"%s: %%.2f us a launch, the median of %%d\\n\", us[LAUNCHES / 2], LAUNCHES);\n";

/* ---- arguments ------------------------------------------------------------------------------- */

/* A number as a C++ constant of a type. */
static const char *constant_text(Elem e, Constant c)
{
    const char *suffix = e == EL_F64 ? "" : "f";
    switch (elem_info[e].class) {
    case CLASS_FLOAT:
        if (isnan(c.f) || isinf(c.f))
            return arena_printf("%s(%s)", elem_info[e].device,
                                isnan(c.f) ? "NAN" : c.f < 0 ? "-INFINITY" : "INFINITY");
        return arena_printf("%s(%a%s)", elem_info[e].device, c.f, suffix);
    case CLASS_UNSIGNED:
        return arena_printf("%s(%lluu)", elem_info[e].device, (unsigned long long)c.u);
    case CLASS_BOOL:
        return c.i ? "true" : "false";
    case CLASS_SIGNED: case CLASS_ERROR:
        break;
    }
    if (c.i == INT64_MIN)
        return "INT64_MIN";
    return arena_printf("%s(%lld)", elem_info[e].device, (long long)c.i);
}

/* The argument for the parameter of the launch function that is called so; `type` is written
   before its name. */
static const char *argument(const Kernel *k, const Launch *launch, const char *name,
                            const char *type)
{
    const Function *f = launch->function;
    Names names = {0};
    for (int i = 0; i < k->params.n; i++) {
        if (strcmp(c_name(k->params.at[i].name), name))
            continue;
        const Arg *arg = &launch->args[i];
        if (k->params.at[i].kind == PARAM_SCALAR)
            return constant_text(k->params.at[i].type.elem, arg->scalar);
        return arg->tensor.present ? arena_printf("(%s)array_%d", type, i) : "NULL";
    }
    for (int i = 0; i < f->listed.n; i++)
        if (!f->listed.at[i].extent && !strcmp(c_name(f->listed.at[i].name), name))
            return arena_printf("%lld", (long long)launch->listed[i]);
    launch_bind(k, launch->args, &names);
    for (int i = 0; i < names.bound.n; i++)
        if (!strcmp(c_name(names.bound.at[i].name), name))
            return arena_printf("INT64_C(%lld)", (long long)names.bound.at[i].number);
    return "NULL";
}

/* The arguments in the order of the launch function's own parameter list. */
static void add_arguments(Text *out, const Kernel *k, const Launch *launch)
{
    Text params = {0};
    abi_params(&params, launch->function, ABI_PLAIN, 0);
    for (char *at = params.at, *end; at && *at; at = end) {
        at += strspn(at, " ,\n");
        end = at + strcspn(at, ",");
        char *name = end;
        while (name > at && !strchr(" *\n", name[-1]))
            name--;
        text_printf(out, "%s%s", at > params.at + 2 ? ", " : "",
                    argument(k, launch, arena_printf("%.*s", (int)(end - name), name),
                             arena_printf("%.*s", (int)(name - at), at)));
    }
}

/* ---- coverage -------------------------------------------------------------------------------- */

typedef struct { const Value *tensor; int stores; } Stores;

/* Counts what writes to the tensor. */
static void count_store(Op *op, void *arg)
{
    Stores *s = arg;
    s->stores += op_writes(op) && op->args[0] == s->tensor;
}

/* Does a launch write no element of an output twice? If one store covers it, or if the caller has
   promised so (language.md R4.21, R4.32). */
static bool written_once(const Kernel *k, const Param *p)
{
    Stores s = { .tensor = p->value };
    if (p->kind != PARAM_MUT)
        return false;
    ir_walk(k->body, count_store, &s);
    return !p->has_by || (p->written && s.stores == 1);
}

/* A line for each array: what the emulator is to know of it. */
static void add_descriptions(Text *out, const Kernel *k, const Launch *launch)
{
    for (int i = 0; i < launch->nargs; i++) {
        const Param *p = &k->params.at[i];
        const Tensor *t = &launch->args[i].tensor;
        if (!t->present)
            continue;
        text_printf(out, "    static const int64_t extents_%d[] = {", i);
        for (int a = 0; a < t->rank; a++)
            text_printf(out, "%lld, ", (long long)t->extent[a]);
        text_printf(out, "0};\n    describe(array_%d, \"%s\", %s, %d, %d, extents_%d);\n", i,
                    p->name->text, p->kind == PARAM_SHARED ? "TILE_EMU_READONLY"
                    : written_once(k, p) ? "TILE_EMU_ONCE" : "0", elem_info[t->elem].bytes,
                    t->rank, i);
    }
}

/* A line for each output: was it written? Of what is updated, atomically or by scatter, a part may
   be left out. */
static void add_coverage(Text *out, const Kernel *k, const Launch *launch)
{
    text_printf(out, "    int wrong = 0;\n");
    for (int i = 0; i < launch->nargs; i++) {
        const Param *p = &k->params.at[i];
        const Tensor *t = &launch->args[i].tensor;
        if (t->present && p->kind == PARAM_MUT)
            text_printf(out, "    wrong |= covered(array_%d, \"%s\", %lld, %s);\n", i,
                        p->name->text, (long long)(tensor_bytes(t) / elem_info[t->elem].bytes),
                        p->written ? "true" : "false");
    }
    text_printf(out, "    if (wrong)\n        return 1;\n");
}

/* ---- the program ----------------------------------------------------------------------------- */

/* A line for each array that the kernel may change: save, from memory to its file. */
static void add_saves(Text *out, const Kernel *k, const Launch *launch)
{
    for (int i = 0; i < launch->nargs; i++)
        if (launch->args[i].tensor.present && k->params.at[i].kind != PARAM_SHARED)
            text_printf(out, "    save(\"array_%d\", array_%d, %lld);\n", i, i,
                        (long long)tensor_bytes(&launch->args[i].tensor));
}

/* The program that reads the arrays from files, calls the launch function and writes them back. */
void driver_text(Text *out, const RunRequest *request, const Kernel *k, const Launch *launch,
                 const char *header)
{
    const bool checked = run_is_checked(request);
    text_printf(out, head, header);
    if (checked)
        text_printf(out, "%s", coverage);
    for (int i = 0; i < launch->nargs; i++)
        if (launch->args[i].tensor.present)
            text_printf(out, "static void *array_%d;\n", i);
    text_printf(out, "\n// One launch; 1 if it was refused.\nstatic int launch(void)\n{\n"
                "    const cudaError_t e = %s(", launch->function->symbol);
    add_arguments(out, k, launch);
    text_printf(out, ");\n    if (e == cudaSuccess)\n        return 0;\n"
                "    const char *why = tile_last_error();\n"
                "    fprintf(stderr, \"%%s\\n\", *why ? why : cudaGetErrorString(e));\n"
                "    return 1;\n}\n\nint main(void)\n{\n");
    for (int i = 0; i < launch->nargs; i++)
        if (launch->args[i].tensor.present)
            text_printf(out, "    array_%d = load(\"array_%d\", %lld);\n", i, i,
                        (long long)tensor_bytes(&launch->args[i].tensor));
    if (checked)
        add_descriptions(out, k, launch);
    text_printf(out, "    if (launch())\n        return 1;\n"
                "    check(cudaDeviceSynchronize(), \"launch\");\n");
    if (checked)
        add_coverage(out, k, launch);
    add_saves(out, k, launch);
    if (request->time)
        text_printf(out, timing, launch->function->symbol);
    for (int i = 0; i < launch->nargs; i++)
        if (launch->args[i].tensor.present)
            text_printf(out, "    check(cudaFree(array_%d), \"cudaFree\");\n", i);
    text_printf(out, "    return 0;\n}\n");
}
