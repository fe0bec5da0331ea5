"""Every name about which rules or places say something counts where a directory is compared."""

import os
from collections.abc import Iterator

import pytest

from execpolicy import Engine
from execpolicy.sandbox.scan.names import NameIndex, _declared
from execpolicy.store.repeat.listings import counts

HOME, ROOT = "/home/u", "/home/u/project"
STANDS = {"~": HOME, ".": ROOT, "/": "/", "": ROOT}
FILLED = (("x", "y", "z"), ("", "y", "sub/deep"), ("a.b", "1", "secrets"))
"""What stands for `*`, for `?` and for `**`."""


def paths(text: str) -> Iterator[str]:
    """Paths that a pattern is about, as they may be written, and what lies above them."""
    anchor = text[:1] if text[:2] in ("~/", "./") or text[:1] == "/" else ""
    rest = text[1:] if anchor else f"/{text}"
    for star, one, many in FILLED:
        path = rest.replace("**", "\0").replace("*", star).replace("?", one).replace("\0", many)
        path = os.path.normpath(STANDS[anchor] + path)
        while path not in ("/", HOME, ROOT):
            yield from (path, os.path.join(os.path.dirname(path), os.path.basename(path).upper()))
            path = os.path.dirname(path)


@pytest.fixture(scope="module")
def index() -> NameIndex:
    return NameIndex(Engine.load().snapshot.policy, HOME, ROOT)


def test_what_is_said_something_about_counts(index: NameIndex) -> None:
    names, said = index.names([ROOT]), 0
    assert names is not None
    for one in _declared(index.policy):
        for path in paths(one.text):
            directory, name = os.path.split(path)
            if path.startswith(f"{ROOT}/") and index.match(path, name) is not None:
                assert counts(directory, name, names), (one.text, path)
                said += 1
    assert said > 500


@pytest.mark.parametrize("name", ["a.py", "new.txt", "README.md", "data.json", "x"])
def test_other_names_do_not(index: NameIndex, name: str) -> None:
    names = index.names([ROOT])
    assert names is not None
    assert not counts(f"{ROOT}/src", name, names)


@pytest.mark.parametrize(
    "name", ["HEAD", "objects", "commondir", ".env ", ".env.", "\u212a", "a\\b"]
)
def test_these_do_besides(index: NameIndex, name: str) -> None:
    names = index.names([ROOT])
    assert names is not None
    assert counts(f"{ROOT}/src", name, names)


def test_where_paths_have_other_names_all_of_them_count() -> None:
    known = NameIndex(Engine.load().snapshot.policy, HOME, ROOT, [(f"{ROOT}/a", f"{ROOT}/.env")])
    assert known.names([ROOT]) is None
