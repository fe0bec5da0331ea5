"""Words: quotes, escapes, expansions, and what is known of those that bash computes."""

import pytest

from execpolicy.model.operation import Dynamic, Exec
from tests.shell.reading import read
from tests.shell.shown import commands


@pytest.mark.parametrize(
    ("text", "argv"),
    [
        ("a b c", ("a", "b", "c")),
        ("  a\tb  ", ("a", "b")),
        ("a 'b c'", ("a", "b c")),
        ('a "b c"', ("a", "b c")),
        ("a ''", ("a", "")),
        ('a ""', ("a", "")),
        ("a 'it'\\''s'", ("a", "it's")),
        ("a 'x'\"y\"z", ("a", "xyz")),
        ('a "b\\c"', ("a", "b\\c")),
        ('a "\\$x \\` \\" \\\\"', ("a", '$x ` " \\')),
        ('a "\\-\\-force"', ("a", "\\-\\-force")),
        ("a \\-x \\$y b\\ c", ("a", "-x", "$y", "b c")),
        ("a $'\\x41\\101\\u0041\\n'", ("a", "AAA\n")),
        ("a $'it\\'s'", ("a", "it's")),
        ("a $'x\\qy'", ("a", "x\\qy")),
        ("a $'x\\0y'z", ("a", "xz")),
        ('a $"hi there"', ("a", "hi there")),
        ("a \\\n  b", ("a", "b")),
        ("a b\\\nc", ("a", "bc")),
        ('a "b\\\nc"', ("a", "bc")),
        ("a 'b\\\nc'", ("a", "b\\\nc")),
        ("g\\it 'pu'\"sh\"", ("git", "push")),
        ("a #b", ("a",)),
        ("a b#c", ("a", "b#c")),
        ("a $ '$x' \"$\"", ("a", "$", "$x", "$")),
        ("a {} x{y", ("a", "{}", "x{y")),
        ("a !b c!", ("a", "!b", "c!")),
        ("a =b c==d", ("a", "=b", "c==d")),
        ("é ü", ("é", "ü")),
        ("a [ b ]c", ("a", "[", "b", "]c")),
        ("a \\", ("a", "\\")),
    ],
)
def test_literal_words(text: str, argv: tuple[str, ...]) -> None:
    (operation,) = read(text, "bash")
    assert isinstance(operation, Exec)
    assert operation.argv == argv


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("{a,b}", "a b"),
        ("x{a,b}y", "xay xby"),
        ("{a,b}{1..3}", "a1 a2 a3 b1 b2 b3"),
        ("{1..3}", "1 2 3"),
        ("{3..1}", "3 2 1"),
        ("{01..10..4}", "01 05 09"),
        ("{-1..1}", "-1 0 1"),
        ("{a..c}", "a b c"),
        ("{a,b{c,d}}", "a bc bd"),
        ("{a,}", "a"),
        ("x{,y}", "x xy"),
        ("{{a,b}}", "{a} {b}"),
        ("{a,'b,c'}", "a b,c"),
        ("{a}", "{a}"),
        ("{a,b", "{a,b"),
        ("a,b}", "a,b}"),
        ("'{a,b}'", "{a,b}"),
        ("\\{a,b}", "{a,b}"),
        ("{1..x}{a,b}", "{1..x}a {1..x}b"),
        ("{5..5}", "5"),
    ],
)
def test_brace_expansion_as_bash_does_it(word: str, words: str) -> None:
    assert commands(f"c {word}") == [f"c {words}"]


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("{1..3}", "1 2 3"),
        ("{a..c}", "a b c"),
        ("-{c..a}", "-c -b -a"),
        ("{f..f}{1,2}", "f1 f2"),
        ("GI{T..T}", "GIT"),
        ("{Z..a}", "{Z..a}"),
        ("{a..e..2}", "{a..e..2}"),
        ("{-1..1}", "{-1..1}"),
    ],
)
def test_a_sequence_that_zsh_may_make_otherwise_is_computed(word: str, words: str) -> None:
    """zsh counts through all characters between `Z` and `a`, and knows no steps of letters."""
    (operation,) = read(f"c {word}", "zsh")
    assert isinstance(operation, Exec)
    shown = [w if isinstance(w, str) else w.source for w in operation.argv]
    assert " ".join(shown) == f"c {words}"
    assert any(isinstance(w, Dynamic) for w in operation.argv) == ("{" in words)


@pytest.mark.parametrize(
    ("word", "prefix"), [("""''ls"$x\"""", "ls"), ("""''=ls"$x\"""", ""), ("""a=ls"$x\"""", "a=ls")]
)
def test_what_stands_after_empty_quotes_begins_a_word_of_zsh(word: str, prefix: str) -> None:
    """`=ls` is the path of the program. Another such word has all of them read so."""
    operation = read(f"c {word} =y", "zsh")[0]
    assert isinstance(operation, Exec)
    assert isinstance(operation.argv[1], Dynamic)
    assert operation.argv[1].prefix == prefix


@pytest.mark.parametrize(
    ("word", "prefix", "single"),
    [
        ('"$x"', "", True),
        ("$x", "", False),
        ('"a$x"', "a", True),
        ("a$x", "", False),
        ("'a b'\"$x\"", "a b", True),
        ('"$@"', "", False),
        ('"a$@"', "", False),
        ('"$*"', "", True),
        ("$*", "", False),
        ('"${x[@]}"', "", False),
        ('"${x[*]}"', "", True),
        ("$#", "", True),
        ("$?", "", True),
        ("$!", "", False),
        ("${#x}", "", True),
        ("$((1+2))", "", True),
        ("x$((1+2))", "x", True),
        ("$(a)", "", False),
        ('"$(a)"', "", True),
        ('"v$(a)"', "v", True),
        ("`a`", "", False),
        ("<(a)", "/", True),
        ("*.py", "", False),
        ("src/*.py", "src/", False),
        ("./*", "./", False),
        ("a[bc]d", "a", False),
        ("'*'/?", "*/", False),
        ("~", "/", True),
        ("~/x", "/", True),
        ("~user/x", "", True),
        ("x=~/y", "x=", True),
        ('"$HOME/x"', "/", True),
        ("$HOME/x", "", False),
        ("a{b,$x}", "", False),
        ('a{b,"$x"}', "a", False),
        ("a{1..100000}", "a", False),
        ("${x:-y}", "", False),
        ('"${x:-$@}"', "", False),
    ],
)
def test_what_is_known_of_a_computed_word(word: str, prefix: str, single: bool) -> None:
    operation = read(f"c {word}", "bash")[0]
    assert isinstance(operation, Exec)
    (found,) = operation.argv[1:]
    assert isinstance(found, Dynamic)
    assert found.replace(template=(), fed_by=(), names=()) == Dynamic(word, prefix, single)


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ("HOME=-x; ls ~/y", ""),
        ('HOME=-x; ls "$HOME/y"', ""),
        ("read HOME; ls ~/y", ""),
        ("IFS=1; ls $((11))", ""),
    ],
)
def test_what_the_text_sets_itself_is_not_trusted(text: str, prefix: str) -> None:
    found = [o for o in read(text, "bash") if isinstance(o, Exec) and o.argv[0] == "ls"]
    assert isinstance(found[0].argv[1], Dynamic)
    assert found[0].argv[1].prefix == prefix


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        # a path in the home, and what was set by a command of the same list
        ("d=$HOME/x; ls $d/a", ["ls <$HOME/x/a>"]),
        ('d="$HOME/a b"; ls "$d/c"', ['ls <"$HOME/a b"/c>']),
        ('d="$HOME/a b"; ls $d/c', ["ls <$d/c>"]),
        ("d=~/x; e=$d/y; ls $d", ["ls <$HOME/x>"]),
        ('for d in ~/x ~/y; do ls "$d"; done', ['ls <"$HOME"/x>', 'ls <"$HOME"/y>']),
        ("HOME=/x; d=$HOME/y; ls $d", ["ls <$d>"]),
        ("d=$HOME/$x; ls $d", ["ls <$d>"]),
        ("true && d=x && ls $d", ["true", "ls x"]),
        ("true && d=x || ls $d", ["true", "ls <$d>"]),
        ("true && d=x; ls $d", ["true", "ls <$d>"]),
        ("d=src; ls $d/a", ["ls src/a"]),
        ('d="a b"; ls "$d"', ["ls 'a b'"]),
        ('d="a b"; ls $d', ["ls <$d>"]),
        ("d='*'; ls $d", ["ls <$d>"]),
        ("d=; ls $d", ["ls <$d>"]),
        ("d=a; d=b; ls $d", ["ls <$d>"]),
        ("d=a && ls $d", ["ls a"]),
        ("true && d=a; ls $d", ["true", "ls <$d>"]),
        ("if true; then d=a; fi; ls $d", ["true", "ls <$d>"]),
        ("(d=a); ls $d", ["ls <$d>"]),
        ("d=a | true; ls $d", ["true", "ls <$d>"]),
        ("d=a & ls $d", ["ls <$d>"]),
        ("d=a ls $d", ["ls <$d>"]),
        ("d=a; export d; ls $d", ["export d", "ls a"]),
        ("d=a; declare d; ls $d", ["declare d", "ls <$d>"]),  # in a function it is another one
        ("d=a; unset d; ls $d", ["unset d", "ls <$d>"]),
        ("d=a >f; ls $d", ["ls <$d>"]),
        ("ls $d; d=a", ["ls <$d>"]),
        ("d=a; f() { ls $d; }; f", ["ls a"]),
        ("f() { d=a; }; f; ls $d", ["ls <$d>"]),
        ("d=a; for i in x; do ls $d; done", ["ls a"]),
        ("IFS=a; d=bac; ls $d", ["ls <$d>"]),
        ("c=ls; $c -l", ["ls -l"]),
        ("d=${e:-a}; ls $d", ["ls <$d>"]),
        ('for f in a b; do wc "$f"; done', ["wc a", "wc b"]),
        ('for f in {1..2}; do wc "x$f"; done', ["wc x1", "wc x2"]),
        ('for f in "a b"; do wc $f; done', ["wc <$f>"]),
        ('for f in *.py; do wc "$f"; done', ['wc <"$f">']),
    ],
)
def test_a_variable_assigned_once_is_its_value(text: str, seen: list[str]) -> None:
    assert commands(text) == seen


def test_a_loop_over_paths_keeps_how_they_begin_and_end() -> None:
    found = [o for o in read('for f in ./*.py; do wc "$f"; done', "bash") if isinstance(o, Exec)]
    assert found[0].argv == ("wc", Dynamic('"$f"', "./", True, suffix=".py", names=("f",)))


@pytest.mark.parametrize(
    ("word", "source"),
    [
        (r"~/$'.net\162c'", "~/'.netrc'"),
        (r"$HOME$'/\x2enet\u0072c'x", "$HOME'/.netrc'x"),
        (r".e*$'\166'", ".e*'v'"),
        ("~/$'.netrc'", "~/$'.netrc'"),
        (r"$'.env\0x'*", "'.env'*"),
        (r"$'\xc3\xa9'", "'é'"),
        (r"$'\xff'", "'\ufffd'"),
        (r"$'\ud800'", "'\ufffd'"),
        (r"${u#\*}$'\x2e'", r"${u#\*}'.'"),
        (r"""$u$'\x2e'"$(A $'\x2e')"y""", """$u'.'"$(A '.')"y"""),
    ],
)
@pytest.mark.parametrize("shell", ["bash", "zsh", None])
def test_the_source_of_a_computed_word_has_no_escapes(
    word: str, source: str, shell: str | None
) -> None:
    """Whoever looks for the names in it would not find them otherwise."""
    operation = next(
        o for o in read(f"c {word}", shell) if isinstance(o, Exec) and o.argv[0] == "c"
    )
    assert [w.source for w in operation.argv[1:] if isinstance(w, Dynamic)] == [source]


@pytest.mark.parametrize(
    ("word", "source"),
    [('$".e"*', '".e"*'), ('~/$".netrc"', '~/".netrc"'), ('a$"b\\\nc"*', 'a"bc"*')],
)
def test_what_bash_may_translate_is_its_text(word: str, source: str) -> None:
    """`cd; head $"s"*` was taken for a word that is computed from its first character on."""
    operation = read(f"c {word}", "bash")[0]
    assert isinstance(operation, Exec)
    assert [w.source for w in operation.argv[1:] if isinstance(w, Dynamic)] == [source]


@pytest.mark.parametrize("shell", ["zsh", None])
def test_an_escape_that_shells_read_differently_is_no_known_text(shell: str | None) -> None:
    """zsh drops the backslash: `$'\\.netrc'` is `.netrc` there."""
    operation = read(r"c $'\.netrc'", shell)[0]
    assert isinstance(operation, Exec)
    assert operation.argv == ("c", Dynamic(r"'\.netrc'", "", single=True))
    assert commands(r"c $'\.netrc'", "bash") == [r"c \.netrc"]
