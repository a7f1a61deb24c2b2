/* doctor.c -- tilec doctor: which tools are there, and what works without the others */
#include "driver.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Is there such a program on PATH, or where CUDA puts it? Its path, or NULL. */
static const char *program_find(const char *name)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : ""; *at; at += *at == ':') {
        size_t n = strcspn(at, ":");
        const char *file = arena_printf("%.*s/%s", (int)n, at, name);
        if (n && !access(file, X_OK)) return file;
        at += n;
    }
    const char *cuda = arena_printf("/usr/local/cuda/bin/%s", name);
    return access(cuda, X_OK) ? NULL : cuda;
}

/* Is there an NVIDIA GPU that programs may use? */
static const char *gpu_find(const char *name)
{
    (void)name;
    return access("/dev/nvidia0", R_OK | W_OK) ? NULL : "/dev/nvidia0";
}

/* The header of Boost.Context, which the emulator's threads are made of. */
static const char *boost_find(const char *name)
{
    const char *file = arena_printf("/usr/include/boost/%s", name);
    return access(file, R_OK) ? NULL : file;
}

static const struct Tool {
    const char *shown, *name;
    const char *(*find)(const char *name);
    const char *without;
} tools[] = {
    { "g++", "g++", program_find, "no tilec run --on=cpu (apt install g++)" },
    { "Boost.Context", "context/fiber.hpp", boost_find,
      "no tilec run --on=cpu (apt install libboost-context-dev)" },
    { "nvcc", "nvcc", program_find, "the output is not compiled for a GPU; no tilec run --on=gpu" },
    { "a GPU", "", gpu_find, "no tilec run --on=gpu" },
    { "re2c", "re2c", program_find, "tilec itself cannot be built (apt install re2c)" },
    { "Lemon", "lemon", program_find, "tilec itself cannot be built (apt install lemon)" },
};

/* Prints a line for each tool. The exit status is 0: what is missing is no mistake. */
int doctor_main(void)
{
    const char *stdlib = home_find("stdlib", "std");
    const char *emulator = home_find("emulator", "tile_emulator.h");
    printf("%-14s %s\n", "stdlib", stdlib ? stdlib : "missing: `use std.nn` does not work");
    printf("%-14s %s\n", "emulator", emulator ? emulator : "missing: no tilec run --on=cpu");
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        const char *path = tools[i].find(tools[i].name);
        if (path) printf("%-14s %s\n", tools[i].shown, path);
        else printf("%-14s missing: %s\n", tools[i].shown, tools[i].without);
    }
    const char *why = stdout_write("", 0);
    return why ? complain_usage("%s", why) : 0;
}
