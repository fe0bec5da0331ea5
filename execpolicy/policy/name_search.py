"""Which of many paths have a name like one of some keys: of hundreds of thousands few have.

Each name is looked at once, however many paths have it, and with a few looks into tables. A copy of
a name that is like a key counts, too: `.env.bak`.
"""

from _collections_abc import Collection, Iterable, Mapping, Sequence

from execpolicy.policy.backups import copies
from execpolicy.policy.folding import folded_all
from execpolicy.support.path_match import NameKey

_EDGE = 2
"""Characters of a beginning or an end by which those are found that a name may have."""


class PathNames:
    """Folded paths taken apart, once for all that is sought in them.

    `lasts` are their last names, `above` what stands before these, with its slash.
    """

    __slots__ = ("above", "copied", "lasts", "names", "paths")

    def __init__(self, paths: "Sequence[str]") -> None:
        folded = folded_all(paths)
        self.paths = paths
        self.lasts = [text[text.rfind("/") + 1 :] for text in folded]
        self.above = [text[: text.rfind("/") + 1] for text in folded]
        self.names = [
            *dict.fromkeys(self.lasts)
        ]  # in their order: of a set it costs twice the time
        self.copied: dict[str, tuple[str, ...]] | None = None
        """The last names that may be copies, each with those of which it may be one."""


class NameSearch:
    """Keys that the names of paths are compared with; one that tells nothing is like each. What
    may be a copy of such a name is like it."""

    __slots__ = ("_above", "_files")

    def __init__(self, keys: "Iterable[NameKey]") -> None:
        every = [*keys]
        self._files = _Names(every)
        self._above = _Names(key for key in every if key[-1])

    def among(self, every: PathNames, near: int = -1) -> "list[str]":
        """The paths of which the last name, or one above it, is like a key, and those with at most
        so many slashes; in their order."""
        files = self._in_files(every)
        directories = [*dict.fromkeys(every.above)]
        names = [*dict.fromkeys("".join(directories).split("/"))]
        like = self._above.like(names) | self._above.copied(dict(copies(names)))
        apart = {
            each
            for each in directories
            if each.count("/") <= near or not like.isdisjoint(each.split("/"))
        }
        if not (files or apart):
            return []
        rows = zip(every.paths, every.above, every.lasts, strict=True)
        return [path for path, above, last in rows if last in files or above in apart]

    def _in_files(self, every: PathNames) -> "set[str]":
        if every.copied is None:
            every.copied = dict(copies(every.names))
        return self._files.like(every.names) | self._files.copied(every.copied)


class _Names:
    """Names, beginnings, ends and middles."""

    __slots__ = ("_exact", "_heads", "_middles", "_tails")

    def __init__(self, keys: "Iterable[NameKey]") -> None:
        told: tuple[set[str], ...] = (set(), set(), set(), set())
        for *texts, _ in keys:
            at = next((at for at, text in enumerate(texts) if text), -1)
            told[at].add(str(texts[at]))
        exact, heads, tails, middles = told
        self._exact, self._middles = exact, middles
        self._heads = _Edges((head[:_EDGE], head) for head in heads)
        self._tails = _Edges((tail[-_EDGE:], tail) for tail in tails)

    def like(self, names: "Collection[str]") -> "set[str]":
        """Those of some folded names that are like a key."""
        heads, tails = self._heads, self._tails
        found = self._exact.intersection(names)
        begins, ends = heads.long, tails.long
        at_start = [name for name in names if name[:_EDGE] in begins]
        at_end = [name for name in names if name[-_EDGE:] in ends]
        found.update(name for name in at_start if name.startswith(begins[name[:_EDGE]]))
        found.update(name for name in at_end if name.endswith(ends[name[-_EDGE:]]))
        if heads.short:
            found.update([name for name in names if name.startswith(heads.short)])
        if tails.short:
            found.update([name for name in names if name.endswith(tails.short)])
        joined = "\n".join(names)
        for text in self._middles:
            if text in joined:
                found.update([name for name in names if text in name])
        return found

    def copied(self, known: "Mapping[str, tuple[str, ...]]") -> "set[str]":
        """Those names that may be copies of one that is like a key."""
        like = self.like({other for others in known.values() for other in others})
        return {name for name, others in known.items() if not like.isdisjoint(others)}


class _Edges:
    """Beginnings or ends by their own first or last characters; those that are shorter apart."""

    __slots__ = ("long", "short")

    def __init__(self, pairs: "Iterable[tuple[str, str]]") -> None:
        every = [*pairs]
        self.short = tuple(text for edge, text in every if len(edge) < _EDGE)
        self.long: dict[str, tuple[str, ...]] = {}
        for edge, text in every:
            if len(edge) == _EDGE:
                self.long[edge] = (*self.long.get(edge, ()), text)
