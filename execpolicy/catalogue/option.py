"""The options of an entry: what each takes and does."""

from _collections_abc import Iterator, Mapping

from execpolicy.catalogue.kinds.kind import Kind, Packed, packed, unpacked
from execpolicy.support.record import Value

PackedOption = tuple[int, tuple[Packed, ...], tuple[str, ...]]
PackedOptions = tuple[dict[str, int], dict[str, int], tuple[PackedOption, ...]]

OPTIONAL, ANY, SOME, UNTIL_END = -1, -2, -3, -4
"""Counts of values that are not numbers: one or none, and only in the same word; any number of
words up to the next option; the same, but at least one; the words of a command up to a `;`."""


class Option(Value):
    """An option under all its names.

    `identity` tells it from the other options of its entry. `count` is how many values it takes, or
    OPTIONAL, ANY, SOME or UNTIL_END. `kinds` are those of its values; the last holds for all that
    follow. `effects` are those that the option has beyond its values.
    """

    identity: int
    count: int = 0
    kinds: tuple[Kind, ...] = ()
    effects: tuple[str, ...] = ()

    def packed(self) -> "PackedOption":
        """The same as plain data, without the identity, which is the place among the options."""
        return self.count, tuple(map(packed, self.kinds)), self.effects


class EntryOptions:
    """The options of one entry by name. Each is made when it is first asked for.

    `names` has the identity for each name as it is typed; one that ends in `=` is that of a word
    such as `if=FILE`. `prefixes` has it for options that are known by how a word begins (`-I` of
    `-Idir`), the longest first. Both are not to be changed.
    """

    __slots__ = ("_made", "_packed", "names", "prefixes")

    def __init__(self, data: "PackedOptions" = ({}, {}, ())) -> None:
        self.names, self.prefixes, self._packed = data
        self._made: list[Option | None] = [None] * len(self._packed)

    def get(self, name: str) -> Option | None:
        """The option of this name, or None."""
        identity = self.names.get(name)
        if identity is None:
            return None
        return self._made[identity] or self._make(identity)

    def of_prefix(self, prefix: str) -> Option:
        """The option of one of `prefixes`. Raises `KeyError` for another text."""
        return self._make(self.prefixes[prefix])

    def identity(self, name: str) -> int | None:
        """The identity of the option of this name, of a word `NAME=…`, or of this prefix."""
        found = self.names.get(name, self.names.get(name + "="))
        return self.prefixes.get(name) if found is None else found

    def aliases(self, identity: int) -> set[str]:
        """All names and prefixes of an option."""
        every = (*self.names.items(), *self.prefixes.items())
        return {name for name, other in every if other == identity}

    def items(self) -> "Iterator[tuple[str, Option]]":
        """Each name with its option."""
        return ((name, self._make(identity)) for name, identity in self.names.items())

    def every(self) -> "Iterator[tuple[str, Option]]":
        """Each name and each prefix with its option."""
        yield from self.items()
        for prefix in self.prefixes:
            yield prefix, self.of_prefix(prefix)

    def _make(self, identity: int) -> Option:
        made = self._made[identity]
        if made is None:
            count, kinds, effects = self._packed[identity]
            made = Option(identity, count, tuple(map(unpacked, kinds)), effects)
            self._made[identity] = made
        return made

    def packed(self) -> "PackedOptions":
        """The same as plain data, which `marshal` writes."""
        return self.names, self.prefixes, self._packed

    @staticmethod
    def of(named: "Mapping[str, Option]") -> "EntryOptions":
        """Options by name. A name that ends in `*` is a prefix."""
        names: dict[str, int] = {}
        prefixes: dict[str, int] = {}
        every: dict[int, PackedOption] = {}
        for name, option in named.items():
            every[option.identity] = option.packed()
            if len(name) > 1 and name.endswith("*"):
                prefixes[name[:-1]] = option.identity
            else:
                names[name] = option.identity
        longest_first = dict(sorted(prefixes.items(), key=lambda item: -len(item[0])))
        count = max(every, default=-1) + 1
        return EntryOptions(
            (names, longest_first, tuple(every.get(n, (0, (), ())) for n in range(count)))
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EntryOptions) and self.packed() == other.packed()

    def __hash__(self) -> int:
        return hash(tuple(self.names))
