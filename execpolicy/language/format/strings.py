"""One spelling for literals: double quotes, small letters in numbers."""

import re

from execpolicy.language.syntax import strings
from execpolicy.language.syntax.tree import Leaf

_ESCAPED_QUOTE = re.compile(r"\\([\s\S])")


def literal(leaf: Leaf) -> str:
    """The canonical spelling of a token."""
    if leaf.type == "STRING":
        return string(leaf.text)
    if leaf.type in ("INT", "FLOAT"):
        return leaf.text.lower()
    return leaf.text


def string(text: str) -> str:
    r"""A string in double quotes, unless that takes more escapes.

    >>> print(string(r"'it\'s'"), string("'\"'"), string(r"r'\d'"))
    "it's" '"' r"\d"
    """
    opening, inner, _ = strings.split(text)
    if '"' in inner or "'" not in opening:
        return text
    prefix, quotes = opening.rstrip("'"), '"' * opening.count("'")
    if "r" not in prefix:
        inner = _ESCAPED_QUOTE.sub(lambda m: "'" if m[1] == "'" else m[0], inner)
    elif "'" in inner:
        return text  # a backslash before a quote vanishes in a raw string
    return prefix + quotes + inner + quotes
