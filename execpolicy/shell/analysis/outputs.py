"""What is known of a word whose value is the output of commands.

No name of a program stands here: `prints` says of an argv what its output looks like, in the words
that `docs/program.md` explains under `prints`.
"""

from _collections_abc import Callable, Iterator

from execpolicy.model.operation import Dynamic, Hole, Template
from execpolicy.shell.analysis import pipelines
from execpolicy.shell.analysis.variables import ShellVariables, happened
from execpolicy.shell.chars import names_in
from execpolicy.shell.expansion.word_expander import Shape, WordExpander
from execpolicy.shell.syntax.tree import (
    DIGITS,
    ELEMENTS,
    LAST_PROCESS,
    LITERAL,
    NUMBER,
    QUOTED,
    QUOTED_VARIABLE,
    SPLIT,
    VALUE,
    VARIABLE,
    AssignmentWord,
    Event,
    LoopVariable,
    Redirect,
    SimpleCommand,
    Substitution,
    Word,
    WordPart,
)

Output = Callable[[tuple[str | Dynamic, ...]], str]  # docs/program.md, `prints`

# What holds of a value, as bits: `enum` would cost more than the rest of the file.
NOTHING = 0
BEGINNING = 1
"""It begins like no option."""
WORDS = 2
"""None of its words begins like an option."""
NUMBERS = 4
"""Every word is digits."""
SUM = 8
"""Nothing in it does more than a number in arithmetic."""
LINES = 16
"""Each line begins with its number and a colon."""
FILES = 32
"""Each line names a file that is there."""
LETTERS = 64
"""No word holds a dash, a quote or a backslash."""
TIME = 128
"""Every word is a time."""
ONE = 256
"""It is one word and no pattern."""

COUNTED = (NUMBER, DIGITS)
"""The parts that are digits only."""
_SPLITTING = frozenset((SPLIT, VARIABLE, ELEMENTS))
_OPTIONS = frozenset("-+ \t\n")
_BLANK = frozenset(" \t\n")
_EXPANDED = _OPTIONS | frozenset("{~*?[")
_PLAIN = BEGINNING | WORDS
_LEVELS = {
    "path": BEGINNING,
    "fresh": BEGINNING,
    "one": ONE,
    "plain": _PLAIN,
    "word": _PLAIN | LETTERS,
    "time": _PLAIN | TIME,
    "number": _PLAIN | NUMBERS | SUM | LETTERS,
    "integer": SUM,
    "files": FILES,
    "numbered": BEGINNING | LINES,
}
_ONE_NAME = len(("read", "-r", "x"))
_KEPT = NUMBERS | LETTERS | TIME
"""What holds of a variable too that has such a value."""
_FILTERS = ("input", "colon", "less")
_COMPLAINT, _THEN = "Binary", "file"
"""How grep begins where it would print lines of a binary file, if not with its own name. In
arithmetic bash evaluates one name more before it finds that they make no expression."""
_INPUTS = ("<", "<<", "<<-", "<<<")
MAX_DEPTH = 8
"""How many variables are followed, each of which has its value from the next."""


_WHOLE = {SPLIT: VALUE, VARIABLE: QUOTED_VARIABLE}


def _parts(word: Word) -> list[WordPart]:
    parts = [WordPart(QUOTED, word.text)] if word.text is not None else word.parts
    blank = any(part.kind <= QUOTED and not _BLANK.isdisjoint(part.text) for part in parts)
    return [WordPart(QUOTED, "-")] if blank else parts  # taken for an option


def _unsplit(part: WordPart) -> WordPart:
    """The part where it is assigned, so that it is not split into words."""
    whole = _WHOLE.get(part.kind)
    return part if whole is None else WordPart(whole, part.text, part.substitution)


class Outputs:
    """Answers for one script what its computed values can be."""

    __slots__ = ("_held_by", "events", "expander", "output", "variables")

    def __init__(
        self,
        events: list[Event],
        expander: WordExpander,
        variables: ShellVariables,
        output: "Output | None",
    ) -> None:
        self.events = events
        self.expander = expander
        self.variables = variables
        self.output = output
        self._held_by: dict[tuple[int, int], int] = {}

    def not_option(self, parts: list[WordPart], place: int, every: bool, depth: int = 0) -> bool:
        """Whether a word of these parts is not an option, with `every` each word it splits into."""
        if self.output is None or depth > MAX_DEPTH or self.variables.separates:
            return False
        splits = every or any(
            part.kind in _SPLITTING and not self._level(part, place, depth) & ONE for part in parts
        )
        for part in parts:
            if part.kind <= QUOTED:
                changing = _EXPANDED if part.kind == LITERAL else _OPTIONS
                if part.text and part.text[0] in changing:
                    return False
                if part.text and not splits:
                    return True
            else:
                needed = WORDS if every or part.kind in _SPLITTING else BEGINNING
                if not self._level(part, place, depth) & needed:
                    return False
        return True

    def shape(self, parts: list[WordPart], place: int) -> Shape:
        """What is known of a word of these parts."""
        template = self._template(parts, place)
        if not self.not_option(parts, place, every=False):
            return Shape(not_option=False, digits_only=False, template=template)
        return Shape(
            not_option=True,
            digits_only=all(self._digits(part, place) for part in parts),
            template=template,
        )

    def _digits(self, part: WordPart, place: int) -> bool:
        if part.kind <= QUOTED:
            return part.text.isascii() and part.text.isdigit()
        return bool(self._level(part, place, 0) & NUMBERS)

    def _template(self, parts: list[WordPart], place: int) -> Template:
        """What a word is made of in which nothing but numbers and times is computed."""
        made: list[str | Hole] = []
        literal = ""
        for part in parts:
            kind, text = part.kind, part.text
            if kind in (VALUE, QUOTED_VARIABLE) and self._level(part, place, 0) & TIME:
                hole = Hole.TIME
            elif kind == QUOTED or (kind == LITERAL and _EXPANDED.isdisjoint(text)):
                literal += text
                continue
            elif self._is_number(part, place):
                hole = Hole.NUMBER
            else:
                return ()
            made += [literal, hole] if literal else [hole]
            literal = ""
        if not made or self.variables.separates:
            return ()
        return (*made, literal) if literal else tuple(made)

    def _is_number(self, part: WordPart, place: int) -> bool:
        if part.kind == QUOTED_VARIABLE:
            return part.text in self.variables.bound and self._numeric(part.text, place)
        return part.kind in COUNTED or (part.kind == VALUE and self.counts(part.substitution))

    def _numeric(self, name: str, place: int) -> bool:
        return self.variables.numeric(name) or bool(self._variable(name, place, 0) & SUM)

    def counts(self, output: Substitution | None) -> bool:
        """Whether an output does no more than a number in arithmetic."""
        return self.output is not None and bool(self.of_output(output) & SUM)

    def _level(self, part: WordPart, place: int, depth: int) -> int:
        if part.kind in (VARIABLE, QUOTED_VARIABLE):
            return self._variable(part.text, place, depth)
        if part.text == LAST_PROCESS:
            return _PLAIN
        return self.of_output(part.substitution)

    def _variable(self, name: str, place: int, depth: int) -> int:
        binding = self.variables.only(name)
        if binding is None:
            return NOTHING
        event, how = binding.event, binding.how
        if isinstance(how, LoopVariable):
            if how.words is None:
                return self._line(event, place)
            if not how.start <= place <= how.until:
                return NOTHING
            words = [_parts(word) for word in how.words]
        elif how.value and not how.partly and happened(event, place):
            words = [[_unsplit(part) for part in _parts(how.value)]]
        else:
            return NOTHING
        if name in self.variables.modified and any(
            p.kind <= QUOTED for word in words for p in word
        ):
            return NOTHING
        one = isinstance(how, AssignmentWord)  # what stands in the value had its own value then
        if not depth:
            self._held_by.clear()  # more of the text may be known by now
        key = id(how), depth
        if key not in self._held_by:
            self._held_by[key] = self._held(words, how.start, depth, one)
        return self._held_by[key]

    def _held(self, words: list[list[WordPart]], place: int, depth: int, one: bool) -> int:
        """What holds of a variable with one of these values, of `one` if it has no other."""
        whole = self._whole(words, place, depth)
        if whole:
            return whole | _PLAIN
        if one and len(words[0]) == 1 and self._level(words[0][0], place, depth) & ONE:
            return ONE
        for every, level in ((True, _PLAIN), (False, BEGINNING)):
            if all(self.not_option(parts, place, every, depth + 1) for parts in words):
                return level
        return NOTHING

    def _whole(self, words: list[list[WordPart]], place: int, depth: int) -> int:
        """What holds of each value besides that its words are plain."""
        kept = _KEPT if words else NOTHING
        for word in words:
            kept &= self._level(word[0], place, depth) if len(word) == 1 else NOTHING
        return kept

    def _line(self, event: Event, place: int) -> int:
        """What holds of the variable of a `while read -r` that stands in a pipeline."""
        if not isinstance(event, SimpleCommand) or not pipelines.takes_lines(event):
            return NOTHING
        events = self.events
        known = event.leads and pipelines.reaches(event, place, events)
        level = self.of_lines(event) if known else NOTHING
        if not (level & LETTERS or (level & (WORDS | LINES) and pipelines.is_alone(event, events))):
            return NOTHING
        if not (level & LETTERS or pipelines.is_raw(event)):
            return NOTHING
        if level & LINES:
            return BEGINNING if len(event.words) == _ONE_NAME else NOTHING
        return level & (_PLAIN | SUM | _KEPT)

    def of_lines(self, command: SimpleCommand) -> int:
        """What holds of the lines that come to a command through its pipeline."""
        fed = [before for before in command.context.fed if before is not None]
        if (
            self.variables.tainted
            or self.variables.trap_output
            or "read" in self.variables.functions
        ):
            return NOTHING
        if command.redirects or len(fed) != len(command.context.fed):
            return NOTHING
        if not fed:
            return self._substituted(command)
        if any(before.mixed for before in fed):
            return NOTHING
        if not pipelines.is_undisturbed(command, self.events):
            return NOTHING
        return self._printed(fed[-1], fed)

    def _substituted(self, command: SimpleCommand) -> int:
        """The same where they come from a substitution after the loop: `done < <(names)`."""
        if not command.leads or any(map(pipelines.may_redirect, self.events)):
            return NOTHING
        fed = pipelines.source(command, self.events)
        return self._printed_by(fed) if fed else NOTHING

    def of_output(self, substitution: Substitution | None) -> int:
        """What holds of the output of a substitution."""
        if substitution is None:
            return NOTHING
        return self._printed_by(self.events[substitution.first : substitution.last])

    def _printed_by(self, events: list[Event]) -> int:
        """What holds of what these commands print."""
        commands = [e for e in events if isinstance(e, SimpleCommand)]
        if not commands or len(commands) != len(events):
            return NOTHING
        if self.variables.tainted or self.variables.trap_output:
            return NOTHING
        if any(command.mixed for command in commands):
            return NOTHING
        shown = [c for c in commands if not _within_words(c, commands)]
        eaten = {id(c.context.fed[-1]) for c in commands if c.context.fed}
        levels = [self._printed(c, commands) for c in shown if id(c) not in eaten]
        shared = NOTHING if len(levels) != 1 else LINES | ONE
        if levels:
            shared |= _PLAIN | NUMBERS | SUM | FILES | LETTERS | TIME
        for level in levels:
            shared &= level
        return shared

    def _argv(self, command: SimpleCommand) -> "Iterator[str | Dynamic]":
        """The words, each if it is one and stays one."""
        for word in command.words:
            made = self.expander.words(word) if isinstance(word, Word) else []
            if len(made) == 1 and (made[0].single if isinstance(made[0], Dynamic) else made[0]):
                yield made[0]

    def output_of(self, command: SimpleCommand) -> "tuple[tuple[str | Dynamic, ...], str]":
        """The words of a command, and what its output looks like; nothing where it goes elsewhere
        or the words are not known."""
        argv = tuple(self._argv(command))
        if not argv or len(argv) != len(command.words) or self.output is None:
            return argv, ""
        if any(r.descriptor not in ("", "0") or r.operator not in _INPUTS for r in _kept(command)):
            return argv, ""
        if not self.variables.functions.keys().isdisjoint(w for w in argv if isinstance(w, str)):
            return argv, ""  # called, or shown with its body
        return argv, self.output(argv)

    def _printed(self, command: SimpleCommand, among: list[SimpleCommand]) -> int:
        argv, said = self.output_of(command)
        if said in _FILTERS:
            fed = command.context.fed
            before = fed[-1] if fed and not _kept(command) else None
            return _passed(self._printed(before, among) if before in among else NOTHING, said)
        level = _LEVELS.get(said, NOTHING)
        if not level & (NUMBERS | SUM) and not all(map(_harmless, argv)):
            return NOTHING  # it may print the words that it is given
        return NOTHING if level & LINES and self._may_complain(command, argv) else level

    def _may_complain(self, command: SimpleCommand, argv: "tuple[str | Dynamic, ...]") -> bool:
        """Whether what stands for the lines of a binary file may be more than a word of no use."""
        means = argv[0] in self.variables.bound or _COMPLAINT in self.variables.bound
        if means or not self._idle(_THEN) or any("\n" in w for w in argv if isinstance(w, str)):
            return True
        return bool(command.assignments) or "--" in argv

    def _idle(self, name: str) -> bool:
        """Whether arithmetic finds nothing to run in `name`: no subscript, no name that is set."""
        words: list[Word | None] = []
        for binding in self.variables.bound.get(name, []):
            how = binding.how
            if isinstance(how, LoopVariable):
                words += how.words or [None]
            else:
                words.append(None if how.partly else how.value)
        texts = [word.text if word is not None else None for word in words]
        return not any(text is None or "[" in text or self._means(text) for text in texts)

    def _means(self, text: str) -> bool:
        return not self.variables.bound.keys().isdisjoint(names_in(text))


def _within_words(command: SimpleCommand, among: list[SimpleCommand]) -> bool:
    """Whether what the command prints goes into a word of another one of these."""
    start, end = command.start, command.end
    return ">(…)" not in command.context.via and any(
        word.start <= start and end <= word.end
        for other in among
        for word in other.words
        if other is not command
    )


def _kept(command: SimpleCommand) -> list[Redirect]:
    """The redirections that change what a command reads or prints."""
    return [redirect for redirect in command.redirects if not silences(redirect)]


def silences(redirect: Redirect) -> bool:
    """Whether this is `2>/dev/null`."""
    null = redirect.target.text == "/dev/null"
    return null and redirect.descriptor == "2" and redirect.operator == ">"


def _harmless(word: "str | Dynamic") -> bool:
    """Whether no part of a word that may be printed and split is an option or a pattern."""
    return isinstance(word, str) and not any(p[0] in _EXPANDED for p in word.split()[1:])


def _passed(level: int, said: str) -> int:
    """What holds of some lines of an output, `colon`: each up to its first colon.

    `less`: of an output without some characters.
    """
    if said == "less":
        return level if level & NUMBERS else NOTHING
    if said == "colon" and level & LINES:
        return _PLAIN | SUM
    return level if level & ~BEGINNING else NOTHING  # a later line begins otherwise
