"""Paths of which a part is computed, and globs on names."""

import posixpath

from execpolicy.engine.paths.globs import is_glob
from execpolicy.model.operation import Dynamic
from execpolicy.support.path_match import name_fits, normal

COMPUTED = ("$", "`", "…", "{}")
"""What a part of a path that is computed begins with."""

_SPLIT = str.maketrans(dict.fromkeys("\"';|&()<>=:,`\t\n{}", " "))
_JOIN = str.maketrans({**dict.fromkeys("\"'\\"), **dict.fromkeys(";|&<>=`\t\n", " ")})


def words(text: str) -> list[str]:
    """The names in some words, whatever they are for: what quotes hold, and what it is a part of.

    >>> words("cat ~/'.x'")
    ['cat', '~/', '.x', '~/.x']
    """
    found = text.translate(_SPLIT).split()
    if any(sign in text for sign in "\"'{\\"):
        found += text.replace("$'", "'").replace('$"', '"').translate(_JOIN).split()
    return list(dict.fromkeys(found))


def start(path: str) -> int:
    """Where the first part that is computed begins; 0 where none is."""
    return min([path.find(sign) for sign in COMPUTED if sign in path], default=0)


def stand_in(path: str) -> str:
    """The path with some name in the place of what is computed: `$d/.env` is `x/.env`."""
    return _apart(path)[0]


def end_of_computed(path: str, at: int) -> int:
    """Where an expansion that begins here ends."""
    if path[at] == "`":
        return (path.find("`", at + 1) + 1) or len(path)
    if path[at] != "$":
        return at + (1 if path[at] == "…" else 2)
    pairs = {"{": "}", "(": ")"}
    opening = path[at + 1 : at + 2]
    if opening in pairs:
        depth, end, length = 0, at + 1, len(path)
        while end < length:
            depth += (path[end] == opening) - (path[end] == pairs[opening])
            end += 1
            if depth == 0:
                break
        return end
    rest = path[at + 1 :]
    name = next((n for n, c in enumerate(rest) if not (c == "_" or c.isalnum())), len(rest))
    return at + 1 + (name or 1)


def is_computed(word: Dynamic, path: str) -> bool:
    """Whether more of a word is computed than the home, the directory, or what a glob matches."""
    if True in [sign in path for sign in COMPUTED]:
        return True
    return not (is_glob(path) or path[:1] in "~.") and word.source.strip("\"'") == path


def after_computed(path: str) -> str:
    """The literal end of a path after what is computed in it."""
    return _apart(path)[1]


def _apart(path: str) -> tuple[str, str]:
    """A path with a name for what is computed in it, and its literal end after that."""
    made, at, end, length = "", 0, 0, len(path)
    while at < length:
        if path[at] in "$`…" or path[at : at + 2] == "{}":
            at = end = end_of_computed(path, at)
            made += "x"
        else:
            made += path[at]
            at += 1
    return normal(made or "x"), path[end:]


def tail(path: str) -> str:
    """The literal end of a path after what is computed in it, from a slash on."""
    tail = after_computed(path)
    return tail if tail[:1] == "/" and not is_glob(tail) and ".." not in tail else ""


SPLITTING = frozenset(" \t\n\r\v\f'\"\\*?[")
_APART = str.maketrans(dict.fromkeys("'\"\\", " "))
_GONE = str.maketrans(dict.fromkeys("'\"\\"))


def is_taken_apart(path: str) -> bool:
    """Whether a printed name may be several words, or another, for what takes it."""
    return not SPLITTING.isdisjoint(path)


def pieces(path: str, start: str) -> frozenset[str]:
    """What the printed name of a path below `start` is for a shell or `xargs` that takes it apart.

    Of `a .env` that is also `.env`; nothing for a path that stays whole.
    """
    if not is_taken_apart(path):
        return frozenset()
    name = posixpath.relpath(path, start)
    return frozenset([*name.translate(_APART).split(), *name.translate(_GONE).split()])


def all_fit(globs: tuple[str, ...], path: str) -> bool:
    """Whether the last name of a path fits each glob, whatever its case."""
    name = path.rpartition("/")[2].lower()
    return all(name_fits(glob.lower(), name) for glob in globs)


def meet(one: str, other: str) -> bool:
    """Whether some name may fit both globs: their literal beginnings and ends do not exclude it."""
    first, last = one.replace("?", "*").split("*"), other.replace("?", "*").split("*")
    if len(first) == 1 or len(last) == 1:
        return name_fits(one, other) or name_fits(other, one)
    (head, *_, tail), (other_head, *_, other_tail) = first, last
    begins = head.startswith(other_head) or other_head.startswith(head)
    return begins and (tail.endswith(other_tail) or other_tail.endswith(tail))
