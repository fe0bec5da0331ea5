"""A directory that was read is not read again while it holds the same; any change is seen."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from execpolicy import Engine
from execpolicy.sandbox.scan.links import linked
from execpolicy.sandbox.scan.names import NameIndex
from execpolicy.sandbox.scan.survey.readings import reading
from execpolicy.sandbox.scan.survey.stages import tree
from execpolicy.store.repeat import witness

Change = Callable[[Path], object]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(witness, "SETTLED", 0)
    (tmp_path / "sub").mkdir()
    (tmp_path / "a").write_text("x")
    (tmp_path / "away").symlink_to("later")
    return tmp_path


def names(folder: Path) -> list[tuple[str, bool, bool]]:
    return list(reading(str(folder)).seen)


def test_what_is_the_same_is_read_once(folder: Path) -> None:
    assert reading(str(folder)) is reading(str(folder))
    (folder / "a").write_text("more")  # of which its directory knows nothing
    assert reading(str(folder)) is reading(str(folder))


def test_what_was_changed_just_now_is_read_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(witness, "SETTLED", 2_000_000_000)
    (folder / "b").touch()
    assert reading(str(folder)) is not reading(str(folder))


def _exchanged(folder: Path) -> None:
    (folder / "a").unlink()
    (folder / "a").mkdir()


def _replaced(folder: Path) -> None:
    folder.rename(f"{folder}-old")
    folder.mkdir()
    (folder / "b").touch()


CHANGES: list[Change] = [
    lambda folder: (folder / ".env").touch(),
    lambda folder: (folder / "a").unlink(),
    lambda folder: (folder / "a").rename(folder / "b"),
    lambda folder: (folder / "later").mkdir(),
    lambda folder: (folder / "sub").rename(folder / "later"),
    _exchanged,
    _replaced,
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen(folder: Path, change: Change) -> None:
    before = names(folder)
    change(folder)
    with os.scandir(folder) as entries:
        there = sorted((e.name, e.is_dir(), e.is_symlink()) for e in entries)
    assert names(folder) == there
    assert there != before


def test_where_a_link_leads_is_seen_though_it_lies_elsewhere(folder: Path) -> None:
    (folder / "sub/link").symlink_to("../later")
    assert names(folder / "sub") == [("link", False, True)]
    (folder / "later").mkdir()
    assert names(folder / "sub") == [("link", True, True)]


def test_a_second_name_of_a_file_is_seen_though_it_lies_elsewhere(folder: Path) -> None:
    assert linked(reading(str(folder)).entries) == ()
    os.link(folder / "a", folder / "sub/b")
    assert [one.name for one in linked(reading(str(folder)).entries)] == ["a"]


def test_a_survey_finds_what_came_since_the_last(folder: Path) -> None:
    policy = Engine.load().snapshot.policy

    def found() -> set[str]:
        index = NameIndex(policy, "/home/u", str(folder))
        return {*tree(index, [str(folder)]).matching.holdings.by_path}

    before = found()
    (folder / "sub/.envrc").touch()
    assert found() - before == {f"{folder}/sub/.envrc"}
    (folder / "sub/.envrc").unlink()
    assert found() == before
