"""What an approval may lower, and what none ever does, over random verdicts and approvals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy import Decision
from execpolicy.approvals.cover import covers
from execpolicy.approvals.questions.widths import contains, offered
from execpolicy.approvals.settlement import refuse_unasked, settle
from execpolicy.approvals.subject import Here, Subject, exact, narrowest
from execpolicy.model.approval import (
    NEVER_ASK,
    Approval,
    Asking,
    Bounds,
    Confinement,
    Moment,
    Reach,
)
from execpolicy.model.operation import Access, Assign, Assignment, Connect, Dynamic, Exec, Opaque
from execpolicy.model.rule import Origin
from execpolicy.model.verdict import JudgedOperation, Match, Source, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.model.operation import Extent, Mode

ALLOW, PROMPT, FORBIDDEN = Decision
NOW = Moment(1000.0, 1000.0, "b")
ROOT = "/w"
SHIPPED = Origin("builtin", "a.rules", 1)
OWN = Origin("user", "a.rules", 1)

EFFECTS = ("read", "write", "execute", "network", "remote", "destroy", "privilege", "unknown")
PLACES = ("project", "generated", "temporary", "elsewhere", "control", "credentials", "policy")

matches = st.builds(
    Match,
    st.sampled_from((Source.RULE, Source.PLACE, Source.CATALOGUE, Source.READER, Source.FLOOR)),
    st.sampled_from((ALLOW, PROMPT, PROMPT, PROMPT, FORBIDDEN)),
    st.just("why"),
    st.sampled_from((None, SHIPPED, OWN)),
    effects=st.lists(st.sampled_from(EFFECTS), max_size=2).map(tuple),
    places=st.lists(st.sampled_from(PLACES), max_size=2).map(tuple),
)
words = st.sampled_from(("npm", "test", "mcp__x__y", Dynamic("$x"), "/w/a"))
operations = st.one_of(
    st.builds(Exec, st.lists(words, min_size=1, max_size=3).map(tuple)),
    st.builds(Access, words, st.sampled_from(("read", "write", "remove"))),
    st.builds(Connect, words, st.just("https")),
    st.builds(Opaque, st.just("x"), st.just("why")),
    st.just(Assign(Assignment("PATH", "x"))),
)
subjects = st.builds(
    Subject,
    st.sampled_from(((), (ROOT,), (ROOT, f"{ROOT}/a"), ("/etc",))),
    st.sampled_from((None, f"{ROOT}/a", f"{ROOT}/a/b", "/etc/x")),
)
judged = st.builds(
    JudgedOperation, operations, st.lists(matches, min_size=1, max_size=3).map(tuple)
)
pairs = st.lists(st.tuples(judged, subjects), min_size=1, max_size=3)


def made(reach: Reach, confinement: Confinement = Confinement.NONE, **more: object) -> Approval:
    bounds = Bounds(confinement, **more)  # type: ignore[arg-type]
    return Approval("id", reach, bounds, "user", NOW, "q")


def every(pairs: list[tuple[JudgedOperation, Subject]]) -> list[Approval]:
    """Approvals for everything that can be named about these operations, as wide as can be."""
    reaches = [Reach("exec", exact=exact(j, s)) for j, s in pairs]
    reaches += [Reach("exec", prefix=(w,), effects=EFFECTS, places=PLACES) for w in ("npm", "/w/a")]
    reaches += [Reach("exec", prefix=("mcp__x__y",), effects=EFFECTS, places=PLACES)]
    reaches += [Reach("access", path="/", under=True, modes=("read", "write", "remove"))]
    reaches += [Reach("connect", host=w, protocol="https") for w in ("npm", "test", "/w/a")]
    return [made(reach) for reach in reaches]


def verdict_of(pairs: list[tuple[JudgedOperation, Subject]], floor: str | None = None) -> Verdict:
    decision = max(j.decision for j, _ in pairs)
    return Verdict(max(decision, PROMPT) if floor else decision, tuple(j for j, _ in pairs), floor)


def here_of(pairs: list[tuple[JudgedOperation, Subject]]) -> Here:
    return Here(NOW, project=ROOT, subjects=tuple(s for _, s in pairs))


def guarded(one: JudgedOperation) -> bool:
    """What no memory answers for, said again in other words."""
    operation = one.operation
    computed = any(
        isinstance(part, Dynamic)
        for part in (
            *getattr(operation, "argv", ()),
            getattr(operation, "path", ""),
            getattr(operation, "host", ""),
        )
    )
    effects = {effect for m in one.matches for effect in m.effects}
    asking = [m for m in one.matches if m.decision is PROMPT]
    return (
        isinstance(operation, Opaque | Assign)
        or computed
        or "privilege" in effects
        or any("policy" in m.places for m in one.matches)
        or any("destroy" in m.effects and set(m.places) != {"generated"} for m in one.matches)
        or any(m.source in (Source.READER, Source.FLOOR) for m in asking)
        or any(m.source is Source.RULE and m.origin == SHIPPED for m in asking)
    )


@given(pairs, st.sampled_from((None, "a file is broken")))
def test_approvals_lower_prompt_and_nothing_else(
    pairs: list[tuple[JudgedOperation, Subject]], floor: str | None
) -> None:
    verdict = verdict_of(pairs, floor)
    settled = settle(verdict, every(pairs), here_of(pairs)).verdict
    assert settled.decision in (verdict.decision, ALLOW)
    if verdict.decision is FORBIDDEN or floor:
        assert settled == verdict
    for before, after in zip(verdict.judged, settled.judged, strict=True):
        if after != before:
            assert before.decision is PROMPT
            assert not guarded(before)
            kept = tuple(m for m in before.matches if m.decision is not PROMPT)
            assert after.matches[:-1] == kept
            assert after.matches[-1].source == "approval"


@given(pairs)
def test_a_verdict_is_allowed_only_if_each_operation_is(
    pairs: list[tuple[JudgedOperation, Subject]],
) -> None:
    verdict, here, approvals = verdict_of(pairs), here_of(pairs), every(pairs)
    answered = all(
        j.decision is ALLOW
        or (j.decision is PROMPT and any(covers(a, j, s, here) for a in approvals))
        for j, s in pairs
    )
    settled = settle(verdict, approvals, here)
    assert (settled.verdict.decision is ALLOW) is answered
    if settled.verdict.decision is not ALLOW:
        assert settled.used == ()


@given(pairs)
def test_without_approvals_nothing_changes(pairs: list[tuple[JudgedOperation, Subject]]) -> None:
    verdict = verdict_of(pairs)
    assert settle(verdict, [], here_of(pairs)).verdict == verdict


ASKS = Match(Source.CATALOGUE, PROMPT, "why", effects=("write",), places=("project",))


def access(path: str, mode: "Mode", extent: "Extent" = "file") -> tuple[JudgedOperation, Subject]:
    return JudgedOperation(Access(path, mode, extent=extent), (ASKS,)), Subject((ROOT,), path)


BELOW = Reach("access", path="/w/a", under=True, modes=("write",))


@pytest.mark.parametrize(
    ("reach", "path", "mode", "extent", "covered"),
    [
        (Reach("access", path="/w/a", modes=("write",)), "/w/a", "write", "file", True),
        (Reach("access", path="/w/a", modes=("write",)), "/w/a", "remove", "file", False),
        (Reach("access", path="/w/a", modes=("write",)), "/w/a", "read", "file", False),
        (Reach("access", path="/w/a", modes=("read",)), "/w/a", "write", "file", False),
        (Reach("access", path="/w/a", modes=("write",)), "/w/a/b", "write", "file", False),
        (Reach("access", path="/w/a", modes=("read",)), "/w/a", "read", "tree", False),
        (Reach("access", path="/w/a", under=True, modes=("read",)), "/w/a", "read", "tree", True),
        (
            Reach("access", path="/w/a", under=True, modes=("write",)),
            "/w/a/b",
            "write",
            "file",
            True,
        ),
        (
            Reach("access", path="/w/a", under=True, modes=("write",)),
            "/w/ab",
            "write",
            "file",
            False,
        ),
        (BELOW, "/w", "write", "file", False),
        (Reach("exec", exact="/w/a", modes=("write",)), "/w/a", "write", "file", False),
        (Reach("access", modes=("write",)), "/w/a", "write", "file", False),
    ],
)
def test_a_path_is_covered_in_its_mode(
    reach: Reach, path: str, mode: "Mode", extent: "Extent", covered: bool
) -> None:
    one, subject = access(path, mode, extent)
    assert covers(made(reach), one, subject, Here(NOW, project=ROOT)) is covered


HOST = Reach("connect", host="a.example", protocol="https", port=443)


@pytest.mark.parametrize(
    ("reach", "operation", "covered"),
    [
        (HOST, Connect("a.example", "https"), True),
        (HOST, Connect("A.example.", "https"), True),
        (HOST, Connect("a.example", "https", port=443), True),
        (HOST, Connect("a.example", "https", port=8443), False),
        (HOST, Connect("a.example", "http"), False),
        (HOST, Connect("b.example", "https"), False),
        (HOST.replace(host=""), Connect("", "https"), False),
        (HOST.replace(kind="access"), Connect("a.example", "https"), False),
        (HOST, Assign(Assignment("x", "1")), False),
    ],
    ids=str,
)
def test_a_host_is_covered_with_its_protocol_and_port(
    reach: Reach, operation: Connect | Assign, covered: bool
) -> None:
    one = JudgedOperation(operation, (ASKS.replace(effects=("network",), places=()),))
    assert covers(made(reach), one, Subject((ROOT,)), Here(NOW, project=ROOT)) is covered


@pytest.mark.parametrize("reach", [BELOW, Reach("access", path="/w/a", modes=("write",))], ids=str)
def test_what_is_copied_to_a_path_is_more_than_a_write_of_it(reach: Reach) -> None:
    """The source may be a directory, of which nobody knows what lies in it."""
    one, subject = access("/w/a", "write")
    copied = one.replace(operation=Access("/w/a", "write", source="/w/other"))
    assert covers(made(reach), one, subject, Here(NOW, project=ROOT))
    assert not covers(made(reach), copied, subject, Here(NOW, project=ROOT))
    assert narrowest(copied, subject) is None


OFFERED: list[tuple["Mode", "Extent", tuple[tuple[str, bool], ...]]] = [
    ("read", "file", (("/w/a/x", False), ("/w/a", True))),
    ("read", "tree", (("/w/a/x", True), ("/w/a", True))),
    ("write", "file", (("/w/a/x", False), ("/w/a", True))),
    ("remove", "file", (("/w/a/x", False),)),
    ("remove", "names", (("/w/a/x", False),)),
    ("remove", "tree", ()),
    ("remove", "entry", ()),
]


@pytest.mark.parametrize(("mode", "extent", "widths"), OFFERED)
def test_a_folder_is_never_offered_for_removing(
    mode: "Mode", extent: "Extent", widths: tuple[tuple[str, bool], ...]
) -> None:
    one, subject = access("/w/a/x", mode, extent)
    reaches = offered(one, subject, (), ROOT)
    assert tuple((reach.path, reach.under) for reach in reaches) == widths
    assert {reach.modes for reach in reaches} <= {(mode,)}


@pytest.mark.parametrize("given", Confinement)
@pytest.mark.parametrize("asked", Confinement)
def test_what_may_run_in_the_sandbox_may_not_run_outside_it(
    given: Confinement, asked: Confinement
) -> None:
    one, subject = access("/w/a", "write")
    approval = made(Reach("access", path="/w/a", modes=("write",)), given)
    here = Here(NOW, project=ROOT, confinement=asked)
    assert covers(approval, one, subject, here) is (asked <= given)


@pytest.mark.parametrize(
    ("bounds", "covered"),
    [
        ({"session": "s"}, True),
        ({"session": "up"}, False),
        ({"session": "other"}, False),
        ({"project": ROOT}, True),
        ({"project": "/v"}, False),
        ({"uses": 1}, True),
        ({"uses": 0}, False),
        ({"until": NOW.after(1)}, True),
        ({"until": NOW}, False),
        ({"scope": "/w/a"}, True),
        ({"scope": "/w/b"}, False),
    ],
)
def test_bounds(bounds: dict[str, object], covered: bool) -> None:
    one, _ = access("/w/a/x", "write")
    subject = Subject(("/w/a",), "/w/a/x")
    approval = made(Reach("access", path="/w/a/x", modes=("write",)), **bounds)  # type: ignore[arg-type]
    here = Here(NOW, project=ROOT, session="s", parents=("up",), scope="/w/b")
    assert covers(approval, one, subject, here) is covered


def test_a_parents_approval_holds_inside_the_childs_scope() -> None:
    one, _ = access("/w/a/x", "write")
    approval = made(Reach("access", path="/w/a/x", modes=("write",)), session="up")
    here = Here(NOW, project=ROOT, session="s", parents=("up",), scope="/w/a")
    assert covers(approval, one, Subject(("/w/a",), "/w/a/x"), here)
    assert not covers(approval, one, Subject(("/w",), "/w/a/x"), here)


RUNS = Match(Source.CATALOGUE, PROMPT, "why", effects=("execute",))


@pytest.mark.parametrize(
    ("match", "directories", "covered"),
    [
        (RUNS, (ROOT,), True),
        (RUNS, (ROOT, f"{ROOT}/a"), True),
        (RUNS, (ROOT, "/etc"), False),
        (RUNS, ("/w-other",), False),
        (RUNS, (), False),
        (RUNS.replace(effects=("network",)), (ROOT,), False),
        (RUNS.replace(effects=("remote",)), (ROOT,), False),
        (RUNS.replace(effects=("unknown",)), (ROOT,), False),
        (RUNS.replace(places=("control",)), (ROOT,), False),
        (RUNS.replace(source=Source.RULE, origin=OWN), (ROOT,), False),
    ],
)
def test_a_prefix_lifts_what_stays_in_the_project(
    match: Match, directories: tuple[str, ...], covered: bool
) -> None:
    reach = Reach("exec", prefix=("npm", "test"), effects=EFFECTS, places=PLACES)
    one = JudgedOperation(Exec(("npm", "test", "-u")), (match,))
    here = Here(NOW, project=ROOT)
    assert covers(made(reach), one, Subject(directories), here) is covered


KEY = JudgedOperation(Exec(("make", "x")), (RUNS,))


@pytest.mark.parametrize(
    "other",
    [
        JudgedOperation(Exec(("make", "x", "")), (RUNS,)),
        JudgedOperation(Exec(("make x",)), (RUNS,)),
        JudgedOperation(Exec(("make", "x"), (Assignment("CI", "1"),)), (RUNS,)),
        JudgedOperation(Exec(("make", "x"), via=("ssh host",)), (RUNS,)),
        JudgedOperation(Exec(("make", "x"), stdin=""), (RUNS,)),
        JudgedOperation(Exec(("make", "x"), stdin="y"), (RUNS,)),
        JudgedOperation(Exec(("make", "x"), fed_by=("cat",)), (RUNS,)),
        JudgedOperation(Exec(("make", "x")), (RUNS, RUNS)),
        JudgedOperation(Exec(("make", "x")), (RUNS.replace(effects=("execute", "network")),)),
        JudgedOperation(Exec(("make", "x")), (RUNS.replace(source=Source.RULE, origin=OWN),)),
    ],
    ids=str,
)
def test_anything_that_differs_is_another_key(other: JudgedOperation) -> None:
    assert exact(KEY, Subject((ROOT,))) != exact(other, Subject((ROOT,)))


@pytest.mark.parametrize(
    "subject", [Subject(("/v",)), Subject((ROOT, "/v")), Subject((ROOT,), None, ("stamp",))]
)
def test_elsewhere_is_another_key(subject: Subject) -> None:
    assert exact(KEY, Subject((ROOT,))) != exact(KEY, subject)


reaches = st.one_of(
    st.builds(
        Reach,
        st.just("access"),
        path=st.sampled_from(("/w", "/w/a", "/w/ab", "/w/a/b")),
        under=st.booleans(),
        modes=st.sampled_from((("read",), ("write",), ("read", "write"))),
    ),
    st.builds(Reach, st.just("exec"), exact=st.sampled_from(("1", "2"))),
    st.builds(Reach, st.just("connect"), host=st.sampled_from(("a", "b")), protocol=st.just("p")),
)


PREFIX = Reach("exec", prefix=("npm", "run"), effects=("execute",), places=("project",))


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        (PREFIX.replace(prefix=("npm", "run", "test")), True),
        (PREFIX.replace(effects=(), places=()), True),
        (PREFIX.replace(prefix=("npm",)), False),
        (PREFIX.replace(prefix=()), False),
        (PREFIX.replace(effects=("execute", "network")), False),
        (PREFIX.replace(places=("project", "elsewhere")), False),
    ],
)
def test_what_a_prefix_contains(inner: Reach, expected: bool) -> None:
    assert contains(PREFIX, inner) == expected


@given(reaches, reaches, reaches)
def test_containment_is_an_order(a: Reach, b: Reach, c: Reach) -> None:
    assert contains(a, a)
    if contains(a, b) and contains(b, c):
        assert contains(a, c)


@given(
    reaches, reaches, st.sampled_from(("/w", "/w/a", "/w/a/b")), st.sampled_from(("read", "write"))
)
def test_what_contains_a_reach_covers_what_it_covers(
    outer: Reach, inner: Reach, path: str, mode: "Mode"
) -> None:
    one, subject = access(path, mode)
    here = Here(NOW, project=ROOT)
    if contains(outer, inner) and covers(made(inner), one, subject, here):
        assert covers(made(outer), one, subject, here)


@pytest.mark.parametrize(
    ("asking", "match", "decision"),
    [
        (Asking(), RUNS, PROMPT),
        (NEVER_ASK, RUNS, FORBIDDEN),
        (Asking(rule="refuse"), RUNS, PROMPT),
        (Asking(posture="refuse"), RUNS, FORBIDDEN),
        (Asking(rule="refuse"), RUNS.replace(source=Source.RULE, origin=OWN), FORBIDDEN),
        (Asking(path="refuse"), RUNS.replace(source=Source.PLACE), FORBIDDEN),
        (NEVER_ASK, RUNS.replace(decision=ALLOW), ALLOW),
    ],
)
def test_questions_that_nobody_is_asked_are_refusals(
    asking: Asking, match: Match, decision: Decision
) -> None:
    one = JudgedOperation(Exec(("make",)), (match,))
    verdict = Verdict(one.decision, (one,))
    found = refuse_unasked(verdict, asking)
    assert found.decision is decision
    if decision is FORBIDDEN:
        assert found.reason == "the user cannot be asked"
