"""`environment`: what is known about variables of the environment and directories of programs."""

from execpolicy.language.builtins.signature import Given, Parameter, Signature, strings
from execpolicy.language.problems import Reporter
from execpolicy.model.effect_defaults import Environment
from execpolicy.model.rule import Origin

NAMES = (
    *("harmless", "affects_execution", "directories"),
    *("ignores_environment", "repositories", "secrets"),
)
"""The arguments, which are the fields of `Environment`."""
FORMER_NAMES = {"steering": "affects_execution", "deaf": "ignores_environment"}
"""What two of them were called: files that say so still load, and `lint --fix` renames them."""
ENVIRONMENT = Signature(
    "environment",
    tuple(Parameter(name, ("list",)) for name in (*NAMES, *FORMER_NAMES)),
    positional=0,
)


def environment(given: Given, origin: Origin, report: Reporter) -> Environment | None:
    """The names and directories that the call states, or None after a problem was reported."""
    lists = {name: strings(value) for name, value in given.items()}
    for name, value in lists.items():
        if value is None:
            report("environment", f"`{name}` must hold strings only", at=name)
    if None in lists.values():
        return None
    fields = {name: lists.get(name) or () for name in NAMES}
    for former, name in FORMER_NAMES.items():
        fields[name] += lists.get(former) or ()
    return Environment(origin=origin, **fields)
