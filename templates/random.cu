// random.cu -- random bits by the number of an element

// ---- philox
// The first word of Philox 4x32-10 for a counter (a, b, c, d) and a key of two words.
static __device__ __forceinline__ uint32_t philox(uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                                                  uint32_t key, uint32_t key2)
{
#pragma unroll
    for (int round = 0; round < 10; round++) {
        const uint32_t high = __umulhi(0xD2511F53u, a), high2 = __umulhi(0xCD9E8D57u, c);
        const uint32_t low = 0xD2511F53u * a, low2 = 0xCD9E8D57u * c;
        a = high2 ^ b ^ key;
        b = low2;
        c = high ^ d ^ key2;
        d = low;
        key += 0x9E3779B9u;
        key2 += 0xBB67AE85u;
    }
    return a;
}

// ---- random_bits
// 32 random bits: the same for a seed and a number, wherever and whenever they are asked for.
static __device__ __forceinline__ uint32_t random_bits(uint64_t seed, uint64_t number)
{
    return philox((uint32_t)number, (uint32_t)(number >> 32), 0, 0, (uint32_t)seed,
                  (uint32_t)(seed >> 32));
}
