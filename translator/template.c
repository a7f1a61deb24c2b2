/* template.c -- helpers: sections of templates/, brought along where their name is used */
#include <ctype.h>
#include <string.h>
#include "emit.h"

/* The sections of templates/, embedded: made by the build, files in the order of their names. */
extern const struct Embedded { const char *file, *name, *text; } template_sections[];
extern const int template_section_count;

typedef struct {
    const char *file, *name, *text;
    size_t size;
    bool used, written;
} Section;
typedef LIST(Section) Sections;

/* The sections of all files, in order. */
static Sections read_all(void)
{
    Sections all = { 0 };
    for (int i = 0; i < template_section_count; i++) {
        const struct Embedded *t = &template_sections[i];
        push(&all, ((Section){ t->file, t->name, t->text, strlen(t->text), false, false }));
    }
    return all;
}

/* ---- identifiers in code --------------------------------------------------------------------- */

/* Past a comment, a string or a character that begins at s; s itself if none does. */
static const char *skip_dead(const char *s)
{
    if (s[0] == '/' && s[1] == '/')
        return s + strcspn(s, "\n");
    if (s[0] == '/' && s[1] == '*') {
        const char *end = strstr(s + 2, "*/");
        return end ? end + 2 : s + strlen(s);
    }
    if (*s != '"' && *s != '\'')
        return s;
    const char quote = *s++;
    while (*s && *s != quote)
        s += *s == '\\' && s[1] ? 2 : 1;
    return *s ? s + 1 : s;
}

/* May the character stand in an identifier? */
static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

typedef struct { const char *at, *end; } Word;

/* The first word at or after s and before end; at == end if there is none. */
static Word next_word(const char *s, const char *end)
{
    while (s < end) {
        const char *next = skip_dead(s);
        if (next == s && in_word(*s)) {
            while (next < end && in_word(*next))
                next++;
            return (Word){ s, next };
        }
        s = next == s ? s + 1 : next;
    }
    return (Word){ end, end };
}

/* Marks the sections that the code names, and those that they name in turn. */
static void mark_used(const NameMap *names, const char *code, size_t size)
{
    for (Word w = next_word(code, code + size); w.at < w.end; w = next_word(w.end, code + size)) {
        Section *s = map_find(names, name_n(w.at, (size_t)(w.end - w.at)));
        if (!s || s->used)
            continue;
        s->used = true;
        mark_used(names, s->text, s->size);
    }
}

/* ---- output ---------------------------------------------------------------------------------- */

/* Writes a section, once, after those that it names. */
static void write_section(Helpers *to, const NameMap *names, Section *s)
{
    const char *end = s->text + s->size;
    if (s->written)
        return;
    s->written = true;
    for (Word w = next_word(s->text, end); w.at < w.end; w = next_word(w.end, end)) {
        Section *other = map_find(names, name_n(w.at, (size_t)(w.end - w.at)));
        if (other)
            write_section(to, names, other);
    }
    Text *out = !strcmp(s->file, "ptx.cu") ? &to->instructions
              : !strcmp(s->file, "ptx_sm90.cu") || !strcmp(s->file, "wgmma.cu") ? &to->sm90a
              : !strcmp(s->file, "host.cu") ? &to->host : &to->device;
    text_printf(out, "%s%s", out->n ? "\n" : "", s->text);
}

/* The sections by name. */
static NameMap names_of(const Sections *all)
{
    NameMap names = { 0 };
    for (int i = 0; i < all->n; i++)
        map_put(&names, name_of(all->at[i].name), &all->at[i]);
    return names;
}

/* Sorts the sections that the code needs into their places. */
void bring_helpers(Helpers *to, const char *code)
{
    Sections all = read_all();
    NameMap names = names_of(&all);
    mark_used(&names, code, strlen(code));
    for (int i = 0; i < all.n; i++)
        if (all.at[i].used)
            write_section(to, &names, &all.at[i]);
}

/* Has any section this name? */
bool template_named(const char *word)
{
    static NameMap names;                         /* of the templates: the same for the whole run */
    if (!names.room) {
        arena_root(&names, sizeof names);
        Sections all = read_all();
        names = names_of(&all);
    }
    return map_find(&names, name_of(word)) != NULL;
}
