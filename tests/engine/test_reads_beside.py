"""Reads beside the project: what is offered, and what the rule then covers."""

import pytest

from execpolicy.engine.decide import decide
from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.verdict import Verdict
from execpolicy.store.snapshot import Snapshot
from tests.engine.granting import accepted, granted
from tests.places.machine import Machine, repository

ALLOW, PROMPT = Decision.ALLOW, Decision.PROMPT
HOME = "/home/u"
MACHINE = Machine(
    {
        **repository("/p/.git"),
        **repository(f"{HOME}/n/.git"),
        **dict.fromkeys((f"{HOME}/n/src/a.c", f"{HOME}/n/.env", f"{HOME}/notes/x.txt"), ""),
        **dict.fromkeys((f"{HOME}/notes/y.txt", f"{HOME}/notes/d/z.txt", "/p/a"), ""),
    },
    root="/p",
)


def asked(text: str, snapshot: Snapshot) -> Verdict:
    return decide(Request(text=text, cwd="/p"), snapshot.replace(home=HOME), MACHINE)


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """The shipped rules, but for other checkouts, which ask here."""
    path = tmp_path_factory.mktemp("rules") / "a.rules"
    path.write_text('posture(read = {"repositories": "prompt"})\n')
    return Engine.load(rules=[path]).snapshot


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("cat ~/n/src/a.c", ["~/n/*"]),
        ("cd ~/n && grep -n x src/a.c", ["~/n/*"]),
        ("cd ~/n 2>/dev/null; grep -n x src/a.c", ["~/n/*"]),
        ("cat ~/notes/x.txt", ["~/notes/x.txt"]),
        ("cd ~/notes && cat x.txt y.txt", ["~/notes/x.txt", "~/notes/y.txt"]),
        ("grep -r x ~/notes/d", ["~/notes/d/*"]),
    ],
)
def test_one_rule_for_a_checkout_or_for_what_is_read(
    text: str, paths: list[str], shipped: Snapshot
) -> None:
    verdict = asked(text, shipped)
    assert verdict.decision is PROMPT
    written = [each.rule.partition('"')[2].partition('"')[0] for each in verdict.amendments]
    assert written == paths, verdict.instead
    assert asked(text, accepted(shipped, verdict.amendments)).decision is ALLOW


@pytest.mark.parametrize(
    ("rule", "text", "decision"),
    [
        ("~/n/*", "cd ~/n && cat src/a.c", ALLOW),
        ("~/n/*", "cd ~/n/src && cat a.c", ALLOW),
        ("~/n/*", "cd ~/n || cd ~/notes; cat x.txt", PROMPT),  # it may be another directory
        ("~/n/*", "cd ~/n; cat src/a.c", ALLOW),  # if it fails, that is the project's own
        ("~/n/*", "cd ~/n; cat ../notes/x.txt", PROMPT),
        ("~/n/*", "cd ~/n; echo x > src/a.c", PROMPT),
        ("~/n/*", "cd ~/n && cat .env", PROMPT),
        ("~/n/*", "cd ~/n && cat ../notes/x.txt", PROMPT),
        ("~/n/*", "cd ~/n && echo x > a", PROMPT),
        ("~/notes/x.txt", "cat ~/notes/y.txt", PROMPT),
        ("~/notes/d/*", "grep -r x ~/notes", PROMPT),
    ],
)
def test_a_rule_for_a_path_holds_after_cd(
    rule: str, text: str, decision: Decision, shipped: Snapshot
) -> None:
    line = f'path_rule(["{rule}"], modes = ["read"], decision = "allow")'
    assert asked(text, granted(shipped, line)).decision is decision


@pytest.mark.parametrize("text", ["grep -r x ~", "cat ~/*", "cat ~/notes/$x"])
def test_the_home_and_what_is_computed_are_not_offered(text: str, shipped: Snapshot) -> None:
    verdict = asked(text, shipped)
    assert (verdict.decision, verdict.amendments) == (PROMPT, ())
    assert verdict.instead
