/*
 * Starts bubblewrap in the namespaces of a session, and in it the command: what a copy of the
 * supervisor would do at many times the cost. Nothing is decided here, and each number comes from
 * `command_sandbox.py`.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch.h"

#define NOT_STARTED 127
#define DIAGNOSIS 4 /* NETLINK_SOCK_DIAG */
#define NEW_LISTENER 8
#define UNBROKEN 32    /* of Linux 5.19 */
#define CLOSE_ON_EXEC 4 /* CLOSE_RANGE_CLOEXEC, of Linux 5.11 */

extern char **environ;

/* The next number of a list that is parted by `,` or `:`; -1 at its end. */
static long next(char **list)
{
    char *end;
    long number = strtol(*list, &end, 10);

    if (end == *list)
        return -1;
    *list = *end == 0 ? end : end + 1;
    return number;
}

/* Limits as `KIND:SOFT:HARD,...`, after the nice value. What is refused is left as it is. */
static void limit(char *list)
{
    long kind, nice = next(&list);

    if (nice > getpriority(PRIO_PROCESS, 0))
        setpriority(PRIO_PROCESS, 0, (int)nice);
    while ((kind = next(&list)) >= 0) {
        struct rlimit one;
        one.rlim_cur = (rlim_t)next(&list);
        one.rlim_max = (rlim_t)next(&list);
        setrlimit((__rlimit_resource_t)kind, &one);
    }
}

/* The words in a descriptor, each ended by a zero; NULL where they cannot be had. */
static char **listed(int descriptor)
{
    off_t size = lseek(descriptor, 0, SEEK_END);
    char *text = malloc((size_t)size + 1), **argv = calloc((size_t)size + 1, sizeof *argv);
    int count = 0;

    if (size <= 0 || text == NULL || argv == NULL || pread(descriptor, text, (size_t)size, 0) != size)
        return NULL;
    text[size] = 0;
    for (char *word = text; word < text + size; word += strlen(word) + 1)
        argv[count++] = word;
    close(descriptor);
    return argv;
}

/* Become a command of which a descriptor has the words: `PROGRAM OWN-DESCRIPTOR WORDS LIMITS`. */
int become(char **words)
{
    char **argv = listed(atoi(words[2]));
    int code;

    if (argv == NULL)
        return 126;
    close(atoi(words[1]));
    limit(words[3]);
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

/* Have connections handed over (seccomp_unotify(2)): `CHANNEL,RULES,RULES-WITHOUT`. Where the
 * kernel does not give that, no unix socket can be made. */
static int hand_over(char *list)
{
    int channel = (int)next(&list), rules = (int)next(&list), without = (int)next(&list);
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

/* Leave nothing open but the standard descriptors and these: what started the supervisor may have
 * left others. */
static void keep(char *list)
{
    long one;

    if (syscall(SYS_close_range, 3, ~0u, CLOSE_ON_EXEC) != 0)
        for (one = sysconf(_SC_OPEN_MAX) - 1; one > 2; one--)
            fcntl((int)one, F_SETFD, FD_CLOEXEC);
    while ((one = next(&list)) >= 0)
        fcntl((int)one, F_SETFD, 0);
}

/* Enter namespaces, start bubblewrap in them in a session of its own, and wait for it:
 * `PROGRAM NAMESPACES SOCKETS LIMITS UMASK KEPT PATH WORD...`, where KEPT are descriptors that it
 * has beside the standard ones. The process that waits is in no list of the session's processes. */
int launch(char **words)
{
    char *list = words[1];
    long one;
    pid_t child;
    int status;

    while ((one = next(&list)) >= 0)
        if (setns((int)one, 0) != 0)
            return failed();
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (hand_over(words[2]) != 0 || (child = fork()) < 0)
        return failed();
    if (child == 0) {
        keep(words[5]);
        limit(words[3]);
        umask((mode_t)atoi(words[4]));
        setsid();
        execve(words[6], words + 7, environ);
        _exit(failed());
    }
    syscall(SYS_close_range, 0, ~0u, 0);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
