"""What a store asks to know which paths of its project were touched."""

from _collections_abc import Sequence

from execpolicy.undo.scan import MUCH, Known, Scan, Touched


class Watch:
    """What knows of a project what was touched since it was read last; this one knows nothing.

    `known` is that reading, `unheld` what it could not keep, `removals` that of the `State` then.
    `fresh` counts what the cache does not have of it; it is written where that is more than `much`.
    """

    much = MUCH

    def __init__(self) -> None:
        self.known: Known | None = None
        self.unheld: Sequence[str] = ()
        self.fresh = self.removals = 0

    def begin(self, *, full: bool) -> Touched | None:
        """All that was touched; what is touched from now on counts for the next reading. Where that
        is not known any more, `known` is None."""
        return None

    def read(self, scan: Scan) -> None:
        """Take note of a reading that was finished."""
