"""What the words of an entry are: names that no command has, and words that a `*` begins."""

from _collections_abc import Callable

Completed = Callable[[tuple[str, ...]], tuple[str, ...] | None]

_RESERVED = "if then elif else fi for while until do done case esac in select function coproc"
RESERVED = frozenset((*_RESERVED.split(), "{", "}", "!", "[[", "]]"))
"""Words of the shell's grammar (POSIX.1-2024, 2.4 Reserved Words; bash(1)): no program has them."""


def without_variables(pattern: str) -> str:
    """The pattern without the variables that are set in front of its command.

    >>> without_variables("FOO=1 BAR=x make *"), without_variables("FOO=1")
    ('make *', '')
    """
    while _assigns(pattern):
        pattern = pattern.partition(" ")[2].lstrip()
    return pattern


def _assigns(pattern: str) -> bool:
    name, sign, _ = pattern.partition("=")
    return bool(sign) and name.isascii() and name.removesuffix("+").isidentifier()


def nothing_known(_words: tuple[str, ...]) -> tuple[str, ...] | None:
    """Of no word is known what it may begin."""
    return None
