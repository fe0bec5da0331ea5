"""The canonical form of rules files, case by case."""

import pytest

from execpolicy.language.format.format import format_text
from execpolicy.model.errors import PolicyError
from tests.growth import MAX_LINEAR, growth

LONG = "a" * 40

CASES = [
    # blanks and quotes
    ("x=1", "x = 1\n"),
    ("x = 'a'", 'x = "a"\n'),
    (r"x = 'it\'s'", 'x = "it\'s"\n'),
    ("x = 'say \"a\"'", "x = 'say \"a\"'\n"),
    (r"x = r'\'' + r'\d' + '''a'''", 'x = r\'\\\'\' + r"\\d" + """a"""\n'),
    ("x = 0XFF + 1E5", "x = 0xff + 1e5\n"),
    ("x=-1+2*3//~4", "x = -1 + 2 * 3 // ~4\n"),
    ("x = not(a)and b not  in c", "x = not (a) and b not in c\n"),
    ("f (a,b = 1,*c,**d)", "f(a, b = 1, *c, **d)\n"),
    ("def f(a,*,b:int=1,**c)->str:pass", "def f(a, *, b: int = 1, **c) -> str:\n    pass\n"),
    ("lambda*a,b=1,:a", "lambda *a, b = 1: a\n"),
    ("x[ 1 : 2 ](y [ a , b ])[::]", "x[1:2](y[a, b])[::]\n"),
    ("x[0],y=z,", "x[0], y = z,\n"),
    ("{a:b,}", "{\n    a: b,\n}\n"),
    ("{a:b for a,b in c if d}", "{a: b for a, b in c if d}\n"),
    ("x = 1 if a else 2", "x = 1 if a else 2\n"),
    ("x:list[ int ]|None=1", "x: list[int] | None = 1\n"),
    ("x: (int,) = (1,)", "x: (int,) = (1,)\n"),
    ("1 .real", "1 .real\n"),
    ('f"{ a }"', 'f"{ a }"\n'),
    ('load ( "a",b="c" )', 'load("a", b = "c")\n'),
    ("return_ = 1 \\\n  + 2", "return_ = 1 + 2\n"),
    ("x, = y\nfor a, in b: c", "x, = y\nfor a, in b:\n    c\n"),
    # statements
    ("a;b;", "a\nb\n"),
    ("if a: b; c\nelif d: e\nelse: f", "if a:\n    b\n    c\nelif d:\n    e\nelse:\n    f\n"),
    ("for a in b:\n  for c in d:\n        e", "for a in b:\n    for c in d:\n        e\n"),
    ("def f():\n  return\n", "def f():\n    return\n"),
    # lines of elements
    (
        f"f({LONG}, {LONG}, {LONG})",
        f"f(\n    {LONG},\n    {LONG},\n    {LONG},\n)\n",
    ),
    ("f(\n    a,\n    b\n)", "f(a, b)\n"),
    ("f(a, b,)", "f(\n    a,\n    b,\n)\n"),
    ("f([a], [b,])", "f(\n    [a],\n    [\n        b,\n    ],\n)\n"),
    (
        f"f(x = [{LONG}], y = [{LONG}, {LONG}, {LONG}])",
        f"f(\n    x = [{LONG}],\n    y = [\n        "
        f"{LONG},\n        {LONG},\n        {LONG},\n    ],\n)\n",
    ),
    (
        f"f([{LONG} for a in {LONG} if {LONG}])",
        f"f(\n    [\n        {LONG}\n        for a in {LONG}\n        if {LONG}\n    ],\n)\n",
    ),
    (f"x = {LONG} + {LONG} + {LONG}", f"x = (\n    {LONG}\n    + {LONG}\n    + {LONG}\n)\n"),
    (
        f"f(x = {LONG} or {LONG} or {LONG})",
        f"f(\n    x = {LONG}\n        or {LONG}\n        or {LONG},\n)\n",
    ),
    ("[a,\n\n\n b,]", "[\n    a,\n\n    b,\n]\n"),
    (f"x = '''{LONG}\n{LONG}{LONG}{LONG}'''", f'x = """{LONG}\n{LONG}{LONG}{LONG}"""\n'),
    ("[a # b\n,\n\nc # d\n\n,\n# e\n\nf]", "[\n    a,  # b\n\n    c,  # d\n    # e\n    f,\n]\n"),
    # comments
    ("#a\n  #b\nx#c", "#a\n#b\nx  #c\n"),
    ("if a: # b\n  c # d\n  # e\n # f\n# g\nh", "if a:  # b\n    c  # d\n    # e\n# f\n# g\nh\n"),
    ("if a:\n  b\n# c\nelse: # d\n    e", "if a:\n    b\n# c\nelse:  # d\n    e\n"),
    ("f( # a\n  b, # c\n  # d\n)", "f(  # a\n    b,  # c\n    # d\n)\n"),
    ("f(a # b\n, # c\n d)", "f(\n    a,  # b\n    # c\n    d,\n)\n"),
    ("f(a = # b\n 1)", "f(\n    # b\n    a = 1,\n)\n"),
    ("x = (a # b\n # c\n + d)", "x = (\n    a  # b\n    # c\n    + d\n)\n"),
    ("f(# a\n)\ng(\n# b\n)", "f(  # a\n)\ng(\n    # b\n)\n"),
    ("x = [a, # b\n] + c", "x = [\n    a,  # b\n] + c\n"),
    ("f'{a # b\n}' # c", "f'{a # b\n}'  # c\n"),
    ("lambda: ( # a\n b)", "lambda: (  # a\n    b\n)\n"),
    # blank lines
    ("\n\n\na\n\n\n\n\nb\n\n\n", "a\n\n\nb\n"),
    ("if a:\n\n\n  b\n\n\n\n  c\n\n\n\nd", "if a:\n    b\n\n    c\n\n\nd\n"),
    (
        "a\ndef f(): b\ndef g(): c\n# d\n",
        "a\n\n\ndef f():\n    b\n\n\ndef g():\n    c\n\n\n# d\n",
    ),
    ("a\n# b\ndef f(): c\nd", "a\n\n\n# b\ndef f():\n    c\n\n\nd\n"),
    ("a\n# b\n\ndef f(): c", "a\n# b\n\n\ndef f():\n    c\n"),
    (
        "def f():\n  a\n  def g(): b\n  c",
        "def f():\n    a\n\n    def g():\n        b\n\n    c\n",
    ),
    # files
    ("", ""),
    ("\n \n", ""),
    ("# a", "# a\n"),
    ("a\r\n# b\r\n", "a\n# b\n"),
]


@pytest.mark.parametrize(("text", "formatted"), CASES)
def test_the_canonical_form(text: str, formatted: str) -> None:
    assert format_text(text) == formatted
    assert format_text(formatted) == formatted


def test_a_file_that_does_not_parse_is_left_alone() -> None:
    with pytest.raises(PolicyError) as raised:
        format_text("x = = 1", "a.rules")
    assert str(raised.value.diagnostics[0].span) == "a.rules:1:5"


def test_a_file_that_nests_too_deeply_is_left_alone() -> None:
    with pytest.raises(PolicyError, match="nest too deeply"):
        format_text("x = " + "[" * 2000 + "]" * 2000)


def test_long_chains_are_no_nesting() -> None:
    text = "x = (\n    1\n" + "    + 1\n" * 3000 + ")\n"
    assert format_text(text) == text


def test_the_time_grows_with_the_lines() -> None:
    rule = """prefix_rule(
    pattern=['git', ['push', 'pull'], '--force'],  # a comment
    decision = "prompt",
    justification = "why this is so",
    match = ["git push --force", "git pull --force origin"],
    not_match = ["git fetch", "hg push"]
)

"""
    format_text(rule)
    assert growth(lambda count: format_text(rule * count), 60) < MAX_LINEAR
