/* tile_atomic.h -- atomic functions, loads and stores with cache hints */
#ifndef TILE_ATOMIC_H
#define TILE_ATOMIC_H

#include <stdint.h>
#include <string.h>

/* ---- the one loop under all read-modify-writes -------------------------------------- */

/* The integer that has as many bytes as T. */
template <int BYTES> struct TileBits;
template <> struct TileBits<2> { typedef uint16_t type; };
template <> struct TileBits<4> { typedef uint32_t type; };
template <> struct TileBits<8> { typedef uint64_t type; };

/* Replaces *p by change(*p) in one step and returns what was there. */
template <typename T, typename Change>
static inline T tile_atomic(T *p, Change change)
{
    typedef typename TileBits<sizeof(T)>::type Bits;
    Bits *const cell = (Bits *)p;
    Bits was = __atomic_load_n(cell, __ATOMIC_RELAXED), becomes;
    T old, next;
    do {
        memcpy((void *)&old, &was, sizeof old);
        next = change(old);
        memcpy(&becomes, (void *)&next, sizeof next);
    } while (!__atomic_compare_exchange_n(cell, &was, becomes, false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    return old;
}

/* ---- CUDA's names ------------------------------------------------------------------- */

#define TILE_ATOMIC(NAME, T, EXPRESSION)                                                        \
    static inline T NAME(T *p, T v)                                                             \
    {                                                                                           \
        return tile_atomic(p, [=](T old) -> T { return (T)(EXPRESSION); });                     \
    }                                                                                           \
    static inline T NAME##_block(T *p, T v) { return NAME(p, v); }                              \
    static inline T NAME##_system(T *p, T v) { return NAME(p, v); }

TILE_ATOMIC(atomicAdd, int, (unsigned)old + (unsigned)v)
TILE_ATOMIC(atomicAdd, unsigned, old + v)
TILE_ATOMIC(atomicAdd, unsigned long long, old + v)
TILE_ATOMIC(atomicAdd, float, old + v)
TILE_ATOMIC(atomicAdd, double, old + v)
TILE_ATOMIC(atomicSub, int, (unsigned)old - (unsigned)v)
TILE_ATOMIC(atomicSub, unsigned, old - v)

#define TILE_ATOMICS(T)                                                                         \
    TILE_ATOMIC(atomicMin, T, v < old ? v : old)                                                \
    TILE_ATOMIC(atomicMax, T, v > old ? v : old)                                                \
    TILE_ATOMIC(atomicAnd, T, old & v)                                                          \
    TILE_ATOMIC(atomicOr, T, old | v)                                                           \
    TILE_ATOMIC(atomicXor, T, old ^ v)                                                          \
    TILE_ATOMIC(atomicExch, T, ((void)old, v))                                                  \
    static inline T atomicCAS(T *p, T expected, T v)                                            \
    {                                                                                           \
        __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        return expected;                                                                        \
    }

TILE_ATOMICS(int)
TILE_ATOMICS(unsigned)
TILE_ATOMICS(long long)
TILE_ATOMICS(unsigned long long)
TILE_ATOMIC(atomicExch, float, ((void)old, v))
TILE_ATOMIC(atomicExch, double, ((void)old, v))
TILE_ATOMIC(atomicInc, unsigned, old >= v ? 0 : old + 1)
TILE_ATOMIC(atomicDec, unsigned, old == 0 || old > v ? v : old - 1)

#undef TILE_ATOMICS
#undef TILE_ATOMIC

static inline unsigned short atomicCAS(unsigned short *p, unsigned short expected, unsigned short v)
{
    __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}

/* ---- loads and stores with cache hints, which mean nothing here --------------------- */

#define TILE_LOAD(NAME) template <typename T> static inline T NAME(const T *p) { return *p; }
#define TILE_STORE(NAME) \
    template <typename T> static inline void NAME(T *p, T v) { *p = v; }

TILE_LOAD(__ldg)
TILE_LOAD(__ldca)
TILE_LOAD(__ldcg)
TILE_LOAD(__ldcs)
TILE_LOAD(__ldcv)
TILE_LOAD(__ldlu)
TILE_STORE(__stcg)
TILE_STORE(__stcs)
TILE_STORE(__stwb)
TILE_STORE(__stwt)

#undef TILE_LOAD
#undef TILE_STORE

/* The shared-memory address of a pointer, as the instructions that take one want it. */
static inline size_t __cvta_generic_to_shared(const void *p) { return tile_shared_address(p); }
static inline void *__cvta_shared_to_generic(size_t a) { return tile_shared_pointer((unsigned)a); }
static inline size_t __cvta_generic_to_global(const void *p) { return (size_t)p; }

#endif
