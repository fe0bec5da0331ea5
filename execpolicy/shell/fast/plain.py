"""Texts that need no grammar, and characters that no text should hold."""

from _collections_abc import Mapping

from execpolicy.model.errors import printable
from execpolicy.model.operation import Exec, Word
from execpolicy.model.text_facts import PLAIN as PLAIN_FACTS
from execpolicy.model.text_facts import TextFacts
from execpolicy.shell.chars import PLAIN, RESERVED, names
from execpolicy.shell.fast.plain_words import read_word

Commands = tuple[tuple[Exec, ...], TextFacts]

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


_QUIET = frozenset(("2>&1", "2>/dev/null", ">/dev/null", "1>/dev/null", ">&2", "1>&2"))
_ERRORS = frozenset(("2>&1",))
_TOWARDS = frozenset((">", "2>", "1>"))
"""Redirections that open no file."""


def commands(text: str) -> "Commands | None":
    """The commands of a list of plain ones, and what holds of them.

    Their words may be quoted, and patterns, as long as nothing else in them is computed, and their
    output may go to `/dev/null`. None if the text may be anything else.
    """
    if len(text) > 4096:
        return None
    if _TEXT.issuperset(text):
        words = tuple(text.split())
        span = len(text) - len(text.lstrip(" ")), len(text.rstrip(" "))
        known = bool(words) and words[0] not in _SPECIAL
        return ((Exec(words, span=span),), PLAIN_FACTS) if known else None
    if not text.isprintable() or not (text.isascii() or suspicious(text) is None):
        return None
    return _list(text)


def _list(text: str) -> "Commands | None":
    found: list[Exec] = []
    fed: tuple[str, ...] = ()
    words: list[Word] = []
    operators: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    mixed: Mapping[int, str] = {}
    begin = end = at = 0
    length = len(text)
    while at < length:
        stop = text.find(" ", at)
        stop = length if stop < 0 else stop
        piece = text[at:stop]
        if PLAIN.issuperset(piece):
            if piece:
                begin = begin if words else at
                words.append(piece)
                end = stop
            at = stop + 1
        elif operator := _operator(piece):
            if not words or words[0] in _SPECIAL:
                return None
            found.append(Exec(tuple(words), fed_by=fed, span=(begin, end)))
            operators = (*operators, operator)
            fed = (*fed, str(words[0])) if operator == "|" else ()
            words = []
            at += len(operator)
        elif words and (quiet := _quiet(piece, text, stop)):
            mixed = _mixing(mixed, len(found), piece) if "&" in piece else mixed
            at = end = quiet
        else:
            read = read_word(text, at)
            if read is None or not (words or _is_program(read[0])):
                return None
            begin = begin if words else at
            words.append(read[0])
            if not isinstance(read[0], str):
                names = (*names, *read[0].names)
            at = end = read[1]
    if not words or words[0] in _SPECIAL:
        return None
    said = _facts(operators, names, mixed) if names or mixed or "&&" in operators else PLAIN_FACTS
    return (*found, Exec(tuple(words), fed_by=fed, span=(begin, end))), said


def _mixing(mixed: "Mapping[int, str]", number: int, piece: str) -> "Mapping[int, str]":
    """The redirections that mix streams, with one of the command of this number."""
    return mixed if mixed.get(number) not in (None, *_ERRORS) else {**mixed, number: piece}


def _facts(
    operators: tuple[str, ...], names: tuple[str, ...], mixed: "Mapping[int, str]"
) -> TextFacts:
    """What holds of a list with these operators between its commands.

    `sure` is the last command that certainly ended well before the next one; `whole` tells that a
    command is not part of a pipeline, `perhaps` that it need not have run.
    """
    after, sure = [-1], -1
    whole, perhaps = True, False
    for number, operator in enumerate(operators):
        if operator == "&&" and not perhaps:
            sure = number if whole else sure
        elif operator != "|":
            sure = -1
        perhaps = operator == "||" or (operator == "|" and perhaps)
        whole = operator != "|"
        after.append(sure)
    known = tuple(after) if max(after) >= 0 else ()
    diverts = not _ERRORS.issuperset(mixed.values())
    return TextFacts(diverts=diverts, names=frozenset(names), after=known, mixed=frozenset(mixed))


def _operator(piece: str) -> str:
    """The operator that a piece begins with, or nothing."""
    return piece[:2] if piece[:2] in ("&&", "||") else piece[0] if piece[0] in ";|" else ""


def _quiet(piece: str, text: str, stop: int) -> int:
    """Where a redirection that opens no file ends, or 0."""
    if piece in _QUIET:
        return stop
    aside = piece in _TOWARDS and text[stop : stop + 11].rstrip(" ") == " /dev/null"
    return stop + len(" /dev/null") if aside else 0


def _is_program(word: Word) -> bool:
    return isinstance(word, str) and word != "" and PLAIN.issuperset(word)


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
