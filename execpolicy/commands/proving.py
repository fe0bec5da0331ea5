"""The engine as a proof asks it: two snapshots, and a machine on which there is nothing."""

from execpolicy.engine.decide import decide
from execpolicy.model.operation import Request
from execpolicy.model.verdict import Verdict
from execpolicy.places.blind import Empty, repository
from execpolicy.prove.side import HOME, Side
from execpolicy.store.snapshot import Snapshot

_EMPTY = Empty({HOME: "directory", **repository(f"{HOME}/other")})
"""An empty project, and one other repository in the home."""


def side(snapshot: Snapshot) -> Side:
    """A snapshot as one side of a proof."""
    at_home = snapshot.replace(home=HOME)

    def judge(request: Request) -> Verdict:
        return decide(request, at_home, _EMPTY)

    return Side(snapshot.policy, snapshot.catalogue, snapshot.defaults, judge, bool(snapshot.floor))
