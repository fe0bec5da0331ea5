"""What other shells than bash read differently is not understood unless bash is certain."""

# ruff: noqa: E501

import pytest

from execpolicy.model.operation import Exec
from tests.shell.reading import read
from tests.shell.shown import commands, reasons

ZSH = [
    "a =ls", "a ''='ls'", "x==ls a", "a >! f", "a >>! f", "a &>! f", "a >&! f", "a $=x", "a $^x", "a $~x", "a $+x",
    "a $#x", "a $x[i]", 'a "$x[$(b)]"', "a }", "{ls a; }", "a {b c", "a foo}", "a <1-9> b", "a 12>f",
    "path=/x", "path=(a b)", "for fpath in a; do b; done", "functions[ls]=x", "NULLCMD=rm", "repeat 1 a",
    "noglob a", "autoload x", "zmodload x", "emulate sh", "setopt x", "sched +0 a", "coproc n { a; }",
    "a ${x:-{}", "integer x=1", "printf '%d' 'a[$(b)]'", "x=$(a); printf '%d' \"$x\"",
    "time -p a", "a | time b", "time time a", "{b}", "f ( ) { a; }", "é=1", "a $é",
    "exit 'a[$(b)]'", 'x=$1; return "$x"', "x=$(a); exit x", "x=$(a); printf '%d' 2+x", "x=$1; COLUMNS=$x", 'a $"x"', "a \\",
    "x=a/-b; a $x:F:1:t", "a $x:s/b/-c/", 'a "$x:gs/b/-c/"', 'a "$?:s/0/-x/"', "[[ -t 'a[$(b)]' ]]", "[ -t 'a[$(b)]' ]", '[ -t "$x" ]',
    "printf '%d' \"$(a)\"", "printf '%1$d' 'a[$(b)]'", "printf '%d' $(a)", "x=$(a); printf '%d %s' \"$x\" 1", "x=$(a); printf '%s %*d' 1 \"$x\" 1", "x=$(a); printf '%2$s %1$d' \"$x\" 1", "x=$(a); printf '%s %d' $x 1",
    "x=$(a); printf '%s %d' 1 2 3 \"$x\"", "printf '%d' \"$(wc -l <a)$(b)\"",
    "printf \"%d$f\" 'a[$(b)]'", "printf \"%s$f\" 1 \"$(b)\"", "printf '%\\144' 'a[$(b)]'", "printf '\\u0025d' 'a[$(b)]'", "x=$(a); printf '%s %-5\\x64' 1 \"$x\"",
    "read -t 'a[$(b)]' x", "typeset -F x; x='a[$(b)]'", "REPORTMEMORY='a[$(b)]'", "MODULE_PATH=.", "a <<E\n`b \\\"'$(c)'\\\"`\nE",
]  # fmt: skip
SAME = [
    "a $x \"$x\" ${x} ${x:-y}", "a *.py", "a {b,c} HEAD@{1} {}", "a == b", "x=1 y=2; a", "a foo=bar", "a 'x'=ls",
    "[ a = b ]", "[[ a == b ]]", "[[ (a == b || c < d) && e ]]", "a $x[1] $x[@]", "a | b |& c", "a &> f", "a 2>&1", "a $'x\\n'",
    "printf '%s %d' x 1", "n=1; printf '%d' $n", "exit 1", "return $?", "x=$(a); printf '%s' x", "printf '%s %d' 'a b' 1", "x=$(a); printf '%-9s %5d%%' \"$x\" 1", "x=$(a); printf '%5d%% \\033[0m \\u2713 %s' 1 \"$x\"", "x=$(a); printf '%s %*d' \"$x\" 1 2 \"$x\" 3 4", "a <(b)", "a <<E\n$x\nE",
    "for x in 1; do a; done", "case x in (a) b;; esac", "f() { a; }; f", "a x^y ~/z", "a $#",
    "a $x:src/y.py", "a $x:tests/z", 'a "$x: -y"', "[ -t 1 ]", "[[ -t 0 ]]", "read -t 0.5 x", "declare -F f",
    "find . -name '*.c' -exec a {} \\;", "git show HEAD^ HEAD~1 @{u}",
]  # fmt: skip
POSIX = [
    "a $'x'", 'a $"x"', "[[ a ]]", "((1))", "a <(b)", "a <<< b", "a &> f", "a |& b", "x=(1)", "x[0]=1",
    "function f { a; }", "a {fd}>f", "a 12>f", "select x in a; do b; done", "coproc a", "time a",
    "for ((;;)); do a; done", "case x in a) b;& esac", "a ${x/y/z}", "a ${x:1}", "a ${x^}", "a $[1]",
    "a ${x[0]}",
]  # fmt: skip
PORTABLE = [
    "a 'b' \"$c\"; d", "if a; then b; fi", "a ${x:-y} ${x#y} $((1+2))", "a <<E\n$x\nE", "a 2>&1 >f",
    "for x in 1 2; do a; done", "case x in a|b) c;; esac", "f() { a; }", "a `b` $(c)", "x=1 a",
]  # fmt: skip


@pytest.mark.parametrize("text", ZSH)
@pytest.mark.parametrize("shell", ["zsh", None])
def test_zsh_may_read_it_differently(text: str, shell: str | None) -> None:
    assert reasons(text, shell) != []


@pytest.mark.parametrize("text", [t for t in ZSH if "12>" not in t and "${x:-{}" not in t][:30])
def test_bash_reads_it_its_own_way(text: str) -> None:
    assert reasons(text, "bash") == [] or "$(b)" in text or text in BASH_REFUSES


@pytest.mark.parametrize("text", ["a <<-E\n$(\n\tb)\nE", "a <<-E\n$(b\n\tc)\nE"])
def test_not_every_shell_takes_the_tabs_out_of_a_substitution(text: str) -> None:
    assert reasons(text, "bash") == []
    assert reasons(text, None) != []


BASH_REFUSES = {"{ls a; }", "functions[ls]=x", "a >&! f"}


@pytest.mark.parametrize("text", SAME)
def test_zsh_reads_it_as_bash_does(text: str) -> None:
    assert reasons(text, None) == []


@pytest.mark.parametrize(
    "text",
    ["x=a/-b; a $x:t", 'x=a/-b; a "$x:t"', "x=q-; a $x[2]b", "for x in a/-b; do a $x:t; done"],
)
def test_zsh_may_take_a_part_of_a_value(text: str) -> None:
    assert _begins(text, None) == ""
    assert _begins(text, "bash") != ""


def _begins(text: str, shell: str | None) -> str:
    """How the last word begins."""
    word = [o for o in read(text, shell) if isinstance(o, Exec)][-1].argv[-1]
    return word if isinstance(word, str) else word.prefix


@pytest.mark.parametrize("text", POSIX)
def test_a_plain_posix_shell_may_not_read_it(text: str) -> None:
    assert reasons(text, "sh") != []


def test_braces_that_shells_read_differently_are_computed_words() -> None:
    assert commands("a {b,c}x", "sh") == ["a <{b,c}x>"]
    assert commands("a {b,}", "zsh") == ["a <{b,}>"]
    assert commands("a {b..3}", "zsh") == ["a <{b..3}>"]
    assert commands("a {b} {}.c", "zsh") == ["a {b} {}.c"]
    assert commands("a {b} {}", "sh") == ["a {b} {}"]


@pytest.mark.parametrize("text", PORTABLE)
def test_every_shell_reads_it(text: str) -> None:
    assert [reasons(text, shell) for shell in ("bash", "zsh", "sh", None)] == [[]] * 4
