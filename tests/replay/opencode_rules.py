"""Rows about opencode's rules: evaluation, configuration, hidden tools, prefixes of "always"."""

from collections.abc import Iterable, Iterator
from typing import Any

from execpolicy.approvals import opencode
from execpolicy.approvals.opencode import Rule

Row = dict[str, Any]


def rules(rows: list[Row]) -> tuple[Rule, ...]:
    """Rules as rows have them."""
    return tuple(Rule(row["permission"], row["pattern"], row["action"]) for row in rows)


def as_row(rule: Rule) -> Row:
    """A rule as rows have it."""
    return {"permission": rule.permission, "pattern": rule.pattern, "action": rule.action}


def _evaluate(row: Row) -> Row:
    found = opencode.evaluate(row["permission"], row["pattern"], *map(rules, row["rulesets"]))
    return {"action": found.action, "rule": as_row(found)}


def _config(row: Row) -> Row:
    pairs = [
        (name, said if isinstance(said, str) else [(p, a) for p, a in said])
        for name, said in row["config"]
    ]
    return {"rules": list(map(as_row, opencode.from_config(pairs, row["home"])))}


def _always(row: Row) -> Row:
    words = row["words"]
    return {"prefix": list(opencode.prefix(words)), "pattern": opencode.pattern(words)}


def _disabled(row: Row) -> Row:
    return {"disabled": list(opencode.disabled(row["tools"], rules(row["ruleset"])))}


ANSWERS = {
    "evaluate": _evaluate,
    "from_config": _config,
    "always": _always,
    "disabled": _disabled,
}


def problems(rows: "Iterable[Row]") -> "Iterator[tuple[str, str | None]]":
    """Each row's name, and what is wrong with its answer."""
    return ((str(row.get("id", "?")), mistake(row)) for row in rows)


def mistake(row: Row) -> str | None:
    """What is wrong with the answer to a row."""
    got = ANSWERS[row["kind"]](row)
    want = {key: row[key] for key in got}
    return None if got == want else f"{row['kind']}: {got} is not {want}"
