"""A walk over all paths that patterns tell apart, the shortest first.

Patterns of paths are regular languages over names, and names are over characters. Which patterns a
path fits makes no difference, only which groups of them: what a rule says it says for each of its
patterns. So what is left of a pattern, and its group, is a place; patterns of a group that go on
alike share it, and a walk has few states.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from execpolicy.prove.inclusion.acceptors import TooHardError
from execpolicy.prove.inclusion.names import is_glob, names_of
from execpolicy.prove.side import HOME, PLACES, ROOT, directory_of
from execpolicy.support.path_match import HOMES, PathPattern, name_fits
from execpolicy.support.record import Value

MAX_STATES = 20_000
STARTS = tuple(dict.fromkeys([ROOT, HOME, "", "/tmp", "/etc", *map(directory_of, PLACES)]))  # noqa: S108
BELOW = ("**",)


class Group(Value):
    """Patterns that mean the same. `touched`: one side alone has them. `settled`: nothing that lies
    where they say that all below is meant can be looser. `tight`: what is looser where they are
    about a path, too, is so where they are not."""

    meaning: object
    touched: bool
    settled: bool = False
    tight: bool = False


class End(NamedTuple):
    """What a pattern says where it ends: of all below, or of one path.

    `group` is the number of the group. `whole`: the pattern says so itself that all below is meant,
    else only what is above may be.
    """

    group: int
    whole: bool
    below: bool


class Place:
    """What is left of a pattern: the next part, and the place after it.

    `stays`: any names may come before that part, or after the end.
    """

    __slots__ = ("ahead", "end", "group", "part", "stays", "then")

    def __init__(
        self, end: End, group: Group, part: str, stays: bool, then: "Place | None"
    ) -> None:
        self.end = end
        self.group = group
        self.part = part
        self.stays = stays
        self.then = then
        self.ahead = frozenset(() if then is None else (then,))


Places = frozenset[Place]
Ahead = dict[str, Places]
_NONE: Places = frozenset()


class Live(NamedTuple):
    """The places that stay, and all others, which are few."""

    loops: Places
    steps: Places


class Ended:
    """The ends of patterns that say something of all names that may follow."""

    __slots__ = ("ends", "wholes")

    def __init__(self, ends: frozenset[End] = frozenset()) -> None:
        self.ends = ends
        self.wholes = {end.group for end in ends if end.whole}

    def has(self, place: Place) -> bool:
        """Whether they say all that this place may come to say."""
        if place.end.group in self.wholes:
            return place.then is not None or not place.end.whole
        return place.end in self.ends and place.then is not None


class Loops:
    """What one set of places that stay says about the next name.

    `waiting` are the names that no state with these places has read for them alone.
    """

    __slots__ = (
        "_covers",
        "_narrowed",
        "after",
        "ahead",
        "ended",
        "firm",
        "is_settled",
        "is_touched",
        "places",
        "waiting",
    )

    def __init__(self, places: Places) -> None:
        self.places = places
        self.firm = _firm(places)
        self._covers: dict[Places, bool] = {}
        self._narrowed: dict[frozenset[End], tuple[Ended, Places]] = {}
        self.ahead = _ahead(places)
        self.ended = Ended(frozenset(place.end for place in places if place.then is None))
        self.is_touched = any(place.group.touched for place in places)
        self.is_settled = any(p.group.settled for p in places if p.then is None and p.end.whole)
        self.after: dict[str, Live] = {}
        self.waiting: list[str] | None = None

    def narrowed(self, ends: frozenset[End]) -> tuple[Ended, Places]:
        """All ends with some more, and the places that may come to say something else."""
        found = self._narrowed.get(ends)
        if found is None:
            ended = Ended(self.ended.ends | ends)
            found = ended, frozenset(place for place in self.places if not ended.has(place))
            self._narrowed[ends] = found
        return found

    def cover(self, others: Places) -> bool:
        """Whether all that these other places may come to say may be said here."""
        found = self._covers.get(others)
        if found is None:
            found = all(map(self.ended.has, others - self.places))
            self._covers[others] = found
        return found


class PathWalk:
    """The classes of paths by the groups of patterns that they fit."""

    def __init__(self, patterns: Iterable[tuple[str, Group]]) -> None:
        """A walk that takes too many states raises `TooHardError`."""
        self.patterns = tuple(dict.fromkeys(patterns))
        self._places: dict[tuple[End, tuple[str, ...]], Place] = {}
        self._names: dict[object, list[str]] = {}
        self._fitting: dict[str, tuple[str, ...]] = {}
        self._loops: dict[Places, Loops] = {}
        self._last: tuple[Places, Ahead] = (_NONE, {})
        self._after_path: dict[str, Live] = {}
        numbers: dict[Group, int] = {}
        texts = ((t, numbers.setdefault(g, len(numbers))) for t, g in self.patterns)
        rows = [row for text, number in texts for row in _rows(text, number)]
        self._groups = [*numbers]
        mine = {p for end, parts in rows if self._groups[end.group].touched for p in parts}
        every = {part for _, parts in rows for part in parts}
        self._globs = {part for part in every if is_glob(part)}
        self._cased = {part.swapcase() for part in mine - self._globs}
        self._literals = every - self._globs | self._cased
        self._other_case = self._cased - every
        self._first = self._joined(_NONE, frozenset(self._place(*row) for row in rows))

    def _place(self, end: End, parts: tuple[str, ...]) -> Place:
        while parts[:2] == BELOW * 2:
            parts = parts[1:]
        found = self._places.get((end, parts))
        if found is None:
            stays = parts[:1] == BELOW
            rest = parts[1:] if stays else parts
            then = self._place(end, rest[1:]) if rest else None
            found = Place(end, self._groups[end.group], rest[0] if rest else "", stays, then)
            self._places[end, parts] = found
        return found

    def classes(self, start: str) -> Iterator[str]:
        """A path of each class at or below a directory that a touched group is about, or is above
        what it is about: to remove a directory is to remove what is in it."""
        seen: set[object] = set()
        for path, live in self._paths(start):
            here = (p for p in live.loops if p.then is None or p not in self._first.loops)
            begun = frozenset(p for p in (*live.steps, *here) if p.group.touched)
            key = self._fitted(live), begun
            if (begun or path == "/") and key not in seen:
                seen.add(key)
                yield path

    def fitted(self, path: str) -> frozenset[End]:
        """The groups of patterns that are about a path, and whether they are about it alone."""
        return self._fitted(self._after_all(path))

    def _fitted(self, live: Live) -> frozenset[End]:
        exact = (place.end for place in live.steps if place.then is None)
        return frozenset((*exact, *self._of_loops(live.loops).ended.ends))

    def _paths(self, start: str) -> Iterator[tuple[str, Live]]:
        first = self._after_all(start)
        waiting, seen = deque([(first, start)]), {first}
        later: list[tuple[Live, str, str]] = []  # of a glob another case is not told apart
        least: dict[Live, list[Live]] = {}
        self._says_more(first, least)
        for loops in self._loops.values():
            loops.waiting = None
        while waiting or later:
            if waiting:
                live, path = waiting.popleft()
                yield path or "/", live
                every = [(live, path, name) for name in self._next_names(live)]
                named = [each for each in every if each[2] not in self._other_case]
                later += (each for each in every if each[2] in self._other_case)
            else:
                named, later = later, []
            for before, above, name in named:
                then = self._after(before, name)
                if then in seen or not self._is_open(then) or self._says_more(then, least):
                    continue
                seen.add(then)
                if len(seen) > MAX_STATES:
                    raise TooHardError
                waiting.append((then, f"{above}/{name}"))

    def _says_more(self, live: Live, least: dict[Live, list[Live]]) -> bool:
        """Whether the same was met with fewer of the patterns that only make paths stricter."""
        loops = self._of_loops(live.loops)
        known = least.setdefault(Live(loops.firm, _firm(live.steps)), [])
        for each in known:
            more = each.steps - live.steps
            if loops.cover(each.loops) and all(map(loops.ended.has, more)):
                return True
        known.append(live)
        return False

    def _is_open(self, live: Live) -> bool:
        """Whether something touched may be met that nothing settles."""
        loops = self._of_loops(live.loops)
        touched = loops.is_touched or any(place.group.touched for place in live.steps)
        return touched and not loops.is_settled

    def _after_all(self, path: str) -> Live:
        """The places after a path, which are kept for those beside it."""
        found = self._after_path.get(path)
        if found is None:
            directory, _, name = path.rpartition("/")
            found = self._after(self._after_all(directory), name) if name else self._first
            self._after_path[path] = found
        return found

    def _after(self, live: Live, name: str) -> Live:
        """The places after one more name."""
        parts = self._parts(name)
        steps = self._of_steps(live.steps)
        more = _NONE.union(*(steps[part] for part in parts if part in steps))
        loops = self._of_loops(live.loops)
        known = None if more else loops.after.get(name)
        if known is None:
            found = more.union(*(loops.ahead.get(part, ()) for part in parts))
            known = self._joined(live.loops, found)
            if not more:
                loops.after[name] = known
        return known

    def _parts(self, name: str) -> tuple[str, ...]:
        """The parts of patterns that a name fits."""
        found = self._fitting.get(name)
        if found is None:
            cased = [name.swapcase()] if name in self._cased else []
            globs = (part for part in self._globs if name_fits(part, name))
            found = self._fitting[name] = (*dict.fromkeys((name, *cased, *globs)),)
        return found

    def _joined(self, loops: Places, found: Places) -> Live:
        """The places that stay, with those after a name, but for what is said anyway."""
        known = self._of_loops(loops)
        stay, ended = loops, known.ended
        new = {place for place in found if place.stays} - loops
        if ends := {place.end for place in new if place.then is None}:
            ended, stay = known.narrowed(frozenset(ends))
        stay = stay.union(place for place in new if not ended.has(place))
        return Live(stay, frozenset(p for p in found if not p.stays and not ended.has(p)))

    def _of_loops(self, places: Places) -> Loops:
        found = self._loops.get(places)
        if found is None:
            found = self._loops[places] = Loops(places)
        return found

    def _of_steps(self, steps: Places) -> Ahead:
        """What is ahead of other places. The last ones are kept: many names are read there."""
        if steps is not self._last[0]:
            self._last = steps, _ahead(steps)
        return self._last[1]

    def _next_names(self, live: Live) -> Iterator[str]:
        """The names that make a difference next; those that only do so for what stays, once."""
        loops, steps = self._of_loops(live.loops), self._of_steps(live.steps)
        if not loops.is_touched:  # a name that no touched part fits leads to nothing touched
            left = sorted({p.part for p in live.steps if p.then and p.group.touched})
            if self._globs.isdisjoint(left):
                yield from dict.fromkeys((*left, *self._other_cased(left)))
                return
        if loops.waiting is None:
            loops.waiting = self._telling(loops.ahead)
        every = loops.ahead.keys() | steps.keys() if any(map(is_glob, steps)) else steps.keys()
        yield from self._telling(
            {part: loops.ahead.get(part, _NONE) | steps.get(part, _NONE) for part in every}
        )
        alone = [n for n in loops.waiting if steps.keys().isdisjoint(self._parts(n))]
        loops.waiting = [n for n in loops.waiting if n not in alone]
        yield from alone

    def _telling(self, ahead: Ahead) -> list[str]:
        """A name for each set of places that one leads to."""
        globs = {part: then for part, then in sorted(ahead.items()) if part in self._globs}
        spare = {then for then in globs.values() if all(place.group.tight for place in then)}
        alike: dict[Places, str] = {}  # names hang on which globs mean the same, not on what
        meanings = {part: alike.setdefault(then, part) for part, then in globs.items()}
        key = (*meanings.items(), *sorted(alike[then] for then in spare))
        names = self._names.get(key)
        if names is None:
            names = names_of(meanings, self._literals, {alike[then] for then in spare})
            self._names[key] = names
        literals = sorted(ahead.keys() - self._globs)
        return [*dict.fromkeys((*names, *literals, *self._other_cased(literals)))]

    def _other_cased(self, names: Iterable[str]) -> Iterator[str]:
        return (name for name in map(str.swapcase, names) if name in self._cased)


def _firm(places: Places) -> Places:
    return frozenset(place for place in places if not place.group.tight)


def _ahead(places: Iterable[Place]) -> Ahead:
    """For each part that may come next, the places after it."""
    found: Ahead = {}
    for place in places:
        if place.then is not None:
            known = found.get(place.part)
            found[place.part] = place.ahead if known is None else known | place.ahead
    return found


def _rows(text: str, group: int) -> Iterator[tuple[End, tuple[str, ...]]]:
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
        yield End(group, whole, whole), parts
        if not whole:  # what it says of a directory may hold below
            yield End(group, whole, True), (*parts, *BELOW)
    if text[:1] == "$":
        yield End(group, False, True), BELOW
