"""File policies as entries: which directories may be read, written or not be touched at all.

The deepest entry that holds a path decides, so that an entry below a writable directory that is not
`write` carves a part out of it. What no entry holds may not be touched. At the end the older form
of Codex's sandbox, a word and some roots, and the bridge to entries and back.
"""

import posixpath
from _collections_abc import Iterable

from execpolicy.support.ordered_enum import OrderedEnum
from execpolicy.support.path_match import below
from execpolicy.support.record import Value


class FileAccess(OrderedEnum):
    """What may be done with a path. Ordered, so that the strictest of several is their `max`."""

    WRITE = 0
    READ = 1
    NONE = 2

    @property
    def word(self) -> str:
        """The lower-case word of configurations."""
        return self.name.lower()

    @classmethod
    def parse(cls, word: str) -> "FileAccess":
        """The access for `write`, `read`, `none` or its other name `deny`.

        Raises `ValueError` for any other word.
        """
        for access in cls:
            if access.word == ("none" if word == "deny" else word):
                return access
        raise ValueError(f"invalid access: `{word}` (write `read`, `write` or `none`)")


class Entry(Value):
    """One directory or file, absolute and normalised, and what may be done with it."""

    path: str
    access: FileAccess


RESTRICTED, UNRESTRICTED, EXTERNAL = "restricted", "unrestricted", "external"
_CODEX_TIES = {FileAccess.NONE: 2, FileAccess.WRITE: 1, FileAccess.READ: 0}
PROTECTED_NAMES = (".git", ".codex", ".agents")
"""What stays read-only below a writable root of Codex, also where it is not there yet."""


class SplitPolicy(Value):
    """Entries, in any order. `kind` is `restricted`, or `unrestricted` or `external` (another
    sandbox holds), where the entries say nothing. `codex_ties`: of two entries for one path `write`
    wins over `read`, as in Codex; else the strictest does.
    """

    entries: tuple[Entry, ...] = ()
    kind: str = RESTRICTED
    codex_ties: bool = False

    def access(self, path: str, cwd: str = "/") -> FileAccess:
        """What may be done with a path, which is compared as it is: resolve links before.

        A relative one is read from `cwd`.
        """
        if self.kind != RESTRICTED:
            return FileAccess.WRITE
        whole = normal(posixpath.join(cwd, path))
        holding = [entry for entry in self.entries if below(whole, entry.path)]
        return max(holding, key=self._weight, default=_NOTHING).access

    def writable(self) -> tuple[str, ...]:
        """The directories that may be written, carve-outs apart."""
        return self._with(FileAccess.WRITE)

    def readable(self) -> tuple[str, ...]:
        """The directories that may be read and not written."""
        return self._with(FileAccess.READ)

    def carve_outs(self, root: str) -> tuple[Entry, ...]:
        """The narrower entries below a writable directory that take something away from it."""
        inside = (e for e in self.entries if e.path != root and below(e.path, root))
        return tuple(e for e in inside if self.access(e.path) is e.access is not FileAccess.WRITE)

    def protecting(self, names: "Iterable[str]" = PROTECTED_NAMES) -> "SplitPolicy":
        """The same with these names read-only in each writable root, unless an entry names one."""
        said = {entry.path for entry in self.entries}
        roots = [root for root in self.writable() if root != "/"]
        paths = [posixpath.join(root, name) for root in roots for name in names]
        more = tuple(Entry(path, FileAccess.READ) for path in paths if path not in said)
        return self.replace(entries=(*self.entries, *more))

    def _with(self, access: FileAccess) -> tuple[str, ...]:
        found = [e.path for e in self.entries if self.access(e.path) is e.access is access]
        return tuple(dict.fromkeys(found))

    def _weight(self, entry: Entry) -> tuple[int, int]:
        depth = len([part for part in entry.path.split("/") if part])
        tie = _CODEX_TIES[entry.access] if self.codex_ties else int(entry.access)
        return depth, tie


_NOTHING = Entry("/", FileAccess.NONE)


def split_policy(
    entries: "Iterable[tuple[str, str]]",
    cwd: str,
    *,
    kind: str = RESTRICTED,
    tmp: str = "/tmp",  # noqa: S108
    codex_ties: bool = True,
) -> SplitPolicy:
    """The policy of pairs of a path and an access, as Codex writes them.

    A relative path and the special ones of the project (`:cwd`, `:project_roots`,
    `:workspace_roots`) are read from `cwd`, the directory of the sandbox and not of a request;
    `tmp` is `:tmpdir`. A special path that is not known is passed over. Raises `ValueError` for an
    access that is none.
    """
    special = _special(cwd, tmp)
    found = []
    for path, word in entries:
        name, slash, rest = path.partition("/")
        if path[:1] == ":" and name not in special:
            continue
        start = special[name] + slash + rest if path[:1] == ":" else path
        found.append(Entry(normal(posixpath.join(cwd, start)), FileAccess.parse(word)))
    return SplitPolicy(tuple(found), kind, codex_ties)


def _special(cwd: str, tmp: str) -> dict[str, str]:
    project = dict.fromkeys((":cwd", ":project_roots", ":workspace_roots"), cwd)
    return {":root": "/", ":tmp": tmp, ":tmpdir": tmp, ":slash_tmp": "/tmp", **project}  # noqa: S108


def normal(path: str) -> str:
    """An absolute path without `.`, `..` and doubled slashes."""
    return "/" + posixpath.normpath(path).lstrip("/")


# --- the older form ------------------------------------------------------------------------------

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
