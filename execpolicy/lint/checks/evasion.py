"""Checks of rules that tighten: spellings of the same command that they do not see.

The engine sees through paths, wrappers, global options, variables and quoting. What it cannot know
is that a rule about one option means its other name too, or the option after an operand.
"""

from collections.abc import Iterator
from itertools import islice, product

from execpolicy.catalogue import Catalogue
from execpolicy.catalogue.descend import descend
from execpolicy.catalogue.entry import CatalogueEntry
from execpolicy.lint.finding import Finding
from execpolicy.lint.subject import Context, Site, Subject
from execpolicy.model.errors import printable
from execpolicy.model.rule import PrefixRule

MAX_WAYS = 64


def check(subject: Subject, context: Context) -> Iterator[Finding]:
    """Prompt and forbidden rules with options in their patterns, or with one name of several."""
    for site in subject.sites:
        if site.rules and site.rules[0].decision:
            yield from _versions(site, context.catalogue)
            yield from _ways(site, context.catalogue)


def _ways(site: Site, catalogue: Catalogue) -> Iterator[Finding]:
    """What is found for each program and subcommand that the pattern names, each thing once."""
    told = set()
    for rule in site.rules:
        if not any(token.startswith("-") for tokens in rule.pattern[1:] for token in tokens):
            continue
        for words in islice(product(*rule.pattern), MAX_WAYS):
            for finding in _options(site, rule, words, catalogue):
                if finding.diagnostic.message not in told:
                    told.add(finding.diagnostic.message)
                    yield finding


def _options(
    site: Site, rule: PrefixRule, words: tuple[str, ...], catalogue: Catalogue
) -> Iterator[Finding]:
    found = descend(words, catalogue)
    at, key, entry = found.at, found.name, found.entry
    if entry is None:
        return
    for number, tokens in enumerate(rule.pattern[at:], at):
        options = [t for t in tokens if t.startswith("-") and t.strip("-")]
        if not options:
            continue
        place = site.place(options[0], "pattern", 0)
        others = _aliases(options, tokens, entry)
        if others:
            shown = ", ".join(f"`{printable(o, 30)}`" for o in others[:4])
            named = ", ".join(f"`{printable(o, 30)}`" for o in options)
            verb = "is also" if len(options) == 1 else "are also, one or the other,"
            message = f"{named} {verb} {shown} for `{key}`, which this rule does not see"
            hint = "write all names as alternatives"
            yield site.subject.finding("evaded-alias", message, place, hint)
        spelling = " ".join((*words[:number], _filler(entry), options[0]))
        message = f"`{printable(spelling, 60)}` is not seen: options may stand in another place"
        hint = f"write the rule for `{' '.join(words[:at])}`, with `unless` for what may pass"
        if not (entry.stop_at_operand and not entry.children) or len(entry.options.names) > 1:
            yield site.subject.finding("evaded-order", message, place, hint)
        return


def _aliases(options: list[str], tokens: tuple[str, ...], entry: CatalogueEntry) -> list[str]:
    """Other names of the same options."""
    found: dict[str, None] = {}
    for option in options:
        known = entry.options.get(option) or entry.options.get(option.partition("=")[0])
        if known is not None:
            found |= {n: None for n, o in entry.options.items() if o.identity == known.identity}
    return [name for name in found if name not in tokens and not name.endswith("=")]


def _filler(entry: CatalogueEntry) -> str:
    """A word that may stand in front of the option."""
    return "-…" if entry.stop_at_operand else "…"


def _versions(site: Site, catalogue: Catalogue) -> Iterator[Finding]:
    """`python` is `python3` and `python3.12` too."""
    heads = [rule.pattern[0][0] for rule in site.rules]
    for head in heads:
        found = catalogue.lookup(head)
        if found is None or not found.path.endswith("{version}"):
            continue
        name = found.path.removesuffix("{version}")
        if sum(h.rstrip("0123456789.") == name for h in heads) == 1:
            message = f"`{head}` is not the only name of this program"
            hint = f'write alternatives for what is installed: ["{name}", "{name}3", …]'
            place = site.place(head, "pattern", 0)
            yield site.subject.finding("evaded-version", message, place, hint)
