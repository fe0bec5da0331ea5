"""The words of commands and assignments, with what the whole text says of its variables."""

from _collections_abc import Sequence

from execpolicy.model.operation import Dynamic
from execpolicy.shell.analysis.feeding import feeding
from execpolicy.shell.analysis.outputs import Output, Outputs
from execpolicy.shell.analysis.variables import MAX_CHOICES, ShellVariables
from execpolicy.shell.builtins.builtin_effect import Declared
from execpolicy.shell.expansion.word_expander import Shape, WordExpander
from execpolicy.shell.syntax.state import Script
from execpolicy.shell.syntax.tree import (
    QUOTED_VARIABLE,
    VARIABLE,
    AssignmentWord,
    Event,
    SimpleCommand,
    Word,
    WordPart,
)

MAX_AMONG = 32
"""Words that a variable gets one after the other."""


class Variants:
    """Expands words; variables with a known value give one command for each value."""

    __slots__ = ("events", "expander", "outputs", "script", "text", "variables")

    def __init__(self, script: Script, events: list[Event], output: "Output | None" = None) -> None:
        self.script = script
        self.events = events
        self.text = script.text
        self.expander = WordExpander(script.text, script.shell != "bash", script.posix)
        self.expander.moved = frozenset({"HOME", "PWD"} & script.modified)
        self.variables = ShellVariables()
        self.variables.modified = script.modified
        self.outputs = Outputs(events, self.expander, self.variables, output)
        self.variables.counts = self.outputs.counts

    def arguments(self, command: SimpleCommand) -> "list[str | Dynamic | AssignmentWord]":
        """The words of the command, with assignments as they were parsed."""
        found: list[str | Dynamic | AssignmentWord] = []
        for word in command.words:
            if isinstance(word, AssignmentWord):
                found.append(word)
            elif word.text is not None:
                found.append(word.text)
            else:
                found += self.expander.words(word)
        return found

    def variants(self, command: SimpleCommand) -> "list[tuple[str | Dynamic, ...]]":
        """The words of the command, once for each combination of values its variables can have."""
        words = command.words
        if all(isinstance(word, Word) and word.text is not None for word in words):
            return [tuple(word.text for word in words)]  # type: ignore[union-attr, misc]
        most = MAX_CHOICES if len(words) < 100 else 1
        found = []
        for expander in self._expanders(words, command.start, most, command):
            argv = tuple(self._argv(command, expander))
            if argv not in found:
                found.append(argv)
        if all(found):
            return found
        source = self.text[command.start : command.end]  # each word may be empty
        names = tuple(n for word in words if isinstance(word, Word) for n in word.names)
        return [argv or (Dynamic(source, names=names),) for argv in found]

    def heads(self, command: SimpleCommand) -> tuple[str, ...]:
        """The programs that a command may start; an empty one where it is computed."""
        if not command.words:
            return ()
        first = command.words[0]
        if isinstance(first, Word) and first.text is not None:
            return (first.text,)
        heads = [argv[0] for argv in self.variants(command)]
        return tuple([head if isinstance(head, str) else "" for head in heads])

    def targets(self, word: Word, place: int) -> "list[str | Dynamic]":
        """What the target of a redirection can be, once for each value of its variables."""
        if word.text is not None:
            return [word.text]
        found: dict[str | Dynamic, None] = {}
        for expander in self._expanders([word], place, MAX_CHOICES):
            target = expander.scalar(word)
            if isinstance(target, str):
                made = expander.words(word)
                target = made[0] if len(made) == 1 else Dynamic(expander.source(word))
            found[target or ""] = None
        return list(found)

    def _shape(self, parts: list[WordPart], place: int) -> Shape:
        """What is known of a word of these parts, with what prints it."""
        shape, programs = self.outputs.shape(parts, place), feeding(self.outputs, parts, place)
        return shape.replace(fed_by=programs) if programs else shape

    def _expanders(
        self,
        words: "Sequence[Word | AssignmentWord]",
        place: int,
        most: int,
        command: SimpleCommand | None = None,
    ) -> list[WordExpander]:
        """One for each combination of the values that variables of these words can have there."""
        values: list[dict[str, str]] = [{}]
        edges = {}
        for name in self._names(words):
            choices = self.variables.choices(name, place, self.expander, command)
            if choices is None or len(values) * len(choices) > most:
                edges[name] = self.variables.edges(name, place, self.expander)
            else:
                values = [{**known, name: choice} for known in values for choice in choices]
        return [
            self.expander.knowing(known, edges, lambda parts: self._shape(parts, place))
            for known in values
        ]

    def _names(self, words: "Sequence[Word | AssignmentWord]") -> list[str]:
        if not self.variables.bound:
            return []
        found = []
        for word in words:
            inner = word.value if isinstance(word, AssignmentWord) else word
            for part in inner.parts if inner is not None else []:
                if part.kind in (VARIABLE, QUOTED_VARIABLE) and part.text not in found:
                    found.append(part.text)
        return found

    def _argv(self, command: SimpleCommand, expander: WordExpander) -> "list[str | Dynamic]":
        found: list[str | Dynamic] = []
        for word in command.words:
            if isinstance(word, Word):
                found += expander.words(word)
                continue
            value = None if word.partly else _scalar(word, expander)
            if isinstance(value, str):
                found.append(f"{word.name}={value}")
                continue
            begin = word.name if value is None else f"{word.name}={value.prefix}"
            made = word.elements if word.value is None else [word.value]
            names = tuple(name for each in made or () for name in each.names)
            found.append(Dynamic(expander.source(word), begin, single=True, names=names))
        return found

    def value(self, setting: AssignmentWord) -> "str | Dynamic | None":
        """The value that is assigned, None where it is an array or adds to the old value."""
        return None if setting.partly else _scalar(setting, self.expander)

    def among(self, setting: object) -> "tuple[str | Dynamic, ...]":
        """The elements of an array, and what is added to a variable that may have had nothing."""
        if not isinstance(setting, AssignmentWord):
            return ()
        grown = [setting.value] if setting.partly and setting.value is not None else ()
        return self.every(setting.elements if setting.elements is not None else grown)

    def every(self, words: "Sequence[Word]") -> "tuple[str | Dynamic, ...]":
        """What some words become, as many as are followed."""
        return tuple([made for word in words[:MAX_AMONG] for made in self.expander.words(word)])

    def declared(self, given: Declared) -> "str | Dynamic | None":
        """The value that a variable gets, as far as it is known."""
        if isinstance(given.value, AssignmentWord):
            return self.value(given.value)
        if given.value is None and given.exported:
            return Dynamic(f"${given.name}", single=True)
        return given.value

    def not_option(self, name: str, place: int) -> bool:
        """Whether `$name` is one word there that is not an option."""
        values = self.variables.choices(name, place, self.expander)
        return bool(values) and all(self.expander.whole(v) and v[:1] != "-" for v in values or ())


def _scalar(setting: AssignmentWord, expander: WordExpander) -> "str | Dynamic | None":
    return None if setting.elements is not None else expander.scalar(setting.value)
