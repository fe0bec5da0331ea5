"""Texts that need no parser, and characters that no text should hold."""

from execpolicy.errors import printable
from execpolicy.shell.chars import PLAIN, RESERVED, names

_TEXT = PLAIN | {" "}
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


def split(text: str) -> tuple[str, ...] | None:
    """The words of one plain command; None if the text may be anything else."""
    if len(text) > 4096 or not _TEXT.issuperset(text):
        return None
    words = tuple(text.split())
    return words if words and words[0] not in _SPECIAL else None


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
