"""Whether a form of an entry is open to the words that a command has."""

from execpolicy.catalogue.form import Form, ValueNeed
from execpolicy.catalogue.kinds.kind import Kind, fits, must_fit
from execpolicy.catalogue.reading.tokens import Tokens
from execpolicy.model.operation import Word


def is_open(form: Form, tokens: Tokens) -> bool:
    """Whether the conditions of a form on options hold."""
    needs, values = form.needs, form.value_needs
    if not tokens.options:
        return not (needs or values)
    present = tokens.present()
    if form.without and not present.isdisjoint(form.without):
        return False
    if not (needs or values):
        return True
    found = not present.isdisjoint(needs)
    if found and tokens.off:
        found = not tokens.off.issuperset(present.intersection(needs))
    return found or (bool(values) and _has_value(tokens, present, values))


def _has_value(
    tokens: Tokens, present: set[int], wanted: tuple[tuple[ValueNeed, ...], ...]
) -> bool:
    """Whether an option, or all of several, have only values of the kind that a form needs."""
    return any(
        all(need.option in present and _valued(tokens, need) for need in together)
        for together in wanted
    )


def _valued(tokens: Tokens, need: ValueNeed) -> bool:
    given = [each.values[-1:] for each in tokens.options if each.option.identity == need.option]
    return bool(given) and all(value and _literal(need.kind, value[0]) for value in given)


def _literal(kind: Kind, word: Word) -> bool:
    return isinstance(word, str) and fits(kind, word)


def takes_all(form: Form, operands: list[Word]) -> bool:
    """Whether the form fits these words for certain, however many they come to be."""
    places = form.operands.places
    anything = len(places) == 1 and places[0].repeats
    return anything and all(must_fit(places[0].kind, word) for word in operands)
