"""What is known about one access: the classes of every place that it may be."""

from _collections_abc import Iterable, Sequence

from execpolicy.engine.paths.bases import Base
from execpolicy.model.rule import OVERLAY, PlaceRule
from execpolicy.support.record import Value


class Overlay(Value):
    """A class laid over a path, the path as people should see it, and the line that says so.

    `installed`: it is a program where installers put programs of the project (`.venv/bin`). The
    sandbox lets them, so the class counts outside of it alone. `open`: it may be of any class, as
    the path leads through what a process has open, or in more ways than are followed. `within`: it
    is laid over what may lie below the path.
    """

    rule: PlaceRule
    path: str
    installed: bool = False
    open: bool = False
    within: bool = False

    @property
    def is_class(self) -> bool:
        """Whether it is a class, and no rule."""
        return self.rule.place in OVERLAY

    @property
    def is_walled(self) -> bool:
        """Whether the class counts in the sandbox too."""
        return OVERLAY[self.rule.place].walled and not self.installed


def by_class(overlays: "Iterable[Overlay]") -> list[Overlay]:
    """Those of them that are classes."""
    return [overlay for overlay in overlays if overlay.is_class]


class Touched(Value):
    """What is known about one access: base classes of every place it may be, and the overlays."""

    bases: tuple[Base, ...]
    overlays: tuple[Overlay, ...]

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of all classes that count everywhere, base classes first."""
        names = [base.place for base in self.bases]
        names += [overlay.rule.place for overlay in self.overlays if overlay.is_walled]
        return tuple(dict.fromkeys(names)) if names[1:] else tuple(names)


def touched(
    bases: "Iterable[Base]", overlays: "Sequence[Overlay]", wanted: "frozenset[str]"
) -> Touched:
    """All of these: each base class once, and the first overlay of each class that is wanted."""
    kept = {o.rule.place: o for o in reversed(overlays) if o.rule.place in wanted}
    once = tuple(bases)
    return Touched(tuple(dict.fromkeys(once)) if once[1:] else once, tuple(kept.values()))
