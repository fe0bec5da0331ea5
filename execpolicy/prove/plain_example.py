"""Which of several commands is shown: the one that a user reads most easily."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from execpolicy.catalogue import Catalogue
from execpolicy.catalogue.descend import descend
from execpolicy.catalogue.reading.tokens import Tokens
from execpolicy.model.operation import Word
from execpolicy.model.program import EFFECTS
from execpolicy.prove.samples import MADE_UP
from execpolicy.prove.side import ROOT
from execpolicy.prove.witness import Witness

Tried = tuple[tuple[Word, ...], str]
"""The words of a command and its directory."""
_CHANGED = ("remove", "moved", "out")
"""Kinds of operands that are what a command is about, even where none has to be given."""
Judge = Callable[..., Witness | None]
MAX_MORE = 32
"""Commands that are tried for a plainer example, where there is one."""


def plainest(
    tried: Iterable[Tried],
    judge: Judge,
    catalogue: Catalogue,
    more: Iterable[tuple[Word, ...]],
) -> Witness | None:
    """The first witness, or one of `more` in the project that is plainer."""
    for words, cwd in tried:
        found = judge(words, cwd)
        if found is not None:
            least = _odd((words, cwd), found, catalogue)
            return _plainer(found, least, words, judge, catalogue, more) if least else found
    return None


def _plainer(
    best: Witness,
    least: int,
    words: tuple[Word, ...],
    judge: Judge,
    catalogue: Catalogue,
    more: Iterable[tuple[Word, ...]],
) -> Witness:
    """The worst that a subcommand alone does, else the plainest of more commands."""
    alone = _alike(best, _subcommands(words, catalogue), judge)
    plain = [w for each, w in alone if not _odd((each, ROOT), w, catalogue)]
    if plain:
        return max(plain, key=lambda witness: max(map(_strength, witness.old.effects), default=0))
    for each, witness in _alike(best, islice(more, MAX_MORE), judge):
        odd = _odd((each, ROOT), witness, catalogue)
        if odd < least:
            best, least = witness, odd
    return best


def _alike(
    best: Witness, tried: Iterable[tuple[Word, ...]], judge: Judge
) -> Iterator[tuple[tuple[Word, ...], Witness]]:
    """The witnesses among the commands that the same rules decide."""
    for words in tried:
        found = judge(words)
        if found and (found.old.rule, found.new.rule) == (best.old.rule, best.new.rule):
            yield words, found


def _strength(effect: str) -> int:
    return EFFECTS.index(effect) if effect in EFFECTS else 0


def _odd(tried: Tried, witness: Witness, catalogue: Catalogue) -> int:
    """How much of a command only a proof would write."""
    words, cwd = tried
    return (
        4 * ("unknown" in witness.old.effects)
        + 2 * is_incomplete(words, catalogue)
        + (cwd != ROOT)
        + any(word in MADE_UP for word in words)
    )


def is_incomplete(words: tuple[Word, ...], catalogue: Catalogue) -> bool:
    """Whether a command lacks operands without which it does nothing."""
    argv = tuple(word if isinstance(word, str) else "x" for word in words)
    found = descend(argv, catalogue)
    if found.entry is None:
        return False
    given = len(Tokens(found.entry, argv, found.at).operands)
    operands = [form.operands for form in found.entry.forms]
    changed = any(place.kind in _CHANGED for each in operands for place in each.places)
    return given < max(min((each.least for each in operands), default=0), changed)


def _subcommands(words: tuple[Word, ...], catalogue: Catalogue) -> Iterator[tuple[Word, ...]]:
    """The command with each of its subcommands behind it, and in the place of its last word."""
    argv = tuple(word for word in words if isinstance(word, str))
    for begun in (argv, argv[:-1]) if argv == words else ():
        entry = descend(begun, catalogue).entry if begun else None
        for child in sorted(entry.children) if entry else ():
            yield (*begun, child)
