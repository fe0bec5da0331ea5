"""The decision: one pure function from a request and a snapshot to a verdict.

Every operation of the request meets every rule that speaks of it; where none speaks, the catalogue
names effects and the posture decides. The strictest of all matches is the decision, and no decision
is below the snapshot's floor.
"""

from execpolicy.decision import Decision
from execpolicy.engine.expand import Step, expand
from execpolicy.engine.judge import judge
from execpolicy.engine.project import settled
from execpolicy.engine.targets import Places, composed
from execpolicy.errors import RequestError, printable
from execpolicy.operation import Exec, Opaque, Request, Word
from execpolicy.store.snapshot import Snapshot
from execpolicy.verdict import NOTHING, Amendment, Judged, Match, Proposal, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.engine.project import Files


def decide(request: Request, snapshot: Snapshot, files: "Files | None" = None) -> Verdict:
    """What may happen with `request` under `snapshot`.

    Pure: no clock, no environment, no input, and no output. What `files` knows of the project is
    asked of it; without it, a project has every file that could matter. Raises `RequestError` for a
    request that is none: no words, an empty program name, a NUL.
    """
    validate(request)
    steps = expand(request, snapshot)
    places = _places(request, snapshot, steps)
    steps = settled(steps, places.directories, snapshot.home, files)
    judged = _judge_all(steps, snapshot, places)
    decision = _strictest(judged)
    proposal = NOTHING
    if snapshot.floor:
        decision = max(decision, Decision.PROMPT)
    elif decision is Decision.PROMPT:
        proposal = Proposal(lambda: _proposed(steps, judged, snapshot, places))
    floor, digest, layers = snapshot.floor, snapshot.digest, snapshot.layers
    return Verdict(decision, tuple(judged), floor, proposal, digest, layers)


def _proposed(
    steps: tuple[Step, ...], judged: list[Judged], snapshot: Snapshot, places: Places
) -> tuple[Amendment, ...]:
    from execpolicy.engine.propose import propose

    return propose(
        steps, judged, snapshot, lambda other: _strictest(_judge_all(steps, other, places))
    )


def _judge_all(steps: tuple[Step, ...], snapshot: Snapshot, places: Places) -> list[Judged]:
    """Each step with all that is said about it."""
    judged: list[Judged] = []
    covered: list[int] = []
    for number, step in enumerate(steps):
        cover = None if step.outer is None else _cover(step, judged, covered)
        one, reach = judge(step, snapshot, places, cover)
        refusal = _danger(steps, number)
        judged.append(Judged(one.operation, (*one.matches, refusal)) if refusal else one)
        covered.append(reach)
    return judged


def _danger(steps: tuple[Step, ...], number: int) -> Match | None:
    """A refusal that only the whole request shows. Most have no pipe and nothing opaque."""
    operation = steps[number].operation
    if isinstance(operation, Opaque) or (isinstance(operation, Exec) and operation.fed_by):
        from execpolicy.engine.dangers import danger

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


def _places(request: Request, snapshot: Snapshot, steps: tuple[Step, ...]) -> Places:
    """Where relative paths may start: the working directory, and each that the request names."""
    found: list[Word] = [request.cwd] if request.cwd else []
    for step in steps:
        path = step.reading.cwd if step.reading else None
        if path is not None:
            found.append(path)
        elif isinstance(step.operation, Exec) and step.operation.argv == ("cd",):
            found.append("~")
    return Places(snapshot.home, composed(found) if found else ())


def _cover(step: Step, judged: list[Judged], covered: list[int]) -> Match | None:
    """The allow rule on the command around this one, if its pattern reaches into this one's words.

    A rule for `docker exec web pytest` names what runs inside; one for `docker exec` does not.
    """
    if step.outer is None or covered[step.outer] <= step.at:
        return None
    rules = (m for m in judged[step.outer].matches if m.source == "rule")
    return next(rules, None)
