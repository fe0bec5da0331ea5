"""Which patterns give a directory its name, so that something below it may be what they say."""

from _collections_abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    Number = tuple[int, int]
    """A declaration, and one of its patterns."""


class Heads:
    """The directories in patterns, by their texts alone. Never changed once made."""

    __slots__ = ("_begun", "_inside", "_named", "_texts")

    def __init__(self, numbers: "Sequence[Number]", folded: "Sequence[str]") -> None:
        self._named: dict[str, list[Number]] = {}
        self._inside: dict[str, list[Number]] = {"*": []}
        """By the name of the directory that any name is in; `*` where that is not known."""
        self._begun: list[tuple[str, Number]] = []
        for number, text in zip(numbers, folded, strict=True):
            above = "*"
            for part in text.split("/")[:-1]:
                if "*" not in part and "?" not in part:
                    self._named.setdefault(part, []).append(number)
                elif beginning := part.partition("*")[0].partition("?")[0]:
                    self._begun.append((beginning, number))
                elif part != "**":
                    known = "*" not in above and "?" not in above
                    self._inside.setdefault(above if known else "*", []).append(number)
                above = part
        self._texts = tuple({text for text, _ in self._begun})

    def like(self, path: str) -> "list[Number]":
        """The patterns that may give the last name of a folded path to a directory, in order."""
        above, _, name = path.rpartition("/")
        found = {*self._named.get(name, ()), *self._inside["*"]}
        found.update(self._inside.get(above.rpartition("/")[2], ()))
        if name.startswith(self._texts):
            found.update([number for text, number in self._begun if name.startswith(text)])
        return sorted(found)
