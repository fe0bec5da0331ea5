"""File policies as entries: which directories may be read, written or not be touched at all.

The deepest entry that holds a path decides, so that an entry below a writable directory that is not
`write` carves a part out of it. What no entry holds may not be touched.
"""

import posixpath

from execpolicy.support.path_match import below
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from enum import IntEnum as OrderedEnum
else:
    from execpolicy.support.ordered_enum import OrderedEnum


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
