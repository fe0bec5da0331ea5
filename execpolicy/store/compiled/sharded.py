"""Prefix rules of any number, kept so that a process reads those of the programs it is asked about.

The rules are cut into chunks, and the trie into shards by the first word of a pattern. Each is a
blob of its own. Few rules stay in one piece.
"""

import marshal

from execpolicy.support import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.catalogue.catalogue import Blobs
    from execpolicy.policy.packed_rules import Data, Row, Rows
    from execpolicy.policy.prefix_index import Edges, Node, Trie

MAX_WHOLE = 128
"""Rules that are kept in one piece."""
CHUNK = 16
SHARDS = 256
_FORM = 2  # of marshal, which every Python reads


def split(
    rows: "Rows", exact: "Edges", folded: "Edges", first: int
) -> "tuple[object, list[bytes]]":
    """The rules and their tries as plain data, and blobs, of which the first has number `first`."""
    if len(rows) <= MAX_WHOLE:
        return (list(rows), _whole(exact), _whole(folded)), []
    every = list(rows)
    chunks = [every[at : at + CHUNK] for at in range(0, len(every), CHUNK)]
    caseless = bool(dict(folded.items()))
    shards = [*_shards(exact), *(_shards(folded) if caseless else ())]
    blobs = [marshal.dumps(piece, _FORM) for piece in (*chunks, *shards)]
    return (len(every), first, caseless, None), blobs


def join(data: object, blobs: "Blobs") -> "Data":
    """The rules and their tries again. Raises `TypeError` or `ValueError` for wrong data."""
    if not isinstance(data, tuple):
        raise TypeError("not a table of rules")
    count, first, caseless, _ = data
    tries = first + (count + CHUNK - 1) // CHUNK
    rows = ManyRows(blobs, first, count)
    return rows, ShardedNode(blobs, tries), ShardedNode(blobs, tries + SHARDS) if caseless else {}


def _shards(edges: "Edges") -> "list[Trie]":
    shards: list[Trie] = [{} for _ in range(SHARDS)]
    for token, child in edges.items():
        shards[_shard(token)][token] = child
    return shards


def _shard(token: str) -> int:
    return digest.checksum(token.encode("utf-8", "surrogatepass")) % SHARDS


def _whole(edges: "Edges") -> "Trie":
    return dict(edges.items())


class ManyRows:
    """The rules by number. Raises `LookupError` for one that is damaged."""

    __slots__ = ("_blobs", "_count", "_first", "_read")

    def __init__(self, blobs: "Blobs", first: int, count: int) -> None:
        self._blobs = blobs
        self._first = first
        self._count = count
        self._read: dict[int, list[Row]] = {}

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> "Row":
        if not 0 <= number < self._count:
            raise IndexError("no such rule")
        chunk, place = divmod(number, CHUNK)
        if chunk not in self._read:
            self._read[chunk] = marshal.loads(self._blobs[self._first + chunk])  # noqa: S302
        return self._read[chunk][place]

    def __iter__(self) -> "Iterator[Row]":
        return (self[number] for number in range(self._count))


class ShardedNode:
    """The root of a trie, read by the first word. Raises `LookupError` for a damaged shard."""

    __slots__ = ("_blobs", "_first", "_read")

    def __init__(self, blobs: "Blobs", first: int) -> None:
        self._blobs = blobs
        self._first = first
        self._read: dict[int, Trie] = {}

    def _of(self, number: int) -> "Trie":
        if number not in self._read:
            self._read[number] = marshal.loads(self._blobs[self._first + number])  # noqa: S302
        return self._read[number]

    def get(self, token: str, /) -> "Node | None":
        """What is below a first word."""
        return self._of(_shard(token)).get(token)

    def __contains__(self, token: object) -> bool:
        return isinstance(token, str) and token in self._of(_shard(token))

    def items(self) -> "Iterator[tuple[str, Node]]":
        """Every first word with what is below it."""
        for number in range(SHARDS):
            yield from self._of(number).items()

    def __len__(self) -> int:
        return sum(len(self._of(number)) for number in range(SHARDS))

    def __bool__(self) -> bool:
        return True  # an empty one is a plain dictionary
