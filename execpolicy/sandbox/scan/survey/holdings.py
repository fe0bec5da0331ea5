"""What a plan has to hold: by real path, with the places and rules that name it."""

import os

from execpolicy.model.rule import Origin
from execpolicy.sandbox.plan import Found
from execpolicy.sandbox.scan.names import NameIndex, NameMatch, tightens
from execpolicy.sandbox.scan.status import kind


class Holdings:
    """What was found so far; each name of a path adds its places and its rules."""

    def __init__(self, index: NameIndex) -> None:
        self.by_path: dict[str, Found] = {}
        self._index = index

    def find(self, path: str, match: NameMatch) -> None:
        """Take up what a path leads to, if it is there."""
        real = os.path.realpath(path)
        try:
            mode = os.stat(real).st_mode
        except OSError:
            return
        self.put(real, match, mode)

    def put(self, real: str, match: NameMatch, mode: int) -> None:
        """Take up a real path that is known to be there."""
        if kind(mode) == "socket" and not match.places:  # of any user, see `own_sockets`
            rule = self._index.opens(real)
            if rule is not None:
                self.by_path[real] = Found(real, "socket", (), (rule,), (), str(rule.origin))
            return
        known = self.by_path.get(real)
        places = tuple(place.place for place in match.places) + ("control",) * match.repository
        rules = match.rules
        if known is not None:
            places = tuple(dict.fromkeys((*known.places, *places)))
            rules = tuple({id(rule): rule for rule in (*known.rules, *rules)}.values())
        named = tuple(p for p in places if any(self._names(rule, p) for rule in rules))
        said = next((str(origin) for origin in _origins(match)), "")
        self.by_path[real] = Found(real, kind(mode), places, rules, named, said)

    def hold_link(self, path: str, places: tuple[str, ...]) -> None:
        """Hold another name of a file: with the places of the file itself, if it has any."""
        self.by_path.setdefault(path, Found(path, "file", places or ("hard link",)))

    def _names(self, rule: object, place: str) -> bool:
        """Whether a rule that allows was written for this very class of paths."""
        from execpolicy.model.rule import PathRule

        if not isinstance(rule, PathRule) or tightens(rule):
            return False
        return any(self._index.reaches(path, place) for path in rule.paths)


def _origins(match: NameMatch) -> "list[Origin]":
    return [place.origin for place in match.places] + [rule.origin for rule in match.rules]
