"""`# execpolicy: ignore[CODE, …]` keeps findings of these codes on its line from being told.

A comment with nothing else on its line applies to the next line that has code.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from execpolicy.language.syntax.tree import Comment
from execpolicy.lint.finding import Edit, Finding
from execpolicy.lint.registry import CHECKS
from execpolicy.lint.subject import Subject
from execpolicy.model.errors import Span

_IGNORE = re.compile(r"#\s*execpolicy:\s*ignore\[([^\]]*)\]")
_ALWAYS = frozenset(("ignore-unknown", "ignore-unused"))


def apply(subject: Subject, found: Sequence[Finding]) -> Iterator[Finding]:
    """The findings that no comment ignores, and those about the comments themselves."""
    comments = subject.module.comments() if subject.module and "ignore[" in subject.text else ()
    marks = [(c, m) for c in comments if (m := _IGNORE.search(c.text))]
    used: set[tuple[int, str]] = set()
    ignored: dict[tuple[int, str], tuple[int, str]] = {}
    for comment, match in marks:
        line = _line(subject, comment)
        for code in _codes(match):
            ignored[line, code] = comment.line, code
    for finding in found:
        key = ignored.get((finding.span.line, finding.code))
        if key and finding.diagnostic.severity != "error":
            used.add(key)
        else:
            yield finding
    for comment, match in marks:
        yield from _judge(subject, comment, match, used)


def _codes(match: re.Match[str]) -> list[str]:
    return [code for code in (c.strip() for c in match[1].split(",")) if code]


def _line(subject: Subject, comment: Comment) -> int:
    """The line that a comment is about."""
    if comment.trailing:
        return comment.line
    for number in range(comment.line + 1, len(subject.lines) + 1):
        text = subject.lines[number - 1].strip()
        if text and not text.startswith("#"):
            return number
    return comment.line


def _judge(
    subject: Subject, comment: Comment, match: re.Match[str], used: set[tuple[int, str]]
) -> Iterator[Finding]:
    codes = _codes(match)
    start = comment.column + match.start()
    span = Span(subject.file, comment.line, start, start + len(match[0]))
    useless = []
    for code in codes:
        if code not in CHECKS or code in _ALWAYS:
            close = get_close_matches(code, CHECKS, 1)
            hint = f"did you mean `{close[0]}`?" if close else "`docs/lint` lists all codes"
            message = f"there is no finding `{code}` to ignore"
            yield subject.finding("ignore-unknown", message, span, hint)
        elif (comment.line, code) not in used:
            useless.append(code)
    if useless:
        edits = _removed(subject, comment, match) if len(useless) == len(codes) else ()
        message = f"nothing here is found as {', '.join(f'`{c}`' for c in useless)}"
        yield subject.finding("ignore-unused", message, span, "take it out", edits=edits)


def _removed(subject: Subject, comment: Comment, match: re.Match[str]) -> tuple[Edit, ...]:
    """Takes a comment out that says nothing else, with its line if it has that to itself."""
    if match[0] != comment.text.rstrip():
        return ()
    start = subject.offset(comment.line, comment.column)
    end = start + len(comment.text)
    if comment.trailing:
        start = len(subject.text[:start].rstrip(" "))
        return (Edit(start, end, ""),)
    return (Edit(subject.offset(comment.line, 1), min(end + 1, len(subject.text)), ""),)
