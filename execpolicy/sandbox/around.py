"""What lies around a run: as it was before, and looked at again after it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.sandbox.look.opened import Openings
    from execpolicy.sandbox.look.survey import Walk
    from execpolicy.sandbox.prepare import Scene


def _unknown() -> bool:
    return False


class Around:
    """What is needed to look again at the directories that a run may write to.

    `places` are all that a walk after it looks at, but for what was `closed` to the run: these and
    the git directories. `make` gives the scene, once, when it is needed. `is_same` says that
    nothing has certainly changed there since the run was prepared, by less than a walk.
    """

    __slots__ = ("_is_same", "_make", "_scene", "closed", "places")

    def __init__(
        self,
        places: tuple[str, ...],
        closed: tuple[str, ...],
        make: "Callable[[], Scene]",
        is_same: "Callable[[], bool]" = _unknown,
    ) -> None:
        self.places, self.closed = places, closed
        self._make, self._is_same = make, is_same
        self._scene: Scene | None = None

    @property
    def scene(self) -> "Scene":
        """Where the run works, and which names matter there."""
        if self._scene is None:
            self._scene = self._make()
        return self._scene

    def changed(self, openings: "Openings | None") -> "Walk | None":
        """What is there now; None where nothing can have changed. Without `openings` what is closed
        to everybody stays so."""
        if self._is_same():
            return None
        from execpolicy.sandbox.prepare import look_again

        return look_again(self.scene, openings, self.closed)
