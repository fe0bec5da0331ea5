"""Where parsers' tables are kept, for the readers of scripts and rules: they know no store."""

from execpolicy.store import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class KeptTables:
    """Tables in the cache, with all its guards. `name` is that of their file."""

    def __init__(self, name: str = "bashlex") -> None:
        self.name = name

    def load(self, stamp: str) -> object:
        """What was saved under this stamp, or None."""
        found = cache.read(self.name, stamp)
        return None if found is None else found[0]

    def save(self, stamp: str, tables: "Any") -> None:
        """Keep these tables, plain data, under this stamp."""
        cache.write(self.name, stamp, tables)
