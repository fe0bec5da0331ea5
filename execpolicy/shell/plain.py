"""Texts that need no grammar, and characters that no text should hold."""

from execpolicy.errors import printable
from execpolicy.operation import Exec
from execpolicy.shell.chars import PLAIN, RESERVED, names

_TEXT = PLAIN | {" "}
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


_QUIET = frozenset(("2>&1", "2>/dev/null", ">/dev/null", "1>/dev/null", ">&2", "1>&2"))
_TOWARDS = frozenset((">", "2>", "1>"))
"""Redirections that open no file."""
_ESCAPED = frozenset("()[]{}<>!;*?+|&$'\"`\\ ,:=~#%@^-/.")
_COMPUTED = frozenset("$`\\!")
"""What means something inside double quotes."""


def commands(text: str) -> tuple[Exec, ...] | None:
    """The commands of a list of plain ones, with blanks around each operator.

    Their words may be quoted as long as nothing in them is computed, and their output may go to
    `/dev/null`. None if the text may be anything else.
    """
    if len(text) > 4096:
        return None
    if _TEXT.issuperset(text):
        words = tuple(text.split())
        span = len(text) - len(text.lstrip(" ")), len(text.rstrip(" "))
        return (Exec(words, span=span),) if words and words[0] not in _SPECIAL else None
    if not (text.isascii() and text.isprintable()):
        return None
    return _list(text)


def _list(text: str) -> tuple[Exec, ...] | None:
    found: list[Exec] = []
    fed: tuple[str, ...] = ()
    words: list[str] = []
    begin = end = at = 0
    while at < len(text):
        stop = text.find(" ", at)
        stop = len(text) if stop < 0 else stop
        word = text[at:stop]
        if word in _OPERATORS:
            if not words or words[0] in _SPECIAL:
                return None
            found.append(Exec(tuple(words), fed_by=fed, span=(begin, end)))
            fed = (*fed, words[0]) if word == "|" else ()
            words = []
        elif words and word in _QUIET:
            end = stop
        elif words and word in _TOWARDS and text[stop : stop + 11].rstrip(" ") == " /dev/null":
            end = stop = stop + len(" /dev/null")
        elif word:
            begin = begin if words else at
            if not PLAIN.issuperset(word) and not (words and word == "{}"):
                read = _word(text, at)
                if read is None or not (words or _is_program(read[0])):
                    return None
                word, stop = read
            words.append(word)
            end = stop
        at = stop + 1
    if not words or words[0] in _SPECIAL:
        return None
    return (*found, Exec(tuple(words), fed_by=fed, span=(begin, end)))


def _is_program(word: str) -> bool:
    return word != "" and PLAIN.issuperset(word)


def _word(text: str, at: int) -> tuple[str, int] | None:
    """The word that begins there, without its quotes, and where it ends; None if it is computed."""
    value = ""
    while at < len(text):
        char = text[at]
        if char == " ":
            break
        if char == "'" or char == '"':
            close = text.find(char, at + 1)
            inner = text[at + 1 : close]
            if close < 0 or (char == '"' and not _COMPUTED.isdisjoint(inner)):
                return None
            value, at = value + inner, close + 1
        elif char == "\\" and text[at + 1 : at + 2] in _ESCAPED:
            value, at = value + text[at + 1], at + 2
        elif char in PLAIN or (char == "=" and value):
            value, at = value + char, at + 1
        else:
            return None
    return value, at


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
