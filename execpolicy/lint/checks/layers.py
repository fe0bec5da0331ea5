"""Checks of what a file may say in its layer: projects that loosen, postures, variables."""

from collections.abc import Iterator

from execpolicy.language.builtins.arguments import mapping
from execpolicy.language.builtins.posture import CONFINED
from execpolicy.lint.finding import Finding
from execpolicy.lint.subject import Context, Site, Subject
from execpolicy.model.decision import Decision
from execpolicy.model.errors import Span, printable

_KEPT = {
    "execute": ("project", "generated", "text"),
    "destroy": ("generated", "temporary"),
}
"""Places where it is meant to be allowed: the code of the project, a text of which all that it does
is known, what is made again."""
_WIDE = ("unknown", "privilege", "destroy", "remote", "execute", "system")


def check(subject: Subject, context: Context) -> Iterator[Finding]:
    """Calls that have no effect in this layer, or more than their author may think."""
    for site in subject.sites:
        name = site.call.name
        if subject.layer == "project" and (what := _loosens(site)):
            message = f"{what} in a project's rules has no effect until the user trusts the file"
            hint = "read it and run `execpolicy trust`; rules that tighten always apply"
            yield subject.finding("project-loosens", message, site.place(), hint)
        if name == "posture":
            yield from _posture(site)
        elif name == "environment":
            yield from _environment(site, context)


def _loosens(site: Site) -> str | None:
    if site.rules and site.rules[0].decision is Decision.ALLOW:
        return "an allow rule"
    if getattr(site.rule, "decision", None) is Decision.ALLOW:
        return "an allow rule"
    if site.call.name in ("program", "host_executable"):
        return f"`{site.call.name}`"
    if site.call.name == "environment" and site.call.kwargs.keys() & {"harmless", "directories"}:
        return "`environment`"
    if site.call.name == "posture" and any(word == "allow" for _, _, word in _stated(site)):
        return "a posture that allows"
    return None


def _posture(site: Site) -> Iterator[Finding]:
    for effect, place, decision in _stated(site):
        if effect in _WIDE and decision == "allow" and place not in _KEPT.get(effect, ()):
            message = f"`{effect}` is allowed wherever no rule applies"
            hint = {
                "unknown": "this allows every unknown command; write rules for yours",
                "execute": "this runs unknown code; write rules for yours",
            }.get(effect, "write rules for the commands that are meant")
            span = site.place("allow", effect)
            yield site.subject.finding("posture-wide", message, span, hint)


def _stated(site: Site) -> Iterator[tuple[str, str, object]]:
    """Each effect, place and word of a posture for what runs as it is; a place for all is empty."""
    for effect, said in site.call.kwargs.items():
        places = mapping(said) if isinstance(said, dict) else {"": said}
        if effect != CONFINED:
            yield from ((effect, place, word) for place, word in (places or {}).items())


def _environment(site: Site, context: Context) -> Iterator[Finding]:
    harmless, affects = (site.call.kwargs.get(n) for n in ("harmless", "affects_execution"))
    also = [n for n in affects if isinstance(n, str)] if isinstance(affects, list) else []
    for name in harmless if isinstance(harmless, list) else ():
        if not isinstance(name, str):
            continue
        shown = printable(name, 40)
        place: Span = site.place(name, "harmless")
        if name.rstrip("*") == "" or (name.endswith("*") and len(name) < 4):
            message = f"`{shown}` calls nearly every variable harmless"
            yield site.subject.finding("environment-wide", message, place, "list full names")
        elif name in also or context.affects_execution(name):
            message = f"`{shown}` is known to change what programs do"
            hint = "leave it out: the user is asked about commands that need it"
            yield site.subject.finding("environment-wide", message, place, hint)
