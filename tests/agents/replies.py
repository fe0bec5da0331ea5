"""Every reply that an adapter can give, found by asking it.

Each call that its recorded payloads make and each event it names, in every mode of the host; each
decision on each ground; each way to have no verdict; both settings of what to say then.
"""

import json
import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar
from unittest import mock

from execpolicy.commands.hook import Hook
from execpolicy.engine.engine import Engine
from execpolicy.hosts.payloads.protocol import (
    ASKS,
    EDITS,
    PLAN,
    UNATTENDED,
    UNSURE,
    Agent,
    PayloadError,
    Reply,
    ToolCall,
)
from execpolicy.hosts.protocols import load
from execpolicy.model.decision import Decision
from execpolicy.model.errors import ExecPolicyError
from execpolicy.model.operation import Access, Request
from execpolicy.model.verdict import Verdict
from execpolicy.support.record import Value
from tests.agents import support
from tests.store.support import write

T = TypeVar("T")
Known = list[tuple[str, Verdict]]
HOSTILE = 'a"\\\'}{\n\r\t\x1b[31m\u202e\u2028\U0001f600</script>${x}`y` allow "decision": "allow"'
_JUSTIFICATIONS = ("because", "", "x" * 5000, HOSTILE)


class Given(Value):
    """A reply to an event, and what the engine had decided; None where it had not.

    `event` is empty where the payload did not say. `ground` tells how it came to that.
    """

    reply: Reply
    event: str
    decision: Decision | None
    ground: str


def calls(host: str) -> list[ToolCall]:
    """What the adapter can be asked about: as recorded, as each event, and as nothing it knows."""
    agent = load(host)
    recorded = [agent.read(payload) for payload in payloads(host)]
    events = {call.event for call in recorded} | set(agent.EVENTS)
    request = Request(text="x")
    modes = product(sorted(events), (ASKS, EDITS, PLAN, UNATTENDED, UNSURE))
    made = [ToolCall(request, event, mode=mode, tool="Bash", kind="shell") for event, mode in modes]
    return [call for call in recorded if call.request] + made


def payloads(host: str) -> list[dict[str, object]]:
    """What the host is recorded to have sent."""
    return [json.loads(path.read_text())["payload"] for path in support.golden(host)]


def verdicts(folder: Path) -> Known:
    """Each decision on each ground, by the engine itself. The floor is a file that is broken."""
    broken = write(folder / "broken/execpolicy/rules/broken.rules", "prefix_rule(").parents[2]
    with mock.patch.dict(os.environ, {"XDG_CONFIG_HOME": str(broken)}):
        floor = Engine.load().check("ls")
    return [*_by_rule(folder), *_by_catalogue(), ("floor", floor)]


def _by_rule(folder: Path) -> Iterator[tuple[str, Verdict]]:
    for decision, (number, why) in product(Decision, enumerate(_JUSTIFICATIONS)):
        said = f", justification = {json.dumps(why, ensure_ascii=False)}" if why else ""
        text = f'prefix_rule(["x"], "{decision.word}"{said})'
        file = write(folder / f"{decision.word}{number}.rules", text)
        yield f"rule {decision.word} {number}", Engine.load(rules=[file]).check(["x", HOSTILE])


def _by_catalogue() -> Iterator[tuple[str, Verdict]]:
    engine = Engine.load()
    for text in ("ls", "git push", "rm -rf /", "$x", "(", f"echo {HOSTILE!r}", "a;" * 50):
        yield f"no rule: {text[:9]}", engine.check(text)
    for mode in ("read", "write"):
        yield f"a file: {mode}", engine.decide(Request(operations=(Access("x", mode),)))


_FAILURES: dict[str, Exception] = {
    "rules that cannot be loaded": ExecPolicyError(HOSTILE + "\0"),
    "a mistake of the engine": ZeroDivisionError(HOSTILE),
    "a mistake without a word": RuntimeError(),
}


_USED = ("asks", "reply", "HEADLESS")


class _Asked(Hook):
    """A hook that is at a certain call, and comes to a certain verdict."""

    def __init__(self, host: str, call: ToolCall | Exception, verdict: Verdict | Exception) -> None:
        super().__init__(host)
        self.given, self.verdict = call, verdict

    @property
    def agent(self) -> Agent:
        module = load(self.name or "")
        stand_in: Any = SimpleNamespace(**{name: getattr(module, name) for name in _USED})
        stand_in.read = lambda _payload: _or_raise(self.given)
        agent: Agent = stand_in
        return agent

    def _verdict(self) -> Verdict:
        return _or_raise(self.verdict)


def _or_raise(value: T | Exception) -> T:
    if isinstance(value, Exception):
        raise value
    return value


def every(host: str, known: Known) -> list[Given]:
    """The replies of a host's adapter to calls with these verdicts, each once."""
    asked: list[tuple[ToolCall | Exception, Verdict | Exception, str]] = [
        *((call, verdict, ground) for call in calls(host) for ground, verdict in known),
        *((call, failure, ground) for call in calls(host) for ground, failure in _FAILURES.items()),
        *((failure, _NEVER, "no payload") for failure in (PayloadError(HOSTILE), KeyError("x"))),
    ]
    found: dict[tuple[object, ...], Given] = {}
    for undecided in ("ask", "deny"):
        with mock.patch.dict(os.environ, {"EXECPOLICY_UNDECIDED": undecided}), _QUIETLY:
            for call, verdict, ground in asked:
                given = _given(host, call, verdict, f"{ground}, {undecided}")
                found[(given.reply, given.event, given.decision)] = given
    return list(found.values())


def _given(
    host: str, call: ToolCall | Exception, verdict: Verdict | Exception, ground: str
) -> Given:
    reply = _Asked(host, call, verdict).answer(b"{}")
    if not isinstance(call, ToolCall):
        return Given(reply, "", None, ground)
    decision = verdict.decision if isinstance(verdict, Verdict) else None
    return Given(reply, call.event, decision, ground)


_QUIETLY = mock.patch("execpolicy.commands.hook.Hook.tell")
_NEVER = Verdict(Decision.ALLOW)
