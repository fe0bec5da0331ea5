"""opencode's configuration as rules."""

from collections.abc import Iterable
from typing import TypeVar

from execpolicy.approvals.opencode.rules import Rule

Patterns = str | Iterable[tuple[str, str]]
T = TypeVar("T")

_MAX_INDEX = 2**32 - 1


def from_config(config: Iterable[tuple[str, Patterns]], home: str) -> tuple[Rule, ...]:
    """The rules of a `permission` object, given as pairs in the order of the file.

    A text stands for the pattern `*`. As in every JavaScript object, keys that look like integers
    come first, and a key that is given again keeps its first place.

    >>> from_config([("bash", [("~/bin/*", "allow")])], "/home/u")[0].pattern
    '/home/u/bin/*'
    """
    rules: list[Rule] = []
    for permission, said in _ordered(config):
        if isinstance(said, str):
            rules.append(Rule(permission, "*", said))
        else:
            for pattern, action in _ordered(said):
                rules.append(Rule(permission, expand(pattern, home), action))
    return tuple(rules)


def _ordered(pairs: Iterable[tuple[str, T]]) -> list[tuple[str, T]]:
    """The pairs in the order in which JavaScript has the keys of an object."""
    found = dict(pairs)
    numbers = sorted((key for key in found if _is_index(key)), key=int)
    return [(key, found[key]) for key in (*numbers, *(k for k in found if k not in numbers))]


def _is_index(key: str) -> bool:
    plain = key.isascii() and key.isdigit() and (key == "0" or key[0] != "0")
    return plain and int(key) < _MAX_INDEX


def expand(pattern: str, home: str) -> str:
    """The pattern with the home directory in the place of a leading `~/`, `~` alone or `$HOME`.

    >>> expand("$HOMEx", "/home/u"), expand("~user/x", "/home/u")
    ('/home/ux', '~user/x')
    """
    if pattern == "~" or pattern.startswith("~/"):
        return home + pattern[1:]
    return home + pattern[5:] if pattern.startswith("$HOME") else pattern
