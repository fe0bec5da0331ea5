"""Operands and option values of a builtin's words."""

from execpolicy.model.operation import Dynamic
from execpolicy.shell.chars import is_number, names
from execpolicy.shell.syntax.tree import AssignmentWord

Argument = str | Dynamic | AssignmentWord

_BESIDE = names("] = == != -a -o )")
"""Words of `[` before which a `-t` is not an operator."""


def operands(words: "list[Argument]", valued: str, flags: str) -> "list[Argument] | None":
    """What is left after the options; None if an option is computed or unknown."""
    i = 0
    while i < len(words):
        word = words[i]
        if not isinstance(word, str):
            return None
        if word == "--":
            return words[i + 1 :]
        if word[:1] != "-" or word == "-":
            return words[i:]
        i += 1
        for k, letter in enumerate(word[1:], 2):
            if letter in valued:
                i += k == len(word)
                break
            if letter not in flags:
                return None
    return []


def values(words: "list[Argument]", valued: str, wanted: str) -> "list[Argument]":
    """The values of option `wanted`, joined to it or in the next word."""
    found: list[Argument] = []
    i = 0
    while i < len(words):
        word = words[i]
        if not isinstance(word, str) or word[:1] != "-" or word in ("-", "--"):
            return found
        i += 1
        for k, letter in enumerate(word[1:], 2):
            if letter in valued:
                joined = k < len(word)
                if letter == wanted:
                    found.append(word[k:] if joined else words[i] if i < len(words) else "")
                i += not joined
                break
    return found


def timed(words: "list[Argument]") -> bool:
    """Whether each `-t` of `read` is given a number."""
    return all(
        isinstance(word, str) and word.replace(".", "", 1).isdigit()
        for word in values(words, "adinNptu", "t")
    )


def asks_terminal(words: "list[Argument]") -> bool:
    """Whether a `-t` of `[` stands before what may be no number of a descriptor."""
    return any(
        words[i - 1] == "-t" and not (isinstance(word, str) and _is_known(word))
        for i, word in enumerate(words)
        if i
    )


def _is_known(word: str) -> bool:
    return is_number(word) or word in _BESIDE
