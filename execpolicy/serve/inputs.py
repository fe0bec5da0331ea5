"""What a verdict depends on that belongs to the process that asks, one row each.

A client sends all of it with each request. A server decides only where it has every field: `SAME`
has to be as it is for the server itself, and in `OWN` the server stands in for the client while it
decides (`serve.standing_in`). Whatever else a decision asks a process about, the client decides
itself. This module is on the way of a hook's start, so it imports little.
"""

import os
from _collections_abc import Callable, Mapping

from execpolicy.support.record import Value
from execpolicy.support.resources import package_directory
from execpolicy.support.version import PACKAGE

Given = Mapping[str, object]
"""The fields of a client, as JSON has them."""

NAMESPACES = ("mnt", "net", "pid", "user")
"""What decides which files, processes and addresses a process sees (namespaces(7))."""
_CONFINED = (b"NoNewPrivs:", b"Seccomp:", b"CapEff:")
"""What may hide files from a process that its namespaces show (proc_pid_status(5))."""
BASES = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
"""The variables that say where rules, settings, answers and the log are."""
READ = frozenset(
    (
        *BASES,
        *("PATH", "TMPDIR", "CI", "GITHUB_ACTIONS", "GITHUB_ENV", "NO_COLOR", "COPILOT_HOME"),
        *("CLAUDE_PROJECT_DIR", "FACTORY_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR"),
        *("CODEX_HOME", "CLAUDE_CONFIG_DIR", "GEMINI_CLI_HOME", "CURSOR_CONFIG_DIR"),
        *("LANG", "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"),
    )
)
"""Variables whose values are sent, beside `EXECPOLICY_…` and those that lead programs to code
(`rules/words/steering.words`). A value that was not sent and is read ends in the client."""


class Input(Value):
    """One field: its name, what it is, how a client finds it, and whether it has to be the server's
    own."""

    name: str
    what: str
    find: "Callable[[], object]"
    same: bool


def _user() -> "list[int]":
    return [os.getuid(), os.geteuid(), os.getgid(), os.getegid(), *sorted(os.getgroups())]


def namespaces(process: str = "self") -> "list[str]":
    """Those of a process."""
    return [os.readlink(f"/proc/{process}/ns/{name}") for name in NAMESPACES]


def root(path: str = "/") -> "list[int]":
    """The device and the number of what is at a path."""
    status = os.stat(path)
    return [status.st_dev, status.st_ino]


def _confined() -> "list[str]":
    descriptor = os.open("/proc/self/status", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return confined(os.read(descriptor, 8192))
    finally:
        os.close(descriptor)


def confined(status: bytes) -> "list[str]":
    """The lines of a status that say what a process may do."""
    lines = status.split(b"\n")
    return [line.decode("ascii", "replace") for line in lines if line.startswith(_CONFINED)]


def is_sent(name: str) -> bool:
    """Whether the value of a variable is sent."""
    from execpolicy.places.steering import may_lead

    return name in READ or may_lead(name) or name.startswith("EXECPOLICY_")


def _values() -> "dict[str, str]":
    return {name: value for name, value in os.environ.items() if is_sent(name)}


INPUTS = {
    each.name: each
    for each in (
        Input("version", "the package that asks, and where it lies", lambda: [
            PACKAGE, package_directory()], True),
        Input("user", "real and effective user and group, and all groups", _user, True),
        Input("namespaces", "of mounts, network, processes and users", namespaces, True),
        Input("root", "the device and number of `/`", root, True),
        Input("confined", "privileges, and whether system calls are filtered", _confined, True),
        Input("bases", "where rules, settings and answers are", lambda: [
            os.environ.get(name) for name in BASES], True),
        Input("cwd", "the directory that the process is in", os.getcwd, False),
        Input("parent", "the process that started it", os.getppid, False),
        Input("names", "the names of all variables", lambda: sorted(os.environ), False),
        Input("values", "what those variables say that a decision reads", _values, False),
    )
}  # fmt: skip
SAME = tuple(name for name, each in INPUTS.items() if each.same)
OWN = tuple(name for name, each in INPUTS.items() if not each.same)


def gathered() -> "dict[str, object]":
    """All fields of this process. Raises `OSError` where one cannot be told."""
    return {name: each.find() for name, each in INPUTS.items()}


class Process(Value):
    """The process that asks: its directory, the one above it, and its variables."""

    cwd: str
    parent: int
    names: frozenset[str]
    values: "tuple[tuple[str, str], ...]"


def process(given: "Given", own: "Given") -> "Process | str":
    """The process that fields tell of, or why a server with fields of its `own` cannot decide for
    it."""
    for name in INPUTS:
        if name not in given:
            return f"`{name}` was not sent"
    for name in SAME:
        if given[name] != own[name]:
            return f"`{name}` is not the server's"
    cwd, parent, names, values = (given[name] for name in OWN)
    if not isinstance(cwd, str) or cwd[:1] != "/" or "\0" in cwd:
        return "`cwd` is not a directory"
    if type(parent) is not int or parent < 0:
        return "`parent` is not the number of a process"
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return "`names` is not a list of names"
    if not isinstance(values, dict) or not _is_of(values, frozenset(names)):
        return "`values` does not give texts to some of the names"
    return Process(cwd, parent, frozenset(names), tuple(sorted(values.items())))


def _is_of(values: "Mapping[object, object]", names: "frozenset[str]") -> bool:
    return all(name in names and isinstance(value, str) for name, value in values.items())
