"""What a whole script text says about itself, before any of it is judged."""

from execpolicy.model.operation import Assignment, Dynamic
from execpolicy.shell.analysis import functions
from execpolicy.shell.analysis.variants import Variants
from execpolicy.shell.builtins import builtins
from execpolicy.shell.builtins.builtin_effect import BuiltinEffect
from execpolicy.shell.syntax.tree import (
    AssignmentWord,
    Definition,
    Event,
    LoopVariable,
    SimpleCommand,
    Substitution,
    Unsupported,
    Word,
)


class Exports:
    """Each export of a text by where it stands, in the order in which they are made."""

    __slots__ = ("_ascends", "_every", "_last", "_made", "_received", "_starts")

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._every: list[Assignment] = []
        self._ascends = True
        self._last: dict[str, Assignment] = {}
        """The last value of each variable after so many as are `_made`."""
        self._made = 0
        self._received: dict[int, tuple[Assignment, ...]] = {}
        """The same after as many as were asked for, handed to all commands that receive them: of
        each number there are together more than a text of many may take."""

    def __bool__(self) -> bool:
        return bool(self._every)

    def add(self, start: int, assignment: Assignment) -> None:
        """One more, which stands at a place."""
        self._ascends = self._ascends and start >= max(self._starts[-1:], default=0)
        self._starts.append(start)
        self._every.append(assignment)

    def before(self, start: int | None) -> tuple[Assignment, ...]:
        """What a command receives that begins at a place and runs once; without one what it
        receives that may run after all of them."""
        if start is None or self._ascends:
            from bisect import bisect_left

            number = len(self._every) if start is None else bisect_left(self._starts, start)
            if number not in self._received:
                self._received[number] = self._after(number)
            return self._received[number]
        every = zip(self._starts, self._every, strict=True)
        return tuple({one.name: one for at, one in every if at < start}.values())

    def _after(self, number: int) -> tuple[Assignment, ...]:
        """The last value of each variable after so many, made of those after fewer."""
        if not self._made <= number < len(self._every):  # what runs late is asked out of turn
            return tuple({one.name: one for one in self._every[:number]}.values())
        self._last |= {one.name: one for one in self._every[self._made : number]}
        self._made = number
        return tuple(self._last.values())


class Collector:
    """Knows every variable, function and builtin of the text whose words are `words`."""

    __slots__ = (
        "bombs",
        "effects",
        "exports",
        "first_call",
        "script",
        "shadowed",
        "text",
        "variables",
        "words",
    )

    def __init__(self, words: Variants) -> None:
        self.words = words
        self.variables = words.variables
        self.script = words.script
        self.text = words.script.text
        self.effects: dict[int, BuiltinEffect] = {}
        self.shadowed: set[str] = set()
        self.exports = Exports()
        self.bombs: set[str] = set()
        self.first_call = 0

    def collect(self, events: list[Event]) -> None:
        """Take note of what each event says; before any question is asked."""
        for event in events:
            if isinstance(event, SimpleCommand):
                self._collect_command(event)
            elif isinstance(event, LoopVariable):
                self.variables.bind(event, event)
            elif isinstance(event, Definition):
                self.variables.functions.setdefault(event.name, []).append(event)
            elif isinstance(event, Unsupported) and not event.needs:
                self.variables.tainted = True
        expander = self.words.expander
        expander.split = self.variables.separates
        expander.moved = frozenset(
            {"HOME", "PWD"} & (set(self.variables.bound) | self.script.modified)
        )
        if not self.variables.tainted:
            self.variables.tainted = any(
                isinstance(event, Unsupported) and not self.harmless(event) for event in events
            ) or any(self._unknown(e) for e in events if isinstance(e, SimpleCommand))
        if defined := self.variables.functions:
            self.first_call = functions.first_call(events, defined, self.words.heads)
            self.bombs = functions.bombs(events, defined, self.words.heads)

    def _collect_command(self, command: SimpleCommand) -> None:
        for setting in command.assignments:
            if command.words:
                setting = AssignmentWord(
                    setting.start,
                    setting.end,
                    setting.name,
                    setting.value,
                    partly=True,
                    elements=setting.elements,
                )
            self.variables.bind(command, setting)
        if command.words:
            self.collect_builtin(command)

    def collect_builtin(self, command: SimpleCommand) -> None:
        """Take note of what a command does to the shell if it is one of the shell's own."""
        first = command.words[0] if command.words else None
        if not isinstance(first, Word) or first.text not in builtins.NAMES:
            return
        arguments = self.words.arguments(command)
        self.variables.positional |= "set" in arguments
        result = builtins.effect(arguments, self.script.shell)
        if result is None:
            if first.text == "exec" and command.redirects:
                self._collect_exec(command)
            return
        if result.later and "\n" not in self.text[command.end :].rstrip():
            return
        if command.context.function and result.scripts and not result.why:
            result.why = "a function sets commands that run later"  # zsh: at its end
        self._place(result, command)
        self.effects[id(command)] = result
        if result.why and not result.needs:
            self.variables.tainted = True
        self.variables.trap_output |= result.trap_output
        self.variables.lists.update(given.name for given in result.lists if given.certain)
        for name in result.frozen:
            self.variables.frozen.setdefault(name, command.start)
        for setting in result.assignments:
            self.variables.bind(command, setting)
        for each in result.bound:
            self.variables.bind(command, LoopVariable(0, -1, each.name, number=each.number))
        self.shadowed.update(result.shadowed)

    def _place(self, result: BuiltinEffect, command: SimpleCommand) -> None:
        """Say what has to hold numbers: nothing helps if one of the outputs is not found."""
        outputs: dict[str, Substitution | None] = {}
        if not all(isinstance(name, str) for name in result.names):
            for word in command.words:
                if isinstance(word, Word) and len(word.parts) == 1:
                    outputs[self.words.expander.source(word)] = word.parts[0].substitution
        needs = [n if isinstance(n, str) else outputs.get(n.source) for n in result.names]
        found = tuple(need for need in needs if need is not None)
        result.needs = found if len(found) == len(needs) else ()

    def _collect_exec(self, command: SimpleCommand) -> None:
        if len(command.words) == 1 and any(
            r.body or r.operator == "<<<" for r in command.redirects
        ):
            self.effects[id(command)] = BuiltinEffect("`exec` gives later commands another input")

    def export(self, events: list[Event]) -> None:
        """Take note of the variables that later commands receive."""
        every = any(result.exporting for result in self.effects.values())  # `set -a`
        for event in events:
            result = self.effects.get(id(event))
            for each in result.declared if result else ():
                if each.exported or every:
                    self._export(event, each.name, self.words.declared(each))
            if every:
                self._export_all(event, result)

    def _export_all(self, event: Event, result: BuiltinEffect | None) -> None:
        """The same for what a command sets without a word about exporting."""
        for bound in result.bound if result else ():
            self._export(event, bound.name, None)
        if isinstance(event, LoopVariable):
            self._export(event, event.name, None)
        if isinstance(event, SimpleCommand) and not event.words:
            for setting in event.assignments:
                self._export(event, setting.name, self.words.value(setting))

    def _export(self, event: Event, name: str, value: "str | Dynamic | None") -> None:
        self.exports.add(event.start, Assignment(name, value, exported=True))

    def _unknown(self, command: SimpleCommand) -> bool:
        """Whether the name of the command is computed and stays so."""
        word = command.words[0] if command.words else None
        if not isinstance(word, Word) or word.text is not None:
            return False
        return not isinstance(self.words.variants(command)[0][0], str)

    def harmless(self, event: Unsupported) -> bool:
        """Whether all that a spot needs to be numbers are numbers."""
        return bool(event.needs) and all(self.variables.numeric(need) for need in event.needs)
