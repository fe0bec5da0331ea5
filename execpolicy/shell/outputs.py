"""What is known of a word whose value is the output of commands.

No name of a program stands here: `prints` says of an argv what its output looks like: `plain` where
no word of it begins like an option, `path` where that holds for the beginning only, `input` where
it is some lines of the input, `number` where every word is digits.
"""

from execpolicy.shell.cook import Cook
from execpolicy.shell.events import (
    LITERAL,
    QUOTED,
    QUOTED_VARIABLE,
    SPLIT,
    VALUE,
    VARIABLE,
    Bind,
    Command,
    Piece,
    Word,
)
from execpolicy.shell.facts import Facts, happened, sets_itself
from execpolicy.shell.state import Script

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Prints = Callable[[tuple[str, ...]], str]

NOTHING, BEGINNING, WORDS, NUMBERS = 0, 1, 2, 3
"""What is tame: nothing, the beginning of the value, the beginning of each word, all of it."""

_SPLITTING = frozenset((SPLIT, VARIABLE))
_OPTIONS = frozenset("-+ \t\n")
_BLANK = frozenset(" \t\n")
_EXPANDED = _OPTIONS | frozenset("{~*?[")
_LEVELS = {"path": BEGINNING, "plain": WORDS, "number": NUMBERS}
_DEPTH = 8


_WHOLE = {SPLIT: VALUE, VARIABLE: QUOTED_VARIABLE}
"""What is assigned is not split into words."""


def _pieces(word: Word) -> list[Piece]:
    pieces = [(QUOTED, word.text)] if word.text is not None else word.pieces
    blank = any(kind <= QUOTED and not _BLANK.isdisjoint(text) for kind, text in pieces)
    return [(QUOTED, "-")] if blank else pieces  # taken for an option


class Outputs:
    """Answers for one script how tame its computed values are."""

    __slots__ = ("cook", "facts", "prints", "script")

    def __init__(self, script: Script, cook: Cook, facts: Facts, prints: "Prints | None") -> None:
        self.script = script
        self.cook = cook
        self.facts = facts
        self.prints = prints

    def tame(self, pieces: list[Piece], place: int, every: bool, depth: int = 0) -> bool:
        """Whether a word of these pieces, and with `every` each word it splits into, is tame."""
        if self.prints is None or depth > _DEPTH or "IFS" in self.facts.bound:
            return False
        splits = every or any(kind in _SPLITTING for kind, _ in pieces)
        for kind, text in pieces:
            if kind in (LITERAL, QUOTED):
                if text and text[0] in (_EXPANDED if kind == LITERAL else _OPTIONS):
                    return False
                if text and not splits:
                    return True
            else:
                needed = WORDS if every or kind in _SPLITTING else BEGINNING
                if self._level(kind, text, place, depth) < needed:
                    return False
        return True

    def shape(self, pieces: list[Piece], place: int) -> tuple[bool, bool]:
        """Whether a word of these pieces is plain, and whether it is numbers and nothing else."""
        if not self.tame(pieces, place, False):
            return False, False
        return True, len(pieces) == 1 and self._level(*pieces[0], place, 0) == NUMBERS

    def _level(self, kind: int, text: str, place: int, depth: int) -> int:
        if kind in (VARIABLE, QUOTED_VARIABLE):
            return self._variable(text, place, depth)
        if kind in (SPLIT, VALUE) and text:
            first, _, end = text.partition(":")
            return self._output(int(first), int(end))
        return NOTHING

    def _variable(self, name: str, place: int, depth: int) -> int:
        found = self.facts.bound.get(name, [])
        if self.facts.tainted or len(found) != 1 or sets_itself(name):
            return NOTHING
        event, how = found[0]
        if isinstance(how, Bind):
            if how.words is None or not how.start <= place <= how.until:
                return NOTHING
            words = [_pieces(word) for word in how.words]
        elif how.value and not how.partly and happened(event, place):
            words = [[(_WHOLE.get(kind, kind), text) for kind, text in _pieces(how.value)]]
        else:
            return NOTHING
        place = how.start  # what stands in the value had its own value then
        if all(len(word) == 1 and self._level(*word[0], place, depth) == NUMBERS for word in words):
            return NUMBERS
        for level in (WORDS, BEGINNING):
            if all(self.tame(pieces, place, level == WORDS, depth + 1) for pieces in words):
                return level
        return NOTHING

    def _output(self, first: int, end: int) -> int:
        """The level of what the commands print that stand in a substitution."""
        events = self.script.events[first:end]
        commands = [e for e in events if isinstance(e, Command)]
        if not commands or len(commands) != len(events) or self.facts.tainted:
            return NOTHING
        if "|&" in self.cook.text[commands[0].start : commands[-1].end]:
            return NOTHING
        eaten = {id(c.context.fed[-1]) for c in commands if c.context.fed}
        return min(self._printed(c, commands) for c in commands if id(c) not in eaten)

    def _argv(self, command: Command) -> "Iterator[str]":
        """The words that are literal. A program may print the words that it is given."""
        for word in command.words:
            made = self.cook.words(word) if isinstance(word, Word) else []
            if len(made) == 1 and isinstance(made[0], str):
                yield made[0]

    def _printed(self, command: Command, among: list[Command]) -> int:
        argv = tuple(word for word in self._argv(command) if word and _BLANK.isdisjoint(word))
        silent = all(
            r.descriptor == "2" and r.operator == ">" and r.target.text == "/dev/null"
            for r in command.redirects
        )
        if not argv or len(argv) != len(command.words) or not silent or self.prints is None:
            return NOTHING
        if not self.facts.functions.keys().isdisjoint(argv):
            return NOTHING  # called, or shown with its body
        said = self.prints(argv)
        if said == "input" and command.context.fed:
            before = command.context.fed[-1]
            level = self._printed(before, among) if before in among else NOTHING
            return NOTHING if level == BEGINNING else level  # a later line begins otherwise
        return _LEVELS.get(said, NOTHING)
