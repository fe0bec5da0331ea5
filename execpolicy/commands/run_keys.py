"""A run that uses a key of the user: what opens for it, and what it is told where nothing does."""

import os
import subprocess
import sys

from execpolicy.commands.exit_codes import say
from execpolicy.commands.run_job import go_alone
from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.model.operation import Exec
from execpolicy.model.written.credentials import Closed
from execpolicy.shell.single import Single, single
from execpolicy.support.record import Value
from execpolicy.support.resources import python

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Self

    from execpolicy.commands.run_job import Needed, Runnable
    from execpolicy.engine.rules.credentials import KeyUse
    from execpolicy.model.operation import Request
    from execpolicy.model.verdict import Verdict
    from execpolicy.sandbox.job import Job
    from execpolicy.sandbox.keys.opening import Opening
    from execpolicy.sandbox.walls import Mount
    from execpolicy.shell.parts import TextPart
    from execpolicy.store.snapshot import Snapshot

    Reader = Callable[[int, int], Callable[[], int]]


class RunKey(Value):
    """What of a run uses a key. `opening` is what opens; `why` says why nothing does.

    `streams` are redirections of the command, `rest` is what reads its output, a script of its own,
    and `cwd` the directory that both run in, if a `cd` before them `changes` it.
    """

    opening: "Opening | None" = None
    why: str = ""
    streams: tuple[tuple[int, str], ...] = ()
    rest: str = ""
    cwd: str = ""
    changes: bool = False

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


class KeyAsked(Value):
    """What a key is asked for with: the request that was decided about, and the environment.

    `approved`: the user approved it. `written` is what may be written by what runs beside it.
    `begun`: what it would start of the project ran before.
    """

    request: "Request"
    verdict: "Verdict"
    snapshot: "Snapshot"
    given: "Mapping[str, str]"
    approved: bool = False
    written: "tuple[Mount, ...]" = ()
    begun: bool = False


def script_of(request: "Request") -> str | None:
    """The text for bash that a request is, as one or as the words that start a shell for it."""
    words = request.argv or ()
    started = len(words) == 3 and words[0] in ("bash", "sh") and words[1] in ("-c", "-lc")
    return words[2] if request.text is None and started else request.text


def key_of(asked: KeyAsked, job: "Job") -> RunKey | None:
    """The key of a request that runs as this job without one; None where it uses none.

    It gets one where it may run as it is, outside of every sandbox, or was approved by the user.
    """
    from execpolicy.engine.rules.credentials import ALONE

    shape, use = used(asked)
    if use is None or not job.has_walls:
        return None
    if shape is None or use.refusal:
        return RunKey(why=use.refusal or ALONE)
    if not (asked.approved or _is_allowed(use, asked.verdict)):
        return RunKey(why="it is allowed in the sandbox only: let a rule or the user allow it")
    cwd = os.path.join(job.plan.cwd, shape.directory)
    found = _opened(use, asked, job.replace(plan=job.plan.replace(cwd=cwd)))
    more = {"streams": shape.streams, "rest": shape.rest, "cwd": cwd}
    return found.replace(changes=bool(shape.directory), **more) if found.opening else found


def used(asked: KeyAsked) -> "tuple[Single | None, KeyUse | None]":
    """What of a request uses a key, and how it is written; None where nothing does."""
    request, text = asked.request, script_of(asked.request)
    shape = single(text) if text is not None else Single("")
    if text is not None:
        request = request.replace(text=shape.text if shape is not None else text, argv=None)
    use = _use(request, asked.snapshot)
    if use is not None and use.closed is Closed.CODE and not _is_at_hand(use, asked):
        return shape, None
    return shape, use


def _is_at_hand(use: "KeyUse", asked: KeyAsked) -> bool:
    """Whether the user has a key of this kind at all."""
    known = use.credentials
    found = any(os.path.isfile(os.path.expanduser(path)) for path in known.files)
    names = tuple(one.removesuffix("*") for one in known.passed)
    return found or any(name.startswith(names) for name in asked.given)


def only_outside(request: "Request", verdict: "Verdict", snapshot: "Snapshot") -> str:
    """Why a command fails in a sandbox though the user lets it pass, as one that logs in; empty of
    any other."""
    from execpolicy.engine.rules.credentials import may_use_key

    use = _use(request, snapshot) if may_use_key(verdict, snapshot) else None
    return use.refusal if use is not None and use.closed is Closed.LOGIN else ""


def parts_with_key(request: "Request", snapshot: "Snapshot") -> "tuple[TextPart, ...]":
    """The parts of a list of which one uses a key, which runs alone, each after what it would
    start of the project; none of anything else."""
    from execpolicy.shell.parts import TextPart, parts_of

    text = script_of(request)
    if text is None:
        return ()
    used = _use(request.replace(text=text, argv=None), snapshot)
    if used is None or used.closed is not None:
        return ()
    found = parts_of(text) if single(text) is None else (TextPart("", text),)
    made = tuple(each for one in found for each in _begun(one, request, snapshot))
    return made if len(made) > 1 else ()


def _begun(part: "TextPart", request: "Request", snapshot: "Snapshot") -> "tuple[TextPart, ...]":
    """A part, after what it would start of the project."""
    shape = single(part.text)
    if shape is None:
        return (part,)
    use = _use(request.replace(text=shape.text, argv=None), snapshot)
    if use is None or use.refusal:
        return (part,)
    import shlex

    from execpolicy.sandbox.keys.before import before

    cwd = os.path.join(request.cwd or os.getcwd(), shape.directory, use.cwd)
    step = before(use, cwd)
    return part.after(f"cd {shlex.quote(cwd)} && {step}") if step else (part,)


def _use(request: "Request", snapshot: "Snapshot") -> "KeyUse | None":
    from execpolicy.engine.rules.credentials import key_use
    from execpolicy.engine.unwrap import unwrap

    return key_use(unwrap(request, snapshot), snapshot)


def _is_allowed(use: "KeyUse", verdict: "Verdict") -> bool:
    """Whether a command may run as it is, whatever runs beside it; of ssh what it runs there."""
    of_it = [
        judged.decision
        for judged in verdict.judged
        if use.credentials.ssh
        or (isinstance(judged.operation, Exec) and judged.operation.argv == use.judged)
    ]
    return bool(of_it) and max(of_it) is Decision.ALLOW and not verdict.floor


def _opened(use: "KeyUse", asked: KeyAsked, job: "Job") -> RunKey:
    from execpolicy.sandbox.backends.way_out import tunnel_words
    from execpolicy.sandbox.keys.open import opening
    from execpolicy.sandbox.keys.opening import NoKeyError

    tunnel = " ".join(tunnel_words())
    more = {"approved": asked.approved, "written": asked.written, "begun": asked.begun}
    try:
        return RunKey(opening(use, job, asked.snapshot, asked.given, tunnel, **more))  # type: ignore[arg-type]
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

    def reader(stdin: int, _write: int) -> "Callable[[], int]":
        words = [*python(), "execpolicy", "run", *run, "--cwd", key.cwd, "-c", key.rest]
        return subprocess.Popen(words, stdin=stdin).wait

    return piped(key, reader, lambda: go_alone(what, status, needed))


def piped(key: RunKey, reader: "Reader", run: "Callable[[], int]") -> int:
    """Run what uses a key, with its streams where they are to lead; the exit code of the last.

    `reader` starts what reads its output from a pipe with these two ends, and gives what waits for
    that.
    """
    with Piped(key.streams, reader if key.rest else None) as led:
        ended = run()
        if key.opening is not None and not ended:
            _shown(key.opening.finish())
    if key.why and ended:
        say(f"no key of yours was opened: {printable(key.why, 300)}")
    return ended if led.code is None else led.code


def _shown(text: str) -> None:
    """Write what comes after the command to its output, which may be closed by then."""
    try:
        os.write(1, text.encode())
    except OSError:
        return


class Piped:
    """The streams of this process led where those of a command are to lead.

    `reader` starts what reads its output, if anything does. `code` is the exit code of that.
    """

    def __init__(self, streams: "Iterable[tuple[int, str]]", reader: "Reader | None") -> None:
        self._streams, self._reader = streams, reader
        self._wait: Callable[[], int] | None = None
        self._kept: list[tuple[int, int]] = []
        self.code: int | None = None

    def __enter__(self) -> "Self":
        if self._reader:
            read, write = os.pipe()
            self._wait = self._reader(read, write)
            os.close(read)
            self._lead(1, write)
            os.close(write)
        for number, where in self._streams:
            opened = int(where) if where.isdigit() else os.open(where, os.O_RDWR | os.O_CLOEXEC)
            self._lead(number, opened)
            if opened > 2:
                os.close(opened)
        return self

    def __exit__(self, *_error: object) -> None:
        for number, kept in reversed(self._kept):
            os.dup2(kept, number)
            os.close(kept)
        if self._wait is not None:
            self.code = self._wait()

    def _lead(self, number: int, where: int) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        self._kept.append((number, os.dup(number)))
        os.dup2(where, number)
