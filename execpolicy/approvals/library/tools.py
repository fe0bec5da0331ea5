"""One decorator that has a policy decide about any tool, for any agent library."""

from collections.abc import Callable, Coroutine
from typing import ParamSpec

from execpolicy.approvals.library.manager import Permission, PermissionManager
from execpolicy.model.errors import ExecPolicyError

P = ParamSpec("P")
Later = Callable[P, Coroutine[None, None, object]]


class RefusedError(ExecPolicyError):
    """A tool was not run. `str()` is a sentence for the model."""

    def __init__(self, permission: Permission) -> None:
        super().__init__(permission.message or "it was refused")
        self.permission = permission


def permitted(
    manager: PermissionManager,
    *,
    tool: str | None = None,
    without: tuple[str, ...] = ("self", "ctx", "context"),
    refused: Callable[[Permission], object] | None = None,
) -> Callable[[Callable[P, object]], Later[P]]:
    """A decorator: the tool runs only if the manager permits the call.

    The tool becomes async and keeps its name, its signature and its documentation, by which agent
    libraries describe it. `tool` is the name to decide about, by default the function's. Arguments
    called `without` are the library's own and not looked at. `refused` makes of a refusal what the
    model gets; without it the call raises `RefusedError`.
    """

    def decorate(function: Callable[P, object]) -> Later[P]:
        from functools import wraps
        from inspect import isawaitable, signature

        shape = signature(function)
        name = tool or function.__name__

        @wraps(function)
        async def run(*args: P.args, **kwargs: P.kwargs) -> object:
            bound = shape.bind(*args, **kwargs)
            bound.apply_defaults()
            given = {k: v for k, v in bound.arguments.items() if k not in without}
            permission = await manager.check(name, given)
            if not permission.allowed:
                if refused is None:
                    raise RefusedError(permission)
                return refused(permission)
            result = function(*args, **kwargs)
            return await result if isawaitable(result) else result

        return run

    return decorate
