"""Policies as functions: each takes a request and says what may happen, and they combine.

>>> from execpolicy import policies
>>> policy = policies.compose(policies.path_allowlist("/srv/app"), policies.by_side_effect())
>>> policy(policies.call("read_file", {"path": "/etc/passwd"}, effects=("read",))).decision.word
'forbidden'

A policy is any callable of this form, so one's own stands beside these. `compose` takes the
strictest answer; with `first_non_allow` an early question hides a later denial, as in many agents.
"""

from collections.abc import Callable, Mapping
from typing import Protocol

from execpolicy.model import program
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Access, Connect, Exec, Opaque, Request
from execpolicy.model.verdict import Verdict
from execpolicy.support.record import Value

Resolve = Callable[[str], str | None]


class Decides(Protocol):
    """An engine, or what decides like one."""

    def decide(self, request: Request) -> Verdict:
        """The verdict about a request."""


class Outcome(Value):
    """What a policy says, and why. `remember`: what the user answers may be kept for this very
    request."""

    decision: Decision
    reason: str = ""
    remember: bool = True


Policy = Callable[[Request], Outcome]
"""What all of these are."""

ALLOW, PROMPT, FORBIDDEN = Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN

DECLARED = {"read": "read", "write": "write", "network": "network", "mutate": "mutate"}
"""The four side effects by which tools of agents describe themselves."""
EFFECTS = dict.fromkeys(program.EFFECTS, "mutate") | DECLARED
"""The effects of this package in these four."""


def call(
    tool: str,
    given: Mapping[str, object],
    *,
    effects: tuple[str, ...] | None = None,
    cwd: str | None = None,
) -> Request:
    """The request of a tool's call: what it runs, which paths it names, which host it reaches.

    A tool that no table knows, or whose input is not what it takes, is a spot not understood.
    """
    from json import dumps

    from execpolicy.hosts.payloads import tools
    from execpolicy.hosts.payloads.protocol import PayloadError

    whole = {"tool": tool, "input": dict(given), "cwd": cwd}
    try:
        found = tools.of(whole, "", ("tool", "input")).request
    except PayloadError as error:
        found = Request(cwd=cwd, operations=(Opaque(tool, str(error)),))
    if found is None:
        found = Request(cwd=cwd, operations=(Opaque(tool, "this tool is not known"),))
    return found.replace(tool=tool, input=dumps(given, sort_keys=True), effects=effects)


def allow_all(_request: Request) -> Outcome:
    """Everything may happen."""
    return Outcome(ALLOW, "everything is allowed")


def deny_all(_request: Request) -> Outcome:
    """Nothing may happen."""
    return Outcome(FORBIDDEN, "everything is denied")


def rules(engine: Decides) -> Policy:
    """The rules of an engine. An answer may be kept where a rule could say the same."""

    def policy(request: Request) -> Outcome:
        verdict = engine.decide(request)
        return Outcome(verdict.decision, verdict.reason, bool(verdict.amendments))

    return policy


def by_side_effect(
    read: Decision = ALLOW,
    write: Decision = PROMPT,
    network: Decision = PROMPT,
    mutate: Decision = PROMPT,
    *,
    undeclared: Decision = PROMPT,
    words: Mapping[str, str] = EFFECTS,
) -> Policy:
    """The strictest decision of the effects of a request; of equals the first of the four.

    The effects are those that the tool declares, else what its operations are. `words` says under
    which of the four an effect counts; one that is not there does not count. `undeclared` is for
    what has none.
    """
    table = {"read": read, "write": write, "network": network, "mutate": mutate}

    def policy(request: Request) -> Outcome:
        found = {words.get(effect) for effect in _effects(request)}
        counted = [effect for effect in table if effect in found]
        if not counted:
            return Outcome(undeclared, "no declared side effects")
        strictest = max(counted, key=lambda effect: table[effect])
        return Outcome(table[strictest], f"the side effect `{strictest}`")

    return policy


def path_allowlist(root: str, resolve: Resolve | None = None) -> Policy:
    """Requests that name paths, all of them really below a root; everything else is denied.

    `resolve` gives the real path of an absolute one, None where there is none; by default as the
    kernel walks it. A command is denied: its paths are not all that it can reach.
    """
    from execpolicy.support.path_match import below

    find = resolve or _real

    def policy(request: Request) -> Outcome:
        for operation in request.operations or (None,):
            path = operation.path if isinstance(operation, Access) else None
            if not isinstance(path, str) or not path:
                return Outcome(FORBIDDEN, "it names no path", remember=False)
            real = find(path if path[:1] == "/" else f"{request.cwd or root}/{path}")
            if real is None or not below(real, root):
                return Outcome(FORBIDDEN, f"`{path}` is not below `{root}`", remember=False)
        return Outcome(ALLOW, f"below `{root}`")

    return policy


def compose(*policies: Policy) -> Policy:
    """The strictest of several answers, of equals the first; nothing composed allows."""

    def policy(request: Request) -> Outcome:
        every = [one(request) for one in policies]
        return max(every, key=lambda one: one.decision, default=Outcome(ALLOW, "nothing objects"))

    return policy


def first_non_allow(*policies: Policy) -> Policy:
    """The first answer that does not allow, from left to right: an early question hides a later
    denial."""

    def policy(request: Request) -> Outcome:
        answers = (one(request) for one in policies)
        return next((one for one in answers if one.decision), Outcome(ALLOW, "nothing objects"))

    return policy


class Manager:
    """A policy that asks the user, once for each very request, and keeps the yes.

    Two requests are the same if their tool and its input are, down to the spelling of a number. A
    refusal is not kept. The policy is asked each time, so that one that became stricter is heard;
    with `cache_first` a kept answer goes before it, as in agents that were published so.
    """

    def __init__(
        self, policy: Policy, ask: Callable[[Request, Outcome], bool], cache_first: bool = False
    ) -> None:
        self.policy = policy
        self._ask = ask
        self._cache_first = cache_first
        self._kept: dict[object, Outcome] = {}

    def __call__(self, request: Request) -> Outcome:
        """What happens with a request: allowed or denied."""
        key = (request.tool, request.input) if request.tool else request
        if self._cache_first and key in self._kept:
            return self._kept[key]
        outcome = self.policy(request)
        if outcome.decision is not PROMPT:
            return outcome
        if key in self._kept:
            return self._kept[key]
        if not self._ask(request, outcome):
            return Outcome(FORBIDDEN, "the user said no", remember=False)
        allowed = Outcome(ALLOW, "the user said yes", outcome.remember)
        if outcome.remember:
            self._kept[key] = allowed
        return allowed


def labelled(tool: str, content: str, effects: tuple[str, ...]) -> str:
    """What a tool printed, marked as text of strangers if it comes from the network.

    The mark cannot be closed from inside.
    """
    from re import IGNORECASE, sub

    if not {"network", "remote"} & set(effects):
        return content
    inner = sub(r"<(?=\s*/?\s*untrusted)", "&lt;", content, flags=IGNORECASE)
    name = sub(r"[^\w.:-]", "_", tool)
    return f'<untrusted source="{name}">\n{inner}\n</untrusted>'


def _effects(request: Request) -> tuple[str, ...]:
    if request.effects is not None:
        return request.effects
    return tuple(_effect(operation) for operation in request.operations or (None,))


def _effect(operation: object) -> str:
    if isinstance(operation, Access):
        return "read" if operation.mode == "read" else "write"
    if isinstance(operation, Connect):
        return "network"
    return "unknown" if not isinstance(operation, Exec) else "execute"


def _real(path: str) -> str | None:
    from execpolicy.places.disk import Disk

    place = Disk().locate(path)
    return None if place.problem else place.real
