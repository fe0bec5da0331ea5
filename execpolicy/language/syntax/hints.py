"""What is meant by words that rules do not have, and what to write instead.

The types of tokens are those of `grammar/`. A number (`INT`) can stand wherever an expression may
begin, and nowhere else, as `pass` does for a simple statement: so what the parser would have taken
tells where in a text it was.
"""

from collections.abc import Set

from execpolicy.language.syntax.tree import Leaf, Tree, last

RESERVED = {
    "while": "write `for i in range(n):`",
    "import": "rules files stand alone: define what is needed in this file",
    "from": "rules files stand alone: define what is needed in this file",
    "class": "write a `def`, or keep the data in a dict",
    "is": "compare with `==`",
    "try": "there are no exceptions: test the condition first",
    "except": "there are no exceptions: test the condition first",
    "finally": "there are no exceptions: test the condition first",
    "raise": 'write `fail("…")`',
    "assert": 'write `if …: fail("…")`',
    "del": "write `.pop(…)`",
    "with": None,
    "yield": "return a list",
    "as": None,
    "async": None,
    "await": None,
    "global": "pass the value as an argument and return it",
    "nonlocal": "pass the value as an argument and return it",
}
"""The words that Starlark keeps from use, and what to write instead; None where nothing helps."""

CHARACTERS = {
    "!": "write `not`, or `!=` to compare",
    "@": "there are no decorators: call the function",
    "`": "write a string in straight quotes",
    "$": "nothing is expanded in rules: write the text in quotes",
    "?": "write `a if condition else b`",
    "\\": "a backslash joins lines only as the very last character of one",
    "\ufeff": "save the file as UTF-8 without a byte order mark",
    "\xa0": "write a plain space",
    "\r": "end lines with a line feed",
    **dict.fromkeys("“”„‘’‚«»", "write straight quotes"),
}
"""Characters that no token begins with."""

OPERATORS = {
    "**": "there is no power operator",
    "&&": "write `and`",
    "||": "write `or`",
    "<>": "write `!=`",
    "++": "write `+= 1`",
    "--": "write `-= 1`",
    "/*": "comments begin with `#`",
    "//": "comments begin with `#`",
    ":=": "assign in a statement of its own",
    "=>": "write `>=` to compare",
    "==": "comparisons do not chain: write `a < b and b < c`",
}
"""Operators of other languages, at a place where rules have none, and a second comparison."""

_EXPECTED = {
    "RPAR": "`)`",
    "RSQB": "`]`",
    "RBRACE": "`}`",
    "LPAR": "`(`",
    "COLON": "`:`",
    "COMMA": "`,`",
    "EQUAL": "`=`",
    "NAME": "a name",
    "STRING": "a string",
    "IN": "`in`",
    "ELSE": "`else`",
    "FOR": "`for`",
    "CONVERSION": "`!r`",
}
_STRINGS = ("STRING", "BYTES", "FSTRING")
_OPERANDS = ("NAME", *_STRINGS, "INT", "FLOAT", "LPAR", "LSQB", "LBRACE")
_OPERAND_ENDS = ("NAME", *_STRINGS, "INT", "FLOAT", "ELLIPSIS", "RPAR", "RSQB", "RBRACE")
_COMPARISONS = ("COMPARE", "LESSTHAN", "MORETHAN", "IN", "NOT")
_TYPE = {"NAME", "ELLIPSIS", "LPAR", "LSQB"}


def hint(leaf: Leaf, accepted: Set[str], stack: list[Tree]) -> str | None:
    """What to do about a token that cannot stand where it stands.

    `accepted` are the types of the tokens that can, `stack` the parts read and not yet joined.
    """
    before = last(stack[-1]) if stack else leaf
    begins = "INT" in accepted
    if before.text == "," and accepted <= {"RPAR", "DOUBLE_STAR", "COMMA"} and "RPAR" in accepted:
        return "the order is: positional, named, `*`, `**`"  # f(**a, b)
    if accepted >= _TYPE and not begins:  # def f(x: 1)
        return "types are names such as `str`, `list[int]` or `int | None`"
    if before.type.startswith(_OPERAND_ENDS) and not begins:  # f(a b)
        return _after_operand(leaf, before, stack) or _expected(accepted)
    if leaf.text in ("else", "elif"):
        return f"`{leaf.text}` continues an `if` on the same level"
    if leaf.text in ("if", "for", "def") and "PASS" in accepted:  # x = 1; for a in b
        return f"begin a new line for the `{leaf.text}`"
    if leaf.text == "/" and "NAME" in accepted and not begins:  # def f(a, /)
        return "there are no positional-only parameters"
    if leaf.text in ("*", "**") and begins:  # [*a]
        return "only calls take `*` and `**`: join lists with `+`"
    return _expected(accepted)


def _after_operand(leaf: Leaf, before: Leaf, stack: list[Tree]) -> str | None:
    """What to do about a token after `before`, with which an operand ends."""
    opener = innermost(stack)
    if leaf.type.startswith(_STRINGS) and before.type.startswith(_STRINGS):
        return "strings side by side are not joined: write `,` or `+` between them"
    if leaf.type in _COMPARISONS:
        return OPERATORS["=="]
    if leaf.text == "=" and opener is None:
        return "one `=` a statement; `==` compares"
    if leaf.text == "for" and opener is not None and opener.text == "(":
        return "only lists and dicts are made by a `for` inside"
    if opener is None or not leaf.type.startswith(_OPERANDS):
        return None
    if opener.line < leaf.line:
        return f"`{opener.text}` of line {opener.line} is still open, or a `,` is missing"
    return "a `,` may be missing"


def innermost(stack: list[Tree]) -> Leaf | None:
    """The last bracket on the stack that is open."""
    opened = open_brackets(stack)
    return opened[-1] if opened else None


def open_brackets(stack: list[Tree]) -> list[Leaf]:
    """The brackets on the stack that are open, outer first."""
    opened: list[Leaf] = []
    for part in stack:
        if isinstance(part, Leaf):
            if part.text in ("(", "[", "{"):
                opened.append(part)
            elif part.text in (")", "]", "}"):
                opened.pop()
    return opened


def _expected(accepted: Set[str]) -> str | None:
    if "INT" in accepted:
        return "expected an expression"
    if "ELSE" in accepted:
        return "a condition inside an expression needs its `else`"
    wanted = sorted(_EXPECTED[name] for name in accepted if name in _EXPECTED)
    if not wanted or len(wanted) > 3 or len(wanted) < len(accepted):
        return None
    return "expected " + " or ".join(wanted)
