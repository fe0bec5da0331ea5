"""A question that waits, as a few lines: who asks, what, why, and whether the sandbox holds it."""

import os
import re
from _collections_abc import Iterator

from execpolicy.model.approval import Moment, Question
from execpolicy.model.errors import printable

MAX_LINES = 6
"""Lines of a command that are shown."""
_UNITS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def lines(question: "Question", now: "Moment", width: int, home: str | None) -> "Iterator[str]":
    """The lines of a question, none broken inside a word unless the word alone is too long."""
    where = short(question.project or question.cwd or "", home)
    branch = branch_of(question.project)
    head = (question.code, age(now.wall - question.at.wall), question.agent or "an agent")
    at = f"in {where}" if where else ""
    yield from wrapped(
        "  ".join((*head, at, f"({branch})" if branch else "")).rstrip(), width, "  "
    )
    yield from _command(question, width)
    for sentence in question.asking:
        yield from wrapped(f"  asks: {short(sentence, home)}", width, "    ")
    for parent in question.parents:
        yield from wrapped(f"  for the session {printable(_id(parent), 100)}", width, "    ")
    held = "the sandbox would hold it" if question.held else "the sandbox would not hold it"
    yield from wrapped(f"  {held}", width, "    ")


def _id(session: str) -> str:
    """The host's own id in the name of a session."""
    from execpolicy.store.ledger.codec import unpack

    return (*unpack(session), "", "")[1] or "above"


def _command(question: "Question", width: int) -> "Iterator[str]":
    """The command, with a line of `^` below what of it asks."""
    shown = question.request.splitlines() or [""]
    for line in shown[:MAX_LINES]:
        asks = _asking(line, question.marked)
        for start, end in _pieces(line, width - 4):
            yield f"    {line[start:end].rstrip()}"
            marks = asks[start:end].rstrip()
            if marks:
                yield f"    {marks}"
    if len(shown) > MAX_LINES:
        yield f"    … {len(shown) - MAX_LINES} lines more"


def _pieces(line: str, width: int) -> "Iterator[tuple[int, int]]":
    """Where a line is broken: after a space, or inside a word that alone is too long."""
    start = 0
    while len(line) - start > width:
        space = line.rfind(" ", start, start + width + 1)
        end = space + 1 if space >= start else start + width
        yield start, end
        start = end
    yield start, len(line)


def _asking(line: str, marked: tuple[str, ...]) -> str:
    """A line with `^` where one of the marked parts stands, or a line of one of them."""
    signs = [" "] * len(line)
    for part in (each for text in marked for each in text.splitlines() if each.strip()):
        at = _place(line, part)
        if at >= 0:
            signs[at : at + len(part)] = "^" * len(part)
    return "".join(signs)


def _place(line: str, part: str) -> int:
    """Where a part of a command stands: as words of its own, where it does so at all.

    >>> _place("curl x/a.sh | sh", "sh"), _place("(git push)", "git push"), _place("ls", "x")
    (14, 1, -1)
    """
    found = re.search(rf"(?<![\w./-]){re.escape(part)}(?![\w./-])", line)
    return found.start() if found else line.find(part)


def age(seconds: float) -> str:
    """A length of time in its largest unit.

    >>> age(59), age(150), age(7200), age(-3)
    ('59 s', '2 min', '2 h', '0 s')
    """
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return "0 s"


def short(text: str, home: str | None) -> str:
    """The text with the home written as `~` where a path below it begins.

    >>> short("in /home/u/w, /home/user", "/home/u")
    'in ~/w, /home/user'
    """
    return text.replace(f"{home}/", "~/") if home and home != "/" else text


def wrapped(text: str, width: int, indent: str) -> "list[str]":
    """The text in lines of this width, broken between words; later lines begin with `indent`."""
    from textwrap import wrap

    kept = len(text) - len(text.lstrip())
    return wrap(
        text.strip(), width, initial_indent=" " * kept, subsequent_indent=indent,
        break_on_hyphens=False,
    )  # fmt: skip


def branch_of(project: str | None) -> str:
    """The branch that a project's repository is on; empty where it is on none, or is none."""
    from execpolicy.places.disk import Disk
    from execpolicy.support.disk.repository import find

    found = find(project, Disk()) if project else None
    if found is None:
        return ""
    try:
        with open(os.path.join(found.git, "HEAD"), encoding="utf-8", errors="replace") as file:
            head = file.readline(500).strip()
    except OSError:
        return ""
    return printable(head.removeprefix("ref: refs/heads/"), 60) if head[:5] == "ref: " else ""
