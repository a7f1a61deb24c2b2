/* tile_wgmma.cpp -- products of tiles in shared memory, which are read as late as they may be */

#include <string.h>
#include "tile_emulator.h"
#include "tile_scheduler.h"

/* ---- what a thread begins ----------------------------------------------------------- */

void tile_wgmma(TileWgmma how, void *upper, void *lower, uint64_t a, const unsigned *fragment,
                uint64_t b, bool accumulate, const char *file, int line)
{
    TileThread *const t = tile_self;
    TileProduct p = {upper, lower, a, b, {}, how, accumulate, t->product_groups,
                     __builtin_return_address(0)};
    for (const uint64_t tile : {how.registers ? b : a, b})
        if (tile >> 62 != 1 || (tile >> 49 & 7)) {
            tile_complain(file, line, "wgmma of a tile that is not swizzled by 128 bytes");
            tile_stop_thread();
        }
    if (fragment)
        memcpy(p.fragment, fragment, sizeof p.fragment);
    t->products.push_back(p);
}

void tile_wgmma_commit(void)
{
    tile_self->product_groups++;
}

/* Says which lane has exited, if one has. */
void tile_combine_wgmma(void **lanes)
{
    tile_everybody(lanes);
}

/* ---- tiles -------------------------------------------------------------------------- */

extern thread_local unsigned char smem[];

/* Where an element lies: number i along the tile's rows (of b: columns), k along the products,
 * `bytes` each. Not turned, rows of 128 bytes, eight of which are `stride` bytes from the next
 * eight. Turned, k's rows of 64 elements; eight of them `stride`, 64 elements `leading` apart. */
static const unsigned char *element_at(uint64_t tile, bool turned, int bytes, int i, int k)
{
    const unsigned start = (tile & 0x3fff) << 4, leading = (tile >> 16 & 0x3fff) << 4;
    const unsigned stride = (tile >> 32 & 0x3fff) << 4;
    const unsigned offset = turned ? i / 64 * leading + k / 8 * stride + k % 8 * 128 + i % 64 * 2
                                   : i / 8 * stride + i % 8 * 128 + k * bytes;
    const unsigned address = (start + offset) & 0x3ffff;
    return smem + (address ^ (address >> 3 & 0x70));
}

/* Reads n rows of a tile, from row `first` on, into 32 bytes each, decoded. */
static void read_tile(double (*out)[32], const TileProduct &p, uint64_t tile, bool turned,
                      int first, int n)
{
    const TileOperand type = (TileOperand)p.how.type;
    const int packed = tile_packed(type), bytes = 4 / packed;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 8 * packed; k++) {
            const unsigned char *const at = element_at(tile, turned, bytes, first + i, k);
            unsigned word = 0;
            if (tile_watch) {
                tile_watch((uintptr_t)at, bytes, false, p.pc);
                tile_demand_fence(tile_self, (uintptr_t)at, bytes, p.pc);
            }
            memcpy(&word, at, bytes);
            out[i][k] = tile_element(type, word, 0);
        }
}

/* ---- the work of a warp ------------------------------------------------------------- */

/* Whether all lanes of the warp ask for the same; the products of one are those of all. */
static bool agree(const TileThread *warp, const char *file, int line)
{
    for (int l = 1; l < 32; l++) {
        const TileProduct &p = warp[0].products.front();
        if (!warp[l].products.empty()) {
            const TileProduct &q = warp[l].products.front();
            if (p.a == q.a && p.b == q.b && p.accumulate == q.accumulate && p.group == q.group
                && p.how.type == q.how.type && p.how.n == q.how.n
                && p.how.a_turned == q.how.a_turned && p.how.b_turned == q.how.b_turned)
                continue;
        }
        tile_complain(file, line, "lanes 0 and %d of a warp differ in what wgmma multiplies", l);
        return false;
    }
    return true;
}

/* Does the first product of each lane: rows 16 * w to 16 * w + 15 of warp w of its four. Lane l has
 * rows l / 4 of both halves and of each eight columns 2 * (l % 4) and the next. */
static void multiply(TileThread *warp)
{
    static thread_local double a[16][32], b[256][32];
    const TileProduct &p = warp[0].products.front();
    const int packed = tile_packed((TileOperand)p.how.type);
    if (p.how.registers)
        for (int l = 0; l < 32; l++)
            for (int i = 0; i < 4 * packed; i++)
                a[l / 4 + i / packed % 2 * 8][packed * (l % 4) + i % packed
                                              + i / packed / 2 * 4 * packed] =
                    tile_element((TileOperand)p.how.type,
                                 warp[l].products.front().fragment[i / packed], i % packed);
    else
        read_tile(a, p, p.a, p.how.a_turned, (int)(warp->number / 32 % 4 * 16), 16);
    read_tile(b, p, p.b, p.how.b_turned, 0, p.how.n);
    for (int row = 0; row < 16; row++)
        for (int col = 0; col < p.how.n; col++) {
            const TileProduct &q = warp[row % 8 * 4 + col % 8 / 2].products.front();
            float *const sum = (float *)(row < 8 ? q.upper : q.lower) + col / 8 * 2 + col % 2;
            float total = p.accumulate ? *sum : 0.0f;
            for (int k = 0; k < 8 * packed; k++)
                total = (float)(total + a[row][k] * b[col][k]);
            *sum = total;
        }
}

void tile_wgmma_work(unsigned pending, const char *file, int line)
{
    TileThread *const t = tile_self;
    if (t->number % 32)
        return;
    while (!t->products.empty() && t->products.front().group + pending < t->product_groups) {
        if (!agree(t, file, line))
            tile_stop_thread();
        multiply(t);
        for (int l = 0; l < 32; l++)
            t[l].products.pop_front();
    }
}
