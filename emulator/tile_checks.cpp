/* tile_checks.cpp -- sees each memory access of a kernel: in bounds, aligned, written before */

/* Kernels are compiled with -fsanitize=thread,alignment,bounds and linked without the sanitizers'
 * libraries: the calls that g++ puts before each access end here. A wrong access never happens;
 * its thread stops before it. While no kernel runs on this OS thread nothing is checked. */

#include <stdlib.h>
#include <string.h>
#include "tile_emu.h"
#include "tile_scheduler.h"

typedef TileAccess Access;
constexpr Access READ = TILE_READ, WRITE = TILE_WRITE, ATOMIC = TILE_ATOMIC;
enum Kind { PLAIN, QUIET };             // what may race, and what is volatile or atomic

/* ---- one access --------------------------------------------------------------------- */

/* The array that holds [a, a + size); NULL if there is none. */
static TileArray *search(TileWorker *w, uintptr_t a, size_t size)
{
    TileArray *const array = tile_find_array(a);
    if (array)
        return a + size <= array->low + array->capacity ? array : NULL;
    for (TileArray *s : w->shared)
        if (s->low <= a && a + size <= s->high)
            return s;
    return NULL;
}

/* Whether [a, a + size) is static data of a loaded file and no array's. */
static bool is_static(const TileWorker *w, uintptr_t a, size_t size)
{
    for (const auto &segment : w->statics)
        if (segment.first <= a && a + size <= segment.second)
            return !tile_find_array(a);
    return false;
}

static const char *const words[] = {"read", "write", "atomic"};

/* Reports an access that must not happen and ends its thread. */
[[noreturn]] static void refuse(TileThread *t, cudaError_t code, TilePlace place, Access access,
                                size_t size, uintptr_t a, const char *why)
{
    {
        const TileAside aside;
        tile_report(t, code, place, tile_format("%s of %zu bytes %s: %s", words[access], size, why,
                                                tile_where(t->worker, a).c_str()));
    }
    tile_stop_thread();
}

/* Looks again with the shared arrays of libraries that were never used before. */
static TileArray *search_again(TileWorker *w, uintptr_t a, size_t size)
{
    const TileAside aside;
    if (!tile_load_shared(w))
        return NULL;
    memset(w->cache, 0, sizeof w->cache);
    if (w->dynamic)
        w->dynamic->high = w->dynamic->low + w->launch->config->dynamicSmemBytes;
    return search(w, a, size);
}

/* The array of an access that the cache does not know; NULL for static data. A wrong one ends. */
static __attribute__((noinline)) TileArray *
find(TileThread *t, uintptr_t a, size_t size, Access access, const void *pc)
{
    TileWorker *const w = t->worker;
    TileArray *array = search(w, a, size);
    if (!array && is_static(w, a, size))
        return NULL;
    if (!array)
        array = search_again(w, a, size);
    if (!array)
        refuse(t, cudaErrorIllegalAddress, {NULL, 0, pc}, access, size, a, "outside of all arrays");
    if (access != READ && array->flags & TILE_EMU_READONLY)
        refuse(t, cudaErrorIllegalAddress, {NULL, 0, pc}, access, size, a, "to a read-only array");
    if (!array->shadow && (array->shared || !(array->flags & TILE_EMU_READONLY)))
        tile_shadow(array);
    return array;
}

/* Reports an access to bytes to which an asynchronous copy is on its way. */
static __attribute__((noinline)) void report_pending(TileThread *t, Access access, size_t size,
                                                     uintptr_t a, const void *pc)
{
    const TileAside aside;
    tile_report(t, cudaErrorLaunchFailure, {NULL, 3, pc},
                tile_format("%s of %zu bytes to which an asynchronous copy is on its way: %s",
                            access == READ ? "read" : "write", size,
                            tile_where(t->worker, a).c_str()));
}

/* Notes a write. */
static inline void note_write(TileThread *t, uint32_t *shadow, size_t size, Access access,
                              uintptr_t a, const void *pc)
{
    const uint32_t me = tile_writer(t);
    bool pending = false;
    for (size_t i = 0; i < size; i++) {
        const uint32_t was = shadow[i], other = was & TILE_WRITER;
        const uint32_t twice = other && other != me && access == WRITE ? TILE_TWICE : 0u;
        shadow[i] = me | (was & TILE_TWICE) | twice;
        pending |= was == TILE_PENDING;
    }
    if (pending)
        report_pending(t, access, size, a, pc);
}

/* Reports a second write to a byte of an array that a launch promised to write once at most. */
static void note_once(TileThread *t, const uint32_t *shadow, size_t size, uintptr_t a,
                      const void *pc)
{
    const TileLaunch *const l = t->worker->launch;
    bool again = false;
    for (size_t i = 0; i < size; i++)
        again |= tile_number(l, shadow[i]) != TILE_NO_NUMBER;
    if (!again)
        return;
    const TileAside aside;
    tile_report(t, cudaErrorLaunchFailure, {NULL, 1, pc},
                tile_format("second write of %zu bytes in one launch: %s", size,
                            tile_where(t->worker, a).c_str()));
}

/* Reports an access that nothing orders after or before that of another thread. */
static void check_race(TileThread *t, TileRace *r, size_t size, Access access, bool shared,
                       uintptr_t a, const void *pc)
{
    const TileLaunch *const l = t->worker->launch;
    bool wrote = false;
    const uint32_t other = tile_race(t, access, r, size, shared, &wrote);
    if (!other)
        return;
    const TileAside aside;
    const uint64_t number = tile_number(l, other), block = number / l->threads;
    const uint3 p = t->worker->threads[number % l->threads].place;
    const bool here = block == t->worker->block_number;
    const std::string of = here ? "" : tile_format(" of block %llu", (unsigned long long)block);
    tile_report(t, cudaErrorLaunchFailure, {NULL, 2, pc},
                tile_format("race: %s of %zu bytes that thread (%u, %u, %u)%s %s, and no barrier "
                            "between: %s", words[access], size, p.x, p.y, p.z, of.c_str(),
                            wrote ? "wrote" : "read", tile_where(t->worker, a).c_str()));
}

/* Reports bytes that nobody wrote, if the array's contents do not come from elsewhere. */
static inline void note_read(TileThread *t, const TileArray *array, const uint32_t *shadow,
                             size_t size, uintptr_t a, const void *pc)
{
    if (!array->shared && !(array->flags & TILE_EMU_EMPTY))
        return;
    bool unwritten = false, pending = false;
    for (size_t i = 0; i < size; i++) {
        unwritten |= shadow[i] == 0;
        pending |= shadow[i] == TILE_PENDING;
    }
    if (pending)
        report_pending(t, READ, size, a, pc);
    if (!unwritten)
        return;
    const TileAside aside;
    tile_report(t, cudaErrorIllegalAddress, {NULL, 1, pc},
                tile_format("read of %zu bytes that nobody wrote: %s", size,
                            tile_where(t->worker, a).c_str()));
}

/* Checks and notes the access to [a, a + size) from pc. */
static inline void check(uintptr_t a, size_t size, Access access, const void *pc,
                         Kind kind = PLAIN)
{
    TileThread *const t = tile_self;
    if (!t || a - t->stack < TILE_STACK_BYTES || size == 0)
        return;
    const uintptr_t place = (uintptr_t)pc;
    TileArray **const known = &t->worker->cache[(place >> 3 ^ place >> 9) % TILE_CACHE];
    TileArray *array = *known;
    if (!array || a < array->low || a + size > array->high
        || (access != READ && array->flags & TILE_EMU_READONLY)) {
        array = find(t, a, size, access, pc);
        if (!array)
            return;
        *known = array;
    }
    if (!array->shadow)
        return;                                 // read-only: nothing to note
    uint32_t *const shadow = array->shadow + (a - array->low);
    TileRace *const races = array->races + (a - array->low);
    if (access != WRITE)
        note_read(t, array, shadow, size, a, pc);
    if (access == WRITE && array->flags & TILE_EMU_ONCE)
        note_once(t, shadow, size, a, pc);
    if (access != READ)
        note_write(t, shadow, size, access, a, pc);
    if (kind == PLAIN && !(array->flags & TILE_NO_RACES))
        check_race(t, races, size, access, array->shared, a, pc);
    else if (access != READ)
        memset(races, 0, size * sizeof *races);
}

/* The same for a size that must divide the address. On the stack g++ itself makes one access of 16
 * bytes where two of 8 were written. */
static inline void check_aligned(uintptr_t a, size_t size, Access access, const void *pc,
                                 Kind kind = PLAIN)
{
    if (a % size != 0 && tile_self && a - tile_self->stack >= TILE_STACK_BYTES)
        refuse(tile_self, cudaErrorMisalignedAddress, {NULL, 0, pc}, access, size, a, "misaligned");
    check(a, size, access, pc, kind);
}

#define PC __builtin_return_address(0)

/* ---- plain accesses ----------------------------------------------------------------- */

extern "C" {

#define TILE_HOOKS(N)                                                                             \
    void __tsan_read##N(uintptr_t a) { check_aligned(a, N, READ, PC); }                           \
    void __tsan_write##N(uintptr_t a) { check_aligned(a, N, WRITE, PC); }                         \
    void __tsan_unaligned_read##N(uintptr_t a) { check(a, N, READ, PC); }                         \
    void __tsan_unaligned_write##N(uintptr_t a) { check(a, N, WRITE, PC); }                       \
    void __tsan_volatile_read##N(uintptr_t a) { check_aligned(a, N, READ, PC, QUIET); }           \
    void __tsan_volatile_write##N(uintptr_t a) { check_aligned(a, N, WRITE, PC, QUIET); }

TILE_HOOKS(1)
TILE_HOOKS(2)
TILE_HOOKS(4)
TILE_HOOKS(8)
TILE_HOOKS(16)

void __tsan_read_range(uintptr_t a, size_t size) { check(a, size, READ, PC); }
void __tsan_write_range(uintptr_t a, size_t size) { check(a, size, WRITE, PC); }
void __tsan_vptr_update(uintptr_t a, void *) { check(a, sizeof(void *), WRITE, PC); }
void __tsan_vptr_read(uintptr_t a) { check(a, sizeof(void *), READ, PC); }
void __tsan_func_entry(void *) {}
void __tsan_func_exit(void) {}
void __tsan_init(void)
{
    tile_checked = true;
    tile_watch = [](uintptr_t a, size_t size, bool write, const void *pc) {
        check(a, size, write ? WRITE : READ, pc);
    };
}

void *__tsan_memcpy(void *to, const void *from, size_t size)
{
    check((uintptr_t)from, size, READ, PC);
    check((uintptr_t)to, size, WRITE, PC);
    return memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size)
{
    check((uintptr_t)from, size, READ, PC);
    check((uintptr_t)to, size, WRITE, PC);
    return memmove(to, from, size);
}

void *__tsan_memset(void *to, int value, size_t size)
{
    check((uintptr_t)to, size, WRITE, PC);
    return memset(to, value, size);
}

/* ---- atomics: done here, always in the strongest order ------------------------------ */

#define TILE_FETCH(BITS, T, OP)                                                                   \
    T __tsan_atomic##BITS##_fetch_##OP(T *p, T v, int)                                            \
    {                                                                                             \
        check_aligned((uintptr_t)p, sizeof *p, ATOMIC, PC);                                       \
        return __atomic_fetch_##OP(p, v, __ATOMIC_SEQ_CST);                                       \
    }

#define TILE_CHANGE(BITS, T, STRENGTH)                                                            \
    bool __tsan_atomic##BITS##_compare_exchange_##STRENGTH(T *p, T *was, T v, int, int)           \
    {                                                                                             \
        check_aligned((uintptr_t)p, sizeof *p, ATOMIC, PC);                                       \
        return __atomic_compare_exchange_n(p, was, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }

#define TILE_ATOMICS(BITS, T)                                                                     \
    T __tsan_atomic##BITS##_load(const T *p, int)                                                 \
    {                                                                                             \
        check_aligned((uintptr_t)p, sizeof *p, READ, PC, QUIET);                                  \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                              \
    }                                                                                             \
    void __tsan_atomic##BITS##_store(T *p, T v, int)                                              \
    {                                                                                             \
        check_aligned((uintptr_t)p, sizeof *p, ATOMIC, PC);                                       \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                 \
    }                                                                                             \
    T __tsan_atomic##BITS##_exchange(T *p, T v, int)                                              \
    {                                                                                             \
        check_aligned((uintptr_t)p, sizeof *p, ATOMIC, PC);                                       \
        return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                       \
    }                                                                                             \
    T __tsan_atomic##BITS##_compare_exchange_val(T *p, T was, T v, int, int)                      \
    {                                                                                             \
        check_aligned((uintptr_t)p, sizeof *p, ATOMIC, PC);                                       \
        __atomic_compare_exchange_n(p, &was, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
        return was;                                                                               \
    }                                                                                             \
    TILE_CHANGE(BITS, T, strong)                                                                  \
    TILE_CHANGE(BITS, T, weak)                                                                    \
    TILE_FETCH(BITS, T, add)                                                                      \
    TILE_FETCH(BITS, T, sub)                                                                      \
    TILE_FETCH(BITS, T, and)                                                                      \
    TILE_FETCH(BITS, T, or)                                                                       \
    TILE_FETCH(BITS, T, xor)                                                                      \
    TILE_FETCH(BITS, T, nand)

TILE_ATOMICS(8, uint8_t)
TILE_ATOMICS(16, uint16_t)
TILE_ATOMICS(32, uint32_t)
TILE_ATOMICS(64, uint64_t)

void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}

/* ---- alignment and bounds by type ------------------------------------------------------ */

/* What g++ leaves for a check that fails. */
struct TileSource {
    const char *file;
    uint32_t line, column;
};

struct TileType {
    uint16_t kind, info;
    char name[1];
};

struct TileMismatch {
    TileSource source;
    const TileType *type;
    unsigned char log_alignment, what;
};

struct TileBounds {
    TileSource source;
    const TileType *array, *index;
};

/* Reports what the type checks found of thread t; on the host, of none. */
static void report_type(const TileThread *t, const TileSource &source, cudaError_t code,
                        const std::string &text)
{
    tile_report(t, code, {source.file, (int)source.line, NULL}, text);
}

void __ubsan_handle_type_mismatch_v1(TileMismatch *m, uintptr_t a)
{
    static const char *const words[] = {"read of", "write to", "reference to", "member of",
                                        "call on"};
    if (tile_self && a - tile_self->stack < TILE_STACK_BYTES)
        return;
    {
        const TileAside aside;
        const TileThread *const t = aside.self;
        const std::string where = t ? tile_where(t->worker, a) : "host memory";
        report_type(t, m->source, cudaErrorMisalignedAddress,
                    tile_format("misaligned %s %s, which needs a multiple of %d bytes: %s",
                                m->what < 5 ? words[m->what] : "use of", m->type->name,
                                1 << m->log_alignment, where.c_str()));
    }
    if (tile_self)
        tile_stop_thread();
}

void __ubsan_handle_out_of_bounds(TileBounds *b, uintptr_t index)
{
    {
        const TileAside aside;
        report_type(aside.self, b->source, cudaErrorIllegalAddress,
                    tile_format("index %lld is outside of %s", (long long)index, b->array->name));
    }
    if (tile_self)
        tile_stop_thread();
}

void __ubsan_handle_type_mismatch_v1_abort(TileMismatch *m, uintptr_t a)
{
    __ubsan_handle_type_mismatch_v1(m, a);
    abort();
}

void __ubsan_handle_out_of_bounds_abort(TileBounds *b, uintptr_t index)
{
    __ubsan_handle_out_of_bounds(b, index);
    abort();
}

}
