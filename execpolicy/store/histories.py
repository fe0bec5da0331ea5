"""Which paths the commits of a repository have, kept from one process to the next.

One file for each of `SLOTS` slots, so that no number of repositories makes the cache larger.
"""

from execpolicy.store.compiled import cache
from execpolicy.support import digest

SLOTS = 256


def recall(place: str) -> object:
    """What was kept last for a git directory and keys; None where there is nothing."""
    mark = digest.of(place.encode("utf-8", "surrogateescape"))
    found = cache.read(_name(mark), mark)
    return None if found is None else found[0]


def keep(place: str, value: object) -> None:
    """Keep plain data for a git directory and keys."""
    mark = digest.of(place.encode("utf-8", "surrogateescape"))
    cache.write(_name(mark), mark, value, durable=False)


def _name(mark: str) -> str:
    return f"history-{int(mark[:8], 16) % SLOTS:03x}"
