"""Codex's file system policy: entries for paths, of which the most specific decides."""

import os

from execpolicy.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

READ, WRITE, NONE = "read", "write", "none"
_STRICT = {READ: 0, WRITE: 1, NONE: 2}
_SPECIAL = {":root": "/", ":tmp": "/tmp"}  # noqa: S108


class Entry(Value):
    """What may be done with a path and all below it. A path may be `:root`, `:cwd` or `:tmp`."""

    path: str
    access: str


def access(entries: "Iterable[Entry]", path: str, cwd: str) -> str:
    """What may be done with a path: `read`, `write` or `none`.

    The entry with the most components decides; of equal ones none, then write, then read.
    """
    at = _parts(path, cwd)
    best = (-1, 0, NONE)
    for entry in entries:
        here = _place(entry.path, cwd)
        if here is not None and at[: len(here)] == here:
            best = max(best, (len(here), _STRICT[entry.access], entry.access))
    return best[2]


def _place(path: str, cwd: str) -> tuple[str, ...] | None:
    """The components of an entry's path; None for a special one that is not known."""
    if path == ":cwd":
        return _parts(cwd, "/")
    if path[:1] == ":":
        return _parts(_SPECIAL[path], "/") if path in _SPECIAL else None
    return _parts(path, cwd)


def _parts(path: str, cwd: str) -> tuple[str, ...]:
    return tuple(p for p in os.path.normpath(os.path.join(cwd, path)).split("/") if p)


class Policy(Value):
    """A policy as entries. `kind` is `restricted`, `unrestricted` or `external`."""

    kind: str
    entries: tuple[Entry, ...] = ()

    def access(self, path: str, cwd: str) -> str:
        """What may be done with a path."""
        return access(self.entries, path, cwd) if self.kind == "restricted" else WRITE


def from_legacy(mode: str, readable: "Iterable[str]" = (), cwd: str = "/") -> Policy:
    """A sandbox mode as entries. `cwd` is the sandbox root's, not the request's.

    A readable root inside a writable one is dropped: as an entry it would be a read-only hole.
    """
    if mode in ("danger-full-access", "external-sandbox"):
        return Policy("unrestricted" if mode[0] == "d" else "external")
    writable = (cwd,) if mode == "workspace-write" else ()
    entries = [Entry(":root", READ), *(Entry(path, WRITE) for path in writable)]
    roots = [_parts(path, "/") for path in writable]
    for path in readable:
        parts = _parts(path, "/")
        if not any(parts[: len(root)] == root for root in roots):
            entries.append(Entry(path, READ))
    return Policy("restricted", tuple(entries))


def to_legacy(policy: Policy, cwd: str, network: bool = True) -> str:
    """The sandbox mode that says the same. Raises `ValueError` where none does."""
    if policy.kind == "unrestricted":
        return "danger-full-access"
    if policy.kind == "external" or access(policy.entries, "/", cwd) == WRITE:
        return "external-sandbox" + ("" if network else ", network restricted")
    written = [_place(e.path, cwd) for e in policy.entries if e.access == WRITE]
    root = _parts(cwd, "/")
    if any(place is not None and place[: len(root)] != root for place in written):
        raise ValueError("writes outside the workspace root cannot be expressed")
    return "workspace-write" if written else "read-only"
