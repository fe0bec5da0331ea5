"""Texts that need no parser are read as the parser reads them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.shell import plain
from execpolicy.shell.reader import _read

WORDS = ("ls", "cd", "-a", "x/y", "2", "a.b", "cat", "-", ":", "true", ".", "%1", "a:b,c", "..")
ODD = ("if", "time", "exit", "in", "set", "export", "do", "coproc", "always", "end", "a&b", "a;b")
blanks = st.sampled_from((" ", " ", " ", "  ", ""))
pieces = st.sampled_from((*WORDS * 3, *ODD, "|", "|", "&&", "||", ";", "&", "|&", ";;", "&|"))
texts = st.lists(st.tuples(blanks, pieces), max_size=9).map(
    lambda parts: "".join(part for pair in parts for part in pair)
)


@given(texts, st.sampled_from((None, "bash", "sh", "zsh")), st.sampled_from(("", " ", "  ")))
def test_a_plain_list_is_read_as_by_the_parser(text: str, shell: str | None, end: str) -> None:
    simple = plain.commands(text + end)
    assert simple is None or list(simple) == _read(text + end, shell, None, None, 0)


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        ("ls -la", ["ls"]),
        ("cat a | grep -n x | head -5", ["cat", "grep", "head"]),
        ("cd x && ls ; pwd || true", ["cd", "ls", "pwd", "true"]),
        ("ls;pwd", None),
        ("ls ;", None),
        ("| ls", None),
        ("ls & pwd", None),
        ("ls | time wc", None),
        ("x=1 ; ls", None),
        ("", None),
    ],
)
def test_which_texts_are_plain(text: str, heads: list[str] | None) -> None:
    found = plain.commands(text)
    assert (None if found is None else [command.argv[0] for command in found]) == heads
