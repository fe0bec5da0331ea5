"""Line continuations: where a shell removes them before it reads, and where shells differ."""

import pytest

from tests.shell import oracle
from tests.shell.drivers import BASH, DASH, SHELLS, ZSH, Shell
from tests.shell.shown import commands, reasons, shown

N = "\\\n"

JOINED = [
    (f"A `B '{N}-x'`", ["B -x"]),
    (f"A `B 'a{N}-x'`", ["B a-x"]),
    (f"A \"`B '{N}-x'`\"", ["B -x"]),
    (f'A "`B \\"{N}-x\\"`"', ["B -x"]),
    (f"A `B '\\\\{N}-x'`", ["B \\-x"]),
    (f"A `B '\\\\\\\\{N}-x'`", ["B \\\\-x"]),
    ("A `B '\\\\\n-x'`", ["B '\\\\\\n-x'"]),
    (f"A `B \\`C '{N}-x'\\``", ["C -x"]),
    (f"A `B $(C '{N}-x')`", ["C -x"]),
    (f"A `B # {N}C\n`", ["B"]),
    (f"A ${{u:-`B '{N}-x'`}}", ["B -x"]),
    (f"A $((1+`B '{N}-x'`0))", ["B -x"]),
    (f"for w in `B '{N}-x'`; do A; done", ["B -x"]),
    (f"case `B '{N}-x'` in *) A;; esac", ["B -x"]),
    (f"A `cat <<E\n$(B '{N}-x')\nE\n`", ["cat", "B -x"]),
    (f"A `cat <<E\n`B '{N}-x'`\nE\n`".replace("\n`B", "\n\\`B").replace("x'`", "x'\\`"), ["B -x"]),
]
"""Texts in backquotes: every shell removes the continuation, also between single quotes."""

BODIES = [
    (f"A <<E\n$(B '{N}-x')\nE", ["B -x"]),
    (f"A <<E\n$(B '\\\\{N}-x')\nE", ["B \\\\-x"]),
    (f"A <<E\n${{u:-$(B '{N}-x')}}\nE", ["B -x"]),
    (f"A <<E\n$((1+$(B '{N}-x')0))\nE", ["B -x"]),
    (f"A <<E\n$(B # {N}C\n)\nE", ["B"]),
    (f"A <<E\n$(B $'{N}-x')\nE", ["B -x"]),
    (f"A <<E\n$(B <<'F'\nF{N}\nC -x\nF\n)\nE", ["C -x"]),
    (f"A $(B <<E\n$(C '{N}-x')\nE\n)", ["C -x"]),
    (f"A <<-E\n\t$(B '{N}\t-x')\n\tE", ["B '\\t-x'"]),
    ("A <<-E\n\t$(B '\n\t-x')\n\tE", ["B '\\n-x'"]),
    (f"A <<E\nE{N}\nB -x\nE", ["B -x"]),
    (f"A <<EOF\nE{N}OF\nB -x\nEOF", ["B -x"]),
]
"""Bodies of heredocs: bash and zsh remove it, dash does not; without a shell it is not known."""

SAME = [
    (f'A <<E\n$(B "{N}-x")\nE', ["B -x"]),
    (f"A <<E\n`B '{N}-x'`\nE", ["B -x"]),
    (f"A <<E\n$(B {N} -x)\nE", ["B -x"]),
    (f"A <<E\na {N} b $(B '-x')\nE", ["B -x"]),
    ("A <<E\na\\\\\nE\nB -x", ["B -x"]),
    (f"A <<E\na{N}E\n$(B -x)\nE", ["B -x"]),
    (f"A <<'E'\n$(B '{N}-x')\nE\nC -x", ["C -x"]),
    (f"A $(B '{N}-x')", ["B '\\\\\\n-x'"]),
    (f"A \"$(B '{N}-x')\"", ["B '\\\\\\n-x'"]),
    (f"A ${{u:-$(B '{N}-x')}}", ["B '\\\\\\n-x'"]),
    ('A <<E\n$(B "a\\"b")\nE', ['B a"b']),
    ('A <<E\n$(B "\\"; C; \\"")\nE', ["B '\"; C; \"'"]),
]
"""What every shell reads alike."""

PLAIN = [
    f"git log {N}  --oneline {N}  -5",
    f"A -v \"$u\":/x {N}\t-w /x {N}\t'it' | {N}B &&{N} C ||{N}C;{N}A",
    f"A |{N}B",
    f'A $(B {N}  -x {N}  -y) "$(C {N} z)"',
    f'A "a {N}b $u {N} c"',
    f"cat > f <<E\nFROM a\nRUN b {N}  && c {N}  && d\nE",
    f"cat > f <<E\nA $u {N}\t'it''s' {N}\t$(B -x) \"$u\"\nE",
    f"cat <<'E' > f\nA {N}\t'b'\nE",
    f'for w in a {N} b; do {N} A "$w"; done',
    f"if A {N} && B; then {N} C; fi",
    f"A -x={N}y {N}> f 2>&1",
]
"""How continuations are written: nothing in them asks."""

ZSH_SPLITS = [
    f"A \"${N}(B)\"", f'A "${N}{{u}}"', f"({N}(B))", f"A 1{N}2>f", f"A 2{N}>f", f"A >{N}>f",
    f"A &{N}& B", f"A |{N}| B", f"A;{N}; B", f"A <{N}(B)", f"A <{N}<E\n$(B)\nE", f"x={N}(a b)",
    f"A >{N}&2", f"A <<-E\n\t{N}\tE\nB\n\tE", f"A <<-E\n{N}\tE\nB\n\tE",
]  # fmt: skip
"""zsh joins words of two lines, not operators."""

ZSH_EXPANDS = [
    "{A}>f", "A; {B}<<<x", ">p {A}>f",
    "A ''=ls", "A =''ls", "''=A", "A {x} >f", "A {x} <<<b", f"A {{x}} {N}\t>f",
    "x=$(git rev-parse HEAD); A $x:t:s/a/-b/", f'x=$(git rev-parse HEAD); A "$x:{N}h2{N}:s/a/-b/"',
    f"v=abc; A \"$v[{N}1]\" \"$#{N}v\"", r"A `B $\\\\z`", r'A "`B $\\\\z`"',
    r"A `B \`C $\\\\\\\\z\``",
]  # fmt: skip


@pytest.mark.parametrize(("text", "ran"), JOINED + SAME)
@pytest.mark.parametrize("shell", ["bash", "zsh", "sh", None])
def test_every_shell_joins_lines_in_backquotes(text: str, ran: list[str], shell: str) -> None:
    assert set(ran) <= set(shown(text, shell))


@pytest.mark.parametrize(("text", "ran"), BODIES)
@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_body_is_joined_before_it_is_read(text: str, ran: list[str], shell: str) -> None:
    assert set(ran) <= set(shown(text, shell))


@pytest.mark.parametrize(("text", "ran"), BODIES)
@pytest.mark.parametrize("shell", ["sh", None])
def test_dash_joins_no_quotes_of_a_body(text: str, ran: list[str], shell: str | None) -> None:
    assert reasons(text, shell) != []


@pytest.mark.parametrize("text", PLAIN)
@pytest.mark.parametrize("shell", ["bash", "zsh", "sh", None])
def test_plain_continuations_are_understood(text: str, shell: str | None) -> None:
    assert reasons(text, shell) == []


@pytest.mark.parametrize("text", ZSH_SPLITS)
def test_zsh_joins_no_operators(text: str) -> None:
    assert reasons(text, "bash") == [] or ";;" in text.replace(N, "")
    assert reasons(text, None) != []


@pytest.mark.parametrize("text", ZSH_EXPANDS)
def test_zsh_expands_more(text: str) -> None:
    assert reasons(text, "bash") == []
    assert reasons(text, "zsh") != []


@pytest.mark.parametrize(
    ("text", "literal", "computed"),
    [
        ("A ''~/x", "A ~/x", "A <''~/x>"),
        ("A ''\"\"~", "A ~", "A <''\"\"~>"),
        ('u=; A "$u"~x', "A ~x", 'A <"$u"~x>'),
        ('u=; A "$u"=ls', "A =ls", 'A <"$u"=ls>'),
        ('u=HEAD; A "$u"~1', "A HEAD~1", "A HEAD~1"),
    ],
)
def test_zsh_drops_empty_quotes_before_it_looks_for_a_tilde(
    text: str, literal: str, computed: str
) -> None:
    assert (commands(text)[-1], commands(text, "zsh")[-1]) == (literal, computed)


@pytest.mark.parametrize("shell", SHELLS.values(), ids=lambda shell: shell.name)
def test_no_shell_runs_anything_else(shell: Shell) -> None:
    if not shell.installed:
        pytest.skip(f"{shell.command[0]} is not installed")
    texts = [text for text, _ in JOINED + BODIES + SAME] + PLAIN + ZSH_SPLITS + ZSH_EXPANDS
    assert oracle.failing(texts, False, shell) is None


@pytest.mark.parametrize(("text", "ran"), JOINED + SAME)
@pytest.mark.parametrize("shell", [BASH, ZSH, DASH], ids=lambda shell: shell.name)
def test_the_tables_say_what_shells_run(text: str, ran: list[str], shell: Shell) -> None:
    if not shell.installed:
        pytest.skip(f"{shell.command[0]} is not installed")
    found = oracle.run([text], shell=shell)
    assert found is not None
    assert [word for argv in found[0] for word in argv if "-x" in word] or "-x" not in text


@pytest.mark.parametrize(
    ("text", "source"),
    [
        (f'A "${N}(B)"', '"$(B)"'),
        (f'A "$u{N}v"', '"$uv"'),
        (f'A "a{N}$u"', '"a$u"'),
        (f"A <{N}(B)", "<(B)"),
        (f"A '{N}'$u", f"'{N}'$u"),
        (f"A $n{N}{{1,2}}", "$n{1,2}"),
    ],
)
def test_a_computed_word_is_told_without_continuations(text: str, source: str) -> None:
    """What it is made of decides what it may be: a command's output, a variable, a pipe."""
    assert commands(text)[0] == f"A <{source}>"


@pytest.mark.parametrize(
    "text",
    [
        f"rg x $I{N}FS--pre$I{N}FS./y",
        "rg x `A $I\\\\\nFS--pre`",
        "shopt -s ext''glob\n!(A)",
        "shopt -s extglob\nB `!(A)`",
        "shopt -s $'ext\\x67lob'\n!(A)",
        f"x{N}[0]=v; declare 'x=($(B))'",
    ],
)
def test_splitting_a_name_hides_nothing(text: str) -> None:
    assert reasons(text) != []
