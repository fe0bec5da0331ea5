"""Checks of `effects`, `options`, `places` and `hosts`: what no command of the rule can meet."""

from collections.abc import Iterator

from execpolicy.catalogue import Catalogue, StandardInput, read
from execpolicy.catalogue.conditions.granted import REACHING
from execpolicy.catalogue.descend import descend
from execpolicy.catalogue.entry import CatalogueEntry
from execpolicy.catalogue.kinds.kind import all_names, possible
from execpolicy.catalogue.reading.cause import CommandPart
from execpolicy.language.builtins.conditions import NAMES
from execpolicy.lint.finding import Finding
from execpolicy.lint.subject import Context, Site, Subject
from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.model.rule import ANY_INPUT, CONFIGURED, Conditions, PrefixRule
from execpolicy.store.compiled.examples import wrong

_HOSTS = frozenset(
    (
        *("host", "ssh", "url", "urls", "local", "repo", "cloned", "slug", "resource"),
        *("remote", "remote-tree", "remote-out"),
        *("location", "location-tree", "location-out", "location-into"),
    )
)
"""The kinds of a word that name a host."""


def check(subject: Subject, context: Context) -> Iterator[Finding]:
    """Conditions that say nothing, or that the program can never meet."""
    for site in subject.sites:
        if site.call.name != "prefix_rule":
            continue
        yield from _empty(site)
        rule = site.rules[0] if site.rules else None
        if rule is not None and rule.decision is Decision.ALLOW:
            yield from _reads_script(site, rule, context.catalogue)
        if rule is not None and rule.conditions is not None:
            yield from _examples(site, context.catalogue)
            yield from _together(site, rule.conditions)
            yield from _known(site, rule, rule.conditions, context.catalogue)


def is_unmet(site: Site, catalogue: Catalogue) -> bool:
    """Whether a condition is named that no command of the rule meets."""
    rule = site.rules[0]
    wanted = rule.conditions
    found = (*_together(site, wanted), *_known(site, rule, wanted, catalogue)) if wanted else ()
    return any(each.code == "condition-never" for each in found)


def _reads_script(site: Site, rule: PrefixRule, catalogue: Catalogue) -> Iterator[Finding]:
    """A program that reads what it does: no text is covered without its digest, or every one is."""
    wanted = rule.conditions.stdin if rule.conditions else ()
    words = tuple(tokens[0] for tokens in rule.pattern)
    if wanted and ANY_INPUT not in wanted:
        return
    reading = read(words, catalogue, StandardInput(None, fed=True, piped=True))
    if not any(cause.by.part is CommandPart.STDIN for cause in reading.effects):
        return
    shown = printable(" ".join(words), 60)
    message = f"`{shown}` does what its standard input says, of which this rule allows nothing"
    if wanted:
        message = f"`{shown}` does what its standard input says, and this rule allows any of it"
    hint = "give the digest of the text in `stdin`, as `amend` does"
    yield site.subject.finding("input-open", message, site.place("", "pattern"), hint)


def _empty(site: Site) -> Iterator[Finding]:
    for name in NAMES:
        if site.call.kwargs.get(name) == []:
            message = f"`{name} = []` is no condition: the rule means the same without it"
            place = site.place("", name)
            yield site.subject.finding(
                "condition-empty", message, place, "leave it out, or fill it"
            )


def _examples(site: Site, catalogue: Catalogue) -> Iterator[Finding]:
    for message, argv in wrong(site.examples, catalogue) if site.examples else ():
        place = site.place(" ".join(argv), "match", 2)
        yield site.subject.finding("example", message, place, "change the example or the condition")


def _together(site: Site, wanted: Conditions) -> Iterator[Finding]:
    """Conditions that leave nothing of each other."""
    if not wanted.effects:
        return
    reaching = REACHING.intersection(wanted.effects)
    if wanted.hosts and not reaching:
        hint = "add `network` or `remote` to `effects`, or leave `hosts` out"
        yield _never(site, "hosts", "none of these effects reaches a host", hint)
    if wanted.places and reaching.issuperset(wanted.effects):
        hint = "name the host in `hosts`"
        yield _never(site, "places", "none of these effects happens at a path", hint)


def _known(
    site: Site, rule: PrefixRule, wanted: Conditions, catalogue: Catalogue
) -> Iterator[Finding]:
    words = tuple(tokens[0] for tokens in rule.pattern)
    found = descend(words, catalogue)
    entry = found.entry
    if entry is None or entry.children or entry.style == "plain":
        return
    unknown = [option for option in wanted.options if not _has(entry, option)]
    for option in unknown:
        message = f"`{found.name}` has no option `{printable(option, 40)}` that is known"
        place = site.place(option, "options")
        hint = "see the program's own --help"
        yield site.subject.finding("unknown-option", message, place, hint)
    effects, kinds = _possible(entry)
    for effect in wanted.effects:
        if effect not in effects:
            known = ", ".join(f"`{each}`" for each in sorted(effects)) or "nothing"
            hint = f"the catalogue knows of {known}"
            why = f"`{found.name}` never has the effect `{effect}`"
            yield _never(site, "effects", why, hint, effect)
    if wanted.hosts and CONFIGURED not in wanted.hosts and _HOSTS.isdisjoint(kinds):
        hint = f"write `{CONFIGURED}` for the host that its configuration names"
        yield _never(site, "hosts", f"no word of `{found.name}` names a host", hint)


def _has(entry: CatalogueEntry, option: str) -> bool:
    names = (option, option + "=", option[1:] if option[:2] == "--" else option)
    return any(name in entry.options.names or name in entry.options.prefixes for name in names)


def _possible(entry: CatalogueEntry) -> tuple[frozenset[str], frozenset[str]]:
    """Every effect that a call of this program may have, and every kind of its words."""
    options = [option for _, option in entry.options.every()]
    kinds = [kind for option in options for kind in option.kinds]
    effects = {effect for option in options for effect in option.effects}
    for form in entry.forms:
        effects.update(form.effects)
        kinds += [place.kind for place in form.operands.places]
        kinds += [form.stdin] if form.stdin else []
        for override in form.overrides.values():
            kinds += override.kinds
            effects.update(override.effects)
    effects.update(effect for kind in kinds for effect in possible(kind))
    effects.update(setting.effect for setting in entry.settings)
    if "remote" in effects:
        effects.add("network")
    return frozenset(effects | {"unknown"}), frozenset(all_names(kinds))


def _never(site: Site, name: str, why: str, hint: str, text: str = "") -> Finding:
    place = site.place(text, name)
    return site.subject.finding("condition-never", f"`{name}` never holds: {why}", place, hint)
