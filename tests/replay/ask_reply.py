"""Rows about opencode's ask and reply: scripts with the state after each step."""

from collections.abc import Iterable, Iterator
from typing import Any

from execpolicy.approvals.opencode import Reply, Request, Result, Service
from tests.replay.opencode_rules import as_row, rules

Row = dict[str, Any]


def problems(rows: "Iterable[Row]") -> "Iterator[tuple[str, str | None]]":
    """Each row's name, and what is wrong with its answer."""
    return ((str(row.get("id", "?")), mistake(row)) for row in rows)


def mistake(row: Row) -> str | None:
    """The first step whose result, or the state after it, is another one."""
    configured = {session: rules(given) for session, given in row["configured"].items()}
    service = Service(int(row["generation"][1:]), configured)
    for number, step in enumerate(row["steps"]):
        got = _state(_do(service, step), service)
        if got != step["expect"]:
            return f"step {number}: {got} is not {step['expect']}"
    return None


def _do(service: Service, step: Row) -> Result:
    if step["do"] == "ask":
        return service.ask(
            Request(
                step["id"],
                step["session"],
                step["permission"],
                tuple(step["patterns"]),
                tuple(step["always"]),
                rules(step["ruleset"]) if "ruleset" in step else None,
            )
        )
    if step["do"] == "reply":
        return service.reply(Reply(step["id"], step["reply"], step.get("message")))
    if step["do"] == "forget":
        return service.forget(step["permission"], step["pattern"])
    return service.restart()


def _state(result: Result, service: Service) -> Row:
    got: Row = {
        "result": result.word,
        "pending": list(service.pending),
        "approved": list(map(as_row, service.approved)),
    }
    events: list[Row] = [{"asked": result.asked}] if result.asked else []
    events += [{"replied": name, "reply": answer} for name, answer in result.replied]
    if events:
        got["events"] = events
    if result.resolved:
        got["resolved"] = [
            {"id": o.request, "outcome": o.word, **({"feedback": o.feedback} if o.feedback else {})}
            for o in result.resolved
        ]
    if result.rules:
        got["rules"] = list(map(as_row, result.rules))
    return got
