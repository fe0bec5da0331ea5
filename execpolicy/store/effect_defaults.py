"""The postures of all layers as one table: what happens where no rule applies."""

from _collections_abc import Iterable, Iterator

from execpolicy.model.decision import Decision
from execpolicy.model.effect_defaults import Posture, Stated
from execpolicy.model.errors import Diagnostic, Span
from execpolicy.model.rule import Origin
from execpolicy.support.record import Value

Said = tuple[Decision, Origin | None]
Table = dict[str, dict[str, Said]]
OfFile = list[tuple[Stated, Posture]]
"""What the postures of one file say, each with the posture."""

MAX_KNOWN = 4096
_NOTHING: "Said" = (Decision.PROMPT, None)
_WIDER = {"generated": "project"}
"""What is generated lies in the project, so what is said about that holds, unless more is said."""


class EffectDecision(Value):
    """The decision for an effect, the one for it in the sandbox, and the posture that says each."""

    decision: Decision
    confined: Decision
    by: Origin | None
    by_confined: Origin | None


class EffectDefaults:
    """Effect and place → decision, and where it was said.

    `remote` includes `network`, so its decision is never below that of `network`. A layer replaces
    what lower ones say; of the files of one layer the strictest decides. `dead` is what has no
    effect for that reason.
    """

    def __init__(self, postures: "Iterable[Posture]" = ()) -> None:
        self._table: Table = {}
        self._confined: Table = {}
        self._known: dict[tuple[str, tuple[str, ...]], EffectDecision] = {}
        self.dead: list[Diagnostic] = []
        self._rank: dict[str, int] = {}
        layers: dict[tuple[str, bool], dict[str, OfFile]] = {}
        for posture in postures:
            self._rank.setdefault(posture.origin.layer, len(self._rank))
            for stated in posture.decisions:
                files = layers.setdefault((posture.origin.layer, stated.confined), {})
                files.setdefault(posture.origin.file, []).append((stated, posture))
        for (_, inside), files in layers.items():
            self.dead += _lay([*files.values()], self._confined if inside else self._table)
        if self.decide("network") > self.decide("remote"):
            self._table["remote"] = self._table.get("network", {})
            self._known.clear()

    def decide(self, effect: str, places: tuple[str, ...] = ()) -> Decision:
        """The decision for an effect in paths of these classes; PROMPT where no layer says.

        Without classes: where it is not known in which places it happens.
        """
        return self.standing(effect, places).decision

    def layer(self, effect: str, places: tuple[str, ...] = ()) -> str:
        """The layer whose posture decides about an effect; empty where none does."""
        by = self.standing(effect, places).by
        return by.layer if by else ""

    def origin(self, effect: str, places: tuple[str, ...], confined: bool) -> Origin | None:
        """The posture that decides about an effect, if one does."""
        found = self.standing(effect, places)
        return found.by_confined if confined else found.by

    def confined(self, effect: str, places: tuple[str, ...] = ()) -> Decision:
        """The decision for what runs in the sandbox, never stricter than outside of it."""
        return self.standing(effect, places).confined

    def standing(self, effect: str, places: tuple[str, ...]) -> EffectDecision:
        """All of that, worked out once: there are few effects, and few classes."""
        key = effect, places
        if key not in self._known:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            self._known[key] = self._find(effect, places or ("",))
        return self._known[key]

    def _find(self, effect: str, places: tuple[str, ...]) -> EffectDecision:
        table = self._table.get(effect, {})
        said = [_in(table, place) for place in places]
        outside = max([decision for decision, _ in said])
        by = min([origin for d, origin in said if d is outside], key=_by_nobody)
        inside, by_confined = outside, by
        if effect in self._confined:
            confined = self._confined[effect]
            there = [self._held(_in(table, at), _in(confined, at)) for at in places]
            strictest = max(there, key=_decision)
            if strictest[0] < outside:
                inside, by_confined = strictest
        return EffectDecision(outside, inside, by, by_confined)

    def _held(self, outside: "Said", inside: "Said") -> "Said":
        """What is said for the sandbox. What a posture forbids stays forbidden there, unless the
        same file or a higher layer says more."""
        by, over = outside[1], inside[1]
        if outside[0] is not Decision.FORBIDDEN or by is None or over is None:
            return inside
        above = self._rank[over.layer] > self._rank[by.layer]
        return inside if above or over.file == by.file else outside


def _by_nobody(origin: Origin | None) -> int:
    """What the user did not write comes first: it is not the user's choice."""
    return 0 if origin is None or origin.layer == "builtin" else 1


def _in(said: "dict[str, Said]", place: str) -> "Said":
    """What is said about a place, else about all places."""
    found = said.get(place)
    if found is None and place in _WIDER:
        found = said.get(_WIDER[place])
    return found or said.get("", _NOTHING)


def _lay(files: "list[OfFile]", below: "Table") -> "Iterator[Diagnostic]":
    """Lay what the files of one layer say over what is below; tell what has no effect."""
    tables = [_of_file(file) for file in files]
    for effect in {effect: None for table in tables for effect in table}:
        every = [table[effect] for table in tables if effect in table]
        kept = {} if any("" in said for said in every) else below.get(effect, {})
        places = dict.fromkeys(place for said in (kept, *every) for place in said)
        below[effect] = {place: _strictest(every, place) or kept[place] for place in places}
    for stated, posture in (one for file in files for one in file):
        if not posture.trusted:
            _raise(below, stated, posture)
    if len(files) > 1:
        for stated, posture in (one for file in files for one in file):
            yield from _dead(stated, posture, below)


def _of_file(file: "OfFile") -> "Table":
    """What a file says, its later postures in the place of earlier ones.

    A plain word replaces what was said about single places.
    """
    table: Table = {}
    for stated, posture in file:
        if posture.trusted:
            before = table.get(stated.effect, {}) if stated.place else {}
            new = stated.decision, posture.origin
            table[stated.effect] = {**before, stated.place: new}
    return table


def _strictest(every: "list[dict[str, Said]]", place: str) -> "Said | None":
    """What the files say about a place that say anything about it."""
    said = [found for one in every if (found := _in(one, place)) is not _NOTHING]
    return max(said, key=_decision) if said else None


def _dead(stated: Stated, posture: Posture, table: "Table") -> "Iterator[Diagnostic]":
    """What is said and has no effect, because another file of the layer is stricter."""
    decision, by = _in(table[stated.effect], stated.place)
    if by is not None and by.file != posture.origin.file and decision > stated.decision:
        what = f"`{stated.effect}` for `{stated.place}`" if stated.place else f"`{stated.effect}`"
        message = f"the posture of {what} has no effect: that of {by} is stricter"
        span = Span(posture.origin.file, posture.origin.line)
        yield Diagnostic("dead", message, span, "leave one of them out", "warning")


def _raise(table: "Table", stated: Stated, posture: Posture) -> None:
    """Put in what a posture says that may only tighten."""
    before = table.get(stated.effect, {})
    new = stated.decision, posture.origin
    places = {stated.place: None} if stated.place else {**before, "": None}
    raised = {p: max(new, _in(before, p), key=_decision) for p in places}
    table[stated.effect] = {**before, **raised}


def _decision(said: "Said") -> Decision:
    return said[0]
