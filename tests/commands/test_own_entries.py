"""The shipped rules know each command of this program, and each option of it."""

import pytest

from execpolicy import Decision, Engine
from execpolicy.commands import COMMANDS, named

UNKNOWN = ("hook", "doctor")
"""What stands in the place of a host asks, and so does what runs the hosts' own programs."""
CALLS = [
    (name, words)
    for name in COMMANDS
    if name not in UNKNOWN
    for words in (
        (),
        *(
            (given, *(("1",) if option.takes else ()))
            for option in named(name).syntax().options
            for given in option.names
        ),
    )
]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load(rules=[])


@pytest.mark.parametrize(("name", "words"), CALLS, ids=[" ".join((n, *w)) for n, w in CALLS])
def test_what_it_does_is_known(engine: Engine, name: str, words: tuple[str, ...]) -> None:
    verdict = engine.check(["execpolicy", name, *words])
    reasons = [match.reason for judged in verdict.judged for match in judged.matches]
    for each in (f"execpolicy {name}", *words[:1]):
        assert not any(f"what `{each}` does is not known" in reason for reason in reasons)


@pytest.mark.parametrize("name", ["status", "brief", "pending", "query", "layers", "log"])
def test_what_only_shows_something_is_free(engine: Engine, name: str) -> None:
    assert engine.check(["execpolicy", name]).decision is Decision.ALLOW
