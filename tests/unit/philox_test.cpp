/* philox_test.cpp -- the known answers of Random123 for Philox 4x32-10, and the two texts of it */
#include <stdint.h>
#include <stdio.h>
#include "tile_math.h"

#define __device__
#define __forceinline__ inline
#define philox device_philox
#include "random.cu"
#undef philox

extern "C" void philox(uint32_t c[4], uint32_t key0, uint32_t key1);

static int passed, failed;

/* A number is what it should be. */
static void same(uint32_t got, uint32_t want, const char *what, int i)
{
    if (got == want)
        passed++;
    else {
        failed++;
        printf("philox: %s %d: %08x, not %08x\n", what, i, got, want);
    }
}

/* counter, key, the four words of kat_vectors */
static const uint32_t known[3][10] = {
    {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
    {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
    {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0,
     0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
};

int main()
{
    for (int i = 0; i < 3; i++) {
        const uint32_t *k = known[i];
        uint32_t c[4] = {k[0], k[1], k[2], k[3]};
        philox(c, k[4], k[5]);
        for (int w = 0; w < 4; w++)
            same(c[w], k[6 + w], "the interpreter's, vector", i);
        same(device_philox(k[0], k[1], k[2], k[3], k[4], k[5]), k[6], "the template's, vector", i);
    }
    for (uint64_t i = 0, n = 1; i < 100; i++, n = n * 6364136223846793005u + 1442695040888963407u) {
        uint32_t c[4] = {(uint32_t)n, (uint32_t)(n >> 32), 0, 0};
        philox(c, (uint32_t)(n * 3), (uint32_t)(n * 3 >> 32));
        same(random_bits(n * 3, n), c[0], "both, number", (int)i);
    }
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed > 0;
}
