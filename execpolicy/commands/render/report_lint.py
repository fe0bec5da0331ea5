"""Findings as text, JSON, SARIF 2.1.0 (OASIS) and annotations of GitHub's workflow commands."""

import json
import os
from collections.abc import Sequence

from execpolicy.lint.finding import Finding
from execpolicy.lint.registry import CHECKS
from execpolicy.model.errors import Span, printable
from execpolicy.support.version import PACKAGE

SCHEMA = "execpolicy.lint/1"


def text(findings: Sequence[Finding]) -> str:
    """Each finding with its source line and a caret, and how many there are."""
    lines = []
    for finding in findings:
        lines.append(finding.diagnostic.render())
        if finding.other is not None:
            lines.append(f"  see: {printable(str(finding.other))}")
    return "\n".join([*lines, _summary(findings), ""])


def _summary(findings: Sequence[Finding]) -> str:
    if not findings:
        return "no findings"
    kinds = [f.diagnostic.severity for f in findings]
    counts = [
        f"{kinds.count(k)} {k}{'s' * (kinds.count(k) > 1)}" for k in _SEVERITIES if k in kinds
    ]
    fixable = sum(bool(f.edits) for f in findings)
    return ", ".join(counts) + (f" ({fixable} fixable with --fix)" if fixable else "")


_SEVERITIES = ("error", "warning", "note")
"""As SARIF calls its levels, too."""


def as_json(findings: Sequence[Finding]) -> str:
    """One object with all findings."""
    listed = [
        {
            **f.diagnostic.fields(),
            "end_column": f.span.end_column,
            "other": (None if f.other is None else {"file": f.other.file, "line": f.other.line}),
            "fixable": bool(f.edits),
        }
        for f in findings
    ]
    return json.dumps({"schema": SCHEMA, "findings": listed}, indent=2) + "\n"


def sarif(findings: Sequence[Finding]) -> str:
    """A SARIF log with one run, its rules being the codes that were found."""
    codes = sorted({f.code for f in findings})
    rules = [
        {"id": code, "shortDescription": {"text": CHECKS[code].finds if code in CHECKS else code}}
        for code in codes
    ]
    driver = {"name": "execpolicy", "version": PACKAGE, "rules": rules}
    results = [_result(f, codes.index(f.code)) for f in findings]
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {"tool": {"driver": driver}, "results": results, "columnKind": "unicodeCodePoints"}
        ],
    }
    return json.dumps(log, indent=2) + "\n"


def _result(finding: Finding, rule: int) -> dict[str, object]:
    message = finding.diagnostic.message
    if finding.diagnostic.hint:
        message += f" ({finding.diagnostic.hint})"
    result: dict[str, object] = {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": finding.diagnostic.severity,
        "message": {"text": message},
        "locations": [_location(finding.span)],
    }
    if finding.other is not None:
        result["relatedLocations"] = [_location(finding.other)]
    return result


def _location(span: Span) -> dict[str, object]:
    place: dict[str, object] = {"artifactLocation": {"uri": _uri(span.file)}}
    if span.line:  # without one it is the whole file
        columns = {"startColumn": span.column, "endColumn": span.end_column}
        place["region"] = {"startLine": span.line, **(columns if span.column else {})}
    return {"physicalLocation": place}


def _uri(path: str) -> str:
    from urllib.parse import quote

    here = os.getcwd() + "/"
    relative = path.removeprefix(here)
    return ("file://" if relative.startswith("/") else "") + quote(relative)


def github(findings: Sequence[Finding]) -> str:
    """A workflow command a line, which GitHub shows at the line of a change."""
    return "".join(map(_annotation, findings))


def _annotation(finding: Finding) -> str:
    level = {"note": "notice"}.get(finding.diagnostic.severity, finding.diagnostic.severity)
    path = finding.span.file.removeprefix(os.getcwd() + "/")
    places = {"file": path, "line": finding.span.line, "col": finding.span.column}
    given = {n: v for n, v in places.items() if v} | {"title": finding.code}
    shown = ",".join(f"{name}={_property(str(value))}" for name, value in given.items())
    message = finding.diagnostic.message
    if finding.diagnostic.hint:
        message += f": {finding.diagnostic.hint}"
    return f"::{level} {shown}::{_data(message)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


FORMATS = {"text": text, "json": as_json, "sarif": sarif, "github": github}
