"""Rules of any number are read by need, and are the rules that were written."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Dynamic
from execpolicy.model.rule import Origin, PrefixRule
from execpolicy.policy.packed_rules import PackedRules
from execpolicy.store.compiled import cache, sharded
from execpolicy.support import directories
from tests.store.support import user
from tests.warm import warm

MANY = "".join(
    f'prefix_rule(["tool{n}", "x"], "{("allow", "prompt", "forbidden")[n % 3]}")\n'
    for n in range(sharded.MAX_WHOLE * 3)
)

WORDS = st.sampled_from(["a", "b", "A", "ls", "git", "push", "ß", "SS"])
RULES = st.lists(
    st.builds(
        PrefixRule,
        st.lists(st.lists(WORDS, min_size=1, max_size=2).map(tuple), min_size=1).map(tuple),
        st.sampled_from([*Decision]),
        st.none(),
        st.just(Origin("user", "a.rules", 1)),
        st.booleans(),
    ),
    max_size=40,
)
ARGV = st.lists(WORDS | st.builds(Dynamic, st.just("$x"), WORDS | st.just("")), min_size=1)


@given(RULES, ARGV.map(tuple))
def test_rules_in_pieces_answer_as_one(rules: list[PrefixRule], argv: tuple[str, ...]) -> None:
    whole = PackedRules.of(rules)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sharded, "MAX_WHOLE", -1)
        data, blobs = sharded.split(*whole.data, 2)
    pieces = PackedRules(sharded.join(data, [b"", b"", *blobs]))
    assert len(pieces) == len(whole)
    assert pieces.matching(argv) == whole.matching(argv)
    assert [*pieces.could_tighten(argv)] == [*whole.could_tighten(argv)]
    assert pieces.begins_none(argv[0]) == whole.begins_none(argv[0])


@pytest.fixture
def many(home: Path, tmp_path: Path, common_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(warm(common_cache, tmp_path / "cache")))
    user(home, MANY)
    Engine.load(cwd=tmp_path)
    (kept,) = Path(directories.cache()).glob("layers-*")
    return kept


def decisions(directory: Path) -> list[str]:
    engine = Engine.load(cwd=directory)
    return [engine.check(f"tool{n} x").decision.word for n in (0, 1, 2, 300, 301, 302)]


def test_many_rules_are_read_again(many: Path, tmp_path: Path) -> None:
    assert decisions(tmp_path) == ["allow", "prompt", "forbidden"] * 2


def test_what_is_not_asked_about_is_not_read(
    many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, read = Engine.load(cwd=tmp_path), set[int]()
    plain = sharded.ManyRows.__getitem__

    def noted(rows: sharded.ManyRows, number: int) -> object:
        read.add(number)
        return plain(rows, number)

    monkeypatch.setattr(sharded.ManyRows, "__getitem__", noted)
    assert engine.check("tool2 x").decision is Decision.FORBIDDEN
    assert read == {2}


@pytest.mark.parametrize("at", range(40, 100, 10))
def test_a_damaged_piece_never_loosens(many: Path, tmp_path: Path, at: int) -> None:
    data = bytearray(many.read_bytes())
    start = len(data) * at // 100
    data[start:] = bytes(byte ^ 0x55 for byte in data[start:])
    many.write_bytes(data)
    assert decisions(tmp_path) == ["allow", "prompt", "forbidden"] * 2
    assert decisions(tmp_path) == ["allow", "prompt", "forbidden"] * 2
    assert cache.read(many.name, "") is None
