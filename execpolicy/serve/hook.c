/*
 * Asks a running `execpolicy serve` about one call of a host. Where there is no answer, or anything
 * about it is odd, it becomes the program that its words name, which decides itself:
 *     hook PYTHON -I …/execpolicy/__main__.py hook HOST
 * It sends what `inputs.py` lists, as `client.py` does. Built static, so that no loader and no
 * library of the project's choice runs before it:
 *     cc -O2 -static -DPACKAGE='"VERSION"' -DREAD='"PATH","HOME"' -o hook hook.c
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define MAX_PAYLOAD ((32u << 20) + 1) /* one more than hosts/payloads/payload.py takes */
#define MAX_LINE (6u << 20)           /* line_protocol.py */
#define MAX_ANSWER ((1u << 20) + 1)   /* client.py */
#define PAYLOAD_MS 1000 /* what a host may take; then the other program says what to do */
#define ANSWER_MS 600
#define REFUSED 2 /* by which hosts refuse a call, where nothing else can be started */
#define EACH(name, list) for (size_t name = 0; name < sizeof list / sizeof *list; name++)

extern char **environ;
static const char *const read_by_decisions[] = {READ};
static const char *const bases[] = {"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"};
static const char *const kinds[] = {"mnt", "net", "pid", "user"};
static const char *const limits[] = {"NoNewPrivs:", "Seccomp:", "CapEff:"};
static char payload[MAX_PAYLOAD], answer[MAX_ANSWER + 1];

/* A text of JSON. Bytes that are no UTF-8 go as they are: the server takes no such line. */
static void quote(FILE *line, const char *data, size_t size)
{
    putc('"', line);
    for (size_t at = 0; at < size; at++) {
        unsigned char each = (unsigned char)data[at];
        if (each < 0x20) {
            fprintf(line, "\\u%04x", each);
            continue;
        }
        if (each == '"' || each == '\\')
            putc_unlocked('\\', line);
        putc_unlocked(each, line);
    }
    putc('"', line);
}

static int compared(const void *left, const void *right)
{
    gid_t a = *(const gid_t *)left, b = *(const gid_t *)right;
    return (a > b) - (a < b);
}

static int put_user(FILE *line)
{
    int count = getgroups(0, NULL);
    gid_t *groups = calloc((size_t)count + 1, sizeof *groups);
    if (groups == NULL || getgroups(count, groups) != count)
        return -1;
    qsort(groups, (size_t)count, sizeof *groups, compared);
    fprintf(line, "\"user\":[%u,%u,%u,%u", getuid(), geteuid(), getgid(), getegid());
    for (int at = 0; at < count; at++)
        fprintf(line, ",%u", groups[at]);
    fputs("],", line);
    return 0;
}

static int put_process(FILE *line)
{
    char here[4096], status[8193], *save, *each, *gap = "";
    struct stat root;
    FILE *file = fopen("/proc/self/status", "re");
    size_t size = file == NULL ? 0 : fread(status, 1, sizeof status - 1, file);
    if (size == 0 || getcwd(here, sizeof here) == NULL || stat("/", &root) != 0)
        return -1;
    status[size] = 0;
    fputs("\"confined\":[", line);
    for (each = strtok_r(status, "\n", &save); each; each = strtok_r(NULL, "\n", &save))
        EACH(at, limits) if (strncmp(each, limits[at], strlen(limits[at])) == 0) {
            fputs(gap, line);
            quote(line, each, strlen(each));
            gap = ",";
        }
    fputs("],\"namespaces\":[", line);
    EACH(at, kinds) {
        char path[32], target[64];
        snprintf(path, sizeof path, "/proc/self/ns/%s", kinds[at]);
        ssize_t length = readlink(path, target, sizeof target);
        if (length <= 0)
            return -1;
        fputs(at ? "," : "", line);
        quote(line, target, (size_t)length);
    }
    fprintf(line, "],\"parent\":%d,\"root\":[%llu,%llu],\"cwd\":", (int)getppid(),
            (unsigned long long)root.st_dev, (unsigned long long)root.st_ino);
    quote(line, here, strlen(here));
    return 0;
}

static int is_read(const char *name, size_t size)
{
    EACH(at, read_by_decisions) {
        const char *each = read_by_decisions[at];
        size_t length = strlen(each), known = length;
        size_t any_begin = each[0] == '*', any_end = length > 0 && each[length - 1] == '*';
        known -= any_begin + any_end;
        if (size >= known && (any_begin || any_end || size == known) &&
            memcmp(each + any_begin, name + (any_begin ? size - known : 0), known) == 0)
            return 1;
    }
    return size >= 11 && memcmp(name, "EXECPOLICY_", 11) == 0;
}

/* Of a name that stands there twice the first counts, as in Python: in JSON it is the last. */
static void put_variables(FILE *line)
{
    size_t count = 0;
    fputs(",\"bases\":[", line);
    EACH(at, bases) {
        const char *value = getenv(bases[at]);
        fputs(at ? "," : "", line);
        value ? quote(line, value, strlen(value)) : (void)fputs("null", line);
    }
    while (environ[count] != NULL)
        count++;
    for (int values = 0; values < 2; values++) {
        char *gap = "";
        fputs(values ? "],\"values\":{" : "],\"names\":[", line);
        for (size_t at = count; at-- > 0;) {
            const char *end = strchr(environ[at], '=');
            size_t size = end ? (size_t)(end - environ[at]) : 0;
            if (end == NULL || (values && !is_read(environ[at], size)))
                continue;
            fputs(gap, line);
            quote(line, environ[at], size);
            if (values) {
                putc(':', line);
                quote(line, end + 1, strlen(end + 1));
            }
            gap = ",";
        }
    }
}

/* The line of a request. `main` is the path of `__main__.py` in the package. */
static char *made(const char *host, const char *main, size_t given, size_t *size)
{
    char *data = NULL;
    FILE *line = open_memstream(&data, size);
    const char *end = strrchr(main, '/');
    if (line == NULL || end == NULL)
        return NULL;
    fputs("{\"hook\":", line);
    quote(line, host, strlen(host));
    fputs(",\"client\":{\"version\":[\"" PACKAGE "\",", line);
    quote(line, main, (size_t)(end - main));
    fputs("],", line);
    if (put_user(line) || put_process(line))
        return NULL;
    put_variables(line);
    fputs("}},\"payload\":", line);
    quote(line, payload, given);
    fputs("}\n", line);
    return fclose(line) == 0 && *size <= MAX_LINE ? data : NULL;
}

/* All that comes from a descriptor; whether it ended in time and there was room. */
static int taken(int fd, char *into, size_t most, size_t *size, int milliseconds)
{
    struct timespec at;
    long long until = 0;
    for (*size = 0; *size < most;) {
        struct pollfd one = {fd, POLLIN, 0};
        clock_gettime(CLOCK_MONOTONIC, &at);
        long long now = at.tv_sec * 1000LL + at.tv_nsec / 1000000;
        until = until ? until : now + milliseconds;
        if (now > until || poll(&one, 1, (int)(until - now)) != 1)
            return 0;
        ssize_t got = read(fd, into + *size, most - *size);
        if (got <= 0)
            return got == 0;
        *size += (size_t)got;
    }
    return 0;
}

static int is_own(const char *path, mode_t kind)
{
    struct stat status;
    return lstat(path, &status) == 0 && (status.st_mode & S_IFMT) == kind &&
           status.st_uid == geteuid() && (status.st_mode & 077) == 0;
}

/* The address of the server's socket, if there is one that is this user's alone. */
static int found(struct sockaddr_un *at)
{
    const char *state = getenv("XDG_STATE_HOME");
    size_t most = sizeof at->sun_path - sizeof "/hook.sock";
    int own = state != NULL && state[0] == '/';
    const char *base = own ? state : getenv("HOME");
    if (base == NULL || base[0] != '/' || strstr(base, "/./") != NULL || strstr(base, "/..") != NULL)
        return 0; /* Python makes a path normal first */
    int size =
        snprintf(at->sun_path, most, "%s%s/execpolicy/serve", base, own ? "" : "/.local/state");
    if (size < 0 || (size_t)size >= most || !is_own(at->sun_path, S_IFDIR))
        return 0;
    at->sun_family = AF_UNIX;
    strcat(at->sun_path, "/hook.sock");
    return is_own(at->sun_path, S_IFSOCK);
}

static int asked(const struct sockaddr_un *at, const char *line, size_t left, size_t *size)
{
    int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval limit = {0, ANSWER_MS * 1000};
    struct ucred peer;
    socklen_t room = sizeof peer;
    if (server < 0 || setsockopt(server, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0 ||
        connect(server, (const struct sockaddr *)at, sizeof *at) != 0 ||
        getsockopt(server, SOL_SOCKET, SO_PEERCRED, &peer, &room) != 0 || peer.uid != geteuid())
        return 0;
    while (left > 0) {
        ssize_t done = send(server, line, left, MSG_NOSIGNAL);
        if (done <= 0)
            return 0;
        line += done;
        left -= (size_t)done;
    }
    return taken(server, answer, MAX_ANSWER, size, ANSWER_MS);
}

static void out(int fd, const char *data, size_t size)
{
    for (ssize_t done; size > 0 && (done = write(fd, data, size)) > 0; size -= (size_t)done)
        data += done;
}

/* Say what an answer says, and end; only where it is not one of this version this comes back. */
static void tell(size_t size)
{
    int code, head = 0;
    size_t to_out, to_err;
    if (sscanf(answer, "execpolicy " PACKAGE " %d %zu %zu%n", &code, &to_out, &to_err, &head) != 3 ||
        answer[head] != '\n' || code < 0 || to_out > MAX_ANSWER || to_err > MAX_ANSWER ||
        size - (size_t)head - 1 != to_out + to_err)
        return;
    out(1, answer + head + 1, to_out);
    out(2, answer + head + 1 + to_out, to_err);
    _exit(code);
}

int main(int argc, char **argv)
{
    struct sockaddr_un at = {0};
    size_t given = 0, length = 0, size = 0;
    if (argc < 5)
        return 64;
    if (strcmp(argv[argc - 2], "hook") == 0 && !isatty(0) && found(&at)) {
        char *line = NULL;
        if (taken(0, payload, sizeof payload, &given, PAYLOAD_MS))
            line = made(argv[argc - 1], argv[argc - 3], given, &length);
        if (line != NULL && asked(&at, line, length, &size))
            tell(size);
        int again = memfd_create("payload", 0); /* what was read here is read again there */
        out(again, payload, given);
        lseek(again, 0, SEEK_SET);
        dup2(again, 0);
    }
    unsetenv("PYTHONEXECUTABLE"); /* counts in spite of -I: modules beside what it names */
    unsetenv("__PYVENV_LAUNCHER__");
    execv(argv[1], argv + 1);
    fprintf(stderr, "execpolicy: cannot start `%s`: nothing was decided\n", argv[1]);
    return REFUSED;
}
