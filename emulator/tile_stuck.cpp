/* tile_stuck.cpp -- says why a block cannot go on */

#include "tile_scheduler.h"

static std::string place_name(const TileThread *t)
{
    return tile_format("thread (%u, %u, %u)", t->place.x, t->place.y, t->place.z);
}

/* Why t waits for ever, in words; "" if another thread's trouble explains it. */
static std::string why_stuck(const TileWorker *w, const TileThread *t)
{
    const TileThread *const warp = t - t->number % 32, *other = NULL;
    for (unsigned i = 0; i < 32 && !other && t->state == AT_WARP; i++)
        if (t->mask >> i & 1 && !(w->warps[t->number / 32].exited >> i & 1)
            && (warp[i].state != AT_WARP || warp[i].mask != t->mask
                || warp[i].combine != t->combine))
            other = &warp[i];
    for (unsigned i = 0; i < w->launch->threads && !other && t->state == AT_BARRIER; i++)
        if (w->threads[i].state == DONE || (w->threads[i].state == AT_BARRIER
                                            && w->threads[i].line != t->line))
            other = &w->threads[i];
    if (!other)
        return "";
    std::string text = t->name;
    if (t->state == AT_WARP)
        text += tile_format(" with mask 0x%08x", t->mask);
    text += " waits for " + place_name(other);
    if (other->state == DONE)
        return text + ", which has exited";
    if (other->state == AT_WARP)
        return text + tile_format(", which is in line %d at %s with mask 0x%08x", other->line,
                                  other->name, other->mask);
    return text + tile_format(", which is in line %d at %s", other->line, other->name);
}

/* Reports a block that cannot go on, unless an error stopped a thread that others wait for. */
void tile_report_stuck(TileWorker *w)
{
    const unsigned n = w->launch->threads;
    for (unsigned i = 0; i < n; i++)
        if (w->threads[i].state == STOPPED)
            return;
    for (unsigned i = 0; i < n; i++) {
        TileThread *const t = &w->threads[i];
        if (t->state == DONE)
            continue;
        const std::string why = t->state == READY ? "waits for memory that nobody changes"
                                                  : why_stuck(w, t);
        if (!why.empty())
            tile_report(t, cudaErrorLaunchTimeout, {t->file, t->line, NULL}, why);
    }
}
