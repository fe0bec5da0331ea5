"""`check --jsonl`: a line that is not a request gets an error, and no other line is lost."""

import io
import json
from typing import Any

import jsonschema
import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.check_jsonl import MAX_LINE_BYTES
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.support.resources import schema_text

SCHEMA = json.loads(schema_text())

BAD_LINES = {
    "not JSON": (b"{", "line is not JSON"),
    "not UTF-8": (b'{"command": "\xff"}', "line is not JSON"),
    "not an object": (b"[1]", "line is not a JSON object"),
    "neither command nor argv": (b"{}", "give `command`, a string, or `argv`"),
    "both": (b'{"command": "ls", "argv": ["ls"]}', "give `command`, a string, or `argv`"),
    "command is not a string": (b'{"command": 1}', "`command` must be a string"),
    "argv is not a list": (b'{"argv": "ls"}', "`argv` a list of strings"),
    "argv of numbers": (b'{"argv": [1]}', "`argv` a list of strings"),
    "empty argv": (b'{"argv": []}', "there is no command"),
    "empty program": (b'{"argv": [""]}', "the program name is empty"),
    "NUL in a word": (b'{"argv": ["ls", "a\\u0000"]}', "contains a NUL"),
    "lone surrogate in a word": (b'{"argv": ["ls", "\\ud800"]}', "is not valid UTF-8"),
    "one that is a byte to Python": (
        b'{"argv": ["ls", "\\udcff"]}',
        "give its bytes to",
    ),
    "cwd is not a string": (b'{"command": "ls", "cwd": 1}', "`cwd` must be a string"),
    "too long": (b'{"command": "' + b"a" * 10_000_000 + b'"}', "line is longer than"),
    "nested too deeply": (b"[" * 200_000, "line is not JSON"),
}


def answers(
    data: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, list[dict[str, Any]]]:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    code = run(dispatch, ["check", "--rules", "/dev/null", "--jsonl"])
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize(("line", "says"), BAD_LINES.values(), ids=BAD_LINES)
def test_a_bad_line_costs_no_other(
    line: bytes, says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    good = b'{"id": "a", "command": "ls"}\n'
    code, found = answers(good + line + b"\n" + good, monkeypatch, capsys)
    assert [f.get("decision") for f in found] == ["allow", None, "allow"]
    assert says in found[1]["error"]
    assert code == ExitCode.ERROR


def test_an_error_gives_the_id_back(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, found = answers(b'{"id": 7, "argv": []}', monkeypatch, capsys)
    assert found == [{"id": 7, "error": "there is no command"}]


def test_every_line_answered_is_success_whatever_the_decision(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = b'{"argv": ["ls"]}\n\n{"command": "no-such-program", "id": null}\r\n{"command": ""}'
    code, found = answers(data, monkeypatch, capsys)
    assert code == ExitCode.ALLOW
    assert [f["decision"] for f in found] == ["allow", "prompt", "allow"]


def test_the_longest_line_is_still_answered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = b'{"command": "ls ' + b"a" * (MAX_LINE_BYTES - 19) + b'"}\n'
    assert len(line) == MAX_LINE_BYTES
    _, found = answers(line, monkeypatch, capsys)
    assert found[0]["decision"] == "prompt"


REQUESTS = [
    {"command": "ls -la | wc -l"},
    {"command": "timeout 5 git push > out 2>&1 < in", "id": 1},
    {"command": 'x=1; wc -l "$x" $(date) | sort -o "$y"', "id": [1]},
    {"command": "FOO=1 ls; eval x; cat <<E\n$x\nE"},
    {"command": "exec 3<>/dev/tcp/example.com/80"},
    {"command": "rm -rf /", "id": "é"},
    {"command": "ls \ud800"},
    {"argv": ["git", "push"]},
]


@pytest.mark.parametrize("request_", REQUESTS)
def test_every_verdict_fits_the_schema(
    request_: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, (verdict,) = answers(json.dumps(request_).encode(), monkeypatch, capsys)
    jsonschema.Draft202012Validator(SCHEMA).validate(verdict)
    assert verdict.get("id") == request_.get("id")
