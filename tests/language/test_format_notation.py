"""How `fmt` lays out the notations of `program(...)`, long lists and long strings."""

import pytest

from execpolicy.language.format.format import format_text
from execpolicy.language.format.statements import WIDTH

WORDS = [f"--option-{n:02}" for n in range(20)]
LONG = " ".join(WORDS)
LINES = [WORDS[:8], WORDS[8:16], WORDS[16:]]
BLOCK = "\n".join(" " * 8 + "  ".join(words) for words in LINES)
PIECES = [" ".join(words) for words in LINES]
COMMANDS = [f'"command number {n:02} of this list"' for n in range(5)]
CHOICES = [f"alternative-{n:02}" for n in range(16)]
LIST = "|\n            ".join("|".join(CHOICES[n : n + 7]) for n in (0, 7, 14))

CASES = [
    # arguments are named, and one that fits stays on its line
    ('program("a", "-a  -b", "")', 'program("a", options = "-a -b", operands = "")\n'),
    ("form('read', needs=' -a  -b ')", 'form("read", needs = "-a -b")\n'),
    # lines of the source stay, blanks between words do not
    (
        'program("a", """-a\n -b   -c\n""")',
        'program(\n    "a",\n    options = """\n        -a\n        -b  -c\n    """,\n)\n',
    ),
    # a long one has as many words on a line as fit
    (
        f'program("a", "{LONG}")',
        f'program(\n    "a",\n    options = """\n{BLOCK}\n    """,\n)\n',
    ),
    # a list in braces goes on deeper, and a line end in it is nothing
    (
        f'program("a", "-o={{{"|".join(CHOICES)}}}!write -v")',
        f'program(\n    "a",\n    options = """\n        -o={{{LIST}}}!write  -v\n    """,\n)\n',
    ),
    # a sum: what touches a variable stays touching it
    (
        'A = "x|y"\nprogram("a", "-o={" + A + "} -a")\n',
        'A = "x|y"\nprogram("a", options = "-o={" + A + "} -a")\n',
    ),
    (
        f'A = "{{x|y}}"\nprogram("a", "-o=" + A + " {LONG}")\n',
        f'A = "{{x|y}}"\nprogram(\n    "a",\n    options = "-o=" + A + """\n{BLOCK}\n    """,\n)\n',
    ),
    # a variable is a notation where it is used in nothing else
    ('A = " -a   -b"\nprogram("a", A)', 'A = " -a -b"\nprogram("a", options = A)\n'),
    ('A = "-a   -b"\nprogram("a", A)\nf(A)', 'A = "-a   -b"\nprogram("a", options = A)\nf(A)\n'),
    ('A = "-a   -b"\nf(A)', 'A = "-a   -b"\nf(A)\n'),
    # literals side by side are one
    ('program("a", "-a " + "-b")', 'program("a", options = "-a -b")\n'),
    ('program("a", "-a={x" + "|y}")', 'program("a", options = "-a={x|y}")\n'),
    # what is not certainly a notation stays as it is
    ('program("a", "-a\\t-b   -c")', 'program("a", options = "-a\\t-b   -c")\n'),
    ('program("a", "-a={x  -b")', 'program("a", options = "-a={x  -b")\n'),
    ('program("a", f("-a   -b"))', 'program("a", options = f("-a   -b"))\n'),
    ('program("a", why = "a   b")', 'program("a", why = "a   b")\n'),
    ('def f(program):\n    program("a   b", "-a   -b")\n',) * 2,
    (
        'program("a", "-a" # why\n + "-b")',
        'program(\n    "a",\n    options = "-a"  # why\n        + "-b",\n)\n',
    ),
    # lists of strings fill their lines, unless each has one of its own
    (
        f"x = [{', '.join(COMMANDS)}]",
        f"x = [\n    {', '.join(COMMANDS[:3])},\n    {', '.join(COMMANDS[3:])},\n]\n",
    ),
    ('x = [\n    "a",\n    "b",\n]\n',) * 2,
    ('x = [\n    "a", "b",\n]\n',) * 2,
    # a string that is longer than a line becomes a sum
    (
        f'f(why = "{LONG}")',
        'f(\n    why = "{} "\n        + "{} "\n        + "{}",\n)\n'.format(*PIECES),
    ),
    (f'f("{"a" * 200}")', f'f(\n    "{"a" * 200}",\n)\n'),
]


@pytest.mark.parametrize(("text", "formatted"), CASES)
def test_the_form_of_notations(text: str, formatted: str) -> None:
    assert format_text(text) == formatted
    assert format_text(formatted) == formatted


@pytest.mark.parametrize("sign", [" ", "|", ","])
def test_a_string_is_cut_where_it_may_be(sign: str) -> None:
    formatted = format_text(f'x = ("{sign.join(["word"] * 99)}").upper()\n')
    assert max(map(len, formatted.split("\n"))) <= WIDTH
    assert format_text(formatted) == formatted
