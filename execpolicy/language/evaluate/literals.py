"""Literals of the dialect that the evaluator does not know, rewritten before evaluation.

Codex takes any expression between the braces of an f-string, starlark-pyo3 only a name, and it has
no bytes. Few files use either, so the grammar is asked only where a string has a prefix. What does
not parse, and what is too long for the grammar, is left for the evaluator to refuse.
"""

import re

from execpolicy.language.limits import MAX_GRAMMAR_CHARS
from execpolicy.model.errors import PolicyError

# A text in which no string has a letter in front of it. Strings and comments are skipped whole:
# the `f"` of `"-f"` begins none. The grammar takes a hundred times as long to say so.
_PLAIN = re.compile(
    r"""(?:[^"'\#\w]++|\w++(?!["'])"""
    r'''|"""(?:[^\\]|\\.)*?"""'''
    r"""|'''(?:[^\\]|\\.)*?'''"""
    r"""|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'|\#[^\n]*+)*+""",
    re.DOTALL,
)


def rewrite(text: str) -> str:
    """The text in syntax that the evaluator has. Lines stay, columns of a rewritten line do not."""
    if len(text) > MAX_GRAMMAR_CHARS or _PLAIN.fullmatch(text):
        return text
    from execpolicy.language.syntax.lower import lower
    from execpolicy.language.syntax.syntax import parse

    try:
        return lower(parse(text))
    except PolicyError:
        return text
