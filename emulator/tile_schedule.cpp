/* tile_schedule.cpp -- in which order the threads of a block take turns */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tile_emu.h"
#include "tile_scheduler.h"

static std::string schedule_override;

/* Reads "forward", "reverse", "random:SEED" or "warp"; false if text is none of them. */
static bool parse_schedule(const char *text, TileSchedule *s)
{
    *s = {TILE_WARP, 0};
    if (!strcmp(text, "forward"))
        s->order = TILE_FORWARD;
    else if (!strcmp(text, "reverse"))
        s->order = TILE_REVERSE;
    else if (!strncmp(text, "random:", 7))
        s->order = TILE_RANDOM, s->seed = strtoull(text + 7, NULL, 0);
    else
        return !strcmp(text, "warp");
    return true;
}

extern "C" int tile_emu_schedule(const char *schedule)
{
    TileSchedule s;
    if (!parse_schedule(schedule, &s))
        return -1;
    schedule_override = schedule;
    return 0;
}

/* The schedule in force; a text that is none is an error that every launch repeats. */
bool tile_current_schedule(TileSchedule *s)
{
    const char *text = schedule_override.empty() ? getenv("TILE_EMU_SCHEDULE")
                                                 : schedule_override.c_str();
    if (parse_schedule(text && *text ? text : "warp", s))
        return true;
    fprintf(stderr, "tile_emulator: no such schedule: TILE_EMU_SCHEDULE=%s\n", text);
    return false;
}

/* The next of a worker's random numbers (xorshift64). */
static uint64_t next_random(TileWorker *w)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return w->random;
}

/* Puts the threads in the order in which the block's first sweep takes them. */
void tile_set_order(TileWorker *w, const TileSchedule *s)
{
    const unsigned n = w->launch->threads;
    for (unsigned i = 0; i < n; i++)
        w->order[i] = s->order == TILE_REVERSE ? n - 1 - i : i;
    w->random = (s->seed + 1) * 0x9e3779b97f4a7c15 + w->block_number * 0xd1342543de82ef95;
    if (w->random == 0)
        w->random = 1;
}

void tile_shuffle_order(TileWorker *w)
{
    for (unsigned i = w->launch->threads; i > 1; i--) {
        const unsigned j = next_random(w) % i;
        const unsigned short t = w->order[i - 1];
        w->order[i - 1] = w->order[j];
        w->order[j] = t;
    }
}
