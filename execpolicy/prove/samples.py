"""What may follow the words of a command, as the catalogue's entry for it says.

No command does anything that no single option, operand or subcommand of it does: so one sample of
each is enough, by itself and beside what a rule asks for. And which programs stand for those that
rules allow, or that remove, where a path or a host is tried.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice, product

from execpolicy.catalogue import Catalogue, Cause, read
from execpolicy.catalogue.descend import descend
from execpolicy.catalogue.entry import CatalogueEntry
from execpolicy.catalogue.kinds.kind import Affixed, Kind, Literals, OneOf, WithEffects
from execpolicy.catalogue.option import Option
from execpolicy.catalogue.reading.tokens import Tokens
from execpolicy.model.decision import Decision
from execpolicy.model.operation import COMMANDS, Access, Connect, Dynamic, Word
from execpolicy.prove.catalogues import shape_of, turned
from execpolicy.prove.side import OTHER_HOST, Side
from execpolicy.support.record import Value

Tail = tuple[Word, ...]

_FLAG = Option(0)
MADE_UP = ("--x", "--xx", "--xxx")
"""Options of which one stands for all that an entry does not know."""

SAMPLES = ("x", "1", ".")
"""Words for what may be any."""
COMPUTED = Dynamic("$x", single=True)
PRINTED = Dynamic("$(y)", single=True, names=(COMMANDS,))
_SIGNS = ("-", "--", "-NUM")
MAX_DEPTH = 3
MAX_SPELLINGS = 256
"""Commands of one rule that are looked at."""
HELP = (("--help",), ("--version",))


INNER: dict[str, tuple[str, ...]] = {
    "read": ("cat", "x"),
    "write": ("touch", "x"),
    "destroy": ("rm", "x"),
    "execute": ("make",),
    "network": ("curl", f"https://{OTHER_HOST}/"),
    "remote": ("git", "push"),
    "privilege": ("sudo", "x"),
    "system": ("systemctl", "stop", "x"),
    "unknown": ("x",),
}
"""A command with each effect: what a program that starts another one may be given."""


class Operands(Value):
    """The words to put where a program takes a path or a host, or any other word."""

    paths: tuple[str, ...]
    hosts: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """All of them, the plainest first."""
        return (*self.paths, *(f"https://{host}/" for host in self.hosts), *self.hosts)


class Sampling(Value):
    """A catalogue, the words to put in places, and all words that a rule names."""

    catalogue: Catalogue
    operands: Operands
    named: frozenset[str] = frozenset()


def tails(
    words: tuple[str, ...],
    by: Sampling,
    deep: bool = True,
    only: frozenset[str] | None = None,
) -> Iterator[Tail]:
    """What may stand after these words, at least a word, the plainest first.

    `deep`: also what stands after subcommands. `only`: no other options of the entry.
    """
    yield from HELP
    found = descend(words, by.catalogue)
    if found.entry is None:
        yield from ((word,) for word in by.operands.words)
        yield (COMPUTED,)
        yield (PRINTED,)
        return
    # no subcommand comes after an operand
    deep = deep and not Tokens(found.entry, words, found.at).operands
    depth = 0 if deep else MAX_DEPTH + 1
    yield from dict.fromkeys(_Tails(by, only).of(found.entry, found.path, depth))
    option = found.entry.options.get(words[-1]) if words[-1][:1] == "-" else _FLAG
    if option is None or option.count:  # the next word may be its value, what follows that anything
        after = descend((*words, "x"), by.catalogue)
        if after.entry is not None:
            rest = _Tails(by, only).of(after.entry, after.path, depth)
            yield from dict.fromkeys(("x", *tail) for tail in rest)


def global_options(program: str, catalogue: Catalogue) -> tuple[str, ...]:
    """Options that may stand in front of a subcommand, if the program has such: one of its own, and
    one that its entry does not know."""
    known = catalogue.lookup(program)
    if known is None or not known.entry.children:
        return ()
    every = known.entry.options
    flags = (n for n, o in every.items() if not o.count and not o.effects)
    own = [flag for flag in flags if flag[:1] == "-" and flag not in known.entry.help][:1]
    return (*own, *islice(_unknown(known.entry), 1))


def _unknown(entry: CatalogueEntry) -> Iterator[str]:
    """Options that an entry does not know."""
    return (name for name in MADE_UP if entry.options.get(name) is None)


def value_options(program: str, catalogue: Catalogue) -> tuple[str, ...]:
    """The global options of a program that take the next word as their value."""
    known = catalogue.lookup(program)
    if known is None or not known.entry.children:
        return ()
    return tuple(n for n, o in known.entry.options.items() if o.count == 1 and n[:1] == "-")


class _Tails:
    """All that one catalogue says of a program, what is alike only once.

    Subcommands are alike that do the same, options that take and do the same beside the same
    operands; but those that a rule names, or on which a form depends, are only like themselves.
    """

    def __init__(self, by: Sampling, only: frozenset[str] | None = None) -> None:
        self.by = by
        self.only = only
        self._seen: set[object] = set()

    def _is_new(self, key: object) -> bool:
        known = key in self._seen
        self._seen.add(key)
        return not known

    def of(
        self, entry: CatalogueEntry, path: str, depth: int, client: bool = False
    ) -> Iterator[Tail]:
        """What may stand after the words of an entry; `client`: one above it changes a server."""
        operands = self.by.operands
        yield from ((word,) for word in operands.words)
        forms = list(entry.forms)
        kinds = [place.kind for form in forms for place in form.operands.places]
        needed = {min(form.operands.least, 4) for form in forms} | {2}
        literal = list(dict.fromkeys(word for kind in kinds for word in literals(kind)))
        yield from ((word,) for word in literal)
        if "python" in kinds:
            yield from ((f"open('{path}', '{mode}')",) for path in operands.paths for mode in "rw")
        yield from (("x", word) for word in (*operands.words, *literal))
        yield from (("x",) * count for count in sorted(needed) if count > 2)
        yield from (("1", *("x",) * (count - 1)) for count in sorted(needed) if count > 1)
        yield from ((COMPUTED,), (PRINTED,), ("x", COMPUTED))
        if entry.exec_option:
            yield (".", entry.exec_option, "x", ";")
        client = client or entry.client
        unknown = islice((n for n in _unknown(entry) if n not in self.by.named), 1)
        for option in chain(self.options(entry, client), ((name,) for name in unknown)):
            yield option
            yield from ((*option, *("x",) * count) for count in sorted(needed | {1}) if count)
            yield from ((*option, word) for word in operands.words)
            # after an operand: a rule may name the option as the next word
            if not 0 < depth <= MAX_DEPTH:
                yield from ((word, *option) for word in ("x", *operands.words))
        for child in self._children(entry, path) if depth <= MAX_DEPTH else ():
            yield from self._of_child(child, f"{path} {child}", depth, client)

    def _children(self, entry: CatalogueEntry, path: str) -> Iterator[str]:
        """The subcommands, of those that one entry names the longest first, which says most."""
        together: dict[object, list[str]] = {}
        for child in sorted(entry.children):
            below = self.by.catalogue.entry(f"{path} {child}")
            together.setdefault(below.origin if below else child, []).append(child)
        return chain.from_iterable(
            sorted(names, key=len, reverse=True) for names in together.values()
        )

    def _of_child(self, child: str, path: str, depth: int, client: bool) -> Iterator[Tail]:
        below = self.by.catalogue.entry(path)
        named = child in self.by.named and path
        shape = None if below is None or below.children else shape_of(below.packed())
        if not self._is_new((shape or path, client, named)):
            return
        yield (child,)
        if below is not None and depth < MAX_DEPTH:
            yield from ((child, *tail) for tail in self.of(below, path, depth + 1, client))

    def options(self, entry: CatalogueEntry, client: bool = False) -> Iterator[Tail]:
        """Each option once, with each sort of value that it may have."""
        special = _special(entry)
        beside = shape_of(entry.packed(), ("options", "children")), client
        for name, option in entry.options.every():
            if self.only is not None and name not in self.only:
                continue
            joined = name.endswith("=") or name in entry.options.prefixes
            own = option.identity in special or name in self.by.named or name in _SIGNS
            alike = (option.identity, id(entry)) if own else _facts_of(option)
            if self._is_new((alike, joined, beside)):
                yield from self._given(name, option, joined)

    def _given(self, name: str, option: Option, joined: bool) -> Iterator[Tail]:
        words = self.by.operands.words
        if joined:
            yield from ((name + value,) for value in ("x", *words))
            return
        if option.count in (0, -1, -2):
            yield (name,)
        if option.count:
            given = [w for kind in option.kinds for w in literals(kind)]
            values = ("x", "1", *words, *given)
            many = max(option.count, 1)
            yield from ((name, value, *("x",) * (many - 1)) for value in values)
            if option.count == -1:
                yield from ((f"{name}={value}",) for value in values)


def crossed(
    path: str,
    entries: tuple[CatalogueEntry, CatalogueEntry],
    both: Sequence[Sampling],
    alike: Callable[[Tail], object],
    only: frozenset[str] | None = None,
) -> Iterator[Tail]:
    """What only shows where two entries differ: words that one reads as the value of an option,
    operands at each place, options on which a form depends, beginnings of long options, what
    stands in front of a subcommand. `alike` is the same for words that are read alike alone."""
    old, new = entries
    names, changed = sorted(turned(old, new)), _changed(old, new)
    known = (frozenset(name for name, _ in each.options.every()) for each in entries)
    spelled = frozenset.intersection(*known).difference(names)  # they take the same words
    begun = [name for each in sorted(changed) for name in _begun(each, entries)]
    yield from ((name, *xs) for name in begun for xs in ((), ("x",)))
    for entry, by in zip(entries, both, strict=True):
        options = [*_Tails(by).options(entry)]
        yield from ((name, *each) for name in names for each in options)
        further = [("x",) * at for at in range(1, min(_most(entry), 4))]
        yield from ((*xs, word) for xs in further for word in by.operands.words)
        special = _special(entry)
        named = ((entry.options.identity(str(each[0])), each) for each in options)
        chosen = {number: each for number, each in named if number in special}
        mine = {entry.options.identity(name) for name in only or ()}
        other = chosen.keys() if only is None else chosen.keys() & mine
        for number, first in chosen.items():
            if number in other:
                yield from ((*first, *xs, word) for xs in further for word in by.operands.words)
            seconds = [s for n, s in chosen.items() if number in other or n in other]
            yield from ((*first, *second, *xs) for second in seconds for xs in ((), ("x",)))
        if entry.children:
            given = (*_Tails(by, changed).options(entry), *((b,) for b in begun))
            fronts = {(len(front), alike(front)): front for front in reversed(given)}
            below = [*_below(entry, path, by, only is None or not changed <= spelled)]
            yield from ((*front, *tail) for front in fronts.values() for tail in below)


def _most(entry: CatalogueEntry) -> int:
    return max((len(form.operands.places) for form in entry.forms), default=0)


def _changed(old: CatalogueEntry, new: CatalogueEntry) -> frozenset[str]:
    """The options that one entry alone has, or that take or do something else."""
    before, after = (dict(each.options.every()) for each in (old, new))
    same = {n for n in before.keys() & after.keys() if _facts_of(before[n]) == _facts_of(after[n])}
    return frozenset(before.keys() | after.keys()) - same


def _begun(name: str, entries: tuple[CatalogueEntry, ...]) -> Iterator[str]:
    """The beginnings that may stand for a long option."""
    if name[:2] == "--" and any(each.abbreviations for each in entries):
        yield from (name[:end] for end in range(3, len(name)))


def _below(entry: CatalogueEntry, path: str, by: Sampling, wide: bool) -> Iterator[Tail]:
    """Each sort of subcommand, with what it needs, and with each of its options if both sides do
    not read the words in front of them as the same."""
    every = _Tails(by)
    for child in sorted(entry.children):
        below = by.catalogue.entry(f"{path} {child}")
        yield from ((child, *("x",) * count) for count in range(3))
        if below is not None and wide:
            yield from ((child, *option) for option in every.options(below))


def _facts_of(option: Option) -> object:
    return option.count, option.kinds, option.effects


def _special(entry: CatalogueEntry) -> set[int]:
    """The options that make a difference by their names."""
    names = [*(entry.in_place or ()), entry.exec_option, *entry.help]
    names += [name for setting in entry.settings for name in (*setting.off, *(setting.early or ()))]
    found = {n for n in map(entry.options.identity, names) if n is not None}
    for form in entry.forms:
        found |= form.needs | form.without | form.overrides.keys()
        found |= {need.option for each in form.value_needs for need in each}
    return found


def literals(kind: Kind) -> Iterator[str]:
    """The words that a kind spells out, with a letter for what it leaves open."""
    if isinstance(kind, Literals):
        yield from sorted(kind.exact)
        yield from (head + "x" for head in kind.heads)
        yield from ("x" + tail for tail in kind.tails)
        yield from (f"x{middle}x" for middle in kind.middles)
    elif isinstance(kind, OneOf):
        for each in kind.kinds:
            yield from literals(each)
    elif isinstance(kind, WithEffects):
        yield from literals(kind.kind)
    elif isinstance(kind, Affixed):
        yield from literals(kind.words)


def allowed(both: tuple[Side, Side], operand: str) -> tuple[tuple[str, ...], ...]:
    """The words of rules that allow, after which `operand` is a path or a host that the program
    opens: of rules that lift the same, those of one for each way to open it."""
    found: dict[object, tuple[str, ...]] = {}
    for side in both:
        for rule in side.policy.rules:
            if rule.decision is not Decision.ALLOW or rule.exact:
                continue
            lifts = rule.conditions, rule.confined, rule.origin.layer
            for words in islice(product(*rule.pattern), MAX_SPELLINGS):
                for cause in read((*words, operand), side.catalogue).effects:
                    way = _way(cause.subject)
                    if way:
                        found.setdefault((lifts, cause.effect, way), words)
    return tuple(dict.fromkeys(found.values()))


def remover(both: tuple[Side, Side], path: str) -> tuple[tuple[str, ...], ...]:
    """A program of which nothing is known but that it removes its operand, if there is one."""
    for side in both:
        for name in ("unlink", *side.catalogue.programs()):  # unlink(1), which mostly is there
            causes = read((name, path), side.catalogue).effects
            removing = [cause for cause in causes if cause.effect != "read"]
            if removing and all(map(_removes, removing)):
                return ((name,),)
    return ()


def _removes(cause: Cause) -> bool:
    return isinstance(cause.subject, Access) and cause.subject.mode == "remove"


def _way(subject: object) -> tuple[str, ...]:
    """How a path or a host is opened; nothing where neither is."""
    if isinstance(subject, Access):
        return subject.mode, subject.extent
    return (subject.protocol,) if isinstance(subject, Connect) else ()
