"""Decide what a coding agent may do: allow, prompt or forbidden, always with the reason.

>>> import execpolicy
>>> engine = execpolicy.Engine.load(rules=[])
>>> engine.check("ls | wc -l").decision
<Decision.ALLOW: 0>
>>> engine.check(["rm", "-rf", "/"]).decision is execpolicy.Decision.FORBIDDEN
True

Names are imported when they are first used, so that `import execpolicy` costs nothing.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.decision import Decision as Decision
    from execpolicy.engine.engine import Engine as Engine
    from execpolicy.engine.guard import Denied as Denied
    from execpolicy.engine.guard import guard as guard
    from execpolicy.errors import Diagnostic as Diagnostic
    from execpolicy.errors import ExecPolicyError as ExecPolicyError
    from execpolicy.errors import PolicyError as PolicyError
    from execpolicy.errors import RequestError as RequestError
    from execpolicy.operation import Request as Request
    from execpolicy.verdict import Match as Match
    from execpolicy.verdict import Verdict as Verdict

_HOMES = {
    "Decision": "decision",
    "Denied": "engine.guard",
    "Diagnostic": "errors",
    "Engine": "engine.engine",
    "ExecPolicyError": "errors",
    "Match": "verdict",
    "PolicyError": "errors",
    "Request": "operation",
    "RequestError": "errors",
    "Verdict": "verdict",
    "guard": "engine.guard",
}

__all__ = [
    "Decision",
    "Denied",
    "Diagnostic",
    "Engine",
    "ExecPolicyError",
    "Match",
    "PolicyError",
    "Request",
    "RequestError",
    "Verdict",
    "guard",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module `execpolicy` has no attribute `{name}`")
    module = __import__(f"execpolicy.{_HOMES[name]}", fromlist=[name])
    value: object = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
