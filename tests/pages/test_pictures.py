"""Pages for a terminal: as the pictures show them, and broken between words at every width."""

import re

import pytest

from tests.pages import pictures

WORD = 10
"""Characters of a word that may stand in one line of the narrowest column."""


@pytest.mark.parametrize("name", pictures.PAGES)
def test_the_picture_is_what_the_command_shows(name: str) -> None:
    """`python -m tests.pages.pictures` writes them."""
    assert (pictures.FOLDER / f"{name}.svg").read_text() == pictures.picture(name)


def words(text: str) -> set[str]:
    return {word for word in re.findall(r"[\w/.:-]+", text) if len(word) <= WORD}


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("many", [0, 1, 200])
@pytest.mark.parametrize("name", pictures.PAGES)
def test_nothing_is_cut_inside_a_word(name: str, many: int, columns: int) -> None:
    """Each word of a page stands whole on one that is as wide as none is."""
    narrow = pictures.screen(name, many, columns).export_text()
    assert all(len(line.rstrip()) <= columns for line in narrow.splitlines())
    wide = pictures.screen(name, many, 2000).export_text()
    assert words(narrow) <= words(wide)
