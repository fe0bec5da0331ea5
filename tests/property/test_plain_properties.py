"""Texts that need no parser are read as the parser reads them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.model.operation import Operation
from execpolicy.model.text_facts import TextFacts
from execpolicy.shell.fast import plain
from execpolicy.shell.reader import _read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.analysis.outputs import Output
    from execpolicy.shell.fast.plain import Commands

WORDS = (
    "kill",
    "pushd",
    "type",
    "hash",
    "umask",
    "ls",
    "cd",
    "-a",
    "x/y",
    "2",
    "a.b",
    "cat",
    "-",
    ":",
    "true",
    ".",
    "%1",
    "a:b,c",
    "..",
)
QUOTED = (
    "'a b'",
    "'{print $1}'",
    '"a b"',
    '"$x"',
    "a'b'\"c\"",
    "''",
    "'a",
    "\\;",
    "\\(",
    "\\)",
    "\\",
    "{}",
    "{a,b}",
    "x=1",
    "--x=y",
    "=ls",
    "'*.py'",
    "*.py",
    "~",
    "#",
    "'#'",
    "!",
    "'!'",
    '"!"',
    "2>&1",
    "2>/dev/null",
    ">/dev/null",
    ">&2",
    ">",
    "2>",
    "/dev/null",
    ">x",
    "<",
    "&>/dev/null",
    "'if'",
    "'eval'",
    "''ls",
    "$x",
    "x$",
    "$",
    '"a$"',
    '"a$ b$/c$|d"',
    '"$x y"',
    "a$x/b",
    '"${x}y"',
    "${x}.c",
    "${x%.c}",
    "$x[1]",
    "$x:h",
    '"$x:h"',
    "$HOME/x",
    '"$HOME"/x',
    '"${PWD}"',
    '"$HOMES/x"',
    '"${PWD_}"',
    '"a$HOME"',
    "$IFS",
    "$1",
    "$#",
    "~/x",
    "~user",
    "a~1",
    "a:~",
    "a=~/x",
    "a{}",
    "{}.c",
    "{}{a,b}",
    "a..{}",
    '"{a,b}"',
    '"a\\nb"',
    '"a\\"b\\$c\\\\"',
    "é",
    "“x”",
    "＋",
    "'a'*",
    '"$x"*.c',
    "$x*",
    "*$x",
    "*~",
)
ODD = ("if", "time", "exit", "in", "set", "export", "do", "coproc", "always", "end", "a&b", "a;b")
blanks = st.sampled_from((" ", " ", " ", "  ", ""))
pieces = st.sampled_from(
    (*WORDS * 4, *QUOTED, *ODD, "|", "|", "&&", "||", ";", "&", "|&", ";;", "&|")
)
texts = st.lists(st.tuples(blanks, pieces), max_size=9).map(
    lambda parts: "".join(part for pair in parts for part in pair)
)


shells = st.sampled_from((None, "bash", "sh", "zsh"))


def _plain(simple: "Commands") -> "tuple[list[Operation], TextFacts]":
    return list(simple[0]), simple[1]


def _parsed(
    text: str, shell: str | None, output: "Output | None"
) -> "tuple[list[Operation], TextFacts]":
    """What the grammar makes of a text; a plain one has all its words in its operations."""
    found, facts = _read(text, shell, None, output, 0)
    return found, facts.replace(words=())


@given(texts, shells, st.sampled_from(("", " ", "  ")))
def test_a_plain_list_is_read_as_by_the_grammar(text: str, shell: str | None, end: str) -> None:
    simple = plain.commands(text + end)
    assert simple is None or _plain(simple) == _parsed(text + end, shell, None)
    assert simple is None or _plain(simple) == _parsed(text + end, shell, lambda _: "files")


@given(st.text("ab2=./ '\"\\\\;|&(){}$`!*<>#~-[]^%,\n\té", max_size=14), shells)
def test_no_text_is_plain_that_the_grammar_reads_otherwise(text: str, shell: str | None) -> None:
    simple = plain.commands("ls " + text)
    assert simple is None or _plain(simple) == _parsed("ls " + text, shell, None)


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        ("ls -la", ["ls"]),
        ("cat a | grep -n x | head -5", ["cat", "grep", "head"]),
        ("cd x && ls ; pwd || true", ["cd", "ls", "pwd", "true"]),
        ("grep -rn 'a b' src 2>/dev/null | awk '{print $1}'", ["grep", "awk"]),
        ('find . \\( -name "*.c" -o -name x \\) -exec wc {} \\;', ["find"]),
        ("git log --format='%h %s' > /dev/null 2>&1", ["git"]),
        ("'git' log", ["git"]),
        ('echo "$x" a$x/b "${x}.c"', ["echo"]),
        ("ls ~/x HEAD~1", ["ls"]),
        ("find . ! -name {}.c", ["find"]),
        ('printenv "a\\nb"', ["printenv"]),
        ("echo 'é' é", ["echo"]),
        ("ls 'a'*", ["ls"]),
        ('grep "x$" a | grep y$', ["grep", "grep"]),
        ("cat $x | wc ${y}", ["cat", "wc"]),
        ("echo $(id)", None),
        ("echo ${x%.c}", None),
        ("echo $1", None),
        ("echo $IFS", None),
        ("echo ~user", None),
        ("echo {a,b}", None),
        ("ls *.py src/?x", ["ls"]),
        ("*.py", None),
        ("echo a > b", None),
        ("'eval' ls", None),
        ("'' ls", None),
        ("ls;pwd; id|wc -l&&true", ["ls", "pwd", "id", "wc", "true"]),
        ("ls;;pwd", None),
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
    assert (None if found is None else [command.argv[0] for command in found[0]]) == heads
