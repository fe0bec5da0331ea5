"""What of a project PATH finds: directories there, and programs that links elsewhere lead to."""

import os
from _collections_abc import Iterator

from execpolicy.model.rule import ON_PATH
from execpolicy.places.disk import Disk
from execpolicy.sandbox.scan.indirect.aliases import links_on
from execpolicy.sandbox.scan.status import in_order
from execpolicy.support.path_match import below

NAME = "/" + ON_PATH.removesuffix("/*")
"""What rules know each directory of PATH by."""
_OF_SYSTEM = frozenset(("/bin", "/sbin", "/usr/bin", "/usr/sbin"))
"""Where only packages of the system put links."""


def names(disk: "Disk", roots: tuple[str, ...]) -> "Iterator[tuple[str, str]]":
    """Paths below these roots, there or not, with the names by which PATH has them."""
    for path in disk.programs():
        if any(below(path, root) for root in roots):
            yield path, NAME
        yield from ((root, NAME) for root in roots if path != root and below(root, path))
        for link in _links(path) if path not in _OF_SYSTEM else ():
            way = dict.fromkeys((*links_on(link), os.path.realpath(link)))
            inside = [at for at in way if any(below(at, root) for root in roots)]
            if inside and disk.is_program(link):
                yield from ((at, f"{NAME}/{os.path.basename(link)}") for at in inside)


def _links(directory: str) -> "list[str]":
    return [entry.path for entry in in_order(directory) if entry.is_symlink()]
