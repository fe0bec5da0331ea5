"""What was learned as a file of rules, each with its evidence, and as cases for its test."""

from collections.abc import Iterable, Iterator, Sequence

from execpolicy.catalogue import Catalogue
from execpolicy.catalogue.conditions.granted import decides
from execpolicy.engine.offers.own_tool import line, programs
from execpolicy.language.format.format import format_text
from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.model.rule import CONFIGURED, Conditions, PrefixRule
from execpolicy.replay.learn.learner import Learned, LearnedStep
from execpolicy.replay.learn.rules import LearnedRule
from execpolicy.replay.requests import ReplayCall
from execpolicy.store.line import paths_line, quoted
from execpolicy.support.record import Value

MAX_EXAMPLES, MAX_WORDS, MAX_NAMED = 6, 16, 12
"""Examples of a rule, words of one, and words that its sentence names."""
_IN_PLACES = {"read": "read in", "write": "write in", "execute": "run code of"}
_AT_HOSTS = {"network": "get from", "remote": "change what lies at"}
_CONFIGURED = "the host that is configured for it"
_PLACES = {
    "project": "the project",
    "temporary": "/tmp",  # noqa: S108 — a word
    "repositories": "repositories of yours",
}
"""What is generated lies in the project."""


class Evidence(Value):
    """What a rule rests on: calls, sessions, projects, the first and the last day."""

    calls: int
    sessions: int
    projects: int
    first: str
    last: str

    @staticmethod
    def of(calls: Sequence[ReplayCall]) -> "Evidence":
        """Counted."""
        days = sorted(filter(None, (each.call.time[:10] for each in calls)))
        return Evidence(
            len(calls),
            len({each.call.session for each in calls}),
            len({each.project for each in calls}),
            days[0] if days else "",
            days[-1] if days else "",
        )

    def __str__(self) -> str:
        counts = ((self.calls, "call"), (self.sessions, "session"), (self.projects, "project"))
        listed = ", ".join(f"{n} {noun}{'' if n == 1 else 's'}" for n, noun in counts)
        days = f", {self.first} to {self.last}" if self.first else ""
        return listed + days


def text(learned: Learned, calls: Sequence[ReplayCall], field: str, catalogue: Catalogue) -> str:
    """The rules file, in its canonical form. The catalogue has the entries of what was learned."""
    every = Evidence.of(calls)
    share = f"{100 * learned.settled / learned.asked:.1f} %" if learned.asked else "none"
    said = [
        f"# Learned by `execpolicy learn` from {every}.",
        f"# Of {learned.asked} calls that asked ({field}), {learned.settled} ask no more: {share}.",
        "# Nothing of it is in force: read it, then lint, test and trust it.",
        "# A rule holds in each directory of the project (`below = True`). What destroys, forces,",
        "# needs other rights or reaches another host still asks.",
        "",
    ]
    entries = tuple(dict.fromkeys(path for rule in learned.rules for path in rule.entries))
    if entries:
        said.append("# Tools of your own: an entry allows nothing, it says what the words do.")
        said += [*map(line, programs(entries)), ""]
    for step in learned.steps:
        said += [*_comment(step), _call(step.rule, catalogue), ""]
    return format_text("\n".join(said))


def _comment(step: LearnedStep) -> Iterator[str]:
    yield f"# {sentence(step.rule)}"
    yield f"# {Evidence.of(step.calls)}"


def sentence(rule: LearnedRule) -> str:
    """What a rule allows, in one sentence."""
    if rule.family.tree:
        return f"Read below {rule.family.tree.removesuffix('/*')}; keys in it still ask."
    head = " ".join(rule.family.head) if rule.family.size > 1 else ""
    shown = rule.words[:MAX_NAMED]
    words = ", ".join(f"`{printable(f'{head} {word}'.strip(), 300)}`" for word in shown)
    more = f" and {len(rule.words) - MAX_NAMED} more" if len(rule.words) > MAX_NAMED else ""
    said = [_lifts(rule.conditions, rule.family.exact)]
    said += ["these very words only"] if rule.family.exact else []
    said += ["in the sandbox only"] if rule.confined else []
    return f"{words}{more} may {'; '.join(said)}."


def _lifts(conditions: Conditions, exact: bool) -> str:
    """What is done, where and at which hosts. Very words name the host themselves, if one is."""
    places = [each for name, each in _PLACES.items() if name in conditions.places]
    hosts = [_CONFIGURED if host == CONFIGURED else host for host in conditions.hosts]
    named = ["the host that they use" if exact else "any host"]
    inside = f" {_joined(places or ['any place'])}"
    outside = f" {_joined(named if exact or not hosts else hosts)}"
    parts = []
    for verbs, where in ((_IN_PLACES, inside), (_AT_HOSTS, outside)):
        done = [verb for effect, verb in verbs.items() if effect in conditions.effects]
        parts += [f"{_joined(done)}{where}"] if done else []
    return ", and ".join(parts)


def _joined(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _call(rule: LearnedRule, catalogue: Catalogue) -> str:
    if rule.family.tree:
        return paths_line((rule.family.tree,), ("read",), Decision.ALLOW)
    tokens = [
        quoted(words[0]) if len(words) == 1 else f"[{', '.join(map(quoted, words))}]"
        for words in rule.pattern
    ]
    examples = [f"[{', '.join(map(quoted, words))}]" for words in examples_of(rule, catalogue)]
    fields = [f"[{', '.join(tokens)}]", *_fields(rule)]
    fields += [f"match = [{', '.join(examples)}]"] if examples else []
    return f"prefix_rule({', '.join(fields)})"


def _fields(rule: LearnedRule) -> Iterator[str]:
    conditions: Conditions = rule.conditions
    if rule.family.exact:
        yield "exact = True"
    for name in ("effects", "places", "hosts"):
        values = getattr(conditions, name)
        if values:
            yield f"{name} = [{', '.join(map(quoted, values))}]"
    yield "below = True"
    if rule.confined:
        yield "confined = True"


def examples_of(rule: LearnedRule, catalogue: Catalogue) -> list[tuple[str, ...]]:
    """Commands that were seen, for which the rule holds by what the catalogue knows."""
    made = rule.made()
    if not isinstance(made, PrefixRule):
        return []
    seen = [each for each in rule.examples if made.matches(each) and len(each) <= MAX_WORDS]
    return [each for each in seen if decides(made, each, catalogue)][:MAX_EXAMPLES]


def cases(found: Iterable[tuple[tuple[str, ...], str]], name: str) -> str:
    """A file of cases: commands with the decision that is expected."""
    lines = [f"# Cases of {name}, as it was learned.", "", f"policy(rules = [{quoted(name)}])", ""]
    for words, decision in found:
        listed = ", ".join(map(quoted, words))
        lines.append(f"case([{listed}], {quoted(decision)})")
    return format_text("\n".join(lines) + "\n")
