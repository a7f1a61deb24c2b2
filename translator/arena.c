/* arena.c -- all memory: one arena, freed once at exit; growing lists and texts in it */
#include "base.h"
#include <stdlib.h>
#include <string.h>

enum { FIRST_CHUNK = 1 << 16, LARGEST_CHUNK = 1 << 22 };

typedef struct Chunk Chunk;
struct Chunk { Chunk *next; _Alignas(16) char at[]; };

typedef struct Root Root;
struct Root { Root *next; void *at; size_t size; };

static struct { Chunk *chunks; Root *roots; char *at, *end; size_t next_size; } arena;

/* Ends the program: there is no way on without memory. */
static _Noreturn void out_of_memory(void)
{
    fputs("tilec: error: out of memory\n", stderr);
    exit(2);
}

/* A chunk of zeros with room for so many bytes, in the list of those to free. */
static char *chunk_new(size_t bytes)
{
    Chunk *c = bytes <= SIZE_MAX - sizeof(Chunk) ? calloc(1, sizeof(Chunk) + bytes) : NULL;
    if (!c) out_of_memory();
    c->next = arena.chunks;
    arena.chunks = c;
    return c->at;
}

/* Zeroed memory, aligned to 16, that lives until arena_free_all. */
void *arena_alloc(size_t bytes)
{
    if (bytes > SIZE_MAX / 2) out_of_memory();
    bytes = (bytes + 15) & ~(size_t)15;
    if (bytes <= (size_t)(arena.end - arena.at)) {
        char *at = arena.at;
        arena.at += bytes;
        return at;
    }
    if (bytes >= FIRST_CHUNK / 4) return chunk_new(bytes);
    if (arena.next_size < FIRST_CHUNK) arena.next_size = FIRST_CHUNK;
    arena.at = chunk_new(arena.next_size);
    arena.end = arena.at + arena.next_size;
    if (arena.next_size < LARGEST_CHUNK) arena.next_size *= 2;
    return arena_alloc(bytes);
}

/* Tells of a static variable that holds what is in the arena: it is emptied with it. */
void arena_root(void *at, size_t size)
{
    Root *root = new(Root);
    *root = (Root){ arena.roots, at, size };
    arena.roots = root;
}

/* Frees everything that arena_alloc gave, and forgets it: the next program begins as the first. */
void arena_free_all(void)
{
    for (const Root *r = arena.roots; r; r = r->next) memset(r->at, 0, r->size);
    arena.roots = NULL;
    while (arena.chunks) {
        Chunk *next = arena.chunks->next;
        free(arena.chunks);
        arena.chunks = next;
    }
    arena.at = arena.end = NULL;
    arena.next_size = 0;
}

/* Makes room for one more item in a list of n; what `*at` points to may move. */
void list_grow(void **at, int n, int *room, size_t size)
{
    if (n < *room) return;
    if (n > INT32_MAX / 2) out_of_memory();
    int wider = *room ? *room * 2 : 8;
    void *old, *moved = arena_alloc(size * (size_t)wider);
    memcpy(&old, at, sizeof old);                  /* *at is some other type of pointer */
    if (n) memcpy(moved, old, size * (size_t)n);
    memcpy(at, &moved, sizeof moved);
    *room = wider;
}

/* Makes room for n more bytes and a NUL. */
static void text_room(Text *t, size_t n)
{
    if (n > SIZE_MAX / 4 - t->n) out_of_memory();
    if (t->at && t->n + n < t->room) return;
    size_t room = t->room ? t->room * 2 : 64;
    while (room <= t->n + n) room *= 2;
    char *moved = arena_alloc(room);
    if (t->n) memcpy(moved, t->at, t->n);
    t->at = moved;
    t->room = room;
}

/* Adds n bytes to a text. */
void text_add(Text *t, const char *s, size_t n)
{
    text_room(t, n);
    if (n) memcpy(t->at + t->n, s, n);
    t->n += n;
    t->at[t->n] = 0;
}

/* Adds what printf would write. */
static void text_vprintf(Text *t, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    text_room(t, 80);
    int n = vsnprintf(t->at + t->n, t->room - t->n, format, args);
    if (n > 0 && (size_t)n >= t->room - t->n) {
        text_room(t, (size_t)n);
        vsnprintf(t->at + t->n, t->room - t->n, format, again);
    }
    va_end(again);
    if (n > 0) t->n += (size_t)n;
}

/* Adds what printf would write. */
void text_printf(Text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_vprintf(t, format, args);
    va_end(args);
}

/* What printf would write, in the arena. */
char *arena_printf(const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *s = arena_alloc(n > 0 ? (size_t)n + 1 : 1);
    if (n > 0) vsnprintf(s, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    return s;
}
