"""Whether anything inside a run did anything between two looks: if not, what happened meanwhile is
the doing of another program."""

from time import monotonic

ANEW = 1.0
"""Seconds between two looks at a run that does something."""


class Activity:
    """One look at what happened begins and ends here; what happened is read between.

    `due` is when the next look would tell more than it does now, None where it would not.
    """

    def __init__(self) -> None:
        self._init = 0
        self._before: dict[str, str] | None = None
        self._fresh: dict[str, str] | None = None
        self._known: bool | None = None
        self._looked = False
        self.due: float | None = 0.0

    def begin(self, init: int) -> None:
        """Another look begins, at the run with this first process."""
        self._init, self._known = init, None
        self._looked = self.due is not None and monotonic() >= self.due
        self._fresh = self._now() if self._looked else None

    def _now(self) -> "dict[str, str] | None":
        from execpolicy.sandbox.backends.halted import activity

        return activity(self._init) if self._init else None

    @property
    def is_idle(self) -> bool:
        """Whether nothing ran since before the last look; what is not certain counts as if."""
        if self._known is None:
            now = self._now()
            self._known = now is not None and now == self._before
            if not self._known and self.due is None:
                self.due = monotonic()
        return self._known

    def end(self) -> None:
        """The look is over."""
        if self._looked:
            same = self._fresh is not None and self._fresh == self._before
            self._before, self.due = self._fresh, None if same else monotonic() + ANEW
