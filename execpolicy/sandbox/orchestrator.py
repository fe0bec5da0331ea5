"""The way of a command through policy, question and sandbox, as one small class for embedders."""

from collections.abc import Callable, Sequence

from execpolicy.engine.guard import Denied
from execpolicy.engine.requests import words_of
from execpolicy.model.decision import Decision
from execpolicy.sandbox.api import Result, Sandbox
from execpolicy.sandbox.backends.unconfined import Unconfined
from execpolicy.support.record import Value

Command = str | Sequence[str]


class Question(Value):
    """What the user is asked.

    `outside`: whether to run it once more without walls, after an attempt inside was denied. What
    the first attempt did happens twice then.
    """

    command: Command
    reason: str
    outside: bool = False


class Orchestrator:
    """Requirement, approval, first attempt, escalation.

    >>> import execpolicy
    >>> from execpolicy.sandbox import Orchestrator, Sandbox
    >>> sandbox = Sandbox(execpolicy.Engine.load(rules=[]))
    >>> asked = []
    >>> def ask(question):
    ...     asked.append(question.reason)
    ...     return False
    >>> try:
    ...     Orchestrator(sandbox, ask).run(["git", "push"])
    ... except execpolicy.Denied:
    ...     print(len(asked))
    1
    """

    def __init__(self, sandbox: Sandbox, ask: Callable[[Question], bool]) -> None:
        self.sandbox = sandbox
        self.ask = ask

    def run(self, command: Command, *, cwd: str | None = None, stdin: bytes = b"") -> Result:
        """Run a command as far as the policy and the user let it.

        It is decided about once, so that an answer is about what runs, whatever becomes of the
        rules, or of a list of words, while the user thinks.
        Raises `Denied` where it is refused, and `NoSandboxError`.
        """
        if not isinstance(command, str):
            command = words_of(command)
        attempt = self.sandbox.attempt(command, cwd=cwd)
        ruled = attempt.ruling
        approved = ruled.decision is Decision.PROMPT and self._agreed(command, ruled.reason)
        if ruled.decision is not Decision.ALLOW and not approved:
            raise Denied(attempt.verdict, f"{ruled.decision.word}: {ruled.reason}")
        result = self.sandbox.carry_out(attempt, stdin, approved=approved)
        if not result.denials:
            return result
        reason = f"{result.denials[0].line}; outside, all that it did happens twice"
        if not self._agreed(command, reason, outside=True):
            return result
        return self._outside().carry_out(attempt, stdin, approved=True)

    def _agreed(self, command: Command, reason: str, outside: bool = False) -> bool:
        """The answer. Raises `TypeError` for what is neither yes nor no, as a coroutine."""
        answer: object = self.ask(Question(command, reason, outside))
        if not isinstance(answer, bool):
            getattr(answer, "close", bool)()  # it is never awaited
            raise TypeError("`ask` must say yes or no at once: `True` or `False`")
        return answer

    def _outside(self) -> Sandbox:
        """The same policy without walls, for the one command that the user let out."""
        known = self.sandbox
        return Sandbox(
            known.engine,
            confined=known.confined,
            backend=Unconfined("none"),
            environment=known.environment,
        )
