"""What the supervisor does with a program that an agent starts: run it, refuse it, or ask.

Where the agent's own text around its model's command is known exactly, the command is what is
decided about, and the whole is what runs. All else is decided about as it is.
"""

import os
from _collections_abc import Callable, Mapping

from execpolicy.hosts.agents.agent import AgentEntry
from execpolicy.hosts.shell_calls import CallRole, HostDirectories, ShellCall, shell_call
from execpolicy.hosts.shell_calls.own import is_own
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.sandbox.api import Attempt
from execpolicy.sandbox.ruling import only_signals
from execpolicy.support.ordered_enum import OrderedEnum
from execpolicy.support.record import Value
from execpolicy.wrap.session_snapshots import SessionSnapshots, ShellDefinitions, read_with

_READ_AS = {"dash": "sh"}
_NOTHING = ShellDefinitions()


class ShellAction(OrderedEnum):
    """What becomes of a command."""

    RUN = 0
    """It runs in a sandbox of its own."""
    PENDING = 1
    """A person has to be asked."""
    REFUSE = 2
    """It does not run."""


class WrappedAgent(Value):
    """What decides about the calls of one agent in one session, which works in `root`."""

    entry: "AgentEntry"
    places: "HostDirectories"
    snapshots: "SessionSnapshots"
    root: str | None = None


class ShellRequest(Value):
    """What is decided about where an agent starts a program.

    `call` is the agent's form, where that is known, `defined` what its snapshot defines. `own`: the
    agent starts this by itself.
    """

    request: Request
    call: "ShellCall | None" = None
    defined: ShellDefinitions = _NOTHING
    own: bool = False


def requested(agent: WrappedAgent, argv: tuple[str, ...], cwd: str) -> ShellRequest:
    """What is to be decided about where an agent starts this program."""
    whole = Request(argv=argv, cwd=cwd, root=agent.root)
    call = shell_call(agent.entry.name, argv, agent.places)
    if call is None or call.role is CallRole.OWN:
        return ShellRequest(whole, call, own=is_own(agent.entry, argv, call))
    text, given = call.command, _NOTHING
    if call.snapshot:
        known = agent.snapshots.of(call.snapshot, call.shadows)
        if known is None or not known.is_whole:
            return ShellRequest(whole)
        given = known
        read = read_with(text, given) if call.same_shell else text
        if read is None:
            return ShellRequest(whole)
        text = read
    name = call.shell.rpartition("/")[2]
    request = whole.replace(text=text, argv=None, shell=_READ_AS.get(name, name))
    return ShellRequest(request, call, given)


def set_by(
    asked: ShellRequest, environment: "Mapping[str, str]", secret: "Callable[[str], bool]"
) -> dict[str, str]:
    """The variables that the agent's own text and its snapshot set before the command: what PATH
    leads to is what runs."""
    call, given = asked.call, asked.defined
    own = call.kept if call is not None else ()
    found = {n: v for n, v in given.variables if n not in own and not secret(n)}
    if call is not None and call.path:
        before = found.get("PATH", environment.get("PATH", os.defpath))
        found["PATH"] = os.pathsep.join((*call.path, before))
    return found


def action(attempt: "Attempt", own: bool) -> ShellAction:
    """What becomes of a command that was decided about."""
    if attempt.ruling.decision is Decision.PROMPT:
        passes = own or only_signals(attempt.verdict)
        return ShellAction.RUN if passes else ShellAction.PENDING
    is_refused = attempt.ruling.decision is Decision.FORBIDDEN
    return ShellAction.REFUSE if is_refused else ShellAction.RUN
