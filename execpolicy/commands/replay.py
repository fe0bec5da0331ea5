"""`execpolicy replay`: what agents did, and what a policy would have asked."""

import json
import os
import sys
from _collections_abc import Iterator, Mapping, Sequence

from execpolicy.commands.arguments import Kind, OptionSyntax, Syntax, Takes, counted, parse
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.policy_sources import load
from execpolicy.engine.audit import log_path
from execpolicy.hosts.transcripts import read
from execpolicy.hosts.transcripts.read import Transcripts
from execpolicy.model.errors import UsageError, printable
from execpolicy.places.disk import Disk
from execpolicy.replay.arrow import write_parquet
from execpolicy.replay.judge import Judge
from execpolicy.replay.learn.learner import Learner
from execpolicy.replay.report import page
from execpolicy.replay.requests import ReplayCall
from execpolicy.replay.summary import ReplayChange, ReplaySummary, changes, summary
from execpolicy.store.log_lines import names
from execpolicy.support.record import Value

FORMATS = ("text", "json", "parquet")
POLICY = Takes("policy", Kind.FILE, ending=".rules")
LOG_OPTIONS = (
    OptionSyntax(("--rules",), "rules", POLICY),
    OptionSyntax(("--field",), "field", Takes("field", Kind.WORD, ("decision", "confined"))),
    OptionSyntax(("--map",), "maps", Takes("directories"), repeats=True),
    OptionSyntax(("--elsewhere",), "elsewhere"),
)
SYNTAX = Syntax(
    "replay",
    (
        *LOG_OPTIONS,
        OptionSyntax(("--against",), "against", POLICY),
        OptionSyntax(("--most",), "most", Takes("number")),
        OptionSyntax(("--format",), "format", Takes("format", Kind.WORD, FORMATS)),
        OptionSyntax(("--output",), "output", Takes("file", Kind.FILE)),
        OptionSyntax(("--report",), "report", Takes("file", Kind.FILE)),
    ),
    Takes("file", Kind.FILE),
)


def main(arguments: Sequence[str]) -> ExitCode:
    """Print what would be asked. ERROR where something opens that a person refused, or nothing
    could be read."""
    parsed = parse(SYNTAX, arguments)
    fields = parsed.fields
    log = read_log(parsed.operands, fields)
    judge = log.judge(str(fields.get("rules", "layers")))
    found = summary(judge, log.calls)
    against = fields.get("against")
    changed = changes(log.judge(str(against)), judge, log.calls) if against else None
    if fields.get("format") == "parquet":
        _write_rows(judge, log.calls, fields)
    elif fields.get("format") == "json":
        print(json.dumps(_wire(found, log.source, changed)))
    else:
        sys.stdout.writelines(f"{line}\n" for line in _text(found, log, changed, _most(fields)))
    if "report" in fields:
        _report(str(fields["report"]), found, log, judge, str(fields.get("rules", "layers")))
    return ExitCode.ERROR if found.opened or log.is_unread else ExitCode.ALLOW


def _report(path: str, found: ReplaySummary, log: "ReplayedLog", judge: Judge, policy: str) -> None:
    """Write the page, with the rules that would settle most."""
    learned = Learner(judge, log.calls, Disk()).learn(20) if found.tally.asked else None
    _write(path, page(found, log.calls, log.field, policy, learned))


class ReplayedLog(Value):
    """What was read, as calls to be decided. `field` is the decision that counts."""

    source: Transcripts
    calls: tuple[ReplayCall, ...]
    field: str

    @property
    def is_unread(self) -> bool:
        """Whether there are files, and none of them is of an agent that is known."""
        return 0 < self.source.files == len(self.source.unknown)

    def unknown(self) -> Iterator[str]:
        """A line for each file that is of no agent that is known."""
        for path in self.source.unknown:
            yield f"{printable(path, 100)}: of no agent that is known"

    def judge(self, policy: str) -> Judge:
        """A policy over these calls. Raises `PolicyError` where it cannot be read."""
        return Judge(load(policy), self.calls, self.field, Disk())


def read_log(operands: Sequence[str], fields: Mapping[str, object]) -> ReplayedLog:
    """The transcripts that are named, or all of this user's."""
    from execpolicy.replay.requests import PathMapping, requests

    maps = fields.get("maps", ())
    mappings = [PathMapping.of(str(each)) for each in (maps if isinstance(maps, tuple) else ())]
    paths = operands or [*read.found(os.path.expanduser("~"), names(log_path()))]
    source = read.read(paths)
    calls = requests(source.calls, mappings, "elsewhere" in fields)
    return ReplayedLog(source, tuple(calls), str(fields.get("field", "decision")))


def _most(fields: Mapping[str, object]) -> int:
    most = str(fields.get("most", "12"))
    if not most.isdecimal():
        raise UsageError(f"`--most` takes a number, not `{printable(most, 20)}`")
    return int(most)


def _text(
    found: ReplaySummary,
    log: ReplayedLog,
    changed: Sequence[ReplayChange] | None,
    most: int,
) -> Iterator[str]:
    tally, sessions = found.tally, found.sessions
    projects = {each.project for each in log.calls}
    files = counted(log.source.files, "file")
    yield (
        f"{counted(tally.calls, 'call')} in {counted(len(sessions), 'session')} of"
        f" {counted(len(projects), 'project')} ({files})"
    )
    if log.source.unread:
        yield f"{counted(log.source.unread, 'call')} could not be read"
    yield from log.unknown()
    share = [_percent(n, tally.calls) for n in (tally.passed, tally.asked, tally.forbidden)]
    yield f"passed {tally.passed} ({share[0]}), asked {tally.asked} ({share[1]}),"
    yield f"forbidden {tally.forbidden} ({share[2]}), by `{log.field}`"
    yield f"questions of a session: median {found.median:g}, 90 % at most {found.quantile(0.9):g}"
    yield from _reasons(found, most)
    if found.programs:
        listed = ", ".join(f"{printable(name, 30)} {n}" for name, n in found.programs[:most])
        yield f"by program: {listed}"
    if sessions and sessions[0][1].asked:
        yield "sessions that ask most:"
        for name, one in sessions[:most]:
            yield f"  {one.asked:5} of {one.calls:5} calls  {printable(name, 60)}"
    yield from _changed(changed, most) if changed is not None else ()
    if found.opened:
        yield f"refused by a person, and would pass ({len(found.opened)}):"
        yield from (f"  {_line(each.call.shown)}" for each in found.opened)


def _reasons(found: ReplaySummary, most: int) -> Iterator[str]:
    if found.reasons:
        yield "what asks, by calls and sessions:"
    for reason in found.reasons[:most]:
        shown = printable(reason.reason, 44)
        yield f"  {reason.calls:5} {reason.sessions:4}  {shown:44}  {_line(reason.example, 50)}"


def _changed(changed: Sequence[ReplayChange], most: int) -> Iterator[str]:
    looser = sum(each.times for each in changed if each.is_looser)
    stricter = sum(each.times for each in changed) - looser
    yield f"against the other policy: {looser} looser, {stricter} stricter"
    for each in changed[:most]:
        yield f"  {each.times:5}  {each.before.word} -> {each.after.word}  {_line(each.text)}"


def _line(text: str, limit: int = 100) -> str:
    return printable(" ".join(text.split()), limit)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "0 %"


def _wire(
    found: ReplaySummary, source: Transcripts, changed: Sequence[ReplayChange] | None
) -> dict[str, object]:
    wire: dict[str, object] = {
        "schema": "execpolicy.replay/1",
        "files": source.files,
        "unread": source.unread,
        "unknown": list(source.unknown),
        "calls": found.tally.wire(),
        "questions": {"median": found.median, "p90": found.quantile(0.9)},
        "sessions": [{"session": name, **tally.wire()} for name, tally in found.sessions],
        "agents": [{"agent": name, **tally.wire()} for name, tally in found.agents],
        "days": [{"day": name, **tally.wire()} for name, tally in found.days],
        "programs": [{"program": name, "asked": n} for name, n in found.programs],
        "reasons": [
            {"reason": r.reason, "calls": r.calls, "sessions": r.sessions, "example": r.example}
            for r in found.reasons
        ],
        "opened": [{"session": c.call.session, "text": c.call.shown} for c in found.opened],
    }
    if changed is not None:
        wire["changes"] = [
            {"before": c.before.word, "after": c.after.word, "times": c.times, "text": c.text}
            for c in changed
        ]
    return wire


def _write_rows(judge: Judge, calls: Sequence[ReplayCall], fields: Mapping[str, object]) -> None:
    if "output" not in fields:
        raise UsageError("`--format parquet` needs `--output FILE`")
    rows = [
        {
            "id": each.call.id,
            "agent": each.call.agent,
            "session": each.call.session,
            "project": each.project,
            "time": each.call.time,
            "text": each.call.shown,
            "outcome": each.call.outcome.value,
            "decision": judge.of(each).decision.word,
            "reasons": [str(reason) for reason in judge.of(each).reasons],
        }
        for each in calls
    ]
    write_parquet(rows, str(fields["output"]))


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", errors="replace") as file:
        file.write(text)
    print(f"{printable(path)}: written", file=sys.stderr)
