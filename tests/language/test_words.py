"""Examples are split as the Rust crate `shlex` does, not as a shell and not as Python's `shlex`."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.language.builtins.words import split

ROWS = [
    ("", ()),
    (" \t\n", ()),
    ("git push", ("git", "push")),
    ("git\t push \n", ("git", "push")),
    ("e a'' b", ("e", "a", "b")),
    ("e ''", ("e", "")),
    ("'two words' \"and more\"", ("two words", "and more")),
    (r"e \a \' \\", ("e", "a", "'", "\\")),
    # What a shell would act on is ordinary text.
    (
        "a && b | c > d ; e & $x `y` $(z)",
        ("a", "&&", "b", "|", "c", ">", "d", ";", "e", "&", "$x", "`y`", "$(z)"),
    ),
    # `#` begins a comment at the start of a word only.
    ("e a #c", ("e", "a")),
    ("e a#c", ("e", "a#c")),
    ("#c\ne", ("e",)),
    ("e '#c'", ("e", "#c")),
    # A backslash and the line end after it vanish.
    ("e a\\\nb", ("e", "ab")),
    ("e \\\n b", ("e", "b")),
    ("e \\\n#c\nb", ("e", "b")),
    ("\\\n", ()),
    ('e "a\\\nb"', ("e", "ab")),
    # Inside double quotes a backslash also escapes `$` and the backtick, and nothing else.
    (r'e "\$x \`y \" \\ \n"', ("e", r"$x `y " + '" \\ ' + r"\n")),
    (r"e 'a\b'", ("e", r"a\b")),
    # Neither a carriage return nor a no-break space separates words.
    ("e\ra", ("e\ra",)),
    ("e\u00a0a", ("e\u00a0a",)),
]


@pytest.mark.parametrize(("text", "words"), ROWS)
def test_words(text: str, words: tuple[str, ...]) -> None:
    assert split(text) == words


@pytest.mark.parametrize("text", ["e '", 'e "', "e \\", "e 'a", 'e "a\\"', 'e "\\'])
def test_what_has_no_end_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"an unclosed|a backslash"):
        split(text)


@given(st.lists(st.text(st.characters(exclude_characters="\r\0", codec="utf-8")), max_size=5))
def test_split_join_round_trip(words: list[str]) -> None:
    assert split(shlex.join(words)) == tuple(words)
