/* test.h -- one line a test: "ok NAME" or "FAIL NAME", which run.sh counts */
#ifndef TEST_H
#define TEST_H

#include <stdio.h>

/* Tells how a test went. */
static inline void test(const char *name, bool passed)
{
    printf("%s %s\n", passed ? "ok" : "FAIL", name);
    fflush(stdout);
}

#endif
