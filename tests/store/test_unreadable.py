"""Rules that are there and cannot be read may forbid anything; what is not there does not."""

import errno
import json
import os
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.engine.engine import Engine
from execpolicy.language import compile as compiling
from execpolicy.language.calls import Evaluated
from execpolicy.model.decision import Decision
from execpolicy.store.sources import layers, settings, trust
from tests.repositories import new_repository
from tests.store.support import decision, project, user, write

pytestmark = pytest.mark.usefixtures("walls_hold")

ALLOW, PROMPT, FORBIDDEN = Decision
NOBODY = 65534


def rules_of(home: Path) -> Path:
    path = home / ".config/execpolicy/rules"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def put(path: Path, make: Callable[[Path], object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    make(path)
    return path


def bound(path: Path) -> None:
    """A socket in a file's place. Its address may be short only, so it is made from beside."""
    here = os.getcwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


DIRECTORIES: dict[str, Callable[[Path], Path]] = {
    "a file in its place": lambda home: write(rules_of(home), ""),
    "a pipe in its place": lambda home: put(rules_of(home), os.mkfifo),
    "a link to itself": lambda home: put(rules_of(home), lambda p: p.symlink_to("rules")),
    "a link to nothing": lambda home: put(rules_of(home), lambda p: p.symlink_to("gone")),
    "a link to a file": lambda home: put(rules_of(home), lambda p: p.symlink_to("/etc/passwd")),
    "a file in the place of the one above": lambda home: (
        write(home / ".config/execpolicy", "") and rules_of_missing(home)
    ),
    "a link to nothing above it": lambda home: (
        put(home / ".config/execpolicy", lambda p: p.symlink_to("gone")) and rules_of_missing(home)
    ),
    "a link to nothing further up": lambda home: (
        put(home / ".config", lambda p: p.symlink_to("gone")) and rules_of_missing(home)
    ),
    "a link to itself further up": lambda home: (
        put(home / ".config", lambda p: p.symlink_to(".config")) and rules_of_missing(home)
    ),
}


def rules_of_missing(home: Path) -> Path:
    return home / ".config/execpolicy/rules"


@pytest.mark.parametrize("make", DIRECTORIES.values(), ids=DIRECTORIES)
def test_a_directory_that_cannot_be_read_raises_the_floor(
    make: Callable[[Path], Path], home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(make(home))
    engine = Engine.load(cwd=tmp_path)
    verdict = engine.check("ls")
    assert verdict.decision is PROMPT
    assert f"`{place}` (cannot read the directory: " in (verdict.floor or "")
    assert place in verdict.reason
    assert place in [d.span.file for d in engine.problems]
    assert_told(place, tmp_path, capsys)


def assert_told(place: str, cwd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`layers` and `doctor` say it and fail."""
    capsys.readouterr()
    assert run(dispatch, ["layers", "--cwd", str(cwd)]) == ExitCode.ERROR
    assert f"{place}: error[read]: cannot read the " in capsys.readouterr().out
    run(dispatch, ["layers", "--json", "--cwd", str(cwd)])
    assert place in json.loads(capsys.readouterr().out)["floor"]
    here = os.getcwd()
    os.chdir(cwd)
    try:
        assert run(dispatch, ["doctor"]) == ExitCode.ERROR
    finally:
        os.chdir(here)
    assert f"WRONG {place}: cannot read the " in capsys.readouterr().out


FILES: dict[str, Callable[[Path], object]] = {
    "a directory": Path.mkdir,
    "a pipe": os.mkfifo,
    "a socket": bound,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "the null device": lambda path: path.symlink_to("/dev/null"),
    "a link to nothing": lambda path: path.symlink_to("gone"),
    "a link to itself": lambda path: path.symlink_to(path.name),
}


@pytest.mark.parametrize("make", FILES.values(), ids=FILES)
@pytest.mark.parametrize("layer", ["user", "project"])
def test_what_is_no_file_raises_the_floor(
    layer: str,
    make: Callable[[Path], object],
    home: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    good = user(home, "") if layer == "user" else project(tmp_path, "")
    place = str(put(good.with_name("x.rules"), make))
    verdict = Engine.load(cwd=tmp_path).check("ls")
    assert verdict.decision is PROMPT
    assert f"`{place}` (cannot read the file: " in (verdict.floor or "")
    assert_told(place, tmp_path, capsys)


@pytest.mark.parametrize("name", [".execpolicy", ".execpolicy/rules"])
@pytest.mark.parametrize("target", ["gone", "/etc/passwd"])
def test_a_project_s_directory_too(name: str, target: str, tmp_path: Path) -> None:
    new_repository(tmp_path)
    put(tmp_path / name, lambda p: p.symlink_to(target))
    assert Engine.load(cwd=tmp_path).check("ls").floor


ABSENT: dict[str, Callable[[Path], object]] = {
    "nothing": lambda home: None,
    "an empty directory": lambda home: rules_of(home).mkdir(),
    "no directory of rules": rules_of,
    "a file in the place of a directory further up": lambda home: write(home / ".config", ""),
    "other files": lambda home: write(rules_of(home) / "README", ""),
}


@pytest.mark.parametrize("make", ABSENT.values(), ids=ABSENT)
def test_what_is_not_there_is_silent(
    make: Callable[[Path], object], home: Path, tmp_path: Path
) -> None:
    make(home)
    engine = Engine.load(cwd=tmp_path)
    assert engine.check("ls").decision is ALLOW
    assert engine.problems == ()


@pytest.mark.parametrize("home", ["/dev/null", "/nonexistent"])
def test_a_home_that_is_none_is_silent(
    home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", home)
    monkeypatch.setenv("XDG_CONFIG_HOME", "")
    assert layers.find(str(tmp_path)).files == ()


def test_a_name_that_is_too_long_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "/" + "x" * 300)
    verdict = Engine.load(cwd=tmp_path).check("ls")
    assert "file name too long" in (verdict.floor or "")


@pytest.mark.parametrize("number", [errno.EIO, errno.EACCES, errno.ESTALE, errno.ENOMEM])
def test_a_failing_disk_is_told(
    number: int, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user(home, 'prefix_rule(["ls"], "forbidden")')
    listdir = os.listdir

    def failing(path: str) -> list[str]:
        if path.endswith("execpolicy/rules"):
            raise OSError(number, os.strerror(number))
        return listdir(path)

    monkeypatch.setattr(os, "listdir", failing)
    (file,) = layers.find(str(tmp_path)).files
    assert file.problem is not None
    assert os.strerror(number).lower() in file.problem.message


def test_a_directory_that_changes_is_read_again(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The forbidding rule moves to another file while the directory is read."""
    first = user(home, 'prefix_rule(["ls"], "forbidden")', "z.rules")
    moved = first.with_name("a.rules")
    listdir, left = os.listdir, [2]

    def moving(path: str) -> list[str]:
        names = listdir(path)
        if path == str(first.parent) and left[0]:
            left[0] -= 1
            first.rename(moved) if first.exists() else moved.rename(first)
        return names

    monkeypatch.setattr(os, "listdir", moving)
    engine = Engine.load(cwd=tmp_path)
    assert engine.check("ls").decision is FORBIDDEN
    assert engine.problems == ()
    left[0] = 1000
    assert "it changes all the time" in (Engine.load(cwd=tmp_path).check("ls").floor or "")


def test_a_running_engine_keeps_its_policy(home: Path, tmp_path: Path) -> None:
    path = user(home, 'prefix_rule(["ls"], "forbidden")')
    engine = Engine.load(cwd=tmp_path)
    path.parent.rename(path.parent.with_name("aside"))
    path.parent.write_text("")
    assert engine.reload() is False
    assert engine.check("ls").decision is FORBIDDEN
    assert [d.span.file for d in engine.problems] == [str(path.parent)]


SETTINGS: dict[str, Callable[[Path], object]] = {
    **FILES,
    "not TOML": lambda path: path.write_text("codex = "),
    "not UTF-8": lambda path: path.write_bytes(b"\xff"),
}


@pytest.mark.parametrize("make", SETTINGS.values(), ids=SETTINGS)
def test_settings_that_cannot_be_read_raise_the_floor(
    make: Callable[[Path], object], home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They may ask for rules of Codex, which may forbid."""
    place = str(put(Path(settings.path()), make))
    engine = Engine.load(cwd=tmp_path)
    assert place in (engine.check("ls").floor or "")
    assert [d.span.file for d in engine.problems] == [place]
    assert run(dispatch, ["layers", "--cwd", str(tmp_path)]) == ExitCode.ERROR
    assert run(dispatch, ["doctor"]) == ExitCode.ERROR
    assert place in capsys.readouterr().out
    assert Engine.load(rules=[]).check("ls").decision is ALLOW, "rules that are named are all"


def test_settings_are_kept_while_they_cannot_be_read(home: Path, tmp_path: Path) -> None:
    path = write(Path(settings.path()), "codex = true")
    write(home / ".codex/rules/a.rules", 'prefix_rule(["ls"], "forbidden")')
    engine = Engine.load(cwd=tmp_path)
    path.write_text("codex = ")
    engine.reload()
    assert engine.check("ls").decision is FORBIDDEN
    path.write_text("")
    assert engine.reload() is True
    assert engine.check("ls").decision is ALLOW
    assert engine.problems == ()


def others_can_write(path: Path) -> None:
    path.write_text("")
    path.chmod(0o666)


RECORDS: dict[str, Callable[[Path], object]] = {**FILES, "others can write it": others_can_write}


@pytest.mark.parametrize("make", RECORDS.values(), ids=RECORDS)
def test_without_the_record_of_trust_files_only_tighten(
    make: Callable[[Path], object], home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project(tmp_path, 'prefix_rule(["mytool"])\nprefix_rule(["ls"], "forbidden")')
    place = str(put(Path(trust.record()), make))
    engine = Engine.load(cwd=tmp_path)
    assert engine.check("mytool").decision is PROMPT
    assert engine.check("ls").decision is FORBIDDEN
    assert engine.check("wc x").decision is ALLOW, "nothing that forbids is missing"
    assert [d.span.file for d in engine.problems] == [place]
    assert run(dispatch, ["doctor"]) == ExitCode.ERROR
    assert f"WRONG {place}: cannot read the record of trust: " in capsys.readouterr().out
    assert run(dispatch, ["trust", "--yes", str(tmp_path)]) == ExitCode.ERROR
    assert place in capsys.readouterr().err
    assert decision(tmp_path, "mytool") is PROMPT


@pytest.mark.parametrize("make", FILES.values(), ids=FILES)
def test_what_is_named_is_an_error_at_once(
    make: Callable[[Path], object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(put(tmp_path / "named.rules", make))
    assert run(dispatch, ["check", "--rules", place, "--", "ls"]) == ExitCode.ERROR
    assert "cannot read the file: " in capsys.readouterr().err


# --- modes, for a user who is not root ------------------------------------------------------------


@pytest.fixture
def plain_home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home that every user can enter, unlike those of pytest."""
    place = Path(tempfile.mkdtemp(dir="/tmp"))
    place.chmod(0o755)
    for name, value in {"HOME": "", "XDG_CONFIG_HOME": ".config", "XDG_STATE_HOME": "s"}.items():
        monkeypatch.setenv(name, str(place / value).rstrip("/"))
    yield place
    for path in (place, *place.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
    shutil.rmtree(place)


def floor_for_nobody(cwd: Path) -> str | None:
    """The floor for a user whom modes hold. The shipped rules do not matter here.

    Neither do the texts: that user may not be able to start this Python.
    """
    Engine.load(builtin=False, rules=[])  # what the child imports, it may not be able to read
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            compiling.evaluate = _nothing  # type: ignore[attr-defined]
            told = json.dumps(Engine.load(builtin=False, cwd=cwd).check("ls").floor)
        except BaseException as error:
            told = json.dumps(f"failed: {error!r}")
        os.write(writing, told.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        told = answer.read()
    os.waitpid(child, 0)
    floor: str | None = json.loads(told)
    return floor


def _nothing(sources: Sequence[object]) -> list[Evaluated]:
    return [Evaluated((), ()) for _ in sources]


MODES = {
    "no directory": (".config/execpolicy/rules", 0o000),
    "names alone": (".config/execpolicy/rules", 0o444),
    "no names": (".config/execpolicy/rules", 0o311),
    "no way to it": (".config/execpolicy", 0o000),
    "no way to that": (".config", 0o600),
    "no file": (".config/execpolicy/rules/a.rules", 0o000),
    "no project": ("p/.execpolicy", 0o000),
    "no rules of the project": ("p/.execpolicy/rules", 0o000),
    "no settings": (".config/execpolicy/config.toml", 0o000),
}


@pytest.mark.parametrize(("name", "mode"), MODES.values(), ids=MODES)
def test_modes_that_keep_the_user_out_raise_the_floor(
    name: str, mode: int, plain_home: Path
) -> None:
    user(plain_home, "")
    work = plain_home / "p"
    project(work, "")
    write(Path(settings.path()), "")
    (plain_home / name).chmod(mode)
    floor = floor_for_nobody(work) or ""
    assert floor.startswith("rules could not be loaded: ")
    assert str(plain_home / name) in floor
    assert "permission denied" in floor
    (plain_home / name).chmod(0o755)
    assert floor_for_nobody(work) is None


def test_a_project_that_cannot_be_looked_into_is_told(plain_home: Path) -> None:
    """Whether the directory is a repository is not known either."""
    project(plain_home / "p", "")
    inner = plain_home / "p/a"
    inner.mkdir()
    inner.chmod(0o000)
    assert str(inner) in (floor_for_nobody(inner) or "")


def test_a_repository_that_cannot_be_looked_into_is_told(plain_home: Path) -> None:
    """A `.git` file may name another worktree, whose rules hold here, too."""
    work = plain_home / "p"
    write(work / ".git", "gitdir: /nonexistent\n").chmod(0o000)
    assert str(work / ".git") in (floor_for_nobody(work) or "")
