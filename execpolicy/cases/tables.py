"""Tables of cases in CSV (RFC 4180) and JSON Lines: one case a row."""

import csv
import io
import json

from execpolicy.cases.case import Case
from execpolicy.model.decision import Decision
from execpolicy.model.errors import ExecPolicyError, Span

COLUMNS = ("command", "argv", "decision", "because", "cwd", "shell")


class TableError(ExecPolicyError):
    """A row that is not a case. The message names file and line."""


def read(path: str) -> list[Case]:
    """The cases of a table. Raises `TableError` for an invalid row, `OSError` for no file."""
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    rows = _jsonl(text, path) if path.endswith(".jsonl") else _csv(text, path)
    return [_case(row, path, line, number) for number, (line, row) in enumerate(rows)]


def _csv(text: str, path: str) -> "list[tuple[int, dict[str, object]]]":
    reader = csv.DictReader(io.StringIO(text))
    unknown = set(reader.fieldnames or ()) - set(COLUMNS)
    if unknown or not {"command", "decision"} <= set(reader.fieldnames or ()):
        raise TableError(f"{path}:1: the first row must name the columns `command` and `decision`")
    rows = []
    for row in reader:
        if None in row:
            raise TableError(f"{path}:{reader.line_num}: the row has too many columns")
        rows.append((reader.line_num, {k: v for k, v in row.items() if v not in (None, "")}))
    return rows


def _jsonl(text: str, path: str) -> "list[tuple[int, dict[str, object]]]":
    rows = []
    for line, content in enumerate(text.split("\n"), 1):
        if not content.strip():
            continue
        try:
            row = json.loads(content)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise TableError(f"{path}:{line}: the line is no JSON object")
        rows.append((line, row))
    return rows


def _case(row: "dict[str, object]", path: str, line: int, number: int) -> Case:
    for name in row:
        if name not in COLUMNS:
            raise TableError(f"{path}:{line}: unknown column `{name}`: use {', '.join(COLUMNS)}")
    command = _command(row)
    if not command:
        raise TableError(f"{path}:{line}: a case needs a `command`")
    texts = {name: _text(row, name, f"{path}:{line}") for name in COLUMNS[2:]}
    try:
        decision = Decision.parse(texts["decision"] or "")
    except ValueError as error:
        raise TableError(f"{path}:{line}: {error}: write allow, prompt or forbidden") from None
    because, cwd, shell = texts["because"], texts["cwd"], texts["shell"]
    return Case(command, decision, Span(path, line), because, cwd, shell, number)


def _command(row: "dict[str, object]") -> str | tuple[str, ...]:
    """The text of a script or the words of a command; empty where there are none."""
    given = row.get("argv")
    if given is None:
        given = row.get("command")
        if isinstance(given, str):
            return given
    words = given if isinstance(given, list) else []
    return tuple(words) if all(isinstance(word, str) for word in words) else ()


def _text(row: "dict[str, object]", name: str, place: str) -> str | None:
    value = row.get(name)
    if value is None or isinstance(value, str):
        return value
    raise TableError(f"{place}: `{name}` must be a text")


def rewritten(text: str, path: str, decisions: "dict[int, Decision]") -> str:
    """The table with other decisions in some of its rows."""
    if path.endswith(".jsonl"):
        return _rewritten_jsonl(text, decisions)
    reader = csv.DictReader(io.StringIO(text))
    end = "\r\n" if "\r\n" in text else "\n"
    out = io.StringIO()
    writer = csv.DictWriter(out, list(reader.fieldnames or ()), lineterminator=end)
    writer.writeheader()
    for number, row in enumerate(reader):
        new = decisions.get(number)
        writer.writerow(row if new is None else row | {"decision": new.word})
    return out.getvalue()


def _rewritten_jsonl(text: str, decisions: "dict[int, Decision]") -> str:
    lines, number = [], -1
    for line in text.split("\n"):
        number += bool(line.strip())
        new = decisions.get(number) if line.strip() else None
        if new is not None:
            line = json.dumps(json.loads(line) | {"decision": new.word}, ensure_ascii=False)
        lines.append(line)
    return "\n".join(lines)
