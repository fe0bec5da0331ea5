"""Whether what this process sees is noted, so that its answer can be given again.

`store.repeat.witness` notes. What is a function of its input alone, such as the evaluation of a
text by a child that sees no files, does not count: it says so here. So does a part of the program
that tells itself what it depends on, by `tell`.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

aside = 0
"""How many parts of the program, one in the other, are not noted now."""

never_again = False
"""Whether the answer of this process stands for more than its words: it did something, too."""

told: "Callable[[str, str, str | None], None] | None" = None
"""What takes note of what is told, while somebody does."""


class Aside:
    """What happens within is not noted: it depends on nothing that could change, or tells it."""

    def __enter__(self) -> None:
        global aside
        aside += 1

    def __exit__(self, *_error: object) -> None:
        global aside
        aside -= 1


def tell(kind: str, path: str, seen: "str | None") -> None:
    """Say what a look of this kind gives from now on: what was read, or what was written."""
    if told is not None:
        told(kind, path, seen)
