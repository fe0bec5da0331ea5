"""Which of many paths have a name like one of some keys: of hundreds of thousands few have.

Each name is looked at once, however many paths have it, and with a few looks into tables. A copy of
a name that is like a key counts, too: `.env.bak`.
"""

from _collections_abc import Collection, Iterable, Sequence

from execpolicy.policy.backups import copies
from execpolicy.policy.folding import folded_all
from execpolicy.support.path_match import NameKey

_EDGE = 2
"""Characters of a beginning or an end by which those are found that a name may have."""


class NameSearch:
    """Keys that the names of paths are compared with; one that tells nothing is like each.

    With `copies`, what may be a copy of such a name is like it.
    """

    __slots__ = ("_above", "_files")

    def __init__(self, keys: "Iterable[NameKey]", *, copies: bool = True) -> None:
        every = [*keys]
        self._files = _Names(every, copies)
        self._above = _Names((key for key in every if key[-1]), copies)

    def among(self, paths: "Sequence[str]") -> "list[str]":
        """The paths of which the last name, or one above it, is like a key; in their order."""
        folded = folded_all(paths)
        lasts = [text[text.rfind("/") + 1 :] for text in folded]
        above = {text[: -len(last) or None] for text, last in zip(folded, lasts, strict=True)}
        files, inside = self._files.like({*lasts}), self._above.like({*"".join(above).split("/")})
        apart = {each for each in above if not inside.isdisjoint(each.split("/"))}
        if not (files or apart):
            return []
        every = zip(paths, folded, lasts, strict=True)
        return [p for p, t, last in every if last in files or t[: -len(last) or None] in apart]


class _Names:
    """Names, beginnings, ends and middles."""

    __slots__ = ("_copies", "_exact", "_heads", "_middles", "_tails")

    def __init__(self, keys: "Iterable[NameKey]", copies: bool) -> None:
        self._copies = copies
        told: tuple[set[str], ...] = (set(), set(), set(), set())
        for *texts, _ in keys:
            at = next((at for at, text in enumerate(texts) if text), -1)
            told[at].add(str(texts[at]))
        exact, heads, tails, middles = told
        self._exact, self._middles = exact, middles
        self._heads = _Edges((head[:_EDGE], head) for head in heads)
        self._tails = _Edges((tail[-_EDGE:], tail) for tail in tails)

    def like(self, names: "Collection[str]") -> "set[str]":
        """Those of some folded names that are like a key, or may be copies of one that is."""
        found = self._like(names)
        if self._copies:
            found.update(name for name, others in copies(names) if self._like(others))
        return found

    def _like(self, names: "Collection[str]") -> "set[str]":
        exact, heads, tails = self._exact, self._heads, self._tails
        begins, ends, short, last = heads.long, tails.long, heads.short, tails.short
        found = {
            name
            for name in names
            if name in exact
            or name.startswith(begins.get(name[:_EDGE], short))
            or name.endswith(ends.get(name[-_EDGE:], last))
        }
        for text in self._middles:
            found.update(name for name in names if text in name)
        return found


class _Edges:
    """Beginnings or ends by their own first or last characters; those that are shorter are with
    each, and alone."""

    __slots__ = ("long", "short")

    def __init__(self, pairs: "Iterable[tuple[str, str]]") -> None:
        every = [*pairs]
        self.short = tuple(text for edge, text in every if len(edge) < _EDGE)
        self.long: dict[str, tuple[str, ...]] = {}
        for edge, text in every:
            if len(edge) == _EDGE:
                self.long[edge] = (*self.long.get(edge, self.short), text)
