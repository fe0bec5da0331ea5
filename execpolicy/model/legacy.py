"""The older form of Codex's sandbox, a word and some roots, and the bridge to entries and back."""

from execpolicy.model.split import (
    EXTERNAL,
    UNRESTRICTED,
    Entry,
    FileAccess,
    SplitPolicy,
    normal,
)
from execpolicy.support.path_match import below
from execpolicy.support.record import Value

READ_ONLY, WORKSPACE, FULL, OUTER = (
    "read-only",
    "workspace-write",
    "danger-full-access",
    "external-sandbox",
)


class Legacy(Value):
    """A sandbox in the older form: its name, the roots beside the workspace, and the network.

    `readable_roots` None is the whole disk.
    """

    name: str
    writable_roots: tuple[str, ...] = ()
    readable_roots: tuple[str, ...] | None = None
    network: bool = False


class LegacyError(ValueError):
    """A policy of entries says what the older form has no words for."""


def from_legacy(legacy: Legacy, root: str) -> SplitPolicy:
    """The entries of the older form.

    `root` is the directory of the sandbox. The request's would be another where a call runs below
    it, and a part of the project would become read-only. A readable root inside a writable one says
    nothing there, so it is dropped: kept, the deeper entry would carve it out. Raises `LegacyError`
    for a name that is none.
    """
    if legacy.name in (FULL, OUTER):
        return SplitPolicy((), UNRESTRICTED if legacy.name == FULL else EXTERNAL, codex_ties=True)
    if legacy.name not in (READ_ONLY, WORKSPACE):
        raise LegacyError(f"unknown sandbox: `{legacy.name}`")
    writable = (root, *legacy.writable_roots) if legacy.name == WORKSPACE else ()
    writable = tuple(dict.fromkeys(map(normal, writable)))
    readable = ("/",) if legacy.readable_roots is None else legacy.readable_roots
    kept = [path for path in map(normal, readable) if not any(below(path, w) for w in writable)]
    entries = [Entry(path, FileAccess.READ) for path in dict.fromkeys(kept)]
    entries += [Entry(path, FileAccess.WRITE) for path in writable]
    return SplitPolicy(tuple(entries), codex_ties=True)


def to_legacy(policy: SplitPolicy, root: str, network: bool = False) -> Legacy:
    """The older form of entries, for what knows no other.

    Raises `LegacyError` where that would widen or cannot be said: writes outside the workspace root
    without the root itself, and carve-outs.
    """
    if policy.kind == EXTERNAL:
        return Legacy(OUTER, network=network)
    narrowed = [e for w in policy.writable() for e in policy.carve_outs(w)]
    whole = policy.kind == UNRESTRICTED or policy.access("/") is FileAccess.WRITE
    if narrowed:
        raise LegacyError(
            f"`{narrowed[0].path}` is taken from a writable root: cannot be expressed"
        )
    if whole:
        return Legacy(FULL if network else OUTER, network=network)
    writable = tuple(path for path in policy.writable() if path != normal(root))
    readable = None if policy.access("/") is FileAccess.READ else policy.readable()
    if policy.access(root) is FileAccess.WRITE:
        return Legacy(WORKSPACE, writable, readable, network)
    if writable:
        raise LegacyError("writes outside the workspace root cannot be expressed")
    return Legacy(READ_ONLY, (), readable, network)
