"""What PATH finds is `control`, also in the project: to change it asks under every preset."""

from pathlib import Path

import pytest

from execpolicy.engine.decide import decide
from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.places.disk import Disk
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.resources import presets_directory
from tests.places.machine import Machine, repository

HOME = "/home/me"
ROOT = f"{HOME}/app"
PATH = (
    *(f"{ROOT}/{name}" for name in ("bin", "node_modules/.bin", ".venv/bin")),
    *(f"{HOME}/{name}" for name in (".local/bin", "links")),
    "/usr/bin",
)
FILES = {
    **repository(f"{ROOT}/.git"),
    f"{ROOT}/run.sh": "",
    f"{ROOT}/bin/run": "",
    f"{ROOT}/evil/bin/git": "",
    f"{ROOT}/tools/tool": "",
    f"{ROOT}/tools/cli.py": "",
    f"{ROOT}/linked/x": "",
    f"{ROOT}/node_modules/.bin/eslint": "untracked",
    f"{ROOT}/.venv/bin/python": "untracked",
    f"{HOME}/.local/bin/tool": f"→ {ROOT}/tools/tool",
    f"{HOME}/.local/bin/cli": f"→ {ROOT}/tools/cli.py",
    f"{HOME}/links": f"→ {ROOT}/linked",
}


def snapshot_of(*rules: str) -> Snapshot:
    return Engine.load(rules=rules).snapshot.replace(home=HOME)


@pytest.fixture(scope="module")
def developer() -> Snapshot:
    return snapshot_of(f"{presets_directory()}/developer.rules")


def decided(snapshot: Snapshot, text: str) -> Decision:
    machine = Machine(FILES, root=ROOT, path=PATH)
    return decide(Request(text=text, cwd=ROOT, shell="bash"), snapshot, machine).decision  # noqa: S604


ASKS = [
    "echo x > bin/git",
    "cp run.sh bin",
    "cp run.sh bin/git",
    "mv run.sh bin/git",
    "git mv run.sh bin/git",
    "ln -s run.sh bin/git",
    "install -m755 run.sh node_modules/.bin/git",
    "tee bin/git < run.sh",
    "touch BIN/git",
    "chmod +x bin/run",
    "sed -i s/a/b/ bin/run",
    "cd bin && echo x > git",
    "echo x > .venv/bin/git",
    "rm -rf .venv/bin",
    # a directory above one of PATH comes with the programs in it
    "mv evil .venv",
    "ln -s evil .venv",
    "cp -r evil/. .venv/",
    "cp -r evil/bin .venv/",
    # by another name
    "echo x > linked/y",
    "ln -s bin b && echo x > b/git",
    "echo x > tools/tool",
    # what git puts there
    "git worktree add bin/x",
    "git clone . bin/x",
]


@pytest.mark.parametrize("text", ASKS)
def test_to_change_what_path_finds_asks(developer: Snapshot, text: str) -> None:
    assert decided(developer, text) is not Decision.ALLOW


FREE = [
    "echo x > binary",
    "echo x > src/bin/x",
    "echo x > tools/other",
    "rm -rf node_modules .venv",
    "cat bin/run && ls bin",
    "cp bin/run x",
    "git add bin/run && git switch x",
]


@pytest.mark.parametrize("text", FREE)
def test_what_path_does_not_find_is_the_project(developer: Snapshot, text: str) -> None:
    assert decided(developer, text) is Decision.ALLOW


PRESETS = ("careful", "standard", "developer", "unattended")


@pytest.mark.parametrize("preset", PRESETS)
def test_under_every_preset(preset: str) -> None:
    found = decided(snapshot_of(f"{presets_directory()}/{preset}.rules"), "echo x > bin/git")
    assert found >= Decision.PROMPT


LIFTED = [
    ('path_rule(["./bin/*"], modes = ["write"], decision = "allow")', Decision.ALLOW),
    ('path_rule(["./*"], modes = ["write"], decision = "allow")', Decision.PROMPT),
    ('place("control", ["$PATH/*"], unless = ["./x/*"])', Decision.PROMPT),
]


@pytest.mark.parametrize(("line", "expected"), LIFTED)
def test_a_rule_that_names_the_directory_lifts_it(
    tmp_path: Path, line: str, expected: Decision
) -> None:
    path = tmp_path / "a.rules"
    with open(f"{presets_directory()}/developer.rules", encoding="utf-8") as preset:
        path.write_text(f"{preset.read()}\n{line}\n")
    assert decided(snapshot_of(str(path)), "echo x > bin/git") is expected


def test_the_disk_knows_what_path_finds(tmp_path: Path) -> None:
    for name in ("real", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "tool").write_text("#!/bin/sh\n")
        (tmp_path / name / "tool").chmod(0o755)
    (tmp_path / "linked").symlink_to("real")
    disk = Disk(f"{tmp_path}/linked:{tmp_path}/other:relative:")
    top = Path(tmp_path).resolve()
    assert disk.programs() == tuple(map(str, (tmp_path / "linked", top / "real", top / "other")))
    assert disk.is_program(str(top / "real/tool"))
    assert not disk.is_program(str(top / "other/tool"))
    assert not disk.is_program(str(top / "real/none"))
