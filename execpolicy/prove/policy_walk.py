"""A walk over all commands that two policies may tell apart, the shortest first.

It is the subset construction over the prefixes of all rules of one program, which has finitely many
states.
"""

from collections import deque
from collections.abc import Callable, Iterator

from execpolicy.model.rule import fold
from execpolicy.prove.inclusion.acceptors import Live
from execpolicy.prove.inclusion.rule_table import NEW, OLD, Table
from execpolicy.prove.inclusion.word_states import Steps, WordStates, bare
from execpolicy.support.record import Value

Words = tuple[str, ...]
Spelling = Callable[[Words], Words]
"""The words without the global options in front of a subcommand."""


class Matched(Value):
    """The numbers of the rules that match a command, by the table: in the old policy, the new."""

    old: frozenset[int]
    new: frozenset[int]


class CommandClass(Value):
    """Commands that the same rules match. `words` is one of the shortest.

    `is_open`: all commands that begin with `words` and go on with a word that no rule names there;
    else `words` is the only one.
    """

    words: tuple[str, ...]
    is_open: bool
    matched: Matched


class PolicyState(Value):
    """The tracks of a command: its words as they are, those with the bare name of the program, and
    those of each other spelling. `listed` has the bits of the sides for which the bare name is as
    good as the program."""

    tracks: tuple[Live, ...]
    listed: int


class PolicyWalk:
    """The classes of commands of the programs in one group."""

    def __init__(
        self, table: Table, group: str, everything: bool = False, steps: Steps | None = None
    ) -> None:
        """`everything`: also where both sides have the same rules, because something else differs.

        `steps` are those of other walks; where there are too many, it raises `TooHardError`.
        """
        self.table = table
        self.group = group
        self.everything = everything or self._lists_differ()
        self._states = WordStates(table, group, steps or Steps())

    def _lists_differ(self) -> bool:
        before, after = self.table.listed
        names = {name for name in (*before, *after) if fold(name) == self.group}
        return any(set(before.get(n, ())) != set(after.get(n, ())) for n in names)

    def classes(
        self,
        canonical: Spelling,
        options: tuple[str, ...] = (),
        meaning: Callable[[Words], object] | None = None,
    ) -> Iterator[CommandClass]:
        """Each class about which the sides differ, the shortest first.

        `options` are global options that no rule need name: they only hide a subcommand. Words that
        the same rules match are one class only where they have the same `meaning`.
        """
        waiting: deque[tuple[PolicyState, Words]] = deque()
        seen: set[tuple[PolicyState, Words, object]] = set()
        for head in self._states.heads():
            state = self._begin(head)
            if self._may_differ(state):
                waiting.append((state, (head,)))
        while waiting:
            state, words = waiting.popleft()
            here = self._matched(state)
            if self.everything or here.old != here.new:
                yield CommandClass(words, False, here)
            names, ordinary = self._states.letters(state.tracks)
            after = self._read(state, words, ordinary, canonical)
            beyond = self._matched(after)
            if self.everything or beyond.old != beyond.new:
                yield CommandClass(words, True, beyond)
            hidden = options if len(words) == 1 else ()
            more = [(n, self._read(state, words, n, canonical)) for n in (*names, *hidden)]
            if after != state and self._is_waiting(after):
                more.append((ordinary, after))
            for name, then in more:
                path = (*words, name)
                said = None if meaning is None else meaning(path)
                key = then, canonical(path) if len(then.tracks) > 2 else (), said
                if key not in seen and self._may_differ(then):
                    seen.add(key)
                    waiting.append((then, path))

    def _begin(self, head: str) -> PolicyState:
        """The state after the name of the program."""
        raw, named, listed = self._states.begin(head)
        return PolicyState((raw, named), listed)

    def _read(
        self, state: PolicyState, words: Words, word: str, canonical: Spelling
    ) -> PolicyState:
        tracks = [self._states.after(track, word) for track in state.tracks[:2]]
        shorter = canonical((*words, word))
        if len(shorter) <= len(words):
            for head in dict.fromkeys((bare(shorter[0]), shorter[0])):
                tracks.append(self._states.spelled((head, *shorter[1:])))
        return PolicyState(tuple(tracks), state.listed)

    def _may_differ(self, state: PolicyState) -> bool:
        """Whether a rule of one side alone still may match."""
        if self.everything:
            return True
        touched = self.table.touched
        return any(number in touched for live in state.tracks for number, _ in live)

    def _is_waiting(self, state: PolicyState) -> bool:
        """Whether more words could complete something."""
        acceptors = self.table.acceptors
        return any(at < acceptors[number].size for live in state.tracks for number, at in live)

    def _matched(self, state: PolicyState) -> Matched:
        tracks = [*map(self._states.done, state.tracks)]
        near = {r for done in tracks for a in done for r in self.table.acceptors[a].rules}
        found = [(number, self._states.sides(number, tracks, state.listed)) for number in near]
        old, new = (frozenset(n for n, sides in found if sides & side) for side in (OLD, NEW))
        return Matched(old, new)
