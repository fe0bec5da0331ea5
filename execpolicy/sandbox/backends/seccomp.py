"""A seccomp filter as bytes, for x86-64 and arm64: a pure function of a few choices.

The filter is a classic BPF program (linux/filter.h) over `struct seccomp_data`: the number of the
system call at offset 0, the architecture at 4, the arguments from 16 on, 8 bytes each. An argument
that the kernel takes as an `int` is compared by its low 32 bits alone, as the kernel does.
"""

from execpolicy.model.errors import ExecPolicyError
from execpolicy.support.record import Value

LOAD, EQUAL, AT_LEAST, ANY_BIT, MASK, RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
"""BPF_LD|BPF_W|BPF_ABS, BPF_JMP|BPF_JEQ, JGE, JSET, BPF_ALU|BPF_AND, BPF_RET, each with BPF_K."""

NUMBER, ARCHITECTURE, FIRST, SECOND, THIRD, FOURTH = 0, 4, 16, 24, 32, 40
"""Offsets in `struct seccomp_data`."""

ALLOW, KILL, ERRNO, HAND_OVER = 0x7FFF0000, 0x80000000, 0x00050000, 0x7FC00000
EPERM, ENOSYS, EAFNOSUPPORT = 1, 38, 97

UNIX, INET, INET6, NETLINK = 1, 2, 10, 16
ROUTE = 0
"""NETLINK_ROUTE of netlink(7): it tells of interfaces (getifaddrs(3)), and to change one needs a
capability that nothing inside has."""
STREAM, SEQPACKET, TYPE_BITS = 1, 5, 0xF
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
F_SETLEASE = 1024
"""Of fcntl(2), alike on both: who opens the file waits for who has the lease, for 45 seconds."""
NEW_NAMESPACES = 0x7E020000
"""The CLONE_NEW… flags of clone(2): user, pid, net, ipc, uts, cgroup, mount."""
SET_USER_ID = 0o4000
"""S_ISUID of chmod(2): a program of this user that others run as this user."""
X32 = 0x40000000


class Machine(Value):
    """An architecture: its AUDIT_ARCH number, those of connect(2) and seccomp(2), and those of
    the system calls that are refused or judged."""

    audit: int
    connect: int
    seccomp: int
    calls: "dict[str, int]"


_SAME = {
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "clone3": 435,
    "openat2": 437,
    "pidfd_getfd": 438,
    "process_madvise": 440,
    "mount_setattr": 442,
    "quotactl_fd": 443,
    "fchmodat2": 452,
    "open_tree_attr": 467,
}
"""Since Linux 5.1 a new call has one number everywhere."""

_NAMES = (
    "ioctl socket socketpair clone ptrace process_vm_readv process_vm_writev kcmp mount umount2 "
    "pivot_root chroot unshare setns swapon swapoff reboot sethostname setdomainname init_module "
    "finit_module delete_module kexec_load kexec_file_load quotactl acct settimeofday adjtimex "
    "clock_settime clock_adjtime syslog add_key request_key keyctl perf_event_open fanotify_init "
    "open_by_handle_at bpf userfaultfd lookup_dcookie vhangup fchmod fchmodat openat mknodat fcntl"
)


_OLD = {"chmod": 90, "open": 2, "creat": 85, "mknod": 133}
"""Calls that only x86-64 has."""


MEMORY = "memfd_create"
"""Makes a file that has no path, so that neither a mount nor Landlock keeps it from running."""


def _table(numbers: str, more: "dict[str, int] | None" = None) -> "dict[str, int]":
    named = zip(_NAMES.split(), map(int, numbers.split()), strict=True)
    return {**dict(named), **_SAME, **(more or {})}


MACHINES = {
    "x86_64": Machine(
        0xC000003E,
        42,
        317,
        _table(
            "16 41 53 56 101 310 311 312 165 166 155 161 272 308 167 168 169 170 171 175 313 176 "
            "246 320 179 163 164 159 227 305 103 248 249 250 298 300 304 321 323 212 153 "
            "91 268 257 259 72",
            {**_OLD, MEMORY: 319},
        ),
    ),
    "aarch64": Machine(
        0xC00000B7,
        203,
        277,
        _table(
            "29 198 199 220 117 270 271 272 40 39 41 51 97 268 224 225 142 161 162 105 273 106 "
            "104 294 60 89 170 171 112 266 116 217 218 219 241 262 265 280 282 18 58 "
            "52 53 56 33 25",
            {MEMORY: 279},
        ),
    ),
}

_TRACING = ("ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd")
_MODES = {
    "chmod": SECOND,
    "fchmod": SECOND,
    "fchmodat": THIRD,
    "fchmodat2": THIRD,
    "creat": SECOND,
    "mknod": SECOND,
    "mknodat": THIRD,
}
"""Calls that give a file its mode, and which argument that is."""
_OPENS = {"open": SECOND, "openat": THIRD}
"""Calls whose argument after the flags is a mode where these make a file."""
MAKES = 0x40 | 0x400000
"""O_CREAT and __O_TMPFILE, alike on both machines (asm-generic/fcntl.h)."""
_JUDGED = ("ioctl", "fcntl", "socket", "socketpair", "clone", "clone3", "openat2")
_SPECIAL = (MEMORY, *_JUDGED, *_MODES, *_OPENS)

Instruction = tuple[int, int, int, int]


class UnknownMachineError(ExecPolicyError):
    """There is no table of system calls for this architecture."""


_made: dict[tuple[str, bool, bool, bool], bytes] = {}


def filter_bytes(
    machine: str, *, unix: bool = False, trace: bool = False, memory: bool = True
) -> bytes:
    """The filter for a machine as `uname -m` names it, ready for `bwrap --seccomp`.

    Without `unix` no socket of AF_UNIX can be made, only connected pairs of them; with it those of
    datagrams cannot. `trace` lets processes inside trace each other. Without `memory` no file in
    memory can be made. Raises `UnknownMachineError`.
    """
    asked = machine, unix, trace, memory
    if asked not in _made:
        rules = program(_known(machine), unix=unix, trace=trace, memory=memory)
        _made[asked] = b"".join(map(_packed, rules))
    return _made[asked]


def handing_over(machine: str) -> bytes:
    """A filter that hands connect(2) over to another process, and lets all else pass."""
    number = _known(machine).connect
    rules = [(LOAD, 0, 0, NUMBER), (EQUAL, 0, 1, number), (RETURN, 0, 0, HAND_OVER)]
    return b"".join(map(_packed, [*rules, (RETURN, 0, 0, ALLOW)]))


def _known(machine: str) -> "Machine":
    known = MACHINES.get(machine)
    if known is None:
        message = f"there is no system call filter for `{machine}`: only for {', '.join(MACHINES)}"
        raise UnknownMachineError(message)
    return known


def program(
    machine: Machine, *, unix: bool, trace: bool, memory: bool = True
) -> "list[Instruction]":
    """The instructions: foreign calls kill, some are refused, some judged by an argument."""
    calls = machine.calls
    streams = _streams(EAFNOSUPPORT) if unix else []
    refused = [n for n in calls if n not in _SPECIAL and not (trace and n in _TRACING)]
    return [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, machine.audit),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
        (AT_LEAST, 0, 1, X32),
        (RETURN, 0, 0, KILL),
        *_refuse([calls[name] for name in refused], EPERM),
        # Callers then use clone and openat, whose arguments can be read.
        *_refuse([calls["clone3"], calls["openat2"]], ENOSYS),
        *(() if memory else _refuse([calls[MEMORY]], ENOSYS)),
        *_judged(calls["clone"], _without_flags(FIRST, NEW_NAMESPACES)),
        *_without_set_user_id(calls),
        *_judged(calls["ioctl"], _none_of(SECOND, (TIOCSTI, TIOCLINUX))),
        *_judged(calls["fcntl"], _none_of(SECOND, (F_SETLEASE,))),
        *_judged(
            calls["socket"],
            [*streams, *_interfaces(), *_one_of(FIRST, (INET, INET6))],
        ),
        *_judged(calls["socketpair"], [*_streams(EPERM), (RETURN, 0, 0, ERRNO | EPERM)]),
        (RETURN, 0, 0, ALLOW),
    ]


def _refuse(numbers: "list[int]", error: int) -> "list[Instruction]":
    """The calls with these numbers fail; the number stays loaded for what follows."""
    last = len(numbers) - 1
    jumps = [(EQUAL, last - at, 0, number) for at, number in enumerate(numbers[:-1])]
    return [*jumps, (EQUAL, 0, 1, numbers[-1]), (RETURN, 0, 0, ERRNO | error)]


def _judged(number: int, body: "list[Instruction]") -> "list[Instruction]":
    """A body that ends in a return, for this call alone."""
    return [(EQUAL, 0, len(body), number), *body]


def _one_of(offset: int, values: "tuple[int, ...]") -> "list[Instruction]":
    """Allowed if the argument is one of the values."""
    left = len(values)
    jumps = [(EQUAL, left - at, 0, value) for at, value in enumerate(values)]
    return [
        (LOAD, 0, 0, offset),
        *jumps,
        (RETURN, 0, 0, ERRNO | EAFNOSUPPORT),
        (RETURN, 0, 0, ALLOW),
    ]


def _none_of(offset: int, values: "tuple[int, ...]") -> "list[Instruction]":
    """Refused if the argument is one of the values."""
    left = len(values)
    jumps = [(EQUAL, left - at, 0, value) for at, value in enumerate(values)]
    return [
        (LOAD, 0, 0, offset),
        *jumps,
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, ERRNO | EPERM),
    ]


def _without_set_user_id(calls: "dict[str, int]") -> "list[Instruction]":
    """No file is given that bit."""
    made: list[Instruction] = []
    for name, offset in _MODES.items():
        if name in calls:
            made += _judged(calls[name], _without_flags(offset, SET_USER_ID))
    for name, flags in _OPENS.items():
        if name in calls:
            following = _without_flags(flags + 8, SET_USER_ID)
            opens = [(LOAD, 0, 0, flags), (ANY_BIT, 1, 0, MAKES), (RETURN, 0, 0, ALLOW)]
            made += _judged(calls[name], [*opens, *following])
    return made


def _without_flags(offset: int, flags: int) -> "list[Instruction]":
    return [
        (LOAD, 0, 0, offset),
        (ANY_BIT, 1, 0, flags),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, ERRNO | EPERM),
    ]


def _streams(error: int) -> "list[Instruction]":
    """Of AF_UNIX what stays connected: one of datagrams could send to any path."""
    return [
        (LOAD, 0, 0, FIRST),
        (EQUAL, 0, 6, UNIX),
        (LOAD, 0, 0, SECOND),
        (MASK, 0, 0, TYPE_BITS),
        (EQUAL, 2, 0, STREAM),
        (EQUAL, 1, 0, SEQPACKET),
        (RETURN, 0, 0, ERRNO | error),
        (RETURN, 0, 0, ALLOW),
    ]


def _interfaces() -> "list[Instruction]":
    """Of AF_NETLINK only what tells of interfaces."""
    return [
        (LOAD, 0, 0, FIRST),
        (EQUAL, 0, 4, NETLINK),
        (LOAD, 0, 0, THIRD),
        (EQUAL, 1, 0, ROUTE),
        (RETURN, 0, 0, ERRNO | EAFNOSUPPORT),
        (RETURN, 0, 0, ALLOW),
    ]


def _packed(one: Instruction) -> bytes:
    """`struct sock_filter`: a 16-bit code, two 8-bit jumps, a 32-bit constant; little-endian."""
    code, yes, no, constant = one
    return code.to_bytes(2, "little") + bytes((yes, no)) + constant.to_bytes(4, "little")
