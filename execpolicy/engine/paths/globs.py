"""Globs of a command line: what they match, and which fixed names they could match."""

from _collections_abc import Sequence

from execpolicy.places.resolver import Resolver
from execpolicy.support.path_match import HOMES, PathPattern, name_fits, normal

MAX_MATCHES = 2000
_SIGNS = frozenset("*?[{")


def is_glob(path: str) -> bool:
    """Whether a shell would look for files with this text, or write several words for it."""
    return not _SIGNS.isdisjoint(path)


def expand(path: str, resolver: "Resolver", dots: bool = False) -> tuple[str, ...] | None:
    """The files that an absolute glob matches. None where that cannot be known.

    `dots`: hidden names need no dot to be matched (`dotglob`).

    Braces and brackets match more here than in a shell, which only makes an answer stricter.
    """
    opening = path.find("{")
    if opening >= 0:
        if "/" in path[opening : path.rfind("}")]:
            return None
        dots = dots or _begins_hidden(path)
    found = [""]
    for part in _simple(path).split("/")[1:]:
        if part in ("", ".", ".."):
            found = [f"{at}/{part}" for at in found]
            continue
        deeper: list[str] = []
        for at in found:
            if len(deeper) > MAX_MATCHES:
                return None
            if not is_glob(part):
                deeper.append(f"{at}/{part}")
                continue
            names = resolver.names(at or "/")
            if names is None and resolver.kind(at or "/") in ("directory", "unknown"):
                return None
            deeper += [f"{at}/{name}" for name in names or () if _matches(part, name, dots)]
        found = deeper
        if len(found) > MAX_MATCHES:
            return None
    return tuple(path for path in found if resolver.kind(path) != "missing")


def literal_directory(path: str) -> str:
    """The directory in which a glob begins to look."""
    at = min(at for at, char in enumerate(path) if char in _SIGNS)
    return path[: path.rfind("/", 0, at) + 1] or "."


class Glob:
    """A glob taken apart once, to be held against many patterns."""

    __slots__ = ("_parts", "dots", "edges", "lengths")

    def __init__(self, path: str, home: str | None, root: str | None) -> None:
        self.dots = _begins_hidden(path)
        """Whether it may match a hidden name with no dot of its own."""
        self._parts = [part for part in _simple(normal(path)).split("/") if part]
        self.edges = [_edges(part) for part in self._parts]
        """How each part begins and ends."""
        self.lengths = _lengths(self._parts, path, home, root)
        """How many of its last parts may stand where a pattern begins, by its anchor."""

    def could_be(self, pattern: PathPattern) -> bool:
        """Whether it could match a name that a pattern holds fixed: `.e*` and `**/.env`."""
        fixed, open_end = pattern.literal_names, pattern.parts[-1] == "**"
        for length in self.lengths[pattern.anchor] if fixed else ():
            fits = length >= len(fixed) if open_end else length == len(fixed)
            if fits and _aligned(self._parts[-length:], fixed, self.dots):
                return True
        return False


def _edges(part: str) -> tuple[str, str | None]:
    signs = [at for at, char in enumerate(part) if char in _SIGNS]
    return (part[: signs[0]], part[signs[-1] + 1 :]) if signs else (part, None)


def _lengths(
    parts: list[str], path: str, home: str | None, root: str | None
) -> "dict[str, set[int]]":
    count, is_absolute = len(parts), path[:1] == "/"
    below = {count - len(each) for each in HOMES if is_absolute and parts[:1] == [each[0]]}
    if path[:1] == "~":
        below.add(count - 1)
    elif home and path.startswith(home + "/"):
        below.add(count - len([p for p in home.split("/") if p]))
    every = {*range(1, count + 1)}
    in_root = {count - root.count("/")} if root and path.startswith(root + "/") else every
    return {"": every, "/": {count} if is_absolute else set(), "~": below, ".": in_root}


def _aligned(parts: "Sequence[str]", fixed: "Sequence[str]", dots: bool) -> bool:
    for part, name in zip(parts, fixed, strict=False):
        if part != name and not (is_glob(part) and _matches(part, name, dots)):
            return False
    return True


def _matches(glob: str, name: str, dots: bool = False) -> bool:
    """As a shell does by default: a leading dot must be matched by one (bash manual, 3.5.8)."""
    return (dots or name[:1] != "." or glob[:1] == ".") and name_fits(glob, name)


def _begins_hidden(path: str) -> bool:
    """Whether a part of a brace begins with the dot that a hidden name has."""
    return "{." in path or ",." in path


def _simple(path: str) -> str:
    """The glob with each bracket as one character and each brace as any text."""
    for opening, closing, mark in (("[", "]", "?"), ("{", "}", "*")):
        while (at := path.find(opening)) >= 0:
            end = path.find(closing, at + 2)
            path = path[:at] + mark + (path[end + 1 :] if end > 0 else "*")
    return path
