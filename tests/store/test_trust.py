"""A project's rules are not the user's text: until the user read them, they may only tighten."""

import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.model.verdict import Source
from execpolicy.store.sources import trust
from tests.store.support import decision, project

ALLOW, PROMPT, FORBIDDEN = Decision

LOOSENING = {
    "an allow rule": ('prefix_rule(["mytool"])', "mytool"),
    "a network rule": ('network_rule("example.com", "https", "allow")', "curl https://example.com"),
    "a path rule": ('path_rule(["out"], decision = "allow")', "echo x > out"),
    "a program": ('program("mytool")', "mytool"),
    "a posture": ('posture(unknown = "allow")', "mytool"),
    "a host executable": ('host_executable("ls", ["/opt/ls"])', "/opt/ls"),
    "a harmless variable": ('environment(harmless = ["FOO"])', "FOO=1 git log"),
    "a program in isolation": (
        'environment(ignores_environment = ["rg"])',
        "FOO=1 rg x",
    ),
    "a program directory": ('environment(directories = ["/opt"])', "/opt/ls"),
}


@pytest.mark.parametrize(("rule", "command"), LOOSENING.values(), ids=LOOSENING)
def test_untrusted_rules_loosen_nothing_trusted_ones_do(
    rule: str, command: str, tmp_path: Path
) -> None:
    path = project(tmp_path, rule)
    assert decision(tmp_path, command) is PROMPT
    trust.pin({str(path): path.read_bytes()})
    assert decision(tmp_path, command) is ALLOW


TIGHTENING = {
    "a forbidden rule": ('prefix_rule(["ls"], "forbidden")', "ls", FORBIDDEN),
    "a prompt rule": ('prefix_rule(["ls"], "prompt")', "ls", PROMPT),
    "a posture": ('posture(read = "forbidden")', "ls", FORBIDDEN),
    "another variable": (
        'environment(affects_execution = ["LANG"])',
        "LANG=C ls",
        PROMPT,
    ),
    "a path rule": (
        'path_rule(["x"], modes = ["read"], decision = "forbidden")',
        "cat x",
        FORBIDDEN,
    ),
}


@pytest.mark.parametrize(("rule", "command", "wanted"), TIGHTENING.values(), ids=TIGHTENING)
def test_untrusted_rules_tighten(rule: str, command: str, wanted: Decision, tmp_path: Path) -> None:
    assert decision(tmp_path, command) is ALLOW
    project(tmp_path, rule)
    assert decision(tmp_path, command) is wanted


def test_a_changed_file_is_untrusted_again(tmp_path: Path) -> None:
    path = project(tmp_path, 'prefix_rule(["mytool"])')
    trust.pin({str(path): path.read_bytes()})
    path.write_text('prefix_rule(["mytool"])\nprefix_rule(["other"])')
    assert decision(tmp_path, "mytool") is PROMPT


def test_what_is_ignored_is_told_with_what_to_do(tmp_path: Path) -> None:
    path = project(tmp_path, '\nprefix_rule(["mytool"])\nprogram("x")')
    (problem,) = Engine.load(cwd=tmp_path).snapshot.diagnostics
    assert str(problem.span) == f"{path}:2"
    assert problem.message == "2 rules that would loosen are ignored: the file is not trusted"
    assert problem.hint == "read it, then run `execpolicy trust`"
    assert Engine.load(cwd=tmp_path).snapshot.floor is None


def test_the_command_shows_asks_and_pins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = project(tmp_path, 'prefix_rule(["mytool"])  # \x1b[2K\u202e')
    assert run(dispatch, ["trust", str(tmp_path)]) == ExitCode.PROMPT
    out = capsys.readouterr().out
    assert r'    prefix_rule(["mytool"])  # \x1b[2K\u202e' in out
    assert "nothing was trusted" in out
    assert run(dispatch, ["trust", "--yes", str(tmp_path)]) == ExitCode.ALLOW
    assert decision(tmp_path, "mytool") is ALLOW
    path.write_text('prefix_rule(["mytool"])\nprefix_rule(["rm"])')
    capsys.readouterr()
    run(dispatch, ["trust", str(tmp_path)])
    out = capsys.readouterr().out
    assert "changed since it was trusted" in out
    assert '    +prefix_rule(["rm"])' in out
    assert run(dispatch, ["trust", "--yes", str(tmp_path)]) == ExitCode.ALLOW
    assert run(dispatch, ["trust", "--revoke", str(tmp_path)]) == ExitCode.ALLOW
    assert decision(tmp_path, "mytool") is PROMPT


def test_a_record_that_others_can_write_counts_for_nothing(tmp_path: Path) -> None:
    path = project(tmp_path, 'prefix_rule(["mytool"])')
    trust.pin({str(path): path.read_bytes()})
    Path(trust.record()).chmod(0o666)
    assert decision(tmp_path, "mytool") is PROMPT


@pytest.mark.parametrize("name", ["a\nb.rules", "a\\nb.rules", "a  b.rules", "é\udcff.rules"])
def test_odd_names_are_pinned_as_they_are(name: str, tmp_path: Path) -> None:
    path = str(tmp_path / name)
    trust.pin({path: b"x"})
    assert trust.trusted(path, b"x", trust.read())
    assert not trust.trusted(path, b"y", trust.read())


STEPS = ("created", "written", "synced", "renamed", "done")


@pytest.mark.parametrize("stage", STEPS)
def test_killed_at_any_step_the_record_is_the_old_or_the_new(stage: str, tmp_path: Path) -> None:
    old, new = str(tmp_path / "old"), str(tmp_path / "new")
    trust.pin({old: b"x"})
    child = os.fork()
    if child == 0:
        trust.pin({new: b"y"}, lambda now: os.kill(os.getpid(), 9) if now == stage else None)
        os._exit(0)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    assert trust.trusted(old, b"x", trust.read())
    assert trust.trusted(new, b"y", trust.read()) is (stage in ("renamed", "done"))
    trust.pin({new: b"z"})  # the lock is free, and what was left behind is swept away
    assert {p.root + "/" + p.name for p in trust.read().pins} == {old, new}
    beside = os.listdir(os.path.dirname(trust.record()))
    assert sorted(beside) == ["locks", "trusted", "trusted-files"]


def _several(folder: Path, worker: int) -> None:
    for number in range(10):
        trust.pin({str(folder / f"{worker}-{number}"): b"x"})
        if number % 2:
            trust.unpin((str(folder / f"{worker}-{number}"),))


def test_eight_processes_at_once_lose_no_trust(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_several, args=(tmp_path, n)) for n in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    wanted = {str(tmp_path / f"{w}-{n}") for w in range(8) for n in range(0, 10, 2)}
    assert {p.root + "/" + p.name for p in trust.read().pins} == wanted


CHANGING = [
    "echo x > ~/.config/execpolicy/rules/a.rules",
    "echo x >> .execpolicy/rules/p.rules",
    "cp a $HOME/.config/execpolicy/config.toml",
    "cp a app/.execpolicy/rules/x.rules",
    "cd ~/.config/execpolicy && touch rules/x.rules",
    "rm -r ~/.config",
    "rm -rf ~/.local/state/execpolicy",
    "touch ~/.claude/settings.json",
    "tee ../app/.claude/settings.local.json",
    "execpolicy trust",
    "timeout 5 execpolicy amend -- rm",
    "python3 -m execpolicy install claude",
]


@pytest.mark.parametrize("command", CHANGING)
def test_the_policy_protects_itself(command: str, home: Path, tmp_path: Path) -> None:
    from tests.store.support import user

    names = ["echo", "cp", "touch", "rm", "tee", "execpolicy", "python3", "cd", "timeout"]
    user(home, f'posture(write = "allow", destroy = "allow")\nprefix_rule([{names}])')
    verdict = Engine.load(cwd=tmp_path).check(command, cwd=str(tmp_path))
    assert verdict.decision >= PROMPT
    assert any(m.source is Source.RULE and m.decision >= PROMPT for m in verdict.matches)
