/* name.c -- interned names: the same text is the same pointer */
#include "base.h"
#include <string.h>

static struct { Name *slots; uint32_t room, n; } table;   /* open addressing, at most half full */

/* FNV-1a, with its high bits stirred into the low ones that choose a slot. */
static uint32_t hash_bytes(const char *s, size_t n)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h ^ h >> 15;
}

/* Doubles the table. The old ones stay in the arena: together they are as large as the new one. */
static void table_grow(void)
{
    if (!table.room) arena_root(&table, sizeof table);
    uint32_t room = table.room ? table.room * 2 : 1024;
    Name *slots = new_array(Name, room);
    for (uint32_t i = 0; i < table.room; i++) {
        if (!table.slots[i]) continue;
        uint32_t k = table.slots[i]->hash & (room - 1);
        while (slots[k]) k = (k + 1) & (room - 1);
        slots[k] = table.slots[i];
    }
    table.slots = slots;
    table.room = room;
}

/* A new name that owns a copy of the text. */
static Name name_new(const char *text, size_t len, uint32_t hash)
{
    struct NameText *n = new(struct NameText);
    char *copy = arena_alloc(len + 1);
    if (len) memcpy(copy, text, len);
    *n = (struct NameText){ copy, (uint32_t)len, hash };
    return n;
}

/* The name of these bytes; they need not outlive the call. */
Name name_n(const char *text, size_t len)
{
    if (table.n * 2 >= table.room) table_grow();
    uint32_t hash = hash_bytes(text, len), k = hash & (table.room - 1);
    for (; table.slots[k]; k = (k + 1) & (table.room - 1)) {
        Name n = table.slots[k];
        if (n->hash == hash && n->len == len && !memcmp(n->text, text, len)) return n;
    }
    table.n++;
    return table.slots[k] = name_new(text, len, hash);
}

/* The name of a C string. */
Name name_of(const char *text)
{
    return name_n(text, strlen(text));
}

/* ---- maps from names ------------------------------------------------------------------------- */

/* The slot of a name, or the free one where it belongs. */
static uint32_t slot_of(const NameMap *m, Name name)
{
    uint32_t k = name->hash & (m->room - 1);
    while (m->names[k] && m->names[k] != name) k = (k + 1) & (m->room - 1);
    return k;
}

/* The value of a name; NULL if the map does not have it. */
void *map_find(const NameMap *m, Name name)
{
    return m->room ? m->values[slot_of(m, name)] : NULL;
}

/* Puts the value in the place of what the name had. */
void map_put(NameMap *m, Name name, void *value)
{
    if (m->n * 2 >= m->room) {
        NameMap old = *m;
        m->room = old.room ? old.room * 2 : 64;
        m->names = new_array(Name, m->room);
        m->values = new_array(void *, m->room);
        for (uint32_t i = 0; i < old.room; i++)
            if (old.names[i]) {
                uint32_t k = slot_of(m, old.names[i]);
                m->names[k] = old.names[i], m->values[k] = old.values[i];
            }
    }
    uint32_t k = slot_of(m, name);
    m->n += !m->names[k];
    m->names[k] = name, m->values[k] = value;
}
