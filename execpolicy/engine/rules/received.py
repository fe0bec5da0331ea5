"""The variables that commands of one request receive, by what they may be asked about for.

Each command of a text has those that are exported before it, and so mostly the same as the one
before: what is new to it alone is looked at.
"""

from execpolicy.model.operation import Assignment, Word, added
from execpolicy.store.snapshot import EnvironmentTable
from execpolicy.support.ordered_enum import OrderedEnum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection


class VariableKind(OrderedEnum):
    """What is known of a variable that is set for a command."""

    SAFE = 0
    """Its value changes nothing."""
    HARMLESS = 1
    """A command may receive it without a question."""
    UNKNOWN = 2
    AFFECTING = 3
    """It changes what programs do."""


class Received:
    """The variables that the last command received, each with its kind."""

    __slots__ = ("_env", "_evaluated", "_numbers", "_variables", "kinds", "leads_out")

    def __init__(self, variables: EnvironmentTable) -> None:
        self._variables = variables
        self._begin()

    def _begin(self) -> None:
        self._env: tuple[Assignment, ...] = ()
        self._evaluated: list[int] = []
        self._numbers: dict[VariableKind, list[int]] = {kind: [] for kind in VariableKind}
        self.kinds: list[VariableKind] = []
        self.leads_out = False
        """Whether one that changes what programs do may name what lies outside of the project."""

    def take(self, env: tuple[Assignment, ...]) -> None:
        """Look at those of another command."""
        new = added(env, self._env)
        if len(new) == len(env):
            self._begin()
        for number, one in enumerate(new, len(self.kinds)):
            kind = self._kind(one)
            self.kinds.append(kind)
            self._numbers[kind].append(number)
            if not isinstance(one.value, str) or "[" in one.value:
                self._evaluated.append(number)
        self._env = env

    def _kind(self, one: Assignment) -> VariableKind:
        variables = self._variables
        affects = variables.affects_execution(one.name)
        self.leads_out = self.leads_out or (affects and _leads_out(one.value))
        if variables.has_harmless_value(one.name, one.value):
            return VariableKind.SAFE
        if affects:
            return VariableKind.AFFECTING
        is_harmless = variables.harmless(one.name)
        return VariableKind.HARMLESS if is_harmless else VariableKind.UNKNOWN

    def telling(
        self, unknown: bool, evaluated: bool, named: "Collection[str]", limit: int
    ) -> list[int]:
        """The numbers of the first ones that a command may be asked about: those that change what
        it does, those `named`, and where it counts what is not known or may be evaluated."""
        lists = [self._numbers[VariableKind.AFFECTING]]
        lists += [self._numbers[VariableKind.UNKNOWN]] if unknown else []
        lists += [self._evaluated] if evaluated else []
        if named:
            lists.append([n for n, one in enumerate(self._env) if one.name in named])
        found = {number for each in lists for number in each[:limit]}
        return sorted(found)[:limit]


def _leads_out(value: Word | None) -> bool:
    """Whether a value may name what lies outside of the project, as `LD_PRELOAD=/x` does."""
    if not isinstance(value, str):
        return True
    pieces = value.replace("=", ":").replace(" ", ":").split(":")
    return any(piece[:1] in ("/", "~") or ".." in piece.split("/") for piece in pieces)
