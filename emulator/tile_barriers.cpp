/* tile_barriers.cpp -- which barriers threads came to, and which one is left out */

#include <string.h>
#include "tile_emu.h"
#include "tile_scheduler.h"

enum { LINES = 1 << 16 };               // lines of a file; those of a longer one count together

static bool met[LINES];
static int skipped;

bool tile_leaves_out(int line)
{
    met[line % LINES] = true;
    return line == skipped;
}

void tile_forget_barriers(void)
{
    memset(met, 0, sizeof met);
}

extern "C" void tile_emu_skip_barrier(int line)
{
    skipped = line;
}

extern "C" int tile_emu_barrier_met(int line)
{
    return line > 0 && met[line % LINES];
}
