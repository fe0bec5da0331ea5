"""Results of cases as text for people and as a JUnit report."""

from xml.sax.saxutils import escape, quoteattr

from execpolicy.cases.coverage import Coverage
from execpolicy.cases.run import Result
from execpolicy.commands.explain_steps import explained
from execpolicy.commands.explain_text import render
from execpolicy.errors import printable
from execpolicy.store.snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH = 80


def failure(result: Result, snapshot: Snapshot) -> str:
    """A failed case with the way to its verdict."""
    case = result.case
    found = explained(result.request, snapshot, result.verdict)
    way = render(result.request, result.verdict, found, snapshot, WIDTH)
    indented = "".join(f"    {line}".rstrip() + "\n" for line in way.splitlines())
    return f"{case.span}: failed: {printable(case.shown, 120)}\n  {result.failure}\n{indented}"


def change(result: Result) -> str:
    """What `--update` does to a case."""
    old, new = result.case.decision.word, result.verdict.decision.word
    return f"{result.case.span}: {printable(result.case.shown, 100)}\n  - {old}\n  + {new}\n"


def coverage(found: Coverage) -> str:
    """How many parts of the rules are reached, and each that is not."""
    missed = [
        f"{origin}: no case reaches {printable(what, 160)}\n" for origin, what in found.missed
    ]
    reached, every = len(found.parts) - len(found.missed), len(found.parts)
    percent = 100 * reached // every if every else 100
    return "".join(missed) + f"coverage: {reached} of {every} parts of the rules, {percent} %\n"


def junit(results: "Sequence[tuple[str, Sequence[Result]]]") -> str:
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
