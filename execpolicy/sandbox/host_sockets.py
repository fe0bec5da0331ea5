"""Unix sockets that programs of this machine listen at, for a run that may make its own.

The kernel lists them by the words that they were bound with (`/proc/net/unix`): those may be
relative, of another network, or of a file that has another name by now. So they are looked for on
the disk, too. No filter can tell one socket from another, and Landlock's scopes are about abstract
ones, which are another network's here.
"""

import os
import stat

from execpolicy.sandbox.look.status import entries_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from execpolicy.sandbox.look.survey import Walk

MAX_NAMES, MAX_DEPTH, MAX_SOCKETS = 20_000, 3, 500
"""Names outside of the roots that are looked at, how far below, and sockets that are walled off."""
MAX_RELATIVE = 64
_ELSEWHERE = frozenset(("/proc", "/sys", "/dev", "/usr", "/tmp", "/run", "/var/tmp"))  # noqa: S108
"""What a run has of its own, and programs."""


def take_up(walked: "Walk", home: str) -> None:
    """Take up the sockets that a program listens at, as far as they are found."""
    listed = dict.fromkeys(_listed())
    near = (os.path.dirname(path) for path in listed)
    directories = dict.fromkeys((*walked.directories, *near, *_below((home, "/"))))
    found = dict.fromkeys((*listed, *_in(directories)))
    for path in [path for path in found if not _is_over(path)][:MAX_SOCKETS]:
        walked.socket(path)


def _listed() -> "Iterator[str]":
    """The paths that the kernel lists, of each network that can be seen; relative ones below every
    directory that a program works in."""
    relative: dict[str, None] = {}
    for process in _networks():
        for name in _names(process):
            if name.startswith("/"):
                yield name
            elif name and name[0] != "@":
                relative[name] = None
    if relative:
        works = dict.fromkeys(filter(None, map(_works_in, _processes())))
        yield from (f"{at}/{name}" for at in works for name in [*relative][:MAX_RELATIVE])


def _names(process: str) -> "Iterator[str]":
    try:
        with open(f"/proc/{process}/net/unix", encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().split("\n")[1:]
    except OSError:
        return
    fields = (line.split(None, 7) for line in lines)  # seven, and the name
    yield from (each[7] for each in fields if len(each) > 7)


def _processes() -> "list[str]":
    try:
        return [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def _networks() -> "Iterator[str]":
    """A process of each network, this one's first."""
    known = set()
    for process in ("self", *_processes()):
        try:
            network = os.readlink(f"/proc/{process}/ns/net")
        except OSError:
            continue
        if network not in known:
            known.add(network)
            yield process


def _works_in(process: str) -> str:
    try:
        return os.readlink(f"/proc/{process}/cwd")
    except OSError:
        return ""


def _below(tops: "Iterable[str]") -> "Iterator[str]":
    """Directories that are not far below these, as far as a short walk comes."""
    waiting, left = [(top, 0) for top in tops], MAX_NAMES
    while waiting and left > 0:
        here, depth = waiting.pop(0)
        yield here
        listed = entries_of(here) or []
        left -= len(listed)
        if depth < MAX_DEPTH:
            inner = (one.path for one in listed if one.is_dir(follow_symlinks=False))
            waiting += [(path, depth + 1) for path in inner if path not in _ELSEWHERE]


def _in(directories: "Iterable[str]") -> "Iterator[str]":
    """The sockets in some directories."""
    for directory in directories:
        yield from (entry.path for entry in entries_of(directory) or () if _is_socket(entry))


def _is_socket(entry: "os.DirEntry[str]") -> bool:
    """Whether it is one. For most, the kind that the directory tells is enough."""
    known = entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False)
    if known or entry.is_symlink():
        return False
    return stat.S_ISSOCK(entry.stat(follow_symlinks=False).st_mode)


def _is_over(path: str) -> bool:
    """Whether nobody listens at a socket any more, so that a run may replace it.

    Asked with a type that hardly any server has, so that none of them notices (EPROTOTYPE).
    """
    import _socket

    end = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    try:
        end.connect(path)
    except ConnectionRefusedError:
        return True
    except OSError:  # one of another type, or that may not be asked, or with a long path
        return False
    finally:
        end.close()
    return False
