"""What a word that the shell computes can begin with and hold."""

from execpolicy.model.operation import Dynamic

_FIRST = frozenset("0123456789-+., \t\n")
_COMPLAINT = "gB"
"""What a number in a word is made of, and how begins what stands in its place where grep found a
binary file: `grep`, or `Binary file` and a name up to a colon (see `scripts/numbers.py`)."""

_TIME = frozenset("0123456789-:TZN \n")
"""What stands in a time."""


def may_begin(word: Dynamic, text: str) -> bool:
    """Whether a word that is plain, or whose beginning is a number, can begin with this text."""
    if not text:
        return True
    if (word.plain and text[0] == "-") or not may_hold(word, text):
        return False
    begins, next_char = begins_with_number(word)
    if not begins or text[0] == next_char or _FIRST.issuperset(text):
        return True
    if text[0] in "+-":
        return text[1] not in "+-" and text[1] in _FIRST
    return text[0] in _FIRST or text[0] in _COMPLAINT


def begins_with_number(word: Dynamic) -> tuple[bool, str]:
    """Whether the word begins with a number or a time, and what begins it where that is missing."""
    return word.holed[:1] in ("\0", "\1"), word.holed.lstrip("\0\1")[:1]


def may_hold(word: Dynamic, text: str) -> bool:
    """Whether the text can stand in a word in which nothing but numbers and times is computed."""
    holed = word.holed
    if not holed:
        return True
    if "\0" not in holed:
        return _TIME.union(holed).issuperset(text)
    return "\1" in holed or ":" not in text or ":" in holed
