"""`execpolicy layers`: every layer, its files, and what is wrong with them."""

import json
import os
import sys

from execpolicy.errors import Diagnostic, UsageError
from execpolicy.exit import ExitCode
from execpolicy.store.layers import Found
from execpolicy.store.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from execpolicy.store.parts import Summary

HELP = """\
usage: execpolicy layers [--json] [--cwd DIR]

Show where rules come from, lowest layer first: every file, the number of its rules and catalogue
entries, whether it may loosen, what was skipped, and every problem.

example: execpolicy layers --cwd ~/src/app
"""


def main(arguments: "Sequence[str]") -> ExitCode:
    """Print the layers. ERROR if a file could not be loaded."""
    cwd, as_json = None, False
    rest = iter(arguments)
    for argument in rest:
        if argument in ("-h", "--help"):
            print(HELP, end="")
            return ExitCode.ALLOW
        if argument == "--json":
            as_json = True
        elif argument == "--cwd":
            cwd = next(rest, None)
        else:
            raise UsageError(f"unknown argument `{argument}` (`execpolicy layers --help`)")
    store = Store(cwd=os.path.abspath(cwd) if cwd else None)
    found = store.found()
    sys.stdout.write(_json(store, found) if as_json else _text(store, found))
    return ExitCode.ERROR if store.current.floor else ExitCode.ALLOW


def _text(store: Store, found: Found) -> str:
    lines = []
    shipped = [f for f in store.current.files if f.layer == "builtin"]
    if shipped:
        directory = os.path.dirname(shipped[0].path)
        rules, programs = sum(f.rules for f in shipped), sum(f.programs for f in shipped)
        lines.append(f"builtin  {directory}")
        lines.append(f"  {len(shipped)} files: {rules} rules, {programs} catalogue entries")
    for place in found.directories:
        files = [f for f in store.current.files if os.path.dirname(f.path) == place.path]
        lines.append(f"{place.layer:8} {place.path}{_state(place.path, store)}")
        lines.extend(_file(f) for f in files)
    lines.extend(f"skipped  {s.path}: {s.why}" for s in found.skipped)
    lines.extend(d.render() for d in _problems(store))
    return "\n".join(lines) + "\n"


def _state(path: str, store: Store) -> str:
    """What is to be said of a directory of rules that was not simply read."""
    if any(d.code == "read" and d.span.file == path for d in store.current.diagnostics):
        return "  (cannot be read)"
    return "" if os.path.isdir(path) else "  (not there)"


def _file(file: "Summary") -> str:
    trust = "" if file.binding else ", may only tighten"
    link = f" -> {file.real}" if file.real else ""
    name = os.path.basename(file.path)
    return f"  {name}{link}: {file.rules} rules, {file.programs} catalogue entries{trust}"


def _problems(store: Store) -> tuple[Diagnostic, ...]:
    return (*store.current.diagnostics, *store.settings.problems)


def _json(store: Store, found: Found) -> str:
    files: list[dict[str, Any]] = [
        {
            "layer": f.layer,
            "path": f.path,
            "target": f.real or None,
            "rules": f.rules,
            "programs": f.programs,
            "may_loosen": f.binding,
        }
        for f in store.current.files
    ]
    problems = [
        {"code": d.code, "severity": d.severity, "message": d.message, "hint": d.hint}
        | {"file": d.span.file, "line": d.span.line, "column": d.span.column}
        for d in _problems(store)
    ]
    reply = {
        "digest": store.current.digest,
        "directories": [{"layer": d.layer, "path": d.path} for d in found.directories],
        "files": files,
        "skipped": [{"path": s.path, "why": s.why} for s in found.skipped],
        "problems": problems,
        "floor": store.current.floor,
    }
    return json.dumps(reply, indent=2) + "\n"
