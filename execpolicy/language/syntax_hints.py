"""What people mean who write what rules do not have, and what to write instead."""

from execpolicy.language.syntax_tree import Leaf, last

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set

    from execpolicy.language.syntax_tree import Tree

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
"""The words that Starlark keeps from use, and what to write instead."""

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
"""Operators of other languages, at a place where rules have none."""

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
_OPERANDS = ("NAME", "STRING", "BYTES", "FSTRING", "INT", "FLOAT", "LPAR", "LSQB", "LBRACE")
_COMPARISONS = ("COMPARE", "LESSTHAN", "MORETHAN", "IN", "NOT")
_TYPE = {"NAME", "ELLIPSIS", "LPAR", "LSQB"}


def hint(leaf: Leaf, accepted: "Set[str]", stack: "list[Tree]") -> str | None:
    """What to do about a token that cannot stand where it stands.

    `accepted` are the types of the tokens that can, `stack` the parts read and not yet joined.
    """
    if accepted <= {"RPAR", "DOUBLE_STAR", "COMMA"} and "RPAR" in accepted and _after_comma(stack):
        return "the order is: positional, named, `*`, `**`"
    if accepted >= _TYPE and "INT" not in accepted:
        return "types are names such as `str`, `list[int]` or `int | None`"
    if "AND" in accepted:
        return _after_operand(leaf, accepted, stack)
    if leaf.text in ("else", "elif"):
        return f"`{leaf.text}` continues an `if` on the same level"
    if leaf.text == "/" and "NAME" in accepted and "INT" not in accepted:
        return "there are no positional-only parameters"
    if leaf.text in ("*", "**") and "INT" in accepted:
        return "only calls take `*` and `**`: join lists with `+`"
    return _expected(accepted)


def _after_comma(stack: "list[Tree]") -> bool:
    return bool(stack) and last(stack[-1]).text == ","


def _after_operand(leaf: Leaf, accepted: "Set[str]", stack: "list[Tree]") -> str | None:
    before = last(stack[-1]).type if stack else ""
    strings = ("STRING", "BYTES", "FSTRING")
    if leaf.type.startswith(strings) and before.startswith(strings):
        return "strings side by side are not joined: write `,` or `+` between them"
    if leaf.type in _COMPARISONS:
        return OPERATORS["=="]
    if leaf.text == "=":
        return "one `=` a statement; `==` compares"
    if leaf.type == "_NL" and "ELSE" in accepted:
        return "a condition inside an expression needs its `else`"
    return _still_open(leaf, stack) if leaf.type.startswith(_OPERANDS) else None


def _still_open(leaf: Leaf, stack: "list[Tree]") -> str | None:
    """The innermost open bracket: on a line before, it is likely to lack its end."""
    for part in reversed(stack):
        if isinstance(part, Leaf) and part.text in ("(", "[", "{"):
            if part.line < leaf.line:
                return f"`{part.text}` of line {part.line} is still open, or a `,` is missing"
            return "a `,` may be missing"
    return None


def _expected(accepted: "Set[str]") -> str | None:
    if "INT" in accepted:
        return "expected an expression"
    wanted = sorted(_EXPECTED[name] for name in accepted if name in _EXPECTED)
    if not wanted or len(wanted) > 3 or len(wanted) < len(accepted):
        return None
    return "expected " + " or ".join(wanted)
