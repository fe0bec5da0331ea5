"""The widths that a question offers: from just this operation to the most that is still safe."""

from _collections_abc import Sequence

from execpolicy.approvals.cover import WIDE_EFFECTS, WIDE_PLACES
from execpolicy.approvals.subject import Subject, narrowest
from execpolicy.model.approval import ACCESS, EXEC, Reach
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Access, Exec
from execpolicy.model.verdict import Amendment, JudgedOperation, Source
from execpolicy.support.path_match import below


def offered(
    judged: JudgedOperation,
    subject: Subject,
    amendments: "Sequence[Amendment]",
    project: str | None,
) -> tuple[Reach, ...]:
    """The reaches that may be chosen for an operation, the narrowest first; none where it is not
    known where it happens."""
    first = narrowest(judged, subject)
    if first is None:
        return ()
    prefix = None if subject.planted else _prefix(judged, amendments)
    wider = prefix or _folder(judged, subject, project)
    return (first,) if wider is None else (first, wider)


def _prefix(judged: JudgedOperation, amendments: "Sequence[Amendment]") -> Reach | None:
    """A proposed prefix, with the effects and places that ask now, if a prefix may lift these."""
    operation = judged.operation
    if not isinstance(operation, Exec):
        return None
    fits = (a.pattern for a in amendments if operation.argv[: len(a.pattern)] == a.pattern)
    prefix = next(fits, None)
    asking = [m for m in judged.matches if m.decision is Decision.PROMPT]
    effects = {effect for match in asking for effect in match.effects}
    places = {place for match in asking for place in match.places}
    safe = effects and effects <= WIDE_EFFECTS and places <= WIDE_PLACES
    if prefix is None or not safe or any(m.source is not Source.CATALOGUE for m in asking):
        return None
    return Reach(EXEC, prefix=prefix, effects=tuple(sorted(effects)), places=tuple(sorted(places)))


def _folder(judged: JudgedOperation, subject: Subject, project: str | None) -> Reach | None:
    """The folder of a path in the project, for reading and writing, never for removing."""
    operation = judged.operation
    if not isinstance(operation, Access) or operation.mode == "remove" or subject.path is None:
        return None
    folder = subject.path.rpartition("/")[0]
    places = {place for match in judged.matches for place in match.places}
    if not folder or project is None or not below(folder, project):
        return None
    if not places or not places <= WIDE_PLACES:
        return None
    return Reach(ACCESS, path=folder, under=True, modes=(operation.mode,))


def contains(outer: Reach, inner: Reach) -> bool:
    """Whether a reach covers all that another one does."""
    if outer.kind != inner.kind or outer.exact != inner.exact:
        return False
    if outer.kind == ACCESS:
        lies = below(inner.path, outer.path) if outer.under else inner.path == outer.path
        wide = outer.under or not inner.under
        return lies and wide and set(inner.modes) <= set(outer.modes)
    if outer.prefix != inner.prefix[: len(outer.prefix)]:
        return False
    if bool(outer.prefix) != bool(inner.prefix):
        return False
    same = (outer.host, outer.protocol, outer.port) == (inner.host, inner.protocol, inner.port)
    lifts = set(inner.effects) <= set(outer.effects) and set(inner.places) <= set(outer.places)
    return same and lifts
