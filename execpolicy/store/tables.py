"""Where bashlex's tables are kept, for the reader: it knows no store."""

from execpolicy.store import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class KeptTables:
    """Tables in the cache, with all its guards."""

    def load(self, stamp: str) -> object:
        """What was saved under this stamp, or None."""
        found = cache.read("bashlex", stamp)
        return None if found is None else found[0]

    def save(self, stamp: str, tables: "Any") -> None:
        """Keep these tables, plain data, under this stamp."""
        cache.write("bashlex", stamp, tables)
