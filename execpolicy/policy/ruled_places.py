"""All that is laid over paths: classes, and path rules that tighten as classes of their own.

A rule about `docs/private` is met by `cat docs/*/n.txt`, `grep -r x docs` and a link that leads
there as a file of credentials is: what an access may touch does not depend on who asks, and is
looked for once.
"""

from _collections_abc import Iterable

from execpolicy.model.rule import OVERLAYS, PathRule, PlaceRule
from execpolicy.policy.folding import fold
from execpolicy.policy.place_index import PlaceIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.policy.base_places import BasePlaces


class RuledPlaces(PlaceIndex):
    """The declarations, and the rules, each as a class of its own. Never changed once made."""

    def __init__(
        self,
        places: PlaceIndex,
        rules: "Iterable[PathRule]",
        read_names: "frozenset[str] | None" = None,
    ) -> None:
        """`read_names`: each path has one of them that a rule about reading is about; or None."""
        super().__init__(keys=places.first_keys)
        self._declared = places
        self._read_names = read_names
        self._by_class = {f"rule {at}": rule for at, rule in enumerate(rules) if rule.decision}
        self._by_mode: dict[str, frozenset[str]] = {}
        self._own: dict[str, tuple[str, ...]] = {}
        self.classes = (*places.classes, *self._by_class)
        self.sought = (*places.sought, *self._by_class)
        laid = (
            PlaceRule(name, _patterns(rule), (), rule.origin)
            for name, rule in self._by_class.items()
        )
        self.rules = (*places.rules, *laid)

    @property
    def bases(self) -> "BasePlaces":
        """The declarations of base classes."""
        return self._declared.bases

    def counted(self, mode: str, extent: str) -> frozenset[str]:
        """The classes that count, and the rules about the mode; what they forbid to read is not
        listed either."""
        return super().counted(mode, extent) | self._about(mode)

    def is_listed(self, path: str) -> bool:
        """Whether a rule may keep the name of a path from being read: of no class one is secret."""
        return self._read_names is None or not self._read_names.isdisjoint(fold(path).split("/"))

    def own(self, mode: str) -> tuple[str, ...]:
        """The rules about the mode that are not shipped."""
        if mode not in self._own:
            found = sorted(self._about(mode))
            own = [name for name in found if self._by_class[name].origin.layer != "builtin"]
            self._own[mode] = tuple(own)
        return self._own[mode]

    def _about(self, mode: str) -> frozenset[str]:
        found = self._by_mode.get(mode)
        if found is None:
            named = self._by_class.items()
            found = frozenset(name for name, rule in named if mode in rule.modes)
            self._by_mode[mode] = found
        return found

    def ruling(self, path: str, home: str | None, root: str | None) -> list[PlaceRule]:
        """The rules about a normalised path."""
        return [laid for laid in self.of(path, home, root) if laid.place not in OVERLAYS]

    def rule(self, laid: PlaceRule) -> PathRule:
        """The path rule that is laid over a path."""
        return self._by_class[laid.place]


def _patterns(rule: PathRule) -> tuple[str, ...]:
    """The patterns, as they are read for places: there a star at the end is a part of one name."""
    longer = (f"{path}/*" for path in rule.paths if path[-1:] == "*" and path[-2:] != "/*")
    return (*rule.paths, *longer)
