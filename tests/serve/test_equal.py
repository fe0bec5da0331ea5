"""A server gives the verdict of the command line, byte by byte, whatever changed a moment ago."""

import re
import time
from pathlib import Path

import pytest

from execpolicy.commands import serving
from execpolicy.commands.hook import Hook
from execpolicy.serve.client import read
from execpolicy.serve.inputs import gathered
from execpolicy.store.repeat import witness
from tests.serve.deciding import by_process, called, commands, deciding, lines, result
from tests.serve.world import OWN, World

OPTIONS = [{}, {"host": "claude"}, {"host": "claude", "session": "s1"}]
SETTLED = 50_000_000
"""Nanoseconds after which the disk of a test gives another time to what is changed."""


@pytest.mark.parametrize(
    ("seed", "steps"),
    [(1, 60), (2, 60), *(pytest.param(n, 340, marks=pytest.mark.rest) for n in range(3, 13))],
)
def test_no_older_answer_is_given(
    seed: int, steps: int, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules, settings, files, links, variables and the directory change between the requests.

    Requests of a hundred commands that come again and again, so that what is kept is given.
    """
    monkeypatch.chdir(tmp_path)
    world = World(home, tmp_path, monkeypatch, seed)
    every = commands()
    known = [*OWN, *world.random.sample(every, 60)]
    with deciding() as decider:
        for _ in range(steps):
            changed = world.change()
            asked = lines(world.random.sample(known, 4) + world.random.sample(every, 2))
            options = world.random.choice(OPTIONS)
            found = result(decider, serving.check(options, asked), gathered())
            assert found.declined == "", changed
            assert found.answer == by_process(asked, **options), changed


@pytest.mark.parametrize(
    ("seed", "steps"),
    [(1, 30), *(pytest.param(n, 100, marks=pytest.mark.rest) for n in range(2, 12))],
)
def test_no_older_reply_is_given_to_a_hook(
    seed: int, steps: int, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same few calls again and again, so that most replies are those of calls before."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(witness, "SETTLED", SETTLED)
    world = World(home, tmp_path, monkeypatch, seed)
    with deciding() as decider:
        for step in range(steps):
            changed = world.change() if step % 3 == 0 else "nothing"
            time.sleep(SETTLED / 1e9)
            if step % 6 == 0:
                few, cwd = (
                    world.random.sample(OWN, 3),
                    world.random.choice([tmp_path, tmp_path / "app"]),
                )
            for text in world.random.choices(few, k=8):
                call = called(text, str(cwd))
                found = result(decider, serving.hook("claude", call), gathered())
                own = Hook("claude").answer(call)
                reply = read(found.answer)
                assert found.declined == "", changed
                assert reply is not None
                assert _unnumbered(reply.stdout) == _unnumbered(own.stdout), changed
        assert decider.engines.replies.given > steps // 4


def _unnumbered(said: str) -> str:
    """What is said, but for the number of the snapshot that each call takes."""
    return re.sub(r"undo \d+", "undo", said)
