"""The audit log: one JSON line a verdict.

A line is one `write` to a file opened for appending, so lines of several processes never mix. A log
that cannot be written is no reason not to decide: a warning says so, once.
"""

import os
import time
from _collections_abc import Iterable

from execpolicy.model.operation import Access, Connect, Exec, Operation, Request, Word, show
from execpolicy.model.verdict import JudgedOperation, Source, Verdict
from execpolicy.store import log_file
from execpolicy.store.log_file import timestamp
from execpolicy.store.sources.settings import Settings
from execpolicy.support import directories
from execpolicy.support.json_encode import encode
from execpolicy.support.record import Value
from execpolicy.support.redact import joined, redacted

MAX_COMMAND = 4096
MAX_OPERATIONS = 50

_MAX_READ = 16384
_EDGE = 512  # what a cut may have split is not shown


class Log(Value):
    """Where the log is, whether it holds the words of commands, and at which size it is rotated."""

    path: str
    commands: bool = True
    max_bytes: int = 10 * 1024 * 1024


def append(log: Log, *lines: "dict[str, object]") -> None:
    """Append lines, by one `write`. Never raises: what goes wrong is a line on stderr."""
    try:
        text = "".join(f"{encode(line)}\n" for line in lines)
        log_file.append(log.path, text.encode(), log.max_bytes)
    except Exception as error:
        log_file.warn(log.path, error)


def record(
    log: Log,
    request: Request,
    verdict: Verdict,
    held: "log_file.Held | None" = None,
    way: str = "",
) -> None:
    """Append a line about a verdict, or hold it together with others. `way` says how it would run.

    Never raises: what goes wrong is a line on stderr.
    """
    try:
        log_file.record(log.path, _line(log, request, verdict, way), log.max_bytes, held)
    except Exception as error:
        log_file.warn(log.path, error)


def record_by_settings(
    request: Request,
    verdict: Verdict,
    settings: Settings,
    held: "log_file.Held | None" = None,
    way: str = "",
) -> None:
    """Append a line about a verdict to the user's log, as `record` does. Never raises."""
    path = held.path if held else ""
    if not path:
        path = log_path()
        if held:
            held.path = path
    record(Log(path, settings.audit_commands, settings.audit_bytes), request, verdict, held, way)


def note(line: "dict[str, object]", settings: Settings) -> None:
    """Append a line about something else than a verdict to the user's log, if there is to be one.

    Never raises.
    """
    if settings.audit:
        now = timestamp(time.time())
        append(Log(log_path(), max_bytes=settings.audit_bytes), {"time": now, **line})


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


def _line(log: Log, request: Request, verdict: Verdict, way: str) -> str:
    """A line of the log but for its time, which is put in when it is written."""
    fields = entry(log, request, verdict)
    if way:
        fields["way"] = way
    del fields["time"]
    return encode(fields)


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
    operations = verdict.operations
    line["operations"] = [_operation(j, log.commands) for j in operations[:MAX_OPERATIONS]]
    if len(operations) > MAX_OPERATIONS:
        line["more"] = len(operations) - MAX_OPERATIONS
    if verdict.confined is not verdict.decision:
        line["confined"] = verdict.confined.word
    approvals = (m.sentence for m in verdict.matches if m.source is Source.APPROVAL)
    approved = next(approvals, None)
    if approved is not None:
        line["approved"] = approved
    line["digest"] = verdict.digest
    return line


def as_line(request: Request) -> "dict[str, object]":
    """What a line says of a request alone, by which it is found again."""
    operations = [_what(each, commands=True) for each in request.operations or ()]
    return {"command": _shown(request)[0], "operations": operations}


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
        path = {"path": redacted(show(operation.path))[:MAX_COMMAND]} if commands else {}
        return {"access": operation.mode, **path}
    if isinstance(operation, Connect):
        host = {"host": redacted(show(operation.host))} if commands else {}
        return {"connect": operation.protocol, **host}
    return {"kind": type(operation).__name__.lower()}


def _program(word: Word) -> str:
    """The program's name without its directory; a computed one has none."""
    return redacted(word.rpartition("/")[2][:200]) if isinstance(word, str) else "$"
