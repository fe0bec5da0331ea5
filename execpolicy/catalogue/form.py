"""One way to call a program, as it is compiled."""

from _collections_abc import Callable, Iterator

from execpolicy.catalogue.kinds.kind import Kind, Packed, fits, packed, unpacked
from execpolicy.catalogue.kinds.names import INNER
from execpolicy.model.operation import Dynamic, Word
from execpolicy.support.record import Value

Slots = tuple["Operand", ...]
Test = Callable[[Kind, Word], bool]
PackedOperand = tuple[Packed, bool, bool, bool]
PackedNeeds = tuple[tuple[tuple[int, Packed], ...], ...]
PackedOverrides = dict[int, tuple[tuple[Packed, ...], tuple[str, ...]]]
PackedForm = tuple[
    frozenset[int],
    PackedNeeds,
    frozenset[int],
    tuple[str, ...],
    tuple[PackedOperand, ...],
    PackedOverrides,
    Packed | None,
    str,
    str,
    Packed | None,
]


class Operand(Value):
    """A place for operands: one that must be there, one that may, or any number.

    `free`: every word is of the kind.
    """

    kind: Kind
    required: bool
    repeats: bool
    free: bool


class Operands(Value):
    """The places of a form, from left to right, and what follows from them.

    `least` and `most` are how many operands there can be; a `most` of None sets no limit. `simple`:
    every word fits in each place. `has_command`: one is for a command, or the beginning of one.
    """

    places: tuple[Operand, ...]
    least: int
    most: int | None
    simple: bool
    has_command: bool

    @staticmethod
    def of(places: tuple[Operand, ...]) -> "Operands":
        """These places."""
        return Operands(
            places,
            [place.required for place in places].count(True),
            None if True in [place.repeats for place in places] else len(places),
            False not in [place.free for place in places],
            True in [isinstance(place.kind, str) and place.kind in INNER for place in places],
        )


class ValueNeed(Value):
    """A condition of a form: the option of this identity, and only with values of this kind."""

    option: int
    kind: Kind


class Override(Value):
    """What a form makes of an option that its program declares."""

    kinds: tuple[Kind, ...]
    effects: tuple[str, ...]


class Form(Value):
    """One way to call a program. It is open where its conditions on the options hold.

    `needs`: one of these options must be there, or all of one of `value_needs`. `without`: none of
    these may be. `effects` are those of the call as such. `overrides` are by the identity of the
    option. `stdin` is the kind of what is read from standard input, None where it does not matter.
    `why` says what the call does. `prints`: see PRINTS of `model.program`. `left_out` is the kind
    of the operand that stands for the working directory where none is given, or `object`.
    """

    needs: frozenset[int]
    value_needs: tuple[tuple[ValueNeed, ...], ...]
    without: frozenset[int]
    effects: tuple[str, ...]
    operands: Operands
    overrides: dict[int, Override]
    stdin: Kind | None
    why: str
    prints: str
    left_out: Kind | None

    def packed(self) -> "PackedForm":
        """The same as plain data, which `marshal` writes."""
        places = self.operands.places
        return (
            self.needs,
            tuple(tuple((n.option, packed(n.kind)) for n in each) for each in self.value_needs),
            self.without,
            self.effects,
            tuple((packed(p.kind), p.required, p.repeats, p.free) for p in places),
            {n: (tuple(map(packed, o.kinds)), o.effects) for n, o in self.overrides.items()},
            None if self.stdin is None else packed(self.stdin),
            self.why,
            self.prints,
            None if self.left_out is None else packed(self.left_out),
        )

    @staticmethod
    def unpacked(data: "PackedForm") -> "Form":
        """The form that plain data stands for."""
        needs, values, without, effects, places, changes, stdin, why, prints, left_out = data
        return Form(
            needs,
            _value_needs(values) if values else (),
            without,
            effects,
            Operands.of(tuple([Operand(unpacked(kind), *rest) for kind, *rest in places])),
            _overrides(changes) if changes else {},
            None if stdin is None else unpacked(stdin),
            why,
            prints,
            None if left_out is None else unpacked(left_out),
        )


class Forms:
    """The forms of an entry in their order. Each is made when a reader first comes to it."""

    __slots__ = ("_made", "_packed", "every")

    def __init__(self, data: "tuple[PackedForm, ...]") -> None:
        self._packed = data
        self._made: list[Form | None] = [None] * len(data)
        self.every: list[Form] = []
        """All of them, once a reader came to the last."""

    @staticmethod
    def of(forms: tuple[Form, ...]) -> "Forms":
        """These forms."""
        return Forms(tuple(form.packed() for form in forms))

    def packed(self) -> "tuple[PackedForm, ...]":
        """The same as plain data, which `marshal` writes."""
        return self._packed

    def __iter__(self) -> "Iterator[Form]":
        made = self._made
        for number, form in enumerate(made):
            if form is None:
                form = made[number] = Form.unpacked(self._packed[number])
            yield form
        self.every = [form for form in made if form is not None]

    def __len__(self) -> int:
        return len(self._packed)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Forms) and self._packed == other._packed

    def __hash__(self) -> int:
        return hash(len(self._packed))


def _value_needs(data: "PackedNeeds") -> tuple[tuple[ValueNeed, ...], ...]:
    return tuple(tuple(ValueNeed(option, unpacked(kind)) for option, kind in each) for each in data)


def _overrides(data: "PackedOverrides") -> dict[int, Override]:
    return {
        option: Override(tuple(map(unpacked, kinds)), effects)
        for option, (kinds, effects) in data.items()
    }


def taker(slots: "Slots", at: int, word: Word, test: "Test" = fits, start: int = 0) -> int:
    """The first slot from this position and from `start` on that takes the word, or -1."""
    for number in range(at, len(slots)):
        slot = slots[number]
        if number >= start and (slot.free or test(slot.kind, word)):
            return number
        if slot.required:
            break
    return -1


def after(slots: "Slots", number: int) -> int:
    """The position after a word in this slot."""
    return number if slots[number].repeats else number + 1


def is_complete(slots: "Slots", at: int) -> bool:
    """Whether nothing has to follow at this position."""
    return True not in [slot.required for slot in slots[at:]]


def is_variable(word: Word) -> bool:
    """Whether this may be no word at all, or several."""
    return isinstance(word, Dynamic) and not word.single
