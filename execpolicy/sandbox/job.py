"""A command that was decided about, ready to be confined."""

from execpolicy.sandbox.incoming import Incoming
from execpolicy.sandbox.plan import Plan
from execpolicy.sandbox.rescan import Rescan
from execpolicy.sandbox.walls import Wall
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from execpolicy.sandbox.backends.way_out import Gate
    from execpolicy.sandbox.scan.links import Linked
    from execpolicy.sandbox.scan.protected_path import ProtectedPath


class Job(Value):
    """A plan, and what is compared after the run.

    `root` is the session's root, or the working directory outside of a project. `noted` are the
    protected paths before the run, `directories` those that a watch follows. `missing` are files
    that the user let be made where nothing else may be written, `incoming` is what git does under
    protected names. `caches` are directories of tools that are to be made, `held` paths with a wall
    that another process could make fall; `config` is git's configuration where that is open to git.
    `links` has for each directory of the project its files with several names.
    """

    plan: Plan
    around: Rescan
    root: str
    noted: "Mapping[str, ProtectedPath]"
    directories: tuple[str, ...]
    missing: tuple[str, ...] = ()
    incoming: Incoming = Incoming()
    caches: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    config: str = ""
    gate: "Callable[[], Gate] | None" = None
    links: "tuple[tuple[str, tuple[Linked, ...]], ...]" = ()

    @property
    def has_walls(self) -> bool:
        """Whether the walls are ours, with a network of their own."""
        return self.plan.settings.backend == "bubblewrap"

    @property
    def is_of_once(self) -> bool:
        """Whether something is made or looked at for this run alone."""
        brought = self.incoming.puts or self.incoming.fetches
        return bool(self.missing or brought or self.caches or self.config)

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
