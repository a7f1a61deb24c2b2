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
