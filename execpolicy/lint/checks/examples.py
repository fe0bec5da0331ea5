"""Checks of what a rule brings along: its examples and its reason."""

from collections.abc import Iterator

from execpolicy.catalogue import Catalogue
from execpolicy.catalogue.conditions.granted import decides
from execpolicy.lint.checks.idle_rules import is_plain
from execpolicy.lint.checks.tokens import removal
from execpolicy.lint.finding import Finding
from execpolicy.lint.subject import Context, Site
from execpolicy.model.decision import Decision
from execpolicy.model.errors import Span, printable
from execpolicy.model.rule import PrefixRule
from execpolicy.policy.policy import Policy

_OPERATORS = ("&&", "||", ";", "|", ">", "<", "$(", "`")


def check(context: Context) -> Iterator[Finding]:
    """Examples and reasons that are missing or that say something else than is meant."""
    rules = [r for s in context.subjects for site in s.sites for r in site.rules]
    policy = Policy([rule for rule in (*context.below, *rules) if is_plain(rule)])
    for subject in context.subjects:
        for site in subject.sites:
            if site.examples is not None:
                yield from _missing(site, context.catalogue)
                yield from _reason(site)
                yield from _scripts(site)
                yield from _repeated(site)
                yield from _overruled(site, policy)
            if site.call.name in ("network_rule", "path_rule"):
                yield from _reason(site)


def _missing(site: Site, catalogue: Catalogue) -> Iterator[Finding]:
    if site.examples is not None and not site.examples.match:
        if not _can_show(site.rules[0], catalogue):
            return
        words = " ".join(tokens[0] for tokens in site.rules[0].pattern)
        hint = f'add `match = ["{printable(words, 60)} …"]`: examples are run as tests'
        span = site.place()
        yield site.subject.finding("example-missing", "the rule has no example", span, hint)


def _can_show(rule: PrefixRule, catalogue: Catalogue) -> bool:
    """Whether an example can show that a rule holds: not where an allow rule needs what no word
    tells, as the host that is configured."""
    words = tuple(tokens[0] for tokens in rule.pattern)
    tried = (words, (*words, "x"))
    return bool(rule.decision) or any(decides(rule, argv, catalogue) for argv in tried)


def _reason(site: Site) -> Iterator[Finding]:
    rule = site.rules[0] if site.rules else site.rule
    if isinstance(rule, type(None)) or getattr(rule, "justification", "") is not None:
        return
    decision = getattr(rule, "decision", Decision.ALLOW)
    if decision:
        message = f"the rule says {decision.word} and not why"
        hint = "add `justification`: it is shown when a command is stopped"
        yield site.subject.finding("justification-missing", message, site.place(), hint)


def _scripts(site: Site) -> Iterator[Finding]:
    for name, position in (("match", 2), ("not_match", 3)):
        argument = site.argument(name, position)
        value = argument.value if argument and argument.literal else None
        for example in value if isinstance(value, list) else ():
            if not isinstance(example, str):
                continue
            words = example.split()
            found = next((o for o in _OPERATORS if any(w == o for w in words)), None)
            if found:
                message = f"`{found}` in an example is a plain word: an example is not a script"
                place = site.place(example, name, position)
                hint = "write one command; try scripts with `execpolicy test`"
                yield site.subject.finding("example-script", message, place, hint)


def _repeated(site: Site) -> Iterator[Finding]:
    for name, position in (("match", 2), ("not_match", 3)):
        argument = site.argument(name, position)
        value = argument.value if argument and argument.literal else None
        if argument is None or not isinstance(value, list):
            continue
        if not all(isinstance(v, str) for v in value):
            continue
        seen: set[str] = set()
        for number, text in enumerate(argument.strings):
            if text.value in seen:
                edits = removal(site.subject, argument.strings[number - 1].span, text.span)
                message = f"the example `{printable(text.value, 60)}` is there already"
                yield site.subject.finding(
                    "example-repeated", message, text.span, "leave it out", edits=edits
                )
            seen.add(text.value)


def _overruled(site: Site, policy: Policy) -> Iterator[Finding]:
    """Examples about which another rule says something stricter."""
    own = set(map(id, site.rules))
    for argv in site.examples.match if site.examples else ():
        stricter = [
            rule
            for rule in policy.matching(argv)
            if rule.decision > site.rules[0].decision and id(rule) not in own
        ]
        if stricter:
            other = max(stricter, key=lambda r: r.decision)
            yield _by(site, argv, other)


def _by(site: Site, argv: tuple[str, ...], other: PrefixRule) -> Finding:
    shown = printable(" ".join(argv), 60)
    said = site.rules[0].decision.word
    message = f"the rule says {said} about `{shown}`, but {other.origin} says {other.decision.word}"
    place = site.place(" ".join(argv), "match", 2)
    where = Span(other.origin.file, other.origin.line)
    return site.subject.finding(
        "example-overruled", message, place, "the strictest decides: change one of them", where
    )
