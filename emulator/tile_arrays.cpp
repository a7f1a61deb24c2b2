/* tile_arrays.cpp -- the arrays that kernels may use, and who wrote what in them */

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <algorithm>
#include <mutex>
#include "tile_emu.h"
#include "tile_scheduler.h"

bool tile_checked;
void (*tile_watch)(uintptr_t address, size_t bytes, bool write, const void *pc);

static std::mutex lock;
static std::vector<TileArray *> arrays; // by address; they do not overlap

/* ---- the table ---------------------------------------------------------------------- */

/* The first array that ends after address. */
static std::vector<TileArray *>::iterator first_after(uintptr_t address)
{
    return std::upper_bound(arrays.begin(), arrays.end(), address,
                            [](uintptr_t a, const TileArray *b) { return a < b->high; });
}

/* The array that holds address; NULL if none does. */
TileArray *tile_find_array(uintptr_t address)
{
    std::lock_guard<std::mutex> hold(lock);
    const auto a = first_after(address);
    return a != arrays.end() && (*a)->low <= address ? *a : NULL;
}

/* The array that begins at p; NULL if none does. */
static TileArray *array_at(const void *p)
{
    TileArray *const a = tile_find_array((uintptr_t)p);
    return a && a->low == (uintptr_t)p ? a : NULL;
}

/* Adds an array; NULL if it overlaps another. An empty one takes a byte, to be found again. */
TileArray *tile_add_array(uintptr_t low, size_t bytes, const char *name, int flags, bool owned)
{
    std::lock_guard<std::mutex> hold(lock);
    const uintptr_t high = low + (bytes ? bytes : 1);
    const auto next = first_after(low);
    if (next != arrays.end() && (*next)->low < high)
        return NULL;
    TileArray *const a = new TileArray{low, high, name ? name : "", flags, false, owned, NULL,
                                       NULL, bytes};
    return *arrays.insert(next, a);
}

TileArray *tile_shared_array(TileWorker *w, uintptr_t address)
{
    for (TileArray *a : w->shared)
        if (a->low <= address && address < a->high)
            return a;
    return NULL;
}

/* Removes the array that begins at low, if it is owned as said. */
bool tile_remove_array(uintptr_t low, bool owned)
{
    std::lock_guard<std::mutex> hold(lock);
    const auto a = first_after(low);
    if (a == arrays.end() || (*a)->low != low || (*a)->owned != owned)
        return false;
    tile_drop_shadow(*a);
    delete *a;
    arrays.erase(a);
    return true;
}

/* Memory of zeros of which only what is touched is there. */
static void *sparse(size_t bytes)
{
    void *const p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        perror("tile_emulator: no memory for an array's shadow");
        abort();
    }
    return p;
}

/* The array's shadow, made at the first question, and with it its races: all 0. */
uint32_t *tile_shadow(TileArray *a)
{
    std::lock_guard<std::mutex> hold(lock);
    if (a->shadow)
        return a->shadow;
    a->races = (TileRace *)sparse((a->capacity + 1) * sizeof *a->races);
    return a->shadow = (uint32_t *)sparse((a->capacity + 1) * sizeof *a->shadow);
}

/* Gives the shadow and the races back. */
void tile_drop_shadow(TileArray *a)
{
    if (!a->shadow)
        return;
    munmap(a->shadow, (a->capacity + 1) * sizeof *a->shadow);
    munmap(a->races, (a->capacity + 1) * sizeof *a->races);
}

/* ---- the host's part ---------------------------------------------------------------- */

void tile_host_wrote(uintptr_t low, size_t bytes)
{
    TileArray *const a = tile_find_array(low);
    if (!a || !(a->flags & TILE_EMU_EMPTY))
        return;
    if (low == a->low && bytes == a->capacity) {
        a->flags &= ~TILE_EMU_EMPTY;
        return;
    }
    uint32_t *const shadow = tile_shadow(a);
    for (uintptr_t i = low; i < low + bytes && i < a->high; i++)
        shadow[i - a->low] |= TILE_HOST;
}

extern "C" int tile_emu_register(const void *pointer, size_t bytes, const char *name, int flags)
{
    return tile_add_array((uintptr_t)pointer, bytes, name, flags, false) ? 0 : -1;
}

extern "C" int tile_emu_name(const void *pointer, const char *name)
{
    TileArray *const a = array_at(pointer);
    if (!a)
        return -1;
    a->name = name;
    return 0;
}

extern "C" int tile_emu_shape(const void *pointer, size_t element, int rank, const int64_t *extents)
{
    TileArray *const a = array_at(pointer);
    if (!a)
        return -1;
    a->element = element;
    a->extents.assign(extents, extents + rank);
    return 0;
}

extern "C" int tile_emu_promise(const void *pointer, int flags)
{
    TileArray *const a = array_at(pointer);
    if (!a)
        return -1;
    a->flags |= flags;
    return 0;
}

extern "C" int tile_emu_unregister(const void *pointer)
{
    return tile_remove_array((uintptr_t)pointer, false) ? 0 : -1;
}

/* ---- reports ------------------------------------------------------------------------ */

/* Distance of an address from an array, 0 inside. */
static uintptr_t distance(const TileArray *a, uintptr_t address)
{
    return address < a->low ? a->low - address : address < a->high ? 0 : address - a->high + 1;
}

/* The index of the element in which a byte of an array of known shape lies: "3, 5". */
static std::string index_text(const TileArray *a, size_t byte)
{
    std::string text;
    int64_t left = byte / a->element;
    for (size_t i = a->extents.size(); i-- > 0;) {
        const int64_t n = a->extents[i] > 0 ? a->extents[i] : 1;
        text = std::to_string(i ? left % n : left) + (text.empty() ? "" : ", ") + text;
        left /= n;
    }
    return text;
}

std::string tile_where(TileWorker *w, uintptr_t address)
{
    const TileArray *nearest = NULL;
    std::lock_guard<std::mutex> hold(lock);
    for (const std::vector<TileArray *> *table : {&arrays, &w->shared})
        for (const TileArray *a : *table)
            if (!nearest || distance(a, address) < distance(nearest, address))
                nearest = a;
    if (!nearest || distance(nearest, address) > 1u << 30)
        return tile_format("address 0x%llx", (unsigned long long)address);
    const bool before = address < nearest->low;
    const size_t bytes = nearest->shared ? nearest->high - nearest->low : nearest->capacity;
    const uintptr_t away = before ? nearest->low - address : address - nearest->low;
    if (nearest->element && away < nearest->capacity && !before)
        return nearest->name + "[" + index_text(nearest, away) + "]";
    return tile_format("%s%s [%zu bytes] %c %zu", nearest->shared ? "shared " : "",
                       nearest->name.empty() ? "array" : nearest->name.c_str(), bytes,
                       before ? '-' : '+', (size_t)away);
}

/* Bytes of the array at pointer whose shadow has (word & mask) != 0 as wanted; -1 unwatched. */
static int64_t count_bytes(const void *pointer, uint32_t mask, bool wanted)
{
    TileArray *const a = array_at(pointer);
    if (!tile_checked || !a)
        return -1;
    if (!a->shadow)
        return wanted ? 0 : (int64_t)a->capacity;
    int64_t count = 0;
    for (size_t i = 0; i < a->capacity; i++)
        count += ((a->shadow[i] & mask) != 0) == wanted;
    return count;
}

extern "C" int64_t tile_emu_unwritten(const void *pointer)
{
    return count_bytes(pointer, TILE_WRITER, false);
}

extern "C" int64_t tile_emu_missed(const void *pointer, char *place, size_t room)
{
    const TileArray *const a = array_at(pointer);
    if (!tile_checked || !a || !a->element)
        return -1;
    int64_t count = 0;
    for (size_t at = 0; at + a->element <= a->capacity; at += a->element) {
        bool missed = !a->shadow;
        for (size_t i = at; i < at + a->element && !missed; i++)
            missed = !(a->shadow[i] & TILE_WRITER);
        if (missed && count++ == 0 && room)
            snprintf(place, room, "%s", index_text(a, at).c_str());
    }
    return count;
}

extern "C" int64_t tile_emu_written_twice(const void *pointer)
{
    return count_bytes(pointer, TILE_TWICE, true);
}

extern "C" int tile_emu_checked(void)
{
    return tile_checked;
}

extern "C" void tile_emu_reset(void)
{
    tile_forget_errors();
    tile_forget_barriers();
    std::lock_guard<std::mutex> hold(lock);
    for (TileArray *a : arrays)
        for (size_t i = 0; a->shadow && i < a->capacity; i++)
            a->shadow[i] = a->shadow[i] ? TILE_HOST : 0u;
}
