"""Properties of amendments: never banned, always enough, and taken back without a trace."""

import os
import shlex

import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from execpolicy import Decision, Engine
from execpolicy.catalogue.banned import banned
from execpolicy.engine.decide import decide
from execpolicy.engine.scene import Scene
from execpolicy.engine.unwrap import unwrap
from execpolicy.language.compile import compile_text
from execpolicy.model.operation import Access, Connect, Request
from execpolicy.model.rule import PrefixRule
from execpolicy.model.verdict import Verdict
from execpolicy.store.amend import with_block, without_block
from execpolicy.store.line import rule_line
from tests.catalogue.shipped import RULES, programs
from tests.engine.granting import accepted
from tests.examples import examples

COMMANDS = sorted(
    command
    for path in RULES
    for program in programs(path)
    for _, commands in program.examples
    for command in commands
    if "{unlocks}" not in command
)
HEALTHY = (HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much)
WRAPPERS = (
    "",
    "timeout 5 ",
    "nice ",
    "env ",
    "A=b ",
    "CI=1 ",
    "sudo ",
    "xargs ",
    "uv run ",
    "npx ",
)
TAILS = ("", " x", " -x", " > out", " 2>&1 | tail -5", ' "$x"', " $x", " && ls", "; eval x")

simple = st.builds(
    lambda before, command, after: before + quoted(command) + after,
    st.sampled_from(WRAPPERS),
    st.sampled_from(COMMANDS),
    st.sampled_from(TAILS),
)
scripts = st.lists(simple, min_size=1, max_size=3).map("; ".join)
words = st.lists(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), max_size=4
)


def quoted(command: str) -> str:
    return shlex.join(shlex.split(command))


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load(rules=[])


def holds(engine: Engine, verdict: Verdict, request: Request) -> None:
    """No proposed prefix is banned, and with all of them the request is allowed."""
    snapshot = engine.snapshot
    prefixes = [a.pattern for a in verdict.amendments if a.pattern and not a.exact]
    assert [banned(p, snapshot.catalogue) for p in prefixes] == [None] * len(prefixes)
    if verdict.amendments:
        assert verdict.decision is Decision.PROMPT
        after = accepted(snapshot, verdict.amendments)
        assert decide(request, after, engine.resolver).decision is Decision.ALLOW
    else:
        assert bool(verdict.instead) == (verdict.decision is Decision.PROMPT)


@pytest.mark.parametrize(
    "step",
    [60, pytest.param(25, marks=pytest.mark.rest), pytest.param(1, marks=pytest.mark.slow)],
)
def test_an_amendment_of_a_shipped_example_is_never_banned_and_enough(
    step: int, engine: Engine
) -> None:
    for command in COMMANDS[::step]:
        request = Request(argv=tuple(shlex.split(command)), cwd=os.getcwd())
        holds(engine, engine.decide(request), request)


@examples(25, HEALTHY)
@given(script=scripts)
def test_an_amendment_is_never_banned_and_applying_it_allows(script: str, engine: Engine) -> None:
    request = Request(text=script, cwd=os.getcwd())
    holds(engine, engine.decide(request), request)


@examples(25, HEALTHY)
@given(script=scripts)
def test_no_rule_of_an_amendment_can_be_left_out(script: str, engine: Engine) -> None:
    request = Request(text=script, cwd=os.getcwd())
    amendments = engine.decide(request).amendments
    for left_out in dict.fromkeys(amendments):
        rest = [each for each in amendments if each.rule != left_out.rule]
        after = accepted(engine.snapshot, rest)
        assert decide(request, after, engine.resolver).decision is Decision.PROMPT


MORE = (
    *(" /etc/x", " ~/x", " ../x", " $x", " https://evil.example/x", " evil.example:x", " +x"),
    *(" -f", " --force", " -o /etc/x", " --output=x", " -r", " -a", " --delete", " x", " 1"),
)


def seen(scene: Scene) -> tuple[set[str], set[str], set[str]]:
    """The effects, the places and the named hosts of all commands of a request."""
    effects, places, hosts = set[str](), set[str](), set[str]()
    for number, step in enumerate(scene.steps):
        for cause in step.reading.effects if step.reading else ():
            effects.add(cause.effect)
            if isinstance(cause.subject, Access):
                places.update(b.place for b in scene.overlays.of(cause.subject, number).bases)
            elif isinstance(cause.subject, Connect):
                hosts.add(str(cause.subject.host))
    return effects, places, hosts


@examples(40, HEALTHY)
@given(command=st.sampled_from(COMMANDS), more=st.sampled_from(MORE))
def test_no_stronger_relative_passes_by_an_amendment(
    command: str, more: str, engine: Engine
) -> None:
    """What passes by what was accepted for a command does nothing that the command did not do,
    nowhere else and at no other host."""
    first, other = (Request(text=quoted(command) + end, cwd=os.getcwd()) for end in ("", more))
    verdict = engine.decide(first)
    assume(verdict.amendments and not engine.decide(other).allowed)
    after = accepted(engine.snapshot, verdict.amendments)
    if decide(other, after, engine.resolver).allowed:
        scenes = [Scene(r, unwrap(r, after), after, engine.resolver) for r in (first, other)]
        was, now = map(seen, scenes)
        assert now[0] <= was[0] | {"read"}
        assert now[1] <= was[1] | {"project"}
        assert now[2] <= was[2]


@examples(25, HEALTHY)
@given(command=st.sampled_from(COMMANDS), wrapper=st.sampled_from(WRAPPERS[1:4]))
def test_a_wrapper_does_not_launder_a_banned_prefix(
    command: str, wrapper: str, engine: Engine
) -> None:
    catalogue, plain = engine.snapshot.catalogue, command.split()
    assume(banned(plain, catalogue) is not None)
    assert banned([*wrapper.split(), *plain], catalogue) is not None


@examples(25, HEALTHY)
@given(command=st.sampled_from(COMMANDS), place=st.sampled_from(("/usr/bin/", "/x/", "./")))
def test_a_directory_does_not_launder_a_banned_prefix(
    command: str, place: str, engine: Engine
) -> None:
    catalogue, plain = engine.snapshot.catalogue, command.split()
    assume(banned(plain, catalogue) is not None)
    assert banned([place + plain[0], *plain[1:]], catalogue) is not None


contents = st.one_of(
    st.binary(max_size=80),
    st.lists(st.sampled_from((b"x = 1", b"\n", b"\r\n", b"# amend ", b"# c", b"] for: "))).map(
        b"".join
    ),
)
lines = st.lists(words.map(lambda w: rule_line(w, Decision.ALLOW)), min_size=1, max_size=3)


@given(contents, lines, st.text(), st.floats(0, 4e9))
def test_append_then_undo_is_identity(
    before: bytes, rules: list[str], command: str, now: float
) -> None:
    assert without_block(with_block(before, rules, command, now)) == before


@given(contents, lines, lines, st.text())
def test_blocks_are_taken_back_one_by_one(
    before: bytes, first: list[str], second: list[str], command: str
) -> None:
    once = with_block(before, first, command, 0)
    assert without_block(with_block(once, second, command, 1)) == once


@examples(25)
@given(
    words.filter(bool),
    st.sampled_from((Decision.ALLOW, Decision.PROMPT, Decision.FORBIDDEN)),
    st.none() | st.text('aé\n"\\\x1b\u202e😀', min_size=1),
)
def test_a_rule_line_reads_back_as_the_rule(
    tokens: list[str], decision: Decision, justification: str | None
) -> None:
    assume(justification is None or justification.strip())
    line = rule_line(tokens, decision, justification)
    assert line.isprintable()
    (rule,) = compile_text(line, "a.rules", "user").rules
    assert isinstance(rule, PrefixRule)
    assert rule.pattern == tuple((token,) for token in tokens)
    assert (rule.decision, rule.justification) == (decision, justification)
