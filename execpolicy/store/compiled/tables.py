"""Where parsers' tables are kept, for the readers of scripts and rules: they know no store."""

from execpolicy.store.compiled import cache
from execpolicy.store.compiled.answers import Answers
from execpolicy.support.resources import compiled


class KeptTables:
    """Those of the package, and what was made since in the cache, with all its guards."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._answers: Answers | None = None

    def answer(self, key: str) -> "tuple[tuple[int, ...] | None] | None":
        """What the parser said to a structure, or None for one that it was never asked about."""
        if self._answers is None:
            self._answers = Answers()
        return self._answers.get(key)

    def learn(self, key: str, answer: "tuple[tuple[int, ...] | None]") -> None:
        """Keep what the parser said to a structure."""
        if self._answers is None:
            self._answers = Answers()
        self._answers.learn(key, *answer)

    def load(self, stamp: str) -> object:
        """What was saved under this stamp, or None."""
        found = cache.read_portable(compiled(self.name), stamp) or cache.read(self.name, stamp)
        return None if found is None else found[0]

    def save(self, stamp: str, tables: object) -> None:
        """Keep these tables, plain data, under this stamp."""
        cache.write(self.name, stamp, tables)


class PackagedTables:
    """Tables made anew and written into the package, while it is built."""

    def __init__(self, name: str) -> None:
        self.name = name

    def answer(self, key: str) -> None:
        """Nothing: the parser is asked."""

    def learn(self, key: str, answer: "tuple[tuple[int, ...] | None]") -> None:
        """Nothing: `answers.write` has all at once."""

    def load(self, stamp: str) -> object:
        """Nothing: they are to be made."""

    def save(self, stamp: str, tables: object) -> None:
        """Write these tables. Raises `OSError`."""
        cache.write_portable(compiled(self.name), stamp, tables, ())
