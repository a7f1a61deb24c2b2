/* near.c -- which word was meant: the nearest of a list */
#include "diag.h"
#include <limits.h>
#include <string.h>

enum { LONGEST = 40 };                             /* letters; a longer word is near to none */

/* The least of two. */
static int least(int a, int b) { return a < b ? a : b; }

/* How many letters of a must change, come, go or swap with the next to give b; INT_MAX if long. */
int word_distance(const char *a, const char *b)
{
    int row[3][LONGEST + 1], n = (int)strlen(a), m = (int)strlen(b);
    if (n > LONGEST || m > LONGEST) return INT_MAX;
    for (int j = 0; j <= m; j++) row[0][j] = j;
    for (int i = 1; i <= n; i++) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *older = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], older[j - 2] + 1);
        }
    }
    return row[n % 3][m];
}

/* The word of a list that is nearest; NULL if none is near. */
const char *nearest(const char *word, const char *const *words, size_t n)
{
    const char *best = NULL;
    int found = (int)strlen(word) / 3 + 1;         /* one letter in three may differ */
    for (size_t i = 0; i < n; i++) {
        int d = word_distance(word, words[i]);
        if (d < found || (d == found && !best && d < (int)strlen(word))) found = d, best = words[i];
    }
    return best;
}
