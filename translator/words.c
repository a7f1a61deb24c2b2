/* words.c -- which words C, C++ and CUDA have already */
#include "base.h"
#include <stdlib.h>
#include <string.h>

#define WORDS
static const char *const words[] = {
#include "words.def"
};
#undef WORDS
#define LINKED
static const char *const linked[] = {
#include "words.def"
};
#undef LINKED

/* For bsearch: the word against an element of a sorted list. */
static int compare_word(const void *word, const void *element)
{
    return strcmp(word, *(const char *const *)element);
}

/* Is it a keyword, macro, type or function, so that no variable can have the name? */
bool c_word(const char *word)
{
    return bsearch(word, words, sizeof words / sizeof *words, sizeof *words, compare_word);
}

/* Does a library declare or export it, so that no extern "C" function can have the name? */
bool c_linked(const char *word)
{
    return bsearch(word, linked, sizeof linked / sizeof *linked, sizeof *linked, compare_word);
}

/* Families too large to list; TILE_ is what the output's own constants begin with. */
static const char *const reserved_starts[] = {
    "__", "cuda", "CUDA", "CU_", "NV_", "TILE_", "nv_", "FP_", "HUGE_VAL", "SNAN", "FLT_",
    "DBL_", "LDBL_", "CLOCK_", "STA_", "MOD_", "ADJ_", "M_1_", "M_2_", "M_E", "M_LN", "M_LOG",
    "M_PI", "M_SQRT", "INT8_", "INT16_", "INT32_", "INT64_", "INTMAX_", "INTPTR_", "INT_",
    "UINT8_", "UINT16_", "UINT32_", "UINT64_", "UINTMAX_", "UINTPTR_", "UINT_",
};

/* Does the word fall under a rule? What ends in _ or _2 does not: so names are made free. */
bool c_ruled(const char *word)
{
    size_t n = strlen(word);
    while (n > 0 && word[n - 1] >= '0' && word[n - 1] <= '9')
        n--;
    if (n > 0 && word[n - 1] == '_')
        return false;
    for (int i = 0; i < (int)(sizeof reserved_starts / sizeof *reserved_starts); i++)
        if (!strncmp(word, reserved_starts[i], strlen(reserved_starts[i])))
            return true;
    return word[0] == '_' && word[1] >= 'A' && word[1] <= 'Z';
}
