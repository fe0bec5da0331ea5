"""Patterns of paths: what a text such as `~/.ssh/*` or `**/*.pem` matches.

A pattern begins with `/`, with `~/` for the home of any user, with `./` for the session's root, or
with `**/` for any directory; a bare name matches in any directory. Between slashes `*` stands for
any characters of a name and `?` for one, `**` for any directories. A final `/*` is everything below
and the directory itself.
"""

from _collections_abc import Iterable, Iterator, Sequence
from posixpath import normpath

Parts = Sequence[str]

NameKey = tuple[str, str, str, str, bool]
"""What the last name of a path is like: that name, its beginning, its end, or what is in it; and
whether the name of a directory above it may be so, too."""

_SIGNS = frozenset("*?[{")
HOMES = (("home", "*"), ("Users", "*"), ("users", "*"), ("root",), ("var", "root"))
"""Where the homes of users are (hier(7); macOS, whose case does not count)."""


class PathPattern:
    """One pattern, taken apart once. `anchor` is `/`, `~`, `.` or empty for any directory."""

    __slots__ = ("_fixed", "anchor", "key", "parts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        parts = text.split("/")
        if "" in parts:
            parts = [part for part in parts if part]
        self.anchor = ""
        if text[:1] == "/":
            self.anchor = "/"
        elif parts and parts[0] in ("~", "."):
            self.anchor = parts.pop(0)
        if parts[-1:] == ["*"] and (len(parts) > 1 or self.anchor):
            parts[-1] = "**"
        self.parts = tuple(parts if self.anchor else ["**", *parts])
        self.key = _key(self.parts)
        """What some name of each path it matches is like: that name, its beginning, its end."""
        self._fixed: tuple[str, ...] | None = None

    @property
    def literal_names(self) -> tuple[str, ...]:
        """The names of a path that it matches, one after the other; empty where more are possible.

        A star at the end of a name stands for nothing, and `**` at either end is left out.
        """
        if self._fixed is None:
            names = [p if p == "*" else p.rstrip("*") for p in self.parts if p != "**"]
            known = _SIGNS.isdisjoint("".join(names))
            self._fixed = tuple(names) if known and "**" not in self.parts[1:-1] else ()
        return self._fixed

    @property
    def name_key(self) -> NameKey:
        """What the names are like of each path that it matches."""
        found = key(self.text)
        inside = "" if any(found) else middle(self.text)
        return (*found, inside, not is_end(self.text, *found))

    @property
    def last_name(self) -> str:
        """The name that a path which ends as it says must have; empty where many are possible."""
        fixed = [part for part in self.parts[-2:] if part != "**"]
        return fixed[-1] if fixed and not any(sign in fixed[-1] for sign in "*?") else ""

    def ends_like(self, names: "Parts") -> bool:
        """Whether these names, behind some that are not known, are as it says at its end.

        One name alone counts if it is hidden: `.npmrc` is one for `~/.npmrc`, `config` none.
        """
        fixed = self.parts[:-1] if self.parts[-1:] == ("**",) else self.parts
        if names[0][:1] != ".":
            fixed = fixed[:-1]
        for at, part in enumerate(fixed):
            if part[:1] != "*" and _fits(self.parts[at:], names):
                return True
        return False

    def may_lie_below(self, location: "Location") -> bool:
        """Whether something that it names may lie at a normalised path, or below it."""
        if not self.anchor or location.path[:1] != "/" or location.holds(self.anchor):
            return True
        return any(self._goes_on(names) for names in location.names_from(self.anchor))

    def _goes_on(self, names: "Parts") -> bool:
        """Whether what it says begins with these names, or is all of them."""
        for part, name in zip(self.parts, names, strict=False):
            if part == "**":
                return True
            if not name_fits(part, name):
                return False
        return len(self.parts) >= len(names)

    def fits(self, names: "Parts") -> bool:
        """Whether these names, from where it is anchored on, are what it says."""
        return _fits(self.parts, names)

    def names_above(self, location: "Location") -> bool:
        """Whether what lies below a path may be what it says by the last name of that path:
        `.vscode` of `.vscode/tasks.json`."""
        heads = [self.parts[:at] for at in range(1, len(self.parts)) if self.parts[at - 1] != "**"]
        each = location.names_from(self.anchor) if heads else ()
        return True in [_fits(head, names) for names in each for head in heads]

    def matches(self, path: str, home: str | None, root: str | None) -> bool:
        """Whether it is about this normalised path.

        `path` is absolute, or begins with `~`, or is relative to a directory that is not known:
        then it lies in the root as far as can be told.
        """
        return self.is_at(Location(path, home, root))

    def is_at(self, location: "Location") -> bool:
        """Whether it is about this path, as `matches` says."""
        for names in location.names_from(self.anchor):  # noqa: SIM110 - asked for each path
            if _fits(self.parts, names):
                return True
        return False


class Location:
    """A normalised path, whose names below each anchor are worked out once for many patterns."""

    __slots__ = ("_home", "_known", "_root", "path")

    def __init__(self, path: str, home: str | None, root: str | None) -> None:
        names = [name for name in path.split("/") if name]
        self.path, self._home, self._root = path, home, root
        self._known: dict[str, Sequence[Parts]] = {
            "": (names,),
            "/": (names,) if path[:1] == "/" else (),
        }

    def names_from(self, anchor: str) -> "Sequence[Parts]":
        """The names of the path from where an anchor stands on: one list for each home it is in."""
        if anchor not in self._known:
            (names,) = self._known[""]
            self._known[anchor] = (
                _in_homes(names, self.path[:1] == "/", self._home)
                if anchor == "~"
                else self._in_root(names)
            )
        return self._known[anchor]

    def holds(self, anchor: str) -> bool:
        """Whether the directory that an anchor stands for may lie below this one."""
        if anchor == "~":
            (names,) = self._known[""]
            if any(_fits(each[: len(names)], names) for each in HOMES if len(each) > len(names)):
                return True
        above = {"~": self._home, ".": self._root}.get(anchor, "/")
        return above is None or (above != "/" and below(above, self.path))

    def _in_root(self, names: "Parts") -> "Sequence[Parts]":
        if self.path[:1] != "/":
            return () if self.path[:1] == "~" else (names,)
        rest = _below(names, self._root)
        return () if rest is None else (rest,)


def key(text: str) -> tuple[str, str, str]:
    """What some name of each path is like that the pattern with this text matches: that name, its
    beginning, or its end. The pattern is not taken apart for it.

    A name is taken that few other paths have: a hidden one, or one that is whole. `/dev` is one of
    too many.
    """
    parts = [part for part in text.split("/") if part]
    if parts and parts[0] in ("~", ".") and text[:1] != "/":
        del parts[0]
    whole = [part for part in parts[text[:1] == "/" :] if "*" not in part and "?" not in part]
    hidden = [part for part in whole if part[:1] == "."]
    return ((hidden or whole)[-1], "", "") if whole else _key(parts)


def is_end(path: str, name: str, head: str, tail: str) -> bool:
    """Whether the last part of a pattern, and no other one, is what its key says."""
    above, _, last = path.rpartition("/")
    if name:
        return last == name
    return last == f"{head}*{tail}" and "*" not in above.removeprefix("**")


def middle(text: str) -> str:
    """A text that each path has in it that the pattern matches; empty where none is known."""
    return max((piece for part in text.split("/") for piece in _pieces(part)), key=len, default="")


def _pieces(glob: str) -> "list[str]":
    return [] if glob in (".", "~") else glob.replace("?", "*").split("*")


def normal(path: str) -> str:
    """What `posixpath.normpath` gives, which for most is the path itself.

    >>> normal("/w/a"), normal("a/./b/"), normal("")
    ('/w/a', 'a/b', '.')
    """
    plain = "//" not in path and "/." not in path and path[-1:] != "/"
    return path if plain and path[:1] not in ("", ".") else normpath(path)


def below(path: str, directory: str) -> bool:
    """Whether a normalised path is this directory or lies below it.

    >>> below("/w/a", "/w"), below("/w-other", "/w"), below("/a", "/")
    (True, False, True)
    """
    return path == directory or path.startswith(directory + "/") or directory == "/"


def and_above(path: str) -> list[str]:
    """A normalised absolute path and the directories above it, up from the path itself.

    >>> and_above("/w/a"), and_above("/")
    (['/w/a', '/w', '/'], ['/'])
    """
    found = []
    while path not in ("", "/"):
        found.append(path)
        path = path.rpartition("/")[0]
    return [*found, "/"]


def outermost(paths: "Iterable[str]") -> tuple[str, ...]:
    """Those of some normalised paths that lie below no other.

    >>> outermost(["/w/a/b", "/w/a", "/w-other"])
    ('/w/a', '/w-other')
    """
    kept: dict[str, None] = {}
    for path in sorted(set(paths), key=lambda path: path.split("/")):
        last = next(reversed(kept), "")
        if not last or not below(path, last):
            kept[path] = None
    return tuple(kept)


def _below(parts: "Parts", root: str | None) -> "Parts | None":
    """The names below the root; None where the path is not there."""
    if root is None:
        return None
    above = [part for part in root.split("/") if part]
    return parts[len(above) :] if list(parts[: len(above)]) == above else None


def _key(parts: "Parts") -> tuple[str, str, str]:
    """The last name of which something is known; all are empty where nothing is."""
    for part in reversed(parts):
        if "*" not in part and "?" not in part:
            return part, "", ""
        if part in ("*", "**"):
            continue
        head, tail = _edges(part)
        if head or tail:
            return "", head, "" if head else tail
    return "", "", ""


def _in_homes(parts: "Parts", absolute: bool, home: str | None) -> "list[Parts]":
    """The names below the home, for each home that the path lies in."""
    if not absolute:
        return [parts[1:]] if parts and parts[0][:1] == "~" else []
    found = [_below(parts, home)] if home else []
    for each in HOMES:
        if len(parts) >= len(each) and _fits(each, parts[: len(each)]):
            found.append(parts[len(each) :])
    return [rest for rest in found if rest is not None]


def _fits(pattern: "Parts", parts: "Parts", at: int = 0, start: int = 0) -> bool:
    """Whether the names from `start` on are what the pattern says from `at` on."""
    count, end = len(pattern), len(parts)
    while at < count:
        glob = pattern[at]
        at += 1
        if glob == "**":
            return at == count or _fits_later(pattern, parts, at, start)
        if start >= end or not (glob == parts[start] or name_fits(glob, parts[start])):
            return False
        start += 1
    return start == end


def _fits_later(pattern: "Parts", parts: "Parts", at: int, start: int) -> bool:
    """Whether the rest of the pattern fits from some name on."""
    if "**" not in pattern[at:]:
        last = len(parts) - (len(pattern) - at)
        return last >= start and _fits(pattern, parts, at, last)
    return (
        any(
            name_fits(pattern[at], parts[n]) and _fits(pattern, parts, at, n)
            for n in range(start, len(parts))
        )
        if pattern[at] != "**"
        else _fits(pattern, parts, at, start)
    )


def name_fits(glob: str, name: str) -> bool:
    """Whether one name of a path fits a glob of `*` and `?`.

    >>> name_fits("id_*", "id_rsa"), name_fits("*.p?m", "a.pem"), name_fits("a*b*c", "abc")
    (True, True, True)
    """
    if "*" not in glob and "?" not in glob:
        return glob == name
    if "?" not in glob:
        return pieces_fit(glob.split("*"), name)
    at, start, back, star = 0, 0, -1, -1
    while at < len(name):
        if start < len(glob) and glob[start] == "*":
            star, back = start, at
            start += 1
        elif start < len(glob) and glob[start] in ("?", name[at]):
            start, at = start + 1, at + 1
        elif star >= 0:
            back += 1
            start, at = star + 1, back
        else:
            return False
    return all(char == "*" for char in glob[start:])


def pieces_fit(pieces: "list[str]", name: str) -> bool:
    """Whether a name is these pieces, two or more, with anything between them: each is taken where
    it is first found, which leaves most to the rest."""
    first, last = pieces[0], pieces[-1]
    end = len(name) - len(last)
    at = len(first)
    if end < at or not name.startswith(first) or not name.endswith(last):
        return False
    for piece in pieces[1:-1]:
        found = name.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _edges(glob: str) -> tuple[str, str]:
    """The literal beginning and end of a glob with a sign in it."""
    plain = glob.replace("?", "*")
    return glob[: plain.find("*")], glob[plain.rfind("*") + 1 :]


_PATCH_WRITES = ("*** Add File:", "*** Update File:", "*** Move to:")
_PATCH_REMOVES = "*** Delete File:"


def named_in_patch(patch: str) -> "Iterator[tuple[str, bool]]":
    """The files that a patch in the form of `apply_patch` names, and whether it removes them
    (codex-rs/apply-patch, its README).

    A line of content that looks like a name counts too: it can only make the answer stricter.
    """
    for line in map(str.strip, patch.splitlines()):
        for mark in (*_PATCH_WRITES, _PATCH_REMOVES):
            if line.startswith(mark):
                yield line[len(mark) :].strip(), mark == _PATCH_REMOVES
