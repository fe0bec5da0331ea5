"""What follows for the shell from one of its own commands."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.model.operation import Dynamic
    from execpolicy.shell.syntax.tree import AssignmentWord, Substitution

    Argument = str | Dynamic | AssignmentWord
    Arguments = list[Argument]


class Outcome:
    """What a builtin does. `why` says why it is opaque, unless all of `names` hold numbers.

    A word `$(…)` among the names stands for its output; `needs` has the output itself.

    `settings` are assignments as parsed, `bound` names that get some value (True: a number),
    `declared` what is assigned or exported, `shadowed` names that no longer mean their program,
    `scripts` texts that the shell will read as commands. `later`: only later lines feel it.
    `plain`: the names may also hold one word each that is no option. `says`: later commands may
    print more than what they print by themselves. `lists` are names and what each is given by a
    command that reads `(…)` in it as a list, and whether it makes the name one.
    """

    __slots__ = (
        "bound",
        "declared",
        "later",
        "lists",
        "names",
        "needs",
        "plain",
        "says",
        "scripts",
        "settings",
        "shadowed",
        "why",
    )

    def __init__(self, why: str | None = None, says: bool = False) -> None:
        self.why = why
        self.says = says
        self.later = False
        self.plain = False
        self.names: tuple[str | Dynamic, ...] = ()
        self.needs: tuple[str | Substitution, ...] = ()
        self.settings: list[AssignmentWord] = []
        self.bound: list[tuple[str, bool]] = []
        self.declared: list[tuple[str, Argument | None, bool]] = []
        self.lists: list[tuple[str, Argument | None, bool]] = []
        self.shadowed: list[str] = []
        self.scripts: list[str] = []
