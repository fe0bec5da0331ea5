"""Whether a proof agrees with the engine about each of many requests, for policies as text."""

import random
from collections import Counter
from itertools import permutations
from typing import Generic, NamedTuple, TypeVar

from execpolicy.commands.proving import side
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.verdict import Verdict
from execpolicy.policy import network_hosts
from execpolicy.prove.compare import compare
from execpolicy.prove.side import FIELDS, Side, decisions
from execpolicy.prove.witness import CANNOT_TELL, LOOSER, NO_LOOSER, Witness
from execpolicy.store import loader
from execpolicy.store.sources.files import RulesFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Memory = dict[object, object]
NOT_VALID = "not valid"


def loaded(text: str, memory: Memory, layer: str = "user") -> Side | None:
    """One side; None where the text is not a policy."""
    files = [RulesFile(layer, "/a.rules", text.encode())]
    snapshot = loader.load(files, builtin=False, cached=False, memory=memory)
    return None if snapshot.diagnostics else side(snapshot)


def decided(side: Side, requests: "Iterable[Request]") -> bytes:
    """Both decisions about each of these requests."""
    return bytes(each for request in requests for each in decisions(side.judge(request)))


def loosened(old: bytes, new: bytes) -> int | None:
    """The place of the first decision that is less strict."""
    return next((n for n, (a, b) in enumerate(zip(old, new, strict=True)) if b < a), None)


def judged(both: tuple[Side, Side], witness: Witness) -> tuple[Decision, Decision]:
    """Both decisions about an example."""
    old, new = (decisions(side.judge(witness.request)) for side in both)
    at = FIELDS.index(witness.field)
    return old[at], new[at]


def replay(both: tuple[Side, Side], witness: Witness) -> None:
    """Ask the engine, or the proxy, about an example as a user would."""
    if witness.attempt is not None:
        old, new = (network_hosts.decide(side.policy, witness.attempt).decision for side in both)
    else:
        old, new = judged(both, witness)
        if (old, new) != (witness.old.decision, witness.new.decision):
            old, new = judged((both[0].on_files(), both[1].on_files()), witness)
    assert (old, new) == (witness.old.decision, witness.new.decision), witness
    assert new < old, witness


def proved(both: tuple[Side, Side], shown: "Sequence[object]", doubts: bool = False) -> str:
    """The answer, after each example was asked about again."""
    proof = compare(*both)
    assert doubts or proof.answer != CANNOT_TELL, (*shown, proof.unknown)
    for witness in proof.witnesses:
        try:
            replay(both, witness)
        except AssertionError as error:
            raise AssertionError((*shown, witness)) from error
    return proof.answer


Pair = tuple[Side, Side]
Rule = TypeVar("Rule")


def unchanged(_: random.Random, rule: Rule) -> Rule:
    """The same rule."""
    return rule


class Kind(NamedTuple, Generic[Rule]):
    """A sort of random policies, and all requests that can tell two of them apart.

    `changed` is what becomes of a rule that is kept. `doubts`: it need not be told of each pair.
    """

    rule: "Callable[[random.Random], Rule]"
    load: "Callable[[list[Rule], Memory], Side | None]"
    decided: "Callable[[Side], bytes]"
    changed: "Callable[[random.Random, Rule], Rule]" = unchanged
    doubts: bool = False


def agree(both: Pair, kind: Kind[Rule], shown: "Sequence[object]") -> str:
    """The answer of the proof about two policies, which agrees with every request."""
    answer = proved(both, shown)
    if answer != LOOSER:
        at = loosened(*map(kind.decided, both))
        assert at is None, (*shown, at)
    return answer


def remembering(side: Side) -> Side:
    """The same side, which decides each request once: of a family, most are asked again."""
    known: dict[Request, Verdict] = {}

    def judge(request: Request) -> Verdict:
        verdict = known.get(request)
        if verdict is None:
            verdict = known[request] = side.judge(request)
        return verdict

    return side.replace(judge=judge)


def family(draw: random.Random, kind: Kind[Rule], memory: Memory, size: int = 8) -> Counter[str]:
    """The answers about each two of some policies that grew out of one another.

    Every request is decided once for each policy, not for each pair of them.
    """
    drawn = [[kind.rule(draw) for _ in range(draw.choice((1, 2, 3, 4)))]]
    while len(drawn) < size:
        kept = [kind.changed(draw, each) for each in draw.choice(drawn) if draw.random() < 0.8]
        drawn.append([*kept, *(kind.rule(draw) for _ in range(draw.choice((0, 1, 1, 2))))])
    found = ((rules, kind.load(rules, memory)) for rules in drawn)
    sides = [(said, remembering(one)) for said, one in found if one is not None]
    valid = [(said, one, kind.decided(one)) for said, one in sides]
    answers: Counter[str] = Counter()
    for (old, before, were), (new, after, are) in permutations(valid, 2):
        answer = proved((before, after), (old, new), kind.doubts)
        assert answer != NO_LOOSER or loosened(were, are) is None, (old, new, loosened(were, are))
        answers[answer] += 1
    return answers
