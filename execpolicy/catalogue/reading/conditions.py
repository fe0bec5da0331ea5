"""Whether a form of an entry is open to the words that a command has."""

from execpolicy.catalogue.grammar.kinds import fits, sure
from execpolicy.catalogue.reading.tokens import Tokens
from execpolicy.model.operation import Dynamic, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def is_open(form: "tuple[Any, ...]", tokens: Tokens) -> bool:
    """Whether the conditions of a form on options hold."""
    needs, without, wanted = form[0], form[1], form[11]
    if not tokens.options:
        return not (needs or wanted)
    present = tokens.present
    if present is None:
        present = tokens.present = {option[0][0] for option in tokens.options}
    if without and not present.isdisjoint(without):
        return False
    if not (needs or wanted):
        return True
    found = not present.isdisjoint(needs)
    if found and tokens.off:
        found = not tokens.off.issuperset(present.intersection(needs))
    return found or (bool(wanted) and _has_value(tokens, present, wanted))


def _has_value(
    tokens: Tokens, present: set[int], wanted: "tuple[tuple[tuple[int, Any], ...], ...]"
) -> bool:
    """Whether an option, or all of several, have only values of the kind that a form needs."""
    return any(
        all(each[0] in present and _valued(tokens, *each) for each in together)
        for together in wanted
    )


def _valued(tokens: Tokens, identity: int, kind: "Any") -> bool:
    given = [values[-1:] for option, _, values in tokens.options if option[0] == identity]
    return bool(given) and all(value and _literal(kind, value[0]) for value in given)


def _literal(kind: "Any", word: Word) -> bool:
    return isinstance(word, str) and fits(kind, word)


def takes_all(form: "tuple[Any, ...]", operands: list[Word]) -> bool:
    """Whether the form fits these words for certain, however many they come to be."""
    items, least, most = form[3:6]
    anything = len(items) == 1 and least == 0 and most < 0
    return anything and all(sure(items[0][0], word) for word in operands)


def is_fluid(tokens: Tokens) -> bool:
    """Whether some operand may be no word at all, or several."""
    return any(isinstance(word, Dynamic) and not word.single for word in tokens.operands)
