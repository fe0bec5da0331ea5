"""Checks of rules against each other: dead, redundant, contradictory, and exceptions in vain."""

from collections.abc import Iterator

from execpolicy.lint.checks.conditions import is_unmet
from execpolicy.lint.checks.idle_rules import idle_rules, is_plain
from execpolicy.lint.finding import Edit, Finding
from execpolicy.lint.subject import Context, Site
from execpolicy.model.decision import Decision
from execpolicy.model.errors import Span, printable
from execpolicy.model.rule import Pattern, PrefixRule, fold
from execpolicy.prove.inclusion.acceptors import TooHardError
from execpolicy.prove.inclusion.algebra import covered, exception
from execpolicy.prove.inclusion.overlap import Overlap

MAX_NAMED = 3


def check(context: Context) -> Iterator[Finding]:
    """What is wrong with prefix rules of any of the files, all taken together."""
    every = [site for subject in context.subjects for site in subject.sites if site.rules]
    found = {id(o.rule): o for o in idle_rules(context)}
    sites = []
    for site in every:
        mine = [found[id(r)] for r in site.rules if id(r) in found]
        if not any(o.kind == "unmet" for o in mine) or not is_unmet(site, context.catalogue):
            yield from _overlaps(site, mine)
        if is_plain(site.rules[0]):
            sites.append(site)
            if site.rules[0].unless and id(site.rules[0]) not in found:
                yield from _exceptions(site)
    yield from _undone(context, sites)


def _overlaps(site: Site, found: list[Overlap]) -> Iterator[Finding]:
    if not found:
        return
    whole = len(found) == len(site.rules)
    kinds = {o.kind for o in found}
    if whole and len(kinds) == 1:
        yield _finding(site, found, site.place(), f"`{_shown(site)}`")
        return
    for one in found:
        head = one.rule.pattern[0][0]
        place = site.place(head, "pattern", 0)
        yield _finding(site, [one], place, f"`{_pattern(one.rule.pattern)}`")


def _finding(site: Site, found: list[Overlap], place: Span, what: str) -> Finding:
    kind = found[0].kind
    if kind == "undecided":
        return _undecided(site, place, what)
    others = tuple({id(r): r for o in found for r in o.others}.values())
    by = " and ".join(_named(r) for r in others[:MAX_NAMED])
    more = len(others) - MAX_NAMED
    by += f" and {more} more" if more > 0 else ""
    said = site.rules[0].decision.word
    message, hint = {
        "unmet": (
            f"no command that {what} is about meets its conditions",
            "narrow its words, or widen the conditions",
        ),
        "never": (f"the exceptions of {what} take all that it matches", "narrow `unless`"),
        "contradiction": (f"{what} says {said}, and {by} about the very same", "keep one of them"),
        "dead": (f"{what} says {said}, but {by} comes first: the strictest decides", _DEAD),
        "redundant": (f"{what} adds nothing to {by}", "leave it out"),
    }[kind]
    other = Span(others[0].origin.file, others[0].origin.line) if others else None
    edits = _cut(site) if kind == "redundant" and len(found) == len(site.rules) else ()
    code = "condition-never" if kind == "unmet" else kind
    return site.subject.finding(code, message, place, hint, other, edits)


def _undecided(site: Site, place: Span, what: str) -> Finding:
    message = f"whether {what} adds anything to its neighbours takes too long to find out"
    return site.subject.finding("undecided", message, place, "write simpler rules side by side")


_DEAD = "leave it out, or make it an exception of the other: `unless`"


def _named(rule: PrefixRule) -> str:
    return f"`{_pattern(rule.pattern)}` ({rule.decision.word}, {printable(str(rule.origin))})"


def _shown(site: Site) -> str:
    heads = tuple(rule.pattern[0][0] for rule in site.rules)
    return _pattern((heads, *site.rules[0].pattern[1:]))


def _pattern(pattern: Pattern) -> str:
    return printable(" ".join("|".join(tokens) for tokens in pattern), 80)


def _cut(site: Site) -> tuple[Edit, ...]:
    """Takes out a call that stands alone, from the start of its line to the end of its last."""
    subject, literal = site.subject, site.literal
    if literal is None or literal.span.column != 1 or subject.module is None:
        return ()
    start = subject.offset(literal.span.line, 1)
    end = subject.statements.get(start)
    if end is None or subject.text[end : end + 1] not in ("\n", ""):
        return ()
    return (Edit(start, end + 1, ""),) if "#" not in subject.text[start:end] else ()


def _exceptions(site: Site) -> Iterator[Finding]:
    """Exceptions that never apply: after the end of an exact rule, or inside others."""
    rule = site.rules[0]
    left = list(rule.unless)
    for number in reversed(range(len(rule.unless))):
        unless = rule.unless[number]
        place = site.place(unless[-1][0], "unless")
        shown = f"the exception `{_pattern(unless)}`"
        if rule.exact and len(unless) > len(rule.pattern):
            del left[number]
            message = f"{shown} never applies: the rule is exact and ends before"
            hint = "leave out the exception, or `exact`"
            yield site.subject.finding("unless-never", message, place, hint)
            continue
        others = left[:number] + left[number + 1 :]
        try:
            by = _excepting(rule, unless, others)
        except TooHardError:
            yield _undecided(site, place, shown)
            continue
        if by:
            del left[number]
            named = " and ".join(f"`{_pattern(other)}`" for other in by[:MAX_NAMED])
            verb = "excepts" if len(by) == 1 else "except"
            message = f"{shown} never applies: {named} {verb} all of it"
            yield site.subject.finding("unless-never", message, place, "leave it out")


def _excepting(rule: PrefixRule, unless: Pattern, others: list[Pattern]) -> list[Pattern]:
    """Those of the exceptions that together except all that this one does, if they do."""
    mine = exception(rule, unless)

    def enough(some: list[Pattern]) -> bool:
        return bool(some) and covered(mine, [exception(rule, other) for other in some])

    alone = next(([other] for other in others if enough([other])), None)
    return alone or (others if enough(others) else [])


def _undone(context: Context, sites: list[Site]) -> Iterator[Finding]:
    """Exceptions from a rule that tightens, of which others say at least as much."""
    loosened = [s for s in sites if s.rules[0].unless and s.rules[0].decision is not Decision.ALLOW]
    if not loosened:
        return
    rules = [*filter(is_plain, context.below), *(r for site in sites for r in site.rules)]
    heads: dict[str, list[PrefixRule]] = {}
    for rule in rules:
        for head in rule.pattern[0]:
            heads.setdefault(head, []).append(rule)
    for site in loosened:
        rule = site.rules[0]
        near = [
            r
            for r in heads.get(rule.pattern[0][0], ())
            if r.decision >= rule.decision and r not in site.rules
        ]
        for unless in rule.unless:
            if not rule.exact or len(unless) <= len(rule.pattern):
                yield from _undone_exception(site, unless, near)


def _undone_exception(site: Site, unless: Pattern, near: list[PrefixRule]) -> Iterator[Finding]:
    """One exception of a site, if other rules say as much about all its commands."""
    place = site.place(unless[-1][0], "unless")
    shown = f"the exception `{_pattern(unless)}`"
    try:
        undoing = _undoing(exception(site.rules[0], unless), near)
    except TooHardError:
        yield _undecided(site, place, shown)
        return
    if undoing:
        origin = undoing[0].origin
        by = " and ".join(map(_named, undoing[:MAX_NAMED]))
        message, hint = f"{shown} is undone by {by}", "leave one of them out"
        where = Span(origin.file, origin.line)
        yield site.subject.finding("unless-undone", message, place, hint, where)


def _undoing(mine: PrefixRule, near: list[PrefixRule]) -> list[PrefixRule]:
    """Those of the rules that apply to all commands of an exception, if they do."""
    tokens = [{fold(t) for t in tokens} for tokens in mine.pattern]
    near = [
        rule
        for rule in near
        if all(
            any(fold(t) in own for t in its) for own, its in zip(tokens, rule.pattern, strict=False)
        )
    ]
    alone = next(([rule] for rule in near if covered(mine, [rule], loose=True)), None)
    return alone or (near if near and covered(mine, near, loose=True) else [])
