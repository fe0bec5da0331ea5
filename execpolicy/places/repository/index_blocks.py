"""What is sought in a large index, block by block: where the bytes are those of a block that was
searched before, what was found in it is known.

An entry says all of itself (gitformat-index(5), version 2), so that the same bytes are the same
entries wherever they stand. The names of trees that git keeps in an index (its cache tree) tell
less: after `git replace` and `git reset` a tree of that name has other entries.
"""

from execpolicy.places.repository.index_plain import plain
from execpolicy.places.repository.index_search import HEADER, IndexSearch, ask
from execpolicy.support import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from execpolicy.support.disk.repository import Repository

    Like = Callable[[list[bytes]], tuple[str, ...]]
    """The names among some that are sought."""

Block = tuple[int, bytes, int, bytes, bytes, tuple[str, ...]]
"""Its bytes, their digest, its entries, the names of the first and the last, and what was found."""
SIZE = 1 << 16
"""Bytes of a block: to search one takes as long as to make the digests of ten."""


def read(
    own: "Repository", like: "Like", before: "Sequence[Block]", limit: int
) -> tuple[Block, ...] | None:
    """The blocks of an index, those that are as before with what was found in them then; None where
    it has another form, is damaged, or has no end before a limit."""
    return ask(own, lambda search: _BlockReader(search, like).all(before, limit))


class _BlockReader:
    """Where it has come to, and the blocks so far. Each begins where the one before it ends, so
    that it begins where an entry does."""

    def __init__(self, search: IndexSearch, like: "Like") -> None:
        self._search, self._like = search, like
        self._at = HEADER
        self._blocks: list[Block] = []

    def all(self, before: "Sequence[Block]", limit: int) -> tuple[Block, ...] | None:
        """All blocks; None where they are not all of the entries, in their order."""
        end = self._search.end()
        if not end or end >= limit:
            return None
        if len(before) > 4 + 4 * end // SIZE:  # most have shrunk
            before = ()
        for block, after in zip(before, (*before[1:], None), strict=False):
            changed = not self._is_here(block)
            if changed and after and not self._read(self._begin(after[3], block[0]) or end):
                return None
        return tuple(self._blocks) if self._read(end) and self._is_whole(end) else None

    def _is_here(self, block: Block) -> bool:
        """Whether a block that is known comes next."""
        if _digest(self._search.read(self._at, block[0])) != block[1]:
            return False
        self._blocks.append(block)
        self._at += block[0]
        return True

    def _begin(self, name: bytes, size: int) -> int | None:
        """Where an entry begins, or the first after it: so many bytes on, if none was added or
        left out."""
        if self._search.is_named(self._at + size, name):
            return self._at + size
        found = self._search.position(name)
        return found and found[0]

    def _read(self, end: int) -> bool:
        """Read new blocks up to a place; False where something else than entries is there."""
        while self._at < end:
            after = self._search.next(self._at + SIZE) if end - self._at > 2 * SIZE else None
            upto = min(after[0], end) if after else end
            data = self._search.read(self._at, upto - self._at)
            names = plain(data)
            if not names:
                return False
            found = self._like(names)
            self._blocks.append((len(data), _digest(data), len(names), names[0], names[-1], found))
            self._at += len(data)
        return True

    def _is_whole(self, end: int) -> bool:
        """Whether all entries are there, each after the one before."""
        ends = [name for block in self._blocks for name in block[3:5]]
        count = sum(block[2] for block in self._blocks)
        return self._at == end and count == self._search.count and ends == sorted(ends)


def _digest(data: bytes) -> bytes:
    made = digest.begun(digest.MUCH)
    made.update(data)
    return made.digest()
