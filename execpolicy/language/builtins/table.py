"""The builtins of the rules language, each with its parameters and what it makes of a call.

A new builtin is a file beside this one and a row here: the evaluator, the compiler and lint
read this table.
"""

from collections.abc import Callable

from execpolicy.language.builtins.environment import ENVIRONMENT, environment
from execpolicy.language.builtins.examples import Examples
from execpolicy.language.builtins.executable import EXECUTABLE, host_executable
from execpolicy.language.builtins.network import (
    HOST_SET,
    NETWORK,
    host_set,
    network_rule,
    network_rule_of_codex,
)
from execpolicy.language.builtins.places import PATH, PLACE, path_rule, place
from execpolicy.language.builtins.posture import POSTURE, posture
from execpolicy.language.builtins.prefix import PREFIX, prefix_rule
from execpolicy.language.builtins.program import PROGRAM, program
from execpolicy.language.builtins.sandbox import SANDBOX, sandbox
from execpolicy.language.builtins.signature import Given, Signature, bind
from execpolicy.language.calls import BuiltinCall
from execpolicy.language.problems import Reporter
from execpolicy.model.effect_defaults import Environment, Posture
from execpolicy.model.rule import Origin, Rule
from execpolicy.model.written.program import Program
from execpolicy.support.record import Value

Item = Rule | Program | Posture | Environment
"""What a call makes; one of `prefix_rule` makes several rules, with their examples."""


class Builtin(Value):
    """A builtin. `make` gets the arguments of a call by name, of the right types, the place of the
    call and a reporter; what it gives counts only if it reported nothing.
    """

    signature: Signature
    make: Callable[[Given, Origin, Reporter], Item | Examples | None]

    def judge(self, call: BuiltinCall, origin: Origin, report: Reporter) -> Item | Examples | None:
        """What a call makes, or None after all its problems were reported."""
        before = report.problems.count
        given = bind(call, self.signature, report)
        if given is None:
            return None
        made = self.make(given, origin, report)
        return made if report.problems.count == before else None


BUILTINS: dict[str, Builtin] = {
    "prefix_rule": Builtin(PREFIX, prefix_rule),
    "host_executable": Builtin(EXECUTABLE, host_executable),
    "network_rule": Builtin(NETWORK, network_rule),
    "host_set": Builtin(HOST_SET, host_set),
    "path_rule": Builtin(PATH, path_rule),
    "place": Builtin(PLACE, place),
    "program": Builtin(PROGRAM, program),
    "posture": Builtin(POSTURE, posture),
    "environment": Builtin(ENVIRONMENT, environment),
    "sandbox": Builtin(SANDBOX, sandbox),
}
"""Each builtin by the name that a rules file calls."""

CODEX_BUILTINS = {**BUILTINS, "network_rule": Builtin(NETWORK, network_rule_of_codex)}
"""The same where a call that Codex has too counts only as far as Codex takes it."""
