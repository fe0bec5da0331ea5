"""`--portable codex`: what OpenAI Codex would not accept, or would read differently."""

from collections.abc import Iterator

from execpolicy.language.builtins.network import OWN
from execpolicy.lint.finding import Finding
from execpolicy.lint.subject import Context, Site, Subject
from execpolicy.model.errors import Span
from execpolicy.model.rule import NetworkRule

_BUILTINS = {
    "prefix_rule": frozenset(
        ("pattern", "decision", "match", "not_match", "justification", "canonical_matching")
    ),
    "host_executable": frozenset(("name", "paths")),
    "network_rule": frozenset(("host", "protocol", "decision", "justification")),
}


def check(subject: Subject, _context: Context) -> Iterator[Finding]:
    """Every call that Codex refuses."""
    for site in subject.sites:
        name = site.call.name
        if name not in _BUILTINS:
            message = f"Codex has no `{name}`"
            hint = "keep it in a file of its own, which only this engine reads"
            yield subject.finding("portable-codex", message, _name(site), hint)
            continue
        rule = site.rule
        if isinstance(rule, NetworkRule) and (rule.host[:1] in "*@" or rule.protocol in OWN):
            message = f"Codex does not know `{rule.host}` by {rule.protocol}"
            hint = "keep it in a file of its own, which only this engine reads"
            yield subject.finding("portable-codex", message, site.place(), hint)
        for argument in site.call.kwargs.keys() - _BUILTINS[name]:
            message = f"Codex has no argument `{argument}` of `{name}`"
            hint = "write several rules, or keep it in a file of its own"
            place = site.place("", argument)
            yield subject.finding("portable-codex", message, place, hint)


def _name(site: Site) -> Span:
    return site.literal.name_span if site.literal else site.place()
