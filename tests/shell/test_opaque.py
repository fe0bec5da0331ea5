"""What is never taken for understood, and the neighbours that are."""

# ruff: noqa: E501

import pytest

from execpolicy.model.operation import Exec, Opaque
from tests.shell.reading import read
from tests.shell.shown import commands, reasons, shown

COMPUTED_NAMES = [
    "$x a", '"$x" a', "$(b) a", "`b`", "./* a", "t?uch a", "${x:-a} b", "$@", "x=1 $y", "~x/a",
    "a$1b c", "[ab] c", "$'\\xff' a", "*(a)",
]  # fmt: skip
BUILTINS = [
    "eval a", 'eval "$x"', "source f", ". f", ". <(a)", "trap 'a' DEBUG", "trap 'x=a' INT EXIT", "trap 'cd a' INT", "alias a=b\na",
    'alias "$x"', "enable -n cd", "hash -p /x ls", "hash ls=/x", "f() { trap a EXIT; }", "set -k", "set +B", "set $x",
    "set -o posix", "shopt -s expand_aliases", "shopt -s nocaseglob", "command eval a", 'printf -"$x" y',
    "builtin . f", "mapfile -C a x", "printf -v 'a[$(b)]' x", "printf '%s%n' a x", "printf -- '%5n' PATH", "builtin printf '%ln' x", 'printf -v "$x" y', 'printf "$x" a',
    "printf -va[1] x", "read 'a[$(b)]'", 'read "$x"', "unset 'a[$(b)]'", 'unset "$x"',
    "let 'a[$(b)]=1'", 'let "$x"', "declare 'a[$(b)]=1'", 'declare "$x"', "declare -n a=b",
    "declare -i a=b; b='x[$(c)]'", "export -f f", "export $(cat .env)", "getopts a $x",
    "test -v 'a[$(b)]'", "[ -v 'a[$(b)]' ]", '[ -v "$x" ]', "x=$(a); [ $x = y ]", '[ "$x" "$y" ]',
    "compgen -W '$(a)'", "fc -s", "jobs -x a", "wait -p 'a[$(b)]'", "exec <<< x",
    "set -oo errexit keyword", "shopt -u -o braceexpand", "shopt -u extquote", "declare -p 'x=1'", "unset PATH; ls",
    "declare -a 'a=($(b))'", "declare -A a='([`b`]=1)'", "readonly -a 'a=($(b))'", 'local -a "a=(\\$(b))"',
    "declare -a a; declare 'a=($(b))'", 'x=$(b); a=(1); local a="$x"', 'read -a a; declare a="$(b)"', 'declare -a a="$1"',
    "command_not_found_handle() { a; }", "command_not_found_handle() { a; }; b", "TRAPERR() { echo x; }",
]  # fmt: skip
EXPANSIONS = [
    "a ${x@P}", "a ${!x}", 'a "${!x:-y}"', "x='a[$(b)]'; a $((x))", "x=$(b); a $((x + 1))",
    "a $(( $(b) ))", "read x; ((x))", "x=$1; a ${y:x}", "x=$1; a ${y[x]}", "x=$1; y[x]=2",
    "x=1$(b); [[ $x -eq 1 ]]", "read y; x=1$y; echo $((x))", "[[ $(b) -eq 1 ]]", "read x; [[ x -gt 1 ]]", "[[ -v 'a[$(b)]' ]]", "[[ -v $x ]]",
    "a $((_))", "a $((BASH_COMMAND))", "SECONDS='a[$(b)]'", "x=$(b); ((y[$x]++))",
    "rg x $IFS--pre$IFS./y", "a${IFS}b", "a x${IFS:0:1}y", "echo ； a", "a < /dev/$x", 'x=$(b); a < "/$x"', "f=/dev/tcp/h/1; f=${f}2; a < $f", "!!", "sudo !!", "ls !$", "!rm", "a >&'$(b)'", 'a >& ""', 'x=$(b); a >&"$x"', "for ((i=$(a); i<2; i++)); do b; done",
    "a \"${x:-$'$(b)'}\"", "a <<E\n${x:-$'$(b)'}\nE", "a \"${x:-${y:-'$(b)'}}\"",
    "exec 3<f 1<&$x", "x=3; a >&$x",
    "x=$1; y=$x; a $((y))", "for x in $(a); do ((x)); done", "a $(( a$x ))",
]  # fmt: skip
MALFORMED = [
    "a 'b", 'a "b', "a `b", "a $(b", "a ${b", "| a", "; a", "& a", "a )", "a && && b", "a ;; b",
    "{ a", "( a", "if a; then b", "while a; do b", "for x in a; do b", "case x in", "a=(1 2",
    "done", "fi", "}", "then a", "a >", "a <<<", "a <<E\nx", "a <<E", "a ${x@}", "a ${x@Z}",
    "a ${}", "a ${x y}", "[[ a", "[[ ]]", "((1", "f() a", "f(", "for 1x in a; do b; done", "()",
    "a (b)", "a \n| b", "if; then a; fi", "a | | b", "! ", "a $((1)", "a ]] (", "case a in b) c",
    "f() { a; } g", "select; do a; done", "a \"${x:-'}\"", "coproc", "function", "time",
    "a <(b", "a &&", "a |", "a=(b)c", "a <<'x\ny'\n", "( )", "{ }", "do a; done",
]  # fmt: skip
CHARACTERS = [
    "ls \x01x", "ls\r\nrm", "echo '\x1b[2K'", "ls \u202e; rm x", "ls \u200b", "ls\u00a0-la",
    "ls \x7f", "l\u034fs", "echo \ud800; rm", "ls\x0b; rm", "ls \ue000", "echo \U000e0072",
]  # fmt: skip
READ = [
    "set -euo pipefail; a", "set -e", "set -x; a", "set -- b c", "set +e", "shopt -s nullglob",
    "shopt -s extglob; a", "trap - EXIT", "trap '' INT", "trap 'echo a; exit 1' EXIT", "trap 'echo a; b' EXIT INT", "set -a", "trap 'echo a' ERR", "trap 'exit 1' DEBUG", "alias", "hash -r", "unset x y",
    "unset a[1]", "printf '%s' \"$x\"", "printf '%s\\n%%n' x", "printf --", 'printf "%d\\n" "$x"', 'printf "$x"', "read -r a b",
    "read -p 'x? ' -t 5 y", "IFS=, read -ra a <<< b", "export A=1 B=\"$x\"", "local x=1 y", "[ -f x ]",
    'test -n "$x"', '[ "$x" = y ] && a', "[ $# -gt 0 ]", "[ $? -eq 0 ]", "x=1; [ $x -eq 1 ]",
    "[ -v x ]", "[[ -v x ]]", "[[ $# -gt 1 ]]", "n=3; [[ $n -lt 5 ]]", "a $((i+1))", "a $((1 << 2))",
    "i=0; while [ $i -lt 3 ]; do a; i=$((i+1)); done", 'n=$(b | wc -l); [ "$n" -gt 1 ]', "for i in 1 2; do a $((i*2)); done",
    "x=5; a ${y:x:2}", "a ${x[0]} ${x[@]} ${x[i]}", "x[0]=1", "((i++))", "let i=1+2", "let i++",
    "a ${!x@} ${!x[@]}", "a ${x@Q}", "declare -A m=([k]=v)", "declare -a 'm=(a b)'", 'x=$(b); local m="$x"', 'local m="($(b))"', 'declare -a m=("$x" "$(b)")', "declare -i n=3", "mapfile -t x < f",
    "old=$IFS; a \"$IFS\"", "echo '；'", "exec > log", "exec 3< f", "command -v a", "builtin cd x", "getopts ab: o", "SECONDS=0",
    "a $'\\xc3\\xa9'", "echo 'é ✓ ⚠️'", "a >&2 2>&1 3>&- <&3", "a \"$(cat <<'E'\nx\nE\n)\"",
    "while read -r l; do a \"$l\"; done < f", "declare -p x", "time a", "wait", "jobs -l", "exit 1",
]  # fmt: skip


@pytest.mark.parametrize("text", COMPUTED_NAMES + BUILTINS + EXPANSIONS + MALFORMED + CHARACTERS)
def test_not_understood(text: str) -> None:
    assert reasons(text) != []


@pytest.mark.parametrize("text", READ)
def test_understood(text: str) -> None:
    assert reasons(text) == []


@pytest.mark.parametrize(
    ("text", "spot"),
    [
        ("a; $x b; c", "$x b"),
        ("a; eval b; c", "eval b"),
        ("a ${x@P} b", "${x@P}"),
        ("a ${!x} b", "${!x}"),
        ("x=$1; a $((x)) b", "$((x))"),
        ("a; b\nc; | d", "c; | d"),
        ("a; b 'c", "a; b 'c"),
        ("a\nb 'c", "b 'c"),
    ],
)
def test_the_spot_is_named(text: str, spot: str) -> None:
    found = [o for o in read(text, "bash") if isinstance(o, Opaque)]
    assert [o.text for o in found] == [spot]
    span = found[0].span
    assert span is not None
    assert text[span[0] : span[1]] == spot


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("eval 'git push'", ["eval 'git push'", "git push"]),
        ("eval git push", ["eval git push", "git push"]),
        ("trap 'git push' EXIT", ["trap 'git push' EXIT", "git push"]),
        ("a; b 'c", ["a"]),
        ("a\nb\n)", ["a", "b"]),
    ],
)
def test_what_stands_there_is_told_all_the_same(text: str, seen: list[str]) -> None:
    """Rules that forbid something see it even where nothing can be allowed any more."""
    assert set(seen) <= set(shown(text))


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("f() { a; }; f x $(b)", ["a", "b"]),
        ("f() { a; }; f; f | c", ["a", "c"]),
        ("f() { g; }; g() { a; }; f", ["a"]),
        ("f() { f; }", []),
        ("f() { a; }; trap f EXIT", ["a", "trap f EXIT"]),
        ("trap f EXIT; f() { a; }", ["f", "trap f EXIT", "a"]),
        ('git() { command git -C x "$@"; }; git push', ['command git -C x <"$@">']),
        ('f() { local x=$1; a "$x"; }; f y', ["local <x=$1>", 'a <"$x">']),
    ],
)
def test_a_call_of_a_function_is_its_body(text: str, seen: list[str]) -> None:
    assert commands(text) == seen


@pytest.mark.parametrize(
    "text",
    [
        "git push; git() { a; }",
        "if a; then git() { b; }; fi; git push",
        "git() { a; }; git() { b; }; git push",
        "(git() { a; }); git push",
        "a && git() { b; }; git push",
        "git() { a; }; unset -f git; git push",
        "git() { a; }; X=1 git push",
        "f() { git push; }; f; git() { a; }",
        "f() { git push; }; {f,}; git() { a; }; f",
        "x=f; f() { git push; }; $x; git() { a; }; f",
        "f() { git push; }; $x; git() { a; }; f",
        "f() { git push; }; for x in a f; do $x; done; git() { a; }; f",
        "alias git=a\ngit push",
        "hash -p /x git; git push",
        "hash git=/x; git push",
    ],
)
def test_a_name_with_another_meaning_is_seen_and_not_trusted(text: str) -> None:
    assert "git push" in shown(text) or "X=1 git push" in shown(text)
    assert any("meaning" in why for why in reasons(text))


@pytest.mark.parametrize(
    "text",
    [
        *(":(){ :|:& };:", "f() { f & f; }", "a() { b | b; }; b() { a & }; a", "f() { (f) | x; }"),
        *("f() { {f,} | cat; }; f", "x=f; f() { $x | $x & }; f"),
    ],
)
def test_fork_bombs(text: str) -> None:
    assert any(why.startswith("fork bomb") for why in reasons(text))


@pytest.mark.parametrize("text", ["f() { a | b & }; f", "f() { a; }; f | f", "f() { f; }; f"])
def test_no_fork_bombs(text: str) -> None:
    assert not any(why.startswith("fork bomb") for why in reasons(text))


def test_a_computed_builtin_is_not_trusted() -> None:
    assert reasons("r=read; $r x") == ["a computed `read`"]


def test_a_command_in_doubt_keeps_its_words() -> None:
    (found,) = [o for o in read("git push; git() { a; }", "bash") if isinstance(o, Exec)][:1]
    assert found.argv == ("git", "push")


@pytest.mark.parametrize(
    ("text", "sourced"),
    [
        ("source f", True),
        (". f", True),
        (". f > o", True),
        ("source", False),
        ("A=1 source f", False),
        ("builtin source f", False),
        ("eval source", False),
        ("enable -f f", False),
    ],
)
def test_a_call_of_source_says_so(text: str, sourced: bool) -> None:
    assert any(isinstance(o, Opaque) and o.sourced for o in read(text)) is sourced
