/*
 * Starts bubblewrap in the namespaces of a session, and in it the command: what a copy of the
 * supervisor would do at many times the cost. Nothing is decided here: what is done comes from
 * `command_sandbox.py`.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch.h"

#define NOT_STARTED 127
#define DIAGNOSIS 4 /* NETLINK_SOCK_DIAG */
#define NEW_LISTENER 8
#define UNBROKEN 32 /* of Linux 5.19 */

extern char **environ;

/* All of a file in memory, with a zero after it; NULL where it cannot be had. */
static char *whole(int descriptor, off_t *size)
{
    char *text = (*size = lseek(descriptor, 0, SEEK_END)) > 0 ? malloc((size_t)*size + 1) : NULL;

    if (text == NULL || pread(descriptor, text, (size_t)*size, 0) != *size)
        return NULL;
    text[*size] = 0;
    close(descriptor);
    return text;
}

/* A system call of a list. Of each argument KINDS says whether it is a number, the place in the
 * list of what it points to, or the call of which it is the result; and whether the call may fail. */
struct call {
    int64_t kinds, number, given[6];
};
enum { NUMBER, PLACE, RESULT, KIND = 3, MAY_FAIL = 1 << 12 };

/* Those that are made, none of which writes to memory: who starts this program for nothing good is
 * to get nothing else by it. */
static const int made[] = {
    SYS_setns, SYS_unshare, SYS_mount, SYS_mkdirat, SYS_mknodat, SYS_symlinkat, SYS_unlinkat,
    SYS_umask, SYS_setsid, SYS_fcntl, SYS_setrlimit, SYS_setpriority,
    428 /* open_tree */, 429 /* move_mount */, 436 /* close_range */, 437 /* openat2 */,
    442 /* mount_setattr */,
};

static int is_made(int64_t number, const long *given)
{
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (made[i] == number)
            return number != SYS_fcntl || given[1] == F_SETFD;
    return 0;
}

/* Make the system calls in a descriptor: how many, then each. `calls.py` writes them. */
static int make(int descriptor)
{
    off_t size = 0;
    char *list = whole(descriptor, &size);
    struct call *calls = (struct call *)(list + 8);
    int64_t count = size >= 8 ? *(int64_t *)list : -1;
    long *results = calloc((size_t)size + 1, 1);

    if (list == NULL || results == NULL || count < 0 || count > (size - 8) / (int64_t)sizeof *calls)
        return -1;
    for (int64_t at = 0; at < count; at++) {
        const struct call *one = calls + at;
        long given[6];
        for (int i = 0; i < 6; i++) {
            int64_t kind = one->kinds >> 2 * i & KIND, word = one->given[i];
            if (kind != NUMBER && (word < 0 || word >= (kind == PLACE ? size : at)))
                return -1;
            given[i] = kind == PLACE ? (long)(list + word) : kind == RESULT ? results[word] : word;
        }
        results[at] = -1;
        if (is_made(one->number, given))
            results[at] = syscall(one->number, given[0], given[1], given[2], given[3], given[4]);
        if (results[at] < 0 && !(one->kinds & MAY_FAIL))
            return -1;
    }
    return 0;
}

/* Become a command of which a descriptor has the words, each ended by a zero:
 * `PROGRAM OWN-DESCRIPTOR WORDS CALLS`. */
int become(char **words)
{
    off_t size = 0;
    char *text = whole(atoi(words[2]), &size), **argv = calloc((size_t)size + 1, sizeof *argv);
    int code, count = 0;

    if (text == NULL || argv == NULL || make(atoi(words[3])) != 0)
        return 126;
    for (char *word = text; word < text + size; word += strlen(word) + 1)
        argv[count++] = word;
    close(atoi(words[1]));
    execvp(argv[0], argv);
    code = errno == ENOENT ? 127 : 126;
    say("execpolicy: ");
    say(argv[0]);
    say(code == 127 ? ": there is no such program\n" : ": this cannot be executed\n");
    return code;
}

static int load(int descriptor, unsigned flags)
{
    static struct sock_filter rules[4096];
    ssize_t size = pread(descriptor, rules, sizeof rules, 0);
    struct sock_fprog program = {(unsigned short)((size_t)size / sizeof *rules), rules};

    return size <= 0 ? -1 : (int)syscall(SYS_seccomp, 1, flags, &program);
}

/* Have connections handed over (seccomp_unotify(2)): `CHANNEL RULES RULES-WITHOUT`. Where the
 * kernel does not give that, no unix socket can be made. */
static int hand_over(char **words)
{
    int channel = atoi(words[0]), rules = atoi(words[1]), without = atoi(words[2]);
    int given[2];
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(sizeof given)];
    } control = {0};
    char byte = '\n';
    struct iovec data = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
    };

    if (channel < 0)
        return 0;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    given[1] = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, DIAGNOSIS);
    given[0] = given[1] < 0 ? -1 : load(rules, NEW_LISTENER | UNBROKEN);
    if (given[0] < 0 && given[1] >= 0)
        given[0] = load(rules, NEW_LISTENER);
    if (given[0] < 0)
        return load(without, 0);
    control.align.cmsg_level = SOL_SOCKET;
    control.align.cmsg_type = SCM_RIGHTS;
    control.align.cmsg_len = CMSG_LEN(sizeof given);
    memcpy(CMSG_DATA(&control.align), given, sizeof given);
    if (sendmsg(channel, &message, MSG_NOSIGNAL) != 1)
        return -1;
    close(given[0]);
    close(given[1]);
    return 0;
}

static int failed(void)
{
    say("execpolicy: the command could not be started\n");
    return NOT_STARTED;
}

/* Enter the namespaces of a session and put up walls, start bubblewrap behind them, and wait for it:
 * `PROGRAM CALLS WALLS CHANNEL RULES RULES-WITHOUT CALLS-OF-BUBBLEWRAP PATH WORD...`. The process
 * that waits is in no list of the session's processes. */
int launch(char **words)
{
    pid_t child;
    int status;

    if (make(atoi(words[1])) != 0 || make(atoi(words[2])) != 0)
        return failed();
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (hand_over(words + 3) != 0 || (child = fork()) < 0)
        return failed();
    if (child == 0) {
        if (make(atoi(words[6])) == 0)
            execve(words[7], words + 8, environ);
        _exit(failed());
    }
    syscall(436, 0, ~0u, 0); /* close_range */
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
