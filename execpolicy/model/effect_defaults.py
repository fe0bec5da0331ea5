"""What happens where no rule applies: a decision for each effect and place; what variables do."""

from execpolicy.model.decision import Decision
from execpolicy.model.rule import Origin
from execpolicy.support.record import Value


class Stated(Value):
    """A decision for an effect in paths of one class, or wherever it happens if `place` is empty.

    `confined`: it holds for what runs in the sandbox.
    """

    effect: str
    decision: Decision
    place: str = ""
    confined: bool = False


class Posture(Value):
    """Decisions for some effects. A higher layer's replace a lower one's, effect by effect.

    One that is not `trusted` may only tighten: it comes from a file that is not trusted.
    """

    decisions: tuple[Stated, ...]
    origin: Origin
    trusted: bool = True


class Environment(Value):
    """What is known about environment variables and program directories.

    `harmless` names change nothing that matters, names in `affects_execution` change what runs; a
    name ending in `*` stands for all that begin so. `NAME=VALUE` is harmless with that very value.
    A program in one of `directories` is the program of that name. The programs in
    `ignores_environment` do the same whatever all other variables say. The programs in
    `repositories` do what the configuration of the git repository says that they find. The value
    of a variable in `secrets` is a credential.
    """

    harmless: tuple[str, ...]
    affects_execution: tuple[str, ...]
    directories: tuple[str, ...]
    origin: Origin
    ignores_environment: tuple[str, ...] = ()
    repositories: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
