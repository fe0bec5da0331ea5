"""What the commands of a rule begin with, and how many words a rule must name to allow them.

Which words that are, the catalogue tells. The exceptions of a rule are sought in a command without
the options in front of a subcommand, too.
"""

from collections.abc import Iterator
from itertools import product

from execpolicy.catalogue import Catalogue, read
from execpolicy.catalogue.conditions.open_tail import words_needed
from execpolicy.catalogue.descend import descend
from execpolicy.catalogue.reading.tokens import Tokens
from execpolicy.model.rule import PrefixRule
from execpolicy.prove.inclusion.acceptors import TooHardError
from execpolicy.support.record import Value

Words = tuple[str, ...]

MAX_PRODUCTS = 2_000
_TAILS: tuple[Words, ...] = ((), ("x",), ("1",), ("x", "x"), ("a=b", "x"))


class Start(Value):
    """Words that a command of a rule begins with. `need`: how many of the first words a
    rule must name to allow them. `canonical`: the words without the options in
    front of subcommands, None while more subcommands may follow."""

    words: tuple[str, ...]
    need: int
    canonical: tuple[str, ...] | None


def known(rule: PrefixRule, catalogue: Catalogue) -> bool:
    """Whether the catalogue knows a program that the rule applies to."""
    heads = {head.rpartition("/")[2] for head in rule.pattern[0]}
    if rule.canonical:
        heads |= {head.lower() for head in heads}
    return any(catalogue.lookup(head) is not None for head in heads)


def starts(rule: PrefixRule, catalogue: Catalogue) -> Iterator[Start]:
    """All that the commands of a rule about a known program begin with.

    Raises `TooHardError` where the pattern of a rule that allows stands for too many.
    """
    count = 1
    for tokens in rule.pattern:
        count *= len(tokens)
    if count > MAX_PRODUCTS:
        if rule.decision:
            return
        raise TooHardError
    for words in product(*rule.pattern):
        plain = (words[0].rpartition("/")[2], *words[1:])
        need = _need(plain, _TAILS[:1] if rule.exact else _TAILS, catalogue)
        yield Start(words, need, _canonical(plain, catalogue))


def _need(words: Words, tails: tuple[Words, ...], catalogue: Catalogue) -> int:
    commands = ((*words, *tail) for tail in tails)
    return max(words_needed(argv, read(argv, catalogue), len(words)) for argv in commands)


def _canonical(words: Words, catalogue: Catalogue) -> Words | None:
    found = descend(words, catalogue)
    entry = found.entry
    if entry is not None and entry.children and not Tokens(entry, words, found.at).operands:
        return None
    return tuple(word for word in read(words, catalogue).canonical if isinstance(word, str))
