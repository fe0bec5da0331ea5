"""What a launcher is started with: how it enters the session, and what runs in it."""

import os
from fcntl import F_SETFD

from execpolicy.sandbox.backends.limits import wanted
from execpolicy.sandbox.backends.start.prepared import LISTED, SHELL, Prepared
from execpolicy.sandbox.plan import Plan
from execpolicy.sandbox.walls import Wall, wall_at
from execpolicy.wrap.programs import has_static_shim, shim_program
from execpolicy.wrap.start.calls import CLOSE_ON_EXEC, MAX_DESCRIPTOR, Calls, limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.model.confinement import SandboxSettings
    from execpolicy.sandbox.backends.limits import Limit

PATH, MAX_PATH = "/bin:/usr/bin", 4096
"""Where a program is looked for without the variable, and PATH_MAX, which no path reaches."""


def launcher(prepared: Prepared) -> int:
    """The static program that starts a command, open; -1 where there is none."""
    if not has_static_shim():
        return -1
    return prepared.keep(os.open(shim_program(), os.O_RDONLY | os.O_CLOEXEC))


def entering(namespaces: "tuple[int, ...]") -> Calls:
    """What enters the session."""
    calls = Calls()
    for descriptor in namespaces:
        calls.add("setns", descriptor, 0)
    return calls


def becoming(kept: "list[int]", settings: "SandboxSettings", umask: int) -> Calls:
    """What the process does that becomes bubblewrap: it has these descriptors."""
    calls = Calls()
    calls.add("close_range", 3, MAX_DESCRIPTOR, CLOSE_ON_EXEC)
    for descriptor in kept:
        calls.add("fcntl", descriptor, F_SETFD, 0)
    limit(calls, 0, wanted(settings))
    calls.add("umask", umask)
    calls.add("setsid")
    return calls


def unseen(prepared: Prepared, program: int, nice: int, limits: "list[Limit]") -> "tuple[str, ...]":
    """The words that run a command, as bubblewrap gets them.

    It is a process of the session while the command runs. `pkill -f`, which looks for words of a
    command, is not to find them there.
    """
    environment = dict(prepared.launch.environment)
    paths = tried(prepared.command[0], environment.get("PATH", PATH)) if program >= 0 else ()
    words = (*paths, *prepared.command)
    listed = prepared.in_memory(os.fsencode("".join(f"{word}\0" for word in words)))
    if program >= 0:
        calls = Calls()
        limit(calls, nice, limits)
        more = map(str, (program, listed, prepared.in_memory(calls.encoded()), len(paths)))
        return f"/proc/self/fd/{program}", *more
    if os.path.exists(SHELL):
        return SHELL, "-c", LISTED.format(listed)
    return prepared.command


def tried(name: str, search: str) -> "tuple[str, ...]":
    """The paths at which a program is looked for, as execvp(3) does."""
    if "/" in name or not name:
        return (name,) if name else ()
    short = (one for one in search.split(":") if len(os.fsencode(one)) < MAX_PATH)
    return tuple(os.path.join(one, name) for one in dict.fromkeys(short))


def has_place(bind: "tuple[str, str, bool]", plan: "Plan") -> bool:
    """Whether a directory can be bound where it is to be."""
    source, target, _ = bind
    made = wall_at(os.path.dirname(target), plan.mounts) in (Wall.COVERED, Wall.PRIVATE)
    return os.path.isdir(source) and (made or os.path.isdir(target))
