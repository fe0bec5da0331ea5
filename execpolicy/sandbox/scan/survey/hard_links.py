"""Other names of files that a plan protects, and of files that have a name elsewhere."""

import os
from _collections_abc import Iterable, Mapping

from execpolicy.sandbox.plan import Found
from execpolicy.sandbox.scan.links import Linked, leading_out, oldest
from execpolicy.sandbox.scan.status import linked_inode
from execpolicy.sandbox.scan.survey.holdings import Holdings

Inode = tuple[int, int]

MAX_HIDDEN = 5_000
"""Names in a hidden directory that are looked at."""


def hold(holdings: "Holdings", linked: "Mapping[str, tuple[Linked, ...]]") -> None:
    """Hold the files that have another name outside, or one that is protected.

    The files that are protected are known by now.
    """
    every = [(path, one) for path, found in linked.items() for one in found]
    if not every:
        return
    out = dict(leading_out(every))
    kept = protected(holdings.by_path, hidden=bool(out))
    names = {f"{path}/{one.name}": (one.device, one.inode) for path, one in every}
    for path, inode in names.items():
        if inode in kept:
            holdings.hold_link(path, kept[inode].places)
    for path in oldest(path for path in out if names[path] not in kept):
        holdings.hold_link(path, ())


def protected(found: "Mapping[str, Found]", *, hidden: bool) -> "dict[Inode, Found]":
    """What is protected and has several names, by device and inode; with what is `hidden`, because
    its directory is."""
    kept = {inode: one for one in found.values() if (inode := linked_inode(one.path))}
    return kept | _in_hidden(found.values()) if hidden else kept


def _in_hidden(found: "Iterable[Found]") -> "dict[Inode, Found]":
    hidden = {}
    for one in found:
        if one.kind != "directory" or "credentials" not in one.places:
            continue
        left = MAX_HIDDEN
        for directory, _, names in os.walk(one.path):
            left -= len(names)
            for name in names if left > 0 else ():
                inode = linked_inode(f"{directory}/{name}")
                if inode is not None:
                    hidden[inode] = one
    return hidden
