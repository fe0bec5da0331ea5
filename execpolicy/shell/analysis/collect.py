"""What a whole script text says about itself, before any of it is judged."""

from execpolicy.model.operation import Assignment
from execpolicy.shell.analysis import functions
from execpolicy.shell.analysis.variants import Values
from execpolicy.shell.builtins import builtins
from execpolicy.shell.builtins.builtin_effect import Outcome
from execpolicy.shell.syntax.state import Script
from execpolicy.shell.syntax.tree import (
    AssignmentWord,
    Command,
    Definition,
    Event,
    LoopVariable,
    Substitution,
    Unsupported,
    Word,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.analysis.outputs import Prints


class Learning(Values):
    """Knows every variable, function and builtin of the text."""

    __slots__ = ("bombs", "exports", "first_call", "outcomes", "shadowed")

    def __init__(self, script: Script, events: list[Event], prints: "Prints | None" = None) -> None:
        super().__init__(script, events, prints)
        self.outcomes: dict[int, Outcome] = {}
        self.shadowed: set[str] = set()
        self.exports: list[tuple[int, Assignment]] = []
        self.bombs: set[str] = set()
        self.first_call = 0

    def learn(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Command):
                self._learn_command(event)
            elif isinstance(event, LoopVariable):
                self.facts.bind(event, event)
            elif isinstance(event, Definition):
                self.facts.functions.setdefault(event.name, []).append(event)
            elif isinstance(event, Unsupported) and not event.needs:
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
                isinstance(event, Unsupported) and not self.harmless(event) for event in events
            ) or any(self._unknown(e) for e in events if isinstance(e, Command))

    def _learn_command(self, command: Command) -> None:
        for setting in command.settings:
            if command.words:
                setting = AssignmentWord(
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
        if result.why and not result.needs:
            self.facts.tainted = True
        self.facts.heard |= result.says
        self.facts.lists.update(name for name, _, certain in result.lists if certain)
        for setting in result.settings:
            self.facts.bind(command, setting)
        for name, number in result.bound:
            self.facts.bind(command, LoopVariable(0, -1, name, number=number))
        self.shadowed.update(result.shadowed)

    def _place(self, result: Outcome, command: Command) -> None:
        """Say what has to hold numbers: nothing helps if one of the outputs is not found."""
        outputs: dict[str, Substitution | None] = {}
        if not all(isinstance(name, str) for name in result.names):
            for word in command.words:
                if isinstance(word, Word) and len(word.parts) == 1:
                    outputs[self.cook.source(word)] = word.parts[0].substitution
        needs = [n if isinstance(n, str) else outputs.get(n.source) for n in result.names]
        found = tuple(need for need in needs if need is not None)
        result.needs = found if len(found) == len(needs) else ()

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

    def harmless(self, event: Unsupported) -> bool:
        return bool(event.needs) and all(self.facts.numeric(need) for need in event.needs)
