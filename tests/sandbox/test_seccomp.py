"""The filter, run by a small machine of classic BPF, by the kernel's tables, and by the kernel."""

import re
import struct
from pathlib import Path

import pytest

from execpolicy.sandbox.backends import seccomp
from execpolicy.sandbox.backends.seccomp import ALLOW, ERRNO, KILL, MACHINES, filter_bytes

EPERM, ENOSYS, EAFNOSUPPORT = ERRNO | 1, ERRNO | 38, ERRNO | 97
HEADERS = {
    "x86_64": ["/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm/unistd_64.h"],
    "aarch64": ["/usr/include/asm-generic/unistd.h"],
}


def run(program: bytes, number: int, *arguments: int, audit: int) -> int:
    """What the filter returns for a call (linux/filter.h, linux/seccomp.h)."""
    padded = (*arguments, *[0] * (6 - len(arguments)))
    data = struct.pack("<IIQ6Q", number, audit, 0, *padded)
    code = [struct.unpack("<HBBI", program[at : at + 8]) for at in range(0, len(program), 8)]
    accumulator = at = 0
    while True:
        operation, yes, no, k = code[at]
        at += 1
        if operation == 0x20:
            accumulator = struct.unpack_from("<I", data, k)[0]
        elif operation == 0x54:
            accumulator &= k
        elif operation == 0x06:
            return int(k)
        else:
            holds = {0x15: accumulator == k, 0x35: accumulator >= k, 0x45: bool(accumulator & k)}
            at += yes if holds[operation] else no


CASES = [
    ("socket", (1, 1), EAFNOSUPPORT, "a unix socket"),
    ("socket", (2, 1), ALLOW, "IPv4: the namespace has only its own loopback"),
    ("socket", (10, 1), ALLOW, "IPv6"),
    ("socket", (16, 3, 9), EAFNOSUPPORT, "netlink"),
    ("socket", (16, 3, 4), EAFNOSUPPORT, "netlink of sockets"),
    ("socket", (16, 0x80003, 0), ALLOW, "netlink of interfaces"),
    ("socket", (17, 3), EAFNOSUPPORT, "packets"),
    ("socket", (40, 1), EAFNOSUPPORT, "the host of a virtual machine"),
    ("socket", (1 << 32 | 2, 1), ALLOW, "the kernel reads an int"),
    ("socket", (1 << 32 | 1, 1), EAFNOSUPPORT, "high bits do not hide a family"),
    ("socketpair", (1, 1), ALLOW, "a pair that stays connected"),
    ("socketpair", (1, 1 | 0o2000000), ALLOW, "the same with flags"),
    ("socketpair", (1, 5), ALLOW, "packets in order"),
    ("socketpair", (1, 2), EPERM, "datagrams could be sent to any path"),
    ("socketpair", (2, 1), EPERM, "no other family has pairs"),
    ("ioctl", (0, 0x5412), EPERM, "typing into a terminal"),
    ("ioctl", (0, 0x541C), EPERM, "pasting on a console"),
    ("ioctl", (0, 1 << 32 | 0x5412), EPERM, "high bits do not hide a command"),
    ("ioctl", (0, 0x5413), ALLOW, "the size of a terminal"),
    ("fcntl", (3, 1024, 1), EPERM, "a lease, for which others wait"),
    ("fcntl", (3, 1 << 32 | 1024, 1), EPERM, "high bits do not hide that"),
    ("fcntl", (3, 6), ALLOW, "a lock"),
    ("clone", (0x11,), ALLOW, "a child"),
    ("clone", (0x10000011,), EPERM, "a child in a user namespace"),
    ("clone", (0x20000,), EPERM, "a child with mounts of its own"),
    ("clone3", (), ENOSYS, "glibc falls back to clone"),
    ("unshare", (0x10000000,), EPERM, "a user namespace"),
    ("ptrace", (16, 1), EPERM, "tracing"),
    ("bpf", (), EPERM, "bpf"),
    ("io_uring_setup", (), EPERM, "sockets without the socket call"),
    ("open_tree", (), EPERM, "a copy of the mounts"),
    ("mount", (), EPERM, "mounts"),
    ("keyctl", (), EPERM, "keys of the kernel"),
    ("fchmod", (3, 0o755), ALLOW, "a mode"),
    ("fchmod", (3, 0o4755), EPERM, "set-user-id"),
    ("fchmodat", (-100 & 0xFFFFFFFF, 0, 0o2755), ALLOW, "set-group-id, as directories have"),
    ("fchmodat2", (0, 0, 0o4000), EPERM, "set-user-id by the newest call"),
    ("mknodat", (0, 0, 0o104755), EPERM, "a new file with it"),
    ("openat", (0, 0, 0, 0o4755), ALLOW, "an argument that is none, as no file is made"),
    ("openat", (0, 0, 0x41, 0o644), ALLOW, "a new file"),
    ("openat", (0, 0, 0x41, 0o4755), EPERM, "a new file that has it from the beginning"),
    ("openat2", (), ENOSYS, "its mode is behind a pointer"),
]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(("name", "arguments", "wanted", "what"), CASES, ids=[c[3] for c in CASES])
def test_a_call(
    machine: str, name: str, arguments: tuple[int, ...], wanted: int, what: str
) -> None:
    known = MACHINES[machine]
    assert run(filter_bytes(machine), known.calls[name], *arguments, audit=known.audit) == wanted


@pytest.mark.parametrize("machine", MACHINES)
def test_every_other_call_is_allowed(machine: str) -> None:
    known, program = MACHINES[machine], filter_bytes(machine)
    others = set(range(460)) - set(known.calls.values())
    assert {run(program, number, audit=known.audit) for number in others} == {ALLOW}


def test_calls_of_another_architecture_kill() -> None:
    program, known = filter_bytes("x86_64"), MACHINES["x86_64"]
    assert run(program, 0, audit=0x40000003) == KILL  # 32 bits
    assert run(program, 0x40000000 | 41, 1, audit=known.audit) == KILL  # x32
    assert run(program, 0, audit=MACHINES["aarch64"].audit) == KILL


def test_openings() -> None:
    known = MACHINES["x86_64"]
    unix = filter_bytes("x86_64", unix=True)
    assert run(unix, known.calls["socket"], 1, 1, audit=known.audit) == ALLOW
    assert run(unix, known.calls["socket"], 1, 0o2000005, audit=known.audit) == ALLOW
    assert run(unix, known.calls["socket"], 1, 2, audit=known.audit) == EAFNOSUPPORT
    assert run(unix, known.calls["socket"], 2, 2, audit=known.audit) == ALLOW
    assert run(unix, known.calls["socket"], 16, 3, 9, audit=known.audit) == EAFNOSUPPORT
    trace = filter_bytes("x86_64", trace=True)
    assert run(trace, known.calls["ptrace"], audit=known.audit) == ALLOW
    assert run(trace, known.calls["bpf"], audit=known.audit) == EPERM


def test_an_unknown_machine_has_no_filter() -> None:
    with pytest.raises(seccomp.UnknownMachineError, match="`riscv64`"):
        filter_bytes("riscv64")


@pytest.mark.parametrize("machine", MACHINES)
def test_the_numbers_are_those_of_the_kernel(machine: str) -> None:
    header = next((path for p in HEADERS[machine] if (path := Path(p)).exists()), None)
    if header is None:
        pytest.skip(f"NOT TESTED: no kernel headers for {machine}")
    text = header.read_text()
    numbers = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text))
    calls = MACHINES[machine].calls
    known = numbers.keys() & calls.keys()  # older headers do not have the newest calls
    assert len(known) > len(calls) / 2
    assert {name: int(numbers[name]) for name in known} == {name: calls[name] for name in known}


def test_a_jump_stays_in_the_program() -> None:
    for machine in MACHINES:
        program = filter_bytes(machine)
        assert len(program) % 8 == 0
        assert len(program) // 8 <= 4096  # BPF_MAXINSNS
