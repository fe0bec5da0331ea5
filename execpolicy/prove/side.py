"""One of two policies that are compared, and where commands are thought to run.

The directories are of no machine: an empty project in a home. What lies on a disk, as links do, is
no part of a policy.
"""

from collections.abc import Callable, Iterator
from typing import Protocol

from execpolicy.catalogue import Catalogue
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.rule import Origin, PlaceRule
from execpolicy.model.verdict import Verdict
from execpolicy.policy.policy import Policy
from execpolicy.support.record import Value


class Defaults(Protocol):
    """The posture: effect and classes of places → decision, outside and in the sandbox."""

    def decide(self, effect: str, places: tuple[str, ...] = ()) -> Decision:
        """The decision without walls."""

    def confined(self, effect: str, places: tuple[str, ...] = ()) -> Decision:
        """The decision in the sandbox, never stricter."""

    def origin(self, effect: str, places: tuple[str, ...], confined: bool) -> Origin | None:
        """The posture that decides, if one does."""


Judge = Callable[[Request], Verdict]

HOME = "/home/user"
ROOT = f"{HOME}/project"
BELOW = f"{ROOT}/packages/a"
PLACES = (
    ("project", "x"),
    ("generated", "node_modules/x"),
    ("temporary", "/tmp/d/x"),  # noqa: S108 — never opened
    ("tools", f"{HOME}/.cargo/registry/x"),
    ("repositories", f"{HOME}/other/x"),
    ("personal", f"{HOME}/Documents/x"),
    ("system", "/etc/d/x"),
)
"""A path in each base class, by the shipped declarations."""


def directory_of(place: tuple[str, str]) -> str:
    """The directory of the path in one of `PLACES`."""
    path = place[1] if place[1][:1] == "/" else f"{ROOT}/{place[1]}"
    return path.rpartition("/")[0]


OTHER_HOST = "host.example"


class Side(Value):
    """A policy with its catalogue and its posture.

    `judge` gives the verdict about a request, `floored` says that no decision is below PROMPT.
    `filled` gives that where each path is a file that git does not have.
    """

    policy: Policy
    catalogue: Catalogue
    defaults: Defaults
    judge: Judge
    floored: bool = False
    filled: Judge | None = None

    def declared(self) -> Iterator[PlaceRule]:
        """All declarations of classes, base classes last."""
        yield from self.policy.places.rules
        yield from self.policy.places.bases.rules

    def on_files(self) -> "Side":
        """The same side, about files that are there."""
        return self.replace(judge=self.filled) if self.filled is not None else self


DECISION, CONFINED = "decision", "confined"
FIELDS = (DECISION, CONFINED)


def command(words: tuple[str, ...], cwd: str = ROOT) -> Request:
    """The request to run these words."""
    return Request(argv=words, cwd=cwd, root=ROOT)


def script(text: str, cwd: str = ROOT) -> Request:
    """The request to run a text."""
    return Request(text=text, cwd=cwd, root=ROOT, shell="bash")  # noqa: S604 — read, never run


def decisions(verdict: Verdict) -> tuple[Decision, Decision]:
    """Both decisions, in the order of `FIELDS`."""
    return verdict.decision, verdict.confined
