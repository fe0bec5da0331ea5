"""Removing what is not there loses nothing, where nothing before it in the text puts it there."""

import pytest

from execpolicy.engine.decide import decide
from execpolicy.engine.engine import Engine
from execpolicy.model.operation import Request
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.resources import presets_directory
from tests.places.machine import Machine, repository

MACHINE = Machine([*repository("/p/.git"), "/p/a.py", "/p/notes.txt", "/p/x.zip", "/p/Makefile"])


@pytest.fixture(scope="module")
def developer() -> Snapshot:
    return Engine.load(rules=[f"{presets_directory()}/developer.rules"]).snapshot


def loses(text: str, snapshot: Snapshot) -> bool:
    """Whether the last command of a text asks for what it removes."""
    verdict = decide(Request(text=text, cwd="/p"), snapshot, MACHINE)
    matches = verdict.judged[-1].matches
    return any("destroy" in match.effects and match.decision for match in matches)


@pytest.mark.parametrize(
    "text",
    ["rm gone.txt", "ls && rm gone.txt", "touch other.txt; rm gone.txt", "echo x > b; rm gone.txt"],
)
def test_nothing_is_lost(text: str, developer: Snapshot) -> None:
    assert not loses(text, developer)


@pytest.mark.parametrize(
    "text",
    [
        "rm notes.txt",
        "mv notes.txt gone.txt; rm gone.txt",
        "git stash pop && rm gone.txt",
        "git checkout other && rm gone.txt",
        "make && rm gone.txt",
        "unzip x.zip && rm gone.txt",
        "python a.py; rm gone.txt",
        "source a.sh; rm gone.txt",
        "eval $x; rm gone.txt",
        "rm gone*",
    ],
)
def test_what_another_command_may_have_made_is(text: str, developer: Snapshot) -> None:
    assert loses(text, developer)
