"""What a form accepts: whether its conditions hold, and which operand is of which kind.

Words go to slots from left to right, each slot as greedy as the rest allows. A position `n` says
that the slots before `n` are done.
"""

from _collections_abc import Sequence

from execpolicy.catalogue.form import (
    Form,
    Operands,
    Slots,
    ValueNeed,
    after,
    is_complete,
    is_variable,
    taker,
)
from execpolicy.catalogue.kinds.kind import Kind, fits, must_fit
from execpolicy.catalogue.reading.tokens import Tokens
from execpolicy.model.operation import Word


def is_open(form: Form, tokens: "Tokens") -> bool:
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
    tokens: "Tokens", present: set[int], wanted: tuple[tuple[ValueNeed, ...], ...]
) -> bool:
    """Whether an option, or all of several, have only values of the kind that a form needs."""
    return any(
        all(need.option in present and _valued(tokens, need) for need in together)
        for together in wanted
    )


def _valued(tokens: "Tokens", need: ValueNeed) -> bool:
    given = [each.values[-1:] for each in tokens.options if each.option.identity == need.option]
    return bool(given) and all(value and _literal(need.kind, value[0]) for value in given)


def _literal(kind: Kind, word: Word) -> bool:
    return isinstance(word, str) and fits(kind, word)


def takes_all(form: Form, operands: list[Word]) -> bool:
    """Whether the form fits these words for certain, however many they come to be: one each at
    first, as many as there are at the end (`SED FILE*`)."""
    places = form.operands.places
    count = len(places) - 1
    if count < 0 or not places[count].repeats or len(operands) < count:
        return False
    last, fixed, rest = places[count], operands[:count], operands[count:]
    if count and last.required and all(map(is_variable, rest)):
        return False
    for slot, word in zip(places, fixed, strict=False):
        if slot.repeats or not slot.required or is_variable(word) or not must_fit(slot.kind, word):
            return False
    return all(must_fit(last.kind, word) for word in rest)


def place(operands: Operands, words: list[Word], variable: bool) -> list[Kind] | None:
    """The kind of each word, or None where the operands do not fit for certain.

    `variable` tells that some word may be more or fewer words than one: then they fit if some
    number of words does, and the kinds are those of the likeliest reading.
    """
    slots, least, most = operands.places, operands.least, operands.most
    count = len(words)
    if not count:
        return None if least else []
    enough = count >= least and (most is None or count <= most)
    if not (variable or enough):
        return None
    if enough and operands.simple:
        return [slots[0].kind] * count if len(slots) == 1 else _counted(slots, count - least)
    kinds, certain = straight(slots, words, variable)
    if certain:
        return kinds
    if not variable:
        return _searched(slots, words)
    from execpolicy.catalogue.reading.possible_kinds import likeliest

    return likeliest(slots, words)


def _counted(slots: "Slots", extra: int) -> list[Kind]:
    """The kinds where every slot takes any word; `extra` words are there beyond the required."""
    kinds: list[Kind] = []
    for slot in slots:
        if slot.required:
            kinds.append(slot.kind)
        elif extra:
            used = extra if slot.repeats else 1
            kinds += [slot.kind] * used
            extra -= used
    return kinds


def straight(
    slots: "Slots", words: "Sequence[Word]", variable: bool
) -> tuple[list[Kind] | None, bool]:
    """The kinds where each word goes to the first slot that takes it, None where they do not fit;
    and whether no other way would.

    Most commands are laid like this in one go. Only where an earlier word could have gone to
    another slot, too, or may be more or fewer words, does a misfit not tell that nothing fits.
    """
    kinds: list[Kind] = []
    at, size, forked = 0, len(slots), False
    for word in words:
        forked = forked or (variable and is_variable(word))
        number = taker(slots, at, word)
        if number < 0:
            return None, not forked
        slot = slots[number]
        kinds.append(slot.kind)
        forked = forked or (number + 1 < size and not slot.required)
        at = number if slot.repeats else number + 1
    return (kinds, True) if is_complete(slots, at) else (None, not forked)


def _some_fits(kind: Kind, words: list[Word]) -> bool:
    return True in [fits(kind, word) for word in words]


def _searched(slots: "Slots", words: list[Word]) -> list[Kind] | None:
    """The kinds of the first way to lay all words, trying for each the slots from left to right."""
    if any(slot.required and not _some_fits(slot.kind, words) for slot in slots):
        return None
    chosen: list[int] = []
    todo = [(0, 0)]  # for each word so far: its position, and the slot to try next
    dead = set()
    while todo:
        count, (at, start) = len(chosen), todo[-1]
        if count == len(words) and is_complete(slots, at):
            return [slots[number].kind for number in chosen]
        number = -1 if count == len(words) else taker(slots, at, words[count], fits, start)
        if number < 0:
            dead.add((count, at))
            todo.pop()
            del chosen[-1:]
            continue
        todo[-1] = (at, number + 1)
        to = after(slots, number)
        if (count + 1, to) not in dead:
            chosen.append(number)
            todo.append((to, to))
    return None
