"""Paths of which a part is computed: where it begins, where it ends, and what is around it."""

import pytest

from execpolicy.engine.paths.computed_paths import (
    after_computed,
    is_computed,
    stand_in,
    start,
    words,
)
from execpolicy.engine.paths.globs import literal_directory
from execpolicy.engine.paths.own_code import paths
from execpolicy.model.operation import Dynamic


@pytest.mark.parametrize(
    ("path", "begins", "name", "after"),
    [
        ("a/b", 0, "a/b", "a/b"),
        ("a/$x/b", 2, "a/x/b", "/b"),
        ("a/$x-1.b", 2, "a/x-1.b", "-1.b"),
        ("a/$1b", 2, "a/x", ""),
        ("a/$?b", 2, "a/xb", "b"),
        ("a/${x}b", 2, "a/xb", "b"),
        ("a/${x:-${y}}b", 2, "a/xb", "b"),
        ("a/$(b (c) d)/e", 2, "a/x/e", "/e"),
        ("a/$(b", 2, "a/x", ""),
        ("a/`b c`d", 2, "a/xd", "d"),
        ("a/`b", 2, "a/x", ""),
        ("a/…b", 2, "a/xb", "b"),
        ("a/{}b", 2, "a/xb", "b"),
        ("$a/$b/c", 0, "x/x/c", "/c"),
    ],
)
def test_what_is_around_what_is_computed(path: str, begins: int, name: str, after: str) -> None:
    assert (start(path), stand_in(path), after_computed(path)) == (begins, name, after)


@pytest.mark.parametrize(
    ("source", "path", "expected"),
    [
        ("~/a", "~/a", False),
        ("./*", "./*", False),
        ("*.py", "*.py", False),
        ("x", "/w/a", False),
        ("x", "x", True),
        ('"$x"', "$x", True),
        ("*$x", "/w/*$x", True),
    ],
)
def test_whether_more_is_computed_than_a_glob_or_the_home(
    source: str, path: str, expected: bool
) -> None:
    assert is_computed(Dynamic(source), path) == expected


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("cat a:b", ["cat", "a", "b"]),
        ("cat ~/'.x'", ["cat", "~/", ".x", "~/.x"]),
        ("cat {a,b}c", ["cat", "a", "b", "c", "{a,b}c"]),
        ("cat a\\ b", ["cat", "a\\", "b", "a"]),
    ],
)
def test_the_names_in_a_text(text: str, found: list[str]) -> None:
    assert words(text) == found


@pytest.mark.parametrize(
    ("path", "directory"), [("*.py", "."), ("a/b*/c", "a/"), ("/?", "/"), ("a/[b]", "a/")]
)
def test_where_a_glob_begins_to_look(path: str, directory: str) -> None:
    assert literal_directory(path) == directory


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("a/b", ["a/b"]),
        ("x=a", ["x=a", "a"]),
        ("-xa", ["a"]),
        ("--x=a", ["a"]),
        ("--x", []),
        ("file:///a", ["/a"]),
        ("http://a", []),
        ("/a\n/b", []),
    ],
)
def test_the_paths_that_a_word_may_be(word: str, found: list[str]) -> None:
    assert [*paths(word)] == found
