"""The paths that a request names, with what it does to them, as far as they are literal."""

import os

from execpolicy.engine.paths.feeds.openers import holds
from execpolicy.engine.paths.targets import matching_paths
from execpolicy.engine.scene import Scene
from execpolicy.engine.unwrap import ExpandedOperation, unwrap
from execpolicy.model.decision import Decision
from execpolicy.model.operation import MOVES, Access, Exec, Request, Word, show
from execpolicy.model.verdict import Verdict
from execpolicy.places.disk import Disk
from execpolicy.sandbox.plan import Approved
from execpolicy.store.snapshot import Snapshot

_COMPUTED = frozenset("$`*?[]{}()\\\"'")
"""What a shell may compute or take away in a word."""


def paths_named(request: "Request", snapshot: "Snapshot") -> tuple[Approved, ...]:
    """Each path by its real place and what is done to it."""
    named = _named(request, snapshot)
    return tuple(dict.fromkeys(one for a, path in named for one in _opened(path, a.mode)))


def paths_read(request: "Request", snapshot: "Snapshot", verdict: "Verdict") -> tuple[str, ...]:
    """The paths of which the content is read as the verdict allows, as they are written."""
    if verdict.confined is not Decision.ALLOW:
        return ()
    named = _named(request, snapshot)
    read = (path for a, path in named if a.mode in ("read", "execute") and a.extent != "names")
    return tuple(dict.fromkeys(map(os.path.normpath, read)))


def _named(request: "Request", snapshot: "Snapshot") -> "list[tuple[Access, str]]":
    """What is done to which absolute path.

    A relative path counts only where the request never changes directory.
    """
    steps = unwrap(request, snapshot)
    moves = any(_moves(step) for step in steps)
    texts = [(access, _text(access.path)) for step in steps for access in step.accesses]
    return [
        (access, os.path.join(request.cwd or "/", os.path.expanduser(text)))
        for access, text in texts
        if text and not (moves and text[:1] not in ("/", "~"))
    ]


def _text(word: "Word") -> str:
    """A word that is literal, but for a `~` in front; nothing for another."""
    text = show(word)
    literal = isinstance(word, str) or (text[:1] == "~" and _COMPUTED.isdisjoint(text))
    return text if literal else ""


def _opened(path: str, mode: str) -> list[Approved]:
    try:
        real = os.path.realpath(path)
    except OSError:  # a link that may not be read, of which `/proc` has some
        return []
    return [Approved(real, mode, os.path.isdir(real))]


def paths_bound(request: "Request", snapshot: "Snapshot") -> tuple[Approved, ...]:
    """Those of them that a rule opens for the programs of this request, and for no others."""
    rules = [rule for rule in snapshot.policy.paths.rules if rule.programs]
    if not rules:
        return ()
    disk = Disk()
    scene = Scene(request, unwrap(request, snapshot), snapshot, disk)
    found: list[Approved] = []
    for number, step in enumerate(scene.steps):
        for access in step.accesses:
            bound = [r for r in matching_paths(scene.paths, access, scene.places) if r.programs]
            if any(holds(rule, access, number, scene) for rule in bound):
                path = os.path.expanduser(show(access.path))
                found += _opened(os.path.join(request.cwd or "/", path), access.mode)
    return tuple(dict.fromkeys(found))


def _moves(step: "ExpandedOperation") -> bool:
    return step.cwd is not None or (
        isinstance(step.operation, Exec) and step.operation.argv[0] in MOVES
    )
