/* run_emulator.c -- `tilec run --on=cpu`: the emulator as one object, compiled once and kept */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "driver.h"
#include "run.h"

typedef LIST(const char *) Strings;

/* ---- what it is made of ---------------------------------------------------------------------- */

/* Adds the files of a folder with this ending, in whatever order. */
static void add_files(Strings *files, const char *folder, const char *ending)
{
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        const char *end = strrchr(entry->d_name, '.');
        if (end && !strcmp(end, ending))
            push(files, arena_printf("%s/%s", folder, entry->d_name));
    }
    if (dir)
        closedir(dir);
}

/* A number for what a file holds (FNV-1a), 64 bits of it; 0 if it cannot be read. */
static uint64_t hash_file(const char *path)
{
    uint64_t hash = 0xcbf29ce484222325;
    FILE *in = fopen(path, "rb");
    if (!in)
        return 0;
    for (int c; (c = getc(in)) != EOF;)
        hash = (hash ^ (unsigned char)c) * 0x100000001b3;
    fclose(in);
    return hash;
}

/* One for all files, in whatever order. */
static uint64_t hash_files(const Strings *files)
{
    uint64_t hash = 0;
    for (int i = 0; i < files->n; i++)
        hash += hash_file(files->at[i]);
    return hash;
}

/* ---- where it is kept ------------------------------------------------------------------------ */

/* The folder for what can be made again, which is there then; NULL if there is none. */
static const char *cache_folder(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if ((!cache || *cache != '/') && (!home || *home != '/'))
        return NULL;
    if (!cache || *cache != '/')
        cache = arena_printf("%s/.cache", home);
    mkdir(cache, 0700);
    const char *own = arena_printf("%s/tilec", cache);
    mkdir(own, 0700);
    return access(own, W_OK) ? NULL : own;
}

/* ---- making it ------------------------------------------------------------------------------- */

/* Compiles the sources in the folder and makes one object of them; the compiler's status. */
static int make_object(const char *folder, const char *emulator, const Strings *sources,
                       const char *object)
{
    static const char *const flags[] = {"g++", "-std=c++17", "-O2", "-w", "-c", "-I"};
    Strings compile = {0}, join = {0};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        push(&compile, flags[i]);
    push(&compile, emulator);
    push(&compile, "-I");
    push(&compile, arena_printf("%s/cuda", emulator));
    push(&join, "g++");
    push(&join, "-r");
    push(&join, "-nostdlib");
    for (int i = 0; i < sources->n; i++) {
        const char *name = strrchr(sources->at[i], '/') + 1;
        push(&compile, sources->at[i]);
        push(&join, arena_printf("%.*s.o", (int)(strlen(name) - 4), name));
    }
    push(&compile, NULL);
    push(&join, "-o");
    push(&join, object);
    push(&join, NULL);
    const int status = run_program(folder, compile.at, "messages");
    return status ? status : run_program(folder, join.at, "messages");
}

const char *emulator_object(const char *folder, const char *emulator, int *status)
{
    Strings sources = {0}, all = {0};
    const char *cache = cache_folder();
    add_files(&sources, emulator, ".cpp");
    add_files(&all, emulator, ".cpp");
    add_files(&all, emulator, ".h");
    add_files(&all, arena_printf("%s/cuda", emulator), ".h");
    if (!cache) {
        *status = make_object(folder, emulator, &sources, "emulator.o");
        return *status ? NULL : "emulator.o";
    }
    const char *kept = arena_printf("%s/emulator-%016llx.o", cache,
                                    (unsigned long long)hash_files(&all));
    if (!access(kept, R_OK))
        return kept;
    const char *made = arena_printf("%s.%ld", kept, (long)getpid());    /* whole, or not there */
    *status = make_object(folder, emulator, &sources, made);
    if (*status == 0)
        return rename(made, kept) ? made : kept;
    unlink(made);
    return NULL;
}
