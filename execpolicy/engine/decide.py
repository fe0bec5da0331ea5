"""The decision: one pure function from a request and a snapshot to a verdict.

Every operation of the request is compared with every rule; where none applies, the catalogue names
effects and the posture decides. The strictest of all matches is the decision, and no decision
is below the snapshot's floor.
"""

from _collections_abc import Sequence

from execpolicy.engine.match import match
from execpolicy.engine.requests import validate
from execpolicy.engine.rules.rules import OuterRule, outer_rule
from execpolicy.engine.scene import Scene
from execpolicy.engine.unwrap import MAX_BRACED, ExpandedOperation, unwrap
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Exec, Opaque, Request, show
from execpolicy.model.rule import TEXT, PrefixRule
from execpolicy.model.verdict import (
    NO_PROPOSAL,
    NOTHING,
    JudgedOperation,
    LazyAmendments,
    Proposed,
    Verdict,
)
from execpolicy.places.resolver import MAX_LOOKS, Bounded, Looking, Resolver, TooManyLooksError
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.record import Value


def decide(request: Request, snapshot: Snapshot, resolver: "Resolver | None" = None) -> Verdict:
    """What may happen with `request` under `snapshot`.

    Pure: no clock, no environment, no input or output but what `resolver` is asked about files.
    Without one the text of a path decides, and what only a look could tell counts as the stricter.
    Where it would be asked too much, each command is judged as if it were alone, and it asks.
    Raises `RequestError` for a request that is not valid: see `requests.validate`.
    """
    validate(request)
    return decide_valid(request, snapshot, resolver)


def decide_valid(request: Request, snapshot: Snapshot, resolver: "Resolver | None") -> Verdict:
    """The same of a request that was found valid."""
    looking = resolver if isinstance(resolver, Looking) else Bounded(resolver or _blind())
    found = _examined(request, snapshot, looking)
    every, scene, decision = [*found.judged, *found.texts], found.scene, found.decision
    confined = max([one.confined for one in every], default=Decision.ALLOW)
    proposal = NOTHING
    if snapshot.floor:
        decision = max(decision, Decision.PROMPT)
        confined = max(confined, Decision.PROMPT)
    elif decision is Decision.PROMPT and scene is not None:
        proposal = LazyAmendments(
            lambda: _proposed(found), lambda: _proposed_anew(request, snapshot, looking)
        )
    floor, digest, layers = snapshot.floor, snapshot.digest, snapshot.layers
    backend = _backend(snapshot) if snapshot.policy.sandbox else ""
    return Verdict(
        decision, found.judged, floor, proposal, digest, layers, confined, backend, found.texts
    )


class Examined(Value):
    """The operations of a request with all that is said about them, and those of texts on disk that
    its commands run, and the strictest of it; without a scene where that takes too many looks."""

    decision: Decision
    scene: Scene | None
    judged: tuple[JudgedOperation, ...]
    texts: tuple[JudgedOperation, ...] = ()


def examine(
    request: Request, snapshot: Snapshot, resolver: "Resolver"
) -> "tuple[Scene, list[JudgedOperation]]":
    """Each operation of a valid request with all that is said about it, and where that was seen."""
    scene = Scene(request, unwrap(request, snapshot), snapshot, resolver)
    return scene, _match_all(scene)


def _examined(request: Request, snapshot: Snapshot, looking: Looking) -> Examined:
    """The same, with what files say that commands run where that decides."""
    steps = unwrap(request, snapshot)
    try:
        scene = Scene(request, steps, snapshot, looking)  # type: ignore[arg-type]
        judged = _match_all(scene)
        found = Examined(_strictest(judged), scene, tuple(judged))
        if found.decision is Decision.PROMPT and _may_run_texts(scene):
            found = _with_texts(scene, request) or found
    except TooManyLooksError:
        apart = _apart(request, steps, snapshot)
        return Examined(_strictest(apart), None, tuple(apart))
    looking.release()
    return found


def _may_run_texts(scene: Scene) -> bool:
    """Whether a step runs code that may be a text on disk, and the posture lets known texts run."""
    if scene.snapshot.defaults.decide("execute", (TEXT,)):
        return False
    causes = [c for step in scene.steps if step.reading for c in step.reading.effects]
    return any(cause.is_code or cause.effect == "unknown" for cause in causes)


def _with_texts(scene: Scene, request: Request) -> Examined | None:
    """What is said with the texts that commands run, where that lets all of it pass or refuses it.

    Each text is judged beside the commands: how they were read stays as it was.
    """
    from execpolicy.engine.texts.opening import opened

    try:
        other = opened(scene, request)
        judged = [] if other is None else _match_all(other.scene)
        decision = _strictest(judged)
        if other is None or decision is Decision.PROMPT or not (decision or other.lasts):
            return None
    except TooManyLooksError:
        return None
    own = tuple(one for number, one in enumerate(judged) if not other.is_text(number))
    texts = tuple(one for number, one in enumerate(judged) if other.is_text(number))
    return Examined(decision, scene, own, texts)


def _apart(
    request: Request, steps: tuple[ExpandedOperation, ...], snapshot: Snapshot
) -> list[JudgedOperation]:
    """Each command of a request as if it were alone, without a look, and that it was so."""
    whole = " ".join([*map(show, next((s.argv for s in steps if s.argv), ())), "…"])
    why = f"it takes more than {MAX_LOOKS} looks to judge: write it in smaller steps"
    judged: list[JudgedOperation] = []
    every = (*(s.operation for s in steps if s.outer is None), Opaque(whole, why))
    for operation in every:
        alone = request.replace(text=None, argv=None, operations=(operation,))
        inside = unwrap(alone, snapshot, MAX_BRACED // len(every))
        judged += _match_all(Scene(alone, inside, snapshot, _blind()))
    return judged


def _backend(snapshot: Snapshot) -> str:
    """What stands in the place of walls by the rules of the user or the system, if anything."""
    from execpolicy.model.confinement import BACKENDS, settle

    backend = settle(snapshot.policy.sandbox).backend
    return "" if backend == BACKENDS[0] else backend


def _blind() -> "Resolver":
    from execpolicy.places.blind import Blind

    return Blind()


def _proposed_anew(request: Request, snapshot: Snapshot, looking: Looking) -> Proposed:
    """The same from the answers that were noted: it ends where as many looks ended it before."""
    looking.left = MAX_LOOKS
    return _proposed(_examined(request, snapshot, looking))


def _proposed(found: Examined) -> Proposed:
    from execpolicy.engine.offers.propose import propose

    scene = found.scene
    if scene is None:
        return NO_PROPOSAL
    judged = [*found.judged]
    return propose(judged, scene, lambda other: _strictest(_match_all(scene.under(other))))


def _match_all(scene: Scene) -> list[JudgedOperation]:
    """Each step with all that is said about it."""
    judged: list[JudgedOperation] = []
    holding: list[tuple[PrefixRule, ...]] = []
    steps = scene.steps
    for number, step in enumerate(steps):
        around = None if step.outer is None else _outer_rule(step, judged, holding)
        one, allowing = match(step, number, scene, around)
        if type(one.operation) is Opaque or (type(one.operation) is Exec and one.operation.fed_by):
            from execpolicy.engine.pipeline_refusals import pipeline_refusal

            refusal = pipeline_refusal(steps, number)
            one = one.replace(matches=(*one.matches, refusal)) if refusal else one
        if step.possible:
            one = one.replace(matches=tuple(m for m in one.matches if m.decision > Decision.PROMPT))
        confined = step.outer is not None and _is_confined(step, steps)
        judged.append(_in_sandbox(one) if confined else one)
        holding.append(allowing)
    if scene.scope is not None:
        from execpolicy.engine.scoping import bound

        return bound(judged, scene, scene.scope, scene.is_command)
    return judged


_CONFINES = ("execpolicy", "run")


def _is_confined(step: ExpandedOperation, steps: "Sequence[ExpandedOperation]") -> bool:
    """Whether a command around this one runs it in the sandbox: `execpolicy run --confined`.

    Under rules of the caller's own, which are an effect of `run` itself, the sandbox is another.
    """
    inner = step
    while inner.outer is not None:
        outer = steps[inner.outer]
        if outer.reading is not None and outer.reading.path == _CONFINES:
            words = outer.operation.argv if isinstance(outer.operation, Exec) else ()
            if any(cause.effect == "system" for cause in outer.reading.effects):
                return False
            return "--confined" in words[: inner.at or len(words)]
        inner = outer
    return False


def _in_sandbox(judged: JudgedOperation) -> JudgedOperation:
    """The same with what holds in the sandbox in the place of what holds outside of it."""
    matches = tuple(m.replace(decision=m.in_sandbox) if m.decision else m for m in judged.matches)
    return judged.replace(matches=matches)


def _strictest(judged: list[JudgedOperation]) -> Decision:
    return max([m.decision for j in judged for m in j.matches], default=Decision.ALLOW)


def _outer_rule(
    step: ExpandedOperation,
    judged: list[JudgedOperation],
    holding: "Sequence[tuple[PrefixRule, ...]]",
) -> OuterRule | None:
    """The allow rules on the command around this one that reach into this one's words."""
    if step.outer is None or not holding[step.outer]:
        return None
    outer = judged[step.outer]
    if not isinstance(outer.operation, Exec):
        return None
    return outer_rule(holding[step.outer], outer.operation.argv, step.at, outer.matches)
