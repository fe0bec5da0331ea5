"""What a trap runs, where it is so little that it need not be asked about."""

from _collections_abc import Sequence, Set

from execpolicy.model.operation import MOVES, Dynamic
from execpolicy.shell.chars import DIGITS, is_name, names
from execpolicy.shell.syntax.tree import AssignmentWord

_ENDING = names("exit return")  # zsh evaluates what these are given
_SAYING = _ENDING | names("echo true :")
_ACTIVE = frozenset("$`\\<>|&(){}*?[]~!#\n=^")
_LAST = frozenset(("EXIT", "0"))
"""The end of the shell: no other command runs after it."""
_CHANGING = frozenset("=`(){}<>&|!\n")
"""Signs without which a text is simple commands and sets no variable."""
_FLOW = names("exec shift break continue if for while until case select time coproc function")
_OUTSIDE = names("0 1 2 3 13 14 15 EXIT HUP INT QUIT PIPE ALRM TERM USR1 USR2")
"""Signals whose trap does not run within a substitution, where it would print into its value."""


def only_says(text: str) -> bool:
    """Whether a text prints words as they stand and ends the shell, whenever it runs."""
    parts = [part.replace("\t", " ").split(" ") for part in text.split(";")]
    parts = [[word for word in part if word] for part in parts]
    heads = {part[0] for part in parts if part}
    if not _ACTIVE.isdisjoint(text) or not heads <= _SAYING:
        return False
    ends = [part[1:] for part in parts if part and part[0] in _ENDING]
    return all(DIGITS.issuperset(word) for words in ends for word in words)


def is_apart(
    text: str, signals: "Sequence[str | Dynamic | AssignmentWord]", builtins: "Set[str]"
) -> bool:
    """Whether what a trap runs changes nothing for the commands of the text: it runs after all of
    them, or is no more than calls of programs."""
    if not signals or not all(map(outside, signals)):
        return False
    if all(signal in _LAST for signal in signals):
        return True
    heads = (part.split()[:1] for part in text.split(";"))
    named = {name for head in heads for name in head}
    return (
        _CHANGING.isdisjoint(text)
        and all(map(is_name, named))
        and named.isdisjoint({*builtins, *MOVES, *_FLOW})
    )


def outside(signal: "str | Dynamic | AssignmentWord") -> bool:
    """Whether the trap of this signal never runs within a substitution."""
    return isinstance(signal, str) and signal.upper().removeprefix("SIG") in _OUTSIDE
