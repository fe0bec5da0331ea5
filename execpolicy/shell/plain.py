"""Texts that need no parser, and characters that no text should hold."""

from execpolicy.errors import printable
from execpolicy.operation import Exec
from execpolicy.shell.chars import PLAIN, RESERVED, names

_TEXT = PLAIN | {" "}
_LIST = _TEXT | set("|&;")
_OPERATORS = frozenset(("|", "&&", "||", ";"))
_SPECIAL = RESERVED | names(
    ". alias autoload bindkey builtin command compdef compgen declare disable emulate enable end "
    "eval exec export fc float foreach functions getopts hash integer jobs let local mapfile "
    "nameref nocorrect noglob printf private read readarray readonly repeat sched set setopt "
    "shopt source test trap typeset unset unsetopt vared wait zcompile zle zmodload zstyle "
    "always - exit return shift break continue"
)
"""First words that mean more than a program of that name."""

_JOINERS = frozenset("\u200d\ufe0e\ufe0f")
"""They belong to emoji."""


def commands(text: str) -> tuple[Exec, ...] | None:
    """The commands of a list of plain ones, with blanks around each operator.

    None if the text may be anything else.
    """
    if len(text) > 4096 or not _LIST.issuperset(text):
        return None
    if _TEXT.issuperset(text):
        words = tuple(text.split())
        span = len(text) - len(text.lstrip(" ")), len(text.rstrip(" "))
        return (Exec(words, span=span),) if words and words[0] not in _SPECIAL else None
    return _list(text)


def _list(text: str) -> tuple[Exec, ...] | None:
    found: list[Exec] = []
    fed: tuple[str, ...] = ()
    words: list[str] = []
    begin = end = at = 0
    for word in (*text.split(" "), ""):
        last = at > len(text)
        if word in _OPERATORS or last:
            if not words or words[0] in _SPECIAL:
                return None
            found.append(Exec(tuple(words), fed_by=fed, span=(begin, end)))
            fed = (*fed, words[0]) if word == "|" else ()
            words = []
        elif word:
            if not PLAIN.issuperset(word):
                return None
            begin = begin if words else at
            words.append(word)
            end = at + len(word)
        at += len(word) + 1
    return tuple(found)


def suspicious(text: str) -> str | None:
    """Why the characters of `text` may mislead its reader or the shell, None if they do not."""
    kept = text.replace("\n", "").replace("\t", "")
    if text.isascii():
        return None if kept.isprintable() else "a control character"
    shown = printable(kept)
    if len(shown) == len(kept):
        return None
    for c in kept:
        if printable(c) != c and c not in _JOINERS:
            return "a character that is not shown, or not as it is"
    return None
