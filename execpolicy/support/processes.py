"""Processes by a name that no later one has: number and start time (proc_pid_stat(5)), on Linux."""

import os
from _collections_abc import Callable, Iterator

_STARTED = 19
"""The place of the start time among the fields after the program's name."""
_MAX_PARENTS = 64
_MAX_STATUS = 4096
"""Bytes of the line with the status of a process: a name of 64 and 50 numbers."""


def own_name() -> str:
    """The name of this process."""
    return name_of(os.getpid())


def name_of(process: int) -> str:
    """The name of a process, which says -1 for its start where the kernel does not tell it."""
    return f"{process}-{started(process)}"


def living(process: int) -> str:
    """The name of a process that runs; empty where it does not."""
    began = started(process)
    return f"{process}-{began}" if began >= 0 else ""


def lives(name: str) -> bool:
    """Whether the process of this name still runs. One that was not waited for yet does not."""
    number, _, start = name.partition("-")
    return number.isdigit() and start == str(started(int(number))) != "-1"


def status(process: int) -> "tuple[str, list[str]]":
    """The program's name of a process, and the fields after it: its state, its parent and so on
    (proc_pid_stat(5)). Raises `OSError`."""
    descriptor = os.open(f"/proc/{process}/stat", os.O_RDONLY | os.O_CLOEXEC)
    try:
        text = os.read(descriptor, _MAX_STATUS).decode("utf-8", "replace")
    finally:
        os.close(descriptor)
    name, _, rest = text.partition("(")[2].rpartition(")")
    return name, rest.split()


class Lineage:
    """A process and those above it up to the first of all, the nearest first: the number and the
    name of each. Each is looked at once, when it is asked for."""

    def __init__(self, process: int) -> None:
        self._seen: list[tuple[int, str]] = []
        self._more = _up(process)

    def __iter__(self) -> "Iterator[tuple[int, str]]":
        yield from self._seen
        for each in self._more:
            self._seen.append(each)
            yield each


def _up(process: int) -> "Iterator[tuple[int, str]]":
    for _ in range(_MAX_PARENTS):
        try:
            name, fields = status(process)
            yield process, name
            process = int(fields[1])
        except (OSError, IndexError):
            return
        if process <= 1:
            return


def started(process: int) -> int:
    """When a process began, in ticks since the machine did; -1 for one that runs no more."""
    try:
        fields = status(process)[1]
    except OSError:
        return -1
    return int(fields[_STARTED]) if fields and fields[0] not in ("Z", "X") else -1


def end_holders(file: str, program: str) -> bool:
    """Kill every process of this program that holds a file open, as far as it may be killed;
    whether there was one. The file is named as `/proc/PID/fd` does."""
    from functools import partial

    found = [name for name in os.listdir("/proc") if name.isdigit() and _holds(name, file, program)]
    for name in found:
        _end(int(name), partial(_holds, name, file, program))
    return bool(found)


def _end(process: int, is_it: "Callable[[], bool]") -> None:
    """Kill a process if it still is what it was taken for: its number may be another's by now."""
    from signal import SIGKILL, pidfd_send_signal

    try:
        held = os.pidfd_open(process)
    except OSError:
        return
    try:
        if is_it():
            pidfd_send_signal(held, SIGKILL)
    except OSError:
        return
    finally:
        os.close(held)


def _holds(process: str, path: str, program: str) -> bool:
    directory = f"/proc/{process}/fd"
    names = (program, f"memfd:{program} (deleted)")
    if os.path.basename(_target(f"/proc/{process}/exe")) not in names:
        return False
    try:
        return any(_target(f"{directory}/{fd}") == path for fd in os.listdir(directory))
    except OSError:
        return False


def _target(link: str) -> str:
    try:
        return os.readlink(link)
    except OSError:
        return ""
