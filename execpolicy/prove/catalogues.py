"""What two catalogues say differently, entry by entry."""

import marshal
from _collections_abc import Iterator

from execpolicy.catalogue import Catalogue
from execpolicy.catalogue.entry import CatalogueEntry, PackedEntry
from execpolicy.support.digest import sha256
from execpolicy.support.record import Value

_ASIDE = ("origin", "ceiling", "credentials", "forms")
"""What makes no difference, or follows from the rest."""
_ROLES = ("key_value", "plus_options", "exec_option", "bundles")
_SPELLED = (*_ROLES, "style", "abbreviations", "stop_at_operand", "children")
_AT = {name: at for at, name in enumerate(CatalogueEntry.__fields__)}
_PLAIN = 2
"""The version of marshal in which equal data is equal bytes."""
_WHY = 7
"""The place of the words that say what a form does."""


class EntryChange(Value):
    """A program or a subcommand that two catalogues read differently; None: one does not know it.

    `path` has the words that lead to it; `shapes` are the same where the same changed elsewhere,
    `program` where all of it is like another one on both sides.
    """

    path: str
    shapes: tuple[object, ...]
    program: bytes
    old: CatalogueEntry | None
    new: CatalogueEntry | None

    def is_clear(self, forbids: bool) -> bool:
        """Whether samples of either entry, one for each thing that it says, show all that differs.

        They do where a word has one role on both sides, or is known to one side alone: what is not
        known is as strict as the posture can be, if that `forbids` nothing.
        """
        if self.old is None or self.new is None:
            return not forbids
        if any(getattr(self.old, name) != getattr(self.new, name) for name in _ROLES):
            return False
        inherited = turned(self.old, self.new) or self.old.client is not self.new.client
        if inherited and (self.old.children or self.new.children):
            return False
        return not forbids or _spelling(self.old) == _spelling(self.new)


def changes(old: Catalogue, new: Catalogue) -> "Iterator[EntryChange]":
    """Each entry about which they differ, sorted by its path."""
    olds: dict[int, PackedEntry | None] = {}
    news: dict[int, PackedEntry | None] = {}
    alike: dict[tuple[int, int], bool] = {}
    for program in old.candidates(new):
        before, after = dict(old.packed(program, olds)), dict(new.packed(program, news))
        whole = b""
        for path in sorted(before.keys() | after.keys()):
            pair = before.get(path), after.get(path)
            key = id(pair[0]), id(pair[1])  # what was read stays, and has its number
            if key not in alike:
                alike[key] = _is_same(*pair)
            if path[:1] == "{" or alike[key]:
                continue
            was, is_now = (None if each is None else shape_of(each) for each in pair)
            if was != is_now:
                old_entry, new_entry = (
                    None if each is None else CatalogueEntry.unpacked(each) for each in pair
                )
                above = _above(path, before), _above(path, after)
                whole = whole or _whole(program, before, after)
                yield EntryChange(path, (was, is_now, above), whole, old_entry, new_entry)


def _whole(program: str, *both: "dict[str, PackedEntry]") -> bytes:
    """What both catalogues say of a program, without its name."""
    said = [
        [(path[len(program) :], shape_of(each)) for path, each in sorted(entries.items())]
        for entries in both
    ]
    return sha256(marshal.dumps(said, _PLAIN)).digest()


def _above(path: str, entries: "dict[str, PackedEntry]") -> bool:
    """Whether an entry above this one says that it changes a server."""
    words = path.split(" ")
    above = (entries.get(" ".join(words[:end])) for end in range(1, len(words)))
    return any(each is not None and each[_AT["client"]] for each in above)


def _is_same(old: "PackedEntry | None", new: "PackedEntry | None") -> bool:
    """Whether entries differ at most in where they stand."""
    if old is None or new is None:
        return old is new
    return all(
        a == b for at, (a, b) in enumerate(zip(old, new, strict=True)) if at != _AT["origin"]
    )


def other_options(old: CatalogueEntry, new: CatalogueEntry) -> frozenset[str] | None:
    """The options that are not the same, where nothing else differs; else None."""
    before, after = (shape_of(each.packed(), ("options",)) for each in (old, new))
    if before != after or old.options.prefixes != new.options.prefixes:
        return None
    options = [dict(each.options.every()) for each in (old, new)]
    names = options[0].keys() | options[1].keys()
    return frozenset(n for n in names if options[0].get(n) != options[1].get(n))


def shape_of(entry: "PackedEntry", aside: tuple[str, ...] = ()) -> bytes:
    """What an entry says, without where it stands and in which words, and without these fields."""
    plain = [v for n, v in zip(_AT, entry, strict=True) if n not in _ASIDE and n not in aside]
    forms: tuple[tuple[object, ...], ...] = entry[_AT["forms"]]  # type: ignore[assignment]
    return marshal.dumps((plain, [(*form[:_WHY], *form[_WHY + 1 :]) for form in forms]), _PLAIN)


def turned(old: CatalogueEntry, new: CatalogueEntry) -> frozenset[str]:
    """The options that take another number of words."""
    before, after = (_counts(each) for each in (old, new))
    return frozenset(n for n in before.keys() & after.keys() if before[n] != after[n])


def _counts(entry: CatalogueEntry) -> dict[str, int]:
    return {name: option.count for name, option in entry.options.every()}


def _spelling(entry: CatalogueEntry) -> object:
    return [getattr(entry, name) for name in _SPELLED], _counts(entry)
