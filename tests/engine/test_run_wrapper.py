"""An agent that calls `execpolicy run` itself: what holds for the command inside counts."""

from pathlib import Path

import pytest

import execpolicy
from tests.repositories import new_repository

RULES = """
posture(confined = {"write": {"project": "allow"}})
prefix_rule(["mkdir"], decision = "forbidden")
"""
CASES = [
    ("touch new", "prompt", "prompts by itself"),
    ("execpolicy run --confined -- touch new", "allow", "the sandbox holds it"),
    ("execpolicy run --confined -c 'touch new; touch b'", "allow", "a script too"),
    ("execpolicy run --confined --cwd . touch new", "allow", "with harmless options"),
    ("timeout 9 execpolicy run --confined -- timeout 5 touch new", "allow", "among wrappers"),
    ("execpolicy run -- touch new", "prompt", "without the option the decision counts"),
    ("execpolicy run -- touch --confined", "prompt", "an option of the command is none of run"),
    ("execpolicy run -c 'touch --confined'", "prompt", "in a script neither"),
    ("execpolicy run --confined -- touch new; touch b", "prompt", "beside it nothing is held"),
    ("execpolicy run --confined -- touch new > b", "prompt", "a redirection is the caller's"),
    ("execpolicy run --confined -- mkdir d", "forbidden", "refused is refused"),
    ("execpolicy run --confined -- git push", "prompt", "no sandbox holds another machine"),
    ("execpolicy run --confined --rules a.rules -- ls", "prompt", "other rules are a person's"),
    ("execpolicy run --confined --no-builtin -- ls", "prompt", "fewer rules too"),
    ("execpolicy run --confined --weak -- ls", "prompt", "an unknown option may be anything"),
    ("HOME=/tmp/x execpolicy run --confined -- ls", "prompt", "another home has other rules"),
    ("XDG_CONFIG_HOME=x execpolicy run --confined -- ls", "prompt", "so has this"),
    ("EXECPOLICY_CODEX=1 execpolicy run --confined -- ls", "prompt", "and this"),
    ("PATH=. execpolicy run --confined -- ls", "prompt", "it may be another program"),
    ("./execpolicy run --confined -- touch new", "prompt", "this is one"),
    ("execpolicy run --confined -- $x", "prompt", "a program whose name is computed"),
]


OTHER_RULES = [
    "-r a.rules", "-ra.rules", "--rules a.rules", "--rules=a.rules", "--rule a.rules",
    "-r a.rules -r b.rules", "--no-builtin", "--no-b", "-r /dev/null",
]  # fmt: skip


@pytest.mark.parametrize("options", OTHER_RULES)
def test_under_rules_of_the_callers_own_nothing_is_held(tmp_path: Path, options: str) -> None:
    """Though the user let the wrapper through: the sandbox is what the other rules make of it."""
    (tmp_path / "a.rules").write_text(RULES + 'prefix_rule(["execpolicy", "run"], "allow")\n')
    new_repository(tmp_path / "w")
    engine = execpolicy.Engine.load(rules=[tmp_path / "a.rules"])
    for inner in ("-- touch new", "-c 'touch new'"):
        verdict = engine.check(f"execpolicy run --confined {options} {inner}", cwd=tmp_path / "w")
        assert verdict.decision.word == "prompt", inner


@pytest.mark.parametrize(("text", "decision", "what"), CASES, ids=[c[2] for c in CASES])
def test_the_wrapper(tmp_path: Path, text: str, decision: str, what: str) -> None:
    (tmp_path / "a.rules").write_text(RULES)
    new_repository(tmp_path / "w")
    engine = execpolicy.Engine.load(rules=[tmp_path / "a.rules"])
    verdict = engine.decide(execpolicy.Request(text, cwd=str(tmp_path / "w"), shell="bash"))  # noqa: S604
    assert verdict.decision.word == decision, verdict.reason
