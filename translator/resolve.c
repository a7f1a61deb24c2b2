/* resolve.c -- files and what they declare: `use`, each file's scope; check() itself */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "options.h"
#include <string.h>
#include <sys/stat.h>

/* One file that was read, once however often it is used. */
typedef struct File {
    const Source *source;
    const Node *tree;
    Scope *scope;                                  /* its own names; outer: those of its uses */
    bool std;                                      /* of the stdlib: its names give way */
    bool placed; dev_t device; ino_t inode;        /* which file it is */
    LIST(struct File *) uses;
} File;

/* ---- finding and reading --------------------------------------------------------------------- */

/* The path if a plain file can be found there, else NULL. */
static const char *plain_file(const char *path, struct stat *is)
{
    return stat(path, is) == 0 && S_ISREG(is->st_mode) ? path : NULL;
}

/* Where `use "path"` leads: beside the file, then -I, then the stdlib (*std); or NULL. */
static const char *find_used(const Source *from, const char *path, bool *std, struct stat *is)
{
    const char *slash = strrchr(from->path, '/'), *found;
    *std = false;
    if (path[0] == '/') return plain_file(path, is);
    int dir = slash ? (int)(slash - from->path + 1) : 0;
    found = plain_file(arena_printf("%.*s%s", dir, from->path, path), is);
    for (int i = 0; !found && i < options.include_dirs.n; i++)
        found = plain_file(arena_printf("%s/%s", options.include_dirs.at[i], path), is);
    if (found || !options.stdlib_dir) return found;
    *std = true;
    return plain_file(arena_printf("%s/%s", options.stdlib_dir, path), is);
}

/* The path that a `use` names, std.nn as std/nn.tile; NULL after a report. */
static const char *used_path(const Node *use)
{
    if (use->kind == N_USE_FILE) return string_text(use);
    Text path = { 0 };
    for (const Node *word = use->kids; word; word = word->next)
        text_printf(&path, "%s%s", word == use->kids ? "" : "/", node_name(word)->text);
    if (use->kids && use->kids->next && node_is(use->kids, "std")) {
        text_printf(&path, ".tile");
        return path.at;
    }
    error(node_pos(use), "E0903", "`use` takes a file in quotes or a part of the stdlib");
    help("write `use \"activations.tile\";` or `use std.nn;`");
    return NULL;
}

/* Says that a used file is not there, and where it was looked for. */
static void not_found(const Node *use, const char *path)
{
    error(node_pos(use), "E0903", "there is no file \"%s\"", path);
    if (use->kind == N_USE_STD)
        help("the stdlib is %s", options.stdlib_dir ? options.stdlib_dir : "not installed");
    else
        help("looked for beside this file, in %d -I director%s and in the stdlib",
             options.include_dirs.n, options.include_dirs.n == 1 ? "y" : "ies");
}

/* The file that was read before from the same place, or NULL. */
static File *known_file(Check *c, const struct stat *is)
{
    for (int i = 0; i < c->files.n; i++) {
        File *f = c->files.at[i];
        if (f->placed && f->device == is->st_dev && f->inode == is->st_ino) return f;
    }
    return NULL;
}

/* Takes a tree into the list of files. */
static File *add_file(Check *c, const Node *tree, const Source *source, bool std)
{
    struct stat is;
    File *f = new(File);
    *f = (File){ .source = source, .tree = tree, .std = std };
    if (source->path && stat(source->path, &is) == 0) {
        f->placed = true;
        f->device = is.st_dev;
        f->inode = is.st_ino;
    }
    push(&c->files, f);
    return f;
}

/* Reads the file that a `use` names, if it is not read yet. NULL after a report. */
static File *open_used(Check *c, const File *from, const Node *use)
{
    struct stat is;
    bool std;
    const char *path = used_path(use), *why = "it cannot be read";
    if (!path) return NULL;
    const char *found = find_used(from->source, path, &std, &is);
    if (!found) return not_found(use, path), NULL;
    File *known = known_file(c, &is);
    if (known) return known;
    Source *source = source_open(found, &why);
    if (!source) {
        error(node_pos(use), "E0903", "\"%s\" cannot be read: %s", found, why);
        return NULL;
    }
    push(&c->program->used, source);
    const Node *tree = parse(source);
    return add_file(c, tree, source, std || from->std);
}

/* Reads every file that the main file uses, directly or not. */
static void read_files(Check *c, const Node *main)
{
    add_file(c, main, main->source, false);
    for (int i = 0; i < c->files.n; i++) {
        File *f = c->files.at[i];
        for (const Node *n = f->tree ? f->tree->kids : NULL; n; n = n->next) {
            if (n->kind != N_USE_FILE && n->kind != N_USE_STD) continue;
            File *used = open_used(c, f, n);
            if (used) push(&f->uses, used);
        }
    }
}

/* ---- what they declare ----------------------------------------------------------------------- */

/* The definition inside of `#[..] definition`. */
static const Node *definition(const Node *item)
{
    return item->kind == N_WITH ? kid(item, 1) : item;
}

/* The const as -D has it: its value replaced. */
static const Node *overridden(const Node *decl)
{
    const Node *value;
    if (!define_find(NULL, node_name(kid(decl, 0)), &value)) return decl;
    if (!value) return NULL;
    Node *copy = new(Node), *name = new(Node), *type = new(Node), *expr = new(Node);
    *copy = *decl;
    *name = *decl->kids;
    *type = *decl->kids->next;
    *expr = *value;
    copy->kids = name;
    name->next = type;
    type->next = expr;
    expr->next = NULL;
    return copy;
}

/* Declares one item in the innermost scope; twice the same name is an error. */
static void declare(Check *c, const Node *decl)
{
    Space space = decl->kind == N_CONST ? SPACE_VALUE : SPACE_FUNCTION;
    const Node *word = kid(decl, 0);
    if (!word) return;
    Name name = node_name(word);
    for (const Binding *b = c->scope->first[space]; b; b = b->next) {
        if (b->name != name) continue;
        error(node_word(word), "E0203", "`%s` is declared twice", name->text);
        note(b->pos, "here already");
        help("rename one of the two");
        return;
    }
    const Node *value = decl->kind == N_CONST ? overridden(decl) : decl;
    BindKind kind = !value ? BIND_ERROR : space == SPACE_VALUE ? BIND_CONST : BIND_FN;
    Binding *b = scope_add(c, space, kind, name, node_word(word));
    b->decl = value;
    b->scope = c->scope;
}

/* Makes the scope of a file with its own names. */
static void declare_file(Check *c, File *f)
{
    c->scope = NULL;
    f->scope = scope_push(c);
    for (const Node *n = f->tree ? f->tree->kids : NULL; n; n = n->next) {
        const Node *decl = definition(n);
        if (decl && decl->kind != N_USE_FILE && decl->kind != N_USE_STD) declare(c, decl);
    }
}

/* Adds a file's own names to a scope of used names. What a nearer file declares stays; names of
   files equally near (bindings made since `nearer`) clash. */
static void take_names(Check *c, const File *from, Binding *const nearer[SPACE_COUNT])
{
    for (int space = 0; space < SPACE_COUNT; space++)
        for (const Binding *b = from->scope->first[space]; b; b = b->next) {
            Binding *have = c->scope->first[space];
            bool far = true;
            for (; have && have->name != b->name; have = have->next)
                far = far && have != nearer[space];
            if (have && far && have != nearer[space] && have->decl != b->decl)
                have->clash = b->decl;
            if (have) continue;
            Binding *copy = scope_add(c, (Space)space, b->kind, b->name, b->pos);
            copy->decl = b->decl;
            copy->scope = b->scope;
        }
}

/* One scope with the names of all that f uses, near ones first: the stdlib's, or the others'. */
static Scope *used_names(Check *c, const File *f, bool std)
{
    LIST(const File *) order = { 0 };
    push(&order, f);
    Scope *scope = scope_push(c);
    for (int from = 0, to = 1; from < to; from = to, to = order.n) {
        Binding *nearer[SPACE_COUNT];
        memcpy(nearer, scope->first, sizeof nearer);
        for (int i = from; i < to; i++) {
            if (i > 0 && order.at[i]->std == std) take_names(c, order.at[i], nearer);
            for (int k = 0; k < order.at[i]->uses.n; k++) {
                const File *used = order.at[i]->uses.at[k];
                int at = 0;
                while (at < order.n && order.at[at] != used) at++;
                if (at == order.n) push(&order, used);
            }
        }
    }
    return scope;
}

/* Reads all files; each gets a scope: own names, then used ones, then the stdlib's. */
static void globals(Check *c, const Node *file)
{
    int before = error_count();
    read_files(c, file);
    for (int i = 0; i < c->files.n; i++) declare_file(c, c->files.at[i]);
    for (int i = 0; i < c->files.n; i++) {
        File *f = c->files.at[i];
        c->scope = NULL;
        used_names(c, f, true);
        f->scope->outer = used_names(c, f, false);
    }
    c->globals = c->files.at[0]->scope;
    for (int i = 0; error_count() == before && i < c->files.n; i++)
        check_consts(c, c->files.at[i]->scope);
    c->scope = c->globals;
}

/* ---- check ----------------------------------------------------------------------------------- */

/* One item of the main file: kernels become functions, what is later says so. */
static void check_item(Check *c, const Node *item)
{
    const Node *attrs = item->kind == N_WITH ? kid(item, 0) : NULL, *decl = definition(item);
    if (!decl) return;
    AttrList none = { 0 };
    if (attrs && decl->kind != N_KERNEL) attributes(c, attrs, ATTR_OTHER, &none);
    if (decl->kind == N_FN) check_fn(decl);
    if (decl->kind == N_KERNEL) instances(c, attrs, decl);
    if (!kid(decl, 0)) return;
    Pos name = node_word(kid(decl, 0));
    if (decl->kind == N_PIPELINE) not_yet(name, "a pipeline");
    if (decl->kind == N_SIMT_KERNEL) not_yet(name, "a simt kernel");
    if (decl->kind == N_COLLECTIVE_FN) not_yet(name, "a collective fn");
}

/* Resolves, checks and lowers a program; what is wrong has been reported. Never NULL. */
Program *check(Node *file)
{
    Check *c = new(Check);
    c->program = new(Program);
    if (!file) return c->program;
    c->file = file;
    c->program->source = file->source;
    int before = error_count();
    if (before) return c->program;                 /* some names may be missing */
    globals(c, file);
    if (error_count() > before) return c->program;
    for (const Node *n = file->kids; n; n = n->next) {
        c->scope = c->globals;
        check_item(c, n);
    }
    for (const Node *n = file->kids; n; n = n->next)
        if (definition(n) && definition(n)->kind == N_FN) check_uncalled(c, definition(n));
    define_report(c);
    symbols_differ(c->program);
    return c->program;
}
