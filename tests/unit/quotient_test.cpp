/* quotient_test.cpp -- a quotient by the reciprocal has every bit of the division, where it says so */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define __device__
#define __forceinline__ inline
#include "tile_quotient.inc"

/* A float of these bits. */
static float of_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

int main()
{
    uint64_t s = 88172645463325252u;
    long wrong = 0, sure = 0;
    for (long i = 0; i < 4000000; i++) {
        s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        uint32_t x = (uint32_t)s, y = (uint32_t)(s >> 32);
        const float a = of_bits(i & 1 ? x : (x & 0x007fffff) | 0x3f800000);
        const float b = of_bits(i & 2 ? y : (y & 0x007fffff) | 0x3f800000);
        float least = INFINITY;
        const float q = tile_quotient(a, b, tile_inverse(b), least), exact = a / b;
        if (least >= 1e-21f) {
            sure++;
            wrong += memcmp(&q, &exact, sizeof q) != 0;
        }
    }
    const bool right = wrong == 0 && sure > 1000000;
    if (!right)
        printf("quotient: %ld of %ld differ from the division\n", wrong, sure);
    printf("%d passed, %d failed, 0 skipped\n", right, !right);
    return !right;
}
