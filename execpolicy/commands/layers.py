"""`execpolicy layers`: every layer, its files, and what is wrong with them."""

import json
import os
import sys
from collections.abc import Sequence

from execpolicy.commands.arguments import DIRECTORY, OptionSyntax, Syntax, counted, existing, parse
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.model.errors import Diagnostic
from execpolicy.store.sources.layers import Found
from execpolicy.store.store import Store
from execpolicy.store.summary import Summary

SYNTAX = Syntax(
    "layers", (OptionSyntax(("--json",), "json"), OptionSyntax(("--cwd",), "cwd", DIRECTORY))
)


def main(arguments: Sequence[str]) -> ExitCode:
    """Print the layers. ERROR if a file could not be loaded."""
    parsed = parse(SYNTAX, arguments)
    cwd = parsed.fields.get("cwd")
    store = Store(cwd=os.path.abspath(existing(str(cwd))) if cwd else None)
    found = store.found()
    show = _json if "json" in parsed.fields else _text
    sys.stdout.write(show(store, found))
    return ExitCode.ERROR if store.current.floor else ExitCode.ALLOW


def _text(store: Store, found: Found) -> str:
    lines = []
    shipped = [f for f in store.current.files if f.layer == "builtin"]
    if shipped:
        directory = os.path.dirname(shipped[0].path)
        rules, programs = sum(f.rules for f in shipped), sum(f.programs for f in shipped)
        lines.append(f"builtin  {directory}")
        lines.append(f"  {counted(len(shipped), 'file')}: {_holds(rules, programs)}")
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


def _file(file: Summary) -> str:
    trust = "" if file.trusted else ", may only tighten"
    link = f" -> {file.real}" if file.real else ""
    name = os.path.basename(file.path)
    return f"  {name}{link}: {_holds(file.rules, file.programs)}{trust}"


def _holds(rules: int, programs: int) -> str:
    return f"{counted(rules, 'rule')}, {counted(programs, 'catalogue entry')}"


def _problems(store: Store) -> tuple[Diagnostic, ...]:
    return (*store.current.diagnostics, *store.settings.problems)


def _json(store: Store, found: Found) -> str:
    reply = {
        "digest": store.current.digest,
        "directories": [{"layer": d.layer, "path": d.path} for d in found.directories],
        "files": [_file_fields(file) for file in store.current.files],
        "skipped": [{"path": s.path, "why": s.why} for s in found.skipped],
        "problems": [problem.fields() for problem in _problems(store)],
        "floor": store.current.floor,
    }
    return json.dumps(reply, indent=2) + "\n"


def _file_fields(file: Summary) -> dict[str, object]:
    return {
        "layer": file.layer,
        "path": file.path,
        "target": file.real or None,
        "rules": file.rules,
        "programs": file.programs,
        "may_loosen": file.trusted,
    }
