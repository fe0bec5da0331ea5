"""Where a path finds the patterns of the classes that it may be of: by a name that it needs.

This is worked out when rules are compiled and kept with them as plain data.
"""

from execpolicy.policy.folding import fold
from execpolicy.support.path_match import is_end, key, middle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from execpolicy.model.rule import PlaceRule

    Number = tuple[int, int]
    """A declaration, and one of its patterns."""
    Filed = list[tuple[str, Number]]
    """Patterns, each with a text that some name has of every path that it matches."""
    Keys = tuple[int, "dict[str, list[Number]]", Filed, Filed, Filed, list[Number], list[Number]]
    """How many declarations there are; their patterns by a whole name, by what a name begins with,
    ends with, or has in it (`path_match.key`); those near the top; and of all of them those that a
    path fits only by its last name (`path_match.is_end`): they say nothing of what is below."""

TOPS = frozenset(("/", "~"))
"""Patterns of one path that has no name of its own, or of homes, which lie near the top."""


def keys_of(places: "Sequence[PlaceRule]") -> "Keys":
    """The keys of these declarations, each counted by its place among them."""
    exact: dict[str, list[Number]] = {}
    heads: Filed = []
    tails: Filed = []
    middles: Filed = []
    tops: list[Number] = []
    ends: list[Number] = []
    for declaration, rule in enumerate(places):
        for at, path in enumerate(rule.paths):
            number, folded = (declaration, at), fold(path)
            name, head, tail = key(folded)
            if is_end(path, name, head, tail):
                ends.append(number)
            if name:
                exact.setdefault(name, []).append(number)
            elif head or tail:
                (heads if head else tails).append((head or tail, number))
            elif path in TOPS:
                tops.append(number)
            else:
                middles.append((middle(folded), number))
    return len(places), exact, heads, tails, middles, tops, ends


def joined(every: "Sequence[Keys]") -> "Keys":
    """The keys of several rows of declarations that follow each other."""
    count, exact, heads, tails, middles, tops, ends = every[0]
    exact = {**exact}
    for more, by_name, *texts, near_top, at_end in every[1:]:
        for name, numbers in by_name.items():
            exact[name] = [*exact.get(name, ()), *_moved(numbers, count)]
        of_heads, of_tails, of_middles = (
            [(text, (n + count, at)) for text, (n, at) in filed] for filed in texts
        )
        heads, tails, middles = heads + of_heads, tails + of_tails, middles + of_middles
        tops, ends = tops + _moved(near_top, count), ends + _moved(at_end, count)
        count += more
    return count, exact, heads, tails, middles, tops, ends


def _moved(numbers: "Iterable[Number]", by: int) -> "list[Number]":
    return [(declaration + by, at) for declaration, at in numbers]
