"""Runs that were decided about and prepared before, each with all that this depended on.

What is kept is plain data, under a digest of how the process began (`store.repeat.answers.key`). It
counts while every look at the disk gives the same again.
"""

from execpolicy.model.confinement import Confinement
from execpolicy.sandbox.again.around import Around
from execpolicy.sandbox.job import Job
from execpolicy.sandbox.look.links import in_directory
from execpolicy.sandbox.look.noted import Noted
from execpolicy.sandbox.plan import Plan
from execpolicy.sandbox.walls import Mount, Wall
from execpolicy.store.compiled import cache
from execpolicy.store.repeat import listings
from execpolicy.store.repeat.answers import Logged
from execpolicy.store.repeat.looks import is_same
from execpolicy.support.path_match import below
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from execpolicy.sandbox.prepare import Scene
    from execpolicy.store.repeat.looks import Look

    Plain = tuple[object, ...]

SLOTS = 64
MAX_LOOKS = 20_000


class Kept(Value):
    """A run that may begin as it is: it is allowed and needs no answer of the user.

    `writes_git` and `refusal` are what it does with git (`look.git.GitUse`). `session` and `status`
    are the numbers that its words name of a process and of a descriptor. `logged` are its lines in
    the log.
    """

    job: Job
    writes_git: bool
    refusal: str
    session: str | None
    status: str | None
    logged: tuple[Logged, ...] = ()


def recall(mark: str, scene: "Callable[[], Scene]") -> Kept | None:
    """The run kept under a key, if all that it depends on is as it was.

    `scene` looks around for it, where that is needed after all.
    """
    found = cache.read(_name(mark), mark)
    if found is None or not isinstance(found[0], tuple):
        return None
    try:
        value, _ = found
        if not isinstance(value, tuple):
            return None
        plan, around, more, logged, looks, listed = value
        if not (all(map(is_same, looks)) and all(map(listings.is_same, listed))):
            return None
        if any(_links_of(path) != found for path, found in around[-1]):
            return None
        job = _job(plan, around, scene, looks, listed)
        writes_git, refusal, session, status = more
        lines = tuple(Logged(*line) for line in logged)
        return Kept(job, writes_git, refusal, session, status, lines)
    except (TypeError, ValueError, LookupError):
        return None


def keep(mark: str, kept: Kept, looks: "Sequence[Look]", settled: int) -> None:
    """Keep a run with the looks that it depends on. `settled`: see `listings.split`."""
    if len(looks) > MAX_LOOKS:
        return
    job, others = kept.job, listings.split(looks, settled)
    around = (
        job.around.roots,
        job.around.places,
        job.around.closed,
        job.root,
        tuple(map(_plain, job.noted.values())),
        job.directories,
        tuple((path, tuple(map(_plain, found))) for path, found in job.links),
    )
    more = kept.writes_git, kept.refusal, kept.session, kept.status
    value = _of_plan(job.plan), around, more, tuple(map(_plain, kept.logged)), *others
    cache.write(_name(mark), mark, value, durable=False)


def _name(mark: str) -> str:
    return f"run-{int(mark[:8], 16) % SLOTS:02x}"


def _plain(value: Value) -> "Plain":
    return tuple(getattr(value, name) for name in type(value).__fields__)


def _of_plan(plan: Plan) -> "Plain":
    mounts = tuple(_plain(mount.replace(wall=int(mount.wall))) for mount in plan.mounts)
    return plan.argv, plan.cwd, mounts, plan.environment, _plain(plan.settings), plan.git


def _plan(plain: object) -> Plan:
    if not isinstance(plain, tuple):
        raise TypeError("no plan")
    argv, cwd, mounts, environment, settings, git = plain
    made = tuple(Mount(path, Wall(wall), *more) for path, wall, *more in mounts)
    return Plan(argv, cwd, made, environment, Confinement(*settings), git)


def _job(
    plan: object,
    around: object,
    scene: "Callable[[], Scene]",
    looks: "list[Look]",
    listed: "list[listings.Listing]",
) -> Job:
    if not isinstance(around, tuple):
        raise TypeError("nothing around it")
    roots, places, closed, root, noted, directories, _ = around

    def unchanged() -> bool:
        """Whether all that the walk saw where a run may write is as it was."""
        return all(is_same(one) for one in looks if _lies(one[1], places)) and all(
            listings.is_same(one) for one in listed if _lies(one[0], places)
        )

    known = {one[0]: Noted(*one) for one in noted}
    return Job(
        _plan(plan), Around(roots, places, closed, scene, unchanged), root, known, directories
    )


def _links_of(path: str) -> "Plain":
    return tuple(map(_plain, in_directory(path)))


def _lies(path: str, places: tuple[str, ...]) -> bool:
    return any(below(path, place) for place in places)
