"""Which of some options an argv gives, in any place, spelling, abbreviation or bundle.

The program's own entry reads the words, so the value of an option is not an option, and `-fu` gives
`-f`. What the entry does not know, and words that are computed, may be any option.
"""

from _collections_abc import Iterator, Sequence

from execpolicy.catalogue.catalogue import Catalogue
from execpolicy.catalogue.entry import CatalogueEntry
from execpolicy.catalogue.reading.tokens import Tokens
from execpolicy.model.operation import Dynamic, Word
from execpolicy.support.ordered_enum import OrderedEnum
from execpolicy.support.record import Value


class Holds(OrderedEnum):
    """Whether something holds of a command. Ordered, so that the surest of several is the `max`."""

    NO = 0
    MAYBE = 1
    YES = 2


class Level(Value):
    """The words of a program or of one of its subcommands, as its entry reads them."""

    entry: CatalogueEntry
    tokens: Tokens


def gives(argv: "Sequence[Word]", wanted: tuple[str, ...], catalogue: Catalogue) -> Holds:
    """Whether one of the options `wanted` is given. The program's name has no directory."""
    found = _gives(tuple(argv), wanted, catalogue)
    if found is Holds.NO and any(isinstance(w, Dynamic) and w.prefix[:1] == "-" for w in argv):
        from execpolicy.catalogue.reading.empty_variants import empty_variants

        others = (_gives(words, wanted, catalogue) for words in empty_variants(tuple(argv)))
        found = min(max(others, default=Holds.NO), Holds.MAYBE)
    return found


def _gives(argv: tuple[Word, ...], wanted: tuple[str, ...], catalogue: Catalogue) -> Holds:
    found = tuple(levels(argv, catalogue))
    return max((_one(option, found, argv) for option in wanted), default=Holds.NO)


def levels(argv: tuple[Word, ...], catalogue: Catalogue) -> "Iterator[Level]":
    """The words of the program, then those of each subcommand that they name."""
    name = argv[0] if argv else ""
    found = catalogue.lookup(name) if isinstance(name, str) else None
    key, at = found.path if found else "", 1
    entry = found.entry if found else None
    while entry is not None:
        tokens = Tokens(entry, argv, at)
        yield Level(entry, tokens)
        if tokens.child is None:
            return
        key, at = f"{key} {tokens.child}", tokens.at
        entry = catalogue.entry(key)


def texts_of(argv: "Sequence[Word]", catalogue: Catalogue) -> tuple[Word, ...]:
    """The words that the entries take for plain text: values of options such as a message."""
    return tuple(
        value
        for level in levels(tuple(argv), catalogue)
        for each in level.tokens.options
        if each.option.kinds == ("text",)
        for value in each.values
    )


def _one(option: str, found: tuple[Level, ...], argv: tuple[Word, ...]) -> Holds:
    """Whether an option is given where it belongs: to the last subcommand that has it."""
    for level in reversed(found):
        names = _names(option, level.entry)
        if names:
            return max(_given(names, level), _possibly(found, argv))
    return max(_written(option, argv), _possibly(found, argv))


def _names(option: str, entry: CatalogueEntry) -> frozenset[str]:
    """All names of an option: its aliases, but not what undoes it (`--[no-]verify`)."""
    word = option[1:] if entry.style == "word" and option[:2] == "--" else option
    identity = entry.options.identity(word)
    if identity is None:
        return frozenset()
    alike = entry.options.aliases(identity)
    undoes = _undoes(word, alike)
    return frozenset(name for name in alike if _undoes(name, alike) == undoes)


def _undoes(name: str, alike: "set[str]") -> bool:
    """Whether a name is the `--no-x` beside an `--x`."""
    head, no, rest = name.partition("no-")
    return bool(no) and not head.strip("-") and head + rest in alike


def _given(names: frozenset[str], level: Level) -> Holds:
    """Whether an option of these names is among those given; one switched off may be meant."""
    identities = {level.entry.options.identity(name) for name in names}
    for each in level.tokens.options:
        identity = each.option.identity
        if identity in identities and _is_one(each.name, names):
            return Holds.MAYBE if identity in level.tokens.off else Holds.YES
    return Holds.NO


def _is_one(typed: str, names: frozenset[str]) -> bool:
    """Whether a name as typed, perhaps short or a letter without its dash, is one of these."""
    return typed in names or "-" + typed in names or any(n.startswith(typed) for n in names)


def _possibly(found: tuple[Level, ...], argv: tuple[Word, ...]) -> Holds:
    """Whether some word may be any option: it is computed, or the entry does not know it."""
    if not found:
        return Holds.MAYBE if any(_may_be_option(word) for word in argv[1:]) else Holds.NO
    unclear = any(level.tokens.maybe_options or level.tokens.problems for level in found)
    lost = found[-1].tokens.child is not None
    plain = found[-1].entry.style == "plain" and any(
        isinstance(word, Dynamic) and _may_be_option(word) for word in found[-1].tokens.operands
    )
    return Holds.MAYBE if unclear or lost or plain else Holds.NO


def _may_be_option(word: Word) -> bool:
    if isinstance(word, str):
        return word[:1] in ("-", "+") and len(word) > 1
    return word.prefix[:1] in ("", "-", "+") and not word.not_option


def _written(option: str, argv: tuple[Word, ...]) -> Holds:
    """Whether the words have an option that no entry knows: as it is, or with its value."""
    words = [word if isinstance(word, str) else word.prefix for word in argv[1:]]
    exact = any(word == option or word.startswith(option + "=") for word in words)
    if exact:
        return Holds.YES
    letter = len(option) == len("-x")
    bundled = letter and any(
        w[:1] == option[0] and option[1] in w[1:] for w in words if w[:2] != "--"
    )
    return Holds.MAYBE if bundled else Holds.NO
