"""What bashlex said to structures of scripts: those that came with the package, and later ones.

An answer is about a text of a few signs and never about the user's words. The package brings the
structures that agents write; those that a process asked bashlex about are kept in the cache.
"""

import marshal

from execpolicy.store.compiled import cache
from execpolicy.support import digest
from execpolicy.support.resources import compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeGuard

    from execpolicy.store.compiled.cache import Blobs

    Answer = tuple[int, ...] | None

NAME = "structures"
MAX_KEPT = 512
"""Structures that are kept; beyond, those that came first are forgotten."""
_SHARDS = 64


class Answers:
    """The answers by structure. A damaged one does not count, so bashlex is asked again."""

    def __init__(self) -> None:
        self._blobs: Blobs | Sequence[bytes] | None = None
        self._opened: dict[int, dict[str, Answer]] = {}
        self._kept: dict[str, Answer] | None = None

    def get(self, key: str) -> "tuple[Answer] | None":
        """The answer to a structure, or None for one that was never asked about."""
        shard = self._shard(digest.checksum(key.encode()) % _SHARDS)
        if key in shard:
            return (shard[key],)
        kept = self._known()
        return (kept[key],) if key in kept else None

    def learn(self, key: str, answer: "Answer") -> None:
        """Keep an answer, for processes to come too."""
        kept = {**self._known(), key: answer}
        while len(kept) > MAX_KEPT:
            del kept[next(iter(kept))]
        self._kept = kept
        cache.write(NAME, "", kept, durable=False)

    def _known(self) -> "dict[str, Answer]":
        if self._kept is None:
            found = cache.read(NAME, "")
            self._kept = found[0] if found is not None and _is_whole(found[0]) else {}
        return self._kept

    def _shard(self, number: int) -> "dict[str, Answer]":
        if number not in self._opened:
            if self._blobs is None:
                found = cache.open_portable(compiled(NAME))
                self._blobs = () if found is None else found[2]
            self._opened[number] = _read(self._blobs, number)
        return self._opened[number]


def _read(blobs: "Blobs | Sequence[bytes]", number: int) -> "dict[str, Answer]":
    try:
        found = marshal.loads(blobs[number])  # noqa: S302 — data of the package, with a checksum
    except (LookupError, ValueError, TypeError, EOFError):
        return {}
    return found if _is_whole(found) else {}


def _is_whole(found: object) -> "TypeGuard[dict[str, Answer]]":
    """Whether this is a table of structures with runs of words."""
    if not isinstance(found, dict):
        return False
    return all(
        isinstance(key, str)
        and (answer is None or (type(answer) is tuple and all(type(n) is int for n in answer)))
        for key, answer in found.items()
    )


def write(stamp: str, answers: "Iterable[tuple[str, Answer]]") -> None:
    """Put answers into the package, while it is built. Raises `OSError`."""
    shards: list[dict[str, Answer]] = [{} for _ in range(_SHARDS)]
    for key, answer in answers:
        shards[digest.checksum(key.encode()) % _SHARDS][key] = answer
    cache.write_portable(compiled(NAME), stamp, None, [marshal.dumps(shard, 2) for shard in shards])
