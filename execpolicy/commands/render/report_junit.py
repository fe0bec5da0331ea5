"""Results of cases as a JUnit report. What writes XML costs more than a run of cases to import."""

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from execpolicy.cases.run import Result
from execpolicy.model.errors import printable


def junit(results: Sequence[tuple[str, Sequence[Result]]]) -> str:
    """The results as the XML that CI servers read: a suite a file, a test a case."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>"]
    for file, found in results:
        failed = sum(r.failure is not None for r in found)
        name = _attribute(file)
        lines.append(f'  <testsuite name={name} tests="{len(found)}" failures="{failed}">')
        lines += [_testcase(r, name) for r in found]
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])


def _testcase(result: Result, file: str) -> str:
    name, line = _attribute(result.case.shown), result.case.span.line
    start = f'    <testcase name={name} classname={file} file={file} line="{line}"'
    if result.failure is None:
        return start + "/>"
    message = _attribute(result.failure)
    body = escape(printable(result.verdict.reason))
    return f"{start}>\n      <failure message={message}>{body}</failure>\n    </testcase>"


def _attribute(text: str) -> str:
    return quoteattr(printable(text))
