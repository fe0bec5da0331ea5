"""What a command does by a catalogue, as far as any rule or posture can tell."""

from execpolicy.catalogue import Catalogue, read
from execpolicy.catalogue.reading.cause import PROGRAM, Cause
from execpolicy.model.operation import Access, Connect, Dynamic, Word
from execpolicy.support.record import Value

Fact = tuple[object, ...]
"""A cause: its effect, subject, and what has it, before all else that makes a difference."""


class Summary(Value):
    """The causes of a command, what it starts, and its last word where one is computed."""

    causes: frozenset[Fact]
    inner: frozenset[object]
    computed: Word | bool


def summary(words: tuple[Word, ...], catalogue: Catalogue) -> Summary:
    """What a command does."""
    reading = read(words, catalogue)
    causes = frozenset(map(_fact, reading.effects))
    inner = frozenset((inner.argv, inner.script, inner.cwd) for inner in reading.inner)
    dynamic = any(isinstance(word, Dynamic) for word in words)
    return Summary(causes, inner, dynamic and words[-1])


def _fact(cause: Cause) -> Fact:
    subject: object = cause.subject
    if isinstance(subject, Access | Connect):
        subject = subject.replace(via=(), span=None)
    depends = cause.if_missing, cause.where, cause.hooks, cause.missing
    flags = cause.secret, cause.known, *depends
    return cause.effect, subject, cause.by, flags


_ALWAYS: Fact = (False, False, False, (), None, "")


class Differences:
    """Which of many commands need a look, each read by two catalogues, about which no rule is.

    A verdict is the strictest of its causes. So nothing is looser where none is gone, and what
    does not show beside some other causes does not show beside more. Of the effects
    `asking` the new side asks; no posture forbids, so the old one does no more but for a subject.
    """

    def __init__(self, asking: frozenset[str]) -> None:
        self._asking = asking
        self._known: dict[object, list[frozenset[Fact]]] = {}

    def tells(self, old: Summary, new: Summary) -> bool:
        """Whether the command may be looser where those before it are not."""
        before, after = _counted(old.causes), _counted(new.causes)
        gone, added = before - after, after - before
        if old.inner <= new.inner and (not gone or self._asks(gone, after)):
            return False
        around = old.inner, new.inner, old.computed, _changes(before), _changes(after)
        known = self._known.setdefault((gone, added, around), [])
        both = before & after
        if any(each <= both for each in known):
            return False
        known.append(both)
        return True

    def _asks(self, gone: frozenset[Fact], after: frozenset[Fact]) -> bool:
        """Whether the new side asks whatever else there is, and nothing gone may be forbidden."""
        always = any(c[0] in self._asking and c[1] is None and c[3] == _ALWAYS for c in after)
        return always and all(cause[1] is None for cause in gone)


def _counted(causes: frozenset[Fact]) -> frozenset[Fact]:
    """Without what a program does whatever its words are where an operand says to what."""
    told = {c[0] for c in causes if isinstance(c[1], Access) and c[1].mode in ("write", "remove")}
    general = (c for c in causes if c[1] is None and c[2] == PROGRAM and c[0] in told)
    return causes.difference(general) if told else causes


def _changes(causes: frozenset[Fact]) -> bool:
    """Whether a command does more than read: git then starts what it does not else."""
    return any(cause[0] != "read" for cause in causes)
