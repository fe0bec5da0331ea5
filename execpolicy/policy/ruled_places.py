"""Path rules that tighten as classes laid over paths, so that both are looked for in one way.

A rule about `docs/private` is met by `cat docs/*/n.txt`, `grep -r x docs` and a link that leads
there as a file of credentials is: what an access may touch does not depend on who asks.
"""

from _collections_abc import Iterable

from execpolicy.model.rule import PathRule, PlaceRule
from execpolicy.policy.folding import fold
from execpolicy.policy.place_index import PlaceIndex


class RuledPlaces(PlaceIndex):
    """The rules, each as a class of its own. Never changed once made."""

    by_entry = True

    def __init__(
        self, rules: "Iterable[PathRule]", read_names: "frozenset[str] | None" = None
    ) -> None:
        """`read_names`: each path has one of them that a rule about reading is about; or None."""
        super().__init__()
        self._read_names = read_names
        self._by_class = {f"rule {at}": rule for at, rule in enumerate(rules) if rule.decision}
        self._by_mode: dict[str, frozenset[str]] = {}
        self._own: dict[str, tuple[str, ...]] = {}
        self.classes = self.sought = tuple(self._by_class)
        self.rules = tuple(
            PlaceRule(name, _patterns(rule), (), rule.origin)
            for name, rule in self._by_class.items()
        )

    def counted(self, mode: str, extent: str) -> frozenset[str]:
        """Those about the mode; what they forbid to read is not listed either."""
        found = self._by_mode.get(mode)
        if found is None:
            named = self._by_class.items()
            found = frozenset(name for name, rule in named if mode in rule.modes)
            self._by_mode[mode] = found
        return found

    def passes_over(self, path: str, mode: str, home: str | None) -> bool:
        """Whether none of the rules can be about what lies at a path, by its names."""
        if mode == "read" and self._read_names is not None:
            return self._read_names.isdisjoint(fold(path).split("/"))
        return not self.is_like(path) and not self._is_near_top(fold(path), home)

    def own(self, mode: str) -> tuple[str, ...]:
        """Those about the mode that no shipped rule says."""
        if mode not in self._own:
            found = sorted(self.counted(mode, ""))
            own = [name for name in found if self._by_class[name].origin.layer != "builtin"]
            self._own[mode] = tuple(own)
        return self._own[mode]

    def rule(self, laid: PlaceRule) -> PathRule:
        """The path rule that is laid over a path."""
        return self._by_class[laid.place]


def _patterns(rule: PathRule) -> tuple[str, ...]:
    """The patterns, as they are read for places: there a star at the end is a part of one name."""
    longer = (f"{path}/*" for path in rule.paths if path[-1:] == "*" and path[-2:] != "/*")
    return (*rule.paths, *longer)
