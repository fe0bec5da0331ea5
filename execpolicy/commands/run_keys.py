"""A run that uses a key of the user: what opens for it, and what it is told where nothing does."""

import os
import subprocess
import sys

from execpolicy.commands.exit_codes import say
from execpolicy.commands.run_job import go
from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.model.operation import Exec
from execpolicy.shell.single import Single, single
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from execpolicy.commands.run_job import Needed, Runnable
    from execpolicy.engine.rules.credentials import KeyUse
    from execpolicy.model.operation import Request
    from execpolicy.model.verdict import Verdict
    from execpolicy.sandbox.job import Job
    from execpolicy.sandbox.keys.opening import Opening
    from execpolicy.store.snapshot import Snapshot


class RunKey(Value):
    """What of a run uses a key. `opening` is what opens; `why` says why nothing does.

    `joined`: its errors go where its output goes. `rest` is what reads its output, a script of its
    own.
    """

    opening: "Opening | None" = None
    why: str = ""
    joined: bool = False
    rest: str = ""

    @property
    def summary(self) -> str:
        """What opens, or why nothing does, in one line."""
        return self.opening.summary if self.opening is not None else f"none: {self.why}"

    def applied(self, job: "Job") -> "Job":
        """The job with the key, if one opens."""
        if self.opening is None:
            return job
        from execpolicy.sandbox.keys.apply import with_key

        return with_key(job, self.opening)


def key_of(
    request: "Request",
    verdict: "Verdict",
    snapshot: "Snapshot",
    job: "Job",
    *,
    approved: bool,
) -> RunKey | None:
    """The key of a request that runs as this job without one; None where it uses none.

    It gets one where it may run as it is, outside of every sandbox, or was `approved` by the user.
    """
    from execpolicy.engine.rules.credentials import ALONE, key_use
    from execpolicy.engine.unwrap import unwrap

    if not job.has_walls:
        return None
    shape = single(request.text) if request.text is not None else Single("")
    if shape is not None and shape.rest:
        request = request.replace(text=shape.text)
    use = key_use(unwrap(request, snapshot), snapshot)
    if use is None:
        return None
    if shape is None:
        return RunKey(why=use.refusal or ALONE)
    if not (approved or _is_allowed(use.argv, verdict)):
        return RunKey(why="it is allowed in the sandbox only: let a rule or the user allow it")
    found = _opened(use, snapshot, job, approved)
    return found.replace(joined=shape.joined, rest=shape.rest) if found.opening else found


def _is_allowed(argv: tuple[str, ...], verdict: "Verdict") -> bool:
    """Whether a command may run as it is, whatever runs beside it."""
    of_it = [
        judged.decision
        for judged in verdict.judged
        if isinstance(judged.operation, Exec) and judged.operation.argv == argv
    ]
    return bool(of_it) and max(of_it) is Decision.ALLOW and not verdict.floor


def _opened(use: "KeyUse", snapshot: "Snapshot", job: "Job", approved: bool) -> RunKey:
    from execpolicy.sandbox.backends.way_out import tunnel_words
    from execpolicy.sandbox.keys.open import opening
    from execpolicy.sandbox.keys.opening import NoKeyError

    tunnel = " ".join(tunnel_words())
    try:
        return RunKey(opening(use, job, snapshot, os.environ, tunnel, approved=approved))
    except NoKeyError as error:
        return RunKey(why=str(error))


def with_way_of_key(job: "Job", opening: "Opening", snapshot: "Snapshot") -> "Job":
    """The job, which shares nothing with other runs, with the network of its key alone."""
    from execpolicy.sandbox.backends.serving import KeyWay, Way
    from execpolicy.sandbox.box import with_way
    from execpolicy.sandbox.keys.apply import with_variables
    from execpolicy.sandbox.keys.bridging import Bridging

    way = Way(lambda: snapshot.policy, key=KeyWay(opening.hosts, Bridging(opening.bridges)))
    return with_variables(with_way(job, way), opening)


def run_with_key(
    what: "Runnable", key: RunKey, run: "Sequence[str]", status: str | None, needed: "Needed"
) -> int:
    """Run to the end, with what reads the output; the exit code of the last.

    `run` are the words by which that is decided about, and run in a sandbox of its own.
    """
    words = [*_program(), "run", *run, "-c", key.rest] if key.rest else []
    with Piped(words, joined=key.joined) as piped:
        ended = go(what, status, needed)
    if key.why and ended:
        say(f"no key of yours was opened: {printable(key.why, 300)}")
    return ended if piped.code is None else piped.code


def _program() -> tuple[str, ...]:
    apart = ("-I",) if sys.flags.isolated else ("-E", "-P")
    return (sys.executable, *apart, "-m", "execpolicy")


class Piped:
    """The output of the process joined to what reads it, which runs in a sandbox of its own.

    `words` run that; without any the output goes where it went. `code` is its exit code.
    """

    def __init__(self, words: "Sequence[str]", *, joined: bool) -> None:
        self._words, self._joined = words, joined
        self._reader: subprocess.Popen[bytes] | None = None
        self._kept: list[tuple[int, int]] = []
        self.code: int | None = None

    def __enter__(self) -> "Self":
        if self._words:
            self._reader = subprocess.Popen(self._words, stdin=subprocess.PIPE)
            assert self._reader.stdin is not None  # noqa: S101
            self._lead(1, self._reader.stdin.fileno())
            self._reader.stdin.close()
        if self._joined:
            self._lead(2, 1)
        return self

    def __exit__(self, *_error: object) -> None:
        for number, kept in reversed(self._kept):
            os.dup2(kept, number)
            os.close(kept)
        if self._reader is not None:
            self.code = self._reader.wait()

    def _lead(self, number: int, where: int) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        self._kept.append((number, os.dup(number)))
        os.dup2(where, number)
