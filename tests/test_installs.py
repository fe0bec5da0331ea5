"""The console script however it was installed: our own, and no start pays for what pip's imports.

Nothing is fetched: what the package depends on is there as wheels with nothing in them, and lent.
"""

import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.building import ROOT, built, copied

HEAVY = {"re", "importlib.metadata", "pkg_resources", "enum", "functools", "typing", "json"}
FOUND = ("--no-index", "--find-links")


def by_pip(wheel: Path, at: Path) -> tuple[Path, Path]:
    venv.create(at / "venv", with_pip=True)
    run(at / "venv/bin/python", "-m", "pip", "install", *FOUND, at / "needed", wheel)
    return at / "venv", at / "venv/bin/execpolicy"


def by_uv(wheel: Path, at: Path) -> tuple[Path, Path]:
    run("uv", "venv", "--offline", "--python", sys.executable, at / "venv")
    python = at / "venv/bin/python"
    run("uv", "pip", "install", "--offline", *FOUND, at / "needed", "--python", python, wheel)
    return at / "venv", at / "venv/bin/execpolicy"


def by_uv_tool(wheel: Path, at: Path) -> tuple[Path, Path]:
    places = {"UV_TOOL_DIR": at / "tools", "UV_TOOL_BIN_DIR": at / "bin"}
    options = ("--offline", *FOUND, at / "needed", "--python", sys.executable)
    run("uv", "tool", "install", *options, wheel, **places)
    return at / "tools/execpolicy", at / "bin/execpolicy"


def by_pipx(wheel: Path, at: Path) -> tuple[Path, Path]:
    places = {"PIPX_HOME": at / "x", "PIPX_BIN_DIR": at / "bin", "PIPX_MAN_DIR": at / "man"}
    options = ("--python", sys.executable, f"--pip-args={' '.join(FOUND)} {at / 'needed'}")
    run("pipx", "install", *options, wheel, **places)
    return at / "x/venvs/execpolicy", at / "bin/execpolicy"


def run(*words: object, **more: object) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*map(str, words)],
        env={**os.environ, **{name: str(value) for name, value in more.items()}},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


def needed(at: Path) -> None:
    """A wheel without modules for each package that ours depends on."""
    at.mkdir()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    ends = str.maketrans(dict.fromkeys("<>=!~;[", " "))
    for name in (each.translate(ends).split()[0] for each in project["dependencies"]):
        version = importlib.metadata.version(name)
        stem = f"{name.replace('-', '_')}-{version}"
        tagged = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        with zipfile.ZipFile(at / f"{stem}-py3-none-any.whl", "w") as archive:
            described = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
            archive.writestr(f"{stem}.dist-info/METADATA", described)
            archive.writestr(f"{stem}.dist-info/WHEEL", tagged)
            archive.writestr(f"{stem}.dist-info/RECORD", "")


def lend(environment: Path) -> None:
    """The packages that are installed here are there for an environment, too."""
    spec = importlib.util.find_spec("bashlex")
    assert spec is not None
    assert spec.origin is not None
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "lent.pth").write_text(f"{Path(spec.origin).parents[1]}\n")


def modules(text: str) -> set[str]:
    """The names in what `-X importtime` prints."""
    return {line.rpartition("|")[2].strip() for line in text.splitlines()}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["wheel", "editable"])
@pytest.mark.parametrize("install", [by_pip, by_uv, by_uv_tool, by_pipx])
def test_the_script_imports_nothing_beside_ours(
    install: "Callable[[Path, Path], tuple[Path, Path]]", kind: str, tmp_path: Path
) -> None:
    tool = install.__name__.split("_")[1]
    if tool != "pip" and shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    needed(tmp_path / "needed")
    wheel = built(kind, copied(tmp_path / "project"), tmp_path / "dist")
    environment, script = install(wheel, tmp_path)
    lend(environment)
    home = tmp_path / "home"
    home.mkdir()
    settings = {"HOME": home, "XDG_CACHE_HOME": "", "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": ""}
    run(script, "check", "--", "ls", **settings)  # compiles the rules
    watched = (environment / "bin/python", "-X", "importtime")
    bare = modules(run(*watched, "-c", "pass", **settings).stderr)
    for words in (("ls",), ("ls", "-l")):
        done = run(*watched, script, "check", "--", *words, **settings)
        assert done.stdout.startswith("allow: ")
        imported = modules(done.stderr)
        assert "execpolicy.__main__" in imported
        assert not imported & HEAVY - bare
