"""Runs what was kept of a run that began alike."""

from execpolicy.sandbox import running
from execpolicy.sandbox.backends.backend import Watching
from execpolicy.sandbox.backends.start.become import find, launched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.sandbox.again.recall import Recalled
    from execpolicy.sandbox.backends.backend import Outcome
    from execpolicy.sandbox.backends.start.launch import Launch
    from execpolicy.sandbox.job import Job
    from execpolicy.sandbox.running import Done


def run(found: "Recalled", leader: str, whole: "Callable[[], Job]") -> "Done":
    """Run to the end, in the session that lasts as long as this process.

    Where the command did not even begin, the walls are worked out anew for it, from the `whole`.
    Raises what `running.run` raises.
    """
    launch = found.launch(leader)
    done = None if launch is None else _begun(found, launch, whole)
    return done if done and done.outcome.ran else running.run(whole())


def _begun(found: "Recalled", launch: "Launch", whole: "Callable[[], Job]") -> "Done":
    def attempt(watching: Watching) -> "Outcome":
        return launched(find(), launch, (0, 1, 2), watching)

    if not found.journal:
        return running.Done(attempt(Watching()))
    return running.guarded(attempt, Watching(), found.journal, whole, found.is_same)
