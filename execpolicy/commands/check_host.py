"""`check --host`: what the hook would answer a host about the same request, by the hook itself."""

from execpolicy.commands.hook import Hook, placed
from execpolicy.commands.options import CheckOptions
from execpolicy.engine.engine import Engine
from execpolicy.hosts.payloads.protocol import ToolCall, is_mode, meaning
from execpolicy.hosts.protocols import AGENTS, load
from execpolicy.model.errors import UsageError, printable
from execpolicy.model.operation import Request
from execpolicy.model.verdict import Verdict
from execpolicy.support.record import Value


class HostVerdict(Value):
    """What a host is told: one of `grant`, `silent`, `ask` and `refuse`, and why."""

    host: str
    mode: str
    answer: str
    why: str

    def wire(self) -> dict[str, str]:
        """As programs read it."""
        return {"name": self.host, "mode": self.mode, "answer": self.answer, "why": self.why}

    def text(self) -> str:
        """As text for the user."""
        mode = f" ({self.mode})" if self.mode else ""
        return f"  {self.host}{mode}: {self.answer}: {self.why}\n"


def host_verdict(
    engine: Engine, options: CheckOptions, request: Request, verdict: Verdict
) -> HostVerdict:
    """The answer for the verdict about a command, in the host's shell tool."""
    host = options.host or ""
    hook, agent = Hook(host), load(host)
    mode = options.mode or ""
    call = ToolCall(
        request.replace(agent=host),
        agent.EVENTS[0],
        request.cwd,
        meaning(agent.MODES, mode),
        "Bash",
        "shell",
    )
    hook.call = placed(call)
    hook.settings = engine.store.settings
    said = hook.answer_to(verdict)
    return HostVerdict(host, mode, said.word, said.why)


def validate(options: CheckOptions) -> None:
    """Raise `UsageError` for a host or a mode that does not exist, or without a host."""
    if options.host is None:
        name = "--session" if options.mode is None else "--mode"
        raise UsageError(f"`{name}` needs `--host NAME`")
    if options.host not in AGENTS:
        known = ", ".join(AGENTS)
        raise UsageError(f"unknown host `{printable(options.host, 40)}`: use one of {known}")
    modes = load(options.host).MODES
    if options.mode is not None and not is_mode(modes, options.mode):
        known = ", ".join(modes)
        raise UsageError(f"unknown mode `{printable(options.mode, 40)}`: use one of {known}")
