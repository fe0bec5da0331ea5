"""Which limit of a run a failed command hit, by what it said: those that rules set, and the size of
the directories that are the run's own.

Errors of a limit that no rule sets are the command's. A full disk is the run's where no disk that
it may write is full.
"""

import os
from collections.abc import Iterator, Sequence

from execpolicy.sandbox.backends.bubblewrap import SHARED, SHARED_MEMORY, TEMPORARIES, TEMPORARY
from execpolicy.sandbox.plan import Plan
from execpolicy.sandbox.walls import Wall

_SET = (
    ("memory", ("cannot allocate memory", "memoryerror", "enomem", "out of memory")),
    ("file_size", ("file too large", "efbig", "file size limit exceeded")),
    ("processes", ("start new thread", "fork: ", "cannot fork", "create thread")),
)
"""The settings of `sandbox(…)` that limit a process, with what programs say at each (errno(3))."""
_FULL, _WATCHES = "no space left on device", "watch"
"""inotify_add_watch(2) gives the same error where the user has no watch left."""


def limit_lines(plan: Plan, text: str) -> Iterator[str]:
    """A line for each limit of the run that a command's text speaks of, with what raises it."""
    low = text.lower()
    for name, errors in _SET:
        limit = getattr(plan.settings, name)
        if limit is not None and any(error in low for error in errors):
            more = f"more than the `{name}` of {limit}"
            yield f"denied inside: {more}; to allow it: sandbox({name} = …)"
    full = [line for line in low.split("\n") if _FULL in line and _WATCHES not in line]
    if full and all(map(_has_room, _written(plan))):
        yield f"denied inside: no space is left in {' or '.join(_own_directories(plan, full))}"


def _written(plan: Plan) -> Iterator[str]:
    """What of the machine's disks a run writes."""
    yield from (m.path for m in plan.mounts if m.wall is Wall.WRITE)
    if plan.temporary:
        yield plan.temporary


def _has_room(path: str) -> bool:
    try:
        return os.statvfs(path).f_bavail > 0
    except OSError:
        return False


def _own_directories(plan: Plan, lines: Sequence[str]) -> list[str]:
    """The run's own directories that the lines name, or all, with the setting of their sizes."""
    settings = plan.settings
    sizes = {SHARED: ("memory", settings.memory or SHARED_MEMORY)}
    for path in TEMPORARIES:
        if path != TEMPORARY or not plan.temporary:
            sizes[path] = "temporary", settings.temporary or sizes[SHARED][1]
    named = [path for path in sizes if any(f"{path}/" in line for line in lines)]
    return [f"`{p}` (of {sizes[p][1]} bytes: sandbox({sizes[p][0]} = …))" for p in named or sizes]
