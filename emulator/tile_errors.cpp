/* tile_errors.cpp -- errors of kernels: collected while they run, told when the launch is over */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <map>
#include <mutex>
#include <tuple>
#include "tile_emu.h"
#include "tile_scheduler.h"

enum { KEPT = 20 };                     // different errors whose text is kept

/* The first of the errors that one place and one kernel had. */
struct Error {
    std::string kernel, where, text;    // where: block and thread
    TilePlace place;
    int64_t count;
    bool told;
};

typedef std::tuple<const void *, std::string, int, const void *, int> Key;

static std::mutex lock;
static std::vector<Error> errors;
static std::map<Key, size_t> places;    // index into errors
static std::vector<std::string> texts;  // of the errors that were told
static std::atomic<int64_t> total{0};
static bool verbose = true;

std::string tile_format(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return text;
}

static std::string coordinates(uint3 p)
{
    return tile_format("(%u, %u, %u)", p.x, p.y, p.z);
}

void tile_report(const TileThread *t, cudaError_t code, TilePlace place, const std::string &text)
{
    const TileLaunch *const l = t ? t->worker->launch : NULL;
    total++;
    if (t) {
        int none = 0;
        t->worker->launch->errors++;
        t->worker->launch->error.compare_exchange_strong(none, code);
    }
    std::lock_guard<std::mutex> hold(lock);
    const Key key(l ? l->kernel : NULL, place.file ? place.file : "", place.line, place.pc, code);
    const auto found = places.find(key);
    if (found != places.end()) {
        errors[found->second].count++;
        return;
    }
    if (errors.size() == KEPT)
        return;
    places[key] = errors.size();
    errors.push_back({l ? tile_function_name(l->kernel) : "host",
                      t ? "block " + coordinates(t->worker->block) + ", thread "
                          + coordinates(t->place) : "", text, place, 1, false});
}

/* The source line of an error, as far as it is known. */
static std::string place_text(const TilePlace &place)
{
    if (!place.file)
        return tile_source_line(place.pc);
    const char *const slash = strrchr(place.file, '/');
    return tile_format("%s:%d", slash ? slash + 1 : place.file, place.line);
}

void tile_flush_errors(void)
{
    std::lock_guard<std::mutex> hold(lock);
    for (Error &e : errors) {
        if (e.told)
            continue;
        e.told = true;
        std::string text = e.kernel + ": " + place_text(e.place) + ": " + e.text;
        if (!e.where.empty())
            text += "; " + e.where;
        if (e.count > 1)
            text += tile_format(" and %lld more", (long long)e.count - 1);
        texts.push_back(text);
        if (verbose)
            fprintf(stderr, "tile_emulator: %s\n", text.c_str());
    }
    places.clear();                     // the next launch tells its own errors
}

extern "C" int64_t tile_emu_errors(void)
{
    return total;
}

extern "C" const char *tile_emu_error(int i)
{
    std::lock_guard<std::mutex> hold(lock);
    return i >= 0 && (size_t)i < texts.size() ? texts[i].c_str() : NULL;
}

extern "C" void tile_emu_verbose(int on)
{
    verbose = on;
}

/* Forgets all errors. */
void tile_forget_errors(void)
{
    std::lock_guard<std::mutex> hold(lock);
    errors.clear();
    places.clear();
    texts.clear();
    total = 0;
}
