"""Prepares the commands of a session, of which most have the same walls: what was made for one is
taken for the next, where all that it depends on is as it was.

The words of a command are not part of that: what a job has of them is what it runs.
"""

import os
from time import time_ns

from execpolicy.places import root as roots
from execpolicy.sandbox import box
from execpolicy.sandbox.again.form import KeptRun
from execpolicy.sandbox.again.recall import MAX_REMEMBERED, Recalled, recall
from execpolicy.sandbox.job import Job
from execpolicy.sandbox.prepare import beside
from execpolicy.store.compiled import cache
from execpolicy.store.repeat.answers import key
from execpolicy.store.snapshot import Snapshot

OF_CALL = frozenset(("_", "SHLVL", "PWD", "OLDPWD"))
"""Variables that a shell sets anew for each command: no wall depends on them, and bubblewrap sets
PWD."""

_remembered: "dict[str, KeptRun]" = {}
_jobs: "dict[str, tuple[KeptRun, Job]]" = {}
"""What was made of these."""


def prepared(session: str, snapshot: "Snapshot", wanted: box.Wanted) -> "Job":
    """What `box.prepared` gives for the same, in a session: processes of one program, which are
    copies of each other."""
    use, has = wanted.use, os.environ if wanted.given is None else wanted.given
    if use.incoming.puts or use.incoming.fetches or not cache.is_there():
        return box.prepared(snapshot, wanted)
    wanted = wanted.replace(read=_that_show(wanted.read, wanted.cwd))
    words = "job", session, snapshot.digest, repr(wanted.replace(argv=(), given=None))
    mark = key(words, {name: value for name, value in has.items() if name not in OF_CALL})
    found = recall(mark, _remembered)
    if found is not None:
        job = _job(mark, found)
        return job.replace(plan=job.plan.replace(argv=wanted.argv))
    from execpolicy.sandbox.again.form import About
    from execpolicy.sandbox.again.keep import Kept, keep
    from execpolicy.store.repeat.witness import SETTLED, Witness

    began = time_ns()
    with Witness(modules=False) as witness:
        job = box.prepared(snapshot, wanted)
    looks = witness.looks
    if looks is not None and job.has_walls and not job.is_of_once:
        wordless = job.replace(plan=job.plan.replace(argv=()))  # words may hold what is secret
        keep(mark, Kept(wordless, About(use.writes, use.refusal)), looks, began - SETTLED)
    return job


def _that_show(read: "tuple[str, ...]", cwd: str) -> tuple[str, ...]:
    """Those of the paths by which walls differ: a project is shown as a whole."""
    found = roots.of(None, cwd)
    works = (found.path,) if found is not None and found.project else ()
    return beside(read, os.path.realpath(os.path.expanduser("~")), works)


def _job(mark: str, found: Recalled) -> "Job":
    """The job of a kept run, made once."""
    known = _jobs.get(mark)
    if known is None or known[0] is not found.kept:
        if len(_jobs) >= MAX_REMEMBERED:
            _jobs.clear()
        known = _jobs[mark] = found.kept, found.job("")
    return known[1]
