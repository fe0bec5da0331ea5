"""Everything that runs is seen, wherever it hides."""

import pytest

from execpolicy.operation import Exec
from execpolicy.shell.reader import read
from tests.shell.shown import commands

LISTS = [
    ("a; b", ["a", "b"]),
    ("a && b || c", ["a", "b", "c"]),
    ("a & b", ["a", "b"]),
    ("a | b |& c", ["a", "b", "c"]),
    ("a\nb\n\nc\n", ["a", "b", "c"]),
    ("a;b&c", ["a", "b", "c"]),
    ("a # b\nc", ["a", "c"]),
    ("a #\\\nc", ["a", "c"]),
    ("# a\n\n  # b\nc", ["c"]),
    ("! a", ["a"]),
    ("time a; time -p b", ["a", "b"]),
    ("a | time b", ["a", "time b"]),
    ("a 2>&1&b", ["a", "b"]),
    ("a &&\nb |\nc", ["a", "b", "c"]),
    ("a&\\\n&b", ["a", "b"]),
]
COMPOUNDS = [
    ("(a; b)", ["a", "b"]),
    ("{ a; b; }", ["a", "b"]),
    ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
    ("for x in 1 2; do a; done", ["a"]),
    ("for x; do a; done", ["a"]),
    ("for x in 1; { a; }", ["a"]),
    ("for ((i=0; i<3; i++)); do a; done", ["a"]),
    ("while a; do b; done", ["a", "b"]),
    ("until a; do b; done", ["a", "b"]),
    ("select x in 1; do a; done", ["a"]),
    ("case x in a|b) c;; (d) e;& *) f;;& esac", ["c", "e", "f"]),
    ("case x in esac", []),
    ("case $(a) in $(b)) c;; esac", ["a", "b", "c"]),
    ("[[ -f x && ( a < b ) ]] && c", ["c"]),
    ("[[ a =~ ^(x|y)$ ]] && c", ["c"]),
    ("[[ $x == @(a|b)*(c) ]] && c", ["c"]),
    ("(( i++ )); a", ["a"]),
    ("((1)) && a", ["a"]),
    ("coproc a", ["a"]),
    ("coproc N { a; }", ["a"]),
    ("f() { a; }", ["a"]),
    ("function f { a; }", ["a"]),
    ("f() ( a )", ["a"]),
    ("f() if a; then b; fi", ["a", "b"]),
    ("a=(1 $(b) [2]=`c`); d", ["b", "c", "d"]),
    ("{ a; } >x; b", ["a", "b"]),
]
SUBSTITUTIONS = [
    ("a $(b)", ["a <$(b)>", "b"]),
    ('a "x $(b "c d") y"', ['a <"x $(b "c d") y">', "b 'c d'"]),
    ("a `b`", ["a <`b`>", "b"]),
    ("a `b \\`c\\``", ["a <`b \\`c\\``>", "b <\\`c\\`>", "c"]),
    ("a <(b) >(c)", ["a <<(b)> <>(c)>", "b", "c"]),
    ("a ${x:-$(b)}", ["a <${x:-$(b)}>", "b"]),
    ('a "${x:-`b`}"', ['a <"${x:-`b`}">', "b"]),
    ("a ${x/$(b)/$(c)}", ["a <${x/$(b)/$(c)}>", "b", "c"]),
    ("a ${x#${y:-$(b)}}", ["a <${x#${y:-$(b)}}>", "b"]),
    ("a 'x'$(b)'y'", ["a <'x'$(b)'y'>", "b"]),
    ("a ~x$(b)", ["a <~x$(b)>", "b"]),
    ('a "$x"<(b)y', ['a <"$x"<(b)y>', "b"]),
    ("a {x,$(b)}", ["a <{x,$(b)}>", "b"]),
    ("x=$(a) b", ["b", "a"]),
    ("x=$(a)", ["a"]),
    ("a > ./$(b)", ["a", "b"]),
    ("a <<< $(b)", ["a", "b"]),
    ("a $(b\nc # )\n)", ["a <$(b\nc # )\n)>", "b", "c"]),
    ("a $(case x in x) b;; esac)", ["a <$(case x in x) b;; esac)>", "b"]),
    ("a '$(b)' \\$(: x", []),
    ("a '$(b)' \"\\$(b)\"", ["a $(b) $(b)"]),
    ("a $(<f)", ["a <$(<f)>"]),
    ("a $()", ["a <$()>"]),
    ("[[ -n $(a) ]]", ["a"]),
    ("for x in $(a); do b; done", ["a", "b"]),
]
HEREDOCS = [
    ("a <<E\n$(b) `c`\nE\nd", ["a", "b", "c", "d"]),
    ("a <<'E'\n$(b)\nE\nd", ["a", "d"]),
    ('a <<"E"\n`b`\nE\nd', ["a", "d"]),
    ("a <<\\E\n$(b)\nE\nd", ["a", "d"]),
    ("a <<-E\n\t$(b)\n\tE\nd", ["a", "b", "d"]),
    ("a <<E <<F; b\n$(c)\nE\n$(d)\nF\ne", ["a", "b", "c", "d", "e"]),
    ("{ a <<E\nE\nb; }", ["a", "b"]),
    ("if a <<E\nx\nE\nthen b; fi", ["a", "b"]),
    ("a <<E | b\nx\nE\nc", ["a", "b", "c"]),
    ("a <<E\nx\nE \nE\nb", ["a", "b"]),
    ("a <<E\nx\\\nE\nE\nb", ["a", "b"]),
    ("a <<E\n\\$(b) \\`c\\`\nE", ["a"]),
    ("a <<E 'x\ny'\n$(b)\nE", ["a 'x\\ny'", "b"]),
    ("a <<E\n${x:-$(b)}\nE", ["a", "b"]),
    ("git commit -m \"$(cat <<'EOF'\nit's `x`\nEOF\n)\"", ["git commit -m <…>", "cat"]),
    ("a <<E\n\"$(b)\" '$(c)'\nE", ["a", "b", "c"]),
]


@pytest.mark.parametrize(("text", "seen"), LISTS + COMPOUNDS + HEREDOCS)
def test_every_command_is_seen(text: str, seen: list[str]) -> None:
    found = [c if "\n" not in c else c[: c.index("<")] + "<…>" for c in commands(text)]
    assert found == seen


@pytest.mark.parametrize(("text", "seen"), [row for row in SUBSTITUTIONS if row[1]])
def test_every_substitution_is_seen(text: str, seen: list[str]) -> None:
    assert sorted(commands(text)) == sorted(seen)


@pytest.mark.parametrize(
    ("text", "via"),
    [
        ("a", ()),
        ("a; { b; a; }", ()),
        ("x $(a)", ("$(…)",)),
        ("x `a`", ("`…`",)),
        ("x <(a)", ("<(…)",)),
        ("(a)", ("(…)",)),
        ("f() { a; }", ("function f",)),
        ("x <<E\n$(a)\nE", ("heredoc", "$(…)")),
        ("coproc a", ("coproc",)),
        ("eval a", ("eval",)),
        ("trap 'a' EXIT", ("trap",)),
    ],
)
def test_the_way_in_is_named(text: str, via: tuple[str, ...]) -> None:
    found = [o.via for o in read(text, "bash") if isinstance(o, Exec) and o.argv == ("a",)]
    assert via in found


@pytest.mark.parametrize(
    ("text", "fed"),
    [
        ("z", ()),
        ("a | z", ("a",)),
        ("a x | b | z", ("a", "b")),
        ("{ a; } | z", ("",)),
        ("a | { b; z; }", ("a",)),
        ("a | while read l; do z; done", ("a",)),
        ("a | b $(z)", ("a",)),
        ("$x | z", ("",)),
        ("a; z", ()),
    ],
)
def test_what_is_piped_in_is_told(text: str, fed: tuple[str, ...]) -> None:
    found = [o.fed_by for o in read(text, "bash") if isinstance(o, Exec) and o.argv == ("z",)]
    assert found == [fed]


@pytest.mark.parametrize(
    ("text", "stdin"),
    [
        ("a <<E\nx y\nE", "x y\n"),
        ("a <<'E'\n$x\nE", "$x\n"),
        ("a <<-E\n\t\tx\n\tE", "x\n"),
        ("a <<E\n\\$x \\\\ \\n\nE", "$x \\ \\n\n"),
        ("a <<< 'x y'", "x y\n"),
        ("{ a; } <<E\nx\nE", "x\n"),
        ("a <<E <f\nx\nE", None),
        ("a <<E 00<f\nx\nE", None),
        ("a <<E 0>&3\nx\nE", None),
        ("{ a; } <<E <f\nx\nE", None),
        ("{ a; b; } <<E\nx\nE", None),  # one of them may take a part of it
        ("{ { a; } <f; } <<E\nx\nE", None),
        ("for i in 1 2; do a; done <<E\nx\nE", None),
        ("{ a & } <<E\nx\nE", None),
        ("a 3<<E\nx\nE", None),
        ("a <f", None),
        ("a", None),
    ],
)
def test_literal_input_is_handed_over(text: str, stdin: str | None) -> None:
    operation = next(o for o in read(text, "bash") if isinstance(o, Exec))
    assert operation.stdin == stdin


def test_what_a_pipe_feeds_is_not_what_the_group_is_fed() -> None:
    found = [o.stdin for o in read("{ a | b; } <<E\nx\nE", "bash") if isinstance(o, Exec)]
    assert found == [None, None]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("ls -l; rm 'x'", ["ls -l", "rm 'x'"]),
        ("a $(b c) d", ["a $(b c) d", "b c"]),
        ("a `b \\`c d\\``", ["a `b \\`c d\\``", "b \\`c d\\`", "c d"]),
        ("a <<E\n  $(b c)\nE", ["a <<E", "b c"]),
        ("if a; then b x; fi", ["a", "b x"]),
    ],
)
def test_a_span_is_the_command_in_the_text(text: str, parts: list[str]) -> None:
    spans = [o.span for o in read(text, "bash") if isinstance(o, Exec)]
    assert [text[s[0] : s[1]] for s in spans if s] == parts
