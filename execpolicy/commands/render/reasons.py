"""Why something is decided as it is, with the conditions of the rule, in the words of a user."""

from collections.abc import Iterator

from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.model.rule import CONFIGURED, NetworkRule, Origin, PathRule, Pattern, PrefixRule
from execpolicy.prove.left_out import LIMITS, AnyRule, LeftOut, pattern_words
from execpolicy.prove.side import CONFINED, HOME, ROOT
from execpolicy.prove.witness import Reason, Witness

_DOES = {
    Decision.ALLOW: "allows",
    Decision.PROMPT: "asks about",
    Decision.FORBIDDEN: "forbids",
}
_PLACED = frozenset(("read", "write", "destroy"))
"""The effects for which a posture may tell places apart, and this one did not."""
MOST_NAMED = 3
"""Patterns of one rule that are named."""


def reason_line(reason: Reason, left: LeftOut | None = None, of_path: bool = False) -> str:
    """The decision, who makes it and where that stands.

    `left` is what leaves it out on this side. What is `of_path` may be done by any program, so that
    the entry of the one that was tried says nothing.
    """
    first = f"{_line(left.origin)} leaves it out by its `{left.argument}`; " if left else ""
    return f"{reason.decision.word}: {first}{'; '.join(_clauses(reason, of_path))}"


def _clauses(reason: Reason, of_path: bool) -> Iterator[str]:
    at = f" ({_line(reason.origin)})" if _line(reason.origin) else ""
    if reason.rule is not None:
        yield f"{printable(rule_sentence(reason), 300)}{at}"
        return
    if reason.decision or not reason.posture:  # what is done is told where it is not allowed
        why = placed(reason.why)
        if reason.effects == _UNKNOWN:
            more = "" if reason.posture else ", and no rule is about it"
            yield f"{why.removeprefix('unknown (').removesuffix(')')}{more}{at}"
        elif of_path and reason.posture and why.endswith(")"):
            yield printable(why.partition(" (")[2].removesuffix(")"), 200)
        else:
            yield f"{printable(why, 200)}{at}"
    if reason.posture:
        yield _by_posture(reason)


_UNKNOWN = ("unknown",)


def closing(witness: Witness) -> str:
    """What closes again what the new side opens; nothing where no line of either side does it."""
    old, new, (by_old, by_new) = witness.old, witness.new, witness.left_out
    if by_new is not None and _line(by_new.origin):
        return _changed(by_new, by_new.argument != "unless", by_new.origin)
    if by_old is not None and new.origin is not None and _line(new.origin):
        return _changed(by_old, by_old.argument == "unless", new.origin)
    if new.rule is not None and old.rule is not None and new.decision:  # a milder rule instead
        if _subject(new.rule) == _subject(old.rule):
            return f"set the decision to `{old.decision.word}` at {_line(new.origin)}"
    elif new.rule is not None and not witness.kept and _line(new.origin):
        return f"narrow or remove the rule at {_line(new.origin)}"
    if old.rule is not None and _line(old.origin):
        return f"put the rule of {_line(old.origin)} back"
    if new.rule is not None and _line(new.origin):
        return f"narrow the rule at {_line(new.origin)}"
    if new.posture not in (None, old.posture) and _line(new.posture):
        inner = f" in {_named(new.places)}" if new.places else ""
        of = "`confined` of the posture" if witness.field == CONFINED else "the posture"
        effects = f"{_named(new.effects)}{inner}"
        return f"set {effects} to `{old.decision.word}` in {of} at {_line(new.posture)}"
    again = old.posture is not None and old.posture != new.posture
    return f"put the posture of {_line(old.posture)} back" if again else ""


def _changed(left: LeftOut, adds: bool, at: Origin) -> str:
    if not left.words:
        return f"set `{left.argument} = {'False' if adds else 'True'}` at {_line(at)}"
    if left.argument in LIMITS:
        verb, to = ("remove", "") if adds else ("limit", f" to {_named(left.words)}")
        return f"{verb} `{left.argument}`{to} at {_line(at)}"
    verb, of = ("add", "to") if adds else ("remove", "from")
    return f"{verb} {_named(left.words)} {of} `{left.argument}` at {_line(at)}"


def _named(words: tuple[str, ...]) -> str:
    return " and ".join(f"`{printable(word, 60)}`" for word in words)


def where_line(reason: Reason) -> str:
    """Where an effect is allowed, and the line that says so."""
    rule, at = reason.rule, reason.posture or reason.origin
    if isinstance(rule, PrefixRule):
        where = " ".join(bounds(rule)) or "anywhere"
    elif rule is not None:
        where = _subject(rule)
    else:
        where = f"in {', '.join(reason.places)}" if reason.places else "by the posture"
    return f"{where}{f'; {_line(at)}' if _line(at) else ''}"


def _line(origin: Origin | None) -> str:
    """The line of a rule, of an entry or of a posture, where it has one."""
    return printable(str(origin)) if origin is not None and origin.file else ""


def _by_posture(reason: Reason) -> str:
    where = f" in {', '.join(reason.places)}" if reason.places else ""
    if not where and reason.decision is Decision.ALLOW and not _PLACED.isdisjoint(reason.effects):
        where = " in every place"
    effects = " and ".join(f"`{effect}`" for effect in reason.effects)
    said = f"no rule decides, and the posture {_DOES[reason.decision]} {effects}{where}"
    return f"{said} ({_line(reason.posture)})"


def placed(text: str) -> str:
    """The words with the paths of a proof as the user would write them."""
    return text.replace(f"{ROOT}/", "./").replace(f"{HOME}/", "~/")


def rule_sentence(reason: Reason) -> str:
    """What a rule says: about which words, paths or hosts, and under which conditions."""
    rule = reason.rule
    if rule is None:
        return reason.why
    said = "".join(_decides(rule, reason.effects))
    why = f": {rule.justification}" if rule.justification else ""
    return f"a rule for {_subject(rule)} {_DOES[rule.decision]} {said}{why}"


def _subject(rule: AnyRule) -> str:
    if isinstance(rule, PrefixRule):
        return ("exactly " if rule.exact else "") + _words(rule.pattern)
    if isinstance(rule, NetworkRule):
        return f"`{rule.host}`"
    return _listed(tuple(f"`{path}`" for path in rule.paths))


def _words(pattern: Pattern) -> str:
    return f"`{pattern_words(pattern)}`"


def _listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def _decides(rule: AnyRule, effects: tuple[str, ...]) -> Iterator[str]:
    if isinstance(rule, PathRule):
        yield ", ".join(rule.modes)
        yield f" by {', '.join(rule.programs)}" if rule.programs else ""
    elif isinstance(rule, NetworkRule):
        yield rule.protocol
        yield f" at port {', '.join(map(str, rule.ports))}" if rule.ports else ""
        yield f" with {', '.join(rule.methods)}" if rule.methods else ""
    else:
        yield _done(rule, effects)
        yield from (f" {bound}" for bound in bounds(rule))
        yield f", except {_listed(tuple(map(_words, rule.unless)))}" if rule.unless else ""


def _done(rule: PrefixRule, effects: tuple[str, ...]) -> str:
    """The effects that a rule is about; where it names none, those that its words may have."""
    named = rule.conditions.effects if rule.conditions else ()
    if named:
        return ", ".join(f"`{effect}`" for effect in named)
    if rule.decision:
        return "it"
    return "all that it does" + (f" ({', '.join(effects)})" if effects else "")


def bounds(rule: PrefixRule) -> Iterator[str]:
    """Where a rule holds alone, to which hosts and with what."""
    wanted = rule.conditions
    if wanted is not None:
        if wanted.options:
            yield f"when it has {' or '.join(f'`{option}`' for option in wanted.options)}"
        if wanted.places:
            yield f"in {', '.join(wanted.places)}"
        if wanted.hosts:
            named = (
                "the host that the program's own settings name" if h == CONFIGURED else h
                for h in wanted.hosts
            )
            yield f"at {' or '.join(named)}"
        if wanted.stdin:
            yield "with that text as its standard input"
    if rule.confined:
        yield "in the sandbox"
