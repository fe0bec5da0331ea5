"""The postures of all layers as one table: what happens where no rule applies."""

from execpolicy.model.decision import Decision
from execpolicy.model.effect_defaults import Posture, Stated
from execpolicy.model.rule import Origin
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Said = tuple[Decision, Origin | None]
    Table = dict[str, dict[str, Said]]

MAX_KNOWN = 4096
_NOTHING: "Said" = (Decision.PROMPT, None)
_WIDER = {"generated": "project"}
"""What is generated lies in the project, so what is said about that holds, unless more is said."""


class Standing(Value):
    """The decision for an effect, the one for it in the sandbox, and the layer that says so."""

    decision: Decision
    confined: Decision
    layer: str


class EffectDefaults:
    """Effect and place → decision, and where it was said.

    `remote` includes `network`, so its decision is never below that of `network`.
    """

    __slots__ = ("_confined", "_known", "_table")

    def __init__(self, postures: "Iterable[Posture]" = ()) -> None:
        self._table: Table = {}
        self._confined: Table = {}
        self._known: dict[tuple[str, tuple[str, ...]], Standing] = {}
        for posture in postures:
            for stated in posture.decisions:
                table = self._confined if stated.confined else self._table
                _state(table, stated, posture)
        if self.decide("network") > self.decide("remote"):
            self._table["remote"] = self._table["network"]
            self._known.clear()

    def decide(self, effect: str, places: tuple[str, ...] = ()) -> Decision:
        """The decision for an effect in paths of these classes; PROMPT where no layer says.

        Without classes: where it is not known in which places it happens.
        """
        return self._standing(effect, places).decision

    def layer(self, effect: str, places: tuple[str, ...] = ()) -> str:
        """The layer whose posture decides about an effect; empty where none does."""
        return self._standing(effect, places).layer

    def confined(self, effect: str, places: tuple[str, ...] = ()) -> Decision:
        """The decision for what runs in the sandbox, never stricter than outside of it."""
        return self._standing(effect, places).confined

    def _standing(self, effect: str, places: tuple[str, ...]) -> Standing:
        """The same, worked out once: there are few effects, and few classes."""
        key = effect, places
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            found = self._known[key] = self._find(effect, places or ("",))
        return found

    def _find(self, effect: str, places: tuple[str, ...]) -> Standing:
        table = self._table.get(effect, {})
        said = [_in(table, place) for place in places]
        outside = max([decision for decision, _ in said])
        layers = [origin.layer if origin else "" for d, origin in said if d is outside]
        inside = outside
        if effect in self._confined:
            table = self._confined[effect]
            inside = min(outside, max([_in(table, place)[0] for place in places]))
        return Standing(outside, inside, min(layers, key=_by_nobody))


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
