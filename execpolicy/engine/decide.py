"""The decision: one pure function from a request and a snapshot to a verdict.

Every operation of the request meets every rule that speaks of it; where none speaks, the catalogue
names effects and the posture decides. The strictest of all matches is the decision, and no decision
is below the snapshot's floor.
"""

from execpolicy.engine.match import judge
from execpolicy.engine.rules.rules import Cover, cover
from execpolicy.engine.scene import Scene
from execpolicy.engine.unwrap import Step, expand
from execpolicy.model.decision import Decision
from execpolicy.model.errors import RequestError, printable
from execpolicy.model.operation import Exec, Opaque, Request
from execpolicy.model.rule import PrefixRule
from execpolicy.model.verdict import NOTHING, Judged, Match, Proposal, Proposed, Verdict
from execpolicy.store.snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.places.resolver import Resolver


def decide(request: Request, snapshot: Snapshot, resolver: "Resolver | None" = None) -> Verdict:
    """What may happen with `request` under `snapshot`.

    Pure: no clock, no environment, no input or output but what `resolver` is asked about files.
    Without one the text of a path decides, and what only a look could tell counts as the stricter.
    Raises `RequestError` for a request that is none: no words, an empty program name, a NUL.
    """
    validate(request)
    steps = expand(request, snapshot)
    scene = Scene(request, steps, snapshot, resolver or _blind())
    judged = _judge_all(scene)
    decision = _strictest(judged)
    confined = max([one.confined for one in judged], default=Decision.ALLOW)
    proposal = NOTHING
    if snapshot.floor:
        decision = max(decision, Decision.PROMPT)
        confined = max(confined, Decision.PROMPT)
    elif decision is Decision.PROMPT:
        proposal = Proposal(lambda: _proposed(judged, scene))
    floor, digest, layers = snapshot.floor, snapshot.digest, snapshot.layers
    return Verdict(decision, tuple(judged), floor, proposal, digest, layers, confined)


def _blind() -> "Resolver":
    from execpolicy.places.blind import Blind

    return Blind()


def _proposed(judged: list[Judged], scene: Scene) -> Proposed:
    from execpolicy.engine.offers.propose import propose

    return propose(judged, scene, lambda other: _strictest(_judge_all(scene.under(other))))


def _judge_all(scene: Scene) -> list[Judged]:
    """Each step with all that is said about it."""
    judged: list[Judged] = []
    holding: list[tuple[PrefixRule, ...]] = []
    steps = scene.steps
    for number, step in enumerate(steps):
        around = None if step.outer is None else _cover(step, judged, holding)
        one, rules = judge(step, number, scene, around)
        refusal = _danger(steps, number)
        if refusal:
            one = one.replace(matches=(*one.matches, refusal))
        judged.append(_inside(one) if _is_confined(step, steps) else one)
        holding.append(rules)
    if scene.scope is not None:
        from execpolicy.engine.scoping import bound

        return bound(judged, scene, scene.scope, scene.is_command)
    return judged


_CONFINES = ("execpolicy", "run")


def _is_confined(step: Step, steps: "Sequence[Step]") -> bool:
    """Whether a command around this one runs it in the sandbox: `execpolicy run --confined`."""
    inner = step
    while inner.outer is not None:
        outer = steps[inner.outer]
        if outer.reading is not None and outer.reading.path == _CONFINES:
            words = outer.operation.argv if isinstance(outer.operation, Exec) else ()
            return "--confined" in words[: inner.at or len(words)]
        inner = outer
    return False


def _inside(judged: Judged) -> Judged:
    """The same with what holds in the sandbox in the place of what holds outside of it."""
    matches = tuple(m.replace(decision=m.inside) if m.decision else m for m in judged.matches)
    return judged.replace(matches=matches)


def _danger(steps: "Sequence[Step]", number: int) -> Match | None:
    """A refusal that only the whole request shows. Most have no pipe and nothing opaque."""
    operation = steps[number].operation
    if isinstance(operation, Opaque) or (isinstance(operation, Exec) and operation.fed_by):
        from execpolicy.engine.pipeline_refusals import danger

        return danger(steps, number)
    return None


def _strictest(judged: list[Judged]) -> Decision:
    return max([m.decision for j in judged for m in j.matches], default=Decision.ALLOW)


def validate(request: Request) -> None:
    """Raise `RequestError` if there is nothing to decide about."""
    if request.text is not None or request.operations:
        return
    if not request.argv:
        raise RequestError("there is no command")
    if not request.argv[0]:
        raise RequestError("the program name is empty")
    for word in request.argv:
        if "\0" in word:
            raise RequestError(f"`{printable(word, 40)}` contains a NUL, which no program receives")
        if any("\ud800" <= char <= "\udfff" for char in word):
            raise RequestError(f"`{printable(word, 40)}` is not valid UTF-8")


def _cover(
    step: Step, judged: list[Judged], holding: "Sequence[tuple[PrefixRule, ...]]"
) -> Cover | None:
    """The allow rules on the command around this one that reach into this one's words."""
    if step.outer is None or not holding[step.outer]:
        return None
    outer = judged[step.outer]
    if not isinstance(outer.operation, Exec):
        return None
    return cover(holding[step.outer], outer.operation.argv, step.at, outer.matches)
