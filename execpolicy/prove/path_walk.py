"""A walk over all paths that patterns tell apart, the shortest first.

Patterns of paths are regular languages over names, and names are over characters. Which patterns a
path fits makes no difference, only which groups of them: what a rule says it says for each of its
patterns. So a group that all further names stay in is one state, and a walk has few.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from execpolicy.prove.inclusion.machine import TooHardError
from execpolicy.prove.names import is_glob, names_of
from execpolicy.prove.side import HOME, PLACES, ROOT, directory_of
from execpolicy.support.path_match import HOMES, PathPattern, name_fits
from execpolicy.support.record import Value

Places = frozenset[tuple[int, int]]
"""For rows that still may fit, how many of their parts were read."""
Parts = tuple[frozenset[str], frozenset[str]]

MAX_STATES = 20_000
STARTS = tuple(dict.fromkeys(["", HOME, ROOT, *map(directory_of, PLACES)]))
BELOW = ("**",)


class Group(Value):
    """Patterns that mean the same. `touched`: one side alone has them. `settled`: nothing that lies
    where they say that all below is meant can be looser."""

    meaning: object
    touched: bool
    settled: bool = False


class Row(Value):
    """One way to read a pattern: the parts of a path from the top of the file system on.

    `whole`: the pattern says so itself that all below is meant, else only what is above may be.
    """

    parts: tuple[str, ...]
    group: Group
    whole: bool


class Live(NamedTuple):
    """The places in front of a `**`, which stay, and all others, which are few."""

    loops: Places
    steps: Places

    @property
    def places(self) -> Places:
        """All of them."""
        return self.loops | self.steps


class Loops:
    """What one set of places in front of a `**` says about the next name."""

    __slots__ = ("after", "globs", "gone", "is_settled", "is_touched", "literals")

    def __init__(self, parts: Parts, groups: Iterable[Group], ended: Iterable[Row]) -> None:
        self.literals, self.globs = parts
        self.is_touched = any(group.touched for group in groups)
        self.is_settled = any(row.group.settled and row.whole for row in ended)
        self.gone: frozenset[int] = frozenset()
        self.after: dict[str, Places] = {}


class PathWalk:
    """The classes of paths by the groups of patterns that they fit."""

    def __init__(self, patterns: Iterable[tuple[str, Group]]) -> None:
        """A walk that takes too many states raises `TooHardError`."""
        self.rows: list[Row] = []
        self._letters: dict[object, tuple[str, ...]] = {}
        for text, group in dict.fromkeys(patterns):
            self.rows += _rows(text, group)
        self._add_ends()
        mine = [row for row in self.rows if row.group.touched]
        self._cased = {p.swapcase() for r in mine for p in r.parts if not is_glob(p)}
        self._loops: dict[Places, Loops] = {}
        first = ((n, 0) for n in range(len(self.rows)) if n not in self._replaced)
        self._first = self._joined(frozenset(), self._open(first))
        self._last: tuple[str, Live] = ("", self._first)

    def _add_ends(self) -> None:
        """A row for each group that all below stays in, which stands for all others of it."""
        kinds = [(row.group, row.whole) for row in self.rows if row.parts[-1:] == BELOW]
        ends = {kind: len(self.rows) + at for at, kind in enumerate(dict.fromkeys(kinds))}
        self._end_of = {n: ends.get((r.group, r.whole), -1) for n, r in enumerate(self.rows)}
        self._replaced: dict[int, frozenset[int]] = {}
        for (group, whole), end in ends.items():
            rows = [n for n, row in enumerate(self.rows[: len(self._end_of)]) if row.group == group]
            below = [n for n in rows if whole or self.rows[n].parts[-1:] == BELOW]
            self._replaced[end] = frozenset(n for n in below if whole or not self.rows[n].whole)
            self.rows.append(Row(BELOW, group, whole))
        self._end_of |= {end: end for end in self._replaced}

    def classes(self, start: str) -> Iterator[str]:
        """A path of each class at or below a directory that a touched group is about, or is above
        what it is about: to remove a directory is to remove what is in it."""
        seen: set[object] = set()
        for path, live in self._paths(start):
            begun = ((n, at) for n, at in live.steps if at and self.rows[n].group.touched)
            key = self._fitted(live), frozenset(begun)
            if key[1] and key not in seen:
                seen.add(key)
                yield path

    def fitted(self, path: str) -> frozenset[object]:
        """The groups of patterns that are about a path, and whether they are about it alone."""
        return self._fitted(self._after_all(path))

    def _fitted(self, live: Live) -> frozenset[object]:
        rows = (self.rows[n] for n, at in live.steps if at == len(self.rows[n].parts))
        return frozenset((row.group, row.whole, row.parts[-1:] == BELOW) for row in rows)

    def _paths(self, start: str) -> Iterator[tuple[str, Live]]:
        first = self._after_all(start)
        waiting, seen = deque([(first, start)]), {first}
        while waiting:
            live, path = waiting.popleft()
            yield path or "/", live
            for name in self._next_names(live):
                then = self._after(live, name)
                if then in seen or not self._is_open(then):
                    continue
                seen.add(then)
                if len(seen) > MAX_STATES:
                    raise TooHardError
                waiting.append((then, f"{path}/{name}"))

    def _is_open(self, live: Live) -> bool:
        """Whether something touched may be met that nothing settles."""
        loops = self._of_loops(live.loops)
        touched = loops.is_touched or any(self.rows[n].group.touched for n, _ in live.steps)
        return touched and not loops.is_settled

    def _after_all(self, path: str) -> Live:
        """The states after a path; those of its directory are known from the one before."""
        if not path.strip("/"):
            return self._first
        directory, _, name = path.rpartition("/")
        known, live = self._last
        if known != directory:
            live = self._after_all(directory)
            self._last = directory, live
        return self._after(live, name)

    def _after(self, live: Live, name: str) -> Live:
        """The states after one more name."""
        loops = self._of_loops(live.loops)
        found = loops.after.get(name)
        if found is None:
            found = loops.after[name] = self._open(self._read(live.loops, name))
        more = self._open(self._read(live.steps, name)) if live.steps else found
        return self._joined(live.loops, found | more)

    def _read(self, places: Places, name: str) -> Iterator[tuple[int, int]]:
        for number, at in places:
            parts = self.rows[number].parts
            while at < len(parts) and parts[at] == "**":
                at += 1  # what follows a star for names may come at once
            if at < len(parts) and self._fits(parts[at], name):
                yield number, at + 1

    def _fits(self, part: str, name: str) -> bool:
        return name_fits(part, name) or (name in self._cased and part == name.swapcase())

    def _open(self, places: Iterable[tuple[int, int]]) -> Places:
        """With what `**` reaches without a name; a group that all below stays in only as that."""
        found = set(places)
        for number, at in tuple(found):
            parts = self.rows[number].parts
            while at < len(parts) and parts[at] == "**":
                if at == len(parts) - 1:
                    number = self._end_of[number]
                    found.add((number, 0))
                    at = 0
                at += 1
                found.add((number, at))
                parts = self.rows[number].parts
        return frozenset(found)

    def _joined(self, loops: Places, found: Places) -> Live:
        """The places after a name, with those that stay."""
        new = frozenset(place for place in found if self._is_loop(place))
        stay = loops if new <= loops else loops | new
        gone = self._of_loops(stay).gone
        if gone and new:
            stay = frozenset(place for place in stay if place[0] not in gone)
        ends = ((n, 1) for n, _ in stay if n in self._replaced)
        steps = (p for p in (*found, *ends) if p not in new and p[0] not in gone)
        return Live(stay, frozenset(steps))

    def _is_loop(self, place: tuple[int, int]) -> bool:
        number, at = place
        return self.rows[number].parts[at : at + 1] == BELOW

    def _of_loops(self, loops: Places) -> Loops:
        found = self._loops.get(loops)
        if found is None:
            groups = (self.rows[n].group for n, _ in loops)
            ends = [n for n, _ in loops if n in self._replaced]
            found = Loops(self._parts(loops), groups, (self.rows[n] for n in ends))
            found.gone = frozenset(n for end in ends for n in self._replaced[end])
            self._loops[loops] = found
        return found

    def _parts(self, places: Places) -> Parts:
        """The literals and the globs that the next name is compared with."""
        found = set()
        for number, at in places:
            rest = (part for part in self.rows[number].parts[at:] if part != "**")
            found.add(next(rest, "**"))
        found.discard("**")
        globs = frozenset(filter(is_glob, found))
        return frozenset(found) - globs, globs

    def _next_names(self, live: Live) -> tuple[str, ...]:
        """The names that make a difference next."""
        loops = self._of_loops(live.loops)
        literals, globs = self._parts(live.steps)
        literals, globs = literals | loops.literals, globs | loops.globs
        key = literals, globs
        found = self._letters.get(key)
        if found is None:
            cased = {p.swapcase() for p in literals} & self._cased - literals
            names = names_of(sorted(globs), literals | cased)
            found = self._letters[key] = (*names, *sorted(literals), *sorted(cased))
        return found


def _rows(text: str, group: Group) -> Iterator[Row]:
    """The names of a pattern from the top of the file system on; `~` is each home."""
    pattern = PathPattern(text)
    tops: tuple[tuple[str, ...], ...] = ((),)
    if pattern.anchor == "~":
        tops = (tuple(HOME.split("/")[1:]), *HOMES)
    elif pattern.anchor == ".":
        tops = (tuple(ROOT.split("/")[1:]),)
    for top in tops:
        parts = (*top, *pattern.parts)
        whole = parts[-1:] == BELOW
        yield Row(parts, group, whole)
        if not whole:
            yield Row((*parts, *BELOW), group, whole)  # what it says of a directory may hold below
    if text[:1] == "$":
        yield Row(BELOW, group, False)
