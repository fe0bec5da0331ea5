"""Says in words what is wrong with text that does not parse."""

import re
from collections.abc import Set

from execpolicy.language.syntax.hints import CHARACTERS, OPERATORS, RESERVED, hint, open_brackets
from execpolicy.language.syntax.layout import LayoutError
from execpolicy.language.syntax.tree import Leaf, Tree
from execpolicy.model.errors import Diagnostic, Span
from execpolicy.support.record import Value


class Found(Value):
    """A problem at offsets of a text. `opened` is the outermost bracket open there, if one is."""

    code: str
    message: str
    start: int
    end: int
    hint: str | None = None
    opened: int | None = None


_LEXEME = re.compile(
    r"""(?P<FSTRING>fr?(?:'[^'\n]*'|"[^"\n]*"))
      | (?P<STRING>b?r?(?:'''(?:[^\\]|\\.)*?'''|\"{3}(?:[^\\]|\\.)*?\"{3}
                      |'(?!'')(?:[^'\\\n]|\\.)*'|"(?!"")(?:[^"\\\n]|\\.)*"))
      | (?P<unclosed>b?[fr]{0,2}(?:'''|\"{3}|'|"))
      | (?P<NAME>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<INT>\.?[0-9][A-Za-z0-9_.]*)
      | (?P<tabs>\t+)
      | (?P<COMPARE>[=!<>]=)
      | (?P<LESSTHAN><)
      | (?P<MORETHAN>>)
      | (?P<operator>\*\*|//|/\*|->|\.\.\.|[-+*/%&|^]=?|[][(){}:;,.~=])
    """,
    re.VERBOSE | re.DOTALL,
)
_KEYWORDS = {"in": "IN", "not": "NOT"}


def of_layout(error: LayoutError) -> Found:
    """The problem that the layout of the text has."""
    return Found(error.code, error.message, error.start, error.end, error.hint)


def of_text(text: str, start: int, accepted: Set[str], stack: list[Tree]) -> Found:
    """The problem where no token that fits begins at `start`."""
    match = _LEXEME.match(text, start)
    if match is None:
        return _character(text[start], start)
    lexeme, end = match[0], match.end()
    if lexeme in RESERVED:
        message = f"`{lexeme}` is a reserved word that rules have no use for"
        return Found("reserved", message, start, end, RESERVED[lexeme])
    if match["tabs"]:
        return Found("tab", "a tab outside a string", start, end, "write spaces")
    if match["unclosed"]:
        return _unclosed(text, start, lexeme)
    if re.match(r"0[0-9]", lexeme):
        advice = "octal numbers are written `0o17`"
        return Found("number", f"`{lexeme}` begins with a zero", start, end, advice)
    line = text.count("\n", 0, start) + 1
    kind = _KEYWORDS.get(lexeme, match.lastgroup or "")
    leaf = Leaf(kind, lexeme, start, line, start - text.rfind("\n", 0, start))
    return of_token(text, leaf, accepted, stack)


def _character(char: str, start: int) -> Found:
    shown = f"`{char}`" if " " < char < "\x7f" else f"U+{ord(char):04X}"
    message = f"{shown} can only stand in strings and comments"
    return Found("character", message, start, start + 1, CHARACTERS.get(char))


def _unclosed(text: str, start: int, opening: str) -> Found:
    if opening.endswith(("'''", '"""')):
        return Found("string", "a string that does not end", start, start + len(opening))
    end = (text + "\n").index("\n", start)
    advice = "write three quotes around text of several lines"
    return Found("string", "a string that does not end", start, end, advice)


def of_token(text: str, leaf: Leaf, accepted: Set[str], stack: list[Tree]) -> Found:
    """The problem where a token cannot follow what is read so far."""
    start, end = leaf.start_pos, leaf.end_pos
    if accepted == {"_INDENT"}:
        return Found("indentation", "expected an indented block", start, end, "write `pass` in it")
    if leaf.type == "_INDENT":
        message = "unexpected indentation"
        return Found("indentation", message, start, end, "begin the line further left")
    if accepted <= {"EQUAL", "COLON"} and "EQUAL" in accepted:
        message = "a name without a value after one with a value"
        advice = "put it first, or write `name = value`"
        return Found("order", message, start, end, advice)
    for begin in (start - 1, start):
        pair = text[max(0, begin) : begin + 2]
        if pair in OPERATORS and pair != "==" and (pair, leaf.text) != ("**", "**"):
            return Found("syntax", f"unexpected `{pair}`", begin, begin + 2, OPERATORS[pair])
    shown = f"`{leaf.text}`" if leaf.text else "end of the line"
    opened = open_brackets(stack)
    return Found(
        "syntax",
        f"unexpected {shown}",
        start,
        end,
        hint(leaf, accepted, stack),
        opened[0].start_pos if opened else None,
    )


def diagnostic(text: str, file: str, found: Found) -> Diagnostic:
    """The diagnostic for a problem of `text`."""
    line = text.count("\n", 0, found.start) + 1
    begin = text.rfind("\n", 0, found.start) + 1
    stop = (text + "\n").index("\n", found.start)
    column = found.start - begin + 1
    end = max(column + 1, min(found.end, stop) - begin + 1)
    span = Span(file, line, column, end)
    return Diagnostic(found.code, found.message, span, found.hint, source=text[begin:stop])


def without_last_margin(text: str) -> str:
    """`text` without the blanks of a last line that holds nothing else."""
    kept = text.rstrip(" \t\r")
    whole = not kept or (kept.endswith("\n") and not kept.endswith(("\\\n", "\\\r\n")))
    return kept if whole else text


# A line that begins a statement at top level: not one that continues a block or a bracket.
_STATEMENT = re.compile(r"^(?!(?:elif|else)\b)[A-Za-z_]", re.MULTILINE)


def blank_statement(text: str, found: Found) -> str:
    """`text` with the statement of a problem blanked out, so that those after it can be read."""
    first = found.start if found.opened is None else found.opened
    line = text.rfind("\n", 0, first) + 1
    begins = [match.start() for match in _STATEMENT.finditer(text, 0, first + 1)]
    start = min(begins[-1] if begins else line, line)
    # A statement that meets an open bracket of one before it is read again without that one.
    after = found.start if start < found.start else found.start + 1
    following = _STATEMENT.search(text, after)
    end = following.start() if following else len(text)
    blank = "".join("\n" if char == "\n" else " " for char in text[start:end])
    return text[:start] + blank + text[end:]
