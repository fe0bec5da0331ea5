"""What lies around a run: as it was before, and looked at again after it."""

from _collections_abc import Callable

from execpolicy.sandbox.prepare import SurveyInput
from execpolicy.sandbox.scan.opened import Openings
from execpolicy.sandbox.scan.survey.result import Survey


class Rescan:
    """What is needed to look again at the directories that a run may write to.

    A walk after the run looks at `places`, the directories that were open to it, and at the git
    directories; never at what was `closed` to it. `make` gives the scene, once, when it is needed.
    `is_same` says that nothing has certainly changed there since the run was prepared, by less than
    a walk.
    """

    def __init__(
        self,
        places: tuple[str, ...],
        closed: tuple[str, ...],
        make: "Callable[[], SurveyInput]",
        is_same: "Callable[[], bool]" = lambda: False,
    ) -> None:
        self.places, self.closed = places, closed
        self._make, self._is_same = make, is_same
        self._scene: SurveyInput | None = None
        self.written = b""
        """What a journal says of all this, once it was put into words."""

    @property
    def scene(self) -> "SurveyInput":
        """Where the run works, and which names matter there."""
        if self._scene is None:
            self._scene = self._make()
        return self._scene

    def changed(self, openings: "Openings | None") -> "Survey | None":
        """What is there now; None where nothing can have changed. Without `openings` what is closed
        to everybody stays so."""
        if self._is_same():
            return None
        from execpolicy.sandbox.prepare import rescan

        return rescan(self.scene, openings, self.closed)
