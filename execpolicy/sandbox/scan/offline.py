"""Whether a run has nothing to do with a network.

Such a run gets an empty one of its own: that costs less than to share that of its session, and
nothing that other runs serve can be reached from it.
"""

from execpolicy.model.operation import Access, Assign, Exec, Operation, show
from execpolicy.model.verdict import JudgedOperation, Match, Source, Verdict
from execpolicy.support.resources import words_of

FILES = frozenset(("read", "write", "destroy"))
"""The effects of what works on files of this machine."""
UNKNOWN = (Source.APPROVAL, Source.READER)
"""What decides where it is not known what a command does."""


def is_offline(verdict: "Verdict") -> bool:
    """Whether all that would run is known to open no connection and to tell of none."""
    lists = words_of("network")
    words = [word for judged in verdict.judged for word in _words(judged.operation)]
    if any(path in word for word in words for path in lists["files"]):
        return False
    return all(_works_on_files(judged, lists["offline"]) for judged in verdict.judged)


def _words(operation: "Operation") -> "list[str]":
    """The words of a command, or the path that is opened."""
    if isinstance(operation, Exec):
        return [*map(show, operation.argv)]
    return [show(operation.path)] if isinstance(operation, Access) else []


def _works_on_files(judged: "JudgedOperation", programs: frozenset[str]) -> bool:
    operation = judged.operation
    if isinstance(operation, Exec):
        name = operation.argv[0]
        if not isinstance(name, str) or name.rpartition("/")[2] not in programs:
            return False
    elif not isinstance(operation, Access | Assign):
        return False
    return all(map(_is_about_files, judged.matches))


def _is_about_files(match: "Match") -> bool:
    """Whether a match leaves it at files: a rule for the words of a command may allow all of it."""
    by_words = match.source is Source.RULE and bool(match.prefix)
    return not by_words and match.source not in UNKNOWN and FILES.issuperset(match.effects)
