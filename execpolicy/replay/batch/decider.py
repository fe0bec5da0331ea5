"""One text decided: what is said of it, and whether that holds in every project.

A decision is made in a project that stands for any. It holds in each where all that it looked at
lies below that project, or where no project of a home lies. Where a text names a path of a home, or
climbs out of the project, it is decided for each directory.
"""

import re

from execpolicy.engine.decide import decide
from execpolicy.model.decision import Decision
from execpolicy.model.errors import RequestError
from execpolicy.model.operation import Request
from execpolicy.places.asked import Asked
from execpolicy.places.blind import Empty
from execpolicy.places.moment import CachedResolver
from execpolicy.replay.requests import home_of, surroundings
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_HOME = "/home/user"
_ANY = f"{_HOME}/the-project-of-a-log"
_PROJECT = re.compile(r"(/home/[^/]+|/Users/[^/]+)/[^/].*")
_NO_HOMES = ("/tmp/", "/etc/", "/usr/", "/dev/", "/bin/", "/proc/", "/var/", "/opt/")  # noqa: S108
_ABOVE = ("/", "/home", _HOME)


class TextDecision(Value):
    """What is decided about a text. `shared`: it holds in every project of every home."""

    decision: str
    confined: str
    reason: str
    shared: bool = False


class TextDecider:
    """A policy as it decides about texts of any machine."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._here = surroundings(_ANY, _ANY, _HOME)

    def of(self, text: str, cwd: str | None) -> TextDecision:
        """The decision about a text in a directory, which is the root of its session; without one
        that in a project which stands for any, and whether it holds in each."""
        if cwd is not None:
            home = home_of(cwd)
            return self._decided(text, cwd, home, surroundings(cwd, cwd, home))[0]
        found, asked = self._decided(text, _ANY, _HOME, self._here)
        shared = _ANY not in found.reason and all(map(_is_anywhere, _paths(asked)))
        return found.replace(shared=shared)

    def _decided(
        self, text: str, cwd: str, home: str, there: "dict[str, str]"
    ) -> tuple[TextDecision, Asked]:
        asked = Asked(CachedResolver(Empty(there)))
        request = Request(text=text, cwd=cwd, root=cwd)
        try:
            verdict = decide(request, self._snapshot.replace(home=home), asked)
        except RequestError as error:
            asks = Decision.PROMPT.word
            return TextDecision(asks, asks, str(error)), asked
        words = verdict.decision.word, verdict.confined.word
        return TextDecision(*words, verdict.reason), asked


def is_project(cwd: str | None) -> bool:
    """Whether decisions that hold in every project hold in a directory."""
    return cwd is None or _PROJECT.fullmatch(cwd) is not None


def _paths(asked: Asked) -> "Iterator[str]":
    """The paths that were asked about."""
    for _, given in asked.questions:
        yield from (each for each in given if isinstance(each, str) and each[:1] == "/")


def _is_anywhere(path: str) -> bool:
    below = path == _ANY or path.startswith(_ANY + "/")
    return below or path in _ABOVE or f"{path}/".startswith(_NO_HOMES)
