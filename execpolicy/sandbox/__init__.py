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
    from execpolicy.sandbox.backends.backend import RunOutcome as Outcome
    from execpolicy.sandbox.backends.backend import Watching as Watching
    from execpolicy.sandbox.denied.denials import Denial as Denial
    from execpolicy.sandbox.errors import NoSandboxError as NoSandboxError
    from execpolicy.sandbox.leftovers.quarantine import Moved as Moved
    from execpolicy.sandbox.orchestrator import Orchestrator as Orchestrator
    from execpolicy.sandbox.orchestrator import Question as Question
    from execpolicy.sandbox.plan import Plan as Plan
    from execpolicy.sandbox.walls import Mount as Mount
    from execpolicy.sandbox.walls import Wall as Wall

_HOMES = {
    "Backend": "sandbox.backends.backend",
    "Denial": "sandbox.denied.denials",
    "Mount": "sandbox.walls",
    "Moved": "sandbox.leftovers.quarantine",
    "NoSandboxError": "sandbox.errors",
    "Orchestrator": "sandbox.orchestrator",
    "Outcome": "sandbox.backends.backend:RunOutcome",
    "Plan": "sandbox.plan",
    "Question": "sandbox.orchestrator",
    "Result": "sandbox.api",
    "Sandbox": "sandbox.api",
    "Wall": "sandbox.walls",
    "Watching": "sandbox.backends.backend",
}

__all__ = [
    "Backend",
    "Denial",
    "Mount",
    "Moved",
    "NoSandboxError",
    "Orchestrator",
    "Outcome",
    "Plan",
    "Question",
    "Result",
    "Sandbox",
    "Wall",
    "Watching",
]


def __getattr__(name: str) -> object:
    from execpolicy.support import lazy_attribute

    return lazy_attribute(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
