"""What a proof comes to: nothing is looser, something is, or it cannot be told.

Of several commands that show the same, the one is shown that a user reads most easily.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from execpolicy.catalogue import Catalogue
from execpolicy.catalogue.conditions.open_tail import RUNNING
from execpolicy.catalogue.descend import descend
from execpolicy.catalogue.reading.tokens import Tokens
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request, Word
from execpolicy.model.program import EFFECTS
from execpolicy.model.rule import Origin, PrefixRule, is_prefix
from execpolicy.model.verdict import Match, Source, Verdict
from execpolicy.policy.network_hosts import Attempt
from execpolicy.prove.left_out import AnyRule, LeftOut, anywhere, left_out, rules_of
from execpolicy.prove.samples import MADE_UP
from execpolicy.prove.side import FIELDS, ROOT, Side, decisions
from execpolicy.support.record import Value

NO_LOOSER, LOOSER, CANNOT_TELL = "no looser", "looser", "cannot tell"


class Reason(Value):
    """Why one side decides as it does, and where the rule or the entry stands that says so.

    `rule` is that rule. Where none decides, `posture` is where the one stands that does, if one
    does, in `places` alone where it does so not everywhere. `effects` are those of the example that
    are decided, of a rule that allows all that its words may do.
    """

    decision: Decision
    why: str
    origin: Origin | None = None
    rule: AnyRule | None = None
    posture: Origin | None = None
    effects: tuple[str, ...] = ()
    places: tuple[str, ...] = ()


class Witness(Value):
    """A request that the new policy decides less strictly than the old one.

    `shown` is a command, a path or a host for the user; `field` is the decision that is looser.
    `attempt` is the connection through the proxy that only the proxy decides otherwise. `left_out`
    is what of each side takes the request out of what decides on the other; `kept`: the rule that
    decides on the new side stood on the old one, too.
    """

    kind: str
    shown: str
    request: Request
    field: str
    old: Reason
    new: Reason
    attempt: Attempt | None = None
    left_out: tuple[LeftOut | None, LeftOut | None] = (None, None)
    kept: bool = False


class Proof(Value):
    """All that was found. `unknown` are the reasons why something could not be told."""

    witnesses: tuple[Witness, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def answer(self) -> str:
        """One of NO_LOOSER, LOOSER and CANNOT_TELL: what is looser for certain comes first."""
        if self.witnesses:
            return LOOSER
        return CANNOT_TELL if self.unknown else NO_LOOSER

    def reversed(self) -> "Proof":
        """The same with the sides in their order in time, where it was made the other way round."""
        turned = (
            w.replace(old=w.new, new=w.old, left_out=w.left_out[::-1]) for w in self.witnesses
        )
        return self.replace(witnesses=tuple(turned))


def looser(
    kind: str, shown: str, request: Request, sides: tuple[Side, Side], fields: tuple[str, ...]
) -> Witness | None:
    """The witness that a request is, if the new policy is less strict about it."""
    before = sides[0].judge(request)
    if not any(decisions(before)):
        return None  # nothing is looser than what is allowed
    after = sides[1].judge(request)
    pairs = zip(FIELDS, decisions(before), decisions(after), strict=True)
    for field, old, new in pairs:
        if field in fields and new < old:
            was = reason_of(sides[0], before, field, old)
            now = reason_of(sides[1], after, field, new, was.effects)
            kept = now.rule is not None and anywhere(now.rule) in map(anywhere, rules_of(sides[0]))
            by_old = left_out(now.rule, None, (sides[1], sides[0]), after) if now.rule else None
            left = by_old, left_out(was.rule, was.origin, sides, before)
            return Witness(kind, shown, request, field, was, now, None, left, kept)
    return None


def reason_of(
    side: Side, verdict: Verdict, field: str, decision: Decision, about: tuple[str, ...] = ()
) -> Reason:
    """The match that makes a verdict what it is: first one that is `about` the effects that the
    other side decides otherwise; a rule before what the posture says, and then the worst."""
    inside = field == FIELDS[1]
    matches = [m for judged in verdict.judged for m in judged.matches]
    found = [m for m in matches if (m.in_sandbox if inside else m.decision) is decision]
    if not found:
        return Reason(decision, verdict.floor or "nothing asks")
    best = min(found, key=lambda m: (_is_beside(m, about), m.source is not Source.RULE, m.severity))
    if best.source is Source.RULE:
        rule = _rule(best, side)
        return Reason(decision, best.reason, best.origin, rule, None, _able(rule, best, side))
    reason = Reason(decision, best.reason, best.origin, None, None, best.effects)
    return (
        _by_posture(reason, best.places, side, inside)
        if best.source is Source.CATALOGUE
        else reason
    )


def _is_beside(match: Match, about: tuple[str, ...]) -> bool:
    everything = match.source is Source.RULE and not match.effects
    return bool(about) and not everything and set(about).isdisjoint(match.effects)


def _rule(match: Match, side: Side) -> AnyRule | None:
    """The rule that a match is of. One call may make several, of other words each."""
    found = [rule for rule in rules_of(side) if rule.origin == match.origin]
    named = (r for r in found if isinstance(r, PrefixRule) and is_prefix(r.pattern, match.prefix))
    return next(named, found[0] if found else None)


def _able(rule: AnyRule | None, match: Match, side: Side) -> tuple[str, ...]:
    """All that the words of an allow rule may do, where they are those of one entry."""
    if not isinstance(rule, PrefixRule) or rule.decision:
        return match.effects
    words = tuple(tokens[0] for tokens in rule.pattern)
    entry = descend(words, side.catalogue).entry
    if entry is None or entry.children:
        return ()
    anyway = {effect for form in entry.forms for effect in form.effects}
    able = (entry.ceiling.keys() - RUNNING) | (RUNNING & anyway)
    return tuple(effect for effect in EFFECTS if effect in able)


def _by_posture(reason: Reason, places: tuple[str, ...], side: Side, inside: bool) -> Reason:
    """The same with the posture that decides. Who lets code run lets it do what it says."""
    of = side.defaults.confined if inside else side.defaults.decide
    for effect in (*reason.effects, "execute"):
        if of(effect, places) is reason.decision:
            posture = side.defaults.origin(effect, places, inside)
            where = () if of(effect) is reason.decision else places
            return reason.replace(posture=posture, effects=(effect,), places=where)
    return reason


Tried = tuple[tuple[Word, ...], str]
"""The words of a command and its directory."""
_CHANGED = ("remove", "moved", "out", "in-place")
"""Kinds of operands that are what a command is about, even where none has to be given."""
Judge = Callable[..., Witness | None]
_SELDOM = (*MADE_UP, "--help")
MAX_MORE = 32
"""Commands that are tried for a plainer example, where there is one."""


def plainest(
    tried: Iterable[Tried],
    judge: Judge,
    catalogue: Catalogue,
    more: Iterable[tuple[Word, ...]],
) -> Witness | None:
    """The first witness, or one of `more` in the project that is plainer."""
    for words, cwd in tried:
        found = judge(words, cwd)
        if found is not None:
            least = _odd((words, cwd), found, catalogue)
            return _plainer(found, least, words, judge, catalogue, more) if least else found
    return None


def _plainer(
    best: Witness,
    least: int,
    words: tuple[Word, ...],
    judge: Judge,
    catalogue: Catalogue,
    more: Iterable[tuple[Word, ...]],
) -> Witness:
    """The worst that a subcommand alone does, else the plainest of more commands."""
    alone = _alike(best, _subcommands(words, catalogue), judge)
    plain = [w for each, w in alone if not _odd((each, ROOT), w, catalogue)]
    if plain:
        return max(plain, key=lambda witness: max(map(_strength, witness.old.effects), default=0))
    for each, witness in _alike(best, islice(more, MAX_MORE), judge):
        odd = _odd((each, ROOT), witness, catalogue)
        if odd < least:
            best, least = witness, odd
    return best


def _alike(
    best: Witness, tried: Iterable[tuple[Word, ...]], judge: Judge
) -> Iterator[tuple[tuple[Word, ...], Witness]]:
    """The witnesses among the commands that the same rules decide."""
    for words in tried:
        found = judge(words)
        if found and (found.old.rule, found.new.rule) == (best.old.rule, best.new.rule):
            yield words, found


def _strength(effect: str) -> int:
    return EFFECTS.index(effect) if effect in EFFECTS else 0


def _odd(tried: Tried, witness: Witness, catalogue: Catalogue) -> int:
    """How much of a command only a proof would write."""
    words, cwd = tried
    return (
        4 * ("unknown" in witness.old.effects)
        + 2 * is_incomplete(words, catalogue)
        + (cwd != ROOT)
        + any(word in _SELDOM or not isinstance(word, str) for word in words)
    )


def is_incomplete(words: tuple[Word, ...], catalogue: Catalogue) -> bool:
    """Whether a command lacks operands without which it does nothing."""
    argv = tuple(word if isinstance(word, str) else "x" for word in words)
    found = descend(argv, catalogue)
    if found.entry is None:
        return False
    given = len(Tokens(found.entry, argv, found.at).operands)
    operands = [form.operands for form in found.entry.forms]
    changed = any(place.kind in _CHANGED for each in operands for place in each.places)
    return given < max(min((each.least for each in operands), default=0), changed)


def _subcommands(words: tuple[Word, ...], catalogue: Catalogue) -> Iterator[tuple[Word, ...]]:
    """The command with each of its subcommands after it, and in the place of its last word."""
    argv = tuple(word for word in words if isinstance(word, str))
    for begun in (argv, argv[:-1]) if argv == words else ():
        entry = descend(begun, catalogue).entry if begun else None
        for child in sorted(entry.children) if entry else ():
            yield (*begun, child)
