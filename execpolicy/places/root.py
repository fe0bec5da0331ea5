"""The session's root: the directory that the host names, else the repository of the first one."""

import os

from execpolicy.model.place import Root
from execpolicy.support.disk.repository import top
from execpolicy.support.path_match import HOMES, below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_PARENTS = frozenset(("/", "/home", "/Users", "/mnt", "/media", "/Volumes", "/root", "/var/root"))


def of(
    given: str | None, cwd: str | None, real: "Callable[[str], str]" = os.path.realpath
) -> Root | None:
    """The root, as it really lies; None where neither directory is known."""
    if given or not cwd:
        path = given and real(given)
    else:
        here = real(cwd)
        path = top(here) or here
    return Root(path, _is_project(path)) if path else None


def _is_project(path: str) -> bool:
    """Whether a directory is no more than one project: no home, no mount, nothing above one."""
    home = os.path.realpath(os.path.expanduser("~"))
    if path in _PARENTS or below(home, path):
        return False
    parts = path.strip("/").split("/")
    if any(len(parts) == len(each) and parts[0] == each[0] for each in HOMES):
        return False
    return not os.path.ismount(path)
