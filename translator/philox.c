/* philox.c -- Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, 2011), for the interpreter */
#include "interp.h"

/* Four random words in place of a counter of four, by a key of two. */
void philox(uint32_t c[4], uint32_t key0, uint32_t key1)
{
    for (int round = 0; round < 10; round++) {
        const uint64_t a = (uint64_t)0xD2511F53 * c[0], b = (uint64_t)0xCD9E8D57 * c[2];
        c[0] = (uint32_t)(b >> 32) ^ c[1] ^ key0;
        c[1] = (uint32_t)b;
        c[2] = (uint32_t)(a >> 32) ^ c[3] ^ key1;
        c[3] = (uint32_t)a;
        key0 += 0x9E3779B9;
        key1 += 0xBB67AE85;
    }
}
