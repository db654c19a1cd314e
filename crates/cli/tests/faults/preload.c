/* A library that is loaded before libc, and has one call of the system fail, as a broken machine would.
 *
 * URIMILL_FAULT=CALL:N:WHAT   the Nth call (from 0) of a kind, and with N+ all behind it. WHAT is an error's number,
 *                             `short` (one byte is read or written), `kill` or `term` (a signal comes before the call)
 * URIMILL_CALLS=FILE          at the end the number of calls of each kind is written there, one a line
 *
 * Standard error is left alone: what the program says must be read. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { OPEN, READ, WRITE, SEEK, SYNC, RENAME, LINK, UNLINK, STAT, READDIR, MKDIR, MMAP, CLONE, KINDS };
static const char *const names[KINDS] = {"open", "read", "write", "seek", "sync", "rename", "link",
                                         "unlink", "stat", "readdir", "mkdir", "mmap", "clone"};
enum { SHORT = -1, NONE = 0 };

static atomic_long counts[KINDS];
static int fault_kind = -1, fault_lasts, fault_error, fault_signal;
static long fault_at;

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("URIMILL_FAULT");
    char call[16], at[24], what[16];
    if (!text || sscanf(text, "%15[^:]:%23[^:]:%15s", call, at, what) != 3)
        return;
    for (int kind = 0; kind < KINDS; kind++)
        if (!strcmp(names[kind], call))
            fault_kind = kind;
    fault_at = atol(at);
    fault_lasts = strchr(at, '+') != NULL;
    if (!strcmp(what, "short"))
        fault_error = SHORT;
    else if (!strcmp(what, "kill"))
        fault_signal = SIGKILL;
    else if (!strcmp(what, "term"))
        fault_signal = SIGTERM;
    else
        fault_error = atoi(what);
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("URIMILL_CALLS");
    FILE *file = path ? fopen(path, "we") : NULL;
    if (!file)
        return;
    long seen[KINDS];
    for (int kind = 0; kind < KINDS; kind++)
        seen[kind] = atomic_load(&counts[kind]);
    for (int kind = 0; kind < KINDS; kind++)
        fprintf(file, "%s %ld\n", names[kind], seen[kind]);
    fclose(file);
}

/* What becomes of this call: an error's number, SHORT, or NONE. */
static int fault(enum kind kind) {
    long at = atomic_fetch_add(&counts[kind], 1);
    if ((int)kind != fault_kind || at < fault_at || (at > fault_at && !fault_lasts))
        return NONE;
    if (fault_signal) {
        raise(fault_signal);
        return NONE;
    }
    return fault_error;
}

#define REAL(name, type) \
    static __typeof__(type) *real; \
    if (!real) \
        real = (__typeof__(type) *)dlsym(RTLD_NEXT, name)
#define FAIL(kind, failed) \
    do { \
        int error_ = fault(kind); \
        if (error_ > 0) { \
            errno = error_; \
            return failed; \
        } \
    } while (0)
#define MODE(flags, mode) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list list; \
        va_start(list, flags); \
        mode = va_arg(list, mode_t); \
        va_end(list); \
    }

#define OPENS(function) \
    int function(const char *path, int flags, ...) { \
        MODE(flags, mode) \
        REAL(#function, int(const char *, int, ...)); \
        FAIL(OPEN, -1); \
        return real(path, flags, mode); \
    }
OPENS(open)
OPENS(open64)
#define OPENS_AT(function) \
    int function(int at, const char *path, int flags, ...) { \
        MODE(flags, mode) \
        REAL(#function, int(int, const char *, int, ...)); \
        FAIL(OPEN, -1); \
        return real(at, path, flags, mode); \
    }
OPENS_AT(openat)
OPENS_AT(openat64)

ssize_t read(int file, void *bytes, size_t length) {
    REAL("read", ssize_t(int, void *, size_t));
    int error = fault(READ);
    if (error > 0) {
        errno = error;
        return -1;
    }
    return real(file, bytes, error == SHORT && length > 1 ? 1 : length);
}

ssize_t write(int file, const void *bytes, size_t length) {
    REAL("write", ssize_t(int, const void *, size_t));
    if (file == STDERR_FILENO)
        return real(file, bytes, length);
    int error = fault(WRITE);
    if (error > 0) {
        errno = error;
        return -1;
    }
    return real(file, bytes, error == SHORT && length > 1 ? 1 : length);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    REAL("writev", ssize_t(int, const struct iovec *, int));
    if (file != STDERR_FILENO)
        FAIL(WRITE, -1);
    return real(file, parts, count);
}

off64_t lseek64(int file, off64_t offset, int from) {
    REAL("lseek64", off64_t(int, off64_t, int));
    FAIL(SEEK, -1);
    return real(file, offset, from);
}

#define SYNCS(function) \
    int function(int file) { \
        REAL(#function, int(int)); \
        FAIL(SYNC, -1); \
        return real(file); \
    }
SYNCS(fsync)
SYNCS(fdatasync)

int rename(const char *from, const char *to) {
    REAL("rename", int(const char *, const char *));
    FAIL(RENAME, -1);
    return real(from, to);
}

int renameat(int from_at, const char *from, int to_at, const char *to) {
    REAL("renameat", int(int, const char *, int, const char *));
    FAIL(RENAME, -1);
    return real(from_at, from, to_at, to);
}

int link(const char *from, const char *to) {
    REAL("link", int(const char *, const char *));
    FAIL(LINK, -1);
    return real(from, to);
}

int linkat(int from_at, const char *from, int to_at, const char *to, int flags) {
    REAL("linkat", int(int, const char *, int, const char *, int));
    FAIL(LINK, -1);
    return real(from_at, from, to_at, to, flags);
}

int unlink(const char *path) {
    REAL("unlink", int(const char *));
    FAIL(UNLINK, -1);
    return real(path);
}

int unlinkat(int at, const char *path, int flags) {
    REAL("unlinkat", int(int, const char *, int));
    FAIL(UNLINK, -1);
    return real(at, path, flags);
}

int rmdir(const char *path) {
    REAL("rmdir", int(const char *));
    FAIL(UNLINK, -1);
    return real(path);
}

int statx(int at, const char *restrict path, int flags, unsigned mask, struct statx *restrict found) {
    REAL("statx", int(int, const char *, int, unsigned, struct statx *));
    FAIL(STAT, -1);
    return real(at, path, flags, mask, found);
}

#define STATS(function, first, type) \
    int function(first, struct type *found) { \
        REAL(#function, int(first, struct type *)); \
        FAIL(STAT, -1); \
        return real(what, found); \
    }
#define PATH const char *what
#define FILENO int what
STATS(stat64, PATH, stat64)
STATS(lstat64, PATH, stat64)
STATS(fstat64, FILENO, stat64)

DIR *opendir(const char *path) {
    REAL("opendir", DIR *(const char *));
    FAIL(READDIR, NULL);
    return real(path);
}

struct dirent64 *readdir64(DIR *directory) {
    REAL("readdir64", struct dirent64 *(DIR *));
    FAIL(READDIR, NULL);
    return real(directory);
}

int mkdir(const char *path, mode_t mode) {
    REAL("mkdir", int(const char *, mode_t));
    FAIL(MKDIR, -1);
    return real(path, mode);
}

int mkdirat(int at, const char *path, mode_t mode) {
    REAL("mkdirat", int(int, const char *, mode_t));
    FAIL(MKDIR, -1);
    return real(at, path, mode);
}

#define MMAPS(function, offset_type) \
    void *function(void *place, size_t length, int protection, int flags, int file, offset_type offset) { \
        REAL(#function, void *(void *, size_t, int, int, int, offset_type)); \
        FAIL(MMAP, MAP_FAILED); \
        return real(place, length, protection, flags, file, offset); \
    }
MMAPS(mmap, off_t)
MMAPS(mmap64, off64_t)

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*begin_)(void *), void *with) {
    REAL("pthread_create", int(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *));
    int error = fault(CLONE);
    return error > 0 ? error : real(thread, how, begin_, with);
}
