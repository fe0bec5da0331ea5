"""The compiled catalogue: entries are loaded one by one, when a command first needs them."""

import marshal

from execpolicy.catalogue.entry import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    class Groups(Protocol):
        """Blobs by number; `LookupError` for one that is damaged."""

        def __getitem__(self, number: int, /) -> bytes: ...

        def __len__(self) -> int: ...

    Table = tuple[dict[str, int], Groups]

# A table: program → the number of its group; the groups, each a program's marshalled entries.


class Catalogue:
    """The entries by path: `sort`, `git push`."""

    def __init__(self, table: "Table" = ({}, ())) -> None:
        self._programs, self._groups = table
        self._opened: dict[str, tuple[dict[str, Any], tuple[bytes, ...]]] = {}
        self._loaded: dict[str, Entry] = {}

    def __len__(self) -> int:
        return len(self._programs)

    def entry(self, path: str) -> Entry | None:
        """The entry of exactly this path, or None."""
        found = self._loaded.get(path)
        if found is None:
            program, _, rest = path.partition(" ")
            paths, blobs = self._group(program)
            if rest not in paths:
                return None
            children, number = paths[rest]
            found = Entry(marshal.loads(blobs[number]), children)  # noqa: S302
            self._loaded[path] = found
        return found

    def _group(self, program: str) -> "tuple[dict[str, Any], tuple[bytes, ...]]":
        group = self._opened.get(program)
        if group is None:
            number = self._programs.get(program)
            if number is None:
                return {}, ()
            try:
                group = marshal.loads(self._groups[number])  # noqa: S302
            except LookupError:  # a damaged cache: the program is unknown, which asks
                group = {}, ()
            self._opened[program] = group
        return group

    def lookup(self, name: str) -> tuple[str, Entry] | None:
        """The key and the entry of a program by its bare name.

        `python3.12` is found under `python{version}`, if no entry has its very name.
        """
        entry = self.entry(name)
        if entry is not None:
            return name, entry
        key = name.rstrip("0123456789.") + "{version}"
        entry = self.entry(key)
        return None if entry is None else (key, entry)

    def paths(self) -> list[str]:
        """Every path that has an entry, sorted."""
        groups = ((program, self._group(program)[0]) for program in self._programs)
        return sorted(f"{program} {rest}".rstrip() for program, paths in groups for rest in paths)
