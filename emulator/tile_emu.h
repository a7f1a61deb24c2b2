/* tile_emu.h -- what a program that drives emulated kernels can ask the emulator */
#ifndef TILE_EMU_H
#define TILE_EMU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TILE_EMU_FILLED = 0,    /* the array's contents are there to be read */
    TILE_EMU_EMPTY = 1,     /* reading what no kernel has written is an error */
    TILE_EMU_READONLY = 2,  /* a write is an error */
    TILE_EMU_ONCE = 4       /* so is a second write to a byte in one launch, whoever writes it */
};

/* Makes [pointer, pointer + bytes) an array that kernels may use; name is copied, it may be NULL.
 * Returns 0, or -1 when it overlaps an array that is registered already. */
int tile_emu_register(const void *pointer, size_t bytes, const char *name, int flags);

/* Names an array that is registered or comes from cudaMalloc; -1 when there is none at pointer. */
int tile_emu_name(const void *pointer, const char *name);

/* Says of an array that is there: its elements have so many bytes and lie in row-major order, and
 * reports then name them by index; which flags it has besides from now on. -1 as above. */
int tile_emu_shape(const void *pointer, size_t element, int rank, const int64_t *extents);
int tile_emu_promise(const void *pointer, int flags);

/* Forgets an array; -1 when none begins at pointer. */
int tile_emu_unregister(const void *pointer);

/* Bytes of the array that no kernel has written since tile_emu_reset; -1 when nobody watched:
 * no such array, or the kernels were compiled without checks. */
int64_t tile_emu_unwritten(const void *pointer);

/* Elements of an array of known shape that no kernel has written since tile_emu_reset, or not all
 * bytes of them; -1 as above. place, if there is room: the index of the first, as "3, 5". */
int64_t tile_emu_missed(const void *pointer, char *place, size_t room);

/* Bytes of the array that more than one thread (or launch) has written since tile_emu_reset;
 * atomics do not count. -1 as above. Exact with one OS thread. */
int64_t tile_emu_written_twice(const void *pointer);

/* Errors found since tile_emu_reset, each thread counted. */
int64_t tile_emu_errors(void);

/* The text of the i-th different error since tile_emu_reset (20 are kept); NULL past the last. */
const char *tile_emu_error(int i);

/* Forgets errors, and who wrote what; arrays stay, and what was written stays readable. */
void tile_emu_reset(void);

/* 1 if the kernels report their memory accesses, 0 if they were compiled without checks. */
int tile_emu_checked(void);

/* Overrides TILE_EMU_SCHEDULE ("forward", "reverse", "random:SEED", "warp"); -1 if it is none. */
int tile_emu_schedule(const char *schedule);

/* Leaves out the barriers (__syncthreads, __syncwarp) that stand in a line, for tests that ask what
 * would happen; 0, the default: none. */
void tile_emu_skip_barrier(int line);

/* Whether a thread has come to a barrier in that line since tile_emu_reset; left out or not. */
int tile_emu_barrier_met(int line);

/* Whether errors are written to stderr when a launch ends (1, the default) or only kept (0). */
void tile_emu_verbose(int on);

#ifdef __cplusplus
}
#endif
#endif
