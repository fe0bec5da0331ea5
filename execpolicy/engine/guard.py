"""For agents written in Python: a tool function that asks the policy before it runs.

>>> from execpolicy import Denied, Engine, guard
>>> engine = Engine.load(rules=[])
>>> def run(command: str) -> str:
...     return f"ran {command}"
>>> shell = guard(run, engine)
>>> shell("ls -la")
'ran ls -la'
>>> try:
...     shell("rm -rf /")
... except Denied as denied:
...     print(denied.as_dict()["decision"])
forbidden
"""

from execpolicy.engine.engine import Engine
from execpolicy.engine.requests import words_of
from execpolicy.hosts.payloads.words import reason, unasked
from execpolicy.model.decision import Decision
from execpolicy.model.errors import ExecPolicyError
from execpolicy.model.operation import Request
from execpolicy.model.verdict import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import ParamSpec, TypeVar

    P = ParamSpec("P")
    R = TypeVar("R")
    Ask = Callable[[Verdict], bool | Awaitable[bool]]


class Denied(ExecPolicyError):  # noqa: N818 — what happened, not that something is wrong
    """A tool was not run. `str()` is a sentence for the model, `verdict` what it rests on."""

    def __init__(self, verdict: Verdict, message: str) -> None:
        super().__init__(message)
        self.verdict = verdict

    def as_dict(self) -> "dict[str, object]":
        """What a model can act on: the decision and the reason. How to allow it is for the user."""
        return {"decision": self.verdict.decision.word, "reason": str(self)}


def guard(
    tool: "Callable[P, R]",
    engine: Engine,
    *,
    request: "Callable[P, str | Request] | None" = None,
    ask: "Ask | None" = None,
) -> "Callable[P, R]":
    """The tool, run only if the policy allows it or the user agrees.

    `request` makes the tool's arguments what is asked about, a script text or a `Request`; by
    default it is the argument `command`, else the first. `ask` is given the verdict where the user
    should decide and says yes or no; for an `async` tool it may be `async`, too. Without it
    no question is asked. Raises `Denied`, and `RequestError` for what is not a request.
    """
    from inspect import iscoroutinefunction

    asked: Callable[..., str | Request] = request or _command

    def decide(*args: "P.args", **kwargs: "P.kwargs") -> Verdict:
        return _decide(engine, asked(*args, **kwargs))

    if iscoroutinefunction(tool):
        return _guarded_coroutine(tool, decide, ask)  # type: ignore[return-value]
    return _guarded_function(tool, decide, ask)


def _guarded_coroutine(
    tool: "Callable[P, Awaitable[object]]", decide: "Callable[P, Verdict]", ask: "Ask | None"
) -> "Callable[P, Awaitable[object]]":
    from functools import wraps

    @wraps(tool)
    async def guarded(*args: "P.args", **kwargs: "P.kwargs") -> object:
        verdict = decide(*args, **kwargs)
        agreed: bool | None = None
        if verdict.decision is Decision.PROMPT and ask is not None:
            answer = ask(verdict)
            agreed = answer if isinstance(answer, bool) else await answer
            if not isinstance(agreed, bool):
                raise TypeError("`ask` must say yes or no: `True` or `False`")
        _refuse(verdict, agreed)
        return await tool(*args, **kwargs)

    return guarded


def _guarded_function(
    tool: "Callable[P, R]", decide: "Callable[P, Verdict]", ask: "Ask | None"
) -> "Callable[P, R]":
    from functools import wraps

    @wraps(tool)
    def guarded(*args: "P.args", **kwargs: "P.kwargs") -> "R":
        verdict = decide(*args, **kwargs)
        agreed: bool | None = None
        if verdict.decision is Decision.PROMPT and ask is not None:
            answer = ask(verdict)
            if not isinstance(answer, bool):
                getattr(answer, "close", bool)()  # it is never awaited
                raise TypeError("`ask` must say yes or no at once where the tool is not async")
            agreed = answer
        _refuse(verdict, agreed)
        return tool(*args, **kwargs)

    return guarded


def _command(*args: object, **kwargs: object) -> "str | Request":
    given = (
        kwargs["command"] if "command" in kwargs else next(iter((*args, *kwargs.values())), None)
    )
    if isinstance(given, (list, tuple)):
        return Request(argv=words_of(given))
    if not isinstance(given, str):
        raise TypeError("the tool has no argument `command`: give `request` to `guard`")
    return given


def _decide(engine: Engine, asked: "str | Request") -> Verdict:
    return engine.decide(Request(text=asked) if isinstance(asked, str) else asked)


def _refuse(verdict: Verdict, agreed: bool | None) -> None:
    """Raise `Denied` unless the tool may run. `agreed` is None where the user was not asked."""
    if verdict.allowed or (agreed is True and verdict.decision is Decision.PROMPT):
        return
    message = reason(verdict)
    if verdict.decision is Decision.PROMPT:
        message = f"the user said no: {message}" if agreed is False else unasked(message)
    raise Denied(verdict, message)
