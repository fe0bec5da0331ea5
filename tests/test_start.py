"""A process that is started for each command imports what it needs, and nothing else."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy.support.bundle import TRIES
from tests.waiting import HANG_SECONDS, until_settled

ROOT = Path(__file__).parents[1]

PROGRAM = """
import sys
before = set(sys.modules)
sys.argv = ["execpolicy", *{arguments!r}]
from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import run
code = run(dispatch, sys.argv[1:])
print(sorted(set(sys.modules) - before), file=sys.stderr)
"""

# Modules of the standard library that are part of the interpreter or cost next to nothing.
LIGHT = {
    "_json",
    "_operator",
    "_sha2",
    "_sha256",
    "_thread",
    "binascii",
    "errno",
    "gc",
    "marshal",
    "pwd",
    "time",
}

HEAVY = {
    "argparse",
    "bashlex",
    "collections",
    "contextlib",
    "dataclasses",
    "difflib",
    "enum",
    "functools",
    "hashlib",
    "inspect",
    "json",
    "lark",
    "pathlib",
    "re",
    "rich",
    "shlex",
    "starlark",
    "subprocess",
    "threading",
    "tomllib",
    "typing",
    "watchfiles",
}


def imported(*arguments: str, stdin: str = "") -> set[str]:
    """What a process imports that has done this before."""
    command = [sys.executable, "-c", PROGRAM.format(arguments=arguments)]
    last = b""
    for turn in range(TRIES):
        done = subprocess.run(
            command, input=stdin.encode(), capture_output=True, cwd=ROOT, timeout=HANG_SECONDS
        )
        last = done.stderr.splitlines()[-1]
        if turn and last[:1] == b"[":  # else a hook had no time, and said so
            break
    names: list[str] = json.loads(last.replace(b"'", b'"'))
    return set(names)


@pytest.mark.parametrize(
    ("words", "most"),
    [(("ls",), 98), (("git", "push"), 128)],  # it looks for hooks, and for a rule as an answer
)
def test_a_plain_check_imports_only_what_it_needs(words: tuple[str, ...], most: int) -> None:
    names = imported("check", "--", *words)
    foreign = {n for n in names if not n.startswith("execpolicy")}
    assert foreign <= LIGHT
    packages = {n.split(".")[1] for n in names if n.count(".") >= 1}
    assert not packages & {"language", "shell", "lint", "hosts"}
    assert len(names) <= most


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "--", "ls", "-la"),
        ("check", "-c", "ls -la | wc -l"),
        ("check", "-c", "cd app && git status --short 2>&1 | head -5"),
        ("check", "-c", "grep -rn 'a b' src/*.py 2>/dev/null | awk '{print $1}'"),
        ("check", "--format", "json", "--", "git", "push"),
    ],
)
def test_everyday_checks_import_nothing_heavy(arguments: tuple[str, ...]) -> None:
    assert not {n.split(".")[0] for n in imported(*arguments)} & HEAVY


AGAIN = """
import os, sys
from execpolicy import __main__
from execpolicy.store.repeat import witness
before = set(sys.modules)
witness.SETTLED = 0
leave = os._exit
def end(code):
    names = {n for n in set(sys.modules) - before if n.startswith("execpolicy")}
    os.write(2, repr(sorted(names)).encode())
    leave(code)
os._exit = end
__main__.main()
"""


def test_an_answer_that_is_given_again_imports_no_policy() -> None:
    command = [sys.executable, "-c", AGAIN, "check", "--", "git", "push"]
    for _ in range(3):
        done = subprocess.run(command, capture_output=True, cwd=ROOT, timeout=HANG_SECONDS)
    names = {name.split(".")[1] for name in eval(done.stderr) if "." in name}  # noqa: S307
    assert names <= {"commands", "store", "support", "model"}
    assert len(eval(done.stderr)) <= 3  # noqa: S307 — beside those of the witness


HOOK = AGAIN.replace("witness.SETTLED = 0\n", "")
CALL = {
    "session_id": "as young as its first call",
    "cwd": "/",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "git push"},
}


def test_a_call_of_a_hook_that_is_answered_again_imports_no_policy(home: Path) -> None:
    """In a session that began just now, and in a home with nothing in it."""
    command = [sys.executable, "-c", HOOK, "hook", "claude"]
    made = Path(os.environ["XDG_CACHE_HOME"])
    imported("check", "--", "git", "push")
    until_settled(made)  # compiled just now
    for _ in range(3):
        stdin = json.dumps(CALL).encode()
        done = subprocess.run(
            command, input=stdin, capture_output=True, cwd=home, timeout=HANG_SECONDS
        )
    names = {name.split(".")[1] for name in eval(done.stderr) if "." in name}  # noqa: S307
    assert names <= {"commands", "hosts", "store", "support", "model"}
    assert len(eval(done.stderr)) <= 22  # noqa: S307


@pytest.mark.parametrize("host", ["claude", "copilot"])
def test_a_call_that_a_host_is_to_ask_about_imports_nothing_heavy(host: str, home: Path) -> None:
    names = imported("hook", host, stdin=json.dumps(CALL))
    assert "execpolicy.model.wording" in names
    assert not {name.split(".")[0] for name in names} & HEAVY


def test_the_library_costs_nothing_until_it_is_used() -> None:
    program = "import sys; b = set(sys.modules); import execpolicy; print(set(sys.modules) - b)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, cwd=ROOT)
    assert done.stdout.strip() == b"{'execpolicy'}"


def test_settings_and_layers_that_do_not_change_are_not_parsed_again(home: Path) -> None:
    config = home / ".config/execpolicy"
    (config / "rules").mkdir(parents=True)
    (config / "config.toml").write_text("audit = false\n")
    (config / "rules/a.rules").write_text('prefix_rule(["mytool"])\n')
    names = imported("check", "--", "mytool")
    assert "tomllib" not in names
    assert "starlark" not in names
    assert os.environ["XDG_CONFIG_HOME"] == str(home / ".config")


WRITING = {
    "dataclasses",
    "hashlib",
    "http",
    "inspect",
    "lark",
    "logging",
    "rich",
    "ssl",
    "tempfile",
}


@pytest.mark.parametrize(
    "arguments", [("lint", "a.rules"), ("fmt", "--check", "a.rules"), ("test", "a.rules_test")]
)
def test_what_pre_commit_runs_imports_no_parser_generator(
    arguments: tuple[str, ...], home: Path
) -> None:
    (home / "a.rules").write_text('prefix_rule(["mytool"], match = ["mytool"])\n')
    (home / "a.rules_test").write_text('policy(["a.rules"])\n\ncase("mytool", "allow")\n')
    command, *options, file = arguments
    assert not {n.split(".")[0] for n in imported(command, *options, str(home / file))} & WRITING
