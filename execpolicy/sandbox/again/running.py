"""Runs what was kept of a run that began alike."""

from execpolicy.sandbox.backends.backend import Watching
from execpolicy.sandbox.backends.start.become import launched
from execpolicy.sandbox.backends.start.prepared import find
from execpolicy.sandbox.leftovers.finished_run import FinishedRun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.sandbox.again.recall import Recalled
    from execpolicy.sandbox.backends.backend import RunOutcome
    from execpolicy.sandbox.backends.serving import Way
    from execpolicy.sandbox.backends.start.launch import Launch
    from execpolicy.sandbox.job import Job


def run(
    found: "Recalled", leader: str, whole: "Callable[[], Job]", way: "Way | None" = None
) -> "FinishedRun":
    """Run to the end, in the session that lasts as long as this process. `way` leads out of it.

    Where the command did not even begin, the walls are worked out anew for it, from the `whole`.
    Raises what `running.run` raises.
    """
    launch = found.launch(leader)
    done = None if launch is None else _begun(found, launch, whole, way)
    if done is not None and done.outcome.ran:
        return done
    from execpolicy.sandbox import running

    return running.run(whole())


def _begun(
    found: "Recalled", launch: "Launch", whole: "Callable[[], Job]", way: "Way | None"
) -> "FinishedRun":
    given, beside = launch, Watching()
    if way is not None:
        given, beside = _with_way(launch, way)

    def attempt(watching: Watching) -> "RunOutcome":
        return launched(find(), given, (0, 1, 2), watching)

    journal, held = found.kept.start.journal, found.kept.around.held
    if not journal:
        return FinishedRun(attempt(beside))
    from execpolicy.sandbox.leftovers.guarded import guarded

    return guarded(attempt, beside, journal, whole, held, found.is_same)


def _with_way(launch: "Launch", way: "Way") -> "tuple[Launch, Watching]":
    from execpolicy.sandbox.backends import way_out

    port = way_out.free_port(shared=bool(launch.session))
    environment = way_out.with_variables(launch.environment, port)
    reach = launch.settings.reach
    gate = Watching(gate=lambda: way_out.Gate(way, port, reach))
    return launch.replace(environment=environment), gate
