"""The walls that were made for one command are those of the next, or are made anew."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from execpolicy.engine.engine import Engine
from execpolicy.sandbox import box
from execpolicy.sandbox.again.prepared import prepared
from execpolicy.sandbox.job import Job
from execpolicy.sandbox.scan.git import GitUse
from execpolicy.store.repeat import witness
from execpolicy.store.snapshot import Snapshot
from execpolicy.support import directories
from tests.sandbox.conftest import RULES

Change = Callable[[Path], None]

SESSION = "1.1"


@pytest.fixture(autouse=True)
def settled(project: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written just now is kept, too: each change here is one of names or sizes. The own
    directories of this program are there, as they are after the first command."""
    monkeypatch.setattr(witness, "SETTLED", 0)
    box.prepared(loaded(project), box.Wanted(GitUse(), ("true",), str(project)))


def loaded(project: Path) -> Snapshot:
    return Engine.load([project.parent / "a.rules"], cwd=project).snapshot


def wanted(
    project: Path,
    *words: str,
    given: Mapping[str, str] = os.environ,
    use: GitUse = GitUse(),  # noqa: B008
) -> box.Wanted:
    return box.Wanted(use, words or ("true",), str(project), given=given)


def made(project: Path, *words: str, session: str = SESSION, **given: str) -> Job:
    environment = {**os.environ, **given}
    return prepared(session, loaded(project), wanted(project, *words, given=environment))


def is_kept(project: Path, monkeypatch: pytest.MonkeyPatch, **given: str) -> bool:
    """Whether the next command gets what is kept."""
    looked: list[bool] = []
    real = box.prepared

    def looking(*words: object, **named: object) -> Job:
        looked.append(True)
        return real(*words, **named)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(box, "prepared", looking)
        made(project, **given)
    return not looked


def walls(job: Job) -> object:
    plan = job.plan
    noted = {path: (one.device, one.inode) for path, one in job.noted.items()}
    return plan.mounts, plan.environment, plan.settings, noted, job.held, job.directories


def test_other_words_have_the_same_walls(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(project, "true")
    anew = box.prepared(loaded(project), wanted(project, "ls", "-l"))
    assert is_kept(project, monkeypatch)
    again = made(project, "ls", "-l")
    assert again.plan.argv == ("ls", "-l")
    assert walls(again) == walls(anew)


@pytest.mark.parametrize("name", ["_", "SHLVL", "PWD", "OLDPWD"])
def test_what_a_shell_sets_for_each_command_is_no_difference(
    project: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    made(project, **{name: "1"})
    assert is_kept(project, monkeypatch, **{name: "2"})


def _protected(project: Path) -> None:
    (project / ".env").write_text("KEY=1\n")


def _protected_link(project: Path) -> None:
    (project / ".env").symlink_to("a.txt")


def _second_name(project: Path) -> None:
    os.link(project / "sub/.env", project / "sub/copy")


def _repository(project: Path) -> None:
    (project / "nested/.git/hooks").mkdir(parents=True)
    (project / "nested/.git/HEAD").write_text("ref: refs/heads/main\n")


def _git_names_hooks(project: Path) -> None:
    (project / "named").mkdir()
    with (project / ".git/config").open("a") as config:
        config.write("[core]\n\thooksPath = named\n")


def _gone(project: Path) -> None:
    (project / "sub/.env").unlink()


def _replaced_by_link(project: Path) -> None:
    (project / "sub").rename(project / "moved")
    (project / "sub").symlink_to("moved")


def _rules(project: Path) -> None:
    rule = 'path_rule(["./a.txt"], modes = ["read"], decision = "forbidden")\n'
    (project.parent / "a.rules").write_text(RULES + rule)


CHANGES: list[Change] = [
    _protected,
    _protected_link,
    _second_name,
    _repository,
    _git_names_hooks,
    _gone,
    _replaced_by_link,
    _rules,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__.strip("_"))
def test_a_change_counts_for_the_next_command(
    project: Path, monkeypatch: pytest.MonkeyPatch, change: Change
) -> None:
    (project / "sub").mkdir()
    (project / "sub/.env").write_text("KEY=2\n")
    before = walls(made(project))
    assert is_kept(project, monkeypatch)
    change(project)
    anew = box.prepared(loaded(project), wanted(project))
    assert walls(anew) != before, "the change is one of the walls"
    assert walls(made(project)) == walls(anew)


@pytest.mark.parametrize(
    "given", [{"PATH": "/usr/bin"}, {"XDG_CONFIG_HOME": "/nowhere"}, {"LANG": "C"}]
)
def test_another_environment_is_looked_for_anew(
    project: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, str]
) -> None:
    made(project)
    assert not is_kept(project, monkeypatch, **given)


def test_another_session_keeps_its_own(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(project, session="2.2")
    assert not is_kept(project, monkeypatch)


def test_what_git_may_write_is_no_others(project: Path) -> None:
    made(project)
    adding = wanted(project, "git", "add", ".", use=GitUse(writes=True))
    given = prepared(SESSION, loaded(project), adding)
    anew = box.prepared(loaded(project), adding)
    assert walls(given) == walls(anew)
    assert walls(given) != walls(made(project))


def test_other_rules_count_where_no_file_differs(project: Path) -> None:
    (project / "sub").mkdir()
    before = loaded(project)
    _rules(project)
    after = loaded(project)
    anew = [box.prepared(each, wanted(project)) for each in (before, after)]
    kept = [prepared(SESSION, each, wanted(project)) for each in (before, after)]
    assert [*map(walls, kept)] == [*map(walls, anew)]
    assert walls(anew[0]) != walls(anew[1])


def test_no_word_of_a_command_is_kept(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(project, "true", "secret-word")
    assert is_kept(project, monkeypatch)
    kept = [path.read_bytes() for path in Path(directories.cache()).glob("run-*")]
    assert kept
    assert not any(b"secret-word" in data for data in kept)


def test_what_is_written_to_a_file_is_no_difference(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(project)
    (project / "a.txt").write_text("of another length\n")
    assert is_kept(project, monkeypatch)


def test_files_of_the_project_that_words_read_are_no_difference(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The project is shown as a whole."""

    def named(path: Path) -> box.Wanted:
        return wanted(project).replace(read=(str(path),))

    prepared(SESSION, loaded(project), named(project / "a.txt"))
    monkeypatch.setattr(box, "prepared", lambda *_: pytest.fail("it was made anew"))
    prepared(SESSION, loaded(project), named(project / "sub/b.txt"))


def test_a_file_of_the_home_that_words_read_is_one(project: Path, home: Path) -> None:
    (home / "other").write_text("x")
    named = wanted(project).replace(read=(str(home / "other"),))
    shown = [mount.path for mount in prepared(SESSION, loaded(project), named).plan.mounts]
    assert str(home / "other") in shown
    assert str(home / "other") not in [mount.path for mount in made(project).plan.mounts]
