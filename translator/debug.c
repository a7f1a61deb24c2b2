/* debug.c -- print and assert in device code */
#include "mapping.h"
#include <string.h>

/* ---- print ----------------------------------------------------------------------------------- */

/* What has been put together of a call of printf. */
typedef struct { Text format, args; } Printf;

/* Writes the call, if there is something to print, and begins the next one. */
static void flush(Emit *e, Printf *p)
{
    if (p->format.n)
        line(e, "printf(%s%s);", quoted_text(p->format.at), p->args.n ? p->args.at : "");
    *p = (Printf){ 0 };
}

/* Adds a scalar with its conversion, %-5d: integers go as 64 bits, floats as doubles. */
static void add_scalar(Emit *e, Printf *p, Value *v, const char *conversion, int length)
{
    Elem elem = v->type.elem;
    bool is_unsigned = elem_info[elem].class == CLASS_UNSIGNED;
    char letter = conversion[length - 1];
    Ex x = element(e, v);
    text_add(&p->format, conversion, (size_t)length - 1);
    if (elem_is_float(elem)) {
        text_printf(&p->format, "%c", letter);
        text_printf(&p->args, ", plain_number(%s)", widened(elem, x).s);
        return;
    }
    text_printf(&p->format, "ll%c", letter == 'd' && is_unsigned ? 'u' : letter);
    const char *text = within(x, PREC_UNARY);
    if (letter == 'x' && !is_unsigned)
        text = arena_printf("(uint%d_t)%s", elem_info[elem].bytes * 8, text);
    text_printf(&p->args, ", (%slong long)%s", letter == 'd' && !is_unsigned ? "" : "unsigned ",
                text);
}

/* Prints a tile that lies in shared memory. */
static void add_tile(Emit *e, Printf *p, const Value *v, const char *buffer)
{
    Text extents = { 0 };
    flush(e, p);
    for (int a = 0; a < v->type.rank; a++)
        text_printf(&extents, "%s%lld", a ? ", " : "", (long long)type_extent(&v->type, a));
    line(e, "print_tile<%s>(%s);", extents.at, buffer);
}

/* The calls of one thread: the text, with values in their places, and a new line. */
static void print_all(Emit *e, const Op *op, const char *const *buffers)
{
    Printf p = { 0 };
    int next = 0;
    for (const char *s = op->text; *s; s++) {
        int length = *s == '%' ? 2 + (int)strcspn(s + 1, "duxfegt%") : 1;
        char letter = s[length - 1];
        if (*s != '%' || letter == '%')
            text_add(&p.format, s, (size_t)length);
        else if (letter == 't' && op->args[next]->type.rank)
            add_tile(e, &p, op->args[next], buffers[next]), next++;
        else if (letter == 't')
            add_scalar(e, &p, op->args[next],
                       elem_is_float(op->args[next]->type.elem) ? "%g" : "%d", 2), next++;
        else
            add_scalar(e, &p, op->args[next], s, length), next++;
        s += length - 1;
    }
    text_add(&p.format, "\n", 1);
    flush(e, &p);
}

/* Prints by the program's first thread; tiles come to it through shared memory. */
void write_print(Emit *e, const Op *op)
{
    const char **buffers = new_array(const char *, op->nargs + 1);
    bool any = false;
    for (int i = 0; i < op->nargs; i++) {
        Value *v = op->args[i];
        if (!v->type.rank)
            continue;
        const Stage stage = stage_rows(&v->type);
        buffers[i] = shared_array(e, "printed", &stage);
        if (!any)
            round_barrier(e, "the last round's tile has been printed");
        shared_put(e, op, v, &stage, buffers[i], 0, 0);
        any = true;
    }
    if (any)
        barrier(e, "the tile is written before the first thread prints it");
    if (e->body->threads > 1)
        open_block(e, "if (%s == 0)", e->thread);
    print_all(e, op, buffers);
    if (e->body->threads > 1)
        close_block(e, "");
}

/* ---- assert ---------------------------------------------------------------------------------- */

/* The text as a format that prints it. */
static const char *as_format(const char *text)
{
    Text t = { 0 };
    text_add(&t, "", 0);
    for (const char *s = text; *s; s++)
        text_printf(&t, *s == '%' ? "%%%%" : "%c", *s);
    return t.at;
}

/* Ends the program where the condition does not hold: its first thread says so and traps. */
void write_assert(Emit *e, const Op *op)
{
    const char *slash = strrchr(op->pos.source->path, '/');
    const char *text = arena_printf("%s:%d: assertion failed: %s\n",
                                    slash ? slash + 1 : op->pos.source->path, source_line(op->pos),
                                    op->text);
    open_block(e, "if (!%s)", within(element(e, op->args[0]), PREC_UNARY));
    if (e->body->threads > 1)
        open_block(e, "if (%s == 0)", e->thread);
    line(e, "printf(%s);", quoted_text(as_format(text)));
    line(e, "__trap();");
    if (e->body->threads > 1)
        close_block(e, "");
    line(e, "return;");
    close_block(e, "");
}
