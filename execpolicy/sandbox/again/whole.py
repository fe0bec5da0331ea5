"""A job as what is kept of it, and made of that again."""

from execpolicy.model.confinement import SandboxSettings
from execpolicy.sandbox.again.form import KeptPlan, KeptRun, KeptSurroundings, plain
from execpolicy.sandbox.job import Job
from execpolicy.sandbox.plan import Plan
from execpolicy.sandbox.rescan import Rescan
from execpolicy.sandbox.scan.protected_path import ProtectedPath
from execpolicy.sandbox.walls import Mount, Wall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.sandbox.prepare import SurveyInput


def plan_of(plan: Plan) -> KeptPlan:
    """What is kept of a plan."""
    return KeptPlan(
        argv=plan.argv,
        cwd=plan.cwd,
        mounts=tuple(plain(mount.replace(wall=int(mount.wall))) for mount in plan.mounts),
        environment=plan.environment,
        settings=plain(plan.settings),
        git=plan.git,
        offline=plan.offline,
        shares=plan.shares,
    )


def surroundings_of(job: Job) -> KeptSurroundings:
    """What is kept of all that lies around a run."""
    return KeptSurroundings(
        places=job.around.places,
        closed=job.around.closed,
        root=job.root,
        noted=tuple(map(plain, job.noted.values())),
        directories=job.directories,
        held=job.held,
    )


def job_of(kept: KeptRun, scene: "Callable[[], SurveyInput]", is_same: "Callable[[], bool]") -> Job:
    """The job. `scene` gives where it works, `is_same` is that of what lies around."""
    around = kept.around
    noted = (ProtectedPath(*one) for one in around.noted)  # type: ignore[arg-type]
    return Job(
        plan=_plan(kept.plan),
        around=Rescan(around.places, around.closed, scene, is_same),
        root=around.root,
        noted={one.path: one for one in noted},
        directories=around.directories,
        held=around.held,
    )


def _plan(kept: KeptPlan) -> Plan:
    mounts = (Mount(*mount) for mount in kept.mounts)  # type: ignore[arg-type]
    return Plan(
        argv=kept.argv,
        cwd=kept.cwd,
        mounts=tuple(mount.replace(wall=Wall(int(mount.wall))) for mount in mounts),
        environment=kept.environment,
        settings=SandboxSettings(*kept.settings),  # type: ignore[arg-type]
        git=kept.git,
        offline=kept.offline,
        shares=kept.shares,
    )
