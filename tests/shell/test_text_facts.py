"""What a script text says of all that runs from it."""

import pytest

from execpolicy.model.operation import Exec, Operation
from execpolicy.model.text_facts import TextFacts
from execpolicy.shell.reader import read


def facts(text: str, shell: str | None = "bash") -> TextFacts:
    return read(text, shell).facts


def head(operation: Operation) -> str:
    """The program of a command; nothing for what is none."""
    return str(operation.argv[0]) if isinstance(operation, Exec) else ""


@pytest.mark.parametrize(
    ("text", "returns"),
    [
        ("a; b", False),
        ("(a; b) | c", False),
        ("if a; then b; fi", False),
        ("echo done; echo 'function f'; echo '()'", False),
        ("for x in 1 2; do a; done", True),
        ("for x in 1 2; { a; }", True),
        ("for ((;;)); { a; }", True),
        ("while a; do b; done", True),
        ("unt\\\nil a; do b; done", True),
        ("select x in 1; do a; done", True),
        ("f() { a; }; f", True),
        ("function\tf { a; }; f", True),
        ("f() ( a )", True),
        ("trap a EXIT; b", True),
        ("trap 'echo bye' EXIT; b", False),
        ("command trap a EXIT; b", True),
        ("alias x=a\nx", True),
        ("alias x=a; x", False),  # it counts from the next line on
        ("eval 'for x in 1; do a; done'", True),
        ('eval "$x"', True),
        ("a; 'unterminated", True),
    ],
)
def test_what_may_run_after_what_stands_after_it(text: str, returns: bool) -> None:
    assert facts(text).returns is returns


@pytest.mark.parametrize(
    ("text", "detaches"),
    [
        ("a; b | c && d", False),
        ("a & b", True),
        ("(a; b) &", True),
        ("a |& b", False),
        ("if a; then b & fi", True),
        ("coproc a", True),
        ("a <(b)", True),
        ("a >(b)", True),
        ("a $(b)", False),
        ("a $(b &)", True),
        ("a &> b", False),
        ("eval 'a &'", True),
        ("a; 'unterminated", True),
    ],
)
def test_what_no_shell_waits_for(text: str, detaches: bool) -> None:
    assert facts(text).detaches is detaches


@pytest.mark.parametrize(
    ("text", "hides"),
    [
        ("a | b", False),
        ("a <<< x", False),
        ("a '<(' '()'", False),
        ("a < f", True),
        ("a <(b)", True),
        ("a <\\\n(b)", True),
        ("a | tee >(b)", True),
        ("f() { a; }; b", True),
        ("function\tf { a; }; b", True),
    ],
)
def test_which_texts_hide_the_input_of_a_command(text: str, hides: bool) -> None:
    assert facts(text).hides_input is hides


@pytest.mark.parametrize(
    ("text", "dots"),
    [
        ("cat *", False),
        ("grep dotglob *", False),
        ("shopt -s nullglob; cat *", False),
        ("shopt -u dotglob; cat *", False),
        ("shopt -s dotglob; cat *", True),
        ('shopt -s dot"glob"; cat *', True),
        ("shopt -s dot\\glob; cat *", True),
        ("shopt -s $'dot\\x67lob'; cat *", True),
        ("shopt -s {dot,null}glob; cat *", True),
        ("shopt -s nullglob dotglob; cat *", True),
        ("command shopt -s dotglob; cat *", True),
        ("f() { shopt -s dotglob; }; f; cat *", True),
        ("eval 'shopt -s dotglob'; cat *", True),
        ("shopt -s $x; cat *", True),
    ],
)
def test_whether_a_glob_takes_hidden_names(text: str, dots: bool) -> None:
    assert facts(text).dots is dots


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("echo '$x' \\$y", ""),
        ('echo $x ${y} "$z"', "x y z"),
        ("echo $a\\\nb ${\\\nc} ${d\\\n}", "ab c d"),
        ("echo ${x:-$y} ${z%.c} ${w[0]}", "w x y z"),
        ("echo ${#x} ${x:+set} ${x+set}", ""),
        ("echo $(echo $x) `echo $y`", "x y"),
        ("cat <<E\n$x ${\\\ny}\nE", "x y"),
        ("cat <<'E'\n$x\nE", ""),
        ("cat <<< $x", "x"),
        ("a=$x b=($y) c", "x y"),
        ("case $x in $y) a;; esac", "x y"),
        ("[[ $x == $y ]]", "x y"),
        ("for x in $y; do a; done", "y"),
        ("eval 'echo $x'", "x"),
    ],
)
def test_which_variables_are_expanded(text: str, names: str) -> None:
    assert facts(text).names == set(names.split())


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("a; b", {}),
        ("a && b", {"b": "a"}),
        ("a && b && c", {"b": "a", "c": "b"}),
        ("a && b; c", {"b": "a"}),
        ("a && b\nc", {"b": "a"}),
        ("a && b & c", {"b": "a"}),
        ("a || b && c && d", {"d": "c"}),
        ("a && b || c", {"b": "a"}),
        ("! a && b && c", {"c": "b"}),
        ("a && ! b && c", {"b": "a", "c": "a"}),
        ("a | b && c", {}),
        ("a && b | c && d", {"b": "a", "c": "a", "d": "a"}),
        ("(a) && b", {}),
        ("a && (b; c)", {"b": "a", "c": "a"}),
        ("a && (b && c) && d", {"b": "a", "c": "b", "d": "a"}),
        ("a && { b; } && d", {"b": "a", "d": "a"}),
        ("a && b $(c)", {"b": "a", "c": "a"}),
        ("a && for x in 1; do b && c; done", {"b": "a", "c": "b"}),
        ("f() { a; }; b && f", {}),
        ("for x in 1 2; do a $x && b; done", {}),  # two commands: which one, nothing tells
        ("if a && b; then c; fi", {"b": "a"}),
        ("time a && b", {}),
    ],
)
def test_what_runs_only_after_what_ended_well(text: str, after: dict[str, str]) -> None:
    found = read(text, "bash")
    names = [head(operation) for operation in found.operations]
    pairs = zip(names, found.facts.after, strict=False)
    assert {name: names[before] for name, before in pairs if name and before >= 0} == after


@pytest.mark.parametrize(
    ("text", "mixed"),
    [
        ("a | b", ""),
        ("a 2>/dev/null | b", ""),
        ("a '2>&1' | b", ""),
        ("a 2>&1 | b", "a"),
        ("a 2>\\\n&1 | b", "a"),
        ("a &> f", "a"),
        ("a |& b", "a"),
        ("a | b |& c", "b"),
        ("a | b 2>&1", "b"),
        ("{ a; b; } 2>&1 | c", "a b"),
        ("{ a; b; } |& c", "a b"),
        ("exec 2>&1; a | b", "exec a b"),
        ("f() { a; }; f 2>&1 | b", "a b"),
    ],
)
def test_whose_messages_may_be_among_what_it_prints(text: str, mixed: str) -> None:
    found = read(text, "bash")
    numbers = [n for n, each in enumerate(found.operations) if n in found.facts.mixed]
    heads = [head(found.operations[n]) for n in numbers]
    assert [name for name in heads if name] == mixed.split()


@pytest.mark.parametrize(
    "text",
    [
        "for f in .x; do a $f; done",
        "case $f in .x) a $f;; esac",
        "case .x in *) a;; esac",
        '[[ $f == .x ]] && a "$f"',
        "a ${f:-.x}",
        'a "${f:-.x}"',
        "f=(.x); a ${f[0]}",
        "f=.x; a",
        "f() { a $1; }; f .x",
        "while read f; do a $f; done <<< .x",
        "a <<E\n.x\nE",
        "a <<E\n.\\\nx\nE",
        "a < .x",
        "for f in .\\\nx; do a $f; done",
        """for f in ."x"; do a $f; done""",
    ],
)
def test_words_that_are_none_of_a_command(text: str) -> None:
    assert any(".x" in word for word in facts(text).words)
