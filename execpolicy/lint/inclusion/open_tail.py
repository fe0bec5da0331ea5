"""What naming a word means in a rule that allows, by the catalogue.

The open tail of an allow rule does not cover an option that makes a program run something else, nor
the command inside a wrapper: a rule has to name those. And its exceptions are sought in a command
without the options in front of a subcommand, too.
"""

from itertools import product

from execpolicy.catalogue import Catalogue, Reading, read
from execpolicy.catalogue.reading.reading import COMPUTED
from execpolicy.catalogue.reading.tokens import Tokens
from execpolicy.lint.checks.catalogue_checks import descend
from execpolicy.lint.inclusion.walk import TooHardError
from execpolicy.model.rule import PrefixRule
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Words = tuple[str, ...]

MOST_PRODUCTS = 2_000
_TAILS: "tuple[Words, ...]" = ((), ("x",), ("1",), ("x", "x"), ("a=b", "x"))
_RUNNING = frozenset(("execute", "privilege"))


class Start(Value):
    """Words that a command of a rule begins with. `need`: of how many first words a rule that
    allows must speak for no less to be allowed. `canonical`: the words without the options in
    front of subcommands, None while more subcommands may follow."""

    words: tuple[str, ...]
    need: int
    canonical: tuple[str, ...] | None


def known(rule: PrefixRule, catalogue: Catalogue) -> bool:
    """Whether the catalogue knows a program that the rule speaks about."""
    heads = {head.rpartition("/")[2] for head in rule.pattern[0]}
    if rule.canonical:
        heads |= {head.lower() for head in heads}
    return any(catalogue.lookup(head) is not None for head in heads)


def starts(rule: PrefixRule, catalogue: Catalogue) -> "Iterator[Start]":
    """All that the commands of a rule about a known program begin with.

    Raises `TooHardError` where the pattern of a rule that allows stands for too many.
    """
    count = 1
    for tokens in rule.pattern:
        count *= len(tokens)
    if count > MOST_PRODUCTS:
        if rule.decision:
            return
        raise TooHardError
    for words in product(*rule.pattern):
        plain = (words[0].rpartition("/")[2], *words[1:])
        need = _need(plain, _TAILS[:1] if rule.exact else _TAILS, catalogue)
        yield Start(words, need, _canonical(plain, catalogue))


def _need(words: "Words", tails: "tuple[Words, ...]", catalogue: Catalogue) -> int:
    need = 0
    for tail in tails:
        argv = (*words, *tail)
        reading = read(argv, catalogue)
        for named in (*_by(words, reading), *_inside(argv, reading)):
            if named < len(words):
                need = max(need, named + 1)
    return need


def _by(words: "Words", reading: Reading) -> "Iterator[int]":
    """Where a rule must name a word for the program to be allowed to run something by it."""
    if any(c.effect in _RUNNING and not c.by for c in reading.effects):
        return  # it does anyway
    for cause in reading.effects:
        unread = cause.effect == "unknown" and cause.by[:1] not in ("", "-")
        if cause.by and cause.by != COMPUTED and (cause.effect in _RUNNING or unread):
            yield from (at for at, word in enumerate(words) if word.startswith(cause.by))


def _inside(argv: "Words", reading: Reading) -> "Iterator[int]":
    """Where the commands begin that this one runs."""
    for inner in reading.inner:
        if inner.argv is not None:
            yield max(len(argv) - len(inner.argv), 0)
        elif isinstance(inner.script, str) and inner.script in argv:
            yield argv.index(inner.script)


def _canonical(words: "Words", catalogue: Catalogue) -> "Words | None":
    at, _, entry = descend(words, catalogue)
    if entry is not None and entry.children and not Tokens(entry, words, at).operands:
        return None
    return tuple(word for word in read(words, catalogue).canonical if isinstance(word, str))
