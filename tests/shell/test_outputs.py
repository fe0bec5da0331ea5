"""Whether a word that commands compute may begin like an option of who receives it."""

import subprocess

import pytest

from execpolicy.model.operation import COMMANDS, Dynamic, Exec, Hole, Opaque, Template, Word
from tests.shell.reading import read

PRINTS = {
    ("sha",): "plain",
    ("top",): "path",
    ("first",): "input",
    ("sha", "a"): "plain",
    ("n",): "number",
    ("lines",): "numbered",
    ("lines", "--", "-x"): "numbered",
    ("lines", "y\na[$(p)]"): "numbered",
    ("field",): "colon",
    ("int",): "integer",
    ("less",): "less",
    ("names",): "files",
    ("hash",): "word",
    ("day",): "time",
    ("ref",): "one",
}


def prints(argv: tuple[Word, ...]) -> str:
    if argv[:1] == ("n",) and any(isinstance(word, Dynamic) for word in argv):
        return "number"
    return PRINTS.get(tuple(word for word in argv if isinstance(word, str)), "")


def plain(text: str) -> list[bool]:
    """For each computed word of each `p`, whether it is plain."""
    return [
        word.not_option
        for operation in read(text, "bash", output=prints)
        if isinstance(operation, Exec) and operation.argv[0] == "p"
        for word in operation.argv
        if isinstance(word, Dynamic)
    ]


PLAIN = [
    "p $(sha)",
    'p "$(sha)"',
    "p $(sha)..HEAD",
    "p a..$(sha)",
    "p a/$(ref)..HEAD",
    "p a/$(ref | first)",
    "x=$(ref); p a/$x..$x",
    "p $(sha)..$(sha)",
    'p "$(sha):README"',
    "p $(sha 2>/dev/null)",
    "p $(sha | first)",
    "p $(sha; sha a)",
    "p $(sha <f)",
    "p $(lines | field)",
    'p "$(lines)"',
    "p $(sha | field)",
    'p "$(top)/src"',
    "x=$(sha); p $x",
    'x=$(sha); p "$x"',
    'x=$(top); p "$x/a"',
    "x=$(sha); p $x:a",
    "for x in $(sha); do p $x; done",
    'for x in $(sha) b; do p "$x"; done',
    "x=$(sha); y=$x; p $y",
    "hash | while read -r x; do p $x; done",
    "hash | while read x; do p $x; done",
    "n | while read x; do p $x; done",
    "n | while read -r x; do p $x; done",
    'hash | while IFS= read -r x; do p "$x"; done',
    'hash | first | while read -r x y; do p "$x" | first; done; echo',
    "hash | while read -r x; do other >/dev/null; p $x; done",
    "while read -r x; do p $x; done < <(hash)",
    "while IFS= read -r x; do p $x | first; done < <(hash | first)",
    'hash | while read -r x || [ -n "$x" ]; do p $x; done',
    "sha | while read -r x; do echo a; p $x </dev/null; done",
    'lines | while read -r x; do p "$x" </dev/null; done',
]

NOT_PLAIN = [
    'p a"$@"',
    'p "a$@"',
    "p a$*",
    "x=(a -b); p a${x[@]}",
    'x=(a -b); p "a${x[@]}"',
    'f() { p a"$@"; }; f b -c',
    "p $(ref)",
    'p "$(ref)"',
    "x=$(ref); p $x..HEAD",
    "p a$(ref; ref)",
    'p a/"$@"',
    "x=(a -b); p a/${x[@]}",
    'x=($(sha) -b); p "a/${x[@]}"',
    "p a$(ref)$(other)",
    "for x in $(ref); do p a$x; done",  # if it is a pattern, names may have blanks
    "ref | while read -r x; do p $x; done",
    "p a$(sha)-x",
    "p $(other)",
    "p $(sha b)",  # another call of which nothing is known
    "p $(top)",  # a path with a blank would be two words
    "x=$(top); p $x",
    "p $(sha)$(other)",
    "p $(sha) $(other)",
    "p $(sha)-x",  # what comes before may end with a blank
    "p $(sha){-x,y}",
    "p $(sha >f)",
    "p $(sha | first <f)",
    'p "$(sha $x)"',  # it may print the word
    "p $(lines)",
    "p $(lines -- -x | field)",  # the name of a binary file
    "Binary=-x; p $(lines | field)",
    "p $(int)",
    "p $(sha; sha >(other))",
    "p $(sha 2>&1)",
    "p $(sha 2>/dev/stdout)",  # a complaint may hold any word
    'p "$(top | first)"',  # the last line of a path that has two
    "(x=$(sha)); p $x",  # not made here, or perhaps not made
    "false && x=$(sha); p $x",
    "x=$(sha) | sha; p $x",
    "f() { x=$(sha); }; p $x",
    "f() { local x=$(sha); }; f; p $x",
    "x=$(sha) <f; p $x",
    "x=$y; y=$(sha); p $x",
    "for x in $y; do y=$(sha); p $x; done",
    "_=$(sha); sha -x; p $_",  # set by the shell
    "OLDPWD=$(sha); cd a; p $OLDPWD",
    "a() { other; }; p $(sha a)",  # may be shown with its body
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
    "other | while read -r x; do p $x; done",
    "sha | while read -s x; do p $x; done",
    "sha | while read; do p $x; done",
    "top | while read -r x; do p $x; done",
    "hash | other | while read -r x; do p $x; done",
    "hash |& while read -r x; do p $x; done",
    "hash 2>&1 | while read -r x; do p $x; done",
    "{ hash; } | while read -r x; do p $x; done",
    "sha | while read x; do p $x; done",  # `\\-x` without its backslash
    "hash | while read -r -d a x; do p $x; done",
    "hash | while IFS=b read -r x y; do p $y; done",
    "IFS=b; hash | while IFS= read -r x; do p $x; done",
    "sha | while read -r x; do other; p $x; done",  # may take a part of a line
    "lines | while read -r x y; do p $y; done",
    "hash | while read -r x <f; do p $x; done",
    "hash | while read -r x; do p $x; done <f",
    "hash | { exec <f; while read -r x; do p $x; done; }",
    "hash | while read -r x; do p $x; x=$y; done",
    "hash | { p $x; read -r x; }",
    "hash | { false && read -r x; p $x; }",
    "hash | while false; read -r x; do :; done; p $x",
    "hash | while read -r x; do :; done | other | p $x",
    "hash | while read -r x; do :; done; p $x",
    "hash | while read -r MATCH; do [[ -y =~ .* ]]; p $MATCH; done",
    "readonly x; hash | while read -r x || true; do p $x; done",  # has what it had before
    "hash | while read -r x; do f() { p $x; }; done; f",
    "read() { printf -v x -- -y; }; hash | while read -r x; do p $x; done",
    "hash() { other; }; hash | while read -r x; do p $x; done",
    "while read -r x; do p $x; done <f",
    "while read -r x; do p $x; done < <(other)",
    "while read -r x; do p $x; done < <(hash) <f",
    "while read -r x; do p $x; done 3< <(hash)",
    "while read -r x; do p $x; done < <(hash)a",
    "while read -r x; do p $x; { other; } < <(hash); done",
    "while read -r x; do p $x; done <f; for y in a; do sha; done < <(hash)",
    "while read -r x; do p $x; done; { sha; } < <(hash)",
    "while read -r x; do p $x; done; done < <(hash)",
    "f() { while read -r x; do p $x; done < <(hash); }; f",
    "exec <f; while read -r x; do exec <f; p $x; done < <(hash)",
    "while read -r x; do p $x; done < <(sha)",  # `p` may take a part of a line
    "set -T; trap 'echo -x' DEBUG; p $(sha)",
]


@pytest.mark.parametrize("text", PLAIN)
def test_plain(text: str) -> None:
    assert set(plain(text)) == {True}


@pytest.mark.parametrize("text", NOT_PLAIN)
def test_not_plain(text: str) -> None:
    assert not all(plain(text))


def test_nothing_is_plain_where_nobody_says_what_programs_print() -> None:
    (operation, *_) = [o for o in read("p $(sha)", "bash") if isinstance(o, Exec)]
    assert operation.argv == ("p", Dynamic("$(sha)", fed_by=("sha",), names=(COMMANDS,)))


NUMBERS = [
    ("p $(n)", [True]),
    ('x=$(n); p "$x" $x', [True, True]),
    ("for x in $(n); do p $x; done", [True]),
    ("p $(n | first)", [True]),
    ("p $(n)1", [True]),
    ("p $(sha)", [False]),
    ("x=$(n); x=$y; p $x", [False]),
    ("for x in $(n) $(sha); do p $x; done", [False]),
    ('p "$(n)000" "$(n)$(n)"', [True, True]),
    ('p "5$x" "$(n)s" "$(sha)0" "-$(n)"', [False, False, False, False]),
]


@pytest.mark.parametrize(("text", "expected"), NUMBERS)
def test_numbers(text: str, expected: list[bool]) -> None:
    assert [
        w.digits_only
        for o in read(text, "bash", output=prints)
        if isinstance(o, Exec)
        for w in o.argv
        if isinstance(w, Dynamic)
    ] == expected


NUMBER, TIME = Hole.NUMBER, Hole.TIME
TEMPLATES: list[tuple[str, Template]] = [
    ('x=$(n); p "$x,$((x+5))p"', (NUMBER, ",", NUMBER, "p")),
    ('x=$(lines | field); p "1,${x}p"', ("1,", NUMBER, "p")),
    ('x=$(int); p "${x}p"', (NUMBER, "p")),
    ('x=$(n "$y"); p "${x}p"', (NUMBER, "p")),
    ('x=$(n "$(other)"); p "${x}p"', (NUMBER, "p")),
    ('p "$(n)$(int)"', (NUMBER, NUMBER)),
    ('p "$((1+1))-x"', (NUMBER, "-x")),
    ('p "${x}p"', ()),  # from outside
    ('x=$(other); p "${x}p"', ()),
    ('x=$(n); x=$(sha); p "${x}p"', ()),
    ('x=$(n); p "${x}$y"', ()),
    ('x=$(n); read x; p "${x}p"', ()),
    ("x=$(n); p ${x}p", ()),  # may be several words
    ('IFS=,; x=$(n); p "${x}p"', ()),
    ('int | while IFS= read -r x; do p "${x}p"; done', ()),
    ('n | while read -r x; do p "${x}p"; done', (NUMBER, "p")),
    ('lines | field | while read -r x; do p "${x}p" </dev/null; done', (NUMBER, "p")),
    ('p "$(day)"', (TIME,)),
    ('x=$(day); p "$x.$(n)"', (TIME, ".", NUMBER)),
    ('p "$(day)$x"', ()),
    ('x=$(n; other); p "${x}p"', ()),
    ('x=$(n >(other)); p "${x}p"', ()),
]


@pytest.mark.parametrize(("text", "expected"), TEMPLATES)
def test_words_in_which_only_numbers_are_computed(text: str, expected: Template) -> None:
    found = [o for o in read(text, "bash", output=prints) if isinstance(o, Exec)]
    (word,) = next(o for o in found if o.argv[0] == "p").argv[1:]
    assert isinstance(word, Dynamic)
    assert word.template == expected


ARITHMETIC = [
    ("p $(( $(n) * 2 ))", True),
    ("p $(( ($(n) - $(int)) / 60 ))", True),
    ("x=$(n); p $((x+1))", True),
    ("trap 'echo bye' EXIT; x=$(n); p $((x+1))", True),
    ("trap 'exit 1' ERR; x=$(n); p $((x+1))", True),
    ("set -E; trap 'echo +y' ERR; x=$(n); p $((x+1))", False),  # it is printed in `$(…)` too
    ("f() { trap 'echo y' DEBUG; }; x=$(n); p $((x+1))", False),
    ("trap 'echo y' 67; x=$(n); p $((x+1))", False),
    ("x=$(lines | first | field); p $((x+1))", True),
    ("for x in $(n); do p $((x)); done", True),
    ("x=$(n); (( x > 5 )) && p", True),
    ("p $(( $(n | less) ))", True),
    ("p $(( $(int | less) ))", False),
    ("p $(( $(lines | field | less) ))", False),  # what is left of `grep` is a name, too
    ("p $(( $(other | less) ))", False),
    ("p $(( $(sha) ))", False),
    ("p $(( $(other) ))", False),
    ("p $(( $(n; other) ))", False),
    ("p $(( $(lines) ))", False),
    ("p $(( `n` ))", False),
    ("x=$(n); x=$(sha); p $((x))", False),
    ("n() { other; }; p $(( $(n) ))", False),
    ("lines='a[$(p)]'; x=$(lines | field); p $((x))", False),
    ("Binary='a[$(p)]'; x=$(lines | field); p $((x))", False),
    ("file='a[$(p)]'; x=$(lines | field); p $((x))", False),  # `Binary file y matches`
    ("file=$(other); x=$(lines | field); p $((x))", False),
    ("x=$(lines 'y\na[$(p)]' | field); p $((x))", False),  # `grep: y`, then the rest of the name
    ("file=y; y=$(other); x=$(lines | field); p $((x))", False),
    ("for file in *; do x=$(lines | field); p $((x)); done", False),
    ("for file in a b/c.py; do x=$(lines | field); p $((x)); done", True),
    ("file=a/b.py; x=$(lines | field); p $((x))", True),
    ("x=$(y=1 lines | field); p $((x))", False),
    ("alias n=other\np $(( $(n) ))", False),
]


@pytest.mark.parametrize(("text", "clear"), ARITHMETIC)
def test_arithmetic_on_outputs(text: str, clear: bool) -> None:
    found = read(text, "bash", output=prints)
    assert any(isinstance(operation, Opaque) for operation in found) != clear


SHOWN = [
    ('printf %d "$(n)"', True),
    ("printf '%d %5d' $(n) $(( $(n) + 1 ))", True),
    ('x=$(other); printf \'%s %d\' "$x" "$(int)"', True),
    ("exit $(n)", True),
    ('printf %d "$(n)$(n)"', False),
    ('printf %d "x$(n)"', False),
    ('printf %d "$(sha)"', False),
    ('n() { other; }; printf %d "$(n)"', False),
    ('printf %d "$(n; other)"', False),
]


@pytest.mark.parametrize(("text", "clear"), SHOWN)
def test_zsh_may_evaluate_outputs(text: str, clear: bool) -> None:
    found = read(text, None, output=prints)
    assert any(isinstance(operation, Opaque) for operation in found) != clear


STUBS = r"""
sha() { printf 'ab-c 1d\n -e' | tr -d '-'; }
hash() { printf 'ab1\n2\n'; }
n() { printf '5\n7\n'; }
top() { printf '/a -b/c\n'; }
first() { head -n 1; }
lines() { printf '7:a -b\n9:-c\n'; }
field() { cut -d: -f1; }
other() { printf -- '-x\n'; }
ref() { printf -- '-b/c\n'; }
p() { printf '%s\0' "$@"; }
"""


def received(text: str) -> list[str]:
    """What `p` receives when bash runs the text, with stubs that keep to what PRINTS says."""
    done = subprocess.run(
        ["bash", "--norc", "-c", STUBS + text], capture_output=True, text=True, check=False
    )
    return done.stdout.split("\0")[:-1]


@pytest.mark.parametrize("text", PLAIN)
def test_bash_makes_no_option_of_a_plain_word(text: str) -> None:
    words = received(text)
    assert words
    assert not [word for word in words if word.startswith("-")]


@pytest.mark.parametrize("text", ["p $(top)", "x=$(top); p $x", "p $(other | first)", "p $(sha)-x"])
def test_bash_makes_options_of_others(text: str) -> None:
    made = received(text if "sha" not in text else text.replace("$(sha)", "$(printf 'a ')"))
    assert [word for word in made if word.startswith("-")]


INVENTED = [
    "cat < /$(ref)",
    'ref | while read -r x; do cat < "$x"; done',
    'cat < "$(other)"',
    'x=$(other); cat < "$x"',
    'other | while read x; do cat < "$x"; done',
    'names | other | while read x; do cat < "$x"; done',
    'names | while read x <f; do cat < "$x"; done',
    'names | while read x; do cat < "$x"; done <f',
    'while read x; do cat < "$x"; done < <(other)',
    'while read x; do cat < "$x"; done <f',
    'for x in $(other); do cat < "$x"; done',
    'for x in a "$(other)"; do cat < "$x"; done',
    "printf -v x %s a; cat < $x",
    'mapfile -t x; cat < "${x[0]}"',
    'f() { cat < "$1"; }; f "$(other)"',
    'set -- "$(other)"; cat < "$1"',
    'x=$(other); cat < "${x%.c}"',
    'cat < "${x:-$(other)}"',
    'x=other; cat < "${!x}"',
    "other; cat < $_",
    'x=$(names); x=$(other); cat < "$x"',
    'y=$(other); x=$y; cat < "$x"',
    'x=(a "$(other)"); for y in "${x[@]}"; do cat < "$y"; done',
    'cat < "$x"; tcp',
]
NAMED = [
    'cat < "$(names)"',
    'x=$(names | first); cat < "$x"',
    'names | while read -r x; do cat < "$x"; done',
    'while read -r x; do cat < "$x"; done < <(names)',
    'names | first | while IFS= read -r x; do cat < "$x"; done',
    'for x in $(names); do cat < "$x"; done',
    'for x in *.c; do cat < "$x"; done',
    'for x in *.c; do cat < "${x%.c}.h"; done',
    'cat < "$FILE"',
    'cat < "$1"',
    'cat < "${1:-a}"',
    'x=$(top); cat < "$x/a"',
    'x=$(sha); cat < "$x"',
    'cat < "src/$(other)"',
]


@pytest.mark.parametrize("text", INVENTED)
def test_a_path_that_the_script_makes_up_may_be_a_connection(text: str) -> None:
    assert "may be a connection" in objections(text)


@pytest.mark.parametrize("text", NAMED)
def test_a_path_that_was_there_before_is_a_file(text: str) -> None:
    assert "may be a connection" not in objections(text)


def objections(text: str) -> str:
    """Why spots of the text are not understood."""
    found = read(text, "bash", output=prints)
    return "; ".join(o.why for o in found if isinstance(o, Opaque))
