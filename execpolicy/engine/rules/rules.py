"""What prefix rules say, as matches, and how far an allow rule reaches into what a command runs."""

from execpolicy.model.operation import Word
from execpolicy.model.rule import PrefixRule
from execpolicy.model.verdict import Match, Source
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class OuterRule(Value):
    """The allow rules on the command around another that name that one, too.

    `match` is what one without conditions says; it stands in for the catalogue. `limited` are those
    with conditions, each with the words that it names.
    """

    match: Match | None
    limited: "tuple[tuple[PrefixRule, tuple[str, ...]], ...]"


def outer_rule(
    rules: "Sequence[PrefixRule]", argv: tuple[Word, ...], at: int, said: "Sequence[Match]"
) -> OuterRule | None:
    """How far the rules that hold for the command `argv` reach into the one that begins `at` it.

    A rule for `docker exec web pytest` names what runs inside; one for `docker exec` does not.
    `said` are the matches of the command around.
    """
    reaching = [rule for rule in rules if len(rule.pattern) > at]
    if not reaching:
        return None
    limited = tuple((r, named(r, argv)) for r in reaching if r.conditions)
    whole = len(limited) < len(reaching)
    match = (
        next((m for m in said if m.source is Source.RULE and not m.effects), None)
        if whole
        else None
    )
    return OuterRule(match, limited)


def named(rule: PrefixRule, argv: tuple[Word, ...]) -> tuple[str, ...]:
    """The words of a command that the pattern of a rule names."""
    return tuple(word for word in argv[: len(rule.pattern)] if isinstance(word, str))


def by_rule(rule: PrefixRule, argv: tuple[Word, ...], effects: tuple[str, ...] = ()) -> Match:
    """What a rule says about a command. `effects` are those that it allows, where not all."""
    words = tuple(w if isinstance(w, str) else w.source for w in argv[: len(rule.pattern)])
    pattern = " ".join("|".join(tokens) for tokens in rule.pattern)
    said = (
        f"{rule.decision.word}s {', '.join(effects)}" if effects else f"says {rule.decision.word}"
    )
    why = rule.justification or f"a rule for `{pattern}` {said}"
    just = rule.justification
    return Match(Source.RULE, rule.decision, why, rule.origin, words, just, effects, argv=argv)
