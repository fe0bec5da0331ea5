"""`execpolicy hook` as a host runs it: a process with a payload on stdin."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.commands.hook import Hook, placed
from execpolicy.engine.engine import Engine
from execpolicy.hosts.install.sample_payload import payload as probe
from execpolicy.hosts.protocols import AGENTS, load
from tests.store.support import project, user
from tests.waiting import HANG_SECONDS

COMMAND = [sys.executable, "-m", "execpolicy", "hook"]
PATIENT = """
from execpolicy.__main__ import main
from execpolicy.commands import hook
hook.SECONDS = 600.0
main()
"""
"""The same without an answer for want of time."""


def payload(command: object, **more: object) -> bytes:
    given = {"hook_event_name": "PreToolUse", "tool_name": "Bash"}
    return json.dumps({**given, "tool_input": {"command": command}, **more}).encode()


def decided(data: bytes, host: str = "claude") -> str:
    return word(Hook(host).answer(data).stdout)


def test_a_process_says_the_protocol_and_no_more() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PATIENT, "hook", "claude"],
        input=payload("ls -la"),
        capture_output=True,
        timeout=HANG_SECONDS,
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


WORDS = {"grant": "allow", "silent": "", "ask": "ask", "refuse": "deny"}


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "plan", "dontAsk", "auto", None])
@pytest.mark.parametrize("command", SAME)
def test_the_hook_says_what_check_says(
    command: str, mode: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = ["--mode", mode] if mode else []
    where = ["--cwd", str(tmp_path), "--format", "json", "-c", command]
    run(dispatch, ["check", "--host", "claude", *chosen, *where])
    told = json.loads(capsys.readouterr().out)["host"]
    given = {"permission_mode": mode} if mode else {}
    reply = Hook("claude").answer(payload(command, cwd=str(tmp_path), **given))
    assert (told["name"], told["mode"]) == ("claude", mode or "")
    assert word(reply.stdout) == WORDS[told["answer"]]


def word(stdout: str) -> str:
    """The decision in an answer for Claude Code, empty where there is none."""
    found = json.loads(stdout)["hookSpecificOutput"]["permissionDecision"] if stdout else ""
    return str(found)


@pytest.mark.parametrize("command", ["", " ", "\n\t", "# nothing", "x=1", ";"])
def test_a_blank_command_is_never_granted(command: str) -> None:
    for host in AGENTS:
        given = probe(host, command)
        reply = Hook(host).answer(json.dumps(given).encode())
        assert '"allow"' not in reply.stdout or host == "antigravity", host


def test_paths_start_where_the_payload_says_or_the_host_or_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, other = tmp_path / "app", tmp_path / "other"
    project.mkdir()
    other.mkdir()
    monkeypatch.chdir(other)
    table: list[tuple[dict[str, object], str | None, Path]] = [
        ({"cwd": str(project)}, None, project),
        ({"cwd": str(project)}, str(other), project),
        ({}, str(project), project),
        ({}, "relative", other),
        ({}, None, other),
        ({"cwd": "sub"}, str(project), project / "sub"),
        ({"cwd": "sub"}, None, other / "sub"),
        ({"cwd": 1}, None, other),
    ]
    for given, variable, expected in table:
        hook = Hook("claude")
        hook.call = hook.agent.read(json.loads(payload("ls", **given)))
        found = placed(hook.call, variable or "")
        assert found.request
        assert found.request.cwd == str(expected), (given, variable)
        root = variable if variable and variable.startswith("/") else None
        assert found.request.root == root


def test_the_root_is_what_the_host_names() -> None:
    shell = {"hook_event_name": "beforeShellExecution", "command": "ls", "cwd": "/w/sub"}
    for host, given, root in [
        ("cursor", {**shell, "workspace_roots": ["/w"]}, "/w"),
        ("cursor", {**shell, "workspace_roots": ["w"]}, None),
        (
            "opencode",
            {"tool": "bash", "args": {"command": "ls"}, "cwd": "/w/a", "root": "/w"},
            "/w",
        ),
        ("codex", json.loads(payload("ls", cwd="/w")), None),
    ]:
        found = placed(load(host).read(given))
        assert found.request
        assert found.request.root == root


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
    process = subprocess.Popen([*COMMAND, "claude"], stdin=-1, stdout=-1, stderr=-1)
    assert process.stdin
    assert process.stdout
    assert process.stderr
    process.stdin.write(b'{"hook_event_name": ')
    process.stdin.flush()
    assert process.wait(HANG_SECONDS) == 0
    out, err = process.stdout.read(), process.stderr.read()
    assert b'"permissionDecision": "ask"' in out
    assert b"no answer within 1.7 s" in err
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["emacs"], "unknown host `emacs`: use one of antigravity, claude"),
        (["claude", "b"], "unexpected argument `b`"),
    ],
)
def test_usage_errors_are_64(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(dispatch, ["hook", *arguments]) == ExitCode.USAGE
    captured = capsys.readouterr()
    assert captured.out == ""
    assert says in captured.err


def test_it_imports_as_little_as_check() -> None:
    code = "import sys; from execpolicy.__main__ import dispatch; "
    code += "from execpolicy.commands import hook; hook.SECONDS = 600.0; "
    code += "dispatch(['hook', 'claude']); "
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
