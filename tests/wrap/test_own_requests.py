"""What the supervisor of a session answers itself, and that its answers open nothing."""

import json
import os
from pathlib import Path

import pytest

from execpolicy.hosts.shell_calls import CallRole
from execpolicy.hosts.shell_calls.call import ShellCall
from execpolicy.support.resources import compiled, package_directory
from execpolicy.wrap.own_requests import OwnKind, own_request
from tests.wrap.support import wrapped

CLIENT = compiled("hook")
MAIN = f"{package_directory()}/__main__.py"
WORDS = [
    (["/bin/sh", "-c", "execpolicy hook claude"], OwnKind.HOOK),
    (["/bin/sh", "-c", f"/v/bin/python -I {MAIN} hook codex"], OwnKind.HOOK),
    (["/bin/sh", "-c", f"/v/bin/python -E -P {MAIN} hook codex"], OwnKind.HOOK),
    (["/bin/sh", "-c", f"/v/bin/python -I -S {MAIN} hook codex"], OwnKind.HOOK),
    (["/bin/sh", "-c", f"/v/bin/python -S {MAIN} hook codex"], None),
    (["/usr/bin/execpolicy", "hook", "gemini"], OwnKind.HOOK),
    (["/usr/bin/execpolicy", "check", "-c", "git push"], OwnKind.CHECK),
    (["/usr/bin/execpolicy", "check", "--", "git", "push"], OwnKind.CHECK),
    (["/usr/bin/execpolicy", "brief"], OwnKind.BRIEF),
    (["/usr/bin/execpolicy", "pending"], OwnKind.PENDING),
    (["/usr/bin/execpolicy", "undo", "7", "--", "src"], OwnKind.UNDO),
    (["/usr/bin/execpolicy", "undo", "--cwd=/", "7"], None),
    (["/bin/sh", "-c", "execpolicy hook claude > /p/x"], None),
    (["/bin/sh", "-c", "X=1 execpolicy hook claude"], None),
    (["/bin/sh", "-c", "execpolicy hook claude; id"], None),
    (["/bin/sh", "-c", "execpolicy hook $X"], None),
    (["/bin/sh", "-c", "./execpolicy hook claude"], None),
    (["/bin/sh", "-c", f"python -X x {MAIN} hook claude"], None),
    (["/bin/sh", "-c", f"{CLIENT} /usr/bin/python3 -I {MAIN} hook claude"], OwnKind.HOOK),
    (["/bin/sh", "-c", f"/p/hook python3 -I {MAIN} hook claude"], None),
    (["/bin/sh", "-c", "python -I /p/execpolicy/__main__.py hook claude"], None),
    (["/usr/bin/execpolicy", "hook", "nobody"], None),
    (["/usr/bin/execpolicy", "check", "-r", "/p/evil.rules", "-c", "ls"], None),
    (["/usr/bin/execpolicy", "check", "--jsonl"], None),
    (["/usr/bin/execpolicy", "approve", "K7QX2M"], None),
    (["/usr/bin/execpolicy", "pending", "--watch"], None),
    (["/usr/bin/execpolicy"], None),
]


@pytest.mark.parametrize(("argv", "kind"), WORDS)
def test_words(argv: list[str], kind: OwnKind | None) -> None:
    found = own_request(argv, None)
    assert (found and found.kind) == kind


def test_a_text_with_words_of_the_agent_around_it_runs() -> None:
    call = ShellCall("claude", CallRole.MODEL, "/bin/bash", "execpolicy brief", writes=("/tmp/c",))
    assert own_request(["/bin/bash", "-c", "x"], call) is None
    alone = call.replace(writes=())
    assert own_request(["/bin/bash", "-c", "x"], alone) is not None


ASKS = "sh -c 'execpolicy {}'"


def payload(tool: str, **given: str) -> bytes:
    event = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given}
    return json.dumps({**event, "permission_mode": "bypassPermissions"}).encode()


def decision(out: bytes) -> str:
    said = json.loads(out or b"{}").get("hookSpecificOutput", {})
    return str(said.get("permissionDecision", ""))


RULES = 'prefix_rule(["forbidden-thing"], "forbidden")\nprefix_rule(["mayhap"], "prompt")\n'


@pytest.fixture
def ruled(project: Path, home: Path) -> Path:
    with (project.parent / "a.rules").open("a") as rules:
        rules.write(RULES)
    return project


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        ("Bash", {"command": "echo x > made"}, "allow"),
        ("Bash", {"command": "forbidden-thing"}, "deny"),
        ("Bash", {"command": "mayhap"}, "allow"),
        ("Write", {"file_path": "made.txt", "content": "x"}, "allow"),
        ("Write", {"file_path": ".git/hooks/pre-commit", "content": "x"}, "deny"),
        ("Read", {"file_path": ".env"}, "deny"),
        ("WebFetch", {"url": "https://example.org/", "prompt": "x"}, "deny"),
        ("mcp__server__change", {"what": "x"}, "deny"),
    ],
)
def test_an_event_is_answered(ruled: Path, tool: str, given: dict[str, str], said: str) -> None:
    given = {n: f"{ruled}/{v}" if n == "file_path" else v for n, v in given.items()}
    done = wrapped(ruled, ASKS.format("hook claude"), given=payload(tool, **given))
    assert decision(done.stdout) == said, done


def test_a_grant_opens_nothing(ruled: Path) -> None:
    hook, pending = ASKS.format("hook claude"), ASKS.format("pending")
    text = f"{hook} > answer; sh -c mayhap; echo $?; {pending}"
    done = wrapped(ruled, text, given=payload("Bash", command="mayhap"))
    assert b"123" in done.stdout.split(), done
    assert decision((ruled / "answer").read_bytes()) == "allow"
    code = done.stderr.decode().partition("execpolicy approve ")[2].split("`")[0]
    assert code.encode() in done.stdout


def test_it_is_said_what_the_policy_of_the_session_says(ruled: Path) -> None:
    check, brief = ASKS.format("check -c forbidden-thing"), ASKS.format("brief")
    done = wrapped(ruled, f"{check}; echo $?; {brief} | head -1")
    lines = done.stdout.decode().splitlines()
    assert lines[0].startswith("forbidden: ")
    assert "2" in lines
    assert "execpolicy" in lines[-1]


def test_an_event_that_never_ends_is_given_up(ruled: Path) -> None:
    done = wrapped(ruled, f"{ASKS.format('hook claude')} < <(sleep 60); echo $?")
    assert b"123" in done.stdout, done
    assert b"not decided about within" in done.stderr
    assert os.path.isdir(ruled)
