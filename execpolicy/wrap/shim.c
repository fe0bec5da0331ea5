/*
 * Stands in the place of every program that an agent may start: the supervisor runs the real one.
 *
 * It decides nothing. It hands its words, directory, variables, umask and descriptors over a unix
 * socket, passes signals on, and ends with the code that it is told. Where the supervisor does not
 * answer it ends with 125 and one line. `protocol.py` says what is sent, and `shim.py` is the same
 * program for where there is no compiler.
 *
 * Built static, so that no loader and no library of the agent's choice runs before it; `hatch_build.py`
 * says how.
 */
#include "program.h"
#include <linux/auxvec.h>
#include <sys/un.h>

#define SOCKET "/run/execpolicy/socket"
#define MARK 0x32575058 /* XPW2 */
#define HEAD 6
#define REFUSED 125
#define BEGIN "begin" /* the name by which it starts the agent itself */

static const int passed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGCONT, SIGTSTP, SIGWINCH};
static int server = -1;
static uint32_t head[HEAD + MAX_DESCRIPTORS] = {MARK}; /* see `protocol.py` */
static const char *started_as; /* the path that was executed (getauxval(3)) */

static int gone(void)
{
    say("execpolicy: the supervisor of this session is gone: nothing was run\n");
    return REFUSED;
}

static void pass_on(int number)
{
    unsigned char told[2] = {'s', (unsigned char)number};

    CALL(sendto, server, AT(told), sizeof told, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (number == SIGTSTP)
        CALL(kill, CALL(getpid), SIGSTOP);
}

/* What the kernel takes of a handler of signals; on x86-64 this has to say how it returns. */
struct action {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
};
#if defined __x86_64__
void restore(void);
__asm__("restore: mov $15, %eax\n syscall"); /* rt_sigreturn(2) */
#define HANDLING {pass_on, 0x04000000 | SA_RESTART, restore, 0}
#else
#define HANDLING {pass_on, SA_RESTART, 0, 0}
#endif

static void heed_signals(void)
{
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++) {
        struct action now, how = HANDLING;
        if (CALL(rt_sigaction, passed_on[i], 0, AT(&now), sizeof now.mask) == 0 &&
            now.handler != SIG_IGN)
            CALL(rt_sigaction, passed_on[i], AT(&how), 0, sizeof how.mask);
    }
}

static int send_all(const char *data, size_t size)
{
    while (size > 0) {
        long sent = pass(server, data, size, NULL, 0);
        if (sent <= 0)
            return -1;
        data += sent;
        size -= (size_t)sent;
    }
    return 0;
}

/* The kernel has put the words, the variables and the path that was executed one after the other
 * (create_elf_tables): they are sent as they lie there. */
static int send_request(char **words, char **variables)
{
    static char cwd[PATH_MAX + 1];
    size_t size = sizeof *head * (HEAD + head[5]), rest;
    long there = CALL(getcwd, AT(cwd), sizeof cwd);
    const char *first;

    while (words[0] != NULL && words[1 + head[2]] != NULL)
        head[2]++;
    while (variables[head[3]] != NULL)
        head[3]++;
    first = head[2] > 0 ? words[1] : head[3] > 0 ? variables[0] : started_as;
    if (there < 0 || started_as == NULL)
        return -1;
    rest = (size_t)(started_as - first) + length_of(started_as) + 1;
    head[1] = (uint32_t)((size_t)there + rest);
    head[4] = (uint32_t)CALL(umask, 077);
    if (pass(server, head, size, (int *)head + HEAD, head[5]) != (long)size)
        return -1;
    return send_all(cwd, (size_t)there) | send_all(first, rest);
}

/* One byte of an answer, however late; -1 where the supervisor, or who served this, has ended. */
static int answer(void)
{
    unsigned char byte;
    long size;

    while ((size = CALL(recvfrom, server, AT(&byte), 1)) == -EINTR)
        ;
    return size == 1 ? byte : -1;
}

static int shim(char **words, char **variables)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = SOCKET};
    int said;

    for (uint32_t fd = 0; fd < MAX_DESCRIPTORS; fd++)
        if (CALL(fcntl, fd, F_GETFD) >= 0)
            head[HEAD + head[5]++] = fd;
    server = (int)CALL(socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC);
    if (CALL(connect, server, AT(&address), sizeof address) != 0 ||
        send_request(words, variables) != 0 || answer() != 't')
        return gone();
    heed_signals();
    for (uint32_t *fd = head + HEAD; fd < head + HEAD + head[5]; fd++)
        if (*fd != 2)
            CALL(close, *fd);
    while ((said = answer()) != 'x' && said >= 0)
        ;
    said = said < 0 ? said : answer();
    return said < 0 ? gone() : said;
}

/* Landlock (landlock(7)): what may be executed is below these paths alone, for all that follows. */
struct below {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

static int keep_to(char **paths, char **end)
{
    uint64_t execute = 1;
    int held = (int)CALLED(444, AT(&execute), sizeof execute);

    for (; paths < end; paths++) {
        long opened = CALL(openat, AT_FDCWD, AT(*paths), O_PATH | O_CLOEXEC);
        struct below one = {execute, (int32_t)opened};
        if (opened < 0)
            continue;
        if (CALLED(445, held, 1, AT(&one)) != 0)
            return -1;
        CALL(close, opened);
    }
    return CALL(prctl, PR_SET_NO_NEW_PRIVS, 1) != 0 ? -1 : (int)CALLED(446, held);
}

/* Start the agent: `begin [-] PATH... -- PROGRAM WORD...`; `-` where the kernel has no Landlock. */
static int begin(char **words, char **variables)
{
    char **end = words + 1;

    while (*end != NULL && !is_same(*end, "--"))
        end++;
    if (*end == NULL || end[1] == NULL)
        return 64;
    if (!is_same(words[1], "-") && keep_to(words + 1, end) != 0) {
        say("execpolicy: the kernel does not keep the agent to its programs\n");
        return REFUSED;
    }
    CALL(execve, AT(end[1]), AT(end + 1), AT(variables));
    say("execpolicy: the agent could not be started\n");
    return 126;
}

/* Be the first process of the session until no process holds the other end of this pipe any more. */
static int keep(void)
{
    char byte;

    CALL(prctl, PR_SET_DUMPABLE, 0);
    while (CALL(read, 0, AT(&byte), 1) == -EINTR)
        ;
    return 0;
}

static int run(long count, char **words, char **variables)
{
    if (started_as != NULL && begins(started_as, "/proc/self/fd/"))
        return count > LAUNCHED ? launch(words, variables)
             : count == BECOMES ? become(words, variables)
                                : keep();
    if (started_as != NULL && is_same(started_as, "/run/execpolicy/" BEGIN))
        return begin(words, variables);
    return shim(words, variables);
}

/* Where the kernel begins: how many words, the words, the variables, and what it says besides. */
__attribute__((used)) void main_of(long *stack)
{
    char **words = (char **)(stack + 1), **variables = words + stack[0] + 1, **end = variables;

    while (*end != NULL)
        end++;
    for (unsigned long *more = (unsigned long *)(end + 1); *more != AT_NULL; more += 2)
        if (*more == AT_EXECFN)
            started_as = (const char *)more[1];
    CALL(exit_group, run(stack[0], words, variables));
}
#if defined __x86_64__
__asm__(".globl _start\n_start: mov %rsp, %rdi\n and $-16, %rsp\n call main_of");
#else
__asm__(".globl _start\n_start: mov x0, sp\n bl main_of");
#endif
