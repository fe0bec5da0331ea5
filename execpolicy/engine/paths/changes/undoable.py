"""Whether `execpolicy undo` can bring back what an operation destroys in the sandbox.

`run` takes a snapshot of the session's root before it. So all that is lost has to lie below the
root, and nothing else may be writable inside that a computed path could be. Whether the snapshot
was really taken, and is whole, `run` sees, and asks where it was not.
"""

from execpolicy.catalogue import Reading
from execpolicy.catalogue.services import is_service
from execpolicy.engine.scene import Scene
from execpolicy.model.confinement import BACKENDS, CACHES, settle
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Access, Exec
from execpolicy.model.rule import ELSEWHERE, GENERATED, OVERLAY, PROJECT, TEMPORARY
from execpolicy.support.directories import REFUSED, undo_of
from execpolicy.support.path_match import below

_AWAY = frozenset(("remote", "system", "privilege"))
"""Effects beside which what is destroyed may be elsewhere: a branch of a server."""
_OF_FILES = frozenset(("read", "write", "destroy"))
_OF_CODE = frozenset((*_OF_FILES, "execute"))
_GIT = "git"


def held(
    subject: object, places: tuple[str, ...], number: int, scene: "Scene", computed: bool = False
) -> bool:
    """Whether a snapshot of the root holds what a step destroys.

    `places` are the classes of the subject. Commands without one are held if they are git's, which
    destroy nothing but what lies in the work tree and the git directory; and those that change
    nothing but files, for no file outside of the root can be changed inside. So is a `computed`
    word that may be an option, of none that does more than code of the project may.
    """
    if not _is_on(scene):
        return False
    operation, reading = scene.steps[number].operation, scene.steps[number].reading
    if isinstance(operation, Exec):
        if reading is None or is_service(reading.origin):
            return False
        if operation.argv[0] == _GIT:
            away = any(cause.effect in _AWAY for cause in reading.effects)
            if away or operation.env or not _holds_repository(number, scene):
                return False
            return not isinstance(subject, Access) or _lies_in_root(subject, places, scene)
        if subject is None and computed:
            return all(cause.effect in _OF_CODE for cause in reading.effects)
        if subject is None:
            return _changes_files(reading, number, scene)
    return isinstance(subject, Access) and _lies_in_root(subject, places, scene)


def _changes_files(reading: "Reading", number: int, scene: "Scene") -> bool:
    """Whether a command changes files that its words name, below the root, and nothing else."""
    if any(cause.effect not in _OF_FILES for cause in reading.effects):
        return False
    named = [c.subject for c in reading.effects if c.effect != "read"]
    accesses = [each for each in named if isinstance(each, Access)]
    of = scene.overlays.of
    return bool(accesses) and all(
        _lies_in_root(each, of(each, number).classes, scene) for each in accesses
    )


def _is_on(scene: "Scene") -> bool:
    """Whether the user wants it, the walls are ours, and the last snapshot was not a failure."""
    snapshot, root = scene.snapshot, scene.root
    if not snapshot.undo or root is None or not root.project or scene.elsewhere:
        return False
    settings = settle(snapshot.policy.sandbox)
    if not settings.undo or settings.backend != BACKENDS[0] or settings.caches == CACHES[-1]:
        return False
    if scene.where.added or snapshot.policy.places.bases.added(scene.where.home):
        return False  # it may lie in another project, which the snapshot does not hold
    refused = f"{undo_of(snapshot.undo, root.path)}/{REFUSED}"
    return scene.resolver.kind(refused) == "missing"


def _lies_in_root(access: Access, places: tuple[str, ...], scene: "Scene") -> bool:
    """Whether all that an access may lose lies below the root, or may be removed anyway."""
    found = {place for place in places if place not in OVERLAY}
    if not found:
        return False
    free = scene.snapshot.defaults.decide("destroy", (TEMPORARY,)) is Decision.ALLOW
    allowed = {PROJECT, GENERATED, *((TEMPORARY,) if free else ())}
    if ELSEWHERE in found and not _opens_more(scene):
        allowed.add(ELSEWHERE)  # nothing else can be written inside
    return found <= allowed


def _opens_more(scene: "Scene") -> bool:
    """Whether a rule opens a directory for writing that is not the project's."""
    return any(
        rule.decision is Decision.ALLOW and {"write", "remove"}.intersection(rule.modes)
        for rule in scene.snapshot.policy.paths.rules
    )


def _holds_repository(number: int, scene: "Scene") -> bool:
    """Whether the work tree and the git directory of a step lie below the root."""
    directories, root = scene.where.of(number), scene.root
    if not directories or root is None:
        return False
    for directory in directories:
        found = scene.repository(directory)
        if found is None:
            return False
        if not all(below(path, root.path) for path in (found.top, found.git, found.common)):
            return False
    return True
