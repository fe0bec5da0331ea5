"""Allow rules where PATH finds a program of the project: of `.venv/bin`, of `node_modules/.bin`.

Such a program is code of the project, so a rule for its name means it only where it means code of
the project: by its conditions, or since the program runs the project's code whatever it is called
with, as a test runner does.
"""

from execpolicy.engine.rules.rules import OuterRule
from execpolicy.engine.scene import RequestCommand
from execpolicy.model.operation import Access
from execpolicy.model.rule import OWN, PrefixRule


def of_project(
    rules: tuple[PrefixRule, ...], command: RequestCommand, program: str
) -> tuple[PrefixRule, ...]:
    """The rules that mean this program of the project, which PATH finds."""
    if not _is_in_place(command, program):
        return ()
    runs = _runs_anyway(command, program)
    return tuple(rule for rule in rules if runs or _is_about_code(rule))


def outer_rules(rules: OuterRule, command: RequestCommand, program: str) -> OuterRule:
    """What is left of the rules on the command around it, by their conditions alone."""
    kept = tuple((rule, words) for rule, words in rules.limited if _is_about_code(rule))
    return OuterRule(None, kept if _is_in_place(command, program) else ())


def _is_in_place(command: RequestCommand, program: str) -> bool:
    """Whether the program certainly lies in the project."""
    found = command.scene.overlays.of(Access(program, "execute"), command.number)
    return OWN.issuperset(base.place for base in found.bases)


def _is_about_code(rule: PrefixRule) -> bool:
    """Whether a rule says that code may run, and where that lies."""
    wanted = rule.conditions
    return wanted is not None and "execute" in wanted.effects and bool(wanted.places)


def _runs_anyway(command: RequestCommand, program: str) -> bool:
    """Whether the program runs code of the project wherever it lies itself."""
    causes = (c for c in command.reading.effects if c.effect == "execute" and c.is_inherent)
    return any(not isinstance(c.subject, Access) or c.subject.path != program for c in causes)
