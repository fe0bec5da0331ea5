"""The postures of all layers as one table: what happens where no rule applies."""

from execpolicy.model.decision import Decision
from execpolicy.model.effect_defaults import Posture, Stated
from execpolicy.model.rule import Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Said = tuple[Decision, Origin | None]
    Table = dict[str, dict[str, Said]]

_NOTHING: "Said" = (Decision.PROMPT, None)
_WIDER = {"generated": "project"}
"""What is generated lies in the project, so what is said about that holds, unless more is said."""


class EffectDefaults:
    """Effect and place → decision, and where it was said.

    `remote` includes `network`, so its decision is never below that of `network`.
    """

    __slots__ = ("_confined", "_table")

    def __init__(self, postures: "Iterable[Posture]" = ()) -> None:
        self._table: Table = {}
        self._confined: Table = {}
        for posture in postures:
            for stated in posture.decisions:
                table = self._confined if stated.confined else self._table
                _state(table, stated, posture)
        if self.decide("network") > self.decide("remote"):
            self._table["remote"] = self._table["network"]

    def decide(self, effect: str, places: tuple[str, ...] = ()) -> Decision:
        """The decision for an effect in paths of these classes; PROMPT where no layer says.

        Without classes: where it is not known in which places it happens.
        """
        said = self._table.get(effect)
        if said is None:
            return Decision.PROMPT
        if not places or len(said) == 1:
            return _in(said, "")[0]
        return max([_in(said, place)[0] for place in places])

    def layer(self, effect: str, places: tuple[str, ...] = ()) -> str:
        """The layer whose posture decides about an effect; empty where none does."""
        said = self._table.get(effect, {})
        every = [_in(said, place) for place in places or ("",)]
        decision = max(decision for decision, _ in every)
        layers = [o.layer if o else "" for d, o in every if d is decision]
        return min(layers, key=_by_nobody)

    def confined(self, effect: str, places: tuple[str, ...] = ()) -> Decision:
        """The decision for what runs in the sandbox, never stricter than outside of it."""
        outside = self.decide(effect, places)
        said = self._confined.get(effect)
        if said is None:
            return outside
        inside = max([_in(said, place)[0] for place in places or ("",)])
        return min(outside, inside)


def _by_nobody(layer: str) -> int:
    """Layers that the user did not write come first: what they say is not the user's choice."""
    return 0 if layer in ("", "builtin") else 1


def _in(said: "dict[str, Said]", place: str) -> "Said":
    """What is said about a place, else about all places."""
    found = said.get(place)
    if found is None and place in _WIDER:
        found = said.get(_WIDER[place])
    return found or said.get("", _NOTHING)


def _state(table: "Table", stated: Stated, posture: Posture) -> None:
    """Put in what a posture says. A plain word replaces what was said about single places."""
    before = table.get(stated.effect, {})
    new = stated.decision, posture.origin
    if posture.trusted:
        table[stated.effect] = {**before, stated.place: new} if stated.place else {"": new}
        return
    places = {stated.place: None} if stated.place else {**before, "": None}
    raised = {p: max(new, _in(before, p), key=_decision) for p in places}
    table[stated.effect] = {**before, **raised}


def _decision(said: "Said") -> Decision:
    return said[0]
