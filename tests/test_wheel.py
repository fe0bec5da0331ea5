"""What is shipped works: the wheel, in a virtual environment that has nothing else."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


FIRST = """
import sys
from execpolicy.engine.engine import Engine
(match,) = Engine.load(rules=[]).check("ls").matches
assert match.origin.file.startswith(sys.prefix), match.origin.file
print("read" if open(match.origin.file).read() else "")
print("compiled" if "starlark" in sys.modules else "not compiled")
"""


WORDS = "from execpolicy.hosts.install.backup import command; print(*command())"
"""The words of a hook, as `install` writes them."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = target.glob("*.whl")
    return built


def test_the_wheel_holds_rules_and_grammar(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    shipped = {p.name for p in (ROOT / "rules").glob("*.rules")}
    assert {f"execpolicy/data/rules/{name}" for name in shipped} <= set(names)
    pages = {p.name for p in (ROOT / "docs/lint").glob("*.md")}
    assert {f"execpolicy/data/docs/lint/{name}" for name in pages} <= set(names)
    assert "execpolicy/data/grammar/rules.lark" in names
    assert "execpolicy/data/grammar/verdict.schema.json" in names
    compiled = {f"execpolicy/data/compiled/{name}" for name in ("builtin", "bashlex", "syntax")}
    assert compiled <= set(names)
    assert "execpolicy/py.typed" in names
    assert not [n for n in names if n.startswith(("tests/", "benchmarks/"))]


@pytest.fixture(scope="module")
def editable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("editable")
    program = "import sys; from hatchling.build import build_editable; build_editable(sys.argv[1])"
    command = [sys.executable, "-c", program, str(target)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = target.glob("*.whl")
    return built


@pytest.mark.parametrize("kind", ["wheel", "editable"])
def test_the_console_script_is_our_own(kind: str, request: pytest.FixtureRequest) -> None:
    archive = zipfile.ZipFile(request.getfixturevalue(kind))
    assert not [n for n in archive.namelist() if n.endswith("entry_points.txt")]
    (script,) = [n for n in archive.namelist() if n.endswith(".data/scripts/execpolicy")]
    first, *rest = archive.read(script).decode().splitlines()
    assert first == "#!python"  # the installer writes the path of its Python
    assert [line for line in rest if line.startswith(("import", "from"))] == [
        "from execpolicy.__main__ import main"
    ]


def test_it_runs_in_a_fresh_environment(wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    pip = [str(tmp_path / "venv/bin/pip"), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True)
    fresh = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    program = str(tmp_path / "venv/bin/execpolicy")
    check = [program, "check", "--format", "json"]
    first = [str(tmp_path / "venv/bin/python"), "-c", FIRST]
    done = subprocess.run(first, capture_output=True, cwd=tmp_path, env=fresh)
    assert done.stdout.decode().split() == ["read", "not", "compiled"], done.stderr
    done = subprocess.run([*check, "--", "ls", "-la"], capture_output=True, cwd=tmp_path)
    assert (done.returncode, json.loads(done.stdout)["decision"]) == (0, "allow"), done.stderr
    words = [str(tmp_path / "venv/bin/python"), "-c", WORDS]
    done = subprocess.run(words, capture_output=True, cwd=tmp_path)
    isolated = [str(tmp_path / "venv/bin/python"), "-I", "-m", "execpolicy"]
    assert done.stdout.decode().split() == isolated, done.stderr
    done = subprocess.run([*isolated, "check", "--", "ls"], capture_output=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = subprocess.run([program, "lint", "--explain", "dead"], capture_output=True, cwd=tmp_path)
    assert page.stdout == (ROOT / "docs/lint/dead.md").read_bytes()
    done = subprocess.run([*check, "--", "git", "push"], capture_output=True, cwd=tmp_path)
    assert (done.returncode, json.loads(done.stdout)["decision"]) == (3, "prompt"), done.stderr
