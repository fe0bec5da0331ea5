"""The package as it is shipped: built from a copy, so that no build changes the checkout.

A build writes compiled rules into `execpolicy/data`. Those of a wheel do not count in a checkout.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHIPPED = (
    "bin",
    "execpolicy",
    "rules",
    "grammar",
    "docs",
    "plugins",
    "hatch_build.py",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    ".pre-commit-hooks.yaml",
)
"""What a build reads, and the manifest of the hooks."""

_BUILD = """
import sys
from hatchling import build
print(getattr(build, "build_" + sys.argv[1])(sys.argv[2]))
"""


def copied(target: Path) -> Path:
    """The project in a directory of its own."""
    target.mkdir(parents=True)
    ignored = shutil.ignore_patterns("__pycache__", "data")
    for name in SHIPPED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=ignored)
        else:
            shutil.copy(source, target)
    return target


def built(kind: str, source: Path, target: Path) -> Path:
    """The archive of a `wheel` or of an `editable` install, made from a copy.

    It holds nothing that has to be compiled.
    """
    target.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", _BUILD, kind, str(target)],
        cwd=source,
        env=os.environ | {"HATCH_BUILD_NO_HOOKS": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return target / done.stdout.splitlines()[-1]


def missing(names: Collection[str]) -> list[str]:
    """What a wheel with files of these names lacks. Raises `AssertionError` if it has too much."""
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/"))]
    kinds = (
        "rules/*.rules",
        "rules/presets/*.rules",
        "grammar/*",
        "docs/lint/*.md",
        "docs/commands.md",
    )
    shipped = (path.relative_to(ROOT) for kind in kinds for path in ROOT.glob(kind))
    wanted = ["execpolicy/py.typed", *(f"execpolicy/data/{path}" for path in shipped)]
    return sorted({*wanted} - {*names})


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], Path]) -> Path:
    """What `make` makes in an empty directory, made by the first process of the run that asks."""
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # each process of a run has a directory below
    with open(base / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        note = base / f"{name}.path"
        if not note.exists():
            note.write_text(str(make(base / name)))
        return Path(note.read_text())
