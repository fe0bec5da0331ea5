"""Whether a word that commands compute may begin like an option of who receives it."""

import pytest

from execpolicy.operation import Dynamic, Exec
from execpolicy.shell.reader import read

PRINTS = {("sha",): "plain", ("top",): "path", ("first",): "input", ("sha", "a"): "plain"}


def prints(argv: tuple[str, ...]) -> str:
    return PRINTS.get(argv, "")


def plain(text: str) -> list[bool]:
    """For each computed word of each `p`, whether it is plain."""
    return [
        word.plain
        for operation in read(text, "bash", prints=prints)
        if isinstance(operation, Exec) and operation.argv[0] == "p"
        for word in operation.argv
        if isinstance(word, Dynamic)
    ]


PLAIN = [
    "p $(sha)",
    'p "$(sha)"',
    "p $(sha)..HEAD",
    "p $(sha)..$(sha)",
    'p "$(sha):README"',
    "p $(sha 2>/dev/null)",
    "p $(sha | first)",
    "p $(sha; sha a)",
    'p "$(top)/src"',
    "x=$(sha); p $x",
    'x=$(sha); p "$x"',
    'x=$(top); p "$x/a"',
    "x=$(sha); p $x:a",
    "for x in $(sha); do p $x; done",
    'for x in $(sha) b; do p "$x"; done',
    "x=$(sha); y=$x; p $y",
]

NOT_PLAIN = [
    "p $(other)",
    "p $(sha b)",  # another call of which nothing is known
    "p $(top)",  # a path with a blank would be two words
    "x=$(top); p $x",
    "p $(sha)$(other)",
    "p $(sha) $(other)",
    "p $(sha)-x",  # what comes before may end with a blank
    "p $(sha){-x,y}",
    "p $(sha >f)",
    "p $(sha 2>&1)",
    "p $(sha |& first)",
    "p $(sha | other)",
    "p $(other | first)",
    "p $(first)",
    "p $(sha; other)",
    "p $(sha; echo -x)",
    "p $(sha 'a -x')",  # it may print what it is given
    "p `sha`",
    "sha() { other; }; p $(sha)",
    "x=$(sha); x=$(other); p $x",
    "x+=$(sha); p $x",
    "p $x; x=$(sha)",
    "IFS=f; p $(sha)",
    'x="a -b"; for y in $(sha) "$x"; do p $y; done',
    "for x in $(sha) -x; do p $x; done",
    'eval "$y"; p $(sha)',
]


@pytest.mark.parametrize("text", PLAIN)
def test_plain(text: str) -> None:
    assert set(plain(text)) == {True}


@pytest.mark.parametrize("text", NOT_PLAIN)
def test_not_plain(text: str) -> None:
    assert not all(plain(text))


def test_nothing_is_plain_where_nobody_says_what_programs_print() -> None:
    (operation, *_) = [o for o in read("p $(sha)", "bash") if isinstance(o, Exec)]
    assert operation.argv == ("p", Dynamic("$(sha)"))
