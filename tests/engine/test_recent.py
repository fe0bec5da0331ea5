"""What was decided lately is kept, while the machine is as it was, and never beyond a size."""

import gc
import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from execpolicy.engine import audit
from execpolicy.engine.decide import decide
from execpolicy.engine.engine import Engine
from execpolicy.engine.memory import recent
from execpolicy.engine.memory.recent import Recent
from execpolicy.engine.scene import Scene
from execpolicy.engine.wire import to_wire
from execpolicy.model.operation import Access, Request
from execpolicy.model.scope import Scope
from execpolicy.model.verdict import LazyAmendments, Proposed, Verdict
from execpolicy.places.disk import Disk
from execpolicy.places.moment import CachedResolver
from execpolicy.places.repository.index_file import Index
from tests.repositories import new_repository


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
        kept.decide(Request(text=f"{number}" + " " * 1000), CachedResolver(engine.resolver), decide)

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


TEXTS = (
    "cat a",
    "cat src/b | head -5",
    "cat src/*",
    "rm -rf build && mkdir build",
    "rm -f a",
    "cp a src/b && cat src/b",
    "cd src && npm test 2>&1 | tail -5",
    "grep -rn name . | wc -l",
    'for f in src/*.py; do wc -l "$f"; done',
    "git log --oneline -5",
    "git -C src status",
    "echo x > src/b",
    "python3 a",
    "npm install",
)
NAMES = ("a", "src/b", "src", "build", ".npmrc", "src/.npmrc", "src/.git", "src/x.py", ".env", "b")


def change(root: Path, chance: random.Random) -> None:
    """Another state of one name: missing, a file, a directory, a link somewhere."""
    at = root / chance.choice(NAMES)
    if at.is_symlink() or at.is_file():
        at.unlink()
    elif at.is_dir():
        shutil.rmtree(at)
    if not at.parent.is_dir():
        return
    kind = chance.randrange(5)
    if kind == 0:
        at.write_text(chance.choice(["", "registry=http://x\n", "gitdir: ../.git\n"]))
    elif kind == 1:
        at.mkdir()
        for name in ("objects", "refs", "HEAD")[: chance.choice([0, 3])]:
            (at / name).mkdir()
    elif kind == 2:
        at.symlink_to(chance.choice(["/etc/shadow", "../out", "a", str(root / ".git"), "missing"]))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("size", [1, 5])
def test_what_is_remembered_is_what_would_be_decided_anew(
    engine: Engine, tmp_path: Path, seed: int, size: int
) -> None:
    """The disk changes between requests that are decided together, and the rules that a verdict
    proposes may have asked more than the decision."""
    chance = random.Random(seed)  # noqa: S311
    (tmp_path / ".git").mkdir()
    for name in ("objects", "refs", "HEAD"):
        (tmp_path / ".git" / name).mkdir()
    again, given = 0, list[Verdict]()
    for _ in range(60):
        change(tmp_path, chance)
        requests = [
            Request(text=chance.choice(TEXTS), cwd=str(tmp_path), root=str(tmp_path))
            for _ in range(size)
        ]
        with engine.together() as together:
            verdicts = [engine.decide(request, together) for request in requests]
        for request, verdict in zip(requests, verdicts, strict=True):
            again += any(verdict is one for one in given)
            given.append(verdict)
            fresh = decide(request, engine.snapshot, engine.resolver)
            assert to_wire(verdict) == to_wire(fresh), request.text
    assert again > 10


def test_a_proposal_that_asked_more_is_proved_with_it(engine: Engine) -> None:
    there = ["file"]

    class Changing(Disk):
        def kind(self, path: str) -> str:
            return there[0]

    def made(request: Request, snapshot: Any, resolver: Any) -> Any:
        count.append(request)
        lazy = LazyAmendments(lambda: Proposed((), resolver.kind("/x")))
        return engine.check("ls").replace(proposal=lazy)

    count: list[Request] = []
    kept, asked = Recent(engine.snapshot), Request(text="x")
    first = kept.decide(asked, CachedResolver(Changing()), made)
    assert first.instead == "file"
    assert kept.decide(asked, CachedResolver(Changing()), made) is first
    there[0] = "missing"
    assert kept.decide(asked, CachedResolver(Changing()), made).instead == "missing"
    assert len(count) == 2


def test_of_verdicts_given_before_little_is_kept(engine: Engine, tmp_path: Path) -> None:
    """What was seen for them is not, and the rules that they propose are the same nevertheless."""
    new_repository(tmp_path).joinpath(".git/hooks").mkdir()
    tmp_path.joinpath("a").touch()
    subprocess.run(["git", "-C", str(tmp_path), "add", "."], check=True)
    gc.collect()
    before = [one for one in gc.get_objects() if type(one) in (Scene, Index)]
    asked = [Request(text=f"git push; cat b{number}", cwd=str(tmp_path)) for number in range(9)]
    verdicts = [engine.decide(request) for request in asked]
    found = [one for one in gc.get_objects() if type(one) in (Scene, Index)]
    assert len(found) <= len(before) + 2
    for request, verdict in zip(asked, verdicts, strict=True):
        fresh = decide(request, engine.snapshot, engine.resolver)
        assert verdict.amendments
        assert to_wire(verdict) == to_wire(fresh)
