"""`execpolicy replay`: what agents did, and what a policy would have asked."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.hosts.transcripts.call import TranscriptCall
from execpolicy.model.decision import Decision
from execpolicy.model.errors import UsageError
from execpolicy.model.operation import Request
from execpolicy.replay.requests import PathMapping, requests
from execpolicy.replay.summary import ReplaySummary, Tally
from tests.commands.logs import WORK, log, ran, refused

DAY = [
    *ran("a", "git status", "git push", "git push", "make", "rm -rf /"),
    *ran("b", "git status", "ls"),
]


def wire(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    dispatch(["replay", "--rules", "-", "--format", "json", *words])
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_calls_are_counted_by_session_program_and_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = wire(capsys, log(tmp_path / "day.jsonl", DAY))
    assert found["calls"] == {"passed": 3, "asked": 3, "forbidden": 1}
    assert found["questions"] == {"median": 1.5, "p90": pytest.approx(2.7)}
    assert found["sessions"] == [
        {"session": "a", "passed": 1, "asked": 3, "forbidden": 1},
        {"session": "b", "passed": 2, "asked": 0, "forbidden": 0},
    ]
    assert found["programs"] == [
        {"program": "git", "asked": 2},
        {"program": "make", "asked": 1},
        {"program": "rm", "asked": 1},
    ]
    reasons = found["reasons"]
    assert isinstance(reasons, list)
    assert reasons[0] == {
        "reason": "git push [remote]",
        "calls": 2,
        "sessions": 1,
        "example": "git push",
    }
    assert found["opened"] == []


def test_what_a_person_refused_and_would_pass_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = log(tmp_path / "day.jsonl", refused("a", "git log --oneline", "git push"))
    assert dispatch(["replay", "--rules", "-", path]) == ExitCode.ERROR
    out = capsys.readouterr().out
    assert out.endswith("refused by a person, and would pass (1):\n  git log --oneline\n")


def test_another_policy_is_compared_what_is_looser_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "old.rules").write_text('prefix_rule(["ls"], "prompt")\nprefix_rule(["make"])\n')
    path = log(tmp_path / "day.jsonl", DAY)
    found = wire(capsys, path, "--against", str(tmp_path / "old.rules"))
    assert found["changes"] == [
        {"before": "prompt", "after": "allow", "times": 1, "text": "ls"},
        {"before": "allow", "after": "prompt", "times": 1, "text": "make"},
    ]


def test_the_sandbox_asks_less(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = log(tmp_path / "day.jsonl", ran("a", "python3 x.py"))
    asked = [
        dispatch(["replay", "--rules", "preset:developer", "--field", field, path])
        and capsys.readouterr().out
        for field in ("decision", "confined")
    ]
    assert asked == [0, 0]
    out = capsys.readouterr().out
    assert "asked 1 (100.0 %)" in out
    assert "asked 0 (0.0 %)" in out


def test_a_log_without_files_is_what_lies_in_the_home(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = home / ".local/state/execpolicy"
    folder.mkdir(parents=True)
    log(folder / "audit.jsonl", DAY)
    log(folder / "audit.jsonl.2", DAY)  # moved aside
    assert wire(capsys)["files"] == 2


@pytest.mark.parametrize("text", ["", "/a", "a=/b", "/a=b"])
def test_a_mapping_is_two_directories(text: str) -> None:
    with pytest.raises(UsageError):
        PathMapping.of(text)


MOVED = [
    ("cat /old/x.py", "cat /new/x.py"),
    ("cat '/old'; ls /old", "cat '/new'; ls /new"),
    ("cat /older/x /a/old/x", "cat /older/x /a/old/x"),
]


@pytest.mark.parametrize(("before", "after"), MOVED)
def test_a_directory_of_the_other_machine_is_one_here(before: str, after: str) -> None:
    request = Request(text=before, cwd="/old/sub", root="/old")
    call = TranscriptCall("1", "claude", "s", request)
    (found,) = requests([call], [PathMapping.of("/old=/new")], away=True)
    assert (found.request.text, found.request.cwd) == (after, "/new/sub")


PLACES = [
    ("macOS's temporary directory", "cat /var/folders/ab/c_d/T/x", "cat /tmp/x"),
    ("by its real name", "cat /private/var/folders/ab/c_d/T/x", "cat /tmp/x"),
    ("and /tmp by its real name", "cat /private/tmp/x", "cat /tmp/x"),
]


@pytest.mark.parametrize(("why", "before", "after"), PLACES)
def test_names_of_another_machine_are_known(why: str, before: str, after: str) -> None:
    call = TranscriptCall("1", "claude", "s", Request(text=before, cwd="/Users/x/p"))
    (found,) = requests([call])
    assert (found.request.text, found.home) == (after, "/Users/x")


WORKTREES = [
    ("/home/x/p/.claude/worktrees/one", "/home/x/p"),
    ("/home/x/p/.claude/worktrees/one/sub", "/home/x/p"),
    ("/home/x/p__worktrees/one", "/home/x/p"),
    ("/home/x/p", "/home/x/p"),
]


@pytest.mark.parametrize(("cwd", "project"), WORKTREES)
def test_a_worktree_is_its_project(cwd: str, project: str) -> None:
    call = TranscriptCall("1", "claude", "s", Request(text="ls", cwd=cwd, root="/home/x/p"))
    (found,) = requests([call])
    assert found.project == project
    assert cwd.startswith(found.request.root or "?")


def test_the_disk_of_this_machine_says_nothing_about_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A directory that is here is looked at, unless the log is said to be of another machine."""
    (tmp_path / "config").write_text("")
    (tmp_path / "key").symlink_to("/etc/shadow")
    path = log(tmp_path / "day.jsonl", ran("a", "cat key"), str(tmp_path))
    here, away = wire(capsys, path), wire(capsys, path, "--elsewhere")
    assert here["calls"] == {"passed": 0, "asked": 1, "forbidden": 0}
    assert away["calls"] == {"passed": 1, "asked": 0, "forbidden": 0}


def test_programs_that_ask_as_often_come_by_their_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not in the order of a set, which is another one in each process."""
    names = [f"tool{letter}" for letter in "zyxwvutsrqponm"]
    path = log(tmp_path / "day.jsonl", ran("a", " ; ".join(names)))
    counted = wire(capsys, path)["programs"]
    assert isinstance(counted, list)
    assert counted == sorted(counted, key=str)


QUANTILES = [([], 0.5, 0), ([3], 0.9, 3), ([0, 10], 0.5, 5), ([0, 1, 2, 3, 4], 0.9, 3.6)]


@pytest.mark.parametrize(("counts", "share", "value"), QUANTILES)
def test_questions_of_a_session(counts: list[int], share: float, value: float) -> None:
    sessions = tuple((str(n), Tally(asked=count)) for n, count in enumerate(counts))
    found = ReplaySummary(Tally(), sessions, (), (), (), (), (), ())
    assert found.quantile(share) == pytest.approx(value)


class Page(HTMLParser):
    """The tags that are open, and all attributes."""

    VOID = ("meta", "rect", "line", "polygon", "polyline")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in self.VOID or tag == "rect":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("calls", [[], DAY, refused("a", "ls</code><img src=x>")], ids=len)
def test_a_report_is_whole_and_asks_for_nothing(
    calls: list[tuple[str, str, str]], tmp_path: Path
) -> None:
    path, report = log(tmp_path / "day.jsonl", calls), tmp_path / "day.html"
    dispatch(["replay", "--rules", "-", "--report", str(report), path])
    text = report.read_text()
    page = Page()
    page.feed(text)
    page.close()
    assert page.open == []
    links = {"src", "href", "srcset", "action", "data", "poster", "background"}
    assert [found for found in page.attributes if found[1] in links] == []
    assert not re.search(r"url\(|@import|https?:|<script|<img", text)
    assert "default-src 'none'" in text


def test_rows_go_to_a_file_of_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "day.parquet"
    words = ["replay", "--rules", "-", "--format", "parquet", "--output", str(out)]
    dispatch([*words, log(tmp_path / "day.jsonl", DAY)])
    rows = parquet.read_table(out).to_pylist()
    assert [row["decision"] for row in rows].count(Decision.PROMPT.word) == 3
    assert {row["project"] for row in rows} == {WORK}
