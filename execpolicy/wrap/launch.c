/*
 * Starts bubblewrap in the namespaces of a session, and in it the command: what a copy of the
 * supervisor would do at many times the cost. Nothing is decided here: what is done comes from
 * `command_sandbox.py`.
 */
#include "program.h"
#include <linux/filter.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define NOT_STARTED 127
#define DIAGNOSIS 4 /* NETLINK_SOCK_DIAG */
#define NEW_LISTENER 8
#define UNBROKEN 32 /* of Linux 5.19 */
#define MAX_EVERY (1 << 18)

/* All of a file in memory; NULL where it cannot be had. */
static char *whole(int descriptor, long *size)
{
    long at;

    *size = CALL(lseek, descriptor, 0, SEEK_END);
    at = CALL(mmap, 0, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
    CALL(close, descriptor);
    return at < 0 ? NULL : (char *)at;
}

/* A system call of a list. Of each argument KINDS says whether it is a number, the place in the
 * list of what it points to, or the call of which it is the result, which is then in the place of
 * that call's number; and whether the call may fail. */
struct call {
    int64_t kinds, number, given[6];
};
enum { NUMBER, PLACE, RESULT, KIND = 3, MAY_FAIL = 1 << 12 };

/* Those that are made, none of which writes to memory: who starts this program for nothing good is
 * to get nothing else by it. */
static const int made[] = {
    __NR_setns, __NR_unshare, __NR_mount, __NR_mkdirat, __NR_mknodat, __NR_symlinkat, __NR_unlinkat,
    __NR_umask, __NR_setsid, __NR_fcntl, __NR_setrlimit, __NR_setpriority,
    428 /* open_tree */, 429 /* move_mount */, 436 /* close_range */, 437 /* openat2 */,
    442 /* mount_setattr */,
};

static int is_made(const long *given)
{
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (made[i] == given[0])
            return given[0] != __NR_fcntl || given[2] == F_SETFD;
    return 0;
}

/* Make the system calls in a descriptor: how many, then each. `calls.py` writes them. */
static int make(int descriptor)
{
    long size = 0;
    char *list = whole(descriptor, &size);
    struct call *calls = (struct call *)(list + 8);
    int64_t count = list != NULL && size >= 8 ? *(int64_t *)list : -1;

    if (count < 0 || count > (size - 8) / (int64_t)sizeof *calls)
        return -1;
    for (int64_t at = 0; at < count; at++) {
        struct call *one = calls + at;
        long given[7] = {one->number};
        for (int i = 0; i < 5; i++) {
            int64_t kind = one->kinds >> 2 * i & KIND, word = one->given[i];
            if (kind != NUMBER && (word < 0 || word >= (kind == PLACE ? size : at)))
                return -1;
            given[i + 1] = kind == PLACE ? AT(list + word) : kind == RESULT ? calls[word].number : word;
        }
        one->number = is_made(given) ? kernel(given) : -1;
        if (one->number < 0 && !(one->kinds & MAY_FAIL))
            return -1;
    }
    return 0;
}

/* Execute a program, by the shell where it is a script that names none; why it was not. */
static long execute(char *path, char **words, char **variables)
{
    long why = CALL(execve, AT(path), AT(words), AT(variables));

    if (why == -ENOEXEC) {
        words[0] = path;
        words[-1] = "/bin/sh";
        CALL(execve, AT(words[-1]), AT(words - 1), AT(variables));
    }
    return why;
}

/* Become a command of which a descriptor has the words, each ended by a zero; before them stand the
 * paths to be tried for its program, as execvp(3) does: `PROGRAM OWN-DESCRIPTOR WORDS CALLS PATHS`. */
int become(char **words, char **variables)
{
    static char *every[MAX_EVERY + 1];
    long size = 0, why = -ENOENT, found = -ENOENT;
    char *text = whole(number(words[2]), &size);
    int count = 0, paths = number(words[4]);

    for (char *word = text; text != NULL && word < text + size && count < MAX_EVERY;
         word += length_of(word) + 1)
        every[count++] = word;
    if (paths >= count || make(number(words[3])) != 0)
        return 126;
    CALL(close, number(words[1]));
    for (char **path = every; path < every + paths; path++) {
        found = execute(*path, every + paths, variables);
        why = why == -EACCES ? why : found;
        if (found != -ENOENT && found != -ENOTDIR && found != -EACCES)
            break;
    }
    say("execpolicy: ");
    say(every[paths]);
    say(why == -ENOENT ? ": there is no such program\n" : ": this cannot be executed\n");
    return why == -ENOENT ? 127 : 126;
}

static long load(int descriptor, long flags)
{
    static struct sock_filter rules[4096];
    long size = CALL(pread64, descriptor, AT(rules), sizeof rules, 0);
    struct sock_fprog program = {(unsigned short)((size_t)size / sizeof *rules), rules};

    return size <= 0 ? -1 : CALL(seccomp, 1, flags, AT(&program));
}

/* Have connections handed over (seccomp_unotify(2)): `CHANNEL RULES RULES-WITHOUT`. Where the
 * kernel does not give that, no unix socket can be made. */
static long hand_over(char **words)
{
    int channel = number(words[0]), rules = number(words[1]), given[2];

    if (channel == 0)
        return 0;
    CALL(prctl, PR_SET_NO_NEW_PRIVS, 1);
    given[1] = (int)CALL(socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, DIAGNOSIS);
    given[0] = given[1] < 0 ? -1 : (int)load(rules, NEW_LISTENER | UNBROKEN);
    if (given[0] < 0 && given[1] >= 0)
        given[0] = (int)load(rules, NEW_LISTENER);
    if (given[0] < 0)
        return load(number(words[2]), 0);
    if (pass(channel, "\n", 1, given, 2) != 1)
        return -1;
    CALL(close, given[0]);
    CALL(close, given[1]);
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
int launch(char **words, char **variables)
{
    long child;
    int status = 0;

    if (make(number(words[1])) != 0 || make(number(words[2])) != 0)
        return failed();
    CALL(prctl, PR_SET_PDEATHSIG, SIGKILL);
    if (hand_over(words + 3) != 0 || (child = CALL(clone, SIGCHLD)) < 0)
        return failed();
    if (child == 0) {
        if (make(number(words[6])) == 0)
            CALL(execve, AT(words[7]), AT(words + 8), AT(variables));
        return failed();
    }
    CALLED(436, 0, ~0u); /* close_range */
    while (CALL(wait4, child, AT(&status)) == -EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
