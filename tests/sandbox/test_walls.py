"""Walls and the mounts that make them: the same answer for every path."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.sandbox.walls import ROOT, Wall, Walled, mounts, parents, settle, wall_at
from execpolicy.support.path_match import below

NAMES = st.sampled_from(["a", "b", "ab"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map(lambda names: "/" + "/".join(names))
WALLED = st.builds(Walled, PATHS, st.sampled_from([*Wall]), st.just("a reason"))
HELD = st.builds(
    lambda top, middle, leaf, wall: [
        Walled(top, Wall.WRITE, "a"),
        Walled(f"{top}/{middle}/{leaf}", wall, "b"),
    ],
    *(PATHS, NAMES, NAMES, st.sampled_from((Wall.READ, Wall.HIDDEN))),
)
"""What may be written around what may not: the directory between the two has to be held."""
AROUND = st.builds(lambda held, more: [*held, *more], HELD, st.lists(WALLED, max_size=6))


SEEN = [
    (Wall.WRITE, Wall.WRITE),  # the directory of a run, in a project that may be written
    (Wall.COPY, Wall.COPY),
    (Wall.READ, Wall.READ),
    (Wall.PRIVATE, Wall.READ),
    (Wall.HIDDEN, Wall.READ),
]


@pytest.mark.parametrize(("around", "wall"), SEEN)
def test_what_is_to_be_seen_is_as_what_lies_around_it_if_that_shows_it(
    around: Wall, wall: Wall
) -> None:
    needed = Walled("/a/b", Wall.READ, "needed", fallback=True)
    assert wall_at("/a/b", mounts([Walled("/a", around, "a reason"), needed])) is wall


def wanted(path: str, walled: list[Walled]) -> Wall:
    """The deepest wall at or above a path, on a tie the strictest: the meaning in one line."""
    around = [one for one in [ROOT, *walled] if below(path, one.path)]
    return max(around, key=lambda one: (one.path.count("/") * (one.path != "/"), one.wall)).wall


@given(st.lists(WALLED, max_size=8), PATHS)
def test_the_deepest_wall_wins_and_on_a_tie_the_strictest(walled: list[Walled], path: str) -> None:
    assert wall_at(path, mounts(walled)) is wanted(path, walled)


@given(st.lists(WALLED, max_size=8))
def test_parents_are_mounted_before_what_lies_in_them(walled: list[Walled]) -> None:
    order = [mount.path for mount in mounts(walled)]
    for at, path in enumerate(order):
        assert all(order.index(parent) < at for parent in parents(path) if parent in order)


@given(AROUND)
def test_no_directory_above_a_protected_path_can_be_renamed(walled: list[Walled]) -> None:
    made = {mount.path: mount for mount in mounts(walled)}
    for path, one in settle(walled).items():
        if one.wall in (Wall.READ, Wall.HIDDEN) and path in made:
            for parent in parents(path):
                if wall_at(parent, made.values()) is Wall.PRIVATE:
                    break
                if wall_at(parent, made.values()) is Wall.WRITE:
                    assert parent in made


@given(AROUND)
def test_a_pin_changes_no_wall(walled: list[Walled]) -> None:
    made = mounts(walled)
    without = [mount for mount in made if not mount.pin]
    for mount in made:
        assert not mount.pin or wall_at(mount.path, without) is Wall.WRITE
