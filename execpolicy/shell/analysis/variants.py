"""The words of commands and assignments, with what the whole text says of its variables."""

from execpolicy.model.operation import Dynamic
from execpolicy.shell.analysis.outputs import Outputs
from execpolicy.shell.analysis.variables import MOST_CHOICES, Facts
from execpolicy.shell.expansion.word_expander import Cook
from execpolicy.shell.syntax.state import Script
from execpolicy.shell.syntax.tree import (
    QUOTED_VARIABLE,
    VARIABLE,
    AssignmentWord,
    Command,
    Event,
    Word,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.shell.analysis.outputs import Prints


class Values:
    """Cooks words; variables with a known value give one command for each value."""

    __slots__ = ("cook", "events", "facts", "outputs", "script", "text")

    def __init__(self, script: Script, events: list[Event], prints: "Prints | None" = None) -> None:
        self.script = script
        self.events = events
        self.text = script.text
        self.cook = Cook(script.text, script.shell != "bash", script.posix)
        self.cook.moved = frozenset({"HOME", "PWD"} & script.modified)
        self.facts = Facts()
        self.facts.modified = script.modified
        self.outputs = Outputs(events, self.cook, self.facts, prints)
        self.facts.counts = self.outputs.counts

    def arguments(self, command: Command) -> "list[str | Dynamic | AssignmentWord]":
        found: list[str | Dynamic | AssignmentWord] = []
        for word in command.words:
            if isinstance(word, AssignmentWord):
                found.append(word)
            elif word.text is not None:
                found.append(word.text)
            else:
                found += self.cook.words(word)
        return found

    def variants(self, command: Command) -> "list[tuple[str | Dynamic, ...]]":
        """The words of the command, once for each combination of values its variables can have."""
        words = command.words
        if all(isinstance(word, Word) and word.text is not None for word in words):
            return [tuple(word.text for word in words)]  # type: ignore[union-attr, misc]
        most = MOST_CHOICES if len(words) < 100 else 1
        self.cook.tame = lambda parts: self.outputs.shape(parts, command.start)
        found = []
        for known in self._values(words, command.start, most):
            self.cook.values = known
            argv = tuple(self._argv(command))
            if argv not in found:
                found.append(argv)
        self.cook.values, self.cook.edges, self.cook.tame = {}, {}, None
        return [argv or (Dynamic(self.text[command.start : command.end]),) for argv in found]

    def targets(self, word: Word, place: int) -> "list[str | Dynamic]":
        """What the target of a redirection can be, once for each value of its variables."""
        if word.text is not None:
            return [word.text]
        found: dict[str | Dynamic, None] = {}
        for known in self._values([word], place, MOST_CHOICES):
            self.cook.values = known
            target = self.cook.scalar(word)
            if isinstance(target, str):
                made = self.cook.words(word)
                target = made[0] if len(made) == 1 else Dynamic(self.cook.source(word))
            found[target or ""] = None
        self.cook.values, self.cook.edges = {}, {}
        return list(found)

    def _values(
        self, words: "Sequence[Word | AssignmentWord]", place: int, most: int
    ) -> list[dict[str, str]]:
        """Each combination of the values that the variables of these words can have there."""
        values: list[dict[str, str]] = [{}]
        self.cook.edges = {}
        for name in self._names(words):
            choices = self.facts.choices(name, place, self.cook)
            if choices is None or len(values) * len(choices) > most:
                self.cook.edges[name] = self.facts.edges(name, place, self.cook)
            else:
                values = [{**known, name: choice} for known in values for choice in choices]
        return values

    def _names(self, words: "Sequence[Word | AssignmentWord]") -> list[str]:
        if not self.facts.bound:
            return []
        found = []
        for word in words:
            inner = word.value if isinstance(word, AssignmentWord) else word
            for part in inner.parts if inner is not None else []:
                if part.kind in (VARIABLE, QUOTED_VARIABLE) and part.text not in found:
                    found.append(part.text)
        return found

    def _argv(self, command: Command) -> "list[str | Dynamic]":
        found: list[str | Dynamic] = []
        for word in command.words:
            if isinstance(word, Word):
                found += self.cook.words(word)
                continue
            value = None if word.partly else self._scalar(word)
            source = self.cook.source(word)
            if isinstance(value, str):
                found.append(f"{word.name}={value}")
            elif value is None:
                found.append(Dynamic(source, word.name, True))
            else:
                found.append(Dynamic(source, f"{word.name}={value.prefix}", True))
        return found

    def _scalar(self, setting: AssignmentWord) -> "str | Dynamic | None":
        return None if setting.elements is not None else self.cook.scalar(setting.value)

    def value(self, setting: AssignmentWord) -> "str | Dynamic | None":
        return None if setting.partly else self._scalar(setting)

    def declared(
        self, name: str, how: "str | Dynamic | AssignmentWord | None", exported: bool
    ) -> "str | Dynamic | None":
        if isinstance(how, AssignmentWord):
            return self.value(how)
        return Dynamic(f"${name}", "", True) if how is None and exported else how

    def plain(self, name: str, place: int) -> bool:
        """Whether `$name` is one word there that is no option."""
        values = self.facts.choices(name, place, self.cook)
        return bool(values) and all(self.cook.whole(v) and v[0] != "-" for v in values or ())
