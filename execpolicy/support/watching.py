"""Whether what this process sees is noted, so that its answer can be given again.

`store.repeat.witness` notes. What is a function of its input alone, such as the evaluation of a
text by a child that sees no files, does not count: it says so here.
"""

aside = 0
"""How many parts of the program, one in the other, are not noted now."""


class Aside:
    """What happens within is not noted: it depends on nothing that could change."""

    def __enter__(self) -> None:
        global aside
        aside += 1

    def __exit__(self, *_error: object) -> None:
        global aside
        aside -= 1
