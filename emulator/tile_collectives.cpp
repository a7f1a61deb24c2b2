/* tile_collectives.cpp -- what a warp's collectives do once all are there; small services */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "tile_scheduler.h"
#include "tile_warp.h"

/* ---- combining functions ------------------------------------------------------------ */

void tile_combine_sync(void **)
{
}

/* Each lane gets the value of its source, which was left out of the mask or exited: missing. */
void tile_combine_shuffle(void **lanes)
{
    for (int i = 0; i < 32; i++) {
        TileShuffle *const lane = (TileShuffle *)lanes[i];
        if (!lane)
            continue;
        const TileShuffle *const source = (TileShuffle *)lanes[lane->source];
        lane->missing = !source;
        lane->result = source ? source->value : lane->value;
    }
}

/* Each lane brought 0 or 1 and gets the bits of all. */
void tile_combine_ballot(void **lanes)
{
    unsigned bits = 0;
    for (int i = 0; i < 32; i++)
        bits |= lanes[i] ? *(unsigned *)lanes[i] << i : 0;
    for (int i = 0; i < 32; i++)
        if (lanes[i])
            *(unsigned *)lanes[i] = bits;
}

/* Each lane gets the lanes that brought the same value. */
void tile_combine_match(void **lanes)
{
    for (int i = 0; i < 32; i++) {
        TileShuffle *const lane = (TileShuffle *)lanes[i];
        for (int j = 0; lane && j < 32; j++)
            if (lanes[j] && ((TileShuffle *)lanes[j])->value == lane->value)
                lane->result |= 1u << j;
    }
}

/* ---- services ----------------------------------------------------------------------- */

unsigned tile_lane(void)
{
    return tile_self->number % 32;
}

unsigned tile_live_lanes(void)
{
    return ~tile_self->worker->warps[tile_self->number / 32].exited;
}

void tile_complain(const char *file, int line, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const TileAside aside;
    tile_report(aside.self, cudaErrorLaunchFailure, {file, line, NULL}, text);
}

/* The launch ends here: no further block starts. */
void tile_trap(const char *file, int line)
{
    TileLaunch *const l = tile_self->worker->launch;
    tile_complain(file, line, "__trap()");
    l->next_block = l->blocks;
    tile_stop_thread();
}

void tile_fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

extern thread_local unsigned char smem[];

/* Shared arrays of a program lie close together, so the distance from smem fits. */
unsigned tile_shared_address(const void *pointer)
{
    return (unsigned)((const unsigned char *)pointer - smem);
}

void *tile_shared_pointer(unsigned address)
{
    return smem + (int)address;
}
