"""Every element of the notation, and what it says of a command."""

import pytest

from execpolicy.catalogue import Catalogue, read
from execpolicy.catalogue.grammar.compile import compile_programs
from execpolicy.model.operation import Dynamic
from execpolicy.model.written.program import Form, Program
from tests.catalogue.build import SHIPPED, catalogue, effects, one, problems, reads

OPTIONS = [
    # options, the command after `p`, its effects besides `read`
    ("-a", "-a", ""),
    ("-a", "-b", "unknown"),
    ("-a/--all", "--all", ""),
    ("-a/--all", "--all=x", "unknown"),
    ("-a -b -c", "-abc", ""),
    ("-a -b", "-abx", "unknown"),
    ("--[no-]color", "--no-color --color", ""),
    ("-k/--key=", "-k 1", ""),
    ("-k/--key=", "-k1", ""),
    ("-k/--key=", "--key 1", ""),
    ("-k/--key=", "--key=1", ""),
    ("-k/--key=", "-k", "unknown"),
    ("-k/--key=", "--key", "unknown"),
    ("-a -o=out", "-ao file", "write"),
    ("-a -o=out", "-aofile", "write"),
    ("-o=opened", "-o /dev/null", ""),
    ("-o=out", "-o /dev/null", "write"),
    ("-o={-}|out", "-o -", ""),
    ("-o={-}|out", "-o x", "write"),
    ("-o=out", "-o -", "write"),
    ("--color[=]", "--color", ""),
    ("--color[=]", "--color=auto", ""),
    ("-i[=]!write", "-i.bak", "write"),
    ("-i[=]!write -n", "-ni", "write"),
    ("--arg=text,out", "--arg a b", "write"),
    ("--arg=text,out", "--arg a", "unknown"),
    ("--arg=text,text", "--arg=a b", "unknown"),
    ("--ids=text* -v", "--ids a b -v", ""),
    ("--ids=text+", "--ids", "unknown"),
    ("-NUM", "-20", ""),
    ("-NUM -v", "-v20", ""),
    ("-NUM -f", "-20f", ""),
    ("-W* -I*=dir", "-Wall -Ix -I y", ""),
    ("-I*=out", "-Ix", "write"),
    ("+x +NUM*", "+x +NUM5", ""),
    ("+x -n", "+n", "unknown"),
    ("+x +y!write", "+xy", "write"),
    ("if=file of=out", "if=a of=b", "write"),
    ("if=file of=out", "of=b if=a", "write"),
    ("if=file", "of=a", "unknown"),
    ("( ) !", "( ! )", ""),
    ("-delete!destroy", "-delete", "destroy"),
    ("-c=!execute,network", "-c x", "execute network"),
    ("-f={http*}!network|file", "-f http:x", "network"),
    ("-f={http*}!network|file", "-f x", ""),
    ("-t={a|b*}", "-t a", ""),
    (r"-t={\|*}!execute|text", "-t |a", "execute"),
    (r"-t={\|*}!execute|text", "-t a", ""),
    (r"-t={a\|b|c}", "-t a|b", ""),
    (r"-t={a\|b|c}", "-t b", "unknown"),
    (r"-t={\|=*}out|text", "-t |=a", "write"),
    ("-t={a|b*}", "-t bcd", ""),
    ("-t={a|b*}", "-t c", "unknown"),
    ("-n=number", "-n -5", ""),
    ("-n=number", "-n 10K", ""),
    ("-n=number", "-n 1.5s", ""),
    ("-n=number", "-n x", "unknown"),
    ("-v=name", "-v x_1", ""),
    ("-v=name", "-v a[$(id)]", "unknown"),
    ("-\\/*", "-/x", ""),
    ("-a={exec=*}out|text", "-a exec=x", "write"),
    ("-a={exec=*}out|text", "-a dot", ""),
    ("-a={exec=*|e=*}opened", "-a e=/dev/null", ""),
    ("-a={exec=*}out", "-a x", "unknown"),
    ("-a={!*}out!system|text", "-a !x", "write system"),
]


@pytest.mark.parametrize(("options", "command", "expected"), OPTIONS)
def test_options(options: str, command: str, expected: str) -> None:
    assert effects(reads(one(options), f"p {command}".replace("$(", "S("))) == {*expected.split()}


OPERANDS = [
    ("", "", ""),
    ("", "x", "unknown"),
    ("file", "x", ""),
    ("file", "", "unknown"),
    ("file", "x y", "unknown"),
    ("file?", "", ""),
    ("file*", "a b c", ""),
    ("file+", "", "unknown"),
    ("file+ out", "a b", "write"),
    ("file+ out", "a", "unknown"),
    ("file? out?", "a", ""),
    ("file? out?", "a b", "write"),
    ("file? out", "a", "write"),
    ("remove* text", "a", ""),
    ("remove* text", "a b", "destroy"),
    ("{on|off}!system", "on", "system"),
    ("{on|off}", "up", "unknown"),
    ("{+*}? text*", "+a b", ""),
    ("{get-*|list} text*", "get-x y", ""),
    ("{get-*|list} text*", "put-x y", "unknown"),
    ("{*=*}", "a=b", ""),
    ("{*.md} out?", "a.md", ""),
    ("number text", "5 x", ""),
    ("number text", "x x", "unknown"),
    ("execute", "x", "execute"),
    ("text*", "-", ""),
    ("text*", "-- -x", ""),
    ("moved+ out", "a b", "write"),
    ("code", "x", "execute"),
    ("program", "x", "execute"),
    ("<code", "", "execute"),
    ("command+", "", "unknown"),
    ("command+?", "", ""),
]


@pytest.mark.parametrize(("operands", "command", "expected"), OPERANDS)
def test_operands(operands: str, command: str, expected: str) -> None:
    assert effects(reads(one("", operands), f"p {command}")) == {*expected.split()}


FORMS = (
    Form("write", needs="-x", operands="text*"),
    Form("", needs="-c -r", without="-n", operands="file+", options="-f/--file=out"),
    Form("network", operands="{pull} url"),
)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("-f a b", "system"),
        ("-xf a b", "write"),
        ("-cf a b", "write"),
        ("-rf a b", "write"),
        ("-rf a", "unknown"),
        ("-c b", ""),
        ("-cn b", "system"),
        ("pull http://h", "network"),
        ("pull", "system"),
        ("", "unknown"),
    ],
)
def test_forms(command: str, expected: str) -> None:
    entries = one("-f/--file=file -x -c -r -n", "text+ ", effect="system", forms=FORMS)
    assert effects(reads(entries, f"p {command}")) == {*expected.split()}


STYLES = [
    ("", "a -x", ""),
    ("posix", "a -x", ""),
    ("posix", "-z", "unknown"),
    ("plain", "-x --help -- y", ""),
    ("tar", "xo file", "write"),
    ("tar", "ox file", "write"),
    ("tar", "xz", "unknown"),
    ("tar", "-x a", ""),
    ("word", "-long a -out b", "write"),
    ("word", "--out=b", "write"),
    ("word", "-long=true", ""),
    ("word", "-long=x", "unknown"),
    ("word", "-lo", "unknown"),
    ("word posix", "a -out b", ""),
]


@pytest.mark.parametrize(("style", "command", "expected"), STYLES)
def test_styles(style: str, command: str, expected: str) -> None:
    entries = one("-x -o=out -long --out=out", "text*", style=style)
    assert effects(reads(entries, f"p {command}")) == {*expected.split()}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("-n", ""),
        ("-n=true", ""),
        ("-n=false", "destroy"),
        ("-n=0 x", "destroy"),
        ("-n -n=false", "destroy"),
        ("-x -n=F", ""),
    ],
)
def test_a_form_needs_a_flag_that_is_not_switched_off(command: str, expected: str) -> None:
    dry = (Form("", needs="-n -x"),)
    entries = one("-n -x", "text*", style="word", effect="destroy", forms=dry)
    assert effects(reads(entries, f"p {command}")) == {*expected.split()}


@pytest.mark.parametrize(
    ("abbreviations", "command", "expected"),
    [
        (True, "--out x", "write"),
        (True, "--outp=x", "write"),
        (True, "--o", "unknown"),
        (True, "--only", ""),
        (False, "--out x", "unknown write"),
        (False, "--outp=x", "unknown write"),
        (False, "--onl x", "unknown"),
        (False, "--output x", "write"),
    ],
)
def test_abbreviations(abbreviations: bool, command: str, expected: str) -> None:
    entries = one("--output=out --only --on", "text*", abbreviations=abbreviations)
    assert effects(reads(entries, f"p {command}")) == {*expected.split()}


HELP = [
    ("p -h", ""),
    ("p s --help", ""),
    ("p s a -h", ""),
    ("p s -x --help a", ""),
    ("p s", "write"),
    ("p", ""),
    ("p q", ""),  # needs a subcommand
    ("p q x", "unknown"),
    ("p t -h", "system"),  # declared: it means something else here
    ("p t a", "system"),
    ("p run a -h", "execute"),
    ("p run -h a", ""),
    ("p s -z --help", "unknown write"),  # `-z` may take `--help` as its value
    ("p s -o --help", "write"),
    ("p any -o --help", "write"),  # as may any option of which nothing is known
    ("p any -o=x --help", ""),
    ("p any --help -o", ""),
    ("p s -- --help", "write"),
    ("p s $x --help", "write"),
    ("p s -o=$x --help", "write"),
]


@pytest.mark.parametrize(("command", "expected"), HELP)
def test_help(command: str, expected: str) -> None:
    entries = catalogue(
        Program(("p",), help="-h"),
        Program(("p s",), "-x -o=out", "text*", effect="write"),
        Program(("p any",), "-*", "text*", effect="write"),
        Program(("p q v",)),
        Program(("p t",), "-h", "text*", effect="system"),
        Program(("p run",), "", "text*", effect="execute", style="posix"),
    )
    assert effects(reads(entries, command)) == {*expected.split()}


VALUED = [
    ("p -o name", "plain"),
    ("p -oname a", "plain"),
    ("p -o yaml", ""),
    ("p", ""),
    ("p -o name -o yaml", ""),
    ("p -o $x", ""),
    ("p -n -o name", ""),
    ("p -c", "number"),
    ("p -c=false", ""),
    ("p -z -c", ""),
    ("p $x -c", ""),
]


@pytest.mark.parametrize(("command", "prints"), VALUED)
def test_forms_that_need_a_value(command: str, prints: str) -> None:
    forms = (
        Form("read", needs="-o={name|id}", without="-n", prints="plain"),
        Form("read", needs="-c", prints="number"),
    )
    entries = one("-o= -n -c -w=out", "text*", forms=forms)
    assert reads(entries, command).prints == prints


@pytest.mark.parametrize(
    ("command", "expected"), [("p -oa", ""), ("p -ob", "write"), ("p -o a", "write")]
)
def test_a_form_whose_option_may_have_no_value(command: str, expected: str) -> None:
    entries = one("-o[=]", "text*", effect="write", forms=(Form("read", needs="-o={a}"),))
    assert effects(reads(entries, command)) == {*expected.split()}


@pytest.mark.parametrize(
    ("word", "expected"),
    [("5", "network"), ("x", "network"), ("http:", "system network")],
)
def test_a_number_is_no_word_that_is_none(word: str, expected: str) -> None:
    entries = one("-x!write", "{http*}!system|text", effect="network")
    assert effects(reads(entries, f"p {word}")) == {*expected.split()}
    number = read(("p", Dynamic("$n", "", True, True, True)), entries)
    assert effects(number) == {"network"}
    unknown = read(("p", Dynamic("$n", "", True, True)), entries)
    assert effects(unknown) == {"network", "system"}


PROBLEMS = [
    (Program(("p",), "-k=="), "in options: `-k==`: unknown kind `=`"),
    (Program(("p",), "-k=nonsense"), "unknown kind `nonsense`"),
    (Program(("p",), "-k!loud"), "unknown effect `loud`"),
    (Program(("p",), "-k[=x"), "an optional value has no end"),
    (Program(("p",), "-a/"), "an option has no name"),
    (Program(("p",), "-a -a"), "`-a` is declared twice"),
    (Program(("p",), "", "file* out*"), "two operands repeat"),
    (Program(("p",), "", "files"), "unknown kind `files`"),
    (Program(("p",), "", "command;"), "`command;` is for the value of an option"),
    (Program(("p",), effect="loud"), "unknown effect `loud`"),
    (Program(("p",), style="loud"), "unknown style `loud`"),
    (Program(("p",), forms=(Form("", needs="-q"),)), "`-q` is not among the options"),
    (Program(("p",), "-f=", forms=(Form("", options="-f"),)), "with as many values"),
    (Program((" ",)), "a name is empty"),
    (Program(("p",), "-o=", forms=(Form("", needs="-o={a"),)), "unknown kind `{a`"),
    (Program(("p",), "-o=", forms=(Form("", needs="-q={a}"),)), "`-q` is not among the options"),
    (Program(("p",), prints="loud"), "unknown output `loud`"),
    (Program(("p",), "-a={exec=}shell"), "`{exec=}` has a word without `*` at its end"),
    (Program(("p",), "-a={exec=*}command"), "`command` cannot be a part of a word"),
    (Program(("p",), "-a={exec=*}shells"), "unknown kind `shells`"),
]


@pytest.mark.parametrize(("program", "message"), PROBLEMS, ids=[m for _, m in PROBLEMS])
def test_what_is_not_in_the_notation(program: Program, message: str) -> None:
    found = problems(program)
    assert len(found) == 1
    assert message in found[0]


def test_all_problems_come_at_once_and_know_their_place() -> None:
    table, found = compile_programs([Program(("p",), "-a=x -b=y", "z", origin=SHIPPED)])
    assert [d.span.line for d in found] == [3, 3, 3]
    assert [d.code for d in found] == ["program"] * 3
    assert Catalogue(table).programs() == []


def test_a_path_described_twice_in_a_layer_is_a_problem() -> None:
    twice = [Program(("p x",), origin=SHIPPED), Program(("p x", "p y"), origin=SHIPPED)]
    assert [m for m in problems(*twice) if "described twice" in m]


def test_a_later_layer_replaces_an_entry() -> None:
    user = SHIPPED.replace(layer="user")
    entries = catalogue(
        Program(("p",), "-a", origin=SHIPPED), Program(("p",), "-b", effect="write", origin=user)
    )
    assert effects(reads(entries, "p -b")) == {"write"}
    assert effects(reads(entries, "p -a")) == {"write", "unknown"}
