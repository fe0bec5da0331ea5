"""The engine as a proof asks it, and what a change of rules files lets through."""

from _collections_abc import Callable, Iterator, Sequence

from execpolicy.commands.render.proof import NOTHING, opening_lines, proof_lines
from execpolicy.engine.decide import decide
from execpolicy.model.operation import Request
from execpolicy.model.verdict import Verdict
from execpolicy.places.blind import Empty, Filled, repository
from execpolicy.prove.compare import compare
from execpolicy.prove.questions.opening import opening
from execpolicy.prove.side import BELOW, HOME, PLACES, ROOT, Side
from execpolicy.store import loader
from execpolicy.store.snapshot import Snapshot
from execpolicy.store.sources.files import RulesFile

_THERE = {f"{ROOT}/{path}" if path[:1] != "/" else path: "file" for _, path in PLACES}
_EMPTY = Empty({HOME: "directory", **_THERE, **repository(f"{HOME}/other")})
"""A project with the files that are tried alone, and one other repository in the home."""
_FILLED = Filled({**_THERE, BELOW: "directory", **repository(f"{HOME}/other")})
"""The same, in which each path that is tried is a file."""


def side(snapshot: Snapshot) -> Side:
    """A snapshot as one side of a proof."""
    at_home = snapshot.replace(home=HOME)

    def on(disk: Empty) -> "Callable[[Request], Verdict]":
        return lambda request: decide(request, at_home, disk)

    policy, floored = snapshot.policy, bool(snapshot.floor)
    return Side(policy, snapshot.catalogue, snapshot.defaults, on(_EMPTY), floored, on(_FILLED))


MOST = 6
_LOOSENS_NOTHING = (
    "loosens nothing: all commands, paths and hosts are decided as strictly as before"
)
Files = Sequence[RulesFile]


def opened(before: Files, after: Files) -> "Iterator[str]":
    """The lines that say so: an example for each of the first rules that loosen."""
    for line in proof_lines(compare(*_both(before, after), most=MOST), "loosens"):
        yield _LOOSENS_NOTHING if line == NOTHING else line


def added(before: Files, after: Files) -> "Iterator[str]":
    """The lines that say what rules open which the files have after, beside all of before."""
    return opening_lines(opening(*_both(before, after)))


def _both(before: Files, after: Files) -> tuple[Side, Side]:
    memory: dict[object, object] = {}
    old, new = (side(loader.load(files, memory=memory)) for files in (before, after))
    return old, new
