"""`environment`: what is known about variables of the environment and directories of programs."""

from execpolicy.language.builtins.signature import Parameter, Signature, strings
from execpolicy.model.effect_defaults import Environment
from execpolicy.model.rule import Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.language.builtins.signature import Given
    from execpolicy.language.problems import Reporter

_FIELDS = {
    "harmless": "harmless",
    "steering": "affects_execution",
    "directories": "directories",
    "deaf": "ignores_environment",
    "repositories": "repositories",
    "secrets": "secrets",
}
"""The arguments, each with the field of `Environment` that holds it."""
ENVIRONMENT = Signature(
    "environment",
    tuple(Parameter(name, ("list",)) for name in _FIELDS),
    positional=0,
)


def environment(given: "Given", origin: Origin, report: "Reporter") -> Environment | None:
    """The names and directories that the call states, or None after a problem was reported."""
    lists = {name: strings(value) for name, value in given.items()}
    for name, value in lists.items():
        if value is None:
            report("environment", f"`{name}` must hold strings only", at=name)
    if None in lists.values():
        return None
    values = {field: lists.get(name) or () for name, field in _FIELDS.items()}
    return Environment(origin=origin, **values)
