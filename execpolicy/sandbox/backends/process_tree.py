"""The processes of a run, from outside: the first of its sandbox and all that are below it."""

import os

KILL, CONTINUE, STOP = 9, 18, 19
"""SIGKILL, SIGCONT and SIGSTOP on the machines that there is a filter for (signal(7))."""
OWN = (10, 12)
"""SIGUSR1 and SIGUSR2. They mean what a program makes of them, and end each that makes nothing of
them: none but the command gets them."""
MAX_PROCESSES = 4096


def send(init: int, number: int, *, shim: bool = False) -> bool:
    """Send a signal to the command whose sandbox has this first process; whether one was there.

    All that runs below it gets the signal too, as from a terminal, but for those of `OWN`. `shim`:
    the command runs below a shell that waits for it, and gets none.
    """
    found = _children(init)[shim:]
    if number in OWN:
        del found[1:]
    _kill_all(found, number)
    return bool(found)


def pause(init: int) -> None:
    """Stop all that has this first process above it."""
    _kill_all(_children(init), STOP)


def go_on(init: int) -> None:
    """Have it go on, those first that others wait for."""
    _kill_all(_children(init)[::-1], CONTINUE)


def carry_on(process: int) -> None:
    """Have one process go on."""
    _kill_all([process], CONTINUE)


def shim_of(init: int) -> int:
    """The number of the shell that the command runs below; 0 where there is none yet."""
    return next(iter(children_of(init)), 0)


def is_stopped(process: int) -> bool:
    """Whether a process is stopped (proc_pid_stat(5))."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "T"
    except OSError:
        return False


def _kill_all(found: "list[int]", number: int) -> None:
    for process in found:
        try:
            os.kill(process, number)
        except (ProcessLookupError, PermissionError):
            continue


def end(process: int) -> None:
    """Kill a process with all that is below it by now.

    bubblewrap asks the kernel to be killed with its parent only when it has begun.
    """
    _kill_all([*_children(process), process], KILL)


def _children(process: int) -> "list[int]":
    """The processes below one, nearest first (proc_pid_task_children(5))."""
    found: list[int] = []
    waiting = [process]
    while waiting and len(found) < MAX_PROCESSES:
        children = children_of(waiting.pop(0))
        found += children
        waiting += children
    return found


def children_of(parent: int) -> "list[int]":
    """Those that have a process for parent (proc_pid_task_children(5)): each of its threads has its
    own."""
    return [int(word) for task in _listed(f"/proc/{parent}/task") for word in _words(task)]


def _listed(directory: str) -> "list[str]":
    try:
        return [f"{directory}/{name}" for name in os.listdir(directory)]
    except OSError:  # it has ended
        return []


def _words(task: str) -> "list[str]":
    try:
        with open(f"{task}/children") as file:
            return file.read().split()
    except OSError:
        return []
