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
    from execpolicy.engine.engine import Engine as Engine
    from execpolicy.engine.guard import Denied as Denied
    from execpolicy.engine.guard import guard as guard
    from execpolicy.model.decision import Decision as Decision
    from execpolicy.model.errors import Diagnostic as Diagnostic
    from execpolicy.model.errors import ExecPolicyError as ExecPolicyError
    from execpolicy.model.errors import PolicyError as PolicyError
    from execpolicy.model.errors import RequestError as RequestError
    from execpolicy.model.operation import Access as Access
    from execpolicy.model.operation import Connect as Connect
    from execpolicy.model.operation import Exec as Exec
    from execpolicy.model.operation import Opaque as Opaque
    from execpolicy.model.operation import Request as Request
    from execpolicy.model.verdict import Match as Match
    from execpolicy.model.verdict import Verdict as Verdict

_HOMES = {
    "engine.engine": "Engine",
    "engine.guard": "Denied guard",
    "model.decision": "Decision",
    "model.errors": "Diagnostic ExecPolicyError PolicyError RequestError",
    "model.operation": "Access Connect Exec Opaque Request",
    "model.verdict": "Match Verdict",
}

__all__ = sorted(name.partition(":")[0] for names in _HOMES.values() for name in names.split())


def __getattr__(name: str) -> object:
    from execpolicy.support import lazy_attribute

    return lazy_attribute(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
