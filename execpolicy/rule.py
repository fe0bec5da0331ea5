"""Rules: what people write, after it was judged to be well-formed."""

from execpolicy.decision import Decision
from execpolicy.value import Value

Pattern = tuple[tuple[str, ...], ...]
"""One entry a position; each entry holds the alternatives for that position."""


class Origin(Value):
    """Where a rule was written. `line` counts from 1."""

    layer: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class PrefixRule(Value):
    """Decides commands whose first words fit `pattern`.

    `canonical` compares tokens caselessly by Unicode canonical equivalence. `unless` holds patterns
    that are exceptions: where one of them is a prefix too, the rule is silent. `exact`: the command
    must end where the pattern ends.
    """

    pattern: Pattern
    decision: Decision
    justification: str | None
    origin: Origin
    canonical: bool = False
    unless: tuple[Pattern, ...] = ()
    exact: bool = False


class HostExecutable(Value):
    """The absolute paths that may stand for the bare program `name`."""

    name: str
    paths: tuple[str, ...]
    origin: Origin


class NetworkRule(Value):
    """Decides a host. `host` is normalised: lower case, no port, no trailing dot."""

    host: str
    protocol: str
    decision: Decision
    justification: str | None
    origin: Origin


Rule = PrefixRule | HostExecutable | NetworkRule
