/* output.c -- files that appear whole or not at all, and what stands beside the executable */
#include "driver.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- paths ----------------------------------------------------------------------------------- */

/* What stands behind the last slash. */
static const char *file_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The path with another suffix: a/softmax.cu, .h -> a/softmax.h. */
const char *path_with_suffix(const char *path, const char *suffix)
{
    const char *file = file_part(path), *dot = strrchr(file, '.');
    int n = dot && dot > file ? (int)(dot - path) : (int)strlen(path);
    return arena_printf("%.*s%s", n, path, suffix);
}

/* The name of a file without folder and suffix. */
const char *path_base(const char *path)
{
    return path_with_suffix(file_part(path), "");
}

/* Are these two names of one file? */
bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* The folder of the executable; NULL if the system does not tell. */
static const char *executable_folder(void)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0) return NULL;
    path[n] = 0;
    char *slash = strrchr(path, '/');
    if (!slash) return NULL;
    *slash = 0;
    return arena_printf("%s", path);
}

/* Where a folder of tilec is, in the source tree or installed; NULL if it has no `file`. */
const char *home_find(const char *name, const char *file)
{
    static const char *const places[] = { "", "../", "../share/tilec/" };
    const char *folder = executable_folder();
    for (size_t i = 0; folder && i < sizeof places / sizeof *places; i++) {
        const char *path = arena_printf("%s/%s%s", folder, places[i], name);
        if (!access(arena_printf("%s/%s", path, file), F_OK)) return path;
    }
    return NULL;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Writes all of it; false and errno if that fails. */
static bool write_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, text, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        text += n;
        size -= (size_t)n;
    }
    return true;
}

/* Has the file this text already? */
static bool holds(const char *path, const char *text, size_t size)
{
    struct stat is;
    bool alike = !stat(path, &is) && S_ISREG(is.st_mode) && (size_t)is.st_size == size;
    FILE *f = alike ? fopen(path, "rb") : NULL;
    char *old = f ? malloc(size + 1) : NULL;
    bool same = old && fread(old, 1, size, f) == size && !memcmp(old, text, size);
    free(old);
    if (f) fclose(f);
    return same;
}

/* Writes the file under another name beside it. NULL, or why not. */
static const char *write_beside(Output *o)
{
    struct stat is;
    char *real = realpath(o->path, NULL);          /* a link stays one */
    if (real) o->path = arena_printf("%s", real);
    free(real);
    bool exists = !stat(o->path, &is);
    bool direct = exists && !S_ISREG(is.st_mode);  /* a device, a pipe: nothing to rename */
    if (exists && access(o->path, W_OK)) return strerror(errno);
    if (exists && S_ISDIR(is.st_mode)) return strerror(EISDIR);
    const char *name = direct ? o->path : arena_printf("%s.%ld~", o->path, (long)getpid());
    int fd = open(name, direct ? O_WRONLY : O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd < 0) return strerror(errno);
    if (!direct) o->beside = name;
    bool good = write_all(fd, o->text, o->size)
             && (direct || !exists || !fchmod(fd, is.st_mode & 07777));
    int error = good ? 0 : errno;
    if (close(fd) && !error) error = errno;
    return error ? strerror(error) : NULL;
}

/* Writes files, all or none, those alone that change. NULL, or what failed and why. */
const char *outputs_write(Output *o, int n)
{
    const char *why = NULL;
    for (int i = 0; i < n && !why; i++) {
        if (holds(o[i].path, o[i].text, o[i].size)) continue;
        const char *error = write_beside(&o[i]);
        if (error) why = arena_printf("cannot write %s: %s", o[i].path, error);
    }
    for (int i = 0; i < n; i++) {
        if (!o[i].beside) continue;
        if (!why && rename(o[i].beside, o[i].path))
            why = arena_printf("cannot write %s: %s", o[i].path, strerror(errno));
        if (why) unlink(o[i].beside);
    }
    return why;
}

/* Writes to standard output. NULL, or why not. */
const char *stdout_write(const char *text, size_t size)
{
    errno = 0;
    if (fwrite(text, 1, size, stdout) != size || fflush(stdout))
        return arena_printf("cannot write to standard output: %s", strerror(errno ? errno : EIO));
    return NULL;
}
