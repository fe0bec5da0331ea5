"""Writing what runs later asks, through every program of the catalogue that takes a path.

The commands are made from the shipped entries: for every option and every operand of which a path
is written, replaced, linked or removed, one command that has a file of git's configuration there.
"""

import shlex

import pytest

from execpolicy.engine.decide import decide
from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.resources import presets_directory
from tests.places.machine import Machine, repository
from tests.property.test_catalogue_content import EVERY, operand_commands, option_commands

WRITTEN = frozenset(
    ("out", "opened", "into", "moved", "linked", "remove", "location-out", "database")
)
PATHS = (".git/config", ".envrc", "~/.bashrc")


@pytest.fixture(scope="module")
def developer() -> Snapshot:
    path = f"{presets_directory()}/developer.rules"
    return Engine.load(rules=[path]).snapshot.replace(home="/home/me")


def commands(path: str) -> list[tuple[str, ...]]:
    made = (option_commands, operand_commands)
    return [argv for program in EVERY for make in made for argv in make(program, WRITTEN, path)]


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_every_program_that_writes_it_asks(developer: Snapshot, path: str) -> None:
    every = commands(path)
    assert [shlex.join(argv) for argv in every if _is_missed(argv, path, developer)] == []
    assert len(every) > 500


def _is_missed(argv: tuple[str, ...], path: str, snapshot: Snapshot) -> bool:
    """Whether it passes, and does more than read: without an operand before it, it may be input."""
    machine = Machine({**repository("/home/me/app/.git"), "/home/me/app/.envrc": ""})
    found = decide(Request(text=_text(argv, path), cwd="/home/me/app"), snapshot, machine)
    effects = {effect for match in found.matches for effect in match.effects}
    return found.decision is Decision.ALLOW and effects != {"read"}


def _text(argv: tuple[str, ...], path: str) -> str:
    """The command as a script, with the home left for the shell to put in."""
    return shlex.join(argv).replace(shlex.quote(path), path)
