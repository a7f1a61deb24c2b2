/* near.c -- which word was meant: the nearest of a list */
#include "diag.h"
#include <string.h>

enum { LONGEST = 32 };

static int least(int a, int b) { return a < b ? a : b; }

/* How many letters to change, add, drop or swap, of two words of at most LONGEST letters. */
static int distance(const char *a, const char *b)
{
    int row[3][LONGEST + 1], n = (int)strlen(a), m = (int)strlen(b);
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
    if (strlen(word) > LONGEST) return NULL;
    for (size_t i = 0; i < n; i++) {
        if (strlen(words[i]) > LONGEST) continue;
        int d = distance(word, words[i]);
        if (d < found || (d == found && !best && d < (int)strlen(word))) found = d, best = words[i];
    }
    return best;
}
