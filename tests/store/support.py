"""Rules files in layers, for the tests of the store."""

from pathlib import Path

from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from tests.repositories import new_repository


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def user(home: Path, text: str, name: str = "a.rules") -> Path:
    return write(home / ".config/execpolicy/rules" / name, text)


def project(root: Path, text: str, name: str = "p.rules") -> Path:
    new_repository(root)
    return write(root / ".execpolicy/rules" / name, text)


def decision(cwd: Path, command: str) -> Decision:
    return Engine.load(cwd=cwd).check(command).decision
