"""Literals of the dialect that the evaluator does not know, rewritten before evaluation.

Codex takes any expression between the braces of an f-string, starlark-pyo3 only a name: `f"a{n+1}"`
becomes `("a{}".format(n+1))`. A bytes literal, which no builtin takes, becomes a tuple, which none
takes either. Lines stay where they are, columns of a rewritten line do not. What Codex refuses too
is left for the evaluator to refuse.
"""

import re

from execpolicy.value import Value

# A string with its prefix, or a comment. An f-string ends where any string of its quotes would.
_TOKEN = re.compile(
    r"(?P<prefix>\b[fF][rR]?|\b[rR][fF]|\b[rRbB]{1,2}|)"
    r'(?P<quote>"""|\'\'\'|"|\')(?P<body>(?:\\.|(?!(?P=quote)).)*?)(?P=quote)|\#[^\n]*',
    re.DOTALL,
)
_ENDINGS = tuple(letter + quote for letter in "fFbBrR" for quote in "\"'")
_NAME = re.compile(r"\s*[A-Za-z_]\w*\s*\Z")
_CONVERSION = re.compile(r"![rs]\s*\Z")
_OPEN, _CLOSE = "([{", ")]}"


class Rewritten(Value):
    """A text that the evaluator knows, and the lines whose columns moved."""

    text: str
    lines: frozenset[int]


def rewrite(text: str) -> Rewritten:
    """The text with f-strings that hold more than names, and bytes, in other words."""
    if not any(_prefixed(text, ending) for ending in _ENDINGS):
        return Rewritten(text, frozenset())
    parts, lines, end = [], set(), 0
    for token in _TOKEN.finditer(text):
        if not token["prefix"]:
            continue
        replaced = _literal(token["prefix"].lower(), token["quote"], token["body"])
        if replaced is not None:
            parts += [text[end : token.start()], replaced]
            first = text.count("\n", 0, token.start()) + 1
            lines |= set(range(first, first + token[0].count("\n") + 1))
            end = token.end()
    return Rewritten("".join(parts) + text[end:], frozenset(lines))


def _prefixed(text: str, ending: str) -> bool:
    """Whether a string may begin with this letter and quote: most files have none."""
    at = text.find(ending)
    while at >= 0:
        first = at - 1 if at and text[at - 1] in "fFbBrR" else at
        before = text[first - 1] if first else " "
        if not (before.isalnum() or before in "_\"'"):
            return True
        at = text.find(ending, at + 1)
    return False


def _literal(prefix: str, quote: str, body: str) -> str | None:
    """What stands for a prefixed literal, or None where it can stay as it is."""
    if "b" in prefix:
        return f"({prefix.replace('b', '')}{quote}{body}{quote},)"
    return _string(prefix, quote, body) if "f" in prefix else None


def _string(prefix: str, quote: str, body: str) -> str | None:
    """The call that stands for one f-string, or None where it can stay as it is."""
    literal: list[str] = []
    holes: list[str] = []
    at = 0
    while at < len(body):
        if body[at] == "{" and body[at : at + 2] != "{{":
            hole = _hole(body, at + 1)
            if hole is None:
                return None
            holes.append(hole)
            literal.append("{}")
            at += len(hole) + 2
        else:
            width = 2 if body[at : at + 2] in ("{{", "}}") or body[at] == "\\" else 1
            literal.append(body[at : at + width])
            at += width
    if all(_NAME.match(hole) for hole in holes):
        return None
    raw = prefix.replace("f", "")
    arguments = ", ".join(map(_argument, holes))
    return f"({raw}{quote}{''.join(literal)}{quote}.format({arguments}))"


def _hole(body: str, start: int) -> str | None:
    """The expression from `start` to its closing brace; None where there is none to rewrite."""
    depth, quote = 0, ""
    for at in range(start, len(body)):
        char = body[at]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == "}" and depth == 0:
            return body[start:at] if body[start:at].strip() else None
        elif char == "\\" or (char == ":" and depth == 0 and "lambda" not in body[start:at]):
            return None
        else:
            depth += (char in _OPEN) - (char in _CLOSE)
    return None


def _argument(hole: str) -> str:
    conversion = _CONVERSION.search(hole)
    if conversion is None:
        return f"({hole})"
    function = "repr" if conversion[0][1] == "r" else "str"
    return f"{function}({hole[: conversion.start()]})"
