"""Where each command of a request runs: every directory that it may have changed to."""

import posixpath
from _collections_abc import Sequence

from execpolicy.engine.paths.globs import expand, is_glob
from execpolicy.engine.paths.targets import path_of, unquoted, without_proc
from execpolicy.engine.unwrap import ExpandedOperation
from execpolicy.model.operation import MOVES, Access, Dynamic, Exec, Word, show
from execpolicy.places.resolver import Resolver, Root
from execpolicy.policy.folding import fold
from execpolicy.support.path_match import Location, normal
from execpolicy.support.record import Value

Changes = Sequence[tuple[int, Word]]
Directories = tuple[str, ...] | None
_START = -1
"""In the place of a step's number: where the request begins."""
_ONE_WAY = frozenset(("cd", "chdir"))
"""Those of them that change to what their only word names, or fail."""
_COMPUTED = frozenset("$`{*?[…")
MAX_REACHED = 16
"""Directories where one step may run. Where there are more, they count as computed."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.engine.paths.words.assigned import Assigned
    from execpolicy.policy.name_search import PathNames


class WorkingDirectories(Value):
    """Real directories where a step may run. `all_known`: it runs in no other one."""

    paths: tuple[str, ...] = ()
    all_known: bool = False


class Whereabouts:
    """The directories of one request. `root` is the session's, None where nothing is known;
    `added` are the projects that the host has beside it."""

    __slots__ = (
        "_assigned", "_changes", "_known", "_makes", "_many", "_matches", "_moved", "_reached",
        "_turns", "_words", "added", "cwd", "home", "resolver", "root", "steps",
    )  # fmt: skip

    def __init__(
        self,
        steps: "Sequence[ExpandedOperation]",
        cwd: str | None,
        home: str | None,
        root: "Root | None",
        resolver: "Resolver",
        added: tuple[str, ...] = (),
    ) -> None:
        self.added = added
        self.cwd = cwd
        self.home = home
        self.root = root
        self.resolver = resolver
        self.steps = steps
        self._assigned: Assigned | None = None
        self._changes = [(n, w) for n, step in enumerate(steps) if (w := _change(step)) is not None]
        self._makes: bool | None = None
        self._many: PathNames | None = None
        self._turns: bool | None = None
        self._known: dict[tuple[int, bool], WorkingDirectories] = {}
        self._moved: dict[tuple[tuple[str, ...], Word], tuple[str, ...]] = {}
        self._matches: dict[tuple[str, bool], tuple[str, ...] | None] = {}
        self._reached: dict[tuple[Word, ...], tuple[str, ...]] = {}
        self._words: list[tuple[str, str, bool]] | None = None

    @property
    def assigned(self) -> "Assigned":
        """What the request says of its variables."""
        if self._assigned is None:
            from execpolicy.engine.paths.words.assigned import Assigned

            self._assigned = Assigned(self.steps)
        return self._assigned

    @property
    def turns(self) -> bool:
        """Whether a step may run after one that stands after it."""
        if self._turns is None:
            self._turns = True in [step.position.facts.returns for step in self.steps]
        return self._turns

    @property
    def words(self) -> "list[tuple[str, str, bool]]":
        """The words of the request, whatever they are for, each with the path that it is, and
        whether it is a glob."""
        if self._words is None:
            from execpolicy.engine.paths.computed_paths import words

            every = [w if type(w) is str else show(w) for s in self.steps for w in s.argv]
            texts = {id(facts): facts for step in self.steps for facts in (step.position.facts,)}
            every += [word for facts in texts.values() for word in facts.words]
            found = words("\n".join(dict.fromkeys(every)))
            self._words = [(word, path_of(word), is_glob(word)) for word in found]
        return self._words

    @property
    def moves(self) -> bool:
        """Whether the request changes directory at all."""
        return bool(self._changes)

    def absolute(self, path: str, number: int) -> "Sequence[str]":
        """A path that a step opens, from each directory where its shell may be: what is relative to
        a directory of the command's own (`git -C x`) has that in it, but for `.`, which it is."""
        return self.named(path, number) if path == "." else self._from(path, number, False)

    def named(self, path: str, number: int) -> "Sequence[str]":
        """A word as the command of a step reads it, from each directory where that may run."""
        return self._from(path, number, True)

    def _from(self, path: str, number: int, enters: bool) -> "Sequence[str]":
        if path[:1] == "~":
            return (self.home + path[1:],) if path[1:2] in ("", "/") and self.home else ()
        if path[:1] == "/":
            return (self.direct(path),)
        return [
            f"{directory}/{path}" if directory[1:] else posixpath.join(directory, path)
            for directory in self._working_directories(number, enters).paths
        ]

    def expanded(self, path: str, dots: bool = False) -> tuple[str, ...]:
        """The files that an absolute path stands for, of a glob those that it matches as far as
        they are known."""
        if not is_glob(path):
            return (path,)
        return self.matches(path, dots) or ()

    def matches(self, glob: str, dots: bool = False) -> "tuple[str, ...] | None":
        """What an absolute glob matches: looked for once in a request."""
        key = glob, dots
        if key not in self._matches:
            self._matches[key] = expand(glob, self.resolver, dots)
        return self._matches[key]

    def taken_apart(self, paths: "Sequence[str]") -> "PathNames":
        """The names of many paths, for all that is asked about them."""
        if self._many is None or self._many.paths is not paths:
            from execpolicy.policy.name_search import PathNames

            self._many = PathNames(paths)
        return self._many

    def direct(self, path: str) -> str:
        """An absolute path without the links of a process to its root and its directory."""
        found = without_proc(path) if "proc/" in path else path
        return found if found[:1] == "/" else posixpath.join(self.cwd or "/", found)

    def location(self, path: str) -> Location:
        """A path, to be compared with many patterns."""
        home, root = self.home, self.root
        return Location(fold(path), home and fold(home), fold(root.path) if root else None)

    def of(self, number: int, enters: bool = True) -> "Directories":
        """Real directories where this step may run, or its shell unless it `enters` one of its own;
        None where one is not known."""
        found = self._working_directories(number, enters)
        return found.paths if found.all_known else None

    def _working_directories(self, number: int, enters: bool = True) -> WorkingDirectories:
        """Where a step may run; unless it `enters` the directory of its own, where its shell is."""
        key = number, enters
        if key in self._known:
            return self._known[key]
        if number >= 0 and not self._changes and self._stays(number, enters):
            found = self._working_directories(_START)
        else:
            found = self._begin() if number == _START else self._find(number, enters)
        self._known[key] = found
        return found

    def _stays(self, number: int, enters: bool = True) -> bool:
        """Whether no command puts this step in another directory than the shell's."""
        step = self.steps[number]
        return step.cwd is None and not (enters and _own(step) is not None)

    def _begin(self) -> WorkingDirectories:
        found = self._real(self.cwd) if self.cwd else None
        return (
            WorkingDirectories() if found is None else WorkingDirectories((found,), all_known=True)
        )

    def in_root(self, number: int, below: bool = False) -> bool:
        """Whether a step certainly runs in the session's root; with `below` also below it."""
        if (
            not self._changes
            and self._stays(number)
            and (self.root is None or self.cwd == self.root.path)
        ):
            return True
        found = self.of(number)
        if self.root is None or not found:
            return False
        root = self.root.path
        return all(path == root or (below and path.startswith(root + "/")) for path in found)

    def _find(self, number: int, enters: bool) -> WorkingDirectories:
        turns = bool(self._changes) and self.turns
        before = [(at, w) for at, w in self._changes if turns or self._is_before(at, number)]
        around, own = self.steps[number].cwd, _own(self.steps[number]) if enters else None
        words = tuple(dict.fromkeys(word for _, word in before))
        there = [word for word in (around or "", own or "") if _is_computed(word)]
        if any(word not in words or not self._values(word) for word in there):
            return WorkingDirectories()
        computed = bool(there) or any(map(_is_computed, words))
        start = (self.cwd,) if self.cwd else ()
        outer = [each for each in before if around is None or self.steps[each[0]].cwd != around]
        paths = self._returned(words, start) if turns else self._after(outer, start, number)
        all_known = len(paths) <= MAX_REACHED and not computed
        if around is not None:
            paths = self._inner_directories(paths, around, before, number)
            all_known = (all_known or _is_rooted(around)) and len(paths) <= MAX_REACHED
        if own is not None:
            paths = _entered(paths, own)
            all_known = all_known or _is_rooted(own)
        found = [real for path in paths if (real := self._real(path)) is not None]
        if len(found) < len(paths):
            return WorkingDirectories()
        return WorkingDirectories(tuple(dict.fromkeys(found)), bool(found) and all_known)

    def _inner_directories(
        self, paths: tuple[str, ...], around: Word, before: "Changes", number: int
    ) -> tuple[str, ...]:
        """Where a step is that commands around it put in the directory `around`, from these paths:
        the shell that they run may change directory itself. Empty where that is not known."""
        inside = [(at, word) for at, word in before if self.steps[at].cwd == around]
        if any(self._is_between(at, number) for at, _ in before):
            return ()
        return self._after(inside, _entered(paths, around), number)

    def _after(self, changes: "Changes", starts: tuple[str, ...], number: int) -> tuple[str, ...]:
        """Where a shell may be that tried these changes, one after the other: each may have failed
        but those that `number` runs after only if they ended well. One more than `MAX_REACHED`
        where there are more."""
        certain = self._succeeded(number)
        found = starts
        for at, word in changes:
            if len(found) > MAX_REACHED and at not in certain:
                continue  # what more it may be is left out anyway
            key = found, word
            if (new := self._moved.get(key)) is None:
                every = self._changed(found, word)
                new = tuple(filter(self._may_exist, every)) or every
                self._moved[key] = new
            found = new if at in certain else tuple(dict.fromkeys((*found, *new)))
            found = found[: MAX_REACHED + 1]
        return found

    def _returned(self, words: tuple[Word, ...], starts: tuple[str, ...]) -> tuple[str, ...]:
        """The same where each change may be made in any order, and again and again: for all steps
        of a request the same."""
        if (known := self._reached.get(words)) is not None:
            return known
        found, waiting = dict.fromkeys(starts), [*starts] or [""]
        for at in waiting:
            for word in words if len(found) <= MAX_REACHED else ():
                for path in self._changed((at,) if at else (), word):
                    if path not in found and self._may_exist(path):
                        found[path] = None
                        waiting.append(path)
        known = self._reached[words] = tuple(found)[: MAX_REACHED + 1]
        return known

    def _may_exist(self, path: str) -> bool:
        """Whether a directory may be there when a shell changes to it."""
        if self._makes is None:
            self._makes = any(map(_may_make_directories, self.steps))
        return self._makes or self.resolver.kind(self._real(path) or path) != "missing"

    def _changed(self, found: tuple[str, ...], word: Word) -> tuple[str, ...]:
        """Where a shell is that changed to this word from one of the directories `found`: as the
        kernel follows links, and as a shell does, by the text (bash manual, 4.1, `cd -L`).

        A word that only begins like a home may be the name of a directory: then both count.
        """
        if _is_computed(word):
            every = [path for value in self._values(word) for path in self._changed(found, value)]
            return tuple(dict.fromkeys(every))
        text = unquoted(word)
        at_home = text[:1] == "~" and text[1:2] in ("", "/") and self.home is not None
        places = [f"{self.home}{text[1:]}"] if at_home else []
        if text[:1] == "~" and isinstance(word, Dynamic):
            places = places or [text]  # the home of another user
        else:
            places += [posixpath.join(at, text) for at in found] or [text]
        new = (each for path in places for each in (normal(path), self._real(path)))
        return tuple(dict.fromkeys(path for path in new if path and path[0] in "/~"))

    def _values(self, word: Word) -> list[Word]:
        """What a computed word may be by what the request says of its variables."""
        every = [text for text in self.assigned.filled(word) if _COMPUTED.isdisjoint(text)]
        return [Dynamic(text) if text[:1] == "~" else text for text in every if text]

    def _succeeded(self, number: int) -> frozenset[int]:
        """The steps that ended well, certainly, before this one runs."""
        found: set[int] = set()
        at: int | None = number
        while at is not None:
            step = self.steps[at]
            before = step.position.after
            if before is not None and _is_one_way(self.steps[before]):
                found.add(before)
            at = step.outer if before is None else before
        return frozenset(found)

    def _is_between(self, change: int, number: int) -> bool:
        """Whether a shell changed directory that itself was put in another one than this step's
        commands around it: `env -C a bash -c 'cd b; env -C c x'`."""
        if self.steps[change].cwd in (None, self.steps[number].cwd):
            return False
        shell, outer = self.steps[change].outer, self.steps[number].outer
        while outer is not None and outer != shell:
            outer = self.steps[outer].outer
        return outer is not None

    def _is_before(self, change: int, number: int) -> bool:
        """Whether a change of directory may have happened when a step runs.

        What stands in its own words runs before it: `cd "$(git rev-parse --show-toplevel)"`.
        """
        outer, inner = self.steps[change], self.steps[number]
        around, within = outer.operation.span, inner.operation.span
        if change >= number or around is None or within is None:
            return change < number
        nested = bool(inner.operation.via) and set(inner.operation.via) == {"$(…)"}
        if not nested or outer.operation.via or outer.outer is not None or inner.outer is not None:
            return True
        return not (around[0] < within[0] and within[1] < around[1])

    def _real(self, path: str) -> str | None:
        if path[:1] == "~":
            if not self.home or path[1:2] not in ("", "/"):
                return None
            path = self.home + path[1:]
        if path[:1] != "/":
            return None
        place = self.resolver.locate(self.direct(path))
        found = place.real or place.lexical
        return self.direct(found) if place.problem else found


def _is_one_way(step: ExpandedOperation) -> bool:
    """Whether a step, once it ended well, has brought its own shell to what it names."""
    argv = step.argv
    return len(argv) == 2 and argv[0] in _ONE_WAY


def _own(step: ExpandedOperation) -> Word | None:
    """The directory that a command works in by an option of its own: `git -C x`."""
    return step.reading.cwd if step.reading and _change(step) is None else None


def _change(step: ExpandedOperation) -> Word | None:
    """The directory that a step makes the shell's own."""
    operation = step.operation
    if type(operation) is not Exec or operation.argv[0] not in MOVES:
        return None
    if step.reading is not None and step.reading.cwd is not None:
        return step.reading.cwd
    return Dynamic("~" if operation.argv == ("cd",) else "$OLDPWD")


def _is_computed(word: Word) -> bool:
    if isinstance(word, str):
        return word == "-"
    return not _COMPUTED.isdisjoint(unquoted(word))


def _is_rooted(word: Word) -> bool:
    """Whether a directory is the same from wherever it is looked for."""
    text = unquoted(word)
    return text[:1] == "/" or (text[:1] == "~" and isinstance(word, Dynamic))


def _entered(directories: tuple[str, ...], word: Word) -> tuple[str, ...]:
    """Where an option such as `-C` leads from these. A quoted `~` is a name like any other."""
    text = unquoted(word)
    is_home = isinstance(word, Dynamic) and text[:1] == "~"
    below = () if is_home else directories
    return tuple(posixpath.join(each, text) for each in below) or (text,)


def _may_make_directories(step: ExpandedOperation) -> bool:
    """Whether a step may make a directory: a redirection does not, nor what only removes."""
    if isinstance(step.operation, Access):
        return False
    modes = {access.mode for access in step.accesses}
    effects = {cause.effect for cause in step.reading.effects} if step.reading else set()
    harmless = {"read", "destroy"} if "remove" in modes else {"read"}
    return not (modes <= {"read", "remove"} and effects <= harmless)
