"""A run that begins alike: what it takes for its plan to be used again, and what it then holds."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from execpolicy import Engine
from execpolicy.sandbox import box
from execpolicy.sandbox.again import keep, recall
from execpolicy.sandbox.again.form import About
from execpolicy.sandbox.backends.bubblewrap import rendered
from execpolicy.sandbox.job import in_session
from execpolicy.sandbox.scan.git import GitUse
from execpolicy.support import processes
from execpolicy.undo.store import Store
from tests.proxy.support import Upstream
from tests.sandbox.conftest import RULES
from tests.sandbox.test_run import ROOT
from tests.sandbox.test_way_out import GET, allowing
from tests.waiting import HANG_SECONDS
from tests.warm import warm

PROGRAM = """
import sys
from execpolicy import __main__
from execpolicy.commands import run_again
from execpolicy.store.repeat import witness
witness.SETTLED = 0
def tells(word, does):
    def told(*given):
        print(word, file=sys.stderr)
        return does(*given)
    return told
run_again.go_alone = tells("again", run_again.go_alone)
run_again._anew = tells("anew", run_again._anew)
__main__.main()
"""


def begin(
    project: Path, text: str, *more: str, program: str = PROGRAM, flag: str = "-P", **variables: str
) -> "subprocess.CompletedProcess[str]":
    """Run a text; the environment is the same in each phase of a test."""
    rules = ["--rules", str(project.parent / "a.rules")]
    words = [sys.executable, flag, "-c", program, "run", "--confined", *rules, *more, "-c", text]
    given = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    given.pop("PYTEST_CURRENT_TEST", None)
    return subprocess.run(
        words, cwd=project, input="", capture_output=True, text=True, timeout=HANG_SECONDS,
        env=given,
    )  # fmt: skip


def run(project: Path, text: str, *more: str, **variables: str) -> tuple[str, str]:
    """Whether the plan of an earlier run was used, and what the command wrote."""
    done = begin(project, text, *more, **variables)
    return done.stderr.partition("\n")[0], done.stdout


def apart(project: Path) -> Path:
    """A directory that no run looks at: that something is new in it shows nowhere else."""
    return project.parent / "apart/from/all/that/is/looked/at"


CHANGES: list[tuple[str, Callable[[Path], object]]] = [
    ("a rule", lambda p: (p.parent / "a.rules").write_text('path_rule(["./*"], modes=["write"])')),
    ("a protected file", lambda p: (p / ".envrc").write_text("x")),
    ("a protected file that was there", lambda p: (p / "sub/.env").unlink()),
    ("a protected file by its end", lambda p: (p / "sub/new.pem").write_text("x")),
    ("one by its directory, too", lambda p: (p / "sub/secrets/new.txt").write_text("x")),
    ("one that a file system takes for it", lambda p: (p / "sub/.ENVRC").write_text("x")),
    ("what makes a repository", lambda p: (p / "sub/HEAD").write_text("x")),
    ("a name that is not plain", lambda p: (p / "sub/.\u212anvrc").write_text("x")),
    ("a link", lambda p: (p / "sub/new").symlink_to("b")),
    ("a file with another name", lambda p: os.link(p.parent / "a.rules", p / "sub/new")),
    ("a directory", lambda p: (p / "sub/new").mkdir()),
    ("a link in the place of a directory", lambda p: (p / "sub").rename(p / "x")),
    ("another name of a file", lambda p: os.link(p / "sub/b", apart(p) / "b")),
    ("the configuration of git", lambda p: (p / ".git/config").write_text("[core]\nbare=false\n")),
    ("a hook", lambda p: (p / ".git/config.worktree").write_text("")),
    ("a key of the home", lambda p: (p.parent / "home/.netrc").write_text("x")),
    ("a directory of the home", lambda p: (p.parent / "home/documents").mkdir()),
]


@pytest.fixture
def known(project: Path, common_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which `true` was run before."""
    (project / "sub").mkdir()
    (project / "sub/b").touch()
    (project / "sub/.env").touch()
    (project / "sub/secrets").mkdir()
    apart(project).mkdir(parents=True)
    (project.parent / "home").mkdir()
    warm(common_cache, project.parent / "home/.cache")
    monkeypatch.setenv("HOME", str(project.parent / "home"))
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    run(project, "true")
    run(project, "true")
    assert run(project, "true")[0] == "again"
    return project


@pytest.mark.parametrize(("what", "change"), CHANGES, ids=[what for what, _ in CHANGES])
def test_it_is_decided_anew_where_anything_changed(
    known: Path, what: str, change: Callable[[Path], object]
) -> None:
    change(known)
    assert run(known, "true")[0] == "anew"


@pytest.mark.parametrize("name", ["new", "sub/new.txt", "sub/a.py"])
def test_a_file_of_which_nothing_is_said_changes_nothing(known: Path, name: str) -> None:
    (known / name).write_text("x")
    assert run(known, "true")[0] == "again"
    (known / name).unlink()
    assert run(known, "true")[0] == "again"


def test_another_name_is_seen_by_the_snapshot_which_is_taken_anew(known: Path) -> None:
    """What is looked at for it is not looked at twice."""
    text = "echo x > sub/b"
    while run(known, text)[0] == "anew":
        continue
    store = Store(str(known))
    taken = len(store.numbers())
    assert run(known, text)[0] == "again"
    os.link(known / "sub/b", apart(known) / "b")
    assert run(known, text)[0] == "anew"
    assert len(store.numbers()) == taken + 2


def test_other_words_and_another_environment_are_another_run(known: Path) -> None:
    assert run(known, "true ")[0] == "anew"
    assert run(known, "true", "--no-builtin")[0] == "anew"
    assert run(known, "true", LANG="x")[0] == "anew"


def unseen(project: Path) -> Path:
    """A file that is not there yet, where no run looks for anything."""
    directory = project.parent / "too/deep/for/a/look"
    directory.mkdir(parents=True)
    return directory / "go"


PLANTS = [
    ("echo evil > .envrc", ".envrc"),
    ("mkdir -p sub/.vscode; echo evil > sub/.vscode/tasks.json", "sub/.vscode/tasks.json"),
    ("echo evil > .envrc; sleep 0.4", ".envrc"),
    ("sleep 0.4; echo evil > .envrc", ".envrc"),
]


@pytest.mark.parametrize(("text", "plant"), PLANTS)
def test_a_plant_of_such_a_run_is_moved_too(known: Path, text: str, plant: str) -> None:
    go = unseen(known)
    inside = f"test ! -e {go} || {{ {text}; }}"
    while run(known, inside)[0] == "anew":
        continue
    go.touch()
    assert run(known, inside)[0] == "again"
    assert not os.path.lexists(known / plant)


def test_a_new_repository_around_the_working_directory_narrows_nothing(known: Path) -> None:
    go = unseen(known)
    text = f"test ! -e {go} || {{ git init -q .; echo evil > ../.envrc; }}"
    here = "--cwd", str(known / "sub")
    while run(known, text, *here)[0] == "anew":
        continue
    go.touch()
    assert run(known, text, *here)[0] == "again"
    assert (known / "sub/.git").exists()
    assert not os.path.lexists(known / ".envrc")


def test_no_file_of_ours_stands_where_a_closed_stream_was(known: Path) -> None:
    """The lowest free number is that of the next file that is opened, whatever it is for."""
    text = "(for n in 0 1 2; do readlink /proc/$$/fd/$n; done) > streams"
    rules = ["--rules", str(known.parent / "a.rules")]
    command = [sys.executable, "-P", "-m", "execpolicy", "run", "--confined", *rules, "-c", text]
    for _ in range(3):
        (known / "streams").write_text("")
        closed = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *command]
        given = {**os.environ, "PYTHONPATH": str(ROOT)}
        assert subprocess.run(closed, cwd=known, env=given, timeout=HANG_SECONDS).returncode == 0
        assert (known / "streams").read_text() == "/dev/null\n" * 3


def test_what_is_refused_or_holds_a_secret_is_not_kept(known: Path) -> None:
    text = "echo ghp_0123456789abcdefghijklmnopqrstuvwxyz > /dev/null"
    assert [run(known, text)[0] for _ in range(3)] == ["anew"] * 3


# --- what is kept ---------------------------------------------------------------------------------

SETTINGS = [
    "",
    "sandbox(unix = True, trace = True)",
    'sandbox(memory = "1G", processes = 100, temporary = "1M", time = 60)',
    'path_rule(["~/.netrc", "./sub/*"], modes = ["read", "write"], decision = "forbidden")',
    'path_rule(["{below}/*"], modes = ["write"], decision = "allow")',
]


@pytest.mark.parametrize("more", SETTINGS)
@pytest.mark.parametrize("in_a_session", [False, True])
def test_what_is_kept_is_what_would_be_worked_out_anew(
    project: Path, monkeypatch: pytest.MonkeyPatch, more: str, in_a_session: bool
) -> None:
    below = TemporaryDirectory(dir="/tmp")
    (project / "sub").mkdir()
    (project / ".envrc").touch()
    (project.parent / ".netrc").touch()
    os.makedirs("/tmp/below", exist_ok=True)
    monkeypatch.setenv("HOME", str(project.parent))
    monkeypatch.setenv("XDG_STATE_HOME", str(project.parent / "state"))
    (project.parent / "a.rules").write_text(RULES + more.replace("{below}", below.name))
    snapshot = Engine.load([str(project.parent / "a.rules")]).snapshot
    job = box.prepared(snapshot, box.Wanted(GitUse(), ("true",), str(project)))
    mark, leader = "0" * 64, processes.own_name() if in_a_session else ""
    keep.keep(mark, keep.Kept(job, About(False, "")), [], 0)
    found = recall.recall(mark)
    assert found is not None
    whole = in_session(job, leader)
    assert found.launch(leader) == rendered(whole.plan)
    again = found.job(leader)
    kept = again.plan, again.noted, again.directories, again.held, found.kept.around.held
    assert kept == (whole.plan, job.noted, job.directories, job.held, job.held)
    looked = again.around.places, again.around.closed
    assert looked == (job.around.places, job.around.closed)
    assert bool(found.kept.start.journal) is job.writes
    below.cleanup()


TELLS = """
import os, sys
from execpolicy.sandbox.backends.start import launcher
launcher.SHORT = 3600  # a machine that is busy looks aside even while `true` runs
leave = os._exit
def end(code):
    os.write(2, "\\n".join(n for n in sys.modules if n.startswith("execpolicy")).encode())
    leave(code)
os._exit = end
"""
HEAVY = ("engine", "catalogue", "language", "shell", "places", "policy", "proxy", "sandbox.plan",
         "sandbox.walls", "sandbox.scan.survey", "sandbox.backends.seccomp")  # fmt: skip


def test_it_imports_nothing_that_decides_or_plans(known: Path) -> None:
    done = begin(known, "true", program=TELLS + PROGRAM)
    first, *names = done.stderr.splitlines()
    assert first == "again"
    assert [n for n in names if n.removeprefix("execpolicy.").startswith(HEAVY)] == []
    assert len(names) <= 75


SITE = """
import os, sys
leave = os._exit
os._exit = lambda code: (print("site" in sys.modules, file=sys.stderr), leave(code))
"""


def test_a_run_that_begins_again_needs_no_site(known: Path) -> None:
    """It starts as `check` and `hook` do."""
    runs = [begin(known, "true", program=SITE + PROGRAM, flag="-S") for _ in range(2)]
    assert [run.stderr.split() for run in runs] == [["anew", "True"], ["again", "False"]]


# --- with a way out of the network ----------------------------------------------------------------

OPENED = 'network_rule("127.0.0.1", "https", "allow", ports = [{}])'
REACHED = [
    ("the rules as they were", "", "", "200\n"),
    ("a host that no rule allows", "other", "", "403\n"),
    ("rules that the command wrote itself", "other", "echo '{}' >> net.rules; ", "403\n"),
]


@pytest.mark.skipif(not os.path.exists("/usr/bin/python3"), reason="needs a Python of the system")
@pytest.mark.parametrize(
    ("target", "before", "answer"), [more for _, *more in REACHED], ids=[row[0] for row in REACHED]
)
def test_such_a_run_reaches_what_the_rules_allow(
    known: Path, target: str, before: str, answer: str
) -> None:
    upstream, other = Upstream(), Upstream()
    (known / "net.rules").write_text(allowing(upstream.port))
    port = other.port if target else upstream.port
    connects = shlex.join(["python3", "-c", GET, f"127.0.0.1:{port}"])
    go = unseen(known)
    text = f"test ! -e {go} || {{ {before.format(OPENED.format(port))}{connects}; }}"

    def again() -> tuple[str, str]:
        return run(known, text, "--rules", str(known / "net.rules"), PATH="/usr/bin:/bin")

    while again()[0] == "anew":
        continue
    go.touch()
    assert again() == ("again", answer)
    upstream.close()
    other.close()
