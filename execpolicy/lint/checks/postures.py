"""Checks of postures that decide nothing, because another one does."""

from collections.abc import Iterator

from execpolicy.lint.finding import Finding
from execpolicy.lint.subject import Context, Subject
from execpolicy.model.effect_defaults import Posture, Stated
from execpolicy.model.errors import Diagnostic, Span
from execpolicy.store.effect_defaults import EffectDefaults


def check(context: Context) -> Iterator[Finding]:
    """Each statement of a posture that has no effect, with the one that decides in its place."""
    postures = [posture for s in context.subjects for posture in s.compiled.postures]
    defaults = EffectDefaults(postures)
    yield from map(Finding, defaults.dead)
    for subject in context.subjects:
        yield from _replaced(subject)
    for posture in postures:
        for stated in posture.decisions:
            if why := _never_decides(stated, defaults):
                yield _finding(stated, posture, why)


def _replaced(subject: Subject) -> Iterator[Finding]:
    """What a later posture of the same file says anew."""
    every = [(one, posture) for posture in subject.compiled.postures for one in posture.decisions]
    for at, (stated, posture) in enumerate(every):
        later = (by for one, by in every[at + 1 :] if by is not posture and _covers(one, stated))
        if posture.trusted and (by := next(later, None)):
            yield _finding(stated, posture, f"that of line {by.origin.line} replaces it")


def _covers(one: Stated, other: Stated) -> bool:
    """Whether a later statement stands in the place of an earlier one."""
    same = (one.effect, one.confined) == (other.effect, other.confined)
    return same and one.place in ("", other.place)


def _never_decides(stated: Stated, defaults: EffectDefaults) -> str:
    """Why a statement decides nothing whatever runs."""
    places = (stated.place,) if stated.place else ()
    if stated.confined and stated.decision > defaults.decide(stated.effect, places):
        return "the sandbox is never stricter than what runs outside of it"
    if stated.effect == "remote" and stated.decision < defaults.decide("network", places):
        return "`remote` includes `network`, of which another posture is stricter"
    return ""


def _finding(stated: Stated, posture: Posture, why: str) -> Finding:
    what = f"`{stated.effect}` for `{stated.place}`" if stated.place else f"`{stated.effect}`"
    inside = " in the sandbox" if stated.confined else ""
    span = Span(posture.origin.file, posture.origin.line)
    message = f"the posture of {what}{inside} has no effect: {why}"
    return Finding(Diagnostic("dead", message, span, "leave it out", "warning"))
