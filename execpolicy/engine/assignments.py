"""What is said about variables that a text sets: for one command, or for all commands after it."""

from _collections_abc import Iterator

from execpolicy.catalogue import Reading
from execpolicy.engine.rules.received import Received, VariableKind
from execpolicy.engine.scene import RequestCommand
from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.model.operation import Assign, Assignment, Dynamic, Exec, Word
from execpolicy.model.program import CONTAINED
from execpolicy.model.rule import PROJECT
from execpolicy.model.verdict import Match, Source
from execpolicy.places.steering import Steering
from execpolicy.store.snapshot import Snapshot

MAX_ASKED = 64
"""Variables that one command is asked about by name."""


def environment(command: RequestCommand, lifted: frozenset[int]) -> "Iterator[Match]":
    """Assignments that the command receives and that may change what it does.

    `lifted`: the numbers of its effects that a rule allows.
    """
    operation, reading, snapshot = command.operation, command.reading, command.scene.snapshot
    received = command.scene.received
    received.take(operation.env)
    ignored = snapshot.variables.ignores_environment(operation.argv[0])
    contained = _in_sandbox(operation, reading, snapshot, received)
    runs_project = _is_allowed_code(operation, reading, lifted, snapshot)
    choosing = _choosing(reading, lifted)
    unknown = not (ignored or runs_project)
    numbers = received.telling(unknown, not ignored, choosing, MAX_ASKED + 1)
    if len(numbers) > MAX_ASKED:
        yield _asks("", "what all variables change that it receives is not known", operation.argv)
    for number in numbers[:MAX_ASKED]:
        assignment, kind = operation.env[number], received.kinds[number]
        if kind is VariableKind.SAFE or (assignment.name == "IFS" and operation.argv[0] == "read"):
            continue  # `IFS= read`: it is only for this builtin
        if kind is VariableKind.AFFECTING:
            why = f"`{assignment.name}` changes what programs do"
            inside = contained if _is_code(reading) else Decision.PROMPT
            yield _asks(assignment.name, why, operation.argv, inside)
        elif unknown and kind is VariableKind.UNKNOWN:
            why = f"what `{assignment.name}` changes is not known"
            yield _asks(assignment.name, why, operation.argv, contained)
        elif assignment.name in choosing:
            why = f"`{assignment.name}` chooses what is changed"
            yield _asks(assignment.name, why, operation.argv)
        elif not ignored and _evaluated(assignment, command):
            why = f"`{assignment.name}` may hold a command where a shell reads a number"
            yield _asks(assignment.name, why, operation.argv)


def _asks(
    name: str, why: str, argv: "tuple[Word, ...]" = (), confined: Decision | None = None
) -> Match:
    return Match(Source.READER, Decision.PROMPT, why, argv=argv, confined=confined, variable=name)


_CHANGES = frozenset(("remote", "system", "destroy"))


def _choosing(reading: Reading, lifted: frozenset[int]) -> frozenset[str]:
    """The variables that say of which account, project or cluster a command changes something, or
    in which the project's code works that a rule allows."""
    changes = not _CHANGES.isdisjoint(cause.effect for cause in reading.effects)
    if not changes and not any(reading.effects[number].is_code for number in lifted):
        return frozenset()
    from execpolicy.support.resources import words_of

    return words_of("environment")["choosing"]


def inherited(
    operation: Exec, steering: "tuple[Steering, ...]", snapshot: Snapshot
) -> "Iterator[Match]":
    """Variables that the command inherits and that lead it to code of the project.

    A command that sets the variable itself is asked about for that.
    """
    program = operation.argv[0]
    set_here = {assignment.name for assignment in operation.env}
    inside = snapshot.defaults.confined("execute", (PROJECT,))
    obeyed = (s for s in steering if not isinstance(program, str) or s.steers(program))
    for name, path in {one.name: one.path for one in obeyed}.items():
        if name not in set_here:
            why = f"`{name}` of the environment leads to `{printable(path, 80)}` in the project"
            yield _asks(name, why, operation.argv, inside)


def assigned(operation: Assign, snapshot: Snapshot) -> "Iterator[Match]":
    """Matches of a variable that is set for the commands after it."""
    variables, name = snapshot.variables, operation.assignment.name
    if variables.has_harmless_value(name, operation.assignment.value):
        return
    if variables.affects_execution(name):
        yield _asks(name, f"`{name}` changes what programs do")
    elif operation.assignment.exported and not variables.harmless(name):
        why = f"what exporting `{name}` changes is not known"
        # In the sandbox each command that gets it says it again.
        inside = snapshot.defaults.confined("execute", (PROJECT,))
        yield _asks(name, why, confined=inside)


def _is_allowed_code(
    operation: Exec, reading: Reading, lifted: frozenset[int], snapshot: Snapshot
) -> bool:
    """Whether a rule allows the project's code that runs, and what the command sets for it is a
    switch: no variable of a program, and no path, host, account or database."""
    code = [number for number, cause in enumerate(reading.effects) if cause.is_code]
    if not code or not lifted.issuperset(code):
        return False
    from execpolicy.places.steering import may_lead

    affects = snapshot.variables.affects_execution
    return not any(affects(a.name) or may_lead(a.name) for a in operation.env) and all(
        _is_switch(a.value) for a in operation.env
    )


def _is_switch(value: Word | None) -> bool:
    """Whether a value is a number or a word of degree, and can be the name of nothing."""
    from execpolicy.support.resources import words_of

    switches = words_of("environment")["switches"]
    return isinstance(value, str) and (value.isdecimal() or value.lower() in switches)


def _in_sandbox(
    operation: Exec, reading: Reading, snapshot: Snapshot, received: "Received"
) -> Decision:
    """What its variables are in the sandbox: code of the project could set them for itself."""
    own = operation.argv[0] in snapshot.variables.repositories
    if received.leads_out or not (_is_code(reading) or (_is_held(reading) and not own)):
        return Decision.PROMPT
    return snapshot.defaults.confined("execute", (PROJECT,))


def _is_code(reading: Reading) -> bool:
    """Whether what runs is code of the project, or no more than that in the sandbox."""
    return reading.is_unknown or any(cause.is_code for cause in reading.effects)


def _is_held(reading: Reading) -> bool:
    """Whether all that a program does stays in the sandbox, whatever a variable says to it."""
    causes = reading.effects
    return not reading.inner and all(c.effect in CONTAINED and not c.secret for c in causes)


def _evaluated(assignment: "Assignment", command: RequestCommand) -> bool:
    """Whether arithmetic inside would run a subscript: `CI='a[$(cmd)]' sh -c 'echo $((CI))'`."""
    value = assignment.value
    if isinstance(value, str):
        return "[" in value and ("$" in value or "`" in value)
    if any(isinstance(inner.script, Dynamic) for inner in command.reading.inner):
        return True
    steps = (step for step in command.scene.steps if step.outer == command.number)
    return any(step.position.facts.takes(assignment.name) for step in steps)
