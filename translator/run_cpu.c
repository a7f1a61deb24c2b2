/* run_cpu.c -- `tilec run`: the generated code, built and run by g++ and the emulator, or nvcc */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "driver.h"
#include "run.h"

/* ---- files ----------------------------------------------------------------------------------- */

/* A new folder for one run; NULL if there cannot be one. */
static const char *make_folder(void)
{
    const char *base = getenv("TMPDIR");
    return mkdtemp(arena_printf("%s/tilec-run-XXXXXX", base && *base ? base : "/tmp"));
}

/* Removes the folder with the files in it. */
static void remove_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        unlink(arena_printf("%s/%s", folder, entry->d_name));
    if (dir)
        closedir(dir);
    rmdir(folder);
}

/* Writes a file of the folder; false if that failed. */
static bool put_file(const char *folder, const char *name, const void *data, size_t bytes)
{
    FILE *out = fopen(arena_printf("%s/%s", folder, name), "wb");
    const bool right = out && fwrite(data, 1, bytes, out) == bytes;
    return out && fclose(out) == 0 && right;
}

/* Reads a file of the folder of exactly this size. */
static bool get_file(const char *folder, const char *name, void *data, size_t bytes)
{
    FILE *in = fopen(arena_printf("%s/%s", folder, name), "rb");
    const bool right = in && fread(data, 1, bytes, in) == bytes;
    if (in)
        fclose(in);
    return right;
}

/* The text of a file of the folder, to standard error. */
static void show_file(const char *folder, const char *name)
{
    char piece[4096];
    FILE *in = fopen(arena_printf("%s/%s", folder, name), "rb");
    for (size_t n; in && (n = fread(piece, 1, sizeof piece, in)) > 0;)
        fwrite(piece, 1, n, stderr);
    if (in)
        fclose(in);
}

/* ---- programs -------------------------------------------------------------------------------- */

int run_program(const char *folder, const char *const *words, const char *messages)
{
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
        return NOT_FOUND;
    if (child == 0) {
        if (chdir(folder))
            _exit(NOT_FOUND);
        const int fd = messages ? open(messages, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
        if (fd >= 0) {
            dup2(fd, 1);
            dup2(fd, 2);
        }
        execvp(words[0], (char *const *)words);
        _exit(NOT_FOUND);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Compiles kernel.cu and driver.cu with g++, then puts the emulator to them: `program`. */
static int compile_cpu(const RunRequest *request, const char *folder)
{
    const char *emulator = home_find("emulator", "tile_emulator.h");
    if (!emulator)
        return complain("the emulator was not found"), 1;
    const char *const compile[] = {
        "g++", "-std=c++17", "-O1", "-DTILE_EMULATOR", "-include", "tile_emulator.h",
        "-I", emulator, "-I", arena_printf("%s/cuda", emulator), "-ffp-contract=off",
        "-fno-strict-aliasing", "-w", "-x", "c++", "-c", "kernel.cu", "driver.cu",
        run_is_checked(request) ? "-g1" : NULL, "-fsanitize=thread,alignment,bounds", NULL,
    };
    int status = run_program(folder, compile, "messages");
    if (status)
        return status;
    const char *object = emulator_object(folder, emulator, &status);
    if (!object)
        return status;
    const char *const link[] = {
        "g++", "kernel.o", "driver.o", object, "-o", "program", "-lboost_context", "-lpthread",
        NULL,
    };
    return run_program(folder, link, "messages");
}

/* The same with nvcc, for the GPU that is there. */
static int compile_gpu(const char *folder)
{
    static const char *const words[] = {
        "nvcc", "-std=c++17", "-arch=native", "-w", "kernel.cu", "driver.cu", "-o", "program", NULL,
    };
    return run_program(folder, words, "messages");
}

/* Compiles; 0, or 2 after a report. */
static int compile(const RunRequest *request, const char *folder)
{
    const bool cpu = request->on == ON_CPU;
    const int status = cpu ? compile_cpu(request, folder) : compile_gpu(folder);
    if (status == 0)
        return 0;
    if (status == NOT_FOUND)
        return complain(cpu ? "g++ was not found; --on=cpu compiles the generated code with it"
                            : "nvcc was not found; --on=gpu compiles the generated code with it");
    show_file(folder, "messages");
    return complain(cpu ? "g++ could not compile the generated code (it needs the package "
                          "libboost-context-dev)"
                        : "nvcc could not compile the generated code");
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* Writes the arrays as they lie in memory. */
static bool put_arrays(const char *folder, const Launch *launch)
{
    bool right = true;
    for (int i = 0; i < launch->nargs; i++) {
        const Tensor *t = &launch->args[i].tensor;
        if (t->present)
            right = put_file(folder, arena_printf("array_%d", i), t->data, (size_t)tensor_bytes(t))
                    && right;
    }
    return right;
}

/* Reads back what the kernel may have changed. */
static bool get_arrays(const char *folder, const Kernel *k, Launch *launch)
{
    bool right = true;
    for (int i = 0; i < launch->nargs; i++) {
        Tensor *t = &launch->args[i].tensor;
        if (t->present && k->params.at[i].kind != PARAM_SHARED)
            right = get_file(folder, arena_printf("array_%d", i), t->data, (size_t)tensor_bytes(t))
                    && right;
    }
    return right;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Everything that happens inside the folder. */
static int run_in(const char *folder, const RunRequest *request, const Program *program,
                  const Kernel *k, Launch *launch)
{
    static const char *const words[] = {"./program", NULL};
    Text cu = {0}, header = {0}, driver = {0};
    if (!emit_program(program, "kernel", &cu, &header))
        return 1;
    if (run_is_checked(request))
        cu = with_lines(&cu, "kernel.cu");             /* the emulator tells lines of the .tile */
    driver_text(&driver, request, k, launch, "kernel.h");
    if (!put_file(folder, "kernel.cu", cu.at, cu.n)
        || !put_file(folder, "kernel.h", header.at, header.n)
        || !put_file(folder, "driver.cu", driver.at, driver.n) || !put_arrays(folder, launch))
        return complain("%s cannot be written", folder);
    int status = compile(request, folder);
    if (status == 0)
        status = run_program(folder, words, NULL);
    if (status == 0 && !get_arrays(folder, k, launch))
        return complain("%s cannot be read", folder);
    if (status > 2)
        return complain("the generated code ended with status %d", status);
    return status;
}

/* Translates, compiles and runs the kernel k; its outputs are in the arrays of launch then. */
int run_generated(const RunRequest *request, const Program *program, const Kernel *k,
                  Launch *launch)
{
    const char *folder = make_folder();
    if (!folder)
        return complain("there is no room for temporary files; TMPDIR says where");
    const int status = run_in(folder, request, program, k, launch);
    remove_folder(folder);
    return status;
}
