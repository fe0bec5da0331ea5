"""What was decided lately is kept, while the machine is as it was, and never beyond a size."""

import json
from pathlib import Path
from typing import Any

import pytest

from execpolicy.commands.check_jsonl import Written
from execpolicy.engine import audit, recent
from execpolicy.engine.engine import Engine
from execpolicy.engine.recent import Recent
from execpolicy.engine.wire import to_wire
from execpolicy.model.operation import Access, Request
from execpolicy.model.scope import Scope
from execpolicy.places.moment import Moment


@pytest.fixture(scope="module")
def engine() -> Engine:
    engine = Engine.load(rules=[])
    engine.check("ls")
    return engine


@pytest.mark.parametrize("command", ["git push", ["git", "push"], "ls | wc -l"])
def test_the_same_again_is_the_same_verdict(engine: Engine, command: "str | list[str]") -> None:
    assert engine.check(command, cwd="/") is engine.check(command, cwd="/")


def test_another_directory_shell_or_root_is_another_question(engine: Engine) -> None:
    asked = Request(text="echo a=~", cwd="/")
    others: list[dict[str, Any]] = [
        {"cwd": "/usr"},
        {"shell": "bash"},
        {"root": "/usr"},
        {"roots": ("/usr",)},
        {"scope": Scope("/", writes=("/usr",))},
        {"text": "echo b"},
    ]
    first = engine.decide(asked)
    assert first is engine.decide(asked)
    assert all(engine.decide(asked.replace(**other)) is not first for other in others)


def test_what_tools_do_is_decided_each_time(engine: Engine) -> None:
    read = Request(operations=(Access("/etc/shadow", "read"),), cwd="/")
    write = Request(operations=(Access("/usr/x", "write"),), cwd="/")
    assert engine.decide(read).judged[0].operation != engine.decide(write).judged[0].operation


def test_a_machine_that_changed_is_asked_again(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    before = engine.check("cat a", cwd=str(tmp_path))
    (tmp_path / "a").unlink()
    (tmp_path / "a").symlink_to("/etc/shadow")
    after = engine.check("cat a", cwd=str(tmp_path))
    assert (before.decision.word, after.decision.word) == ("allow", "prompt")


def test_what_was_not_asked_for_longest_goes_first(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recent, "CACHE_BYTES", 100_000)
    kept = Recent(engine.snapshot)
    made: list[str | None] = []

    def decide(request: Request, *_: Any) -> Any:
        made.append(request.text)
        return engine.check("ls")

    def ask(number: int) -> None:
        kept.decide(Request(text=f"{number}" + " " * 4000), Moment(engine.resolver), decide)

    for number in range(50):
        ask(number)
        ask(0)
    assert len(made) == 50
    ask(1)
    assert len(made) == 51
    assert kept._bytes <= 100_000


def test_many_are_checked_in_order(engine: Engine) -> None:
    verdicts = engine.check_many(["ls", ["git", "push"], "ls"], cwd="/")
    assert [v.decision.word for v in verdicts] == ["allow", "prompt", "allow"]
    assert verdicts[0] is verdicts[2]


@pytest.mark.parametrize("number", [None, 1, "a\n", [1, {"b": None}], False])
def test_a_verdict_is_written_as_json_writes_it(engine: Engine, number: object) -> None:
    written = Written()
    for command in ("git push", "ls | wc -l", "cat é", "git push"):
        verdict = engine.check(command)
        assert written.line(verdict, number) == json.dumps(to_wire(verdict, number))


def test_a_line_of_the_log_is_the_same_when_it_is_written_again(
    engine: Engine, tmp_path: Path
) -> None:
    log = audit.Log(str(tmp_path / "log"))
    for request in (Request(text="git push", cwd="/"), Request(text="ls | wc -l", cwd="/usr")):
        verdict = engine.decide(request)
        for agent in ("claude", None, "claude"):
            asked = request.replace(agent=agent)
            audit.record(log, asked, verdict)
            line = json.loads((tmp_path / "log").read_text().splitlines()[-1])
            expected = audit.entry(log, asked, verdict)
            assert {**line, "time": ""} == {**expected, "time": ""}
            assert list(line) == list(expected)
