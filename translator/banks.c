/* banks.c -- which lanes of a warp meet in one bank of shared memory */
/* needs: how lanes touch arrays.  gives: a count and its text for the head.  keeps: the plan.
 *
 * Shared memory has 32 banks of 4 bytes. Lanes that want different words of one bank wait for each
 * other; lanes that want the same word do not. Accesses of 16 bytes are made by 8 lanes at a time,
 * of 8 bytes by 16. */
#include "mapping.h"

/* The element that a lane of the first warp is at, as `at` says. */
static int64_t element_of(const Lie *at, int lane)
{
    int64_t element = 0;
    for (int i = 0; i < at->n; i++)
        if (at->part[i].shift < 5)
            element += (lane >> at->part[i].shift & (at->part[i].threads - 1)) * at->part[i].stride;
    return element;
}

/* How many different words of one bank the lanes from `first` on want at once, at most. */
static int meeting(const Lie *at, int first, int lanes)
{
    int64_t words[32 * 4];
    int n = 0, most = 1;
    for (int lane = first; lane < first + lanes; lane++) {
        const int64_t byte = element_of(at, lane) * at->bytes;
        for (int64_t w = byte / 4; w <= (byte + at->vector * at->bytes - 1) / 4; w++) {
            int same = 1;
            bool seen = false;
            for (int i = 0; i < n; i++)
                seen |= words[i] == w;
            for (int i = 0; i < n && !seen; i++)
                same += words[i] % 32 == w % 32;
            if (!seen && n < 32 * 4)
                words[n++] = w;
            if (!seen && same > most)
                most = same;
        }
    }
    return most;
}

/* How many lanes share a bank in an access that touches shared memory so; 1: no conflict. */
int lanes_in_a_bank(const Lie *at)
{
    const int64_t bytes = at->vector * at->bytes;
    const int lanes = bytes >= 16 ? 8 : bytes == 8 ? 16 : 32;
    int most = 1;
    for (int first = 0; first < 32; first += lanes) {
        const int here = meeting(at, first, lanes);
        most = here > most ? here : most;
    }
    return most;
}

/* A sentence about an array that is written and read so. */
const char *banks_text(const Lie *written, const Lie *read)
{
    const int w = lanes_in_a_bank(written), r = lanes_in_a_bank(read);
    if (w == 1 && r == 1)
        return "no two lanes meet in a bank, neither writing nor reading";
    if (r == 1)
        return arena_printf("no two lanes that read meet in a bank; of those that write %d do", w);
    if (w == 1)
        return arena_printf("no two lanes that write meet in a bank; of those that read %d do", r);
    return arena_printf("%d lanes meet in a bank where they write, %d where they read", w, r);
}
