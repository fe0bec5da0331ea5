"""The compiled catalogue: entries are loaded one by one, when a command first needs them."""

import marshal

from execpolicy.catalogue.entry import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Catalogue:
    """The entries by path: `sort`, `git push`."""

    def __init__(self, table: "Mapping[str, tuple[bytes, ...]]") -> None:
        self._table = table
        self._loaded: dict[str, Entry] = {}

    def __len__(self) -> int:
        return len(self._table)

    def entry(self, path: str) -> Entry | None:
        """The entry of exactly this path, or None."""
        found = self._loaded.get(path)
        if found is None:
            blobs = self._table.get(path)
            if blobs is None:
                return None
            found = self._loaded[path] = Entry(marshal.loads(blobs[-1]))  # noqa: S302
        return found

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
        return sorted(self._table)
