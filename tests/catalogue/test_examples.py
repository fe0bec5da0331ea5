"""Every example of every shipped entry has the effect it stands under.

It does so where the project has the files of its settings, or where it has none.
"""

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from execpolicy.catalogue import read
from execpolicy.engine.unwrap import unwrap
from execpolicy.model.operation import Opaque, Request
from execpolicy.policy.policy import Policy
from execpolicy.store.effect_defaults import EffectDefaults
from execpolicy.store.snapshot import EnvironmentTable, Snapshot
from tests.catalogue.build import strongest, without_settings
from tests.catalogue.shipped import RULES, everything, programs


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_an_example_has_its_effect(path: Path) -> None:
    rows = [row for program in programs(path) for row in program.examples]
    wrong = [
        (command, effect, effects)
        for effect, commands in rows
        for command in commands
        for effects in other_effects(command, effect)
    ]
    assert wrong == []


def other_effects(command: str, effect: str) -> "Iterator[object]":
    """The effects of a command, where these are not the expected one."""
    reading = read(tuple(shlex.split(command)), everything()[0])
    if effect not in (strongest(reading), strongest(without_settings(reading))):
        yield reading.effects


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_no_script_of_an_example_makes_its_reader_fail(path: Path) -> None:
    """A reader that fails makes its script a question, which an example of `unknown` would hide."""
    lines = (line for program in programs(path) for _, lines in program.examples for line in lines)
    failed = [(line, why) for line in lines for why in failures(tuple(shlex.split(line)))]
    assert failed == []


def failures(argv: tuple[str, ...]) -> "Iterator[str]":
    """What a reader of a script in a command failed with."""
    snapshot = Snapshot(Policy(()), everything()[0], EffectDefaults(()), EnvironmentTable(()))
    if any(inner.script is not None for inner in read(argv, snapshot.catalogue).inner):
        for step in unwrap(Request(argv=argv), snapshot):
            if isinstance(step.operation, Opaque) and "the reader failed" in step.operation.why:
                yield step.operation.why


def test_the_notation_of_the_shipped_entries_is_right() -> None:
    assert [d.render() for d in everything()[1]] == []


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_every_entry_has_examples_of_its_own(path: Path) -> None:
    assert all(p.examples for p in programs(path)) or _only_globals(path)


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_no_effect_stands_without_an_example(path: Path) -> None:
    rows = [(p.names, effect) for p in programs(path) for effect, lines in p.examples if not lines]
    assert rows == []


def _only_globals(path: Path) -> bool:
    bare = [p for p in programs(path) if not p.examples]
    every = [name for p in programs(path) for name in p.names]
    return all(any(e.startswith(n + " ") for e in every) for p in bare for n in p.names)
