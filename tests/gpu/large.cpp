/* large.cpp -- tensors of more than 2^31 elements, or with rows so far apart (T60) */
#include <cmath>
#include <cstring>
#include <vector>
#include "check.h"
#include "own.h"

#ifdef TILE_EMULATOR
void large_tensors(void)
{
    skip("gigabytes are for a GPU; 86_large.tile has the emulator's");
}
#else

enum { GUARD = 4096, SENTINEL = 0xc7 };

/* Memory with a guard behind it, all of it the sentinel; NULL, and a word, where there is not so much. */
static unsigned char *guarded(size_t bytes, const char *what)
{
    unsigned char *memory = nullptr;
    size_t there = 0, total = 0;
    FINE(cudaMemGetInfo(&there, &total));
    if (there < bytes + GUARD + ((size_t)256 << 20) || cudaMalloc((void **)&memory, bytes + GUARD) != cudaSuccess) {
        cudaGetLastError();
        skip(what);
        return nullptr;
    }
    FINE(cudaMemset(memory, SENTINEL, bytes + GUARD));
    return memory;
}

static std::vector<unsigned char> part(const unsigned char *memory, size_t from, size_t bytes)
{
    std::vector<unsigned char> host(bytes);
    FINE(cudaMemcpy(host.data(), memory + from, bytes, cudaMemcpyDeviceToHost));
    return host;
}

static bool untouched(const std::vector<unsigned char> &bytes)
{
    for (unsigned char b : bytes)
        if (b != SENTINEL)
            return false;
    return true;
}

/* 2^31 + 4096 bytes, all of which are looked at. */
static void many_bytes(void)
{
    const int64_t n = ((int64_t)1 << 31) + 4096, step = (int64_t)1 << 26;
    unsigned char *const y = guarded(n, "no memory for 2^31 bytes");
    if (!y)
        return;
    FINE(bytes(y, n, nullptr));
    int64_t wrong = 0;
    for (int64_t from = 0; from < n; from += step) {
        const std::vector<unsigned char> host = part(y, from, (size_t)(n - from < step ? n - from : step));
        int expected = (int)(from % 251);
        for (unsigned char b : host) {
            wrong += b != expected;
            expected = expected == 250 ? 0 : expected + 1;
        }
    }
    CHECK(wrong == 0);
    CHECK(untouched(part(y, n, GUARD)));
    FINE(cudaFree(y));
}

/* Three rows of 16 floats, 2^30 + 8 elements apart. */
static void far_rows(void)
{
    const int64_t stride = ((int64_t)1 << 30) + 8, all = (2 * stride + 16) * 4;
    unsigned char *const y = guarded(all, "no memory for rows that are 4 GiB apart");
    if (!y)
        return;
    FINE(rows_strided((float *)y, stride, 3, 16, nullptr));
    for (int i = 0; i < 3; i++) {
        const std::vector<unsigned char> host = part(y, 4 * i * stride, 64);
        float row[16];
        memcpy(row, host.data(), sizeof row);
        for (int j = 0; j < 16; j++)
            CHECK(row[j] == 100 * i + j);
        CHECK(untouched(part(y, 4 * i * stride + 64, GUARD)));
        CHECK(i == 0 || untouched(part(y, 4 * i * stride - GUARD, GUARD)));
    }
    FINE(cudaFree(y));
}

/* What 16 bits of a number from 0 to 1020 mean. */
static int whole(uint16_t half)
{
    return half ? (int)ldexp(1024 + (half & 1023), (half >> 10) - 25) : 0;
}

/* 40000 rows of 65536 halves, of which the first, those around 2^31 elements and the last are looked at. */
static void many_halves(void)
{
    const int64_t M = 40000, N = 65536;
    unsigned char *const y = guarded(M * N * 2, "no memory for 40000 x 65536 halves");
    if (!y)
        return;
    FINE(halves((tile_f16 *)y, M, N, nullptr));
    for (int64_t i : {(int64_t)0, (int64_t)1, M / 2, (int64_t)32767, (int64_t)32768, M - 1}) {
        const std::vector<unsigned char> host = part(y, i * N * 2, N * 2);
        int64_t wrong = 0;
        for (int64_t j = 0; j < N; j++) {
            uint16_t half;
            memcpy(&half, &host[2 * j], sizeof half);
            wrong += whole(half) != (i * 31 + j) % 1021;
        }
        CHECK(wrong == 0);
    }
    CHECK(untouched(part(y, M * N * 2, GUARD)));
    FINE(cudaFree(y));
}

void large_tensors(void)
{
    many_bytes();
    far_rows();
    many_halves();
}
#endif
