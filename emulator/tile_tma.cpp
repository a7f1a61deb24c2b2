/* tile_tma.cpp -- tensor maps, and the boxes that are copied by them */

#include <string.h>
#include "tile_emulator.h"
#include "tile_scheduler.h"

/* ---- tensor maps -------------------------------------------------------------------- */

/* What the emulator keeps in a CUtensorMap; strides in bytes, of all axes but the first. */
struct Map {
    uint64_t mark, base, extent[5], stride[5];
    uint32_t rank, box[5], bytes, swizzled;
};
static_assert(sizeof(Map) <= sizeof(CUtensorMap), "a map fits");
static constexpr uint64_t MARK = 0x70616d20656c6974;

/* cuTensorMapEncodeTiled of the driver, without swizzle or with 128 bytes. */
static CUresult encode(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *base,
                       const cuuint64_t *extents, const cuuint64_t *strides, const cuuint32_t *box,
                       const cuuint32_t *steps, CUtensorMapInterleave, CUtensorMapSwizzle swizzle,
                       CUtensorMapL2promotion, CUtensorMapFloatOOBfill)
{
    static const unsigned char sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
    if (rank < 1 || rank > 5 || (uintptr_t)base % 16 || (unsigned)type >= sizeof sizes
        || (swizzle != CU_TENSOR_MAP_SWIZZLE_NONE && swizzle != CU_TENSOR_MAP_SWIZZLE_128B))
        return CUDA_ERROR_INVALID_VALUE;
    Map m = {MARK, (uintptr_t)base, {}, {}, rank, {}, sizes[type],
             swizzle == CU_TENSOR_MAP_SWIZZLE_128B};
    for (unsigned i = 0; i < rank; i++) {
        m.extent[i] = extents[i];
        m.box[i] = box[i];
        m.stride[i] = i ? strides[i - 1] : m.bytes;
        if (extents[i] < 1 || extents[i] > 1ull << 32 || box[i] < 1 || box[i] > 256 || steps[i] != 1
            || (i && (m.stride[i] % 16 || m.stride[i] >= 1ull << 40)))
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (m.box[0] * m.bytes % 16 || (m.swizzled && m.box[0] * m.bytes > 128))
        return CUDA_ERROR_INVALID_VALUE;
    memset(map, 0, sizeof *map);
    memcpy((void *)map, &m, sizeof m);
    return CUDA_SUCCESS;
}

extern "C" cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
                                                        unsigned, unsigned long long,
                                                        cudaDriverEntryPointQueryResult *result)
{
    const bool known = !strcmp(symbol, "cuTensorMapEncodeTiled");
    *function = known ? (void *)encode : NULL;
    *result = known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

/* The map's fields; ends a thread that takes something else for one, or one of other axes. */
static Map map_at(const CUtensorMap *map, int rank, const char *file, int line)
{
    Map m;
    memcpy(&m, (const void *)map, sizeof m);
    if (m.mark == MARK && m.rank == (uint32_t)rank)
        return m;
    tile_complain(file, line, "this is no map of a tensor of %d axes", rank);
    tile_stop_thread();
}

/* ---- rows of a box ------------------------------------------------------------------ */

/* A row of the box: bytes that the tensor has of it, from `skip` on, at `global`. */
struct Row {
    uintptr_t global;
    size_t skip, bytes;
};

/* How many rows a box has. */
static unsigned rows_of(const Map &m)
{
    unsigned rows = 1;
    for (unsigned axis = 1; axis < m.rank; axis++)
        rows *= m.box[axis];
    return rows;
}

/* Row number r of the box at `at`; what lies outside of the tensor has no bytes. */
static Row row_of(const Map &m, const int *at, unsigned r)
{
    const int64_t from = at[0] < 0 ? 0 : at[0], end = (int64_t)at[0] + m.box[0];
    const int64_t to = end < (int64_t)m.extent[0] ? end : (int64_t)m.extent[0];
    uintptr_t row = m.base + from * m.bytes;
    bool there = from < to;
    for (unsigned axis = 1; axis < m.rank; r /= m.box[axis++]) {
        const int64_t place = (int64_t)at[axis] + r % m.box[axis];
        there = there && place >= 0 && place < (int64_t)m.extent[axis];
        row += place * m.stride[axis];
    }
    if (!there)
        return {0, 0, 0};
    return {row, (size_t)(from - at[0]) * m.bytes, (size_t)(to - from) * m.bytes};
}

/* Where byte i of the box lies in shared memory: its 16 bytes change places within 128, by the
 * number of the 128 bytes among eight, as the address has it. */
static uintptr_t place(const Map &m, uintptr_t shared, size_t i)
{
    const unsigned address = tile_shared_address((void *)(shared + i));
    return shared + i + (m.swizzled ? (int)((address ^ (address >> 3 & 0x70)) - address) : 0);
}

/* ---- copies ------------------------------------------------------------------------- */

void tile_tma_load(void *to, const CUtensorMap *map, const uint64_t *barrier, int rank,
                   const int *at, const char *file, int line)
{
    TileThread *const t = tile_self;
    const void *const pc = __builtin_return_address(0);
    const Map m = map_at(map, rank, file, line);
    const unsigned rows = rows_of(m), width = m.box[0] * m.bytes;
    const auto found = t->worker->mbarriers.find((uintptr_t)barrier);
    tile_demand_shared(to, 128, "tma_load", file, line);
    if (found == t->worker->mbarriers.end()) {
        tile_complain(file, line, "tma_load to what is no mbarrier that mbarrier_init began");
        tile_stop_thread();
    }
    if (tile_watch)
        tile_watch((uintptr_t)to, (size_t)rows * width, true, pc);
    TileBox box = {(uintptr_t)to, std::vector<unsigned char>((size_t)rows * width), t,
                   t->synced[t->number % 32]};
    for (unsigned r = 0; r < rows; r++) {
        const Row row = row_of(m, at, r);
        if (tile_watch && row.bytes)
            tile_watch(row.global, row.bytes, false, pc);
        for (size_t i = 0; i < row.bytes; i++)
            box.bytes[place(m, box.to, (size_t)r * width + row.skip + i) - box.to] =
                ((const unsigned char *)row.global)[i];
    }
    memset(to, 0xff, box.bytes.size());
    tile_copy_mark(to, box.bytes.size());
    t->synced[t->number % 32]++;
    found->second.boxes.push_back(std::move(box));
}

void tile_tma_store(const CUtensorMap *map, const void *from, int rank, const int *at,
                    const char *file, int line)
{
    TileStore store = {map, from, {}, tile_self->store_groups, __builtin_return_address(0)};
    map_at(map, rank, file, line);
    tile_demand_shared(from, 128, "tma_store", file, line);
    memcpy(store.at, at, rank * sizeof *at);
    tile_self->stores.push_back(store);
}

void tile_tma_commit(void)
{
    tile_self->store_groups++;
}

/* Reads the source of a store, and writes what of it lies in the tensor. */
static void store_box(const TileStore &s)
{
    Map m;
    memcpy(&m, s.map, sizeof m);
    const unsigned rows = rows_of(m), width = m.box[0] * m.bytes;
    for (unsigned r = 0; r < rows; r++) {
        const Row row = row_of(m, s.at, r);
        if (tile_watch && row.bytes) {
            tile_watch((uintptr_t)s.from + (size_t)r * width, width, false, s.pc);
            tile_demand_fence(tile_self, (uintptr_t)s.from + (size_t)r * width, width, s.pc);
            tile_watch(row.global, row.bytes, true, s.pc);
        }
        for (size_t i = 0; i < row.bytes; i++)
            ((unsigned char *)row.global)[i] =
                *(unsigned char *)place(m, (uintptr_t)s.from, (size_t)r * width + row.skip + i);
    }
}

void tile_tma_wait(unsigned pending)
{
    TileThread *const t = tile_self;
    while (!t->stores.empty() && t->stores.front().group + pending < t->store_groups) {
        const TileStore store = t->stores.front();
        t->stores.pop_front();
        store_box(store);
    }
}
