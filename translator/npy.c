/* npy.c -- NumPy's array files: little-endian, C order, versions 1 to 3 */
#include <stdlib.h>
#include <string.h>
#include "run.h"

/* How each type is written; what NumPy lacks travels as unsigned integers. */
static const char *const descr[EL_COUNT] = {
    [EL_BOOL] = "|b1", [EL_I8] = "|i1", [EL_I16] = "<i2", [EL_I32] = "<i4", [EL_I64] = "<i8",
    [EL_U8] = "|u1", [EL_U16] = "<u2", [EL_U32] = "<u4", [EL_U64] = "<u8", [EL_F16] = "<f2",
    [EL_F32] = "<f4", [EL_F64] = "<f8", [EL_BF16] = "<u2", [EL_F8E4M3] = "|u1",
    [EL_F8E5M2] = "|u1", [EL_TF32] = "<f4",
};

/* ---- tensors --------------------------------------------------------------------------------- */

/* Bytes of all elements; -1 if that is no number. */
int64_t tensor_bytes(const Tensor *t)
{
    int64_t n = elem_info[t->elem].bytes;
    for (int a = 0; a < t->rank; a++)
        if (__builtin_mul_overflow(n, t->extent[a], &n))
            return -1;
    return n;
}

/* Sets contiguous strides and allocates the elements, aligned as cudaMalloc does; NULL or why. */
const char *tensor_make(Tensor *t)
{
    int64_t stride = 1;
    for (int a = t->rank - 1; a >= 0; a--) {
        t->stride[a] = stride;
        stride *= t->extent[a] > 0 ? t->extent[a] : 1;
    }
    const int64_t bytes = tensor_bytes(t);
    if (bytes < 0)
        return "is too large";
    t->data = aligned_alloc(256, ((size_t)bytes / 256 + 1) * 256);
    t->present = true;
    return t->data ? NULL : "does not fit in memory";
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The number of bytes of the header text, read from the start of a file; -1 if it is no .npy. */
static long header_size(FILE *in)
{
    unsigned char start[8], size[4] = {0};
    if (fread(start, 1, 8, in) != 8 || memcmp(start, "\x93NUMPY", 6) || start[6] < 1
        || start[6] > 3)
        return -1;
    const size_t n = start[6] == 1 ? 2 : 4;
    if (fread(size, 1, n, in) != n || size[3] > 0x7f)
        return -1;
    return size[0] | size[1] << 8 | (long)size[2] << 16 | (long)size[3] << 24;
}

/* What follows a key of the header: after 'shape': the text at "(3, 4)". NULL if it lacks. */
static const char *header_value(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    if (!at)
        return NULL;
    at += strlen(key);
    return at + strspn(at, "'\": ");
}

/* The type of a description such as <f4; EL_ERROR if tilec has none. */
static Elem descr_elem(const char *text)
{
    for (int e = EL_BOOL; e <= EL_F64; e++)
        if (e != EL_BF16 && (!strncmp(text, descr[e], 3)
                             || (descr[e][2] == '1' && !strncmp(text + 1, descr[e] + 1, 2))))
            return (Elem)e;
    return EL_ERROR;
}

/* Reads the extents of (3, 4); false if there are too many or one is wrong. */
static bool read_shape(const char *at, Tensor *t)
{
    if (*at++ != '(')
        return false;
    for (t->rank = 0; *(at += strspn(at, ", ")) != ')';) {
        char *end;
        const long long n = strtoll(at, &end, 10);
        if (end == at || n < 0 || t->rank == MAX_RANK)
            return false;
        t->extent[t->rank++] = n;
        at = end;
    }
    return true;
}

/* The header's text into type and extents; NULL or why not. */
static const char *read_header(const char *header, Tensor *t)
{
    const char *type = header_value(header, "'descr'"), *shape = header_value(header, "'shape'");
    const char *order = header_value(header, "'fortran_order'");
    if (!type || !shape || !order)
        return "has a header that is not NumPy's";
    t->elem = descr_elem(type);
    if (t->elem == EL_ERROR)
        return arena_printf("has elements of a type that tilec lacks: %.4s", type);
    if (!read_shape(shape, t))
        return "has extents that tilec does not take";
    return strncmp(order, "True", 4) || t->rank <= 1 ? NULL : "is in Fortran's order, not in C's";
}

/* Reads an array; NULL or why not ("has ..", "cannot be read"). */
const char *npy_read(const char *path, Tensor *t)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        return "cannot be read";
    const char *why = "is no .npy file";
    const long size = header_size(in);
    char *header = size >= 0 ? calloc((size_t)size + 1, 1) : NULL;
    if (header && fread(header, 1, (size_t)size, in) == (size_t)size)
        why = read_header(header, t);
    if (!why)
        why = tensor_make(t);
    if (!why) {
        const size_t bytes = (size_t)tensor_bytes(t);
        if (fread(t->data, 1, bytes, in) != bytes || fgetc(in) != EOF)
            why = "does not have as many elements as its header says";
    }
    free(header);
    fclose(in);
    return why;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The header, padded so that the elements start at a multiple of 64. */
static bool write_header(FILE *out, const Tensor *t)
{
    Text h = {0};
    text_printf(&h, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr[t->elem]);
    for (int a = 0; a < t->rank; a++)
        text_printf(&h, "%lld%s", (long long)t->extent[a], t->rank == 1 ? ","
                    : a < t->rank - 1 ? ", " : "");
    text_printf(&h, "), }");
    while ((10 + h.n + 1) % 64)
        text_add(&h, " ", 1);
    text_add(&h, "\n", 1);
    const unsigned char start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, h.n & 0xff,
                                     h.n >> 8 & 0xff};
    return fwrite(start, 1, 10, out) == 10 && fwrite(h.at, 1, h.n, out) == h.n;
}

/* Writes a contiguous array: beside its place, then renamed, so that it appears whole or not at
   all. NULL or why not. */
const char *npy_write(const char *path, const Tensor *t)
{
    const char *beside = arena_printf("%s.new", path);
    const size_t bytes = (size_t)tensor_bytes(t);
    FILE *out = fopen(beside, "wb");
    if (!out)
        return "cannot be written";
    bool right = write_header(out, t) && fwrite(t->data, 1, bytes, out) == bytes;
    right = fclose(out) == 0 && right;
    if (right && rename(beside, path) == 0)
        return NULL;
    remove(beside);
    return "cannot be written";
}
