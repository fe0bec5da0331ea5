"""Literals of the dialect that the evaluator does not know, rewritten before evaluation.

Codex takes any expression between the braces of an f-string, starlark-pyo3 only a name, and it has
no bytes. Few files use either, so the grammar is asked only where a prefixed string may stand. What
does not parse is left for the evaluator to refuse.
"""

from execpolicy.errors import PolicyError

_ENDINGS = tuple(letter + quote for letter in "fFbBrR" for quote in "\"'")


def rewrite(text: str) -> str:
    """The text in syntax that the evaluator has. Lines stay, columns of a rewritten line do not."""
    if not any(_prefixed(text, ending) for ending in _ENDINGS):
        return text
    from execpolicy.language.syntax import parse
    from execpolicy.language.syntax_lower import lower

    try:
        return lower(parse(text))
    except PolicyError:
        return text


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
