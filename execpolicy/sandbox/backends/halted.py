"""The processes of a run held still for a moment: what they have open, and whether they ran.

They are all those with the mounts of the run, whatever started them, but for the first one of a
process namespace of its own, which is bubblewrap's.
"""

import os
from time import monotonic, sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

STOP, CONTINUE, KILL = 19, 18, 9
"""SIGSTOP, SIGCONT and SIGKILL on the machines that there is a filter for (signal(7))."""
TRIES, PATIENCE, PAUSE = 10, 0.2, 0.002
"""How often all are stopped anew where one waits in the kernel for another (vfork(2)), seconds that
each of these lasts, and between two looks."""
_STILL = frozenset("TtZX")


class Halted:
    """All processes of a run, stopped while it is entered.

    `whole`: none of them can do anything now. Those that were stopped before stay so.
    """

    def __init__(self, init: int) -> None:
        self._init = init
        self._stopped: list[int] = []
        self.whole = False

    def __enter__(self) -> "Self":
        for _ in range(TRIES):
            self.whole = self._stop()
            if self.whole:
                break
            self._go_on()
        return self

    def __exit__(self, *_error: object) -> None:
        self._go_on()

    def _stop(self) -> bool:
        """Stop those that are there, and those that they start meanwhile."""
        until = monotonic() + PATIENCE
        while monotonic() < until:
            moving = [one for one in members(self._init) if not _is_still(one)]
            new = [one for one in moving if one not in self._stopped]
            for process in new:  # the parents of others first, which see none of them stop
                self._stopped.append(process)
                _send(process, STOP)
            if not moving:
                return True
            if not new:
                sleep(PAUSE)
        return False

    def _go_on(self) -> None:
        for process in reversed(self._stopped):
            _send(process, CONTINUE)
        self._stopped.clear()

    def end(self) -> None:
        """Kill them, so that none goes on."""
        end(members(self._init))

    def users(self, path: str) -> "list[int]":
        """Which of them have open what stands at a path now, or something below it."""
        return [one for one in members(self._init) if _uses(one, path)]


def members(init: int) -> "list[int]":
    """The processes of a run, by their numbers here, in the order of these.

    They are those with its mounts, of which nothing inside can have others. The first process of a
    process namespace of its own is bubblewrap's, and none of them.
    """
    namespace = mounts_of(init)
    if not namespace:
        return []
    numbers = sorted(int(name) for name in os.listdir("/proc") if name.isdigit())
    found = [one for one in numbers if mounts_of(one) == namespace]
    return [one for one in found if one != init or not _is_first(init)]


def mounts_of(process: int) -> str:
    """The mount namespace of a process by its name; empty where it has ended.

    It goes on without its first thread, of which nothing is left but the number.
    """
    try:
        return os.readlink(f"/proc/{process}/ns/mnt")
    except FileNotFoundError:
        return next(filter(None, map(_mounts_of_task, _tasks(process))), "")
    except OSError:
        return ""


def _mounts_of_task(task: str) -> str:
    try:
        return os.readlink(f"{task}/ns/mnt")
    except OSError:
        return ""


def held_mounts(process: int) -> "tuple[int, str]":
    """The mount namespace of a process, and its name, which no other gets while this is open."""
    try:
        opened = os.open(f"/proc/{process}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1, ""
    return opened, os.readlink(f"/proc/self/fd/{opened}")


def _is_first(process: int) -> bool:
    """Whether a process is the first of its own namespace (NSpid of proc_pid_status(5))."""
    found = _text(f"/proc/{process}/status").partition("\nNSpid:")[2].partition("\n")[0]
    return found.split()[-1:] == ["1"]


def end(processes: "list[int]") -> None:
    """Kill these."""
    for process in processes:
        _send(process, KILL)


def _send(process: int, number: int) -> None:
    try:
        os.kill(process, number)
    except (ProcessLookupError, PermissionError):
        return


def _tasks(process: int) -> "Iterator[str]":
    """The threads of a process: each may have descriptors and a working directory of its own
    (unshare(2))."""
    try:
        yield from (f"/proc/{process}/task/{name}" for name in os.listdir(f"/proc/{process}/task"))
    except OSError:
        return


def _is_still(process: int) -> bool:
    return all(_state(task) in _STILL for task in _tasks(process))


def _state(task: str) -> str:
    """The state of a thread (proc_pid_stat(5)); that of a dead one where there is none."""
    return _text(f"{task}/stat").rpartition(")")[2].strip()[:1] or "X"


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""


def activity(init: int) -> "dict[str, str] | None":
    """How often each thread of a run came to run, and for how long (sched-stats.rst).

    Two that are alike say that none ran between them. None while one runs, or where it is not told.
    """
    found = {}
    for task in (task for process in members(init) for task in _tasks(process)):
        state = _state(task)
        found[task] = _text(f"{task}/schedstat")
        if state == "R" or not found[task]:
            return None
    return found


def _uses(process: int, path: str) -> bool:
    """Whether a process has a path open, works there, has it mapped, or may get it: a descriptor
    that waits in a socket is in no process."""
    tasks = [*_tasks(process)]
    maps = next(filter(None, (_text(f"{task}/maps") for task in tasks)), "")  # of all of them
    if any(_is_mapped(line, path) for line in maps.splitlines()):
        return True
    links = (link for task in tasks for link in (f"{task}/cwd", *_descriptors(task)))
    return any(_leads(link, path) or _carries(link) for link in links)


def _descriptors(task: str) -> "Iterator[str]":
    try:
        yield from (f"{task}/fd/{name}" for name in os.listdir(f"{task}/fd"))
    except OSError:
        return


def _is_mapped(line: str, path: str) -> bool:
    """Whether a line of `maps` (proc_pid_maps(5)) is about what stands at a path or below it."""
    fields = line.split(None, 5)
    if len(fields) < 6 or not (fields[5] == path or fields[5].startswith(f"{path}/")):
        return False
    try:
        return os.lstat(fields[5]).st_ino == int(fields[4])
    except OSError:
        return False


def _leads(link: str, path: str) -> bool:
    """Whether an open file is what stands at a path, or below it where that is a directory."""
    try:
        target, state = os.readlink(link), os.stat(link)
        known = os.lstat(target if target.startswith(f"{path}/") else path)
    except OSError:
        return False
    return (state.st_dev, state.st_ino) == (known.st_dev, known.st_ino)


def _carries(link: str) -> bool:
    """Whether descriptors wait in a socket (proc.rst, `scm_fds`)."""
    try:
        if not os.readlink(link).startswith("socket:"):
            return False
    except OSError:
        return False
    directory, _, number = link.rpartition("/fd/")
    lines = _text(f"{directory}/fdinfo/{number}").splitlines()
    return any(line.startswith("scm_fds:") and line.split()[-1] != "0" for line in lines)
