"""Writing what runs later asks, through every program of the catalogue that takes a path.

The commands are made from the shipped entries: for every option and every operand of which a path
is written, replaced, linked or removed, one command that has a path there of each pattern that
`rules/places.rules` gives to `control`, and in each of several spellings.
"""

import shlex

import pytest

from execpolicy.engine.decide import decide
from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.resources import presets_directory
from tests.examples import sampled
from tests.places.machine import Machine
from tests.places.named import HOME, ROOT, machine, paths, spellings
from tests.property.test_catalogue_content import EVERY, operand_commands, option_commands

WRITTEN = frozenset(
    (
        "out",
        "opened",
        "into",
        "moved",
        "link-target",
        "remove",
        "location-out",
        "location-into",
        "database",
        "packed",
    )
)
MARK = "MARK"


@pytest.fixture(scope="module")
def developer() -> Snapshot:
    path = f"{presets_directory()}/developer.rules"
    return Engine.load(rules=[path]).snapshot.replace(home=HOME)


@pytest.fixture(scope="module")
def control(developer: Snapshot) -> list[str]:
    return paths(developer.policy.places, "control")


def commands() -> list[str]:
    """One command for each place of a path that is changed, with a mark there."""
    made = (option_commands, operand_commands)
    every = (argv for program in EVERY for make in made for argv in make(program, WRITTEN, MARK))
    return list(dict.fromkeys(map(shlex.join, every)))


def test_every_kind_of_path_is_tried(control: list[str]) -> None:
    wanted = {"~/.local/bin/x", ".envrc", ".bashrc", ".git/x", ".vscode/tasks.json"}
    assert wanted <= {*control}
    assert {".ssh/authorized_keysx", "~/.config/autostart/x"} <= {*control}


@sampled(5)
def test_every_program_that_changes_a_path_asks(
    developer: Snapshot, control: list[str], step: int
) -> None:
    """Each command with the next path, each path with the next spelling."""
    every = commands()[::step]
    spelled = [text for path in control for text in spellings(path)]
    here = machine(control)
    count = max(len(every), 2 * len(spelled) // step + 1)
    tried = [every[n % len(every)].replace(MARK, spelled[n % len(spelled)]) for n in range(count)]
    assert [text for text in tried if _is_missed(text, here, developer)] == []
    assert step * len(tried) > 2 * len(spelled) > 500


@pytest.mark.slow
def test_every_program_with_every_path(developer: Snapshot, control: list[str]) -> None:
    here = machine(control)
    for path in control:
        every = [text.replace(MARK, path) for text in commands()]
        assert [text for text in every if _is_missed(text, here, developer)] == []


@pytest.mark.slow
def test_every_program_with_every_spelling(developer: Snapshot, control: list[str]) -> None:
    every_kind = (".envrc", "~/.bashrc", ".git/config", "~/.local/bin/x")
    here = machine([*control, *every_kind])
    for path in every_kind:
        for spelled in spellings(path):
            every = [text.replace(MARK, spelled) for text in commands()]
            assert [text for text in every if _is_missed(text, here, developer)] == []


def _is_missed(text: str, here: Machine, snapshot: Snapshot) -> bool:
    """Whether it passes, and does more than read: without an operand before it, it may be input."""
    found = decide(Request(text=text, cwd=ROOT), snapshot, here)
    effects = {effect for match in found.matches for effect in match.effects}
    return found.decision is Decision.ALLOW and effects != {"read"}
