"""Paths that mean something else for each process that asks: `/proc/self`, `/dev/fd` (proc(5)).

Where such a path leads here is not where it leads for the tool that will open it, so its text is
all there is. Of two the meaning is known: the working directory and the root of the process itself.
"""

_SELF = ("self", "thread-self")
_OWN = frozenset(("auxv", "environ", "mem"))
_OTHERS = _OWN | {"fd", "fdinfo", "map_files"}
SINKS = frozenset(("/dev/full", "/dev/null", "/dev/zero"))
"""What is written there is gone (null(4), full(4))."""
_HARMLESS = SINKS | {"/dev/random", "/dev/urandom"}
_DIRECTORIES = ("/dev/fd/", "/dev/mqueue/", "/dev/shm/")  # noqa: S108


def owned(path: str) -> bool:
    """Whether a normalised path lies in the directory of one process.

    >>> owned("/proc/self/fd/3"), owned("/proc/12"), owned("/proc/meminfo")
    (True, True, False)
    """
    if not path.startswith("/proc/"):
        return False
    name = path.split("/", 3)[2]
    return name in _SELF or name.isdigit()


def spelled(path: str) -> str:
    """The path with what is known about `/proc/self` put in its place.

    >>> spelled("/proc/self/cwd/a"), spelled("/proc/thread-self/root/etc"), spelled("/proc/7/cwd/a")
    ('./a', '/etc', '/proc/7/cwd/a')
    """
    if not path.startswith("/proc/"):
        return path
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if len(parts) < 3 or parts[1] not in _SELF or parts[2] not in ("cwd", "root"):
        return path
    rest = "/".join(parts[3:]) + ("/" if path.endswith("/") else "")
    return ("./" if parts[2] == "cwd" else "/") + rest


def is_secret(path: str) -> bool:
    """Whether reading a path of a process shows its memory, its variables or its open files.

    Of the tool's own process the files that it has open are known to it.
    """
    parts = path.split("/")
    if not owned(path) or len(parts) < 4:
        return False
    rest = parts[5:] if parts[3] == "task" and len(parts) > 5 else parts[3:]
    return rest[0] in (_OWN if parts[2] in _SELF else _OTHERS)


def is_below_descriptor(path: str) -> bool:
    """Whether a path leads on from what a process has open, wherever that lies.

    >>> is_below_descriptor("/proc/self/fd/3/../x"), is_below_descriptor("/proc/self/fd/3")
    (True, False)
    """
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return parts[:1] == ["proc"] and "fd" in parts[2:-2]


def is_device(path: str) -> bool:
    """Whether a path is a device that is more than an endless source or a sink (null(4))."""
    return path.startswith("/dev/") and path not in _HARMLESS and not path.startswith(_DIRECTORIES)
