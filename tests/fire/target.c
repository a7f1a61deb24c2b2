/* target.c -- the whole translator as a function of a text, for libFuzzer
 *
 * The checks are those of the sanitizers, of verify.c behind each pass, and the limits of time and
 * memory that the fuzzer watches. `fuzz-front --cuts FILE ..` tries each text that a file begins
 * with, instead.
 */
#include "../../translator/driver.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size);

enum { SECONDS = 5, LONGEST_NAME = 200 };

/* FNV-1a: what options a text is translated with follows from the text. */
static uint32_t hash_of(const uint8_t *text, size_t size)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < size; i++) h = (h ^ text[i]) * 16777619u;
    return h ^ h >> 16;
}

/* What the command line would have asked for. */
static void choose_options(uint32_t chance)
{
    static const char *const arch[] = { NULL, NULL, NULL, "sm_80", "sm_90", "sm_90a" };
    options.stdlib_dir = home_find("stdlib", "std");
    options.arch = arch[chance % 6];
    options.explain = chance & 0x1000;
    options.debug_lines = chance & 0x2000;
    options.json = chance & 0x4000;
    options.color = chance & 0x8000 ? COLOR_ALWAYS : COLOR_NEVER;
}

/* Translates a text as the command does, but for the files that it would write. */
int LLVMFuzzerTestOneInput(const uint8_t *text, size_t size)
{
    static const Request request;
    choose_options(hash_of(text, size));
    Job job = { .request = &request, .base = "fuzz" };
    job.source = source_text("fuzz.tile", (const char *)text, size);
    if (passes_run(&job)) {
        if (options.explain) explain_print(stderr);
        if (options.debug_lines) with_lines(&job.cu, "fuzz.cu");
    }
    arena_free_all();
    return 0;
}

/* ---- every cut ------------------------------------------------------------------------------- */

static char now[LONGEST_NAME + 40];                /* what is tried, for the alarm */

/* It took too long: says what did. */
static void say_hang(int signal)
{
    (void)signal;
    if (write(1, now, strlen(now)) < 0) _exit(1);
    _exit(1);
}

/* Tries all beginnings of a file's text, each in memory of its own size. */
static void cut_everywhere(const char *path)
{
    const char *why;
    Source *source = source_open(path, &why);
    if (!source) exit(complain_usage("cannot read %s: %s", path, why));
    size_t size = source->size;
    uint8_t *text = malloc(size + 1);
    memcpy(text, source->text, size);
    arena_free_all();
    for (size_t n = 0; n < size; n++) {
        snprintf(now, sizeof now, "%.*s cut at %zu: more than %d s\n", LONGEST_NAME, path, n, SECONDS);
        alarm(SECONDS);
        uint8_t *cut = malloc(n + 1);
        memcpy(cut, text, n);
        LLVMFuzzerTestOneInput(cut, n);
        free(cut);
    }
    free(text);
}

/* Does the work of --cuts. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    if (*argc < 2 || strcmp((*argv)[1], "--cuts")) return 0;
    signal(SIGALRM, say_hang);
    for (int i = 2; i < *argc; i++) cut_everywhere((*argv)[i]);
    exit(0);
}
