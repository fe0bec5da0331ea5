"""What follows for the shell from one of its own commands."""

from execpolicy.model.operation import Dynamic
from execpolicy.shell.syntax.tree import AssignmentWord, Substitution
from execpolicy.support.record import Value

Argument = str | Dynamic | AssignmentWord
Arguments = list[Argument]


class Bound(Value):
    """A variable that gets some value, with `number` a number."""

    name: str
    number: bool = False


class Declared(Value):
    """A variable that is assigned or exported. `value` is None where it is not told."""

    name: str
    value: "Argument | None" = None
    exported: bool = False


class GivenList(Value):
    """What a variable is given by a command that reads `(…)` in it as a list.

    `certain`: the command makes the variable a list.
    """

    name: str
    value: "Argument | None"
    certain: bool


class BuiltinEffect:
    """What a builtin does. `why` says why it is opaque, unless all of `names` hold numbers.

    A word `$(…)` among the names stands for its output; `needs` has the output itself.

    `assignments` are assignments as parsed, `shadowed` names that no longer mean their program,
    `scripts` texts that the shell will read as commands. `later`: only later lines feel it.
    `not_option`: the names may also hold one word each that is not an option. `trap_output`: later
    commands may print more than what they print by themselves. `returns`: commands of this text
    may run after those that stand after them. `dots`: a glob may match hidden names. `exporting`:
    what is set from then on is exported. `frozen`: names that cannot be set from then on.
    """

    __slots__ = (
        "assignments",
        "bound",
        "declared",
        "dots",
        "exporting",
        "frozen",
        "later",
        "lists",
        "names",
        "needs",
        "not_option",
        "returns",
        "scripts",
        "shadowed",
        "trap_output",
        "why",
    )

    def __init__(self, why: str | None = None, trap_output: bool = False) -> None:
        self.why = why
        self.trap_output = trap_output
        self.later = self.not_option = self.returns = self.dots = self.exporting = False
        self.names: tuple[str | Dynamic, ...] = ()
        self.needs: tuple[str | Substitution, ...] = ()
        self.assignments: list[AssignmentWord] = []
        self.bound: list[Bound] = []
        self.declared: list[Declared] = []
        self.lists: list[GivenList] = []
        self.frozen: list[str] = []
        self.shadowed: list[str] = []
        self.scripts: list[str] = []
