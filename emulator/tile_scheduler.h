/* tile_scheduler.h -- the emulator's own view of launches, blocks, threads and arrays */
#ifndef TILE_SCHEDULER_H
#define TILE_SCHEDULER_H

#include <stdint.h>
#include <atomic>
#include <deque>
#include <map>
#include <string>
#include <vector>
#include <boost/context/detail/fcontext.hpp>
#include "cuda_runtime_api.h"
#include "tile_fiber.h"

enum {
    TILE_MAX_THREADS = 1024,            // threads of a block
    TILE_MAX_SHARED = 232448,           // bytes of shared memory of a block
    TILE_MAX_STATIC_SHARED = 49152,     // bytes of dynamic shared memory without asking for more
    TILE_STACK_BYTES = 256 * 1024,      // stack of a fiber, of which few pages are ever touched
    TILE_CACHE = 64                     // arrays that a worker remembers, by place of access
};

struct TileWorker;

/* FRESH -> READY -> AT_WARP or AT_BARRIER -> READY ..  -> DONE; STOPPED after an error. */
enum TileState : unsigned char { FRESH, READY, AT_WARP, AT_BARRIER, DONE, STOPPED };

/* A product of tiles that a thread's wgmma began: the sums, tiles or a fragment, as it asked. */
struct TileProduct {
    void *upper, *lower;
    uint64_t a, b;
    unsigned fragment[4];
    TileWgmma how;
    bool accumulate;
    unsigned group;
    const void *pc;
};

/* A box of shared memory that a thread's store will read. */
struct TileStore {
    const void *map, *from;
    int at[5];
    unsigned group;
    const void *pc;
};

/* Of each thread of the block the first time, as tile_races.cpp tells it, that is not over yet. */
typedef std::vector<uint16_t> TileTimes;

/* A thread of the block that runs now. */
struct TileThread {
    boost::context::detail::fcontext_t context;
    uintptr_t stack;                    // lowest address of its stack
    TileWorker *worker;
    uint3 place;                        // threadIdx
    unsigned number;                    // the same, counted through
    TileState state;
    // what it waits for
    unsigned mask;                      // AT_WARP: lanes, itself among them
    TileCombine *combine;
    void *brought;
    int predicate;                      // AT_BARRIER
    uint16_t synced[32];                // of the lanes of its warp: what it knows of their times
    TileTimes known;                    // of all threads; empty until a barrier of some told it
    TileTimes fenced;                   // what it knew at its last fence_async; empty before it
    uint32_t fence_interval;            // and the barriers that the block had passed
    const char *name, *file;            // the function that waits and where it was called
    int line;
    // cp.async
    std::deque<TileCopy> copies;        // begun, not arrived, in this order
    unsigned groups;                    // committed so far
    // wgmma, and copies of tensors to global memory
    std::deque<TileProduct> products;
    unsigned product_groups;
    std::deque<TileStore> stores;
    unsigned store_groups;
};

/* Warp: each warp goes as far as it can before the next; the others: all threads in turn. */
enum TileOrder { TILE_FORWARD, TILE_REVERSE, TILE_RANDOM, TILE_WARP };

struct TileSchedule {
    TileOrder order;
    uint64_t seed;
};

/* Lanes of a warp as bits. */
struct TileWarp {
    unsigned waiting, exited;           // a lane that the block does not have has exited
};

/* Who wrote a byte: the number of a thread, never 0, and two marks. */
constexpr uint32_t TILE_TWICE = 1u << 31;   // two different threads wrote it
constexpr uint32_t TILE_HOST = 1u << 30;    // the host wrote it
constexpr uint32_t TILE_WRITER = TILE_HOST - 1;
constexpr uint32_t TILE_WAS_ATOMIC = TILE_TWICE;    // in TileRace: by an atomic access

/* The shadow of a byte of shared memory that an asynchronous copy will write; of one that a copy of
 * a box wrote, TILE_HOST stands beside the writer. */
constexpr uint32_t TILE_PENDING = TILE_TWICE | TILE_HOST;

/* A flag of what g++ adds beside a shared array: every thread may find that it is set up. */
constexpr int TILE_NO_RACES = 1 << 16;

/* Bytes low .. high - 1, which kernels may access. */
struct TileArray {
    uintptr_t low, high;
    std::string name;
    int flags;                          // TILE_EMU_EMPTY, TILE_EMU_READONLY, TILE_NO_RACES
    bool shared, owned;                 // of a block; from cudaMalloc
    uint32_t *shadow;                   // who wrote each byte; NULL until somebody asks
    struct TileRace *races;             // who did what last with each byte; NULL with the shadow
    size_t capacity;                    // bytes that the shadow covers; 0 of an empty array
    size_t element = 0;                 // bytes of an element, if the host said so
    std::vector<int64_t> extents = {};  // and the array's shape
};

/* One kernel launch. */
struct TileLaunch {
    const cudaLaunchConfig_t *config;
    const void *kernel;
    void (*call)(void *);
    void *arguments;
    unsigned threads;                   // of a block
    uint64_t blocks, first_writer;      // first_writer + the thread's number in the grid writes
    std::atomic<uint64_t> next_block;
    std::atomic<int> error;             // cudaError_t of the first error
    std::atomic<int64_t> errors;
};

/* ---- what tile_sync.cpp, tile_tma.cpp and tile_wgmma.cpp keep ------------------------- */

/* A barrier with a name: threads that came since it was passed last, how many it is for. */
struct TileNamed {
    unsigned came, count, passed;
    TileTimes gathered, known;          // of those that came; of those with which it was passed
};

/* A box of a tensor on its way to shared memory: what it brings; who asked for it, and when. */
struct TileBox {
    uintptr_t to;
    std::vector<unsigned char> bytes;
    TileThread *by;
    uint16_t time;
};

/* An mbarrier: phases that are over, arrivals and bytes that this one lacks. */
struct TilePhases {
    unsigned count, phase, lacking;
    int64_t bytes;
    TileTimes gathered, known;          // as above
    std::vector<TileBox> boxes;
};

/* What an OS thread needs to run one block after another. */
struct TileWorker {
    TileLaunch *launch;
    boost::context::detail::fcontext_t home;
    uint3 block;                        // blockIdx
    uint64_t block_number;
    uint32_t interval;                  // barriers that the block has passed
    int barrier_count;                  // predicates at the last barrier
    unsigned finished, idle_sweeps;
    uint64_t random;
    TileThread threads[TILE_MAX_THREADS];
    TileWarp warps[TILE_MAX_THREADS / 32];
    unsigned short order[TILE_MAX_THREADS];
    std::vector<uintptr_t> free_stacks;
    unsigned stacks;                    // allocated so far
    TileArray *cache[TILE_CACHE];
    std::vector<TileArray *> shared;    // this OS thread's shared arrays, by address
    TileArray *dynamic;                 // smem among them, as long as the launch asked for
    std::vector<std::pair<uintptr_t, uintptr_t>> statics;   // segments of the loaded files
    uintptr_t shared_key;               // for which OS thread and which modules
    TileNamed named[16];                // barriers of some warps
    std::map<uintptr_t, TilePhases> mbarriers;              // by address
};

/* The last accesses to a byte: the thread that wrote it, and when; of the warp whose first thread
 * is `first`, the lanes that read it or changed it atomically since, and when; another thread, of
 * another warp or another block, that did so. 0: nobody. */
struct TileRace {
    uint32_t writer, written, first, lanes, time, second;
};

enum TileAccess { TILE_READ, TILE_WRITE, TILE_ATOMIC };

/* ---- tile_emulator.cpp -------------------------------------------------------------- */

extern __thread TileThread *tile_self;  // NULL outside of kernels

/* While one lives, this OS thread works for the emulator and its accesses are not checked: the
 * functions of the C++ library that it calls may be those that the linker found in checked code. */
struct TileAside {
    TileThread *const self = tile_self;
    TileAside() { tile_self = NULL; }
    ~TileAside() { tile_self = self; }
};

/* Ends the current thread after an error. */
[[noreturn]] void tile_stop_thread(void);

/* Runs block n of the worker's launch from its first thread's start to its last thread's end. */
void tile_run_block(TileWorker *w, uint64_t n, const TileSchedule *s);

/* The number under which t writes: never 0, the same for no other thread of 2^30. */
static inline uint32_t tile_writer(const TileThread *t)
{
    const TileWorker *const w = t->worker;
    const uint64_t n = w->launch->first_writer + w->block_number * w->launch->threads + t->number;
    return (uint32_t)(n % TILE_WRITER) + 1;
}

constexpr uint64_t TILE_NO_NUMBER = ~(uint64_t)0;

/* The number in the grid of the thread that writes as `id`; TILE_NO_NUMBER: none of this launch. */
static inline uint64_t tile_number(const TileLaunch *l, uint32_t id)
{
    const uint64_t n = ((id & TILE_WRITER) - 1 + TILE_WRITER - l->first_writer % TILE_WRITER)
                       % TILE_WRITER;
    return id & TILE_WRITER && n < l->blocks * l->threads ? n : TILE_NO_NUMBER;
}

/* ---- tile_races.cpp ----------------------------------------------------------------- */

constexpr unsigned TILE_NOBODY = ~0u;

void tile_forget_times(TileWorker *w);
void tile_lanes_met(TileThread *warp, unsigned lanes);

/* What t knows goes into times, what it did so far being over; what times tell, t knows. */
void tile_release(TileThread *t, TileTimes *times);
void tile_acquire(TileThread *t, const TileTimes &times);

/* Reports shared memory that t lets wgmma or a store of boxes read now, though no fence_async of
 * its writer, or of t itself, came after ordinary code wrote it. */
void tile_demand_fence(const TileThread *t, uintptr_t low, size_t size, const void *pc);

/* Notes that bytes have arrived that t began to copy at `time`. */
void tile_race_landed(const TileThread *t, uint16_t time, TileRace *r, size_t size);

/* The thread, as it writes, with whose access t's access now races; 0: nobody's. *wrote: that one
 * wrote. shared: the byte is the block's. The access is noted. */
uint32_t tile_race(const TileThread *t, TileAccess access, TileRace *r, size_t size, bool shared,
                   bool *wrote);

/* ---- tile_barriers.cpp -------------------------------------------------------------- */

/* Is the barrier in this line one to go past? Notes that a thread came there. */
bool tile_leaves_out(int line);
void tile_forget_barriers(void);

/* ---- tile_async.cpp ----------------------------------------------------------------- */

/* An asynchronous copy is on its way to these bytes of shared memory. */
void tile_copy_mark(const void *to, size_t size);

/* ---- tile_schedule.cpp -------------------------------------------------------------- */

/* The schedule in force; false if TILE_EMU_SCHEDULE is none. */
bool tile_current_schedule(TileSchedule *s);

/* Puts the threads in the order of the block's first turn; puts them in a random order. */
void tile_set_order(TileWorker *w, const TileSchedule *s);
void tile_shuffle_order(TileWorker *w);

/* ---- tile_stuck.cpp ----------------------------------------------------------------- */

/* Reports a block that cannot go on, unless an error stopped a thread that others wait for. */
void tile_report_stuck(TileWorker *w);

/* ---- tile_errors.cpp ---------------------------------------------------------------- */

/* Where an error was found: a place in the source or, if file is NULL, an address in the code. */
struct TilePlace {
    const char *file;
    int line;
    const void *pc;
};

/* Notes an error of thread t (NULL: of the host); equal places and codes count as one. */
void tile_report(const TileThread *t, cudaError_t code, TilePlace place, const std::string &text);

/* Completes and prints what was reported since the last call. */
void tile_flush_errors(void);

/* Forgets all errors. */
void tile_forget_errors(void);

std::string tile_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- tile_arrays.cpp ---------------------------------------------------------------- */

extern bool tile_checked;               // instrumented code is there

TileArray *tile_find_array(uintptr_t address);
uint32_t *tile_shadow(TileArray *array);
void tile_drop_shadow(TileArray *array);
TileArray *tile_add_array(uintptr_t low, size_t bytes, const char *name, int flags, bool owned);
bool tile_remove_array(uintptr_t low, bool owned);

/* The host wrote these bytes. */
void tile_host_wrote(uintptr_t low, size_t bytes);

/* "x [400 bytes] + 404": the address from the array that is nearest, shared ones of w included. */
std::string tile_where(TileWorker *w, uintptr_t address);

/* The shared array of w that holds the address; NULL if none does, or if nothing is checked. */
TileArray *tile_shared_array(TileWorker *w, uintptr_t address);

/* Checks and notes an access of the current thread as if its code at pc had made it. Checked code
 * sets it; NULL without. */
extern void (*tile_watch)(uintptr_t address, size_t bytes, bool write, const void *pc);

/* ---- tile_symbols.cpp --------------------------------------------------------------- */

/* Brings w->shared up to date for this OS thread; false if it was so already. */
bool tile_load_shared(TileWorker *w);

std::string tile_function_name(const void *pc);
std::string tile_source_line(const void *pc);

/* ---- tile_runtime.cpp --------------------------------------------------------------- */

/* Keeps the error for cudaGetLastError and passes it on. */
cudaError_t tile_fail(cudaError_t error);
size_t tile_dynamic_limit(const void *kernel);

#endif
