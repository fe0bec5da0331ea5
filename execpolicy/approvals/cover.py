"""Whether an approval covers an operation. Pure: everything it rests on is passed in."""

from execpolicy.approvals.memory import never
from execpolicy.approvals.subject import Here, Subject, exact, plain_host, plain_port
from execpolicy.model.approval import ACCESS, CONNECT, EXEC, Approval, Bounds, Reach
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Access, Connect, Exec
from execpolicy.model.verdict import JudgedOperation, Source
from execpolicy.support.path_match import below

WIDE_EFFECTS = frozenset(("read", "write", "execute"))
WIDE_PLACES = frozenset(("project", "generated", "temporary"))
"""What an approval for a prefix may lift at most. Hosts, other machines and what is not known are
approved word by word."""


def covers(approval: Approval, judged: JudgedOperation, subject: Subject, here: Here) -> bool:
    """Whether the approval answers for this operation at this place and time."""
    if never(judged) is not None:
        return False
    if not holds(approval, here) or not _in_scope(approval, subject, here):
        return False
    return _reaches(approval.reach, judged, subject, here)


def holds(approval: Approval, here: Here) -> bool:
    """Whether the approval is in force: its session, project, confinement, time and uses."""
    bounds = approval.bounds
    if here.confinement > bounds.confinement or bounds.uses == 0:
        return False
    if bounds.session is not None and bounds.session not in (here.session, *here.parents):
        return False
    if bounds.project is not None and bounds.project != here.project:
        return False
    return bounds.until is None or not here.now.passed(bounds.until, approval.at)


def _in_scope(approval: Approval, subject: Subject, here: Here) -> bool:
    """Whether the operation lies in the approval's scope, and in the child's that borrows it."""
    return all(
        scope is None or _lies_in(scope, subject) for scope in _scopes(approval.bounds, here)
    )


def _scopes(bounds: Bounds, here: Here) -> tuple[str | None, ...]:
    borrowed = bounds.session is not None and bounds.session != here.session
    return (bounds.scope, here.scope if borrowed else None)


def _lies_in(scope: str, subject: Subject) -> bool:
    places = [*subject.directories, *([subject.path] if subject.path else [])]
    return bool(places) and all(below(place, scope) for place in places)


def _reaches(reach: Reach, judged: JudgedOperation, subject: Subject, here: Here) -> bool:
    operation = judged.operation
    if isinstance(operation, Exec):
        if reach.kind != EXEC or not subject.directories:
            return False
        if reach.exact:
            return reach.exact == exact(judged, subject)
        return _in_project(subject, here) and _begins(reach, judged)
    if isinstance(operation, Access):
        return reach.kind == ACCESS and _opens(reach, operation, subject)
    if isinstance(operation, Connect):
        named = (plain_host(operation), operation.protocol, plain_port(operation))
        same = named == (reach.host, reach.protocol, reach.port)
        return reach.kind == CONNECT and same and bool(reach.host)
    return False


def _in_project(subject: Subject, here: Here) -> bool:
    """Whether it runs in the project whatever happens: a prefix is approved for there alone."""
    project = here.project
    if subject.planted:
        return False
    return project is not None and all(below(d, project) for d in subject.directories)


def _begins(reach: Reach, judged: JudgedOperation) -> bool:
    """Whether the command begins with the prefix, and nothing but its known effects asks."""
    operation = judged.operation
    assert isinstance(operation, Exec)  # noqa: S101
    if not reach.prefix or operation.argv[: len(reach.prefix)] != reach.prefix:
        return False
    asking = [m for m in judged.matches if m.decision is Decision.PROMPT]
    effects = WIDE_EFFECTS.intersection(reach.effects)
    places = WIDE_PLACES.intersection(reach.places)
    return bool(asking) and all(
        m.source is Source.CATALOGUE
        and bool(m.effects)
        and effects.issuperset(m.effects)
        and places.issuperset(m.places)
        for m in asking
    )


def _opens(reach: Reach, operation: Access, subject: Subject) -> bool:
    """Whether a path is opened in a mode that was approved. No mode implies another."""
    if operation.mode not in reach.modes or not reach.path or subject.path is None:
        return False
    if operation.source is not None:
        return False
    if reach.under:
        return below(subject.path, reach.path)
    return subject.path == reach.path and operation.extent in ("file", "names")
