"""What of a project PATH finds: directories there, and programs that links elsewhere lead to."""

import os

from execpolicy.model.rule import ON_PATH
from execpolicy.sandbox.look.reached.aliases import links_on
from execpolicy.support.path_match import below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.places.disk import Disk

NAME = "/" + ON_PATH.removesuffix("/*")
"""The other name of each directory of PATH: the one that the shipped rules know it by."""
_OF_SYSTEM = frozenset(("/bin", "/sbin", "/usr/bin", "/usr/sbin"))
"""Where only packages of the system put links."""


def directories(disk: "Disk", roots: tuple[str, ...]) -> "Iterator[str]":
    """The directories of PATH below these roots, there or not; of one above a root, the root."""
    for path in disk.programs():
        if any(below(path, root) for root in roots):
            yield path
        yield from (root for root in roots if path != root and below(root, path))


def linked(disk: "Disk", roots: tuple[str, ...]) -> "Iterator[str]":
    """The files and links below these roots that links in directories of PATH lead to."""
    for directory in disk.programs():
        if directory in _OF_SYSTEM:
            continue
        for path in _links(directory):
            way = dict.fromkeys((*links_on(path), os.path.realpath(path)))
            inside = [at for at in way if any(below(at, root) for root in roots)]
            if inside and disk.is_program(inside[-1]):
                yield from inside


def _links(directory: str) -> "list[str]":
    try:
        with os.scandir(directory) as entries:
            return sorted(entry.path for entry in entries if entry.is_symlink())
    except OSError:
        return []
