"""The compiled catalogue: entries are loaded one by one, when a command first needs them."""

import marshal

from execpolicy.catalogue.entry import CatalogueEntry
from execpolicy.support import digest
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    from execpolicy.catalogue.entry import PackedEntry

    class Blobs(Protocol):
        """Blobs by number; `LookupError` for one that is damaged."""

        def __getitem__(self, number: int, /) -> bytes: ...

        def __len__(self) -> int: ...

    Table = tuple[tuple[int, ...], Blobs]
    Index = dict[str, int]

# A table: the numbers of its shards, and the blobs, each a marshalled value. A shard has the number
# of the index of each of its programs; an index has for each path of the program, without its name,
# the number of the entry. So asking about one program reads few blobs.
SHARDS = 256
_SHELLS = frozenset(("shell", "bash", "zsh"))
_SOURCING = frozenset((".", "source", "eval"))
"""Builtins that run what they are given as text of the shell (bash manual, 4.1)."""


def shard(program: str) -> int:
    """In which shard a program is."""
    return digest.checksum(program.encode("utf-8", "surrogatepass")) % SHARDS


class Known(Value):
    """A program that has an entry, and the path of that: `python{version}` for `python3.12`."""

    path: str
    entry: CatalogueEntry


class Catalogue:
    """The entries by path: `sort`, `git push`."""

    def __init__(self, table: "Table" = ((), ())) -> None:
        self._shards, self._blobs = table
        self._opened: dict[int, dict[str, int]] = {}
        self._indexes: dict[str, Index] = {}
        self._loaded: dict[str, CatalogueEntry] = {}
        self._known: dict[str, Known] = {}

    @property
    def table(self) -> "Table":
        """What it was made from."""
        return self._shards, self._blobs

    def programs(self) -> list[str]:
        """The name of every program that has an entry, sorted."""
        return sorted(name for number in self._shards for name in self._numbers(number))

    def entry(self, path: str) -> CatalogueEntry | None:
        """The entry of exactly this path, or None."""
        found = self._loaded.get(path)
        if found is None:
            program, _, rest = path.partition(" ")
            number = self._index(program).get(rest)
            packed = None if number is None else self._packed(number)
            if packed is None:
                return None
            found = self._loaded[path] = CatalogueEntry.unpacked(packed)
        return found

    def _index(self, program: str) -> "Index":
        index = self._indexes.get(program)
        if index is None:
            number = self._shard(program).get(program)
            if number is None:
                return {}
            index = self._indexes[program] = self._numbers(number)
        return index

    def _shard(self, program: str) -> dict[str, int]:
        number = shard(program)
        opened = self._opened.get(number)
        if opened is None:
            opened = self._numbers(self._shards[number]) if self._shards else {}
            self._opened[number] = opened
        return opened

    # Of a damaged cache nothing is known: what is unknown asks.

    def _packed(self, number: int) -> "PackedEntry | None":
        try:
            packed: PackedEntry = marshal.loads(self._blobs[number])  # noqa: S302
        except LookupError:
            return None
        return packed

    def _numbers(self, number: int) -> "Index":
        """The numbers that a shard or an index has for its names."""
        try:
            numbers: Index = marshal.loads(self._blobs[number])  # noqa: S302
        except LookupError:
            return {}
        return numbers

    def lookup(self, name: str) -> Known | None:
        """What is known of a program by its bare name.

        `python3.12` is found under `python{version}`, if no entry has its very name. A file
        named `git status`, in one word, is not git.
        """
        known = self._known.get(name)
        if known is not None or " " in name:
            return known
        entry = self.entry(name)
        if entry is not None:
            known = self._known[name] = Known(name, entry)
            return known
        key = name.rstrip("0123456789.") + "{version}"
        entry = self.entry(key)
        return None if entry is None else Known(key, entry)

    def reads_commands(self, name: str) -> bool:
        """Whether a program reads what it is given as commands of a shell."""
        found = self.lookup(name)
        shell = found is not None and any(str(form.stdin) in _SHELLS for form in found.entry.forms)
        return shell or name in _SOURCING

    def paths(self) -> list[str]:
        """Every path that has an entry, sorted."""
        return sorted(path for program in self.programs() for path in self.paths_of(program))

    def paths_of(self, program: str) -> list[str]:
        """The paths of one program, its own among them, sorted; none where it has no entry."""
        return sorted(f"{program} {rest}".rstrip() for rest in self._index(program))

    def candidates(self, other: "Catalogue") -> list[str]:
        """The programs of which the other catalogue may not say the same, sorted."""
        if self._blobs is other._blobs:
            return []
        shared = min(len(self._blobs), len(other._blobs))
        kept = all(self._blobs[number] == other._blobs[number] for number in range(shared))
        found: dict[str, None] = {}
        for each in range(max(len(self._shards), len(other._shards))):
            mine, theirs = self._numbered(each), other._numbered(each)
            names = sorted(mine.keys() | theirs.keys())
            found |= dict.fromkeys(
                name for name in names if not kept or mine.get(name) != theirs.get(name)
            )
        return sorted(found)

    def _numbered(self, at: int) -> dict[str, int]:
        return self._numbers(self._shards[at]) if at < len(self._shards) else {}

    def packed(
        self, program: str, known: "dict[int, PackedEntry | None]"
    ) -> "Iterator[tuple[str, PackedEntry]]":
        """Each path of a program with its entry as plain data, sorted. What is read is put into
        `known` by its number: most names of a catalogue share an entry."""
        for rest, number in sorted(self._index(program).items()):
            if number not in known:
                known[number] = self._packed(number)
            found = known[number]
            if found is not None:
                yield f"{program} {rest}".rstrip(), found
