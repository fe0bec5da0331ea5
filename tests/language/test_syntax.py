"""What the grammar reads, what it refuses and how it says so, and where everything stands."""

import ast

import pytest
import starlark

from execpolicy.language.evaluate.child import dialect
from execpolicy.language.syntax import strings, syntax
from execpolicy.language.syntax.calls import calls
from execpolicy.language.syntax.lower import lower
from execpolicy.language.syntax.syntax import parse
from execpolicy.language.syntax.tree import Comment, nodes
from execpolicy.model.errors import PolicyError


def starlark_takes(text: str) -> bool:
    try:
        starlark.parse("rules", text, dialect())
    except starlark.StarlarkError:
        return False
    return True


ACCEPTED = [
    # files and lines
    "",
    "\n",
    "# only a comment",
    "x",
    "x\n  ",
    "x;y;",
    "\n  \n# c\nx\n\n",
    "x = 1\r\ny = 2\r\n",
    "x = 1 \\\n    + 2",
    "x = [\r\n1]",
    "\\\nx",
    "x\n\t\n\t# tabs on lines that hold nothing\n",
    # statements
    "pass",
    "if a: b",
    "if a:\n  b\nelif c: d\nelse:\n    e\n",
    "if a:\n  b\n\nelse: c",
    "for a in b: c; break; continue",
    "for a, (b, [c.d]), e[0] in f: pass",
    "for a, in b if c else d: pass",
    "def f(): return",
    "def f(a, b: int = 1, *c: str, d, e = 2, **g) -> list[str] | None:\n  return a, b",
    "def f(*, a): pass",
    "def f(a, *b, c,): pass",
    "def f():\n  def g():\n    return 1\n  return g",
    "a = b, c",
    "(a, [b, c]) = d",
    "a.b = c",
    "a: int = 1",
    "a: dict[str, (int, ...)] | [a, b] | x.y.z | () = 1",
    "a += 1, 2",
    "a[0] //= 2",
    "True = 1",
    'load("a", "b", c = "d",); x',
    # expressions
    "...",
    "a or b and not c",
    "a if b else c if d else e",
    "lambda: lambda a, *b, c = 1, **d: a",
    "a not in b",
    "not a == b",
    "a | b ^ c & d << 1 + 2 * -3 // ~4 % 5 / +6",
    "(a < b) < c",
    "f(a, b = 1, *c, **d,)",
    "f(*a if b else c)",
    "f(a)[b].c(d)[1:2][::3][e, f][:]",
    "((), (a,), (a, b,))",
    "[]",
    "{}",
    "[a, b,]",
    "{a: b, c: d,}",
    "[a for b, c in d for e in f if g if h]",
    "{a: b for c in d}",
    "[lambda: a for b in c or d]",
    "1 .real",
    "1.5.real",
    "1if a else 2",
    "0x1F + 0O17 + 0b11 + 1. + .5 + 1e5 + 01.5E-3",
    "99999999999999999999",
    # strings
    "\"\" + '' + \"\"\"\"\"\" + ''''''",
    r"'a\'b' + '\x41\u0041\U0001F600\101\q\8'",
    '"""a"b""\nc\\""""',
    "r'\\d' + r\"\\\"\" + r'''a\\\n'''",
    '"a\\\nb"',
    '"tab\tand \x00 and é"',
    "'a\rb'",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_the_grammar_and_starlark_take(text: str) -> None:
    assert parse(text).rebuild() == text
    assert starlark_takes(text)


NEWER = [
    # what Codex reads and starlark-pyo3 does not, and what it becomes
    ('f"{a.b()}"', '"{}".format(a.b())'),
    ('f"{ a }{b!r}{c!s}"', '"{}{!r}{}".format( a , b, c)'),
    ("f'{[x for x in y]}'", "'{}'.format([x for x in y])"),
    ('f"{"q"}{f"{x}"}"', '"{}{}".format("q", "{}".format(x))'),
    ('f"{ {1: 2}[1] }"', '"{}".format( {1: 2}[1] )'),
    ('f"{{a}}\\{{b}"', '"{{a}}\\{{{}".format(b)'),
    ('fr"\\d{a}"', 'r"\\d{}".format(a)'),
    ('f"""a\n{b # c\n}"""\nd', '"""a\n{}""".format(b # c\n)\nd'),
    ('f"{a if b != c else (d!=e)}"', '"{}".format(a if b != c else (d!=e))'),
    ('f"" + b"x" + br\'\\x\'', '"".format() + bytes("x") + bytes(r\'\\x\')'),
]


@pytest.mark.parametrize(("text", "lowered"), NEWER)
def test_newer_syntax_is_lowered_to_older(text: str, lowered: str) -> None:
    module = parse(text)
    assert module.rebuild() == text
    assert lower(module) == lowered
    assert starlark_takes(lowered)


REFUSED = [
    # text, place, code, message, hint
    ("while x: pass", "1:1", "reserved", "`while` is a reserved word", "for i in range(n)"),
    ("import os", "1:1", "reserved", "`import` is", "stand alone"),
    ("x is y", "1:3", "reserved", "`is` is", "compare with `==`"),
    ("x = [\n\t1]", "2:1", "tab", "a tab outside a string", "spaces"),
    ("x\t= 1", "1:2", "tab", "a tab outside a string", "spaces"),
    ("x = [\n\r1]", "2:1", "character", "a carriage return inside a line", None),
    ("if x:\n\tpass", "2:1", "tab", "a tab outside a string", "spaces"),
    ("x = 'a", "1:5", "string", "a string that does not end", "three quotes"),
    ('x = """a', "1:5", "string", "a string that does not end", None),
    ('x = f"a\ny = 1', "1:5", "string", "a string that does not end", None),
    ('f"{n"', "1:5", "string", "a string that does not end", "three quotes"),
    ("x = “a”", "1:5", "character", "U+201C can only stand in strings", "straight quotes"),
    ("\ufeffx", "1:1", "character", "U+FEFF", "byte order mark"),
    ("x =\xa01", "1:4", "character", "U+00A0", "plain space"),
    ("é = 1", "1:1", "character", "U+00E9", None),
    ("@dec\ndef f(): pass", "1:1", "character", "`@` can only", "no decorators"),
    ("x = `1`", "1:5", "character", "```", "straight quotes"),
    ("x \\ \n", "1:3", "character", "`\\` can only", "very last character"),
    ("x = 017", "1:5", "number", "`017` begins with a zero", "0o17"),
    ("x = 1_000", "1:6", "syntax", "unexpected `_000`", None),
    ("  x", "1:3", "indentation", "unexpected indentation", "further left"),
    ("if x:\n  a\n b", "3:1", "indentation", "fits no block", "0 or 2"),
    ("if x:\n# c\n", "3:1", "indentation", "expected an indented block", "pass"),
    ("if x:\npass", "2:1", "indentation", "expected an indented block", "pass"),
    ("f(\n  [1,\n  2\n", "2:3", "bracket", "`[` is never closed", None),
    ("f(x]", "1:4", "syntax", "unexpected `]`", None),
    ("}", "1:1", "syntax", "unexpected `}`", "expected an expression"),
    ('["a" "b"]', "1:6", "syntax", 'unexpected `"b"`', "side by side"),
    ('f(["a"]\nf("b")', "2:1", "syntax", "unexpected `f`", "`(` of line 1 is still open"),
    ("1 < x < 2", "1:7", "syntax", "unexpected `<`", "do not chain"),
    ("a in b in c", "1:8", "syntax", "unexpected `in`", "do not chain"),
    ("2 ** 3", "1:3", "syntax", "unexpected `**`", "no power operator"),
    ("a && b", "1:3", "syntax", "unexpected `&&`", "`and`"),
    ("f(a := 1)", "1:5", "syntax", "unexpected `:=`", "of its own"),
    ("a = b = c", "1:7", "syntax", "unexpected `=`", "one `=` a statement"),
    ("// c", "1:1", "syntax", "unexpected `//`", "comments begin with `#`"),
    ("[*a]", "1:2", "syntax", "unexpected `*`", "join lists with `+`"),
    ("{**a}", "1:2", "syntax", "unexpected `**`", "join lists with `+`"),
    ("{a}", "1:3", "syntax", "unexpected `}`", "expected `:`"),
    ("(x for x in y)", "1:4", "syntax", "unexpected `for`", "only lists and dicts"),
    ("x = a if b", "1:11", "syntax", "unexpected end of the line", "needs its `else`"),
    ("x =", "1:4", "syntax", "unexpected end of the line", "expected an expression"),
    ("x.", "1:3", "syntax", "unexpected end of the line", "expected a name"),
    ("x, y", "1:5", "syntax", "unexpected end of the line", None),
    ("x inside y", "1:3", "syntax", "unexpected `inside`", None),
    ("x.if", "1:3", "syntax", "unexpected `if`", "expected a name"),
    ("else: x", "1:1", "syntax", "unexpected `else`", "continues an `if`"),
    ("if a: b\n\nelse: c", "3:1", "syntax", "a blank line before `else`", "lines of its own"),
    ("for x in y:\n  x\nelse: x", "3:1", "syntax", "unexpected `else`", "continues an `if`"),
    ("if x: if y: z", "1:7", "syntax", "unexpected `if`", "a new line"),
    ("def f(a, /): pass", "1:10", "syntax", "unexpected `/`", "positional-only"),
    ("def f(a = 1, b): pass", "1:15", "order", "a name without a value", "put it first"),
    ("def f(*): pass", "1:8", "syntax", "unexpected `)`", "a name"),
    ("def f(**a, b): pass", "1:12", "syntax", "unexpected `b`", "the order is"),
    ('def f(a: "int"): pass', "1:10", "syntax", 'unexpected `"int"`', "types are names"),
    ("x: int", "1:7", "syntax", "unexpected end of the line", None),
    ("f(a = 1, b)", "1:11", "order", "a name without a value", "put it first"),
    ("f(*a, b)", "1:7", "syntax", "unexpected `b`", "the order is"),
    ("f(**a, *b)", "1:8", "syntax", "unexpected `*`", "the order is"),
    ("f(a = 1, a = 2)", "1:10", "repeated", "argument `a` is given twice", None),
    ("def f(a, a): pass", "1:10", "repeated", "parameter `a` is given twice", None),
    ("lambda a, *a: a", "1:12", "repeated", "parameter `a` is given twice", None),
    ("f() = 1", "1:1", "target", "cannot be assigned to", "a name"),
    ("a, 1 = b", "1:4", "target", "cannot be assigned to", "a name"),
    ("a[1:2] = b", "1:1", "target", "cannot be assigned to", "a name"),
    ("for a + b in c: pass", "1:5", "target", "cannot be assigned to", "a name"),
    ("[x for f() in y]", "1:8", "target", "cannot be assigned to", "a name"),
    ("a, b += 1", "1:1", "target", "`+=` changes one thing only", "one name"),
    ("a: int += 1", "1:2", "target", "a type before `+=`", "leave it out"),
    ("a, b: int = c", "1:5", "target", "a type for several names", "leave it out"),
    ("return 1", "1:1", "placement", "`return` outside a `def`", None),
    ("if x: break", "1:7", "placement", "`break` outside a `for` loop", None),
    ("for x in y:\n  def f():\n    continue", "3:5", "placement", "`continue` outside", None),
    ('def f():\n  load("a", "b")', "2:3", "placement", "`load` inside a block", None),
    ('load("a")', "1:9", "syntax", "unexpected `)`", "expected `,`"),
    (r'"\x4"', "1:2", "escape", r"`\x` is not an escape", "for a backslash"),
    (r'"a\ud800"', "1:3", "escape", r"`\ud800` is not an escape", "for a backslash"),
    ('r"a\\\r\n"', "1:4", "string", "a string that does not end", None),
    (r'"\U00110000"', "1:2", "escape", r"`\U00110000` is not an escape", "for a backslash"),
    ('f"{}"', "1:4", "syntax", "unexpected `}`", "expected an expression"),
    ('f"}"', "1:3", "syntax", "unexpected `}`", None),
    ('f"{n:>3}"', "1:5", "syntax", "unexpected `:`", "expected `!r` or `}`"),
    ('f"{n!x}"', "1:5", "character", "`!` can only", "write `not`"),
    ('f"{n!=m}"', "1:5", "syntax", "unexpected `!=`", "a space before"),
    (r'f"{\"q\"}"', "1:4", "character", "`\\` can only", "very last"),
]


@pytest.mark.parametrize(("text", "place", "code", "message", "hint"), REFUSED)
def test_the_grammar_and_starlark_refuse(
    text: str, place: str, code: str, message: str, hint: str | None
) -> None:
    with pytest.raises(PolicyError) as raised:
        parse(text, "a.rules")
    first = raised.value.diagnostics[0]
    assert (str(first.span), first.code) == (f"a.rules:{place}", code)
    assert message in first.message
    assert (first.hint is None) if hint is None else (hint in (first.hint or ""))
    assert not starlark_takes(text)


def problems(text: str) -> list[str]:
    with pytest.raises(PolicyError) as raised:
        parse(text, "f")
    return [f"{d.span} {d.code}" for d in raised.value.diagnostics]


def test_every_broken_statement_is_reported_in_one_go() -> None:
    text = 'a = = 1\nb = 2\nif b:\n  c ==\n  d\nelse: e\nwhile b: pass\nf("x\ng(1)\n'
    assert problems(text) == ["f:1:5 syntax", "f:4:7 syntax", "f:7:1 reserved", "f:8:3 string"]


def test_every_problem_of_a_readable_file_is_reported_in_order() -> None:
    text = 'return\nf(a = 1, a = 2)\n"\\x"\n1 = 2\n'
    assert problems(text) == ["f:1:1 placement", "f:2:10 repeated", "f:3:2 escape", "f:4:1 target"]


def test_a_statement_after_an_open_bracket_is_still_read() -> None:
    assert problems('f(["a"]\ng(1 2)\nh(\n') == ["f:2:1 syntax", "f:2:5 syntax", "f:3:2 bracket"]


def test_no_more_problems_than_a_person_reads() -> None:
    assert len(problems("a b\n" * 100)) == syntax.MAX_PROBLEMS


def test_a_diagnostic_shows_its_source_line() -> None:
    with pytest.raises(PolicyError) as raised:
        parse('x = 1\nf(["a" "b"])\n', "a.rules")
    assert str(raised.value) == (
        'a.rules:2:8: error[syntax]: unexpected `"b"`\n'
        '    f(["a" "b"])\n'
        "           ^~~\n"
        "  hint: strings side by side are not joined: write `,` or `+` between them"
    )


def test_comments_know_their_places() -> None:
    text = "# a\nx = [  # b\n    # c\n    '# no',\n]  # d\nif x:\n    y  # e\n    # f\nz # g"
    assert list(parse(text).comments()) == [
        Comment("# a", 1, 1, False),
        Comment("# b", 2, 8, True),
        Comment("# c", 3, 5, False),
        Comment("# d", 5, 4, True),
        Comment("# e", 7, 8, True),
        Comment("# f", 8, 5, False),
        Comment("# g", 9, 3, True),
    ]


def test_spans_are_exact() -> None:
    module = parse("e = f('é', b = [\n  1])\n", "f")
    found = {n.kind: (str(module.span(n)), module.source(n)) for n in nodes(module.root)}
    assert found["call"] == ("f:1:5", "f('é', b = [\n  1])")
    assert found["named"] == ("f:1:12", "b = [\n  1]")
    assert found["list"] == ("f:1:16", "[\n  1]")
    (call,) = (n for n in nodes(module.root) if n.kind == "call")
    assert module.span(call).end_column == 17
    assert module.span(call.children[0]).end_column == 6


def test_calls_have_spans_and_values() -> None:
    text = (
        'x = prefix_rule(\n  ["a", ("b", r"\\c")],\n  decision = d,\n  n = {-1: 2.5, "k": None},\n)'
    )
    (call,) = calls(text, "f")
    assert (call.name, str(call.span), str(call.name_span)) == ("prefix_rule", "f:1:5", "f:1:5")
    shown = [(a.name, a.literal, a.value, str(a.span)) for a in call.arguments]
    assert shown == [
        (None, True, ["a", ("b", "\\c")], "f:2:3"),
        ("decision", False, None, "f:3:3"),
        ("n", True, {-1: 2.5, "k": None}, "f:4:3"),
    ]
    assert [(s.value, str(s.span)) for s in call.arguments[0].strings] == [
        ("a", "f:2:4"),
        ("b", "f:2:10"),
        ("\\c", "f:2:15"),
    ]
    assert call.argument("pattern", 0) is call.arguments[0]
    assert call.argument("decision", 1) is call.arguments[1]
    assert call.argument("unless") is None


@pytest.mark.parametrize(
    "argument",
    [
        "a",
        "*a",
        "**a",
        "a.b",
        "f()",
        "[a]",
        "-a",
        "not 1",
        "~1",
        "-True",
        "-'a'",
        "1 + 1",
        "{[]: 1}",
    ],
)
def test_what_must_be_evaluated_is_no_literal(argument: str) -> None:
    assert [a.literal for a in calls(f"g({argument})")[0].arguments] == [False]


@pytest.mark.parametrize(
    "argument", ["(1)", "()", "(1,)", "((1, 2), [3, (4,)])", "+1", "0x1f", "''''''", "{}"]
)
def test_what_is_written_out_has_its_value(argument: str) -> None:
    (only,) = calls(f"g({argument})")[0].arguments
    assert only.literal
    assert only.value == ast.literal_eval(argument)


def test_inner_calls_follow_outer_ones_and_methods_are_left_out() -> None:
    assert [call.name for call in calls("f(g(1), x.h(i()))\nj()")] == ["f", "g", "i", "j"]


def test_deep_nesting_is_read_without_recursion() -> None:
    text = (
        "x = " + "[" * 5000 + "]" * 5000 + "\ny = " + "1 + " * 5000 + "1\nz = " + "-" * 5000 + "1"
    )
    assert parse(text).rebuild() == text


def test_a_string_that_is_none_has_no_value() -> None:
    with pytest.raises(ValueError, match="is not a string"):
        strings.value("x")
