"""Rewrites the expectations of cases to what the engine decides."""

import os
from collections.abc import Sequence

from execpolicy.cases import tables
from execpolicy.cases.run import Result
from execpolicy.language.syntax.calls import calls
from execpolicy.model.errors import Span
from execpolicy.store.sources.files import replace


def update(results: Sequence[Result]) -> tuple[Result, ...]:
    """Write the decisions of failed cases where they are expected; those that could not be
    written, because the case is not written out or its reason is another, are given back."""
    wrong = [r for r in results if r.verdict.decision is not r.case.decision]
    left = [r for r in results if r.failure and r not in wrong]
    files: dict[str, list[Result]] = {}
    for result in wrong:
        files.setdefault(result.case.span.file, []).append(result)
    for path, mine in files.items():
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        if mine[0].case.row is not None:
            rows = {r.case.row: r.verdict.decision for r in mine if r.case.row is not None}
            after = tables.rewritten(text, path, rows)
        else:
            after, not_written = _in_calls(text, mine)
            left += not_written
        replace(os.path.realpath(path), after.encode(), os.stat(path).st_mode & 0o7777)
    return tuple(left)


def _in_calls(text: str, results: Sequence[Result]) -> tuple[str, list[Result]]:
    """The text with the decisions of calls that are written out, and the results of others."""
    places: dict[int, list[Span]] = {}
    for call in calls(text):
        argument = call.argument("decision", 1)
        if call.name == "case" and argument and argument.literal and len(argument.strings) == 1:
            places.setdefault(call.span.line, []).append(argument.span)
    lines, left = text.split("\n"), []
    for result in reversed(results):
        spans = places.get(result.case.span.line, [])
        same = [r for r in results if r.case.span.line == result.case.span.line]
        if len(spans) != 1 or len(same) != 1:
            left.append(result)
            continue
        line = lines[spans[0].line - 1]
        new = f'"{result.verdict.decision.word}"'
        head, tail = line[: spans[0].column - 1], line[spans[0].end_column - 1 :]
        named = "decision = " if line[spans[0].column - 1 :].startswith("decision") else ""
        lines[spans[0].line - 1] = head + named + new + tail
    return "\n".join(lines), left
