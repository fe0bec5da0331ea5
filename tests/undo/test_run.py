"""`run` with a snapshot before, and `undo` as a program: for the user, an agent, a script."""

import json
import os
import pwd
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from execpolicy.commands.undo_walls import permitted
from execpolicy.undo import restore
from execpolicy.undo.store import Limits, RecordedCall, Store, UndoError
from tests import confined
from tests.terminal import Terminal
from tests.undo.worlds import picture, sh
from tests.waiting import HANG_SECONDS

MODULE = [sys.executable, "-m", "execpolicy"]
DEVELOPER = Path(__file__).parents[2] / "rules/presets/developer.rules"


@pytest.fixture
def project() -> Iterator[Path]:
    """A repository in no directory for temporary files."""
    if why := confined.missing():
        pytest.skip(f"NOT TESTED, no sandbox here: {why}")
    cache = Path(pwd.getpwuid(os.geteuid()).pw_dir) / ".cache"
    cache.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="execpolicy-test-", dir=cache) as base:
        root = Path(os.path.realpath(base)) / "p"
        (root / "src").mkdir(parents=True)
        (root / "src/a.py").write_text("x = 1\n")
        sh("git init -q -b main && git add -A && git commit -qm one", root, check=True)
        (root / "notes").write_text("nobody has this\n")
        yield root


Done = subprocess.CompletedProcess[str]


def run(project: Path, text: str, **environment: str) -> Done:
    words = [*MODULE, "run", "--confined", "--rules", str(DEVELOPER), "-c", text]
    return call(words, project, **environment)


def undo(project: Path, *words: str, **environment: str) -> Done:
    return call([*MODULE, "undo", *words], project, **environment)


def call(words: list[str], project: Path, **environment: str) -> Done:
    return subprocess.run(
        words,
        cwd=project,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )


def hook(host: str, payload: Mapping[str, object], project: Path) -> Done:
    return subprocess.run(
        [*MODULE, "hook", host],
        input=json.dumps(payload),
        cwd=project,
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )


BRANCHES = (
    "git branch more; git branch extra; git checkout -qb other; echo y = 1 > src/a.py;"
    "git commit -qam other; git checkout -q main; echo z = 1 > src/a.py; git commit -qam main;"
)
RUNS = [
    ("", "rm -rf src notes"),
    ("", "echo x > notes"),
    ("", "mv src/a.py notes"),
    ("", "git reset --hard -q"),
    ("", "git clean -qfdx"),
    ("", "find . -name notes -delete"),
    ("", "/usr/bin/perl -e 'unlink \"notes\"'"),
    ("", 'find "$(echo src)" -name "*.py" && rm notes'),
    ("", "rm notes src/*.py 2>/dev/null; echo done"),
    ("", "git checkout HEAD -- src/a.py && ls src 2>&1"),
    ("", "cat > probe.py <<'EOF'\nprint(1)\nEOF\npython3 probe.py; rm probe.py notes"),
    ("mkdir done; echo old > done/notes", "mv notes done/ && rm -f done/none; ls done"),
    ("git stash", "git stash drop && git log --oneline -5"),
    (BRANCHES, "git branch -D more extra && git status --short --branch"),
    (f"{BRANCHES} git merge other", "git merge --abort"),
    (f"{BRANCHES} git cherry-pick other", "git cherry-pick --skip"),
    (f"{BRANCHES} git merge other", "git checkout --theirs src/a.py"),
    (f"{BRANCHES} echo w > src/a.py", "git stash && git checkout -q other"),
    ("git update-ref refs/remotes/origin/x HEAD", "git branch back && git reset --hard origin/x"),
    ("git worktree add -q tree; echo x > tree/new", "git worktree remove --force tree"),
    ("git branch more; git checkout -q --detach", "git branch -D more"),
    ("mkdir -p empty/inner", "rmdir empty/inner empty"),
    ("mkdir -p build node_modules/m; echo x > build/x; touch node_modules/m/i", "rm -rf build"),
]


@pytest.mark.parametrize(("before", "text"), RUNS, ids=[text for _, text in RUNS])
def test_a_run_destroys_and_comes_back(project: Path, before: str, text: str) -> None:
    (project / "src/a.py").write_text("x = 2\n")
    sh(before, project)
    was = picture(project)
    done = run(project, text)
    assert done.returncode == 0, done.stderr
    assert picture(project) != was
    done = undo(project, "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert picture(project) == was


def test_the_last_line_names_the_number(project: Path) -> None:
    said = run(project, "rm -rf src notes").stderr.splitlines()
    assert said == ["execpolicy: 2 files were removed: `execpolicy undo 1` brings back what was"]
    log = call([*MODULE, "log", "-n", "1"], project).stdout
    assert "2 files removed, execpolicy undo 1 brings back" in log


def test_what_only_reads_takes_no_snapshot(project: Path) -> None:
    assert run(project, "cat notes").returncode == 0
    assert Store(str(project)).numbers() == []


def test_a_run_that_began_before_takes_a_snapshot_each_time(project: Path) -> None:
    for _ in range(4):
        assert run(project, "touch made && rm made && touch more").returncode == 0
    assert len(Store(str(project)).numbers()) == 4


@pytest.mark.rest
def test_a_session_removes_what_it_made(project: Path) -> None:
    def outside(text: str) -> int:
        words = [*MODULE, "run", "--rules", str(DEVELOPER), "-c", text]
        return call(words, project).returncode

    assert [outside(text) for text in ("echo a > x", "echo b >> x", "rm notes", "rm x")] == [
        0,
        0,
        123,
        0,
    ]
    assert outside("echo a > x") == 0
    (project / "x").write_text("mine\n")
    assert [outside("rm x"), outside("rm x")] == [123, 123]
    assert (project / "x").exists()


def test_it_asks_where_the_snapshot_is_not_whole(project: Path) -> None:
    os.truncate(_new(project / "big"), 1 << 40)
    done = run(project, "rm notes")
    assert done.returncode == 123
    assert "cannot be undone: a snapshot cannot hold `big`" in done.stderr
    assert Store(str(project)).numbers() == [], "nothing was done after it"
    assert (project / "notes").exists()


def test_it_asks_where_no_snapshot_can_be_taken(project: Path, home: Path) -> None:
    (home / ".config/execpolicy").mkdir(parents=True)
    (home / ".config/execpolicy/config.toml").write_text("undo_bytes = 4096\n")
    (project / "much").write_bytes(os.urandom(1 << 16))
    for _ in range(2):  # the second is decided so from the start
        done = run(project, "rm notes")
        assert done.returncode == 123
        assert (project / "notes").exists()
    done = run(project, "touch made")
    assert done.returncode == 0, "what destroys nothing passes without"


def test_it_asks_where_the_state_cannot_be_written(project: Path, home: Path) -> None:
    state = home / ".local/state/execpolicy"
    state.mkdir(parents=True)
    (state / "undo").write_text("no directory")
    assert run(project, "rm notes").returncode == 123
    assert (project / "notes").exists()


def _new(path: Path) -> Path:
    path.touch()
    return path


def test_a_command_cannot_reach_what_is_kept(project: Path) -> None:
    run(project, "touch made")
    store = Store(str(project)).directory
    done = run(project, f"python3 -c 'import os; print(os.listdir(\"{store}\"))'")
    assert done.returncode != 0


def test_the_user_is_shown_it_and_asked(project: Path) -> None:
    run(project, "rm notes; echo y >> src/a.py")
    (project / "src/a.py").write_text("mine\n")
    with Terminal([*MODULE, "undo"], project) as terminal:
        shown = terminal.until("[y/N]")
        assert "bring back  notes" in shown
        terminal.type("y\n")
        assert "`src/a.py` was changed after the call" in terminal.until("[y/N]")
        terminal.type("n\n")
        assert "taken back: 1" in terminal.until("again)")
        assert terminal.end() == 1, "not all was done"
    assert (project / "notes").exists()
    assert (project / "src/a.py").read_text() == "mine\n"


def test_a_refusal_changes_nothing(project: Path) -> None:
    run(project, "rm notes")
    with Terminal([*MODULE, "undo"], project) as terminal:
        terminal.until("[y/N]")
        terminal.type("\n")
        assert terminal.end() == 3
    assert not (project / "notes").exists()
    assert Store(str(project)).numbers() == [1]


def test_without_a_terminal_it_needs_yes(project: Path) -> None:
    run(project, "rm notes")
    done = undo(project)
    assert done.returncode == 3
    assert not (project / "notes").exists()


def test_paths_are_those_of_the_current_directory(project: Path) -> None:
    run(project, "rm -r src notes")
    (project / "sub").mkdir()
    done = call([*MODULE, "undo", "--yes", "1", "--", "../src"], project / "sub")
    assert done.returncode == 0, done.stderr
    assert (project / "src/a.py").exists()
    assert not (project / "notes").exists()
    assert call([*MODULE, "undo", "1", "--", "../../x"], project / "sub").returncode == 64


def test_the_list_and_the_difference(project: Path) -> None:
    run(project, "rm notes; echo y >> src/a.py; touch made")
    (project / ".env").write_text("KEY=secret\n")
    run(project, "true; touch more")
    first = json.loads(undo(project, "--list", "--json").stdout.splitlines()[0])
    assert (first["removed"], first["changed"], first["made"]) == (1, 1, 1)
    assert first["command"] == "rm notes; echo y >> src/a.py; touch made"
    assert "1 removed, 1 changed, 1 made" in undo(project, "--list").stdout
    said = undo(project, "--diff", "1").stdout
    assert "    +y\n" in said
    assert "    -nobody has this\n" in said


def test_of_a_secret_only_the_name_is_shown(project: Path) -> None:
    store = Store(str(project))
    (project / ".env").write_text("KEY=secret\n")
    (project / "notes").write_text("https://me:secret@a.example\n")
    store.end(store.take(RecordedCall("x", "/")).manifest)
    (project / ".env").unlink()
    (project / "notes").unlink()
    said = undo(project, "--diff", "1").stdout
    assert ".env" in said
    assert "secret" not in said


AGENT = {"CLAUDECODE": "1"}


def test_an_agent_takes_back_its_own_calls_alone(project: Path) -> None:
    run(project, "rm notes")
    assert undo(project, "1", **AGENT).returncode in (0, 2)
    store = Store(str(project))
    (project / "notes").write_text("x\n")
    store.end(store.take(RecordedCall("rm", "/", session="another")).manifest)
    (project / "notes").unlink()
    number = store.numbers()[-1]
    done = undo(project, str(number), **AGENT)
    assert done.returncode == 2
    assert "of its own session alone" in done.stderr
    assert undo(project, "--prune", **AGENT).returncode == 2
    assert not (project / "notes").exists()


def test_an_agent_brings_back_nothing_that_is_protected(project: Path) -> None:
    hook = project / ".git/hooks/post-checkout"
    for path in (hook, project / ".env", project / ".bashrc"):
        path.write_text("planted\n")
    store = Store(str(project))
    taken = store.take(RecordedCall("rm", "/"))
    for path in (hook, project / ".env", project / ".bashrc", project / "notes"):
        path.unlink()
    sh("git branch more", project, check=True)
    store.end(taken.manifest)
    plan = permitted(restore.taken(store, 1, RecordedCall("undo", "")), str(project))
    assert {one.path for one in plan.steps if ".git/logs" not in one.path} == {
        "notes",
        ".git/refs/heads/more",
    }
    assert ".env" in {path for path, _ in plan.impossible}
    assert ".git/hooks/post-checkout" in {path for path, _ in plan.impossible}


def test_pruning_frees_and_says_how_much(project: Path) -> None:
    run(project, "rm notes")
    assert "removed: 0 B" in undo(project, "--prune").stdout
    assert "kept: 0 B" in undo(project, "--prune", "--all").stdout
    assert undo(project).returncode == 1


def test_the_hook_takes_a_snapshot_before_what_destroys(project: Path, home: Path) -> None:
    payload = {
        "session_id": "s",
        "cwd": str(project),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
    }
    for number in (1, 2):  # an answer that is given again would take none
        done = hook("claude", {**payload, "tool_input": {"command": "rm notes"}}, project)
        if "could not decide" not in done.stdout:  # the rules were compiled meanwhile
            assert f"`execpolicy undo {number}` brings back" in done.stdout


@pytest.mark.parametrize(
    ("text", "config", "keeps", "passes"),
    [
        ("rm notes", 'sandbox_mode = "workspace-write"', True, True),
        ("rm notes; git push", 'sandbox_mode = "workspace-write"', True, True),
        ("rm notes", "[sandbox_workspace_write]\nnetwork_access = true", True, False),
        ("rm notes; git push -f", 'sandbox_mode = "workspace-write"', True, False),
        ("rm notes", 'default_permissions = "mine"', True, False),
        ("rm notes", 'sandbox_mode = "danger-full-access"', True, False),
        ("rm notes", 'sandbox_mode = "workspace-write"', False, False),
        ("rm notes .env", 'sandbox_mode = "workspace-write"', True, False),
    ],
)
def test_a_host_with_a_sandbox_may_destroy_what_a_snapshot_holds(
    project: Path, home: Path, text: str, config: str, keeps: bool, passes: bool
) -> None:
    """Codex asks nobody after a hook, and its sandbox holds what `undo` would bring back."""
    for name, written in (
        (".codex/config.toml", f"{config}\n"),
        (".config/execpolicy/rules/a.rules", DEVELOPER.read_text()),
        (".config/execpolicy/config.toml", f"undo = {str(keeps).lower()}\n"),
    ):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(written)
    payload = {"session_id": "s", "turn_id": "t", "cwd": str(project), "model": "m"} | {
        "hook_event_name": "PreToolUse",
        "permission_mode": "default",
        "tool_name": "Bash",
        "tool_input": {"command": text},
        "tool_use_id": "u",
    }
    done = hook("codex", payload, project)
    while "could not decide" in done.stdout:  # the rules were compiled meanwhile
        done = hook("codex", payload, project)
    assert ("deny" not in done.stdout) is passes, done.stdout
    assert ("rm notes" in undo(project, "--list").stdout) is passes


def test_status_says_what_is_kept(project: Path) -> None:
    run(project, "rm notes")
    said = call([*MODULE, "status"], project).stdout
    assert "undo        1 call," in said


def test_a_store_that_refuses_is_told(project: Path) -> None:
    (project / "much").write_bytes(os.urandom(1 << 16))
    with pytest.raises(UndoError):
        Store(str(project), Limits(size=4096)).take(RecordedCall("x", "/"))
    assert "nothing can be kept here" in call([*MODULE, "status"], project).stdout
