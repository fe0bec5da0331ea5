"""How many words of a command an allow rule must name, and that the engine wants no more."""

import pytest

from execpolicy.catalogue import read
from execpolicy.catalogue.conditions.open_tail import exceeds, words_needed
from execpolicy.engine.decide import decide
from execpolicy.language.compile import compile_text
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.rule import PrefixRule
from execpolicy.policy.packed_rules import PackedRules
from execpolicy.store import loader

SNAPSHOT = loader.load(())

NEEDED = [
    # A rule for the program covers all that it does anyway.
    ("rg x", 0),
    ("make all", 0),
    ("make -f other", 0),
    # An option that makes it run something is named; once is enough.
    ("rg --pre sh x", 2),
    ("rg x --pre sh", 3),
    ("rg --pre a --pre b x", 2),
    ("git push --receive-pack=sh", 3),
    # what a hook of the repository may do is not what the program does anyway
    ("git commit -m x", 0),
    ("git add -e", 3),
    ("tar cf a b --checkpoint-action=exec=sh", 5),
    # So is the word at which the command inside begins.
    ("timeout 5 make", 3),
    ("docker exec web make", 4),
    ("timeout 5 timeout 5 rg --pre sh", 3),
    ("bash -c ls", 3),
]


@pytest.mark.parametrize(("command", "needed"), NEEDED)
def test_a_rule_must_name_so_many_words(command: str, needed: int) -> None:
    argv = command.split()
    assert words_needed(argv, read(tuple(argv), SNAPSHOT.catalogue), len(argv)) == needed


@pytest.mark.parametrize("command", [command for command, _ in NEEDED])
def test_a_rule_of_so_many_words_leaves_nothing_beyond_it(command: str) -> None:
    argv = command.split()
    effects = read(tuple(argv), SNAPSHOT.catalogue).effects
    beyond = [
        any(exceeds(cause, effects, argv[:count]) for cause in effects)
        for count in range(1, len(argv) + 1)
    ]
    needed = words_needed(argv, read(tuple(argv), SNAPSHOT.catalogue), len(argv))
    assert not any(beyond[max(needed - 1, 0) :])


@pytest.mark.parametrize(
    ("command", "needed"),
    [("make all", 1), ("git push --receive-pack=sh", 3), ("time make", 2)],
)
def test_the_engine_allows_by_so_many_words_and_by_no_fewer(command: str, needed: int) -> None:
    argv = command.split()
    for count in range(1, len(argv) + 1):
        pattern = ", ".join(f'"{word}"' for word in argv[:count])
        (rule,) = compile_text(f"prefix_rule([{pattern}])").rules
        assert isinstance(rule, PrefixRule)
        policy = SNAPSHOT.policy.beside(PackedRules.of([rule]), [], [])
        verdict = decide(Request(argv=tuple(argv)), SNAPSHOT.replace(policy=policy))
        assert (verdict.decision is Decision.ALLOW) is (count >= needed), count
