/* tile_warp.h -- barriers, shuffles and votes */
#ifndef TILE_WARP_H
#define TILE_WARP_H

#include "tile_fiber.h"

/* Where a call stands in the source: the default of the last two parameters of each function. */
#define TILE_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

/* ---- block -------------------------------------------------------------------------- */

static inline void __syncthreads(TILE_HERE)
{
    tile_barrier(0, "__syncthreads", file, line);
}

static inline int __syncthreads_count(int predicate, TILE_HERE)
{
    return tile_barrier(predicate, "__syncthreads_count", file, line);
}

static inline int __syncthreads_or(int predicate, TILE_HERE)
{
    return tile_barrier(predicate, "__syncthreads_or", file, line) != 0;
}

static inline int __syncthreads_and(int predicate, TILE_HERE)
{
    return tile_barrier(!predicate, "__syncthreads_and", file, line) == 0;
}

static inline void __threadfence_block(void) { tile_fence(); }
static inline void __threadfence(void) { tile_fence(); }
static inline void __threadfence_system(void) { tile_fence(); }
static inline void __nanosleep(unsigned) { tile_yield(); }
static inline void __trap(TILE_HERE) { tile_trap(file, line); }

/* ---- shuffles ----------------------------------------------------------------------- */

/* What a lane brings to a shuffle: its value, whose it wants; and what it takes away. */
struct TileShuffle {
    uint64_t value, result;
    int source;
    bool missing;               // the source takes no part: its value is undefined
};

extern "C" {
TileCombine tile_combine_sync, tile_combine_shuffle, tile_combine_ballot, tile_combine_match;
}

/* The common part of the shuffles: v of lane source. */
template <typename T>
static inline T tile_shuffle(unsigned mask, T v, int source, const char *name, const char *file,
                             int line)
{
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    TileShuffle lane = {0, 0, source, false};
    memcpy(&lane.value, &v, sizeof v);
    tile_collective(mask, tile_combine_shuffle, name, &lane, file, line);
    if (lane.missing)
        tile_complain(file, line, "%s reads lane %d, which takes no part (mask 0x%08x)", name,
                      source, mask);
    memcpy(&v, &lane.result, sizeof v);
    return v;
}

template <typename T>
static inline T __shfl_sync(unsigned mask, T v, int source, int width = 32, TILE_HERE)
{
    const int lane = tile_lane();
    source = (lane & -width) | (source & (width - 1));
    return tile_shuffle(mask, v, source, "__shfl_sync", file, line);
}

/* Lane l gets the value of lane l ^ bits. A partner in a later segment keeps its own for itself. */
template <typename T>
static inline T __shfl_xor_sync(unsigned mask, T v, int bits, int width = 32, TILE_HERE)
{
    const int lane = tile_lane(), last = lane | (width - 1);
    const int source = (lane ^ bits) > last ? lane : lane ^ bits;
    return tile_shuffle(mask, v, source & 31, "__shfl_xor_sync", file, line);
}

template <typename T>
static inline T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32, TILE_HERE)
{
    const int lane = tile_lane(), first = lane & -width;
    const int source = lane - (int)(delta & 31) < first ? lane : lane - (int)(delta & 31);
    return tile_shuffle(mask, v, source, "__shfl_up_sync", file, line);
}

template <typename T>
static inline T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32, TILE_HERE)
{
    const int lane = tile_lane(), last = lane | (width - 1);
    const int source = lane + (int)(delta & 31) > last ? lane : lane + (int)(delta & 31);
    return tile_shuffle(mask, v, source, "__shfl_down_sync", file, line);
}

/* ---- votes -------------------------------------------------------------------------- */

static inline void __syncwarp(unsigned mask = 0xffffffff, TILE_HERE)
{
    char nothing;
    tile_collective(mask, tile_combine_sync, "__syncwarp", &nothing, file, line);
}

/* Which lanes of mask have a predicate that is not 0. */
static inline unsigned tile_ballot(unsigned mask, int predicate, const char *name, const char *file,
                                   int line)
{
    unsigned lane = predicate != 0;
    tile_collective(mask, tile_combine_ballot, name, &lane, file, line);
    return lane;
}

static inline unsigned __ballot_sync(unsigned mask, int predicate, TILE_HERE)
{
    return tile_ballot(mask, predicate, "__ballot_sync", file, line);
}

static inline int __any_sync(unsigned mask, int predicate, TILE_HERE)
{
    return tile_ballot(mask, predicate, "__any_sync", file, line) != 0;
}

static inline int __all_sync(unsigned mask, int predicate, TILE_HERE)
{
    return tile_ballot(mask, !predicate, "__all_sync", file, line) == 0;
}

/* The lanes that have not exited; which of them run together is not for a program to know. */
static inline unsigned __activemask(void)
{
    return tile_live_lanes();
}

/* The lanes of mask whose value has the same bits. */
template <typename T>
static inline unsigned __match_any_sync(unsigned mask, T v, TILE_HERE)
{
    TileShuffle lane = {0, 0, 0, false};
    memcpy(&lane.value, &v, sizeof v);
    tile_collective(mask, tile_combine_match, "__match_any_sync", &lane, file, line);
    return (unsigned)lane.result;
}

/* The lanes of mask if all their values have the same bits, otherwise 0. */
template <typename T>
static inline unsigned __match_all_sync(unsigned mask, T v, int *same, TILE_HERE)
{
    const unsigned lanes = __match_any_sync(mask, v, file, line);
    *same = lanes == (mask & tile_live_lanes());
    return *same ? lanes : 0;
}

/* ---- reductions --------------------------------------------------------------------- */

/* One function a reduction; the result of a op b for all lanes of the mask. */
#define TILE_REDUCE(NAME, T, EXPRESSION)                                                        \
    static inline void tile_combine_##NAME(T, void **lanes)                                     \
    {                                                                                           \
        bool first = true;                                                                      \
        T a = T();                                                                              \
        for (int i = 0; i < 32; i++) {                                                          \
            if (!lanes[i])                                                                      \
                continue;                                                                       \
            const T b = *(T *)lanes[i];                                                         \
            a = first ? b : (T)(EXPRESSION);                                                    \
            first = false;                                                                      \
        }                                                                                       \
        for (int i = 0; i < 32; i++)                                                            \
            if (lanes[i])                                                                       \
                *(T *)lanes[i] = a;                                                             \
    }                                                                                           \
    static inline T __reduce_##NAME##_sync(unsigned mask, T v, TILE_HERE)                       \
    {                                                                                           \
        struct Combine {                                                                        \
            static void all(void **lanes) { tile_combine_##NAME(T(), lanes); }                  \
        };                                                                                      \
        tile_collective(mask, Combine::all, "__reduce_" #NAME "_sync", &v, file, line);         \
        return v;                                                                               \
    }

TILE_REDUCE(add, int, (unsigned)a + (unsigned)b)
TILE_REDUCE(add, unsigned, a + b)
TILE_REDUCE(min, int, b < a ? b : a)
TILE_REDUCE(min, unsigned, b < a ? b : a)
TILE_REDUCE(max, int, b > a ? b : a)
TILE_REDUCE(max, unsigned, b > a ? b : a)
TILE_REDUCE(and, unsigned, a & b)
TILE_REDUCE(or, unsigned, a | b)
TILE_REDUCE(xor, unsigned, a ^ b)

#undef TILE_REDUCE
#endif
