"""Whether what this thread sees is noted, so that its answer can be given again.

`store.repeat.witness` notes. What is a function of its input alone, such as the evaluation of a
text by a child that sees no files, does not count: it says so here. So does a part of the program
that tells itself what it depends on, by `tell`.
"""

from _thread import _local  # `threading` itself imports more

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    Told = str | int | tuple[str, ...] | tuple[tuple[str, bool, bool], ...] | None

    class Noting(Protocol):
        """Who takes note (`store.repeat.witness`)."""

        def note(self, kind: str, path: object, seen: "Told") -> None:
            """Something was seen."""

        def wrote(self, path: str, line: str, max_bytes: int) -> None:
            """A line goes to a log."""

        def happened(self, event: str, arguments: "tuple[object, ...]") -> None:
            """The interpreter tells of something."""


class _Here(_local):
    """What holds for this thread.

    `aside`: how many parts of the program, one in the other, are not noted now. `never_again`: what
    is answered stands for more than its words: something was done, too. `witness`: who takes note,
    while a caller does.
    """

    aside = 0
    never_again = False
    witness: "Noting | None" = None


here = _Here()


class Aside:
    """What happens within is not noted: it depends on nothing that could change, or tells it."""

    def __enter__(self) -> None:
        here.aside += 1

    def __exit__(self, *_error: object) -> None:
        here.aside -= 1


def tell(kind: str, path: str, seen: "Told") -> None:
    """Say what a look of this kind gives from now on: what was read, or what was written."""
    if here.witness is not None:
        here.witness.note(kind, path, seen)
