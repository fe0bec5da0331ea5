"""Notes what a run depends on, so that it can begin again without deciding anew."""

from time import time_ns

from execpolicy.commands import repeat
from execpolicy.commands.run_job import changes, opened_sockets
from execpolicy.sandbox.again.form import About
from execpolicy.sandbox.again.keep import Kept, keep
from execpolicy.store.repeat.witness import SETTLED, Witness
from execpolicy.support import watching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from execpolicy.commands.run import Decided, Ready
    from execpolicy.commands.run_options import RunOptions


class RunRecorder:
    """Notes what a run depends on while it is decided about, and keeps it if it may begin again."""

    def __init__(self, mark: str, arguments: "Sequence[str]") -> None:
        self._mark, self._arguments = mark, arguments
        self._kept: Kept | None = None
        self._began = time_ns()
        self._witness = Witness()

    def __enter__(self) -> "Self":
        self._witness.__enter__()
        return self

    def offer(self, decided: "Decided", ready: "Ready", options: "RunOptions") -> None:
        """A run that is allowed, to be kept unless the user or an answer is part of it."""
        job, way = ready.job, ready.ways.way
        from execpolicy.commands.snapshots import names_generated

        if decided.ruling.undo or names_generated(decided.verdict):
            return  # it depends on the snapshot of this moment
        if ready.ways.approved or options.dry or (way and (way.answers or way.registries)):
            return
        if job.has_walls and not (job.is_of_once or opened_sockets(job.plan)):
            use = decided.use
            leads_out = bool(job.plan.settings.reach) or (way is not None and way.leads_out())
            serves = leads_out and not job.plan.offline
            digest = decided.engine.snapshot.digest if serves else ""
            more = options.session, options.status, digest, changes(decided.verdict, job)
            self._kept = Kept(job, About(use.writes, use.refusal, *more))

    def __exit__(self, kind: object, *_error: object) -> None:
        self._witness.__exit__()
        looks = self._witness.looks
        if kind or self._kept is None or looks is None or watching.here.never_again:
            return
        if not repeat.is_clean(self._arguments):
            return
        logged = self._witness.logged
        keep(self._mark, self._kept.replace(logged=logged), looks, self._began - SETTLED)
