"""Control groups: limits of all processes of a run together (cgroups(7))."""

import os
from _collections_abc import Iterator
from time import sleep

from execpolicy.model.confinement import SandboxSettings
from execpolicy.support import processes

_PREFIX = "execpolicy-"
_KILL = 9
"""SIGKILL (signal(7))."""
_LOOKS, _PAUSE = 8, 0.01
"""Looks whether what is left has ended, and seconds between two."""
_FILES = {
    "pids": (("processes", "pids.max"),),
    "memory": (("memory", "memory.limit_in_bytes"), ("memory", "memory.max")),
}
"""The controllers, and the file for each limit, by version 1 and version 2."""


class Groups:
    """The control groups of one run, where the directory of this process's own can be written."""

    def __init__(self, settings: SandboxSettings) -> None:
        self.made: list[str] = []
        for controller, directory in _own():
            limits = [(f, getattr(settings, name)) for name, f in _FILES.get(controller, ())]
            limits = [(file, limit) for file, limit in limits if limit is not None]
            if limits and os.path.exists(f"{directory}/cgroup.procs"):
                _sweep(directory)
                self._make(f"{directory}/{_PREFIX}{processes.own_name()}", limits)

    def _make(self, path: str, limits: "list[tuple[str, int]]") -> None:
        try:
            os.mkdir(path)
        except OSError:
            return
        self.made.append(path)
        for file, limit in limits:
            if os.path.exists(f"{path}/{file}"):
                _write(f"{path}/{file}", str(limit))

    def join(self) -> None:
        """Put this process into the groups."""
        for path in self.made:
            _write(f"{path}/cgroup.procs", str(os.getpid()))

    def remove(self) -> None:
        """Remove the groups. Their processes have ended."""
        for path in self.made:
            try:
                os.rmdir(path)
            except OSError:
                continue


def _own() -> "Iterator[tuple[str, str]]":
    """The controllers with the directory of this process (cgroups(7))."""
    try:
        with open("/proc/self/cgroup") as file:
            lines = file.read().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers:
            for controller in controllers.split(","):
                yield controller, f"/sys/fs/cgroup/{controller}{path.rstrip('/')}"
        else:
            for controller in _FILES:
                yield controller, f"/sys/fs/cgroup{path.rstrip('/')}"


def _sweep(directory: str) -> None:
    """Remove the groups of runs that were killed: their launcher is gone."""
    try:
        names = [name for name in os.listdir(directory) if name.startswith(_PREFIX)]
    except OSError:
        return
    for name in names:
        if not processes.lives(name.removeprefix(_PREFIX)):
            _end(f"{directory}/{name}")


def _end(path: str) -> None:
    """End what is left over in a group, and remove it. What does not end at once, or is a run of
    another process namespace, is left to the next run."""
    for _ in range(_LOOKS):
        try:
            with open(f"{path}/cgroup.procs") as file:
                left = [line.strip() for line in file]
            if not all(map(_is_left_over, left)):
                return
            for number in left:
                os.kill(int(number), _KILL)
            os.rmdir(path)
        except OSError:
            sleep(_PAUSE)
            continue
        return


def _is_left_over(number: str) -> bool:
    """Whether a process is the first of its namespace, right below this one: bubblewrap's own
    child, which waits for ever if bubblewrap ends before it says to go on. Beside it, a run that
    goes on has bubblewrap itself."""
    with open(f"/proc/{number}/status") as file:
        named = next((line.split()[1:] for line in file if line.startswith("NSpid:")), [])
    return named == [number, "1"]


def _write(path: str, text: str) -> None:
    try:
        with open(path, "w") as file:
            file.write(text)
    except OSError:
        return
