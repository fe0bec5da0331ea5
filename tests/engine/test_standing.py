"""Where a verdict stands: who is behind what is allowed, and what it is that asks."""

import pytest

from execpolicy.engine.standing import Standing, askings, only_reads, standing
from execpolicy.model.decision import Decision
from execpolicy.model.operation import (
    Access,
    Assign,
    Assignment,
    Connect,
    Dynamic,
    Exec,
    Opaque,
    Operation,
    Word,
)
from execpolicy.model.rule import Origin
from execpolicy.model.verdict import JudgedOperation, Match, Source, Verdict

ALLOW, PROMPT, FORBIDDEN = Decision
RUN = Exec(("x",))


def match(source: str = "catalogue", decision: Decision = ALLOW, **more: object) -> Match:
    layer = more.pop("layer", "builtin")
    return Match(Source(source), decision, "because", Origin(str(layer), "f", 1), **more)  # type: ignore[arg-type]


def verdict(*judged: tuple[Operation, tuple[Match, ...]], floor: str | None = None) -> Verdict:
    found = tuple(JudgedOperation(operation, matches) for operation, matches in judged)
    decision = max((j.decision for j in found), default=ALLOW)
    return Verdict(max(decision, PROMPT) if floor else decision, found, floor)


def reads(*places: str, decision: Decision = ALLOW, topic: str = "coreutils") -> Match:
    origin = Origin("builtin", f"/r/{topic}.rules", 1)
    return match(decision=decision, effects=("read",), places=places).replace(origin=origin)


def effect(name: str, *places: str, posture: str = "", decision: Decision = ALLOW) -> Match:
    return match(decision=decision, effects=(name,), places=places, posture=posture)


def asks(name: str, *places: str) -> Match:
    return effect(name, *places, decision=PROMPT)


def rule(layer: str, decision: Decision = ALLOW, prefix: tuple[str, ...] = ("x",)) -> Match:
    return match("rule", decision, layer=layer, prefix=prefix)


GRANTED, LEFT, POSTURE, REMOTE, ASKED = list(Standing)[:5]

ONE: list[tuple[str, Operation, tuple[Match, ...], Standing]] = [
    ("a person's rule", RUN, (rule("user"),), GRANTED),
    ("an administrator's rule", RUN, (rule("system"),), GRANTED),
    ("a trusted project's rule", RUN, (rule("project"),), GRANTED),
    ("a shipped rule", RUN, (rule("builtin"),), LEFT),
    ("an approval", RUN, (match("approval", layer="user"),), GRANTED),
    ("a rule for the command, a read elsewhere", RUN, (rule("user"), reads("elsewhere")), GRANTED),
    ("a rule for a path that a command names", RUN, (rule("user", prefix=()),), LEFT),
    ("a rule for a path", Access("a", "write"), (rule("user", prefix=()),), GRANTED),
    ("a place that a person named", Access("a", "write"), (match("place", layer="user"),), LEFT),
    ("a rule for a host", Connect("h", "https"), (rule("user", prefix=()),), GRANTED),
    ("a read of nothing", RUN, (reads(),), GRANTED),
    ("a read of the project", RUN, (reads("project"),), GRANTED),
    ("a read of a server", Exec(("curl", "localhost:80")), (reads(),), LEFT),
    ("a read of a URL", Exec(("x", "http://a")), (reads(),), LEFT),
    ("a read of what a service tells", RUN, (reads(topic="databases"),), LEFT),
    ("reads in place", RUN, (reads("project", "generated"), reads("temporary")), GRANTED),
    ("a read elsewhere too", RUN, (reads("project", "elsewhere"),), LEFT),
    ("a read of a known place outside", RUN, (reads("tools"),), LEFT),
    ("a file of which no place is told", Access("a", "read"), (match(),), LEFT),
    ("a file of the project", Access("a", "read"), (reads("project"),), GRANTED),
    ("a chosen preset, in place", RUN, (effect("write", "project", posture="user"),), GRANTED),
    ("a chosen preset runs", RUN, (effect("execute", posture="user"),), GRANTED),
    ("a chosen preset removes", RUN, (effect("destroy", "generated", posture="user"),), GRANTED),
    ("a chosen preset destroys", RUN, (effect("destroy", posture="user"),), LEFT),
    ("a chosen preset elsewhere", RUN, (effect("write", "elsewhere", posture="user"),), LEFT),
    ("a chosen preset connects", RUN, (effect("network", posture="user"),), LEFT),
    ("the shipped posture", RUN, (effect("write", "project", posture="builtin"),), LEFT),
    ("what no effect is told of", RUN, (match(),), LEFT),
    ("the posture: execute", RUN, (asks("execute"),), POSTURE),
    ("the posture: write", RUN, (asks("write", "project"),), POSTURE),
    ("the posture: write elsewhere", RUN, (asks("write", "elsewhere"),), ASKED),
    ("the posture: run elsewhere", RUN, (asks("execute", "project", "tools"),), ASKED),
    ("the posture: a read elsewhere", RUN, (reads("elsewhere", decision=PROMPT),), POSTURE),
    ("the posture: network", RUN, (asks("network"),), POSTURE),
    ("the posture: remote", RUN, (asks("remote"),), REMOTE),
    ("the posture: unknown", RUN, (asks("unknown"),), REMOTE),
    ("sends a file of elsewhere", RUN, (asks("network", "elsewhere"),), ASKED),
    ("a host", Connect("h", "https"), (match(decision=PROMPT),), POSTURE),
    ("a written file of nowhere", Access("a", "write"), (match(decision=PROMPT),), ASKED),
    ("a written file", Access("a", "write"), (asks("write", "project"),), POSTURE),
    ("a removed file", Access("a", "remove"), (asks("destroy", "project"),), ASKED),
    ("destroy", RUN, (asks("destroy", "project"),), ASKED),
    ("privilege", RUN, (asks("privilege"),), ASKED),
    ("system", RUN, (asks("system"),), ASKED),
    ("execute and system", RUN, (asks("execute"), asks("system")), ASKED),
    ("execute and network", RUN, (asks("execute"), asks("network")), POSTURE),
    ("network and remote", RUN, (asks("network"), asks("remote")), REMOTE),
    ("uploads a file of elsewhere", RUN, (asks("remote", "elsewhere"),), ASKED),
    ("credentials", RUN, (match("place", PROMPT, places=("credentials",)),), ASKED),
    ("a path of control by the posture", RUN, (asks("write", "project", "control"),), ASKED),
    ("a rule that asks", RUN, (rule("user", PROMPT),), ASKED),
    ("a shipped rule that asks", RUN, (rule("builtin", PROMPT),), ASKED),
    ("a rule that allows, and an overlay", RUN, (rule("user"), match("place", PROMPT)), ASKED),
    ("the reader", RUN, (match("reader", PROMPT),), ASKED),
    ("text that is not understood", Opaque("x", "y"), (match("reader", PROMPT),), ASKED),
    ("an effect that is not told", RUN, (match(decision=PROMPT),), ASKED),
    ("a rule that forbids", RUN, (rule("user", FORBIDDEN),), Standing.FORBIDDEN),
]  # fmt: skip


@pytest.mark.parametrize(
    ("operation", "matches", "expected"), [row[1:] for row in ONE], ids=[row[0] for row in ONE]
)
def test_where_one_operation_stands(
    operation: Operation, matches: tuple[Match, ...], expected: Standing
) -> None:
    assert standing(verdict((operation, matches))) is expected


def test_the_strictest_operation_counts() -> None:
    granted, left = (RUN, (rule("user"),)), (RUN, (reads("elsewhere"),))
    posture = RUN, (asks("execute"),)
    remote = RUN, (asks("remote"),)
    assert standing(verdict(granted, granted)) is GRANTED
    assert standing(verdict(granted, left)) is LEFT
    assert standing(verdict(left, posture, granted)) is POSTURE
    assert standing(verdict(posture, remote)) is REMOTE


def test_nothing_is_not_granted() -> None:
    assign = Assign(Assignment("x", "1")), ()
    assert standing(verdict()) is LEFT
    assert standing(verdict(assign)) is LEFT
    assert standing(verdict(assign, (RUN, (reads(),)))) is GRANTED


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("cd", "src/a"), GRANTED),
        (("cd",), LEFT),
        (("cd", "-"), LEFT),
        (("cd", ".."), LEFT),
        (("cd", "a/../.."), LEFT),
        (("cd", "/etc"), LEFT),
        (("cd", "~/x"), LEFT),
        (("cd", Dynamic("$x")), LEFT),
        (("cd", "--", "a"), LEFT),
        (("pushd", "/etc"), LEFT),
    ],
)
def test_what_names_no_path_reads_where_the_command_went(
    words: tuple[Word, ...], expected: Standing
) -> None:
    there, ls = (Exec(words), (reads(),)), (Exec(("ls",)), (reads(),))
    assert standing(verdict(there, ls)) is expected


def test_a_broken_policy_asks_whatever_is_allowed() -> None:
    assert standing(verdict((RUN, (rule("user"),)), floor="a.rules is broken")) is ASKED


def test_what_asks_is_told_with_the_commands_around_it() -> None:
    outer = Exec(("timeout", "5", "make"))
    inner = Exec(("make",), via=("timeout 5",))
    other = Exec(("ls",), via=("$(…)",))
    deep = Exec(("make",), via=("timeout 5", "env"))
    question = (asks("execute"),)
    reading = [(each, (reads(),)) for each in (outer, other)]
    found, below = askings(verdict(*reading, (inner, question), (deep, question)))
    assert (found.operation, found.standing, found.around) == (inner, POSTURE, (outer,))
    assert (below.operation, below.around) == (deep, (outer, inner))


@pytest.mark.parametrize(
    ("matches", "expected"),
    [((reads(),), True), ((reads(), effect("write")), False), ((rule("user"),), False)],
)
def test_only_reads(matches: tuple[Match, ...], expected: bool) -> None:
    assert only_reads(verdict((RUN, matches))) is expected
