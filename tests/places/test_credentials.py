"""Reading a key asks, through every program of the catalogue that takes a path.

The commands are made from the shipped entries: for every option and every operand of which the
content is read, one command that has a path there of each pattern that is `credentials` in
`rules/places.rules`, and in each of several spellings. Most of them do nothing else that asks.
"""

import shlex

import pytest

from execpolicy.engine.decide import decide
from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.store.snapshot import Snapshot
from tests.examples import sampled
from tests.places.machine import Machine
from tests.places.named import HOME, ROOT, machine, paths, spellings
from tests.property.test_catalogue_content import CONTENT, EVERY, operand_commands, option_commands

MARK = "MARK"


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return Engine.load(rules=[]).snapshot.replace(home=HOME)


@pytest.fixture(scope="module")
def keys(snapshot: Snapshot) -> list[str]:
    return paths(snapshot.policy.places, "credentials")


def commands() -> list[tuple[str, ...]]:
    """One command for each place of a path that is read, with a mark there."""
    made = (option_commands, operand_commands)
    every = (argv for program in EVERY for make in made for argv in make(program, CONTENT, MARK))
    return list(dict.fromkeys(every))


@sampled(7)
def test_every_program_that_reads_a_path_asks(
    snapshot: Snapshot, keys: list[str], step: int
) -> None:
    """Each command with the next path, each path with the next spelling."""
    spelled = [text for path in keys for text in spellings(path)]
    here = machine(keys)
    asked, last = commands(), max(len(commands()), len(spelled))
    tried = [(asked[n % len(asked)], spelled[n % len(spelled)]) for n in range(0, last, step)]
    assert [each for each in tried if _is_missed(*each, here, snapshot)] == []
    assert step * len(tried) >= len(spelled) > 500


WAYS = [
    # the request, with the command in the place of `{c}`, and what that has in the place of a path
    ("x={path}; {c}", "$x"),
    ("for x in {path}; do {c}; done", '"$x"'),
    ("cd {directory} && {c}", "{name}"),
    ("cd {directory}; {c}", "{name}"),
    ("ln -s {path} zz; {c}", "zz"),
    ("ln -s {directory} zz && {c}", "zz/{name}"),
    ("cp {path} zz && {c}", "zz"),
    ("d={directory}; {c}", '"$d"/{name}'),
    ("{c}", "/proc/self/root{whole}"),
    ("cd /proc/self/root && {c}", ".{whole}"),
    ("{c}", "{directory}/'{name}'"),
    ("{c}", "{directory}/{name}{{,}}"),
]


@sampled(30)
def test_every_way_to_a_path_asks(snapshot: Snapshot, keys: list[str], step: int) -> None:
    """Each command that asks for a path by its name, by two of the ways to the next path."""
    every = ("~/.npmrc", "~/.aws/credentials", "/etc/shadowx", f"{ROOT}/.env")
    here = machine([*keys, *every])
    tried = 0
    for n, argv in enumerate(commands()[::step]):
        path = every[n % len(every)]
        directory, _, name = path.rpartition("/")
        if _passes(argv, path, here, snapshot):
            continue  # the path is a text there
        parts = {"path": path, "directory": directory, "name": name}
        for way, spelled in (WAYS[(n + k) % len(WAYS)] for k in (0, 5)):
            there = spelled.format(whole=path.replace("~", HOME), **parts)
            text = way.format(c=shlex.join(argv).replace(MARK, there), **parts)
            found = decide(Request(text=text, cwd=ROOT), snapshot, here)
            assert found.decision is not Decision.ALLOW, text
            tried += 1
    assert tried > 4000 / step


@pytest.mark.slow
def test_every_program_with_every_path(snapshot: Snapshot, keys: list[str]) -> None:
    here = machine(keys)
    for path in keys:
        assert [c for c in commands() if _is_missed(c, path, here, snapshot)] == []


@pytest.mark.slow
def test_every_program_with_every_spelling(snapshot: Snapshot, keys: list[str]) -> None:
    here = machine(keys)
    for path in (".env", "~/.npmrc", ".ssh/x", "/etc/shadowx"):
        for spelled in spellings(path):
            assert [c for c in commands() if _is_missed(c, spelled, here, snapshot)] == []


def _is_missed(argv: tuple[str, ...], path: str, here: Machine, snapshot: Snapshot) -> bool:
    """Whether it passes; for another form the path may be the text to look for."""
    at = next(n for n, word in enumerate(argv) if MARK in word)
    return all(_passes(c, path, here, snapshot) for c in (argv, (*argv[:at], "a", *argv[at:])))


def _passes(argv: tuple[str, ...], path: str, here: Machine, snapshot: Snapshot) -> bool:
    text = shlex.join(argv).replace(MARK, path.replace(" ", "\\ "))
    return decide(Request(text=text, cwd=ROOT), snapshot, here).decision is Decision.ALLOW
