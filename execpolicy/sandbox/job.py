"""A command that was decided about, ready to be confined."""

from execpolicy.sandbox.around import Around
from execpolicy.sandbox.plan import Plan
from execpolicy.sandbox.walls import Wall
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from execpolicy.sandbox.backends.way_out import Gate
    from execpolicy.sandbox.look.links import Linked
    from execpolicy.sandbox.look.noted import Noted


class Job(Value):
    """A plan, and what is compared after the run.

    `root` is the session's root, or the working directory where that is no project. `noted` are the
    protected paths before the run, `directories` those that a watch follows. `missing` are files
    that the user let be made where nothing else may be written, `caches` directories of tools that
    are to be made. `held` are paths with a wall that another process could make fall. `links` has
    for each directory of the project its files with several names.
    """

    plan: Plan
    around: Around
    root: str
    noted: "Mapping[str, Noted]"
    directories: tuple[str, ...]
    missing: tuple[str, ...] = ()
    caches: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    gate: "Callable[[], Gate] | None" = None
    links: "tuple[tuple[str, tuple[Linked, ...]], ...]" = ()

    @property
    def has_walls(self) -> bool:
        """Whether the walls are ours, with a network of their own."""
        return self.plan.settings.backend == "bubblewrap"

    @property
    def writes(self) -> bool:
        """Whether anything that outlives the run can be written inside."""
        return any(mount.wall is Wall.WRITE for mount in self.plan.mounts)


def in_session(job: Job, leader: str) -> Job:
    """The job in the session that lasts as long as this process; the same without one."""
    if not leader or not job.has_walls:
        return job
    from execpolicy.sandbox.session.session import shared

    return job.replace(plan=shared(job.plan, leader, job.root))
