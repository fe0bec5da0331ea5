"""Properties of reading scripts."""

import bashlex
import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.model.operation import Exec, Opaque
from execpolicy.shell import reader
from execpolicy.shell.fast import plain
from tests.examples import examples
from tests.shell.reading import read

SHELLS = st.sampled_from(["bash", "sh", "zsh", None])
PLAIN = st.text("abcxyzABC019_./:@%+,-", min_size=1, max_size=6)
QUOTED = st.text("abc xyz;|&<>()#*?", max_size=6).map(lambda text: f"'{text}'")
SHELLISH = st.lists(
    st.sampled_from(
        [
            "'",
            '"',
            "\\",
            "`",
            "$",
            "(",
            ")",
            "{",
            "}",
            "[",
            "]",
            ";",
            "&",
            "|",
            "<",
            ">",
            "#",
            "!",
            "=",
            "~",
            "*",
            "?",
            "\n",
            "\t",
            "a",
            "b",
            "1",
            "$(",
            "${",
            "$((",
            "))",
            "<<E",
            "\nE\n",
            "[[",
            "]]",
            "if",
            "then",
            "fi",
            "for",
            "in",
            "do",
            "done",
            "case",
            "esac",
            "while",
            "function",
            "time",
            "coproc",
            "eval",
            "x=",
            "$'",
            "<<",
            "<(",
            "{a,b}",
            "é",
            "�",
            "\x01",
        ]
    ).map(lambda token: token or " "),
    max_size=25,
).map("".join)
SIMPLE = st.builds(
    lambda head, rest: " ".join([head, *rest]),
    PLAIN.filter(lambda word: word not in plain._SPECIAL),
    st.lists(st.one_of(PLAIN, QUOTED), max_size=4),
)
LISTS = st.builds(
    lambda first, rest: first + "".join(rest),
    SIMPLE,
    st.lists(
        st.tuples(st.sampled_from([" ; ", " && ", " || ", " | ", " & ", ";", "\n"]), SIMPLE).map(
            "".join
        ),
        max_size=4,
    ),
)


@given(st.one_of(st.text(), SHELLISH, st.text(st.characters())), SHELLS)
@examples(600)
def test_every_text_is_answered(text: str, shell: str | None) -> None:
    for operation in read(text, shell):
        assert operation.span is not None
        start, end = operation.span
        assert 0 <= start <= end <= len(text)


@given(SHELLISH)
@examples(300)
def test_an_opaque_spot_is_shown_as_it_stands(text: str) -> None:
    for operation in read(text, "bash"):
        if isinstance(operation, Opaque) and not operation.via:
            assert operation.span is not None
            assert operation.text == text[operation.span[0] : operation.span[1]]


@given(SHELLISH, SHELLS)
@examples(300)
def test_reading_twice_is_reading_once(text: str, shell: str | None) -> None:
    assert read(text, shell) == read(text, shell)


@given(st.lists(PLAIN, min_size=1, max_size=6), SHELLS)
def test_plain_text_is_split_as_the_grammar_reads_it(words: list[str], shell: str | None) -> None:
    text = " ".join(words)
    simple = plain.commands(text)
    if simple is not None:
        found, _ = simple
        assert found == tuple(reader._read(text, shell, None, None, 0)[0])
        assert [command.argv for command in found] == [tuple(words)]


@given(LISTS)
@examples(500)
def test_lists_of_plain_and_quoted_words_are_read_as_bashlex_reads_them(text: str) -> None:
    """Why texts without compound commands need no second reader."""
    found = [o.argv for o in read(text, "bash") if isinstance(o, Exec)]
    assert found == list(_by_bashlex(text))


def _by_bashlex(text: str) -> list[tuple[str, ...]]:
    found = []
    waiting = list(reversed(bashlex.parse(text)))
    while waiting:
        node = waiting.pop()
        if node.kind == "command":
            found.append(tuple(part.word for part in node.parts))
        else:
            waiting += reversed(getattr(node, "parts", []))
    return found


@given(SIMPLE, SHELLS)
def test_a_command_is_the_same_wherever_it_stands(text: str, shell: str | None) -> None:
    """Rules meet one and the same argv in every construct."""
    alone = [o.argv for o in read(text, shell) if isinstance(o, Exec)]
    for around in (
        "true; {}", "{}\ntrue", "( {} )", "{{ {}; }}", "true && {}", "{} | cat", "{} &", "! {}",
        "if true; then {}; fi", "while true; do {}; done", "for i in 1; do {}; done", "x=$({})",
        "echo $( {} )", 'echo "$( {} )"', "case a in a) {};; esac", "until {}; do true; done",
        "cat <<E\n$( {} )\nE", "echo `{}`",
    ):  # fmt: skip
        assert alone[0] in [
            o.argv for o in read(around.format(text), shell) if isinstance(o, Exec)
        ], around


@pytest.mark.parametrize("shell", ["bash", "zsh", "sh", None])
def test_nothing_is_nothing(shell: str | None) -> None:
    assert [read(text, shell) for text in ("", " ", "\n", "# a", "\t\n ")] == [()] * 5
