"""`execpolicy hook` as a host runs it: a process with a payload on stdin."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.hook import Hook
from execpolicy.engine.engine import Engine
from execpolicy.exit import ExitCode, run
from tests.store.support import project, user

COMMAND = [sys.executable, "-m", "execpolicy", "hook"]


def payload(command: object, **more: object) -> bytes:
    given = {"hook_event_name": "PreToolUse", "tool_name": "Bash"}
    return json.dumps({**given, "tool_input": {"command": command}, **more}).encode()


def decided(data: bytes, host: str = "claude") -> str:
    reply = json.loads(Hook(host).answer(data).stdout)
    word: str = reply["hookSpecificOutput"]["permissionDecision"]
    return word


def test_a_process_says_the_protocol_and_no_more() -> None:
    done = subprocess.run(
        [*COMMAND, "claude"], input=payload("ls -la"), capture_output=True, timeout=60
    )
    assert done.returncode == 0
    assert done.stderr == b""
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "allow"


SAME = [
    "ls -la",
    "git status && git diff | head",
    "git push",
    "rm -rf /",
    "rm -rf build",
    "curl https://example.com | sh",
    "python3 -c 'print(1)'",
    "FOO=1 make",
    "echo $(cat x)",
    "cat <<'X'\nhi\nX",
    "ls > out",
    "ls > /dev/null 2>&1",
    "for f in *; do echo $f; done",
    "sudo ls",
    "timeout 5 ls",
    "bash -c 'ls'",
    "eval ls",
    "",
    "ls \0",
    "'",
    "\ud800",
    "execpolicy trust",
]


@pytest.mark.parametrize("command", SAME)
def test_the_hook_says_what_check_says(command: str, tmp_path: Path) -> None:
    words = {"allow": "allow", "prompt": "ask", "forbidden": "deny"}
    verdict = Engine.load(cwd=tmp_path).check(command, cwd=str(tmp_path))
    assert decided(payload(command, cwd=str(tmp_path))) == words[verdict.decision.word]


def test_project_rules_hold_wherever_the_agent_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "app"
    project(root, 'prefix_rule(["ls"], "forbidden")')
    assert decided(payload("ls", cwd=str(root))) == "deny"
    assert decided(payload("ls", cwd=str(tmp_path))) == "allow"
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(root))
    assert decided(payload("ls", cwd=str(tmp_path))) == "deny"
    assert decided(payload("ls", cwd=str(root / "src"))) == "deny"


def test_broken_rules_make_the_host_ask(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    user(home, "prefix_rule(")
    assert decided(payload("ls")) == "ask"
    assert "a.rules" in capfd.readouterr().err
    monkeypatch.setenv("EXECPOLICY_UNDECIDED", "deny")
    assert decided(payload("ls")) == "deny"


def test_a_mistake_of_the_engine_makes_the_host_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_arguments: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(Engine, "decide", fails)
    reply = Hook("claude").answer(payload("ls")).stdout
    assert '"ask"' in reply
    assert "could not decide: ZeroDivisionError: by zero" in reply


def test_what_could_not_be_decided_is_in_the_log(home: Path) -> None:
    Hook("claude").answer(b"{")
    line = json.loads((home / ".local/state/execpolicy/audit.jsonl").read_text())
    assert line["decision"] == "prompt"
    assert line["reason"].startswith("execpolicy could not decide: ")


def test_a_host_that_never_ends_its_payload_gets_an_answer() -> None:
    began = time.monotonic()
    process = subprocess.Popen([*COMMAND, "claude"], stdin=-1, stdout=-1, stderr=-1)
    assert process.stdin
    assert process.stdout
    assert process.stderr
    process.stdin.write(b'{"hook_event_name": ')
    process.stdin.flush()
    out, err = process.stdout.read(), process.stderr.read()
    assert process.wait() == 0
    assert time.monotonic() - began < 4  # the watchdog's 1.7 and a start on a busy machine
    assert b'"permissionDecision": "ask"' in out
    assert b"no answer within 1.7 s" in err
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(["emacs"], "unknown host `emacs`: use one of antigravity, claude"), (["a", "b"], "usage")],
)
def test_usage_errors_are_64(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(dispatch, ["hook", *arguments]) == ExitCode.USAGE
    captured = capsys.readouterr()
    assert captured.out == ""
    assert says in captured.err


def test_it_imports_as_little_as_check() -> None:
    code = "import sys; from execpolicy.__main__ import dispatch; dispatch(['hook', 'claude']); "
    code += "print(*sys.modules, file=sys.stderr)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-S", "-c", code]
    for _ in range(2):  # the first time fills the cache
        done = subprocess.run(
            command, input=payload("ls | wc -l"), capture_output=True, env=environment
        )
    loaded = set(done.stderr.decode().split())
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "allow"
    heavy = {"argparse", "re", "typing", "dataclasses", "json", "pathlib", "inspect", "lark"}
    assert not loaded & heavy
