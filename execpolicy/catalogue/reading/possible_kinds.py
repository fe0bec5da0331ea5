"""Every kind that the operands can come to be of where some are computed.

A dynamic word can be of any kind, and may be no word or many, which moves its neighbours. A row
says of one word which slots can take it.
"""

from _collections_abc import Iterator

from execpolicy.catalogue.form import Slots, Test, after, is_complete, is_variable, taker
from execpolicy.catalogue.kinds.kind import Kind, fits, may_fit, must_fit
from execpolicy.model.operation import Word

Row = list[bool]
Positions = list[set[int]]


def possible_kinds(slots: "Slots", words: list[Word]) -> list[list[Kind]] | None:
    """For each word all kinds that it can come to be of, or None where the form cannot fit."""
    found = settled(slots, words)
    return every(slots, words) if found is None else found


def settled(slots: "Slots", words: list[Word]) -> list[list[Kind]] | None:
    """The kinds where each word has one slot to go to, as in most commands; else None.

    A last word that may be several goes to all slots that are left, if these take any word.
    """
    found: list[list[Kind]] = []
    at, size, last = 0, len(slots), len(words) - 1
    for count, word in enumerate(words):
        if is_variable(word):
            rest = slots[at:]
            open_end = count == last and all(slot.free for slot in rest)
            return [*found, list(dict.fromkeys(slot.kind for slot in rest))] if open_end else None
        at = taker(slots, at, word, may_fit)
        if at < 0 or (at + 1 < size and not slots[at].required):
            return None
        found.append([slots[at].kind])
        at = after(slots, at)
    return found if is_complete(slots, at) else None


def every(slots: "Slots", words: list[Word]) -> list[list[Kind]] | None:
    """The same by looking at all ways to lay the words."""
    first = slots[0] if slots and words and not is_variable(words[0]) else None
    if first is not None and first.required and not may_fit(first.kind, words[0]):
        return None
    variable = any(map(is_variable, words))
    rows = _rows(slots, words, may_fit)
    ends = _ends(slots, words, rows)
    if 0 not in ends[0]:
        return None
    certain = [] if variable else _ends(slots, words, _rows(slots, words, fits))
    return _all(slots, words, rows, ends, certain)


def likeliest(slots: "Slots", words: list[Word]) -> list[Kind] | None:
    """The kinds where some words may be none or several."""
    rows = _rows(slots, words, fits)
    ends = _ends(slots, words, rows)
    return _greedy(slots, rows, ends) if 0 in ends[0] else None


def _rows(slots: "Slots", words: list[Word], test: "Test") -> "list[Row]":
    return [[slot.free or test(slot.kind, word) for slot in slots] for word in words]


def _steps(slots: "Slots", at: int, row: "Row") -> list[tuple[int, int]]:
    """The slots that can take the word at this position, each with the position it leads to."""
    steps = []
    for number in range(at, len(slots)):
        if row[number]:
            steps.append((number, after(slots, number)))
        if slots[number].required:
            break
    return steps


def _ends(slots: "Slots", words: list[Word], rows: "list[Row]") -> "Positions":
    """For each word and for the end: the positions from which the rest can be laid."""
    size = len(slots)
    ends = [{n for n in range(size + 1) if is_complete(slots, n)}]
    before: tuple[Row, bool, set[int]] | None = None
    for word, row in zip(reversed(words), reversed(rows), strict=True):
        goals, variable = ends[-1], is_variable(word)
        if before == (row, variable, goals):  # long commands repeat themselves
            ends.append(goals)
            continue
        here = set(goals) if variable else set()
        for at in range(size, -1, -1):
            goal = here | goals if variable else goals
            if any(to in goal for _, to in _steps(slots, at, row)):
                here.add(at)
        before = (row, variable, here) if here == goals else None
        ends.append(here)
    return ends[::-1]


def _greedy(slots: "Slots", rows: "list[Row]", ends: "Positions") -> list[Kind]:
    kinds: list[Kind] = []
    at = 0
    for row, here, goals in zip(rows, ends, ends[1:], strict=False):
        steps = _steps(slots, at, row)
        step = next((s for s in steps if s[1] in goals), None)
        if step is None:  # no word at all, or several
            step = next((s for s in steps if s[1] in here), None)
        if step is None:
            kinds.append("text")
        else:
            number, at = step
            kinds.append(slots[number].kind)
    return kinds


def _all(
    slots: "Slots", words: list[Word], rows: "list[Row]", ends: "Positions", certain: "Positions"
) -> list[list[Kind]]:
    kinds: list[list[Kind]] = []
    positions = {0}
    for at, (word, row) in enumerate(zip(words, rows, strict=True)):
        goal = ends[at + 1]
        if is_variable(word):
            goal = goal | ends[at]
            positions = _reach(slots, positions, row)
        known = certain[at + 1] if certain else set()
        steps = {s for p in positions for s in _ways(slots, p, word, row, goal, known)}
        if not is_variable(word):
            positions = {to for _, to in steps}
        kinds.append(list(dict.fromkeys(slots[number].kind for number, _ in sorted(steps))))
    return kinds


def _ways(
    slots: "Slots", at: int, word: Word, row: "Row", goal: set[int], certain: set[int]
) -> "Iterator[tuple[int, int]]":
    """The steps that lead on, up to one that is sure to be taken."""
    for number, to in _steps(slots, at, row):
        if to in goal:
            yield number, to
            kind = slots[number].kind
            if (to in certain or kind == "assignment") and must_fit(kind, word):
                return


def _reach(slots: "Slots", positions: set[int], row: "Row") -> set[int]:
    """The positions where any number of words like this one can lead."""
    found = set(positions)
    todo = list(positions)
    while todo:
        new = {to for _, to in _steps(slots, todo.pop(), row)} - found
        found |= new
        todo += new
    return found
