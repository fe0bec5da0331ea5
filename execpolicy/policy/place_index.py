"""Which classes a path has, by the `place(...)` declarations of all layers.

The classes that are laid over a path tighten, so paths are compared folded: without case, without
trailing dots and blanks, a backslash as a slash.
"""

from execpolicy.model.rule import CHANGED, ON_PATH, OVERLAYS, READ, SHRINKABLE, PlaceRule
from execpolicy.policy.folding import fold, folded_all
from execpolicy.support.path_match import HOMES, Location, PathPattern
from execpolicy.support.resources import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from execpolicy.policy.base_places import BasePlaces
    from execpolicy.policy.heads import Heads
    from execpolicy.policy.literal_names import LiteralNames
    from execpolicy.policy.name_search import NameSearch, PathNames
    from execpolicy.policy.place_keys import Keys, Number
    from execpolicy.support.path_match import NameKey

    Declared = tuple[PlaceRule, tuple[PathPattern, ...], tuple[PathPattern, ...]]
    Like = tuple[frozenset[Number], tuple[str, ...]]
    """The patterns that a name may belong to, and the names that it may be a copy of."""

    TakesApart = Callable[[Sequence[str]], PathNames]


MAX_NAMES = 4096
"""Names of paths about which is kept what they are like. Beyond, all of them are forgotten."""
MANY = 512
"""Paths that are looked at together."""
_CLASSES = tuple(sorted(CHANGED))
_NONE = frozenset[str]()
_SHIPPED = frozenset(("builtin",))
_PLAIN: "Like" = (frozenset(), ())
_UNLIKE: "tuple[frozenset[Number], bool]" = (frozenset(), False)
"""Of names that are like none of a class."""
_ROOTED = ("/", "~")
HOME_DEPTH = max(map(len, HOMES))
"""Slashes of the deepest path that is a home."""


class PlaceIndex:
    """The declarations, taken apart. Never changed once made; safe to share between threads."""

    def __init__(self, rules: "Iterable[PlaceRule]" = (), keys: "Iterable[Keys]" = ()) -> None:
        """`keys` are those of the first declarations, as `place_keys.keys_of` gave them."""
        every = tuple(rules)
        self.first_keys = keys
        self.rules = tuple(rule for rule in every if rule.place in OVERLAYS)
        self._base_rules = tuple(rule for rule in every if rule.place not in OVERLAYS)
        self._bases: BasePlaces | None = None
        self._made = False
        self._above_all: Heads | None = None
        self._fixed: LiteralNames | None = None
        self._search: NameSearch | None = None
        self._packed: tuple[str, ...] | None = None
        self.below: dict[object, tuple[NameKey, ...]] = {}
        """What names of classes below a directory were lately found to be like."""
        self.classes: tuple[str, ...] = _CLASSES
        self.sought: tuple[str, ...] = tuple(READ)
        """Classes of which something may lie anywhere in a tree that is not looked through."""

    @property
    def bases(self) -> "BasePlaces":
        """The declarations of base classes."""
        if self._bases is None:
            from execpolicy.policy.base_places import BasePlaces

            self._bases = BasePlaces(self._base_rules)
        return self._bases

    def of(self, path: str, home: str | None, root: str | None) -> "list[PlaceRule]":
        """The declarations about a normalised path, the first of each class.

        `path` is absolute, begins with `~`, or is relative to a directory that is not known.
        """
        if not self.rules:
            return []
        if not self._made:
            self._make()
        folded = fold(path)
        numbers, may_be_copy = self._like_names_of(folded)
        if self._tops and self._is_near_top(folded, home):
            numbers |= self._tops
        found = self._of(folded, numbers, home, root) if numbers else []
        if not may_be_copy:
            return found
        if not any(rule.place in READ for rule in found):
            for original in self._originals(folded):
                numbers, _ = self._like_names_of(original)
                rules = self._of(original, numbers, home, root)
                found += (rule for rule in rules if rule.place in READ)
        return found

    def _originals(self, path: str) -> "Iterator[str]":
        """The paths of which this one may be a copy, by one of its names."""
        names = path.split("/")
        for at, name in enumerate(names):
            for other in self._like(name)[1]:
                yield "/".join((*names[:at], other, *names[at + 1 :]))

    def _of(
        self, folded: str, numbers: "frozenset[Number]", home: str | None, root: str | None
    ) -> "list[PlaceRule]":
        location = Location(folded, self._folded(home), self._folded(root))
        found: dict[str, PlaceRule] = {}
        for number, at in sorted(numbers):
            rule = self.rules[number]
            if rule.place in found or not self._pattern(number, at).is_at(location):
                continue
            if True not in [p.is_at(location) for p in self._exceptions(number)]:
                found[rule.place] = rule
        return [r for r in found.values() if not self._is_shrunk(r.place, location)]

    def near(self, path: str) -> tuple[PathPattern, ...]:
        """The patterns that some name of a path, or of what it may be a copy of, is like: of a path
        that has it for an end each pattern that matches is one of these, or is near the rest."""
        if not self._made:
            self._make()
        folded = fold(path)
        found: set[Number] = {*self._tops}
        for each in (folded, *self._originals(folded)):
            found |= self._like_names_of(each)[0]
        return tuple(self._pattern(*number) for number in sorted(found))

    def counted(self, mode: str, extent: str) -> frozenset[str]:
        """The classes that count for an access: no name of a file is a secret."""
        if extent == "names" or mode == "execute":
            return _NONE
        return READ if mode == "read" else CHANGED

    def telling(
        self, paths: "Sequence[str]", taken_apart: "TakesApart | None" = None
    ) -> "Iterator[str]":
        """Those of many normalised paths that may be of a class, in their order: few are. What a
        directory is like is asked once for all that is in it."""
        if not self.rules:
            return
        if not self._made:
            self._make()
        if len(paths) > MANY:
            yield from self._telling_of_many(paths, taken_apart)
            return
        directory, near, above, names = "", bool(self._tops), _UNLIKE, self._names
        for path, folded in zip(paths, folded_all(paths), strict=True):
            parent, _, name = folded.rpartition("/")
            if parent != directory:
                directory, above = parent, self._like_above(parent)
                near = bool(self._tops) and parent.count("/") < HOME_DEPTH
            like = names.get(name) or self._like(name)
            if (near and path[:1] in _ROOTED) or like is not _PLAIN or above is not _UNLIKE:
                yield path

    def has_none_below(self, directory: str) -> bool:
        """Whether nothing of a class that is sought lies below a real directory: where the packages
        of the system put their files there is none, unless declarations of others say so."""
        if self._packed is None:
            sought = {*self.sought}
            layers = {rule.origin.layer for rule in self.rules if rule.place in sought}
            every = words_of("packed")["system"] if layers <= _SHIPPED else ()
            self._packed = tuple([f"{each}/" for each in every])
        return f"{directory}/".startswith(self._packed)

    def _telling_of_many(
        self, paths: "Sequence[str]", taken_apart: "TakesApart | None"
    ) -> "Iterator[str]":
        """The same without what takes longer for each path."""
        from execpolicy.policy.name_search import NameSearch, PathNames

        if self._search is None:
            places = dict.fromkeys(rule.place for rule in self.rules)
            keys = (key for place in places for _, key in self.keys(place))
            known = (key for key in keys if any(key[:-1]))
            self._search = NameSearch(known)
        names = (taken_apart or PathNames)(paths)
        yield from self._search.among(names, HOME_DEPTH if self._tops else 0)

    def _is_near_top(self, folded: str, home: str | None) -> bool:
        is_near = folded[:1] in _ROOTED and folded.count("/") <= HOME_DEPTH
        return is_near or folded == self._folded(home)

    def on_path(self, path: str, home: str | None, root: str | None) -> PlaceRule | None:
        """The declaration about a normalised path that lies in a directory of PATH."""
        if not self._made:
            self._make()
        location = Location(fold(path), home and fold(home), root and fold(root))
        for number, rule in enumerate(self.rules):
            if ON_PATH not in rule.paths:
                continue
            if True not in [p.is_at(location) for p in self._exceptions(number)]:
                return None if self._is_shrunk(rule.place, location) else rule
        return None

    def declared(self) -> "Sequence[Declared]":
        """Each declaration with its patterns and its exceptions, all folded."""
        if not self._made:
            self._make()
        return [
            (rule, self._all(number), self._exceptions(number))
            for number, rule in enumerate(self.rules)
        ]

    def literals(self, place: str) -> "Sequence[tuple[PathPattern, PlaceRule]]":
        """The patterns of a class, each with its declaration."""
        if not self._made:
            self._make()
        found = self._literals.get(place)
        if found is None:
            rules = [(n, rule) for n, rule in enumerate(self.rules) if rule.place == place]
            found = tuple((p, rule) for number, rule in rules for p in self._all(number))
            self._literals[place] = found
        return found

    def below_name(self, path: str, home: str | None, root: str | None) -> "list[PlaceRule]":
        """The declarations about what may lie below a normalised path because of its name."""
        if not self._made:
            self._make()
        if self._above_all is None:
            from execpolicy.policy.heads import Heads

            every = [(n, at) for n, rule in enumerate(self.rules) for at in range(len(rule.paths))]
            texts = [path for rule in self.rules for path in rule.paths]
            self._above_all = Heads(every, folded_all(texts))
        folded = fold(path)
        numbers = self._above_all.like(folded)
        if not numbers:
            return []
        location = Location(folded, self._folded(home), self._folded(root))
        return [self.rules[n] for n, at in numbers if self._pattern(n, at).names_above(location)]

    def ending(self, place: str, names: "Sequence[str]") -> PlaceRule | None:
        """The first declaration of a class with a pattern that ends as these folded names do."""
        patterns = self.literals(place)
        by_last = self._by_last.get(place)
        if by_last is None:
            by_last = self._by_last[place] = {}
            for number, (pattern, _) in enumerate(patterns):
                by_last.setdefault(pattern.last_name, []).append(number)
        found = sorted({n for name in ("", *names) for n in by_last.get(name, ())})
        return next((patterns[n][1] for n in found if patterns[n][0].ends_like(names)), None)

    def last_names(self, place: str, piece: str) -> "Iterator[tuple[str, PlaceRule]]":
        """The last names of the patterns of a class that hold the names of a path fixed, those with
        a text in them, each with its declaration."""
        if place not in self._lasts:
            fixed = ((p.literal_names, rule) for p, rule in self.literals(place))
            found = tuple((names[-1], rule) for names, rule in fixed if names)
            self._lasts[place] = "\0".join(name for name, _ in found), found
        joined, found = self._lasts[place]
        return ((name, rule) for name, rule in found if piece in joined and piece in name)

    def is_like(self, path: str) -> bool:
        """Whether some name of a path is like one of a class: else it is of none, if it does not
        lie near the top."""
        if not self.rules:
            return False
        if not self._made:
            self._make()
        numbers, may_be_copy = self._like_names_of(fold(path))
        return bool(numbers) or may_be_copy

    def keys(self, place: str) -> "Sequence[tuple[PathPattern, NameKey]]":
        """The patterns of a class, each with what the last name of a path is like that it matches,
        and whether it may be the name of a directory above."""
        if not self._made:
            self._make()
        found = self._name_keys.get(place)
        if found is None:
            found = tuple((p, p.name_key) for p, _ in self.literals(place))
            self._name_keys[place] = found
        return found

    @property
    def literal_names(self) -> "LiteralNames":
        """The patterns that hold the names of a path fixed, those of one class together."""
        if not self._made:
            self._make()
        if self._fixed is None:
            from execpolicy.policy.literal_names import LiteralNames

            every = (each for place in self.classes for each in self.literals(place))
            self._fixed = LiteralNames(every)
        return self._fixed

    def _all(self, number: int) -> tuple[PathPattern, ...]:
        return tuple(self._pattern(number, at) for at in range(len(self.rules[number].paths)))

    def _pattern(self, number: int, at: int) -> PathPattern:
        """A pattern of a declaration. Most are never looked at, and never made."""
        found = self._patterns.get((number, at))
        if found is None:
            found = PathPattern(fold(self.rules[number].paths[at]))
            self._patterns[(number, at)] = found
        return found

    def _exceptions(self, number: int) -> tuple[PathPattern, ...]:
        found = self._unless.get(number)
        if found is None:
            found = tuple(PathPattern(fold(path)) for path in self.rules[number].unless)
            self._unless[number] = found
        return found

    def _is_shrunk(self, place: str, location: Location) -> bool:
        return any(p.is_at(location) for p in self._shrunk.get(place, ()))

    def _folded(self, directory: str | None) -> str | None:
        """A home or a root in the form of paths; those of one request are asked for each path."""
        if directory is None:
            return None
        known = self._directories.get(directory)
        if known is None:
            if len(self._directories) >= MAX_NAMES:
                self._directories.clear()
            known = self._directories[directory] = fold(directory)
        return known

    def _like_names_of(self, path: str) -> "tuple[frozenset[Number], bool]":
        """The patterns of which some name of the path is like one that they need, and whether some
        name may be a copy of another."""
        directory, _, name = path.rpartition("/")
        above = self._above.get(directory) or self._like_above(directory)
        numbers, originals = self._names.get(name) or self._like(name)
        return above[0] | numbers if above[0] else numbers, above[1] or bool(originals)

    def _like_above(self, directory: str) -> "tuple[frozenset[Number], bool]":
        """The same for all names of a directory."""
        above = self._above.get(directory)
        if above is None:
            every = [self._like(each) for each in directory.split("/")]
            told = [each for each in every if each is not _PLAIN]
            numbers = frozenset[tuple[int, int]]().union(*(each[0] for each in told)) - self._ends
            copied = any(each[1] for each in told)
            above = (numbers, copied) if numbers or copied else _UNLIKE
            if len(self._above) >= MAX_NAMES:
                self._above.clear()
            self._above[directory] = above
        return above

    def _like(self, name: str) -> "Like":
        """The patterns that a path with this name may match, and what the name may be a copy of."""
        known = self._names.get(name)
        if known is not None:
            return known
        from execpolicy.policy.backups import originals

        found = {*self._exact.get(name, ())}
        if name.startswith(self._head_texts):
            found.update([n for head, n in self._heads if name.startswith(head)])
        if name.endswith(self._tail_texts):
            found.update(n for tail, n in self._tails if name.endswith(tail))
        found.update([n for text, n in self._middles if text in name])
        if len(self._names) >= MAX_NAMES:
            self._names.clear()
        copied = originals(name)
        known = self._names[name] = (frozenset(found), copied) if found or copied else _PLAIN
        return known

    def _make(self) -> None:
        """Put each pattern where a path finds it, by a name that it needs."""
        self._names: dict[str, Like] = {}
        self._above: dict[str, tuple[frozenset[Number], bool]] = {}
        self._directories: dict[str, str] = {}
        self._patterns: dict[Number, PathPattern] = {}
        self._unless: dict[int, tuple[PathPattern, ...]] = {}
        self._literals: dict[str, tuple[tuple[PathPattern, PlaceRule], ...]] = {}
        self._name_keys: dict[str, tuple[tuple[PathPattern, NameKey], ...]] = {}
        self._by_last: dict[str, dict[str, list[int]]] = {}
        """The numbers of the patterns of a class by their last names; some have none."""
        self._lasts: dict[str, tuple[str, tuple[tuple[str, PlaceRule], ...]]] = {}
        self._shrunk: dict[str, list[PathPattern]] = {}
        for number, rule in enumerate(self.rules):
            if not rule.paths and rule.place in SHRINKABLE and rule.origin.layer == "user":
                self._shrunk.setdefault(rule.place, []).extend(self._exceptions(number))
        _, self._exact, heads, tails, self._middles, tops, ends = self._keys()
        self._heads, self._tails = heads, tails
        self._tops, self._ends = frozenset(tops), frozenset(ends)
        self._head_texts = tuple({head for head, _ in heads})
        self._tail_texts = tuple({tail for tail, _ in tails})
        self._made = True

    def _keys(self) -> "Keys":
        """The keys of all declarations: most are known."""
        known = [keys for keys in self.first_keys if keys[0]]
        rest = self.rules[sum(keys[0] for keys in known) :]
        if known and not rest and len(known) == 1:
            return known[0]
        from execpolicy.policy.place_keys import joined, keys_of

        return joined([*known, keys_of(rest)])
