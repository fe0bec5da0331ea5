"""`posture`: a decision for each effect, for all places or for some."""

from collections.abc import Iterator

from execpolicy.language.builtins.arguments import decision_of, mapping
from execpolicy.language.builtins.signature import Given, Parameter, Signature
from execpolicy.language.calls import Plain
from execpolicy.language.problems import Reporter
from execpolicy.model.decision import Decision
from execpolicy.model.effect_defaults import Posture, Stated
from execpolicy.model.program import EFFECTS
from execpolicy.model.rule import BASES, OVERLAYS, TEXT, Origin

CONFINED = "confined"
POSTURE = Signature(
    "posture",
    (
        *(Parameter(effect, ("string", "dict")) for effect in EFFECTS),
        Parameter(CONFINED, ("dict",)),
    ),
    positional=0,
)
UNCONFINED = ("remote", "privilege", "system")
"""Effects that no sandbox contains, so that a confined run is decided like any other."""


def posture(given: Given, origin: Origin, report: Reporter) -> Posture:
    """The decisions that the call states."""
    inside = mapping(given.pop(CONFINED, {"@": "dict", "v": []}))
    if inside is None:
        report("posture", "`confined` does not map effects to decisions", at=CONFINED)
    decisions = [
        *(s for effect, said in given.items() for s in _stated(effect, said, report)),
        *(s for effect, said in (inside or {}).items() for s in _in_sandbox(effect, said, report)),
    ]
    return Posture(tuple(decisions), origin)


def _in_sandbox(effect: str, said: Plain, report: Reporter) -> Iterator[Stated]:
    """What is said about an effect in the sandbox."""
    if effect not in EFFECTS or effect in UNCONFINED:
        known = ", ".join(e for e in EFFECTS if e not in UNCONFINED)
        report("posture", f"no sandbox contains `{effect}`", f"write {known}", effect)
        return
    yield from (stated.replace(confined=True) for stated in _stated(effect, said, report))


def _stated(effect: str, said: Plain, report: Reporter) -> Iterator[Stated]:
    """What is said about an effect: one word, or a word for each place."""
    if isinstance(said, str):
        yield Stated(effect, decision_of(said, report))
        return
    places = mapping(said)
    if not places:
        hint = 'write a decision, or {"project": "allow", …}'
        report("posture", f"`{effect}` is neither a decision nor a dict of decisions", hint, effect)
        return
    for place, word in places.items():
        decision = decision_of(word, report)
        known = BASES + OVERLAYS + ((TEXT,) if effect == "execute" else ())
        if place not in known:
            hint = "write " + ", ".join(known)
            report("posture", f"unknown class `{place}`", hint, place)
        elif place in OVERLAYS and decision is Decision.ALLOW:
            hint = "a `path_rule` that names a path allows it; write `prompt` or `forbidden`"
            report("posture", f"no posture allows `{place}`", hint, place)
        yield Stated(effect, decision, place)
