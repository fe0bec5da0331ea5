"""One text decided: what is said of it, and whether that holds in every project.

A decision is made in a project that stands for any. It holds in each where all that it looked at
lies below that project, or where no project of a home lies. Where a text names a path of a home, or
climbs out of the project, it is decided for each directory.
"""

import re
from collections.abc import Callable

from execpolicy.engine.decide import decide
from execpolicy.model.decision import Decision
from execpolicy.model.errors import RequestError
from execpolicy.model.operation import Request
from execpolicy.places.blind import Empty
from execpolicy.replay.requests import home_of, surroundings
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.record import Value

_HOME = "/home/user"
_ANY = f"{_HOME}/the-project-of-a-log"
_PROJECT = re.compile(r"(/home/[^/]+|/Users/[^/]+)/[^/].*")
_NO_HOMES = ("/tmp/", "/etc/", "/usr/", "/dev/", "/bin/", "/proc/", "/var/", "/opt/")  # noqa: S108
_ABOVE = ("/", "/.git", "/home", "/home/.git", _HOME)
_ANYWHERE = (f"{_ANY}/", *_NO_HOMES)


class TextDecision(Value):
    """What is decided about a text. `shared`: it holds in every project of every home."""

    decision: str
    confined: str
    reason: str
    shared: bool = False


class _Noting(Empty):
    """What is around the project that stands for any. `is_elsewhere`: something was asked about
    that is another thing in another project."""

    is_elsewhere: bool


def _noting(answer: Callable[..., object]) -> Callable[..., object]:
    def answered(self: _Noting, *given: object, **named: object) -> object:
        for each in given:
            if isinstance(each, str) and each[:1] == "/" and not _is_anywhere(each):
                self.is_elsewhere = True
        return answer(self, *given, **named)

    return answered


for _name in dir(Empty):
    if _name[0] != "_":
        setattr(_Noting, _name, _noting(getattr(Empty, _name)))


class TextDecider:
    """A policy as it decides about texts of any machine."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._any = snapshot.replace(home=_HOME)
        self._noting = _Noting(surroundings(_ANY, _ANY, _HOME))

    def of(self, text: str, cwd: str | None) -> TextDecision:
        """The decision about a text in a directory, which is the root of its session; without one
        that in a project which stands for any, and whether it holds in each."""
        if cwd is not None:
            home = home_of(cwd)
            there = Empty(surroundings(cwd, cwd, home))
            return _decided(text, cwd, self._snapshot.replace(home=home), there)
        self._noting.is_elsewhere = False
        found = _decided(text, _ANY, self._any, self._noting)
        is_shared = not self._noting.is_elsewhere and _ANY not in found.reason
        return found.replace(shared=is_shared)


def _decided(text: str, cwd: str, snapshot: Snapshot, disk: Empty) -> TextDecision:
    try:
        verdict = decide(Request(text=text, cwd=cwd, root=cwd), snapshot, disk)
    except RequestError as error:
        asks = Decision.PROMPT.word
        return TextDecision(asks, asks, str(error))
    return TextDecision(verdict.decision.word, verdict.confined.word, verdict.reason)


def is_project(cwd: str | None) -> bool:
    """Whether decisions that hold in every project hold in a directory."""
    return cwd is None or _PROJECT.fullmatch(cwd) is not None


def _is_anywhere(path: str) -> bool:
    return f"{path}/".startswith(_ANYWHERE) or path in _ABOVE
