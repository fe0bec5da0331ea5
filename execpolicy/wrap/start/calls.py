"""System calls in a row, which a process makes when it is in the namespaces of a session.

The launcher (`launch.c`) gets them as bytes; where there is none a copy of this process makes them.
"""

import os
from array import array

from execpolicy.sandbox.kernel import EPERM, function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from execpolicy.sandbox.backends.limits import Limit

    Argument = int | bytes | tuple[int]
    Row = tuple[int, tuple[Argument, ...], bool]

MAX_DESCRIPTOR, CLOSE_ON_EXEC = (1 << 32) - 1, 4
"""Of close_range(2), with CLOSE_RANGE_CLOEXEC."""
_PLACE, _RESULT, _MAY_FAIL = 1, 2, 1 << 12
_ARGUMENTS = 6
_SIZE = 8
"""Bytes of a number."""
_X86, _ARM = "x86_64", "aarch64"
_MACHINE = os.uname().machine
_OLD = {
    "fcntl": {_X86: 72, _ARM: 25},
    "umask": {_X86: 95, _ARM: 166},
    "setrlimit": {_X86: 160, _ARM: 164},
    "setsid": {_X86: 112, _ARM: 157},
    "setpriority": {_X86: 141, _ARM: 140},
    "mount": {_X86: 165, _ARM: 40},
    "mkdirat": {_X86: 258, _ARM: 34},
    "mknodat": {_X86: 259, _ARM: 33},
    "unlinkat": {_X86: 263, _ARM: 35},
    "symlinkat": {_X86: 266, _ARM: 36},
    "unshare": {_X86: 272, _ARM: 97},
    "setns": {_X86: 308, _ARM: 268},
}
_NUMBERS = {name: numbers.get(_MACHINE, -1) for name, numbers in _OLD.items()} | {
    "open_tree": 428,
    "move_mount": 429,
    "close_range": 436,
    "openat2": 437,
    "mount_setattr": 442,
}
"""Those since Linux 5.2 have one number on all machines."""


class Calls:
    """System calls, each with its arguments: a number, bytes that it gets the address of, or what
    `add` gave for the call of which it is the result."""

    __slots__ = ("_encoded", "rows")

    def __init__(self, rows: "Iterable[Row]" = ()) -> None:
        self.rows: list[Row] = [*rows]
        self._encoded = b""

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, name: str, *arguments: "Argument", may_fail: bool = False) -> "tuple[int]":
        """One more; what stands for its result."""
        self.rows.append((_NUMBERS[name], arguments, may_fail))
        return (len(self.rows) - 1,)

    def encoded(self) -> bytes:
        """All of them as the launcher reads them, once there are no more."""
        self._encoded = self._encoded or self._as_bytes()
        return self._encoded

    def _as_bytes(self) -> bytes:
        words = array("q", (len(self.rows),))
        start, more = _SIZE * (1 + (2 + _ARGUMENTS) * len(self.rows)), bytearray()
        for number, arguments, may_fail in self.rows:
            kinds, given = _MAY_FAIL if may_fail else 0, [0] * _ARGUMENTS
            for at, one in enumerate(arguments):
                if isinstance(one, int):
                    given[at] = one
                elif isinstance(one, tuple):
                    kinds |= _RESULT << 2 * at
                    given[at] = one[0]
                else:
                    kinds |= _PLACE << 2 * at
                    given[at] = start + len(more)
                    more += one + bytes(_SIZE - len(one) % _SIZE)
            words.extend((kinds, number, *given))
        return words.tobytes() + bytes(more)

    def make(self) -> None:
        """Make them in this process. Raises `OSError`."""
        results: list[int] = []
        make = function("syscall")
        for number, arguments, may_fail in self.rows:
            given = (results[one[0]] if isinstance(one, tuple) else one for one in arguments)
            results.append(make(number, *given))
            if results[-1] < 0 and not may_fail:
                raise OSError(EPERM, f"the system call {number} is refused")


def numbers(*each: int) -> bytes:
    """A structure of numbers of eight bytes, as a call takes it."""
    return array("q", each).tobytes()


def limit(calls: Calls, nice: int, limits: "Iterable[Limit]") -> None:
    """Be as nice, and have these limits, but for those that the process may not have."""
    for kind, soft, hard in limits:
        calls.add("setrlimit", kind, numbers(soft, hard), may_fail=True)
    if nice > os.getpriority(os.PRIO_PROCESS, 0):
        calls.add("setpriority", os.PRIO_PROCESS, 0, nice, may_fail=True)
