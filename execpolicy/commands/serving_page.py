"""What the page of a server shows: questions, history and rules, as plain values."""

import os
import tempfile
from _collections_abc import Iterator, Mapping, Sequence
from collections import Counter, defaultdict
from itertools import islice

from execpolicy.approvals.clock import now
from execpolicy.approvals.questions.widths import contains
from execpolicy.commands import replying
from execpolicy.commands.log import Filter
from execpolicy.commands.log_line import DAYS, called, days_before, latest, operations
from execpolicy.commands.outcomes import Outcomes
from execpolicy.commands.pending_page import questions as waiting
from execpolicy.commands.render.pending_text import branch_of, short
from execpolicy.engine.engine import Engine
from execpolicy.model.approval import ACCESS, CONNECT, Life, Question, Reach
from execpolicy.model.decision import Decision
from execpolicy.model.errors import ExecPolicyError, PolicyError, RequestError, printable
from execpolicy.model.operation import Request
from execpolicy.store.log_lines import Line
from execpolicy.store.sources.files import MAX_RULES_BYTES, read_rules
from execpolicy.store.store import Store
from execpolicy.store.summary import Summary
from execpolicy.support import directories

Json = dict[str, object]

MAX_LINES = 50_000
"""Lines of the log that are read, the newest."""
MAX_SHOWN = 200
MAX_ASKED = 12
MAX_TRIED = 150
"""Commands that a rule is tried with, those that asked most."""
BY = "page"
"""Who answered, in the ledger."""
_FILTERS = ("decision", "program", "agent", "session", "since", "until", "text")


# --- questions ------------------------------------------------------------------------------------


def questions() -> "list[Json]":
    """Every question that waits, the oldest first, with what an answer would open."""
    every, moment = waiting(), now().wall
    return [_question(question, every, moment) for question in every]


def _question(question: "Question", every: "Sequence[Question]", moment: float) -> "Json":
    return {
        "code": question.code,
        "agent": question.agent or "an agent",
        "command": question.request,
        "marked": list(question.marked),
        "why": list(question.asking),
        "project": question.project or question.cwd or "",
        "cwd": question.cwd or "",
        "where": home(question.cwd or question.project or ""),
        "branch": branch_of(question.project),
        "at": question.at.wall,
        "seconds": max(0, int(question.until.wall - moment)),
        "held": question.held,
        "refused": bool(question.whole),
        "session": question.remembered,
        "opens": {"once": _once(question), "session": list(_opens(question, every))},
    }


def home(path: str) -> str:
    """A path as it is shown."""
    home = os.path.expanduser("~")
    return "~" if path == home else short(path, home)


def _once(question: "Question") -> str:
    if question.whole:
        return "this very call, once, when the agent makes it again within 24 hours"
    return "this call, and nothing else"


def _opens(question: "Question", every: "Sequence[Question]") -> "Iterator[str]":
    """What would pass unasked for the rest of the session."""
    narrowest = [widths[0] for widths in question.reaches if widths]
    yield from dict.fromkeys(reach(each) for each in narrowest)
    for other in every:
        if other.id == question.id or other.session != question.session or not other.remembered:
            continue
        if all(any(contains(r, w) for r in narrowest for w in each) for each in other.reaches):
            yield f"and the question {other.code}, which waits, too"


def reach(reach: "Reach") -> str:
    """What an approval covers, in words."""
    if reach.kind == CONNECT:
        return f"connections to {reach.host} at port {reach.port} ({reach.protocol})"
    if reach.kind == ACCESS:
        return (
            f"{' and '.join(reach.modes)} {reach.path}{' and all below it' if reach.under else ''}"
        )
    if reach.prefix:
        return f"`{' '.join(reach.prefix)} …` ({', '.join(reach.effects)})"
    return "the same command, with the same words, in the same place"


def answer(code: str, life: str, feedback: str | None) -> "Json":
    """Answer a question. Raises `ExecPolicyError` where none waits, or it may not be remembered."""
    question = replying.waiting(code)
    chosen = Life.parse(life)
    if chosen is Life.SESSION and not question.remembered:
        raise ExecPolicyError(f"`{question.code}` is asked each time it comes: answer once or no")
    replied = replying.answer(question, chosen, feedback=feedback, by=BY)
    return {"code": question.code, "answer": life, "settled": len(replied.settled)}


# --- history --------------------------------------------------------------------------------------


def log(wanted: "Mapping[str, str]") -> "Json":
    """The newest decisions that filters take, the newest first."""
    unknown = [name for name in wanted if name not in _FILTERS]
    if unknown:
        raise ExecPolicyError(f"no such filter: use {', '.join(_FILTERS)}")
    fields: dict[str, object] = {
        k: v for k, v in wanted.items() if v and k not in ("decision", "text")
    }
    decisions = tuple(wanted["decision"].split(",")) if wanted.get("decision") else ()
    takes = Filter(decisions, **fields).takes  # type: ignore[arg-type]
    text = wanted.get("text", "").lower()
    every = [
        line
        for line in latest("", MAX_LINES)
        if "decision" in line and takes(line) and (not text or text in called(line).lower())
    ]
    outcomes = Outcomes.load()
    shown = ({**each, "call": called(each), "outcome": str(outcomes.of(each))} for each in every)
    return {"lines": [*islice(shown, MAX_SHOWN)], "all": len(every)}


def lately() -> "list[Line]":
    """The lines of the last days, the oldest first."""
    return latest(days_before(now().wall), MAX_LINES)[::-1]


def _asks(line: "Line") -> bool:
    return line.get("decision") == "prompt" and bool(line.get("command"))


def asked_most() -> "Json":
    """What asked most in the last days: commands, effects, and decisions by day."""
    recent = lately()
    asked = Counter(str(line["command"]) for line in recent if _asks(line))
    effects: Counter[str] = Counter()
    days: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for line in recent:
        days[str(line.get("time", ""))[:10]][str(line.get("decision"))] += 1
        if _asks(line):
            effects.update({e for o in operations(line) for e in _asking_effects(o)})
    most = [{"command": c, "times": n} for c, n in asked.most_common(MAX_ASKED)]
    every = [{"day": day, **counts} for day, counts in sorted(days.items())]
    return {"days": DAYS, "commands": most, "effects": effects.most_common(), "by_day": every}


def _asking_effects(operation: "Line") -> "list[str]":
    found = operation.get("effects")
    asks = operation.get("decision") != "allow"
    return [str(e) for e in found] if asks and isinstance(found, list) else []


# --- policy ---------------------------------------------------------------------------------------


def policy(cwd: str) -> "Json":
    """The rules in force for a directory by layers, and how often each line decided lately."""
    store = Store(cwd=cwd)
    current = store.current
    counts = Counter(str(rule) for line in lately() for o in operations(line) for rule in _rules(o))
    files = [
        _file(summary, counts)
        for summary in current.files
        if summary.layer != "builtin" or any(k.startswith(f"{summary.path}:") for k in counts)
    ]
    shipped = [s for s in current.files if s.layer == "builtin"]
    return {
        "digest": current.digest,
        "floor": current.floor,
        "layers": list(current.layers),
        "shipped": {
            "files": len(shipped),
            "rules": sum(s.rules for s in shipped),
            "programs": sum(s.programs for s in shipped),
        },
        "files": files,
        "problems": [d.render() for d in store.problems],
        "days": DAYS,
    }


def _rules(operation: "Line") -> "list[object]":
    found = operation.get("rules")
    return found if isinstance(found, list) else []


def _file(summary: "Summary", counts: "Counter[str]") -> "Json":
    """A file with its lines, where it is the user's own, and which of them decided how often."""
    own = {
        int(key.rpartition(":")[2]): times
        for key, times in counts.items()
        if key.rpartition(":")[0] == summary.path and key.rpartition(":")[2].isdigit()
    }
    text = ""
    if summary.layer != "builtin":
        data = read_rules(summary.layer, summary.path, MAX_RULES_BYTES).data
        text = data.decode("utf-8", "replace")
    lines = [printable(line, 400) for line in text.splitlines()]
    return {
        "layer": summary.layer,
        "path": summary.path,
        "where": home(summary.path),
        "rules": summary.rules,
        "programs": summary.programs,
        "trusted": summary.trusted,
        "lines": lines,
        "decided": own,
    }


def try_rule(text: str) -> "Json":
    """What a rule would have settled of what asked lately. Nothing of it is written.

    Raises `ExecPolicyError` for one that is not valid.
    """
    asked: Counter[tuple[str, str]] = Counter(
        (str(line["command"]), str(line.get("cwd", "/"))) for line in lately() if _asks(line)
    )
    directories_ = os.path.join(directories.config(), "rules")
    own = sorted(e.path for e in _entries(directories_) if e.name.endswith(".rules"))
    with tempfile.TemporaryDirectory() as made:
        path = os.path.join(made, "tried.rules")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{text}\n")
        try:
            after = Engine.load([*own, path])
        except PolicyError as error:
            lines = [d.message for d in error.diagnostics]
            raise ExecPolicyError("; ".join(lines)) from None
        before = Engine.load(own)
        rows = [*_tried(before, after, asked.most_common(MAX_TRIED))]
    return {
        "asked": sum(asked.values()),
        "settled": sum(row["times"] for row in rows if row["after"] != "prompt"),  # type: ignore[misc]
        "rows": rows,
    }


def _entries(path: str) -> "list[os.DirEntry[str]]":
    try:
        with os.scandir(path) as found:
            return [*found]
    except OSError:
        return []


def _tried(
    before: Engine, after: Engine, asked: "Sequence[tuple[tuple[str, str], int]]"
) -> "Iterator[Json]":
    """The commands that are decided otherwise with a rule than without it."""
    for (command, cwd), times in asked:
        request = Request(text=command, cwd=cwd)
        try:
            was, would = (engine.decide(request).decision for engine in (before, after))
        except RequestError:
            continue
        if was is Decision.PROMPT and would is not was:
            yield {"command": command, "times": times, "after": would.word}
