"""What of a project is protected by another name: through links, by PATH, as policy."""

import os
from pathlib import Path

import pytest

from execpolicy import Engine, Request
from execpolicy.support import directories
from tests.sandbox.test_execute import execute, sandbox

PRE = ".git/hooks/pre-commit"
LINKED = [
    # the links with their targets, beside the project and in it, and what the command does
    ({"home/.config/execpolicy/rules/a.rules": "rules"}, "echo evil >> rules"),
    ({"home/.config/git/config": "config"}, "echo evil >> config"),
    ({"home/.config/git/config": "a", "project/a": "config"}, "rm a; echo evil > a"),
    ({"home/.config/fish/config.fish": "missing"}, "echo evil > missing"),
    ({"home/.config/fish/conf.d": "fish/"}, "echo evil > fish/x.fish"),
    ({"home/.bashrc": "missing"}, "echo evil > missing"),
    ({"home/.vim": "vim/"}, "echo evil > vim/x"),
    (
        {"home/.vim": "now/vim", "project/now": "v1/"},
        "rm now; mkdir -p now/vim; echo evil>now/vim/x",
    ),
    ({"home/.config": "c/"}, "mkdir c/fish; echo evil > c/fish/x"),
    ({"project/.claude": "cl/"}, "echo evil > cl/settings.json"),
    ({"project/.vscode": "vs/"}, "rm .vscode; echo evil > vs/tasks.json; ln -s vs .vscode"),
    ({"project/.vscode": "a", "project/a": "vs/"}, "rm a; mkdir a; echo evil > a/tasks.json"),
    ({"project/.vscode": "build/vs/"}, "echo evil > build/vs/tasks.json"),
    ({"project/.vscode": "."}, "echo evil > tasks.json"),
    ({"project/.idea/x": "../file"}, "echo evil > file"),
    ({f"project/{PRE}": "../../file"}, "echo evil > file"),
]


@pytest.fixture
def home(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home beside the project."""
    home = project.parent / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return home


def linked(project: Path, link: str, target: str) -> Path:
    """A link, and what it leads to: a directory, a file, or nothing where that is `missing`."""
    made = project.parent / link
    made.parent.mkdir(parents=True, exist_ok=True)
    made.symlink_to(target if link.startswith("project/") else project / target)
    there = Path(os.path.realpath(made))
    if target.endswith("/"):
        (there / "vim").mkdir(parents=True)
    elif target != "missing" and not there.exists():
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_text("")
    return made


def written(path: Path) -> bytes:
    """All that a path leads to, with what lies in a directory."""
    files = [path, *path.rglob("*")] if path.is_dir() else [path]
    return b"".join(file.read_bytes() for file in files if file.is_file())


@pytest.mark.parametrize(("links", "text"), LINKED, ids=[str(links) for links, _ in LINKED])
def test_what_a_protected_name_leads_to(
    project: Path, home: Path, links: dict[str, str], text: str
) -> None:
    made = [linked(project, *one) for one in reversed(links.items())]
    execute(project, f"{text}; echo fine > fine")
    assert b"evil" not in written(made[-1])
    assert (project / "fine").read_text() == "fine\n"


def test_a_key_that_a_link_in_a_store_leads_to_is_not_there(project: Path, home: Path) -> None:
    linked(project, "home/.password-store/x.gpg", "keys/a")
    (project / "keys/a").write_text("S3CRET")
    assert execute(project, "cat keys/a").stdout == b""


OWN = [
    ("XDG_CONFIG_HOME", "own/execpolicy/rules/a.rules"),
    ("XDG_STATE_HOME", "own/execpolicy/trusted"),
    ("XDG_CACHE_HOME", "own/execpolicy/x/run-00"),
]


@pytest.mark.parametrize("exists", [True, False])
@pytest.mark.parametrize(("variable", "name"), OWN)
def test_directories_of_this_engine_in_the_project(
    project: Path,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    name: str,
    exists: bool,
) -> None:
    (project / "s").mkdir()
    monkeypatch.setenv(variable, str(project / "own" if exists else project / "s/../own"))
    path = project / name
    if exists:
        path.parent.mkdir(parents=True)
        path.write_text("")
    execute(project, f"mkdir -p {path.parent}; echo evil >> {name}; mv own other; echo x > own/x")
    assert not path.exists() or path.read_text() == ""
    # what steers programs is control as a whole, caches and states are but for this engine's
    assert (project / "own/x").exists() is (variable != "XDG_CONFIG_HOME")


def test_a_link_before_two_dots_leads_them_nowhere_else(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "real/s").mkdir(parents=True)
    (project / "s").symlink_to("real/s")
    monkeypatch.setenv("XDG_STATE_HOME", f"{project}/s/../own")
    assert directories.state() == f"{project}/own/execpolicy"


def test_a_link_on_the_way_to_them_comes_back(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "real").mkdir()
    (project / "own").symlink_to("real")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(project / "own"))
    execute(
        project, "rm own; mkdir -p own/execpolicy/rules; echo evil > own/execpolicy/rules/a.rules"
    )
    assert os.readlink(project / "own") == "real"


@pytest.mark.parametrize("name", ["a.rules", "link.rules"])
def test_rules_that_the_command_line_names(project: Path, home: Path, name: str) -> None:
    (project / "a.rules").write_text((project.parent / "a.rules").read_text())
    (project / "link.rules").symlink_to("a.rules")
    engine = Engine.load(rules=[project / name], cwd=project)
    verdict = engine.decide(Request(argv=("touch", "a.rules"), cwd=str(project)))
    assert verdict.confined.word == "prompt"
    box = sandbox(project).replace(engine=engine)
    box.execute("echo '# evil' >> a.rules; rm link.rules; echo evil > link.rules", cwd=str(project))
    assert "evil" not in (project / name).read_text()


def test_a_program_that_path_has_by_another_name(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "u.py").touch(0o755)
    (project.parent / "links").mkdir()
    (project.parent / "links/u").symlink_to(project / "u.py")
    monkeypatch.setenv("PATH", f"{project.parent / 'links'}:{os.environ['PATH']}")
    execute(project, "echo evil > u.py; echo fine > v.py")
    assert ((project / "u.py").read_text(), (project / "v.py").read_text()) == ("", "fine\n")


PATHS = [
    ("bin", "bin/new"),
    ("bin", "bin/tool"),
    ("missing", "missing/new"),
    (".venv/bin", ".venv/bin/new"),
    (".venv/bin", ".venv/bin/tool"),
    ("node_modules/.bin", "node_modules/.bin/new"),
    ("../links", "tools/tool"),
    ("../links", "tools/other"),
]


@pytest.mark.parametrize(("directory", "name"), PATHS)
def test_walls_are_what_check_says_of_programs(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch, directory: str, name: str
) -> None:
    for made in ("bin", ".venv/bin", "node_modules/.bin", "tools"):
        (project / made).mkdir(parents=True)
        (project / made / "tool").touch(0o755)
    (project.parent / "links").mkdir()
    (project.parent / "links/tool").symlink_to(project / "tools/tool")
    monkeypatch.setenv("PATH", f"{(project / directory).resolve()}:{os.environ['PATH']}")
    request = Request(argv=("touch", name), cwd=str(project))
    says = sandbox(project).engine.decide(request).confined.word
    execute(project, f"mkdir -p {directory}; echo evil > {name}")
    stays = (project / name).exists() and "evil" in (project / name).read_text()
    assert stays is (says == "allow") is (name.startswith((".venv", "node", "tools/other")))
