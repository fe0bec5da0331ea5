"""The way of a command through policy, question and sandbox, as one small class for embedders."""

from execpolicy.engine.guard import Denied
from execpolicy.model.decision import Decision
from execpolicy.sandbox.api import Result, Sandbox
from execpolicy.sandbox.backends.unconfined import Unconfined
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Command = str | Sequence[str]


class Question(Value):
    """What the user is asked.

    `outside`: whether to run it once more without walls, after an attempt inside was denied. What
    the first attempt did happens twice then.
    """

    command: "Command"
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

    def __init__(self, sandbox: Sandbox, ask: "Callable[[Question], bool]") -> None:
        self.sandbox = sandbox
        self.ask = ask

    def run(self, command: "Command", *, cwd: str | None = None, stdin: bytes = b"") -> Result:
        """Run a command as far as the policy and the user let it.

        Raises `Denied` where it is refused, and `NoSandboxError`.
        """
        verdict = self.sandbox.decide(command, cwd=cwd)
        ruled = self.sandbox.ruling(command, cwd=cwd)
        approved = ruled.decision is Decision.PROMPT and self.ask(Question(command, ruled.reason))
        if ruled.decision is not Decision.ALLOW and not approved:
            raise Denied(verdict, f"{ruled.decision.word}: {ruled.reason}")
        result = self.sandbox.execute(command, cwd=cwd, stdin=stdin, approved=approved)
        if not result.denials:
            return result
        reason = f"{result.denials[0].told}; outside, all that it did happens twice"
        if not self.ask(Question(command, reason, outside=True)):
            return result
        return self._outside().execute(command, cwd=cwd, stdin=stdin, approved=True)

    def _outside(self) -> Sandbox:
        """The same policy without walls, for the one command that the user let out."""
        known = self.sandbox
        return Sandbox(
            known.engine,
            confined=known.confined,
            backend=Unconfined("none"),
            environment=known.environment,
        )
