"""What a whole script text says about itself, before any of it is judged."""

from execpolicy.model.operation import Assignment
from execpolicy.shell.analysis import functions
from execpolicy.shell.analysis.variants import Values
from execpolicy.shell.builtins import builtins
from execpolicy.shell.builtins.builtin_effect import Outcome
from execpolicy.shell.syntax.state import Script
from execpolicy.shell.syntax.tree import (
    SPLIT,
    VALUE,
    Bind,
    Command,
    Definition,
    Event,
    Setting,
    Unclear,
    Word,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.analysis.outputs import Prints

_OUTPUT = ([SPLIT], [VALUE])
"""The pieces of a word that is the output of commands and nothing else."""


class Learning(Values):
    """Knows every variable, function and builtin of the text."""

    __slots__ = ("bombs", "exports", "first_call", "outcomes", "shadowed")

    def __init__(self, script: Script, text: str, prints: "Prints | None" = None) -> None:
        super().__init__(script, text, prints)
        self.outcomes: dict[int, Outcome] = {}
        self.shadowed: set[str] = set()
        self.exports: list[tuple[int, Assignment]] = []
        self.bombs: set[str] = set()
        self.first_call = 0

    def learn(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Command):
                self._learn_command(event)
            elif isinstance(event, Bind):
                self.facts.bind(event, event)
            elif isinstance(event, Definition):
                self.facts.functions.setdefault(event.name, []).append(event)
            elif isinstance(event, Unclear) and not event.names:
                self.facts.tainted = True
        if self.facts.functions:
            self.first_call = functions.first_call(events, self.facts.functions)
            self.bombs = functions.bombs(events, self.facts.functions)
        self.cook.split = self.facts.separates
        self.cook.moved = frozenset(
            {"HOME", "PWD"} & (set(self.facts.bound) | self.script.modified)
        )
        if not self.facts.tainted:
            self.facts.tainted = any(
                isinstance(event, Unclear) and not self.harmless(event) for event in events
            ) or any(self._unknown(e) for e in events if isinstance(e, Command))

    def _learn_command(self, command: Command) -> None:
        for setting in command.settings:
            if command.words:
                setting = Setting(
                    setting.start, setting.end, setting.name, setting.value, True, setting.elements
                )
            self.facts.bind(command, setting)
        if command.words:
            self.learn_builtin(command)

    def learn_builtin(self, command: Command) -> None:
        first = command.words[0] if command.words else None
        if not isinstance(first, Word) or first.text not in builtins.NAMES:
            return
        result = builtins.outcome(self.arguments(command), self.script.shell)
        if result is None:
            if first.text == "exec" and command.redirects:
                self._learn_exec(command)
            return
        if result.later and "\n" not in self.text[command.end :].rstrip():
            return
        self._place(result, command)
        self.outcomes[id(command)] = result
        if result.why and not result.names:
            self.facts.tainted = True
        self.facts.heard |= result.says
        self.facts.lists.update(name for name, _, certain in result.lists if certain)
        for setting in result.settings:
            self.facts.bind(command, setting)
        for name, number in result.bound:
            self.facts.bind(command, Bind(0, -1, command.context, name, number=number))
        self.shadowed.update(result.shadowed)

    def _place(self, result: Outcome, command: Command) -> None:
        """Say of which events the outputs are that stand for numbers; none if any is not."""
        if not any(name[:1] == "$" for name in result.names):
            return
        outputs = {
            self.cook.source(word).strip('"'): word.pieces[0][1]
            for word in command.words
            if isinstance(word, Word) and [kind for kind, _ in word.pieces] in _OUTPUT
        }
        names = [name if name[:1] != "$" else outputs.get(name, "") for name in result.names]
        result.names = tuple(names) if all(names) else ()

    def _learn_exec(self, command: Command) -> None:
        if len(command.words) == 1 and any(
            r.body or r.operator == "<<<" for r in command.redirects
        ):
            self.outcomes[id(command)] = Outcome("`exec` gives later commands another input")

    def export(self, events: list[Event]) -> None:
        for event in events:
            result = self.outcomes.get(id(event))
            for name, how, exported in result.declared if result else ():
                if exported:
                    value = self.declared(name, how, exported)
                    self.exports.append((event.start, Assignment(name, value, True)))

    def _unknown(self, command: Command) -> bool:
        """Whether the name of the command is computed and stays so."""
        word = command.words[0] if command.words else None
        if not isinstance(word, Word) or word.text is not None:
            return False
        return not isinstance(self.variants(command)[0][0], str)

    def harmless(self, event: Unclear) -> bool:
        return bool(event.names) and all(self.facts.numeric(name) for name in event.names)
