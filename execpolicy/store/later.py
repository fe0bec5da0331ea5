"""Values that stay plain data until somebody asks: most processes ask about one command and end."""

import marshal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any


class Later:
    """A tuple of values that is read from its bytes when it is first looked at."""

    __slots__ = ("_data", "_found", "_read")

    def __init__(self, data: bytes, read: "Callable[[Any], tuple[Any, ...]]") -> None:
        self._data = data
        self._read = read
        self._found: tuple[Any, ...] | None = None

    @property
    def values(self) -> "tuple[Any, ...]":
        """The values themselves."""
        if self._found is None:
            self._found = self._read(marshal.loads(self._data))  # noqa: S302 — checked as a whole
        return self._found

    def __iter__(self) -> "Iterator[Any]":
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, number: "Any") -> "Any":
        return self.values[number]

    def __eq__(self, other: object) -> bool:
        return self.values == (other.values if isinstance(other, Later) else other)

    def __hash__(self) -> int:
        return hash(self.values)

    def __repr__(self) -> str:
        return repr(self.values)


class Joined:
    """Several sequences as one, looked at when somebody iterates."""

    __slots__ = ("_parts",)

    def __init__(self, parts: "Sequence[Sequence[Any]]") -> None:
        self._parts = tuple(parts)

    def __iter__(self) -> "Iterator[Any]":
        for part in self._parts:
            yield from part

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def __getitem__(self, number: "Any") -> "Any":
        return tuple(self)[number]

    def __eq__(self, other: object) -> bool:
        return tuple(self) == (tuple(other) if isinstance(other, Joined) else other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))
