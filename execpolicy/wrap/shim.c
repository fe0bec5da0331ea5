/*
 * Stands in the place of every program that an agent may start: the supervisor runs the real one.
 *
 * It decides nothing. It hands its words, directory, variables, umask and descriptors over a unix
 * socket, passes signals on, and ends with the code that it is told. Where the supervisor does not
 * answer it ends with 125 and one line. `protocol.py` says what is sent, and `shim.py` is the same
 * program for where there is no compiler.
 *
 * Built static, so that no loader and no library of the agent's choice runs before it:
 *     cc -O2 -static -o shim shim.c launch.c
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "launch.h"

#define SOCKET "/run/execpolicy/socket"
#define MARK "XPW1"
#define MAX_DESCRIPTORS 64
#define MAX_TEXT (4u << 20)
#define REFUSED 125
#define BEGIN "begin" /* the name by which it starts the agent itself */

static const int passed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGCONT, SIGTSTP, SIGWINCH};
static int server = -1;

void say(const char *text)
{
    ssize_t done = write(2, text, strlen(text));
    (void)done;
}

static int gone(void)
{
    say("execpolicy: the supervisor of this session is gone: nothing was run\n");
    return REFUSED;
}

static void pass_on(int number)
{
    int before = errno;
    unsigned char told[2] = {'s', (unsigned char)number};

    send(server, told, sizeof told, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (number == SIGTSTP)
        raise(SIGSTOP);
    errno = before;
}

/* The descriptors of this process that an exec leaves open, by their numbers. */
static int given(int *numbers)
{
    int count = 0;

    for (int fd = 0; fd < MAX_DESCRIPTORS; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            numbers[count++] = fd;
    return count;
}

static int send_all(const char *data, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(server, data, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return -1;
        data += sent;
        size -= (size_t)sent;
    }
    return 0;
}

static int send_head(const uint32_t *head, size_t size, const int *numbers, int count)
{
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(sizeof(int) * MAX_DESCRIPTORS)];
    } control;
    struct iovec data = {(void *)head, size};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
    ssize_t sent;

    if (count > 0) {
        struct cmsghdr *one = &control.align;
        memset(&control, 0, sizeof control);
        one->cmsg_level = SOL_SOCKET;
        one->cmsg_type = SCM_RIGHTS;
        one->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)count);
        memcpy(CMSG_DATA(one), numbers, sizeof(int) * (size_t)count);
        message.msg_control = control.room;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)count);
    }
    do
        sent = sendmsg(server, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)size ? 0 : -1;
}

static char *text;
static size_t length;

static int add(const char *word)
{
    size_t size = strlen(word) + 1;

    if (length + size > MAX_TEXT)
        return -1;
    memcpy(text + length, word, size);
    length += size;
    return 0;
}

/* The path that was executed, made absolute: what the caller wrote as argv[0] says nothing of it. */
static const char *executed(const char *cwd)
{
    static char path[2 * PATH_MAX + 2];
    const char *name = (const char *)getauxval(AT_EXECFN);

    if (name == NULL || strlen(name) > PATH_MAX)
        return NULL;
    if (name[0] == '/')
        return name;
    strcpy(path, cwd);
    strcat(path, "/");
    return strcat(path, name);
}

static int send_request(char **words, char **variables, const int *numbers, int count)
{
    static char cwd[PATH_MAX + 1];
    uint32_t head[6 + MAX_DESCRIPTORS] = {0};
    const char *path;
    int done = 0;

    text = malloc(MAX_TEXT);
    if (text == NULL || getcwd(cwd, sizeof cwd) == NULL || (path = executed(cwd)) == NULL)
        return -1;
    done |= add(path) | add(cwd) | add(path);
    head[2] = 1;
    for (char **word = words + 1; words[0] != NULL && *word != NULL; word++, head[2]++)
        done |= add(*word);
    for (char **one = variables; *one != NULL; one++, head[3]++)
        done |= add(*one);
    if (done != 0) {
        say("execpolicy: these words and variables are more than a command can have\n");
        return -1;
    }
    memcpy(head, MARK, 4);
    head[1] = (uint32_t)length;
    head[4] = (uint32_t)umask(077);
    head[5] = (uint32_t)count;
    for (int i = 0; i < count; i++)
        head[6 + i] = (uint32_t)numbers[i];
    if (send_head(head, sizeof(uint32_t) * (size_t)(6 + count), numbers, count) != 0)
        return -1;
    return send_all(text, length);
}

/* One byte of an answer, however late; -1 where the supervisor, or who served this, has ended. */
static int answer(void)
{
    unsigned char byte;
    ssize_t size;

    do
        size = recv(server, &byte, 1, 0);
    while (size < 0 && errno == EINTR);
    return size == 1 ? byte : -1;
}

static int shim(char **words, char **variables)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int numbers[MAX_DESCRIPTORS], count = given(numbers), said;

    server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (server >= 0 && server < MAX_DESCRIPTORS) {
        int moved = fcntl(server, F_DUPFD_CLOEXEC, MAX_DESCRIPTORS);
        if (moved >= 0) {
            close(server);
            server = moved;
        }
    }
    strcpy(address.sun_path, SOCKET);
    if (server < 0 || connect(server, (struct sockaddr *)&address, sizeof address) != 0)
        return gone();
    if (send_request(words, variables, numbers, count) != 0 || answer() != 't')
        return gone();
    free(text);
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++) {
        struct sigaction now, how = {.sa_handler = pass_on};
        if (sigaction(passed_on[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaction(passed_on[i], &how, NULL);
    }
    for (int i = 0; i < count; i++)
        if (numbers[i] != 2)
            close(numbers[i]);
    while ((said = answer()) != 'x')
        if (said < 0)
            return gone();
    said = answer();
    return said < 0 ? gone() : said;
}

/* Landlock (landlock(7)): what may be executed is below these paths alone, for all that follows. */
struct rules {
    uint64_t handled;
};
struct below {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));
#define EXECUTE 1ull

static int keep_to(char **paths, char **end)
{
    struct rules rules = {EXECUTE};
    int held = (int)syscall(444, &rules, sizeof rules, 0);

    if (held < 0)
        return -1;
    for (; paths < end; paths++) {
        struct below one = {EXECUTE, open(*paths, O_PATH | O_CLOEXEC)};
        if (one.parent < 0)
            continue;
        if (syscall(445, held, 1, &one, 0) != 0)
            return -1;
        close(one.parent);
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return (int)syscall(446, held, 0);
}

/* Start the agent: `begin [-] PATH... -- PROGRAM WORD...`; `-` where the kernel has no Landlock. */
static int begin(char **words)
{
    char **end = words + 1;

    while (*end != NULL && strcmp(*end, "--") != 0)
        end++;
    if (*end == NULL || end[1] == NULL)
        return 64;
    if (strcmp(words[1], "-") != 0 && keep_to(words + 1, end) != 0) {
        say("execpolicy: the kernel does not keep the agent to its programs\n");
        return REFUSED;
    }
    execv(end[1], end + 1);
    say("execpolicy: the agent could not be started\n");
    return 126;
}

/* Be the first process of the session until no process holds the other end of this pipe any more. */
static int keep(void)
{
    char byte;

    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    while (read(0, &byte, 1) < 0 && errno == EINTR)
        ;
    return 0;
}

int main(int count, char **words, char **variables)
{
    const char *path = (const char *)getauxval(AT_EXECFN);

    if (path != NULL && strncmp(path, "/proc/self/fd/", 14) == 0)
        _exit(count > LAUNCHED ? launch(words) : count == BECOMES ? become(words) : keep());
    if (path != NULL && strcmp(path, "/run/execpolicy/" BEGIN) == 0)
        _exit(begin(words));
    _exit(shim(words, variables));
}
