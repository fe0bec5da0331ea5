"""A run that began alike, saw the same and was allowed: it is run without deciding anew.

What is kept is the plan and all that it depended on (`sandbox.again.keep`). Only runs away from
terminals do this, which need no answer.
"""

import os

from execpolicy.commands import repeat, unfinished
from execpolicy.commands.run_job import Runnable, go_alone, leader, writable
from execpolicy.sandbox.again import running
from execpolicy.sandbox.again.recall import Recalled, recall
from execpolicy.store.compiled import cache
from execpolicy.store.repeat.answers import key
from execpolicy.support import startup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.commands.snapshots import Snapped
    from execpolicy.policy.policy import Policy
    from execpolicy.sandbox.again.form import About
    from execpolicy.sandbox.backends.serving import Way
    from execpolicy.sandbox.job import Job
    from execpolicy.sandbox.leftovers.finished_run import FinishedRun
    from execpolicy.sandbox.plan import Approved
    from execpolicy.sandbox.scan.git import GitUse


def run(arguments: "Sequence[str]") -> int:
    """What `run` does with these arguments, at once where that is known. Raises what it raises."""
    if any(map(os.isatty, range(3))) or not cache.is_there() or unfinished.is_left():
        return _anew(arguments)
    mark = key(("run", *arguments))
    found = recall(mark, links=False)
    if found is None:
        return _anew(arguments, mark)
    about = found.kept.about
    writable(about.status)
    if found.kept.start.journal:
        startup.ahead("run writes")
    snapped = _snapped(found)
    if not found.are_links_same(snapped.links() if snapped is not None else {}):
        if snapped is not None:
            snapped.forget()
        return _anew(arguments, mark)
    for line in found.logged:
        repeat.write(line)
    if not found.kept.plan.offline:
        startup.ahead("run joins")
    way = _way(about.digest, arguments) if about.digest else None
    runnable = _runnable(found, arguments, way)
    code = go_alone(runnable, about.status, lambda: _needed(about, arguments))
    if snapped is not None:
        from execpolicy.commands import snapshots

        snapshots.after(snapped)
    if way is not None and way.missed:
        from execpolicy.commands.run_network import tell_missed

        tell_missed(way)
    return code


def _snapped(found: Recalled) -> "Snapped | None":
    """The snapshot before it; none where it can change nothing, or runs in no project."""
    kept = found.kept
    if not (kept.start.journal and kept.about.changes):
        return None
    startup.ahead("snapshots")
    from execpolicy.commands import snapshots
    from execpolicy.places.root import of

    root = of(kept.around.root, None)
    if root is None or not root.project:
        return None
    argv = kept.plan.argv
    *shell, last = argv
    text = last if shell == ["/bin/bash", "-c"] else None
    call = snapshots.call_of(argv, text, kept.plan.cwd, leader(kept.about.session))
    return snapshots.before(root.path, call)


def _runnable(found: Recalled, arguments: "Sequence[str]", way: "Way | None") -> Runnable:
    begins, plan = leader(found.kept.about.session), found.kept.plan

    def whole() -> "Job":
        from execpolicy.sandbox.box import with_way

        job = found.job(begins)
        return job if way is None else with_way(job, way)

    def begin() -> "FinishedRun":
        return running.run(found, begins, whole, way)

    return Runnable(plan.argv, plan.environment, found.settings, begin, whole)


def _way(digest: str, arguments: "Sequence[str]") -> "Way":
    """The way out of its network: by the rules, which are read with the first connection.

    They are those with this digest. Others would be no rules that the run was decided by, and may
    be the command's own by then: none is followed, and nothing is let through.
    """
    startup.ahead("run out")
    from execpolicy.commands.ancestors import terminal_session
    from execpolicy.sandbox.backends.serving import Asking, Way

    def policy() -> "Policy":
        from execpolicy.commands.run import engine
        from execpolicy.commands.run_options import read
        from execpolicy.policy.policy import Policy

        snapshot = engine(read(arguments)).snapshot
        return snapshot.policy if snapshot.digest == digest else Policy()

    return Way(policy, Asking(session=terminal_session()))


def _anew(arguments: "Sequence[str]", mark: str = "") -> int:
    startup.with_site()  # where a key is opened, the user's own program starts this Python
    startup.ahead("run anew")
    from execpolicy.commands.run import main

    if not mark:
        return main(arguments)
    from execpolicy.commands.run_recorder import RunRecorder

    return main(arguments, RunRecorder(mark, arguments))


def _needed(about: "About", arguments: "Sequence[str]") -> "tuple[GitUse, tuple[Approved, ...]]":
    """What is told about a run that failed."""
    from execpolicy.commands.run import engine
    from execpolicy.commands.run_options import read, requested
    from execpolicy.sandbox.scan.git import GitUse
    from execpolicy.sandbox.scan.paths_named import paths_named

    options = read(arguments)
    use = GitUse(about.writes_git, about.refusal)
    return use, paths_named(requested(options), engine(options).snapshot)
