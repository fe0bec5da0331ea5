"""Runs commands in a sandbox that is made from the policy.

>>> import execpolicy, execpolicy.sandbox
>>> sandbox = execpolicy.sandbox.Sandbox(execpolicy.Engine.load(rules=[]))
>>> sandbox.plan(["true"]).argv
('true',)

Names are imported when they are first used.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.sandbox.api import Result as Result
    from execpolicy.sandbox.api import Sandbox as Sandbox
    from execpolicy.sandbox.backends.backend import Backend as Backend
    from execpolicy.sandbox.backends.backend import RunOutcome
    from execpolicy.sandbox.backends.backend import Watching as Watching
    from execpolicy.sandbox.denied.denials import Denial as Denial
    from execpolicy.sandbox.errors import NoSandboxError as NoSandboxError
    from execpolicy.sandbox.leftovers.quarantine import Moved as Moved
    from execpolicy.sandbox.orchestrator import Orchestrator as Orchestrator
    from execpolicy.sandbox.orchestrator import Question as Question
    from execpolicy.sandbox.plan import Plan as Plan
    from execpolicy.sandbox.walls import Mount as Mount
    from execpolicy.sandbox.walls import Wall as Wall

    Outcome = RunOutcome

_HOMES = {
    "sandbox.api": "Result Sandbox",
    "sandbox.backends.backend": "Backend Outcome:RunOutcome Watching",
    "sandbox.denied.denials": "Denial",
    "sandbox.errors": "NoSandboxError",
    "sandbox.leftovers.quarantine": "Moved",
    "sandbox.orchestrator": "Orchestrator Question",
    "sandbox.plan": "Plan",
    "sandbox.walls": "Mount Wall",
}

__all__ = sorted(name.partition(":")[0] for names in _HOMES.values() for name in names.split())


def __getattr__(name: str) -> object:
    from execpolicy.support import lazy_attribute

    return lazy_attribute(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
