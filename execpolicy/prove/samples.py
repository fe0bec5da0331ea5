"""What may follow the words of a command, as the catalogue's entry for it says.

No command does anything that no single option, operand or subcommand of it does: so one sample of
each is enough, by itself and beside what a rule asks for.
"""

from execpolicy.catalogue import Catalogue
from execpolicy.catalogue.descend import descend
from execpolicy.catalogue.kinds.kind import Affixed, Kind, Literals, OneOf, WithEffects
from execpolicy.catalogue.reading.tokens import Tokens
from execpolicy.model.operation import COMMANDS, Dynamic, Word
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.catalogue.entry import CatalogueEntry

    Tail = tuple[Word, ...]

COMPUTED = Dynamic("$x", single=True)
PRINTED = Dynamic("$(y)", single=True, names=(COMMANDS,))
MAX_DEPTH = 3
HELP = (("--help",), ("--version",))


class Operands(Value):
    """The words to put where a program takes a path or a host, or any other word."""

    paths: tuple[str, ...]
    hosts: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """All of them, the plainest first."""
        return (*self.paths, *(f"https://{host}/" for host in self.hosts), *self.hosts)


def tails(words: tuple[str, ...], catalogue: Catalogue, operands: Operands) -> "Iterator[Tail]":
    """What may stand after these words, at least a word, the plainest first."""
    yield from HELP
    found = descend(words, catalogue)
    if found.entry is None:
        yield from ((word,) for word in operands.words)
        yield (COMPUTED,)
        yield (PRINTED,)
        return
    every = _of_entry(found.entry, found.name, catalogue, operands, 0)
    if Tokens(found.entry, words, found.at).operands:  # no subcommand comes after an operand
        every = _of_entry(found.entry, found.name, catalogue, operands, MAX_DEPTH + 1)
    yield from dict.fromkeys(every)
    if words[-1][:1] == "-":  # the next word may be its value, and what follows that anything
        after = descend((*words, "x"), catalogue)
        if after.entry is not None:
            rest = _of_entry(after.entry, after.name, catalogue, operands, 0)
            yield from dict.fromkeys(("x", *tail) for tail in rest)


def global_options(program: str, catalogue: Catalogue) -> tuple[str, ...]:
    """An option that may stand in front of a subcommand, if the program has such."""
    known = catalogue.lookup(program)
    if known is None or not known.entry.children:
        return ()
    flags = (n for n, o in known.entry.options.items() if not o.count and not o.effects)
    return tuple(flag for flag in flags if flag[:1] == "-" and flag not in known.entry.help)[:1]


def value_options(program: str, catalogue: Catalogue) -> tuple[str, ...]:
    """The global options of a program that take the next word as their value."""
    known = catalogue.lookup(program)
    if known is None or not known.entry.children:
        return ()
    return tuple(n for n, o in known.entry.options.items() if o.count == 1 and n[:1] == "-")


def _of_entry(
    entry: "CatalogueEntry", path: str, catalogue: Catalogue, operands: Operands, depth: int
) -> "Iterator[Tail]":
    yield from ((word,) for word in operands.words)
    forms = list(entry.forms)
    kinds = [place.kind for form in forms for place in form.operands.places]
    needed = {min(form.operands.least, 4) for form in forms} | {2}
    literal = list(dict.fromkeys(word for kind in kinds for word in _literals(kind)))
    yield from ((word,) for word in literal)
    yield from (("x", word) for word in (*operands.words, *literal))
    yield from (("x",) * count for count in sorted(needed) if count > 2)
    yield from ((COMPUTED,), (PRINTED,), ("x", COMPUTED))
    for option in _options(entry, operands):
        yield option
        yield from ((*option, *("x",) * count) for count in sorted(needed | {1}) if count)
        yield from ((*option, word) for word in operands.words)
        # after an operand: a rule may name the option as the next word
        if not 0 < depth <= MAX_DEPTH:
            yield from ((word, *option) for word in ("x", *operands.words))
    for child in sorted(entry.children) if depth <= MAX_DEPTH else ():
        below = catalogue.entry(f"{path} {child}")
        yield (child,)
        if below is not None and depth < MAX_DEPTH:
            rest = _of_entry(below, f"{path} {child}", catalogue, operands, depth + 1)
            yield from ((child, *tail) for tail in rest)


def _options(entry: "CatalogueEntry", operands: Operands) -> "Iterator[Tail]":
    """Each option once, with each sort of value that it may have."""
    seen = set[int]()
    for name, option in entry.options.every():
        if option.identity in seen:
            continue
        seen.add(option.identity)
        if name.endswith("=") or name in entry.options.prefixes:
            yield from ((name + value,) for value in ("x", *operands.words))
            continue
        if option.count in (0, -1, -2):
            yield (name,)
        if option.count:
            given = [w for kind in option.kinds for w in _literals(kind)]
            values = ("x", "1", *operands.words, *given)
            many = max(option.count, 1)
            yield from ((name, value, *("x",) * (many - 1)) for value in values)
            if option.count == -1:
                yield from ((f"{name}={value}",) for value in values)


def _literals(kind: Kind) -> "Iterator[str]":
    """The words that a kind spells out, with a letter for what it leaves open."""
    if isinstance(kind, Literals):
        yield from sorted(kind.exact)
        yield from (head + "x" for head in kind.heads)
        yield from ("x" + tail for tail in kind.tails)
        yield from (f"x{middle}x" for middle in kind.middles)
    elif isinstance(kind, OneOf):
        for each in kind.kinds:
            yield from _literals(each)
    elif isinstance(kind, WithEffects):
        yield from _literals(kind.kind)
    elif isinstance(kind, Affixed):
        yield from _literals(kind.words)
