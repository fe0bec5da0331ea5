"""Replacing the policy: a reader only ever sees one of the policies that existed."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from tests.store.support import user, write
from tests.waiting import HANG_SECONDS, until

ALLOW, PROMPT, FORBIDDEN = Decision

# Each policy says the same about all these programs; a mix of two would say two things.
PROGRAMS = [f"tool{n}" for n in range(5)]


def policy(decision: Decision) -> str:
    return "".join(f'prefix_rule(["{p}"], "{decision.word}")\n' for p in PROGRAMS)


def said(engine: Engine) -> set[Decision]:
    snapshot = engine.snapshot
    spoken = (snapshot.policy.matching((p,)) for p in PROGRAMS)
    return {rule.decision for rules in spoken for rule in rules}


def replace(path: Path, text: str) -> None:
    """As editors do: written beside it, renamed over it."""
    beside = path.with_suffix(".tmp")
    beside.write_text(text)
    os.replace(beside, path)


def test_reload_says_whether_anything_changed(home: Path, tmp_path: Path) -> None:
    path = user(home, policy(ALLOW))
    engine = Engine.load(cwd=tmp_path)
    before = engine.snapshot
    assert engine.reload() is False
    assert engine.snapshot is before
    replace(path, policy(FORBIDDEN))
    assert engine.reload() is True
    assert said(engine) == {FORBIDDEN}
    assert before.policy.matching(("tool0",))[0].decision is ALLOW


def test_the_last_good_policy_stays_until_the_file_is_mended(home: Path, tmp_path: Path) -> None:
    path = user(home, policy(ALLOW))
    engine = Engine.load(cwd=tmp_path)
    path.write_text("prefix_rule(")
    assert engine.reload() is False
    assert said(engine) == {ALLOW}
    assert [str(d.span) for d in engine.problems] == [f"{path}:1:12"]
    path.write_text(policy(PROMPT))
    assert engine.reload() is True
    assert (said(engine), engine.problems) == ({PROMPT}, ())


def test_a_policy_that_was_broken_at_the_start_is_mended_too(home: Path, tmp_path: Path) -> None:
    path = user(home, "prefix_rule(")
    engine = Engine.load(cwd=tmp_path)
    assert engine.check("ls").floor
    path.write_text("")
    assert engine.reload() is True
    assert engine.check("ls").decision is ALLOW


def test_one_broken_file_does_not_keep_changes_of_others_away(home: Path, tmp_path: Path) -> None:
    path = user(home, policy(ALLOW))
    user(home, "prefix_rule(", "broken.rules")
    engine = Engine.load(cwd=tmp_path)
    replace(path, policy(FORBIDDEN))
    assert engine.reload() is True
    assert said(engine) == {FORBIDDEN}
    assert engine.snapshot.floor


def test_readers_never_see_a_mix(home: Path, tmp_path: Path) -> None:
    """Eight readers while snapshots are swapped 10,000 times."""
    user(home, policy(ALLOW))
    engine = Engine.load(cwd=tmp_path)
    first = engine.snapshot
    user(home, policy(FORBIDDEN))
    engine.reload()
    both = (first, engine.snapshot)
    mixes: list[set[Decision]] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            spoken = said(engine)
            if len(spoken) != 1:
                mixes.append(spoken)

    readers = [threading.Thread(target=read) for _ in range(8)]
    for reader in readers:
        reader.start()
    for n in range(10_000):
        engine.store.current = both[n % 2]
    done.set()
    for reader in readers:
        reader.join()
    assert mixes == []


@pytest.fixture
def turns() -> Iterator[None]:
    """Threads take turns often: one that only reads lets another that waits go on at once."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(before / 50)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("turns")
def test_hostile_editing_shows_only_policies_that_existed(home: Path, tmp_path: Path) -> None:
    """Atomic renames, truncation in the middle of a write, a file that flips good and broken."""
    path = user(home, policy(ALLOW))
    engine = Engine.load(cwd=tmp_path)
    seen: set[frozenset[Decision]] = set()
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            seen.add(frozenset(said(engine)))

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for n in range(12):
        text = policy((ALLOW, PROMPT, FORBIDDEN)[n % 3])
        if n % 4 == 1:
            path.write_text(text[: len(text) // 2 - 3])
            engine.reload()
        if n % 4 == 2:
            path.write_text("prefix_rule(")
            engine.reload()
        replace(path, text)
        engine.reload()
    done.set()
    for reader in readers:
        reader.join()
    assert seen <= {frozenset({d}) for d in Decision}
    assert said(engine) == {FORBIDDEN}


CHANGES: dict[str, Callable[[Path], object]] = {
    "written in place": lambda path: path.write_text(policy(FORBIDDEN)),
    "replaced by rename": lambda path: replace(path, policy(FORBIDDEN)),
    "a second file": lambda path: write(path.with_name("z.rules"), policy(FORBIDDEN)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_watching_brings_changes_into_force(
    change: Callable[[Path], object], home: Path, tmp_path: Path
) -> None:
    path = user(home, policy(ALLOW))
    engine = Engine.load(cwd=tmp_path)
    with engine.watch():
        change(path)
        until(lambda: FORBIDDEN in said(engine))


@pytest.mark.parametrize("error", [RuntimeError("too many open files"), OSError(28, "no space")])
def test_a_poll_serves_where_the_kernel_gives_no_watcher(
    error: Exception, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(*_: object, **__: object) -> Iterator[object]:
        raise error
        yield

    monkeypatch.setattr("watchfiles.watch", none_left)
    path = user(home, policy(ALLOW))
    engine = Engine.load(cwd=tmp_path)
    with engine.watch():
        path.write_text(policy(FORBIDDEN))
        until(lambda: FORBIDDEN in said(engine))


def test_watching_a_directory_that_does_not_exist_yet(home: Path, tmp_path: Path) -> None:
    engine = Engine.load(cwd=tmp_path)
    with engine.watch():
        user(home, policy(ALLOW))
        until(lambda: said(engine) == {ALLOW})


def test_watching_a_directory_that_is_deleted_and_made_again(home: Path, tmp_path: Path) -> None:
    path = user(home, policy(ALLOW))
    engine = Engine.load(cwd=tmp_path)
    with engine.watch():
        path.unlink()
        path.parent.rmdir()
        until(lambda: said(engine) == set())
        user(home, policy(PROMPT))
        until(lambda: said(engine) == {PROMPT})
        user(home, policy(FORBIDDEN))
        until(lambda: said(engine) == {FORBIDDEN})


def test_watching_the_target_of_a_link(home: Path, tmp_path: Path) -> None:
    real = write(tmp_path / "elsewhere/team.rules", policy(ALLOW))
    link = home / ".config/execpolicy/rules/team.rules"
    link.parent.mkdir(parents=True)
    link.symlink_to(real)
    engine = Engine.load(cwd=tmp_path)
    with engine.watch():
        real.write_text(policy(FORBIDDEN))
        until(lambda: said(engine) == {FORBIDDEN})


async def _watch_async(engine: Engine, path: Path) -> None:
    async with engine.watch():
        replace(path, policy(FORBIDDEN))
        until(lambda: said(engine) == {FORBIDDEN})


def test_watching_from_asyncio(home: Path, tmp_path: Path) -> None:
    import asyncio

    path = user(home, policy(ALLOW))
    asyncio.run(_watch_async(Engine.load(cwd=tmp_path), path))


def test_whoever_wants_to_know_is_told(home: Path, tmp_path: Path) -> None:
    path = user(home, policy(ALLOW))
    engine = Engine.load(cwd=tmp_path)
    told = threading.Event()
    with engine.watch(told.set):
        replace(path, policy(FORBIDDEN))
        assert told.wait(HANG_SECONDS)
    assert said(engine) == {FORBIDDEN}
