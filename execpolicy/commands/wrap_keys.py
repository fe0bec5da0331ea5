"""A command of a wrapped session that uses a key of the user, and runs alone with it and its host.

What comes before and after it in a list runs in sandboxes of their own, as does what reads its
output.
"""

import shlex

from execpolicy.commands import run_keys
from execpolicy.commands.exit_codes import say
from execpolicy.commands.run_job import Runnable, go
from execpolicy.commands.run_keys import KeyAsked, RunKey, key_of, piped, used, with_way_of_key
from execpolicy.engine.rules.credentials import may_use_key
from execpolicy.hosts.shell_calls import shell_call
from execpolicy.model.errors import printable
from execpolicy.sandbox import running
from execpolicy.sandbox.keys.apply import KEPT
from execpolicy.sandbox.scan.git import GitUse
from execpolicy.sandbox.scan.paths_named import paths_named
from execpolicy.support.record import Value
from execpolicy.wrap.command_sandbox import Ends, InSession
from execpolicy.wrap.namespaces import Namespaces
from execpolicy.wrap.shell_decision import ShellRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from execpolicy.commands.run_keys import Reader
    from execpolicy.model.operation import Request
    from execpolicy.sandbox.api import Attempt
    from execpolicy.sandbox.job import Job
    from execpolicy.sandbox.plan import Approved
    from execpolicy.sandbox.walls import Mount
    from execpolicy.shell.parts import TextPart
    from execpolicy.wrap.protocol import CommandRequest
    from execpolicy.wrap.shell_decision import WrappedAgent

STREAMS = ((0, 0), (1, 1), (2, 2))
"""The descriptors of what runs with a key: no others."""


class WrapCall(Value):
    """What a shim was started as, and what of that is decided about; `text` where that is a part of
    its text. `begun`: what it would start of the project ran before."""

    request: "CommandRequest"
    asked: ShellRequest
    text: str | None = None
    begun: bool = False

    def about(self, whole: "Request") -> "Request":
        """What is decided about, of the request that it is a part of."""
        return whole.replace(text=self.text, argv=None, shell=whole.shell or "bash")

    def script(self, text: str, cwd: str) -> "WrapCall":
        """Another script, by the same shell, without the agent's words."""
        call = self.asked.call
        argv = (call.shell if call is not None else "/bin/bash", "-c", text)
        request = self.request.replace(argv=argv, path=argv[0], cwd=cwd)
        return WrapCall(request, ShellRequest(self.asked.request.replace(cwd=cwd)), text)

    def part(self, agent: "WrappedAgent", text: str) -> "WrapCall | None":
        """The same with this text in the place of the model's; None where the agent's words around
        it are not known."""
        argv, call = self.request.argv, self.asked.call
        if call is None:
            return WrapCall(self.request.replace(argv=(*argv[:2], text)), self.asked, text)
        if call.command != self.asked.request.text:
            return None
        for write in (str, shlex.quote):
            before, old, after = argv[-1].rpartition(write(call.command))
            made = (*argv[:-1], before + write(text) + after)
            given = (self.request.path, *made[1:])
            if old and shell_call(agent.entry.name, given, agent.places) == call.replace(
                command=text
            ):
                return WrapCall(self.request.replace(argv=made), self.asked, text)
        return None


class WrapKey(Value):
    """The key of a command, and the job that it runs as with it, None where none opens."""

    key: RunKey
    job: "Job | None"
    attempt: "Attempt"

    def tell(self) -> None:
        """Say why none was opened."""
        say(f"no key of yours was opened: {printable(self.key.why, 300)}")

    def run(self, request: "CommandRequest", ends: Ends, reader: "Reader") -> int:
        """Run it in namespaces of its own; the exit code of the last of what reads its output.

        Raises `NoSandboxError`.
        """
        job, attempt = self.job, self.attempt
        assert job is not None  # noqa: S101
        plan, namespaces = job.plan, Namespaces.begin()
        limits = {"umask": request.umask, "limits": request.limits}
        backend = InSession(namespaces, STREAMS, ends, whole=True, **limits)  # type: ignore[arg-type]
        run = lambda: running.run(job, forward=False, backend=backend)  # noqa: E731
        what = Runnable(plan.argv, plan.environment, plan.settings, run, lambda: job)

        def needed() -> "tuple[GitUse, tuple[Approved, ...]]":
            return attempt.use, paths_named(attempt.request, attempt.snapshot)

        try:
            return piped(self.key, reader, lambda: go(what, None, needed))
        finally:
            namespaces.end()


def key_of_call(
    attempt: "Attempt",
    make: "Callable[[], Job]",
    given: "Mapping[str, str]",
    written: "tuple[Mount, ...]",
    *,
    approved: bool,
    begun: bool,
) -> WrapKey | None:
    """The key of a command that may run; None where it uses none. `given` is what programs outside
    are started with. `make` makes what it would run as without one."""
    of = attempt.request, attempt.verdict, attempt.snapshot
    asked = KeyAsked(*of, given, approved, written, begun)
    if used(asked)[1] is None:
        return None
    job = make()
    key = key_of(asked, job)
    if key is None:
        return None
    if key.opening is None:
        return WrapKey(key, None, attempt)
    return WrapKey(key, with_way_of_key(key.applied(job), key.opening, attempt.snapshot), attempt)


def parts_with_key(
    attempt: "Attempt", call: WrapCall, agent: "WrappedAgent"
) -> "tuple[tuple[TextPart, WrapCall], ...]":
    """The parts of a list of which one uses a key, each as it is started; else none."""
    if call.asked.own or call.begun or not may_use_key(attempt.verdict, attempt.snapshot):
        return ()
    found = run_keys.parts_with_key(attempt.request, attempt.snapshot)
    parts = ((one, call.part(agent, one.text)) for one in found)
    made = [(one, part.replace(begun=one.is_begun)) for one, part in parts if part]
    return tuple(made) if len(made) == len(found) > 1 else ()


def own_variables(given: "Mapping[str, str]", at_start: "Mapping[str, str]") -> "dict[str, str]":
    """The variables of a command, of which those that a run with a key keeps are the user's."""
    left = {name: value for name, value in given.items() if name not in KEPT}
    return left | {name: at_start[name] for name in KEPT if name in at_start}
