/* Writes down, in order, what a process does to the files of one folder, so that what a disk may
 * hold after a loss of power can be worked out from any beginning of it. Loaded with LD_PRELOAD;
 * nothing is recorded before `record_disk`. A record is a head, a path or two, and bytes.
 *
 * What is mapped into memory is not seen: of such a file (SQLite's -shm) nothing may be believed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NOTE = 'n', MAKE = 'm', WRITE = 'w', CUT = 'c', SYNC = 's', FOLDER = 'f', MOVE = 'r', DROP = 'd', MAPPED = 'x' };

struct head {
    uint32_t kind, first, second, reserved; /* lengths of the paths */
    uint64_t file, offset, length;
};

static pthread_mutex_t turn = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static char root[PATH_MAX];
static size_t root_length;
static int out = -1;

#define ENTER pthread_mutex_lock(&turn)
#define LEAVE int kept = errno; pthread_mutex_unlock(&turn); errno = kept

static void put(const void *bytes, size_t length) {
    const char *at = bytes;
    while (length) {
        ssize_t n = syscall(SYS_write, out, at, length);
        if (n < 0) _exit(97);
        at += n;
        length -= (size_t)n;
    }
}

static void say(int kind, uint64_t file, uint64_t offset, const char *first, const char *second,
                const void *bytes, size_t length) {
    struct head head = {(uint32_t)kind, first ? (uint32_t)strlen(first) : 0,
                        second ? (uint32_t)strlen(second) : 0, 0, file, offset, length};
    put(&head, sizeof head);
    if (first) put(first, head.first);
    if (second) put(second, head.second);
    if (bytes) put(bytes, length);
}

int record_disk(const char *folder, const char *log) {
    if (!realpath(folder, root)) return -1;
    root_length = strlen(root);
    out = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return out < 0 ? -1 : 0;
}

void note_disk(const char *words) {
    ENTER;
    if (out >= 0) say(NOTE, 0, 0, NULL, NULL, words, strlen(words));
    LEAVE;
}

/* The path of an open file where it lies in the folder, and its number. */
static int known(int fd, char *path, uint64_t *file) {
    char link[64];
    struct stat found;
    if (out < 0 || fd == out) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, PATH_MAX - 1);
    if (n < 0) return 0;
    path[n] = 0;
    if (strncmp(path, root, root_length) || (path[root_length] != '/' && path[root_length])) return 0;
    if (fstat(fd, &found)) return 0;
    *file = found.st_ino;
    return S_ISDIR(found.st_mode) ? 2 : S_ISREG(found.st_mode) ? 1 : 0;
}

/* A path below the folder with no links in its parents, whether the file itself is there or not. */
static int inside(int at, const char *given, char *path) {
    char whole[PATH_MAX * 2], parent[PATH_MAX];
    if (out < 0 || !given) return 0;
    if (given[0] == '/') snprintf(whole, sizeof whole, "%s", given);
    else {
        char base[PATH_MAX];
        if (at == AT_FDCWD) { if (!getcwd(base, sizeof base)) return 0; }
        else {
            char link[64];
            snprintf(link, sizeof link, "/proc/self/fd/%d", at);
            ssize_t n = readlink(link, base, sizeof base - 1);
            if (n < 0) return 0;
            base[n] = 0;
        }
        snprintf(whole, sizeof whole, "%s/%s", base, given);
    }
    char *name = strrchr(whole, '/');
    *name = 0;
    if (!realpath(name == whole ? "/" : whole, parent)) return 0;
    snprintf(path, PATH_MAX, "%.2000s/%.255s", parent, name + 1);
    return !strncmp(path, root, root_length) && path[root_length] == '/';
}

static int opened(int at, const char *given, int flags, mode_t mode) {
    char path[PATH_MAX];
    struct stat found;
    ENTER;
    int mine = inside(at, given, path);
    int fresh = mine && lstat(path, &found);
    int fd = (int)syscall(SYS_openat, at, given, flags, mode);
    if (fd >= 0 && mine && !fstat(fd, &found) && S_ISREG(found.st_mode)) {
        if (fresh) say(MAKE, found.st_ino, 0, path, NULL, NULL, 0);
        else if (flags & O_TRUNC) say(CUT, found.st_ino, 0, NULL, NULL, NULL, 0);
    }
    LEAVE;
    return fd;
}

#define MODE \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { va_list list; va_start(list, flags); mode = va_arg(list, mode_t); va_end(list); }

int open(const char *path, int flags, ...) { MODE return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE return opened(AT_FDCWD, path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE return opened(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE return opened(at, path, flags, mode); }

static void wrote(int fd, const void *bytes, ssize_t length, off_t offset) {
    char path[PATH_MAX];
    uint64_t file;
    if (length > 0 && known(fd, path, &file) == 1)
        say(WRITE, file, (uint64_t)offset, NULL, NULL, bytes, (size_t)length);
}

ssize_t write(int fd, const void *bytes, size_t length) {
    ENTER;
    ssize_t n = syscall(SYS_write, fd, bytes, length);
    if (n > 0 && out >= 0) {
        int before = errno;
        off_t end = lseek(fd, 0, SEEK_CUR);
        if (end >= 0) wrote(fd, bytes, n, end - n);
        errno = before;
    }
    LEAVE;
    return n;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
    ENTER;
    ssize_t n = syscall(SYS_pwrite64, fd, bytes, length, offset);
    wrote(fd, bytes, n, offset);
    LEAVE;
    return n;
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset) {
    return pwrite(fd, bytes, length, offset);
}

/* What goes from file to file inside the kernel is read again where it arrived. */
static void copied(int fd, off_t offset, ssize_t length) {
    char path[PATH_MAX], link[64], block[1 << 16];
    uint64_t file;
    if (length <= 0 || known(fd, path, &file) != 1) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    int in = (int)syscall(SYS_openat, AT_FDCWD, link, O_RDONLY | O_CLOEXEC, 0);
    while (length > 0) {
        ssize_t n = pread(in, block, length < (ssize_t)sizeof block ? (size_t)length : sizeof block, offset);
        if (n <= 0) _exit(98);
        say(WRITE, file, (uint64_t)offset, NULL, NULL, block, (size_t)n);
        offset += n;
        length -= n;
    }
    syscall(SYS_close, in);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    ENTER;
    ssize_t n = syscall(SYS_writev, fd, parts, count);
    if (n > 0 && out >= 0) copied(fd, lseek(fd, 0, SEEK_CUR) - n, n);
    LEAVE;
    return n;
}

ssize_t sendfile(int to, int from, off_t *offset, size_t length) {
    ENTER;
    ssize_t n = syscall(SYS_sendfile, to, from, offset, length);
    if (n > 0 && out >= 0) { off_t end = lseek(to, 0, SEEK_CUR); if (end >= 0) copied(to, end - n, n); }
    LEAVE;
    return n;
}
ssize_t sendfile64(int to, int from, off_t *offset, size_t length) { return sendfile(to, from, offset, length); }

ssize_t copy_file_range(int from, off_t *in, int to, off_t *offset, size_t length, unsigned flags) {
    ENTER;
    ssize_t n = syscall(SYS_copy_file_range, from, in, to, offset, length, flags);
    if (n > 0 && out >= 0) copied(to, (offset ? *offset : lseek(to, 0, SEEK_CUR)) - n, n);
    LEAVE;
    return n;
}

int ftruncate(int fd, off_t length) {
    char path[PATH_MAX];
    uint64_t file;
    ENTER;
    int result = (int)syscall(SYS_ftruncate, fd, length);
    if (!result && known(fd, path, &file) == 1) say(CUT, file, (uint64_t)length, NULL, NULL, NULL, 0);
    LEAVE;
    return result;
}
int ftruncate64(int fd, off_t length) { return ftruncate(fd, length); }

static int synced(int fd, long call) {
    char path[PATH_MAX];
    uint64_t file;
    ENTER;
    int kind = known(fd, path, &file);
    /* what is asked of the disk here is not needed: it is the order of things that counts */
    int result = kind ? 0 : (int)syscall(call, fd);
    if (kind == 1) say(SYNC, file, 0, NULL, NULL, NULL, 0);
    if (kind == 2) say(FOLDER, file, 0, path, NULL, NULL, 0);
    LEAVE;
    return result;
}
int fsync(int fd) { return synced(fd, SYS_fsync); }
int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }

static int moved(int from_at, const char *from, int to_at, const char *to, unsigned flags) {
    char first[PATH_MAX], second[PATH_MAX];
    ENTER;
    int a = inside(from_at, from, first), b = inside(to_at, to, second);
    int result = (int)syscall(SYS_renameat2, from_at, from, to_at, to, flags);
    if (!result && (a || b)) say(MOVE, 0, flags, a ? first : NULL, b ? second : NULL, NULL, 0);
    LEAVE;
    return result;
}
int rename(const char *from, const char *to) { return moved(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int a, const char *from, int b, const char *to) { return moved(a, from, b, to, 0); }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) { return moved(a, from, b, to, flags); }

static int dropped(int at, const char *given, int flags) {
    char path[PATH_MAX];
    ENTER;
    int mine = inside(at, given, path);
    int result = (int)syscall(SYS_unlinkat, at, given, flags);
    if (!result && mine && !(flags & AT_REMOVEDIR)) say(DROP, 0, 0, path, NULL, NULL, 0);
    LEAVE;
    return result;
}
int unlink(const char *path) { return dropped(AT_FDCWD, path, 0); }
int unlinkat(int at, const char *path, int flags) { return dropped(at, path, flags); }

void *mmap(void *start, size_t length, int protection, int flags, int fd, off_t offset) {
    char path[PATH_MAX];
    uint64_t file;
    void *result = (void *)syscall(SYS_mmap, start, length, protection, flags, fd, offset);
    if (fd < 0 || out < 0 || result == MAP_FAILED) return result;
    ENTER;
    if ((protection & PROT_WRITE) && (flags & MAP_SHARED) && known(fd, path, &file) == 1)
        say(MAPPED, file, 0, NULL, NULL, NULL, 0);
    LEAVE;
    return result;
}
void *mmap64(void *start, size_t length, int protection, int flags, int fd, off_t offset) {
    return mmap(start, length, protection, flags, fd, offset);
}
