"""What a script does, as its reader says it."""

from execpolicy.model.operation import Access, Variable

LONGEST = 20_000

Effect = tuple[str, str, Access | Variable | None]
"""An effect, the reason in words, and the file or variable it is about. For SHELL the words are a
script."""

SHELL = "shell"
"""Stands for all effects of a text that `sh` runs."""


def listed(words: str) -> frozenset[str]:
    """The words of a list with spaces between them."""
    return frozenset(words.split())
