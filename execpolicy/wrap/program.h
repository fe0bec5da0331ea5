/*
 * The start of a program without a C library, and what of one it needs. Before `main` a library asks
 * the processor what it can do: on a virtual machine that takes longer than all that is done here.
 */
#define _GNU_SOURCE
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#define BECOMES 5  /* words of `become` */
#define MAX_DESCRIPTORS 64 /* the first that is not passed on */
#define LAUNCHED 8 /* words of `launch` before those of bubblewrap, at least */
#define CALL(name, ...) CALLED(__NR_##name, __VA_ARGS__)
#define CALLED(number, ...) kernel((const long[7]){number, __VA_ARGS__})
#define AT(pointer) ((long)(pointer))

int become(char **words, char **variables);
int launch(char **words, char **variables);

/* A system call: its number and six arguments. What it gives is negative where it failed. */
static inline long kernel(const long *given)
{
#if defined __x86_64__
    long result = given[0];
    register long fourth __asm__("r10") = given[4], fifth __asm__("r8") = given[5];
    register long sixth __asm__("r9") = given[6];
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(given[1]), "S"(given[2]), "d"(given[3]), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
#elif defined __aarch64__
    register long number __asm__("x8") = given[0], result __asm__("x0") = given[1];
    register long second __asm__("x1") = given[2], third __asm__("x2") = given[3];
    register long fourth __asm__("x3") = given[4], fifth __asm__("x4") = given[5];
    register long sixth __asm__("x5") = given[6];
    __asm__ volatile("svc 0"
                     : "+r"(result)
                     : "r"(number), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "memory");
#else
#error "how this machine calls its kernel is not known here"
#endif
    return result;
}

static inline size_t length_of(const char *text)
{
    size_t length = 0;

    while (text[length] != 0)
        length++;
    return length;
}

/* Whether a text begins with another one. */
static inline int begins(const char *text, const char *with)
{
    while (*with != 0 && *text == *with)
        text++, with++;
    return *with == 0;
}

static inline int is_same(const char *one, const char *other)
{
    return begins(one, other) && begins(other, one);
}

static inline int number(const char *text)
{
    int value = 0;

    while (*text >= '0' && *text <= '9')
        value = 10 * value + *text++ - '0';
    return value;
}

static inline void say(const char *text)
{
    CALL(write, 2, AT(text), (long)length_of(text));
}

/* Send bytes with descriptors (SCM_RIGHTS of unix(7)); how many were sent. */
static inline long pass(int socket, const void *data, size_t size, const int *numbers, size_t count)
{
    struct {
        struct cmsghdr head;
        int numbers[MAX_DESCRIPTORS];
    } control = {.head = {CMSG_LEN(count * sizeof *numbers), SOL_SOCKET, SCM_RIGHTS}};
    struct iovec part = {(void *)data, size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control};
    long sent;

    message.msg_controllen = count > 0 ? CMSG_SPACE(count * sizeof *numbers) : 0;
    for (size_t i = 0; i < count; i++)
        control.numbers[i] = numbers[i];
    while ((sent = CALL(sendmsg, socket, AT(&message), MSG_NOSIGNAL)) == -EINTR)
        ;
    return sent;
}
