"""A job as plain data, and made of it again."""

from execpolicy.model.confinement import SandboxSettings
from execpolicy.sandbox.job import Job
from execpolicy.sandbox.plan import Plan
from execpolicy.sandbox.rescan import Rescan
from execpolicy.sandbox.scan.protected_path import ProtectedPath
from execpolicy.sandbox.walls import Mount, Wall
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.sandbox.prepare import SurveyInput

    Plain = tuple[object, ...]
    Words = tuple[str, ...]
    PlainMount = tuple[str, int, str, str, bool, bool, str]
    PlainPlan = tuple[
        Words, str, tuple[PlainMount, ...], tuple[tuple[str, str], ...], Plain, bool, bool, str
    ]  # fmt: skip
    PlainNoted = tuple[tuple[str, int, int, str, bool, bool], ...]
    PlainAround = tuple[Words, Words, str, PlainNoted, Words, Words]
    Whole = tuple[PlainPlan, PlainAround]
    """The plan, and what lies around it."""


def plain(value: Value) -> "Plain":
    """The fields of a value in their order."""
    return tuple(getattr(value, name) for name in type(value).__fields__)


def plain_of(job: Job) -> "Plain":
    """The plan of a job, and what lies around it, as `job_of` takes them."""
    plan, around = job.plan, job.around
    mounts = tuple(plain(mount.replace(wall=int(mount.wall))) for mount in plan.mounts)
    noted, settings = tuple(map(plain, job.noted.values())), plain(plan.settings)
    return (
        (
            plan.argv,
            plan.cwd,
            mounts,
            plan.environment,
            settings,
            plan.git,
            plan.offline,
            plan.shares,
        ),
        (around.places, around.closed, job.root, noted, job.directories, job.held),
    )


def job_of(
    whole: "Whole", scene: "Callable[[], SurveyInput]", is_same: "Callable[[], bool]"
) -> Job:
    """The job. `scene` gives where it works, `is_same` is that of what lies around."""
    places, closed, root, noted, directories, held = whole[1]
    known = {one[0]: ProtectedPath(*one) for one in noted}
    made = Rescan(places, closed, scene, is_same)
    return Job(_plan(whole[0]), made, root, known, directories, held=held)


def _plan(given: "PlainPlan") -> Plan:
    argv, cwd, mounts, environment, settings, git, offline, shares = given
    made = tuple(Mount(mount[0], Wall(mount[1]), *mount[2:]) for mount in mounts)
    confinement = SandboxSettings(*settings)  # type: ignore[arg-type]
    return Plan(argv, cwd, made, environment, confinement, git, offline=offline, shares=shares)
