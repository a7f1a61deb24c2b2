/* tile_fiber.h -- what device code asks of the scheduler: to meet other threads, or to stop */
#ifndef TILE_FIBER_H
#define TILE_FIBER_H

#include <stddef.h>
#include <stdint.h>

/* Does a warp's collective once everybody is there: lanes[i] is what lane i brought, NULL if it
 * takes no part. It reads and writes what was brought; the scheduler looks at nothing but this
 * function's address, which all must have in common. */
typedef void TileCombine(void **lanes);

/* A copy to shared memory that is on its way: what it brings, and in which group of its thread. */
struct TileCopy {
    void *to;
    unsigned char bytes[16];
    unsigned size, group;
};

/* What a wgmma multiplies: the type of its elements (TileOperand), columns of the sum, whether a
 * and b lie along the rows and columns of the sum, not along the products; a is in registers. */
struct TileWgmma {
    int type, n;
    bool a_turned, b_turned, registers;
};

extern "C" {

/* Waits until the lanes of mask that have not exited are here with the same mask and combine. */
void tile_collective(unsigned mask, TileCombine *combine, const char *name, void *brought,
                     const char *file, int line);

/* Waits for the whole block; returns how many threads brought a predicate that is not 0. */
int tile_barrier(int predicate, const char *name, const char *file, int line);

/* Lets the other threads of the block go first; for loops that wait for memory to change. */
void tile_yield(void);

/* The lane of the current thread, and which lanes of its warp are still running. */
unsigned tile_lane(void);
unsigned tile_live_lanes(void);

/* Reports an error of the current thread, printf-like; the thread goes on. */
void tile_complain(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reports that the current thread gave up, and ends it. */
void tile_trap(const char *file, int line) __attribute__((noreturn));

/* A full memory fence; one between what the thread wrote and wgmma or copies of boxes. */
void tile_fence(void);
void tile_fence_async(void);

/* A 32-bit name of a shared address, for instructions that take one, and back. */
unsigned tile_shared_address(const void *pointer);
void *tile_shared_pointer(unsigned address);

/* Notes that the bytes arrive at `to` when the thread waits for its group, and not before. */
void tile_copy_begin(void *to, const void *bytes, unsigned size);

/* Ends the thread's group. */
void tile_copy_commit(void);

/* The next copy of the groups before the `pending` latest; false if all of those have arrived. */
bool tile_copy_next(unsigned pending, TileCopy *copy);
}

#endif
