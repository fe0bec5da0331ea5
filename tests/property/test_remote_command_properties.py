"""A command in another place is as free as here where it reads, and asks where it does more."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from execpolicy import Decision, Engine
from execpolicy.catalogue import read
from execpolicy.engine.decide import decide
from execpolicy.model.operation import Request, Variable
from tests.catalogue.shipped import RULES, everything, programs
from tests.examples import sampled

PLACE = ["docker", "exec", "c"]
HERE = Engine.load(rules=[])
LENIENT = 'posture(write = "allow", network = "allow", destroy = "allow")'


def examples(path: Path) -> Iterator[tuple[str, list[str]]]:
    for program in programs(path):
        for effect, lines in program.examples:
            yield from ((effect, shlex.split(line)) for line in lines)


def shows_variables(argv: list[str]) -> bool:
    effects = read(tuple(argv), everything()[0]).effects
    return any(isinstance(cause.subject, Variable) for cause in effects)


def decided(argv: list[str]) -> Decision:
    return decide(Request(argv=tuple(argv)), HERE.snapshot).decision


@sampled(5)
@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_another_place_never_lowers(path: Path, step: int) -> None:
    """Which files the project over there has is not known, so each is there."""
    for _, argv in [*examples(path)][::step]:
        here, there = decided(argv), decided(PLACE + argv)
        assert there >= here, argv
        if not shows_variables(argv):  # which ones there are over there, nobody knows
            assert (there is Decision.ALLOW) == (here is Decision.ALLOW), argv


@pytest.fixture(scope="module")
def lenient(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    rules = tmp_path_factory.mktemp("rules") / "lenient.rules"
    rules.write_text(LENIENT)
    return Engine.load(rules=[rules])


@sampled(5)
@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_what_is_allowed_here_is_not_allowed_there(path: Path, step: int, lenient: Engine) -> None:
    for effect, argv in [*examples(path)][::step]:
        reading = read(tuple(argv), everything()[0])
        if effect not in ("read", "environment") and not reading.unless_inner_reads:
            assert lenient.check(PLACE + argv).decision > Decision.ALLOW, argv
