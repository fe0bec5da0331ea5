"""A job as what is kept of it, and made of that again."""

from _collections_abc import Callable

from execpolicy.model.confinement import SandboxSettings
from execpolicy.sandbox.again.form import KeptPlan, KeptRun, KeptSurroundings, plain
from execpolicy.sandbox.job import Job
from execpolicy.sandbox.plan import Plan
from execpolicy.sandbox.prepare import SurveyInput
from execpolicy.sandbox.rescan import Rescan
from execpolicy.sandbox.scan.protected_path import ProtectedPath
from execpolicy.sandbox.walls import Mount, Wall


def plan_of(plan: Plan) -> KeptPlan:
    """What is kept of a plan."""
    mounts = tuple(plain(mount.replace(wall=int(mount.wall))) for mount in plan.mounts)
    fields = {name: getattr(plan, name) for name in KeptPlan.__fields__}
    return KeptPlan(**fields | {"mounts": mounts, "settings": plain(plan.settings)})


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
    made = (Mount(*mount) for mount in kept.mounts)  # type: ignore[arg-type]
    mounts = tuple(mount.replace(wall=Wall(int(mount.wall))) for mount in made)
    settings = SandboxSettings(*kept.settings)  # type: ignore[arg-type]
    fields = {name: getattr(kept, name) for name in KeptPlan.__fields__}
    return Plan(**fields | {"mounts": mounts, "settings": settings})
