"""What the words of an entry are: which commands they fit, names that no command has."""

from _collections_abc import Callable

from execpolicy.support.path_match import pieces_fit

Completed = Callable[[tuple[str, ...]], tuple[str, ...] | None]

PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@,+%^")
"""Characters that each shell reads as themselves, wherever they stand in a word."""
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


def fits(pattern: str, command: str) -> bool:
    """Whether a list's pattern fits a command, as the hosts have it.

    >>> [fits("ls *", c) for c in ("ls", "ls -la", "lsof")]
    [True, True, False]
    """
    if pattern.endswith(" *") and fits(pattern[:-2], command):
        return True
    return pieces_fit(pattern.split("*"), command) if "*" in pattern else pattern == command
