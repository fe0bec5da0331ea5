"""Command lines as their tables say they are, and the tables of all commands against their help."""

import re
from contextlib import suppress

import pytest

from execpolicy.catalogue import read
from execpolicy.commands import COMMANDS, named
from execpolicy.commands.arguments import (
    COMMAND,
    RULES,
    Kind,
    Needs,
    OptionSyntax,
    Syntax,
    Takes,
    meant,
    one_of,
    parse,
)
from execpolicy.commands.exit_codes import HelpError
from execpolicy.engine.engine import Engine
from execpolicy.model.errors import UsageError

OPTIONS = (
    OptionSyntax(("--format",), "format", Takes("format", Kind.WORD, ("text", "json"))),
    OptionSyntax(("--title",), "title", Takes("title")),
    OptionSyntax(("-n", "--count"), "count", Takes("number"), joined=True),
    OptionSyntax(("-r",), "rules", RULES, repeats=True),
    OptionSyntax(("--fix",), "fix"),
    OptionSyntax(("--no-builtin",), "builtin", value=False),
)
FILES = Syntax("lint", OPTIONS, RULES)
LEADS = Syntax("check", OPTIONS, COMMAND, leads=True, lenient=("format", "json"))


@pytest.mark.parametrize(
    ("line", "operands", "fields"),
    [
        ("", (), {}),
        ("a b", ("a", "b"), {}),
        ("a --fix b", ("a", "b"), {"fix": True}),
        ("--no-builtin", (), {"builtin": False}),
        ("--format json a", ("a",), {"format": "json"}),
        ("--format=json", (), {"format": "json"}),
        ("--title=", (), {"title": ""}),
        ("--title --fix", (), {"title": "--fix"}),
        ("--title=a=b", (), {"title": "a=b"}),
        ("-n5", (), {"count": "5"}),
        ("-n=5", (), {"count": "5"}),
        ("-n 5", (), {"count": "5"}),
        ("--count=5", (), {"count": "5"}),
        ("-r a -r b c", ("c",), {"rules": ("a", "b")}),
        ("--fix -- --fix -", ("--fix", "-"), {"fix": True}),
        ("-", ("-",), {}),
    ],
)
def test_options_may_stand_anywhere_before_the_dashes(
    line: str, operands: tuple[str, ...], fields: dict[str, object]
) -> None:
    parsed = parse(FILES, line.split())
    assert (parsed.operands, parsed.fields) == (operands, fields)
    assert parsed.dashes is ("--" in line.split())


@pytest.mark.parametrize(
    ("line", "operands", "fields"),
    [
        ("--fix rm --fix", ("rm", "--fix"), {"fix": True}),
        ("--fix -- --fix", ("--fix",), {"fix": True}),
        ("- -x", ("-", "-x"), {}),
        ("rm -- -x", ("rm", "--", "-x"), {}),
        ("rm --help", ("rm", "--help"), {}),
        ("--format json -x --fix", ("-x", "--fix"), {"format": "json"}),
    ],
)
def test_a_command_keeps_its_own_options(
    line: str, operands: tuple[str, ...], fields: dict[str, object]
) -> None:
    parsed = parse(LEADS, line.split())
    assert (parsed.operands, parsed.fields) == (operands, fields)


@pytest.mark.parametrize("line", ["-h", "--help", "a --fix --help", "--title x -h --bogus"])
def test_help_goes_before_what_follows(line: str) -> None:
    with pytest.raises(HelpError):
        parse(FILES, line.split())


def test_behind_the_dashes_nothing_is_help() -> None:
    assert parse(FILES, ["--", "--help"]).operands == ("--help",)


@pytest.mark.parametrize(
    ("syntax", "line", "says"),
    [
        (FILES, "--title", "option `--title` needs a value"),
        (FILES, "--fix --fix", "option `--fix` is given twice"),
        (FILES, "--count 1 -n 2", "option `-n` is given twice"),
        (FILES, "--fix=yes", "option `--fix` takes no value"),
        (FILES, "--xif", "unknown option `--xif` (`execpolicy lint --help`)"),
        (FILES, "-x", "unknown option `-x` (`execpolicy lint --help`)"),
        (FILES, "-\x1b", "unknown option `-\\x1b` (`execpolicy lint --help`)"),
        (FILES, "--fi", "did you mean `--fix`?"),
        (FILES, "-ra", "unknown option `-ra`"),
        (FILES, "--format xml", "unknown format `xml`: use text or json"),
        (FILES, "--format=\x1b", "unknown format `\\x1b`: use text or json"),
        (LEADS, "--bogus rm", "(put `--` in front of the command)"),
        (Syntax("log"), "a", "unexpected argument `a` (`execpolicy log --help`)"),
        (Syntax("diff", (), RULES, most=2), "a b c", "unexpected argument `c`"),
        (
            Syntax("x", (), Takes("host", Kind.WORD, ("claude", "codex"))),
            "claude emacs",
            "unknown host `emacs`: use claude or codex",
        ),
    ],
)
def test_what_is_wrong_is_named(syntax: Syntax, line: str, says: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse(syntax, line.split(" "))
    assert says in str(raised.value)


def test_what_was_read_before_a_mistake_is_known() -> None:
    found: dict[str, object] = {}
    with pytest.raises(UsageError):
        parse(FILES, ["--format", "json", "--bogus"], found)
    assert found == {"format": "json"}


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("a", "a"),
        ("a b", "a or b"),
        ("a b c", "a, b or c"),
        ("a b c d e f", "one of a, b, c, d, e, f"),
    ],
)
def test_words_to_choose_from(words: str, text: str) -> None:
    assert one_of(words.split()) == text


def test_near_words_are_offered_and_far_ones_are_not() -> None:
    assert meant("instal", COMMANDS) == "; did you mean `install` or `uninstall`?"
    assert meant("zzz", COMMANDS) == ""


NEEDS = Syntax(
    "run",
    (
        *OPTIONS,
        OptionSyntax(
            ("--width",), "width", Takes("number"), needs=(Needs("format", (None, "text")),)
        ),
        OptionSyntax(("--indent",), "indent", needs=(Needs("format", ("json",)),)),
        OptionSyntax(("--unsafe",), "unsafe", needs=(Needs("fix", (True,)),)),
    ),
    COMMAND,
    leads=True,
    lenient=("format", "json"),
)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("--width 9", None),
        ("--width 9 --format text", None),
        ("--format text --width 9", None),
        ("--width 9 --format json", "`--width` cannot be used with `--format json`"),
        ("--indent", "`--indent` needs `--format json`"),
        ("--indent --format text", "`--indent` cannot be used with `--format text`"),
        ("--indent --format json", None),
        ("--unsafe", "`--unsafe` needs `--fix`"),
        ("--unsafe --fix", None),
        ("--unsafe --help", None),
        ("-- --unsafe", None),
    ],
)
def test_an_option_that_would_be_ignored_is_a_mistake(line: str, says: str | None) -> None:
    if says is None:
        with suppress(HelpError):
            parse(NEEDS, line.split())
        return
    with pytest.raises(UsageError) as raised:
        parse(NEEDS, line.split())
    assert str(raised.value) == says


def test_where_unknown_options_are_the_command_so_are_those_without_a_meaning() -> None:
    parsed = parse(NEEDS, ["--format", "json", "--width", "9", "ls"])
    assert (parsed.operands, parsed.fields) == (("--width", "9", "ls"), {"format": "json"})


NAMES = re.compile(r"^  (-[\w-]+)(?: [A-Z]+)?(?:, (--[\w-]+))?", re.MULTILINE)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_tells_each_option_and_no_other(name: str) -> None:
    command = named(name)
    told = [spelling for both in NAMES.findall(command.help()) for spelling in both if spelling]
    assert sorted(told) == sorted(n for o in command.syntax().options for n in o.names)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_table_is_that_of_its_command(name: str) -> None:
    syntax = named(name).syntax()
    assert syntax.command == name
    fields = [option.field for option in syntax.options]
    assert len(fields) == len(set(fields))
    known = [o.takes for o in syntax.options if o.takes] + [syntax.operands or Takes("x")]
    assert all(takes.known() for takes in known if takes.kind in (Kind.WORD, Kind.OPEN))


@pytest.mark.parametrize("name", COMMANDS)
def test_what_an_option_needs_can_be_given(name: str) -> None:
    options = {option.field: option for option in named(name).syntax().options}
    for need in (need for option in options.values() for need in option.needs):
        if need.field not in options:  # options that `check` shares with `explain`
            assert None in need.values
            continue
        takes = options[need.field].takes
        known = {None, *takes.known()} if takes else {None, options[need.field].value}
        assert set(need.values) - {"codex", "requirement"} <= known


@pytest.mark.parametrize("name", COMMANDS)
def test_the_catalogue_knows_each_option_of_a_command(name: str) -> None:
    snapshot = Engine.load(rules=[]).snapshot
    options = [each for option in named(name).syntax().options for each in option.names]
    unknown = [
        option
        for option in options
        for cause in read(("execpolicy", name, option, "x"), snapshot.catalogue).effects
        if cause.effect == "unknown" and option in (cause.why or "")
    ]
    assert unknown == []
