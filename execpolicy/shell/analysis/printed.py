"""The very text that commands of a script print, where the script itself holds it: what a pipeline
hands on, what a substitution stands for, what a variable with a known value is as a command.
"""

from _collections_abc import Iterable, Sequence

from execpolicy.model.operation import Dynamic
from execpolicy.model.verdict import quoted
from execpolicy.shell.analysis import descriptors
from execpolicy.shell.analysis.variants import Variants
from execpolicy.shell.heredoc_word import written
from execpolicy.shell.literal_output import printed
from execpolicy.shell.syntax.tree import (
    QUOTED_VARIABLE,
    VARIABLE,
    AssignmentWord,
    Event,
    Redirect,
    SimpleCommand,
    Word,
)

MAX_DEPTH = 8


class Printed:
    """The texts that the commands of one script print."""

    __slots__ = ("_events", "_known", "_output", "_words")

    def __init__(self, events: list[Event], words: Variants) -> None:
        self._events, self._words, self._output = events, words, words.outputs.output
        self._known: dict[int, str | None] = {}

    def fed(self, command: SimpleCommand) -> str | None:
        """What a command reads from the pipeline before it, or from `< <(…)`."""
        for redirect in reversed(command.redirects):
            if descriptors.is_input(redirect):
                return self.word(redirect.target) if redirect.operator == "<" else None
        return self._before(command, 0)

    def text(self, command: SimpleCommand) -> str | None:
        """What a command prints."""
        return self._text(command, 0)

    def word(self, word: Word) -> str | None:
        """What the commands of a word print that is `$(…)` or `<(…)` and no more."""
        if self._words.expander.source(word)[:2] == "<(":
            start, end = word.start, word.end
            return self._by([e for e in self._events if start <= e.start and e.end <= end], 0)
        found = word.parts[0].substitution if len(word.parts) == 1 else None
        return None if found is None else self._by(self._events[found.first : found.last], 0)

    def _by(self, events: "Sequence[Event]", depth: int) -> str | None:
        """What these print one after the other."""
        commands = [event for event in events if isinstance(event, SimpleCommand) and event.words]
        eaten = {id(before) for c in commands for before in c.context.fed}
        texts = [self._text(c, depth + 1) for c in commands if id(c) not in eaten]
        known = [text for text in texts if text is not None]
        return "".join(known) if texts and len(known) == len(texts) else None

    def _before(self, command: SimpleCommand, depth: int) -> str | None:
        """What the pipeline before a command prints; a compound in it is all that stands there."""
        fed = command.context.fed
        if not fed:
            return None
        last = fed[-1]
        if last is not None:
            return self._text(last, depth + 1)
        return self._by([e for e in self._events if self._is_in_compound(e, command)], depth)

    def _is_in_compound(self, event: Event, command: SimpleCommand) -> bool:
        """Whether an event stands in the compound before a command of a pipeline."""
        start = max((c.end for c in command.context.fed if c is not None), default=0)
        context, fed = event.context, command.context.fed
        return start <= event.start and event.end <= command.start and context.fed == fed[:-1]

    def _text(self, command: SimpleCommand, depth: int) -> str | None:
        """What a command prints."""
        if id(command) not in self._known:
            self._known[id(command)] = self._found(command, depth)
        return self._known[id(command)]

    def _found(self, command: SimpleCommand, depth: int) -> str | None:
        if self._output is None or depth > MAX_DEPTH:
            return None
        argv = self._words.variants(command)[0]
        return printed(argv, self._input(command, depth), self._output)

    def _input(self, command: SimpleCommand, depth: int) -> str | None:
        """What a command reads from its standard input."""
        given = self._given(command.redirects)
        return self._before(command, depth) if given is None else given

    def _given(self, redirects: "Iterable[Redirect]") -> str | None:
        """The text of a heredoc or a here-string."""
        for each in redirects:
            word = each.body if each.body is not None else each.target
            if each.operator in ("<<", "<<-", "<<<"):
                text = self._words.expander.scalar(word)
                return text + "\n" if isinstance(text, str) else None
        return None

    # --- words that are commands ------------------------------------------------------------------

    def words(
        self, command: SimpleCommand, argv: "tuple[str | Dynamic, ...]"
    ) -> "tuple[str | Dynamic, ...]":
        """The words, each substitution with the text that it prints, where that is known."""
        if len(argv) != len(command.words) or all(isinstance(word, str) for word in argv):
            return argv
        return tuple(
            self._printing(word, given)
            if isinstance(word, Dynamic) and isinstance(given, Word)
            else word
            for word, given in zip(argv, command.words, strict=True)
        )

    def _printing(self, word: Dynamic, given: Word) -> Dynamic:
        """A word with the text that it prints. One of a here-document is that text and no more."""
        text, variables = self.word(given), self._words.variables
        changed = variables.tainted or variables.trap_output or "cat" in variables.functions
        if text is not None and not changed and written(word.source) is not None:
            word = word.replace(names=())
        return word.replace(printed=text)

    def split(self, command: SimpleCommand, argv: "tuple[str | Dynamic, ...]") -> list[str]:
        """The commands that a variable with a known value is, split into words: `$x -f`."""
        rest = [quoted(word) for word in argv[1:] if isinstance(word, str)]
        return [" ".join([value, *rest]) for value in self._values(command.words[0])]

    def _values(self, word: "Word | AssignmentWord") -> "Iterable[str]":
        """The texts that the script gives to a variable, where the word is that variable."""
        parts = word.parts if isinstance(word, Word) else []
        if len(parts) != 1 or parts[0].kind not in (VARIABLE, QUOTED_VARIABLE):
            return
        for binding in self._words.variables.bound.get(parts[0].text, ()):
            if isinstance(binding.how, AssignmentWord) and binding.how.value is not None:
                value = self._words.expander.scalar(binding.how.value)
                if isinstance(value, str):
                    yield value

    def evaluated(self, command: SimpleCommand) -> list[str]:
        """The texts that an `eval` of computed words may read, as far as they are known."""
        found = [""]
        for word in command.words[1:]:
            text = word.text if isinstance(word, Word) else None
            given = self.word(word) if isinstance(word, Word) and text is None else text
            known = [given] if given is not None else [*self._values(word)]
            found = [f"{before} {each}" for before in found for each in known][:MAX_DEPTH]
        return found
