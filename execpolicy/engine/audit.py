"""The audit log: one JSON line a verdict.

A line is one `write` to a file opened for appending, so lines of several processes never mix. A log
that cannot be written is no reason not to decide: a warning says so, once.
"""

import os
import stat
import sys
import time

from execpolicy.model.errors import printable
from execpolicy.model.operation import Access, Connect, Exec, Operation, Request, Word
from execpolicy.model.verdict import JudgedOperation, Source, Verdict
from execpolicy.store.sources.settings import Settings
from execpolicy.support import directories
from execpolicy.support.json_encode import encode
from execpolicy.support.record import Value
from execpolicy.support.redact import joined, redacted

KEEP = 3
MAX_COMMAND = 4096
MAX_OPERATIONS = 50

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_MAX_READ = 16384
_EDGE = 512  # what a cut may have split is not shown
_warned: set[str] = set()


class Log(Value):
    """Where the log is, whether it holds the words of commands, and at which size it is rotated."""

    path: str
    commands: bool = True
    max_bytes: int = 10 * 1024 * 1024


def append(log: Log, *lines: "dict[str, object]") -> None:
    """Append lines, by one `write`. Never raises: what goes wrong is a line on stderr."""
    try:
        _append(log, "".join(f"{encode(line)}\n" for line in lines).encode())
    except Exception as error:
        _warn(log.path, error)


def record(log: Log, request: Request, verdict: Verdict) -> None:
    """Append a line about a verdict. Never raises: what goes wrong is a line on stderr."""
    try:
        _append(log, _line(log, request, verdict).encode())
    except Exception as error:
        _warn(log.path, error)


def record_by_settings(request: Request, verdict: Verdict, settings: Settings) -> None:
    """Append a line about a verdict to the user's log. Never raises."""
    record(Log(log_path(), settings.audit_commands, settings.audit_bytes), request, verdict)


def record_connections(lines: "Iterable[tuple[float, dict[str, object]]]") -> None:
    """Append lines about connections, each with its time, to the user's log of the network.

    Never raises.
    """
    process = os.getpid()
    dated = ({"time": timestamp(at), "pid": process, **line} for at, line in lines)
    append(Log(network_path()), *dated)


def network_path() -> str:
    """Where decisions about connections are written down."""
    return os.path.join(directories.state(), "network.jsonl")


def log_path() -> str:
    """Where the log is."""
    return os.path.join(directories.state(), "audit.jsonl")


class Written(Value):
    """A verdict that was written down, and its line but for the time."""

    verdict: Verdict
    line: str


_written: "dict[tuple[object, ...], Written]" = {}
_MAX_WRITTEN = 512
_MAX_LINE = 8192


def _line(log: Log, request: Request, verdict: Verdict) -> str:
    """A line of the log. Of a verdict that was given before, all but the time is known."""
    now = encode({"time": timestamp(time.time())})[:-1]
    key = (id(verdict), log.commands, request.cwd, request.agent, request.session)
    known = _written.get(key) if request.cwd else None
    if known is None or known.verdict is not verdict:
        fields = entry(log, request, verdict)
        del fields["time"]
        known = Written(verdict, encode(fields)[1:])
        if len(_written) >= _MAX_WRITTEN or _of_another_policy(verdict):
            _written.clear()
        if len(known.line) <= _MAX_LINE:
            _written[key] = known  # the entry keeps the verdict, so that its id stays its own
    return f"{now}, {known.line}\n"


def _of_another_policy(verdict: Verdict) -> bool:
    """Whether the verdicts that are kept are of a policy before: they hold on to all of it."""
    known = next(iter(_written.values()), None)
    return known is not None and known.verdict.digest != verdict.digest


def entry(log: Log, request: Request, verdict: Verdict) -> "dict[str, object]":
    """What a line says. Without commands no word of a user is in it, only programs and effects."""
    line: dict[str, object] = {"time": timestamp(time.time()), "decision": verdict.decision.word}
    for name, value in (
        ("agent", request.agent),
        ("session", request.session),
        ("cwd", request.cwd or _here()),
    ):
        if value is not None:
            line[name] = value
    if log.commands:
        line["command"], clean = _shown(request)
        if clean:  # a reason quotes words without their quotes, and cuts them
            line["reason"] = redacted(verdict.reason)
    line["operations"] = [_operation(j, log.commands) for j in verdict.judged[:MAX_OPERATIONS]]
    if len(verdict.judged) > MAX_OPERATIONS:
        line["more"] = len(verdict.judged) - MAX_OPERATIONS
    line["digest"] = verdict.digest
    return line


def timestamp(seconds: float) -> str:
    """A point in time in UTC, by RFC 3339, to the millisecond.

    >>> timestamp(0.5)
    '1970-01-01T00:00:00.500Z'
    """
    whole = int(seconds)
    if whole not in _seconds:
        _seconds.clear()
        _seconds[whole] = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole))
    milli = int((seconds - whole) * 1000)
    return f"{_seconds[whole]}.{milli:03}Z"


_seconds: dict[int, str] = {}
"""The text of the second that was written last: many lines of a log have the same."""


def _here() -> str | None:
    try:
        return os.getcwd()
    except OSError:
        return None


def _shown(request: Request) -> tuple[str, bool]:
    """The command without secrets, cut at a length, and whether there were none in it."""
    text = request.text if request.text is not None else joined(request.argv or ())
    text, cut = text[:_MAX_READ], len(text) > _MAX_READ
    shown = redacted(text)
    clean = shown == text
    if cut:
        shown = shown[: _MAX_READ - _EDGE]
    return (shown if len(shown) <= MAX_COMMAND else shown[:MAX_COMMAND] + " …"), clean


def _operation(judged: JudgedOperation, commands: bool) -> "dict[str, object]":
    shown = {"decision": judged.decision.word, **_what(judged.operation, commands)}
    effects = dict.fromkeys(e for m in judged.matches for e in m.effects)
    if effects:
        shown["effects"] = list(effects)
    rules = [str(m.origin) for m in judged.matches if m.source is Source.RULE and m.origin]
    if rules:
        shown["rules"] = rules[:8]
    return shown


def _what(operation: Operation, commands: bool) -> "dict[str, object]":
    if isinstance(operation, Exec):
        return {"program": _program(operation.argv[0])}
    if isinstance(operation, Access):
        path = {"path": redacted(_word(operation.path))[:MAX_COMMAND]} if commands else {}
        return {"access": operation.mode, **path}
    if isinstance(operation, Connect):
        host = {"host": redacted(_word(operation.host))} if commands else {}
        return {"connect": operation.protocol, **host}
    return {"kind": type(operation).__name__.lower()}


def _program(word: Word) -> str:
    """The program's name without its directory; a computed one has none."""
    return redacted(word.rpartition("/")[2][:200]) if isinstance(word, str) else "$"


def _word(word: Word) -> str:
    return word if isinstance(word, str) else word.source


def _append(log: Log, line: bytes) -> None:
    descriptor = _open(log.path)
    try:
        if log.max_bytes and os.fstat(descriptor).st_size + len(line) > log.max_bytes:
            rotate(log.path, log.max_bytes - len(line))
            os.close(descriptor)
            descriptor = -1
            descriptor = _open(log.path)
        written = os.write(descriptor, line)
        if written != len(line):
            os.write(descriptor, b"\n")  # so that the next line is whole
            raise OSError("the disk is full")
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def _open(path: str) -> int:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags, 0o600)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        descriptor = os.open(path, flags, 0o600)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
        os.close(descriptor)
        raise OSError("it is not this user's own regular file")
    if status.st_mode & 0o077:
        os.fchmod(descriptor, 0o600)
    return descriptor


def rotate(path: str, above: int) -> None:
    """Move the log aside and drop the oldest, unless somebody else just did.

    A process that had the file open writes its line into the one that was moved: none is lost.
    """
    from fcntl import LOCK_EX, flock

    lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        flock(lock, LOCK_EX)
        size = os.stat(path).st_size
        if size and size > above:
            for number in range(KEEP - 1, 0, -1):
                if os.path.lexists(f"{path}.{number}"):
                    os.rename(f"{path}.{number}", f"{path}.{number + 1}")
            os.rename(path, f"{path}.1")
    finally:
        os.close(lock)


def _warn(path: str, error: Exception) -> None:
    if path not in _warned:
        _warned.add(path)
        reason = getattr(error, "strerror", None) or str(error)
        print(
            f"execpolicy: warning: the audit log `{printable(path)}` cannot be written: {reason}",
            file=sys.stderr,
        )
