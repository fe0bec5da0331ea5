"""The commands that a new policy decides less strictly than an old one."""

from collections.abc import Iterable, Iterator
from itertools import chain, count

from execpolicy.catalogue import read
from execpolicy.catalogue.descend import descend
from execpolicy.catalogue.reading.reading import Inner
from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.model.operation import Dynamic, Request, Word
from execpolicy.model.rule import PrefixRule
from execpolicy.model.verdict import written
from execpolicy.prove import side as sides_of
from execpolicy.prove.catalogues import EntryChange, changes, other_options
from execpolicy.prove.guards import Surroundings, asking, forbids, never_looser
from execpolicy.prove.inclusion.acceptors import TooHardError
from execpolicy.prove.inclusion.rule_table import Table, group_of
from execpolicy.prove.inclusion.word_states import Steps
from execpolicy.prove.policy_walk import CommandClass, PolicyWalk, Words
from execpolicy.prove.readings import Differences, Summary, summary
from execpolicy.prove.samples import (
    INNER,
    SAMPLES,
    Operands,
    Sampling,
    crossed,
    global_options,
    tails,
    value_options,
)
from execpolicy.prove.side import BELOW, HOME, ROOT, Side
from execpolicy.prove.witness import Witness, looser, plainest

Sides = tuple[Side, Side]

MAX_WITNESSES = 24
MAX_SAMPLES = 150_000
MAX_WAYS = 16
"""In which a command starts another one: by this option, in that subcommand."""
MAX_STARTED = 256
"""Rules that allow of which the words are tried as what another command starts."""


class Tails:
    """Tails that are kept for those who ask again, and made no sooner than one asks: the first ones
    often show what is looser."""

    def __init__(self, made: Iterator[tuple[Word, ...]]) -> None:
        self._made = made
        self._known: list[tuple[Word, ...]] = []

    def __iter__(self) -> Iterator[tuple[Word, ...]]:
        for at in count():
            if at == len(self._known):
                more = next(self._made, None)
                if more is None:
                    return
                self._known.append(more)
            yield self._known[at]


class CommandSearch:
    """Looks for commands about which the second of two policies is looser.

    `unknown` says of which programs it could not be told, and why.
    """

    def __init__(
        self,
        both: Sides,
        around: Surroundings,
        fields: tuple[str, ...],
        most: int = MAX_WITNESSES,
        differ: bool | None = None,
        ruled: Operands = Operands((), ()),  # noqa: B008 — a value
    ) -> None:
        """`differ`: the catalogues do; None where that was not looked at. `ruled` are paths
        and hosts to try beside those that conditions name."""
        old, new = both
        self.both = both
        self.around = around
        self.fields = fields
        self.most = most
        self.table = Table(old.policy.rules, new.policy.rules, (_listed(old), _listed(new)))
        self.unknown: dict[str, None] = {}
        self.steps = Steps()
        self._told: set[int] = set()
        self._tails: dict[Words, Tails] = {}
        paths = dict.fromkeys((*(path for _, path in sides_of.PLACES), *ruled.paths))
        hosts = dict.fromkeys((*self._hosts(), *ruled.hosts, sides_of.OTHER_HOST))
        operands = Operands(tuple(paths), tuple(hosts))
        options = (o for r in self.table.rules if r.conditions for o in r.conditions.options)
        self.named = self.table.words.union(options)
        if differ is None:
            differ = next(changes(old.catalogue, new.catalogue), None) is not None
        catalogues = (old.catalogue, new.catalogue)[: 1 + differ]
        self._filling = frozenset((*operands.words, *SAMPLES))
        self._samplings = [Sampling(each, operands, self.named) for each in catalogues]

    def _hosts(self) -> tuple[str, ...]:
        """The hosts that conditions name: of rules of one side alone, then of the others, which
        may lift one effect where the other is lifted by what differs."""
        differing = sorted(self.table.differing)
        rules = (*(self.table.rules[number] for number in differing), *self.table.rules)
        found = (host for rule in rules if rule.conditions for host in rule.conditions.hosts)
        return tuple(dict.fromkeys(host for host in found if host[:1] not in "@*"))[:8]

    def run(self, everything: bool = False) -> Iterator[Witness]:
        """Each witness, at most one for each rule that differs.

        `everything`: also about programs of which no rule differs.
        """
        for name in sorted(self.table.groups if everything else self.table.changed()):
            try:
                for found in self._group(name, everything):
                    yield found
                    self.most -= 1
                    if not self.most:
                        return
            except TooHardError:
                self.unknown[f"the rules for `{printable(name, 40)}` overlap in too many ways"] = (
                    None
                )

    def programs(self, different: list[EntryChange]) -> Iterator[Witness]:
        """A witness for each program of which the catalogues do not say the same, one for all that
        are alike but for their names, if no rule is about them."""
        told: set[object] = set()
        for change in different:
            name, _, rest = change.path.partition(" ")
            alike: set[object] = set()
            if self._is_unruled(name):
                alike = {change.program, (change.program, rest), (name, change.shapes)}
            if name in told or alike & told or self.most <= 0:
                continue
            told |= alike - {change.program}
            witness = next(self._changed(change), None)
            if witness is not None:
                told |= {name, *alike}
                yield witness
                self.most -= 1
            elif not change.is_clear(self.around.forbids or self._is_forbidden(name)):
                shown = printable(change.path, 40)
                self.unknown[f"the catalogues describe `{shown}` differently"] = None

    def _changed(self, change: EntryChange) -> Iterator[Witness]:
        words = tuple(change.path.replace("{version}", "3").split())
        more: Iterable[tuple[Word, ...]] = ()
        only = alone = None
        group = group_of(words[0])
        if change.old is not None and change.new is not None:
            entries = change.old, change.new
            only = other_options(*entries)

            def alike(front: tuple[Word, ...]) -> object:
                return self._key(self._read_as((*words, *front)), front)

            more = crossed(change.path, entries, self._samplings, alike, only)
            if self._is_unruled(words[0]) and not any(map(forbids, self.both)):
                alone = Differences(asking(self.both[1]))
        differing = self._distinct(words, False, chain([()], more), only, alone)
        tried = ((*words, *tail) for tail in differing)
        yield from filter(None, map(self.judged, tried))
        if group in self.table.groups:  # its rules are the same, but what they are about is not
            yield from self._group(group, everything=True)

    def _is_unruled(self, name: str) -> bool:
        """Whether no rule is about a program, or about what it touches."""
        paths = (rule for side in self.both for rule in side.policy.paths.rules)
        named = {each.partition(" ")[0] for rule in paths for each in rule.programs}
        return group_of(name) not in self.table.groups and name not in named

    def _is_forbidden(self, name: str) -> bool:
        """Whether a rule about a program forbids some of what it does."""
        acceptors = self.table.groups.get(group_of(name), ())
        rules = (r for n in acceptors for r in self._of(self.table.acceptors[n].rules))
        return any(r.decision is Decision.FORBIDDEN and r.conditions for r in rules)

    def _group(self, name: str, everything: bool) -> Iterator[Witness]:
        walk = PolicyWalk(self.table, name, everything, self.steps)
        options = global_options(name, self.both[0].catalogue)
        for found in walk.classes(self.canonical, options, self.meaning):
            rules = found.matched.old ^ found.matched.new
            if rules and rules <= self._told:
                continue
            if never_looser(self._of(found.matched.old), self._of(found.matched.new), self.around):
                continue
            witness = self._class(found)
            if witness is not None:
                self._told |= rules
                yield witness

    def meaning(self, words: Words) -> object:
        """What the catalogues say of words that begin a command: which subcommand, and what it
        does."""
        bare = (words[0].rpartition("/")[2], *words[1:])
        return tuple(
            (descend(bare, each.catalogue).name, summary(bare, each.catalogue))
            for each in self._samplings
        )

    def _of(self, numbers: Iterable[int]) -> list[PrefixRule]:
        return [self.table.rules[number] for number in numbers]

    def canonical(self, words: Words) -> Words:
        """The words without the global options in front of a subcommand."""
        name = words[0].rpartition("/")[2]
        if not self._has_children(name) or not any(word[:1] in "-+" for word in words[1:]):
            return words
        found = read((name, *words[1:]), self.both[0].catalogue).canonical
        return (words[0], *(word for word in found[1:] if isinstance(word, str)))

    def _has_children(self, name: str) -> bool:
        known = self.both[0].catalogue.lookup(name)
        return known is not None and bool(known.entry.children)

    def _class(self, found: CommandClass) -> Witness | None:
        """A command of the class about which the new policy is looser."""
        places = self.directories(self._of(found.matched.old | found.matched.new))
        tried = ((words, cwd) for words in self.commands(found) for cwd in places)
        later = chain.from_iterable(map(self.following, (found.words,)))  # if they are needed
        more = ((*found.words, *tail) for tail in later)
        witness = plainest(tried, self.judged, self.both[1].catalogue, more)
        if witness is not None:
            return witness
        for rule in self._of(found.matched.new):
            if rule.conditions and rule.conditions.stdin:
                self.unknown[
                    f"what `{written(found.words)}` reads from its standard input is known by its "
                    f"digest alone: the rule at {rule.origin} allows it with one text, which "
                    "the author of the rule has; read that text, or remove the rule"
                ] = None
        return None

    def directories(self, rules: list[PrefixRule]) -> tuple[str, ...]:
        """The directories that make a difference for these rules."""
        found = [ROOT]
        if any(rule.below for rule in rules):
            found.append(BELOW)
        if any(rule.conditions and rule.conditions.places for rule in rules):
            found += map(sides_of.directory_of, sides_of.PLACES)
        return tuple(dict.fromkeys(found))

    def commands(self, found: CommandClass) -> Iterator[tuple[Word, ...]]:
        """The sorts of command of a class, the plainest first."""
        rules = self._of(found.matched.old | found.matched.new)
        named = {o for rule in rules if rule.conditions for o in rule.conditions.options}
        options = sorted(named)
        begun = [*self._in_front(found.words, options)]
        if not found.is_open:
            yield from (found.words, *begun)
            return
        optioned = [(*found.words, option) for option in options]
        yield from ((*words, "x") for words in optioned)
        for tail in self.following(found.words):
            yield (*found.words, *tail)
        if any(rule.conditions for rule in self._of(found.matched.old ^ found.matched.new)):
            yield from self.starting(found.words)
        for words in (*optioned, *begun):
            tails_of = chain(((), ("x",)), self.following(found.words))
            yield from ((*words, *tail) for tail in tails_of)

    def _in_front(self, words: Words, options: list[str]) -> Iterator[Words]:
        """The words with each option in front of the subcommand, where no rule sees it. The value
        of a global option may be read as an option, too."""
        program, *rest = self.canonical(words)
        name = program.rpartition("/")[2]
        if self._has_children(name):
            flags = ((), *((flag,) for flag in value_options(name, self.both[0].catalogue)))
            for option in options:
                yield from ((program, *flag, option, *rest) for flag in flags)
                yield (program, option, "x", *rest)

    def starting(self, words: Words) -> Iterator[tuple[Word, ...]]:
        """The words with each sort of command that they start, in each way in which they do: with
        each effect, and what a rule allows. Effects of what is started are those of the command."""
        bare = (words[0].rpartition("/")[2], *words[1:])
        ways = set[object]()
        for tail in chain([()], self.following(words)):
            for by in self._samplings:
                for inner in read((*bare, *tail), by.catalogue).inner:
                    way = (
                        *(word for word in inner.via.split() if word not in self._filling),
                        inner.argv is None,
                    )
                    if way not in ways and len(ways) < MAX_WAYS:
                        ways.add(way)
                        yield from with_inner((*words, *tail), inner, self._started())

    def _started(self) -> Iterator[tuple[str, ...]]:
        paths = self._samplings[0].operands.paths
        for words in INNER.values():
            yield from (
                (*words[:-1], path) for path in (paths if words[1:] == ("x",) else words[-1:])
            )
        allowed = [r for r in self.table.rules if r.decision is Decision.ALLOW]
        if len(allowed) > MAX_STARTED:
            self.unknown["more rules allow than are tried as what another command starts"] = None
        yield from (tuple([tokens[0] for tokens in r.pattern]) for r in allowed[:MAX_STARTED])

    def following(self, words: Words) -> "Tails":
        """The tails that differ in what the command does, by either catalogue."""
        known = self._tails.get(words)
        if known is None:
            known = self._tails[words] = Tails(self._distinct(words))
            if len(self._tails) > 256:
                self._tails.pop(next(iter(self._tails)))
        return known

    def _distinct(
        self,
        words: Words,
        deep: bool = True,
        more: Iterable[tuple[Word, ...]] = (),
        only: frozenset[str] | None = None,
        alone: Differences | None = None,
    ) -> Iterator[tuple[Word, ...]]:
        """The tails that are not read alike. `deep`: by either catalogue, also what stands after
        subcommands; else those that the two read otherwise. `only`: with no other options. `alone`
        leaves out what needs no look where no rule is about the program."""
        seen = set()
        every = chain.from_iterable(tails(words, each, deep, only) for each in self._samplings)
        bare = (words[0].rpartition("/")[2], *words[1:])
        for number, tail in enumerate(_unique(chain(every, more))):
            if number > MAX_SAMPLES:
                self.unknown[f"`{written(words)}` has too many forms to try each"] = None
                return
            read_as = self._read_as((*bare, *tail))
            if not deep and read_as[0] == read_as[-1]:
                continue
            key = self._key(read_as, tail)
            if key not in seen and (alone is None or alone.tells(*read_as)):
                seen.add(key)
                yield tail

    def _read_as(self, words: tuple[Word, ...]) -> tuple[Summary, ...]:
        return tuple(summary(words, each.catalogue) for each in self._samplings)

    def _key(self, read_as: tuple[Summary, ...], tail: tuple[Word, ...]) -> object:
        """What tells a tail apart: a rule may name the words of one of two that are read alike."""
        return read_as, tuple(word if word in self.named else None for word in tail)

    def judged(self, words: tuple[Word, ...], cwd: str = ROOT) -> Witness | None:
        """The witness that a command is, if it is one."""
        request, shown = requested(words, cwd)
        return looser("command", shown, request, self.both, self.fields)


def _unique(tails: Iterable[tuple[Word, ...]]) -> Iterator[tuple[Word, ...]]:
    """Each once: most of what two catalogues say of a program is the same."""
    known = set[tuple[Word, ...]]()
    for tail in tails:
        if tail not in known:
            known.add(tail)
            yield tail


def with_inner(
    argv: tuple[Word, ...], inner: Inner, samples: Iterable[tuple[str, ...]]
) -> Iterator[tuple[Word, ...]]:
    """The words of a command with other words in the place of those that it starts."""
    size = len(inner.argv) if inner.argv is not None else 1
    wanted = inner.argv if inner.argv is not None else (inner.script,)
    ends = range(len(argv), size - 1, -1)
    end = next((end for end in ends if argv[end - size : end] == wanted), None)
    if end is None:  # made of other words
        return
    for sample in samples:
        put = sample if inner.argv is not None else (" ".join(sample),)
        yield (*argv[: end - size], *put, *argv[end:])


def requested(words: tuple[Word, ...], cwd: str = ROOT) -> tuple[Request, str]:
    """The request to run words, of which some may be computed, and how the user reads it."""
    literal = tuple(word for word in words if isinstance(word, str))
    request = (
        sides_of.command(literal, cwd)
        if len(literal) == len(words)
        else sides_of.script(_text(words), cwd)
    )
    shown = _text(words).replace(ROOT + "/", "").replace(HOME + "/", "~/")
    if cwd != ROOT:
        shown = f"cd {cwd.replace(ROOT + '/', '').replace(HOME + '/', '~/')} && {shown}"
    return request, shown


def _text(words: tuple[Word, ...]) -> str:
    return " ".join(
        f'"{w.source}"' if isinstance(w, Dynamic) else written((w,), 300) for w in words
    )


def _listed(side: Side) -> dict[str, tuple[str, ...]]:
    return {name: rule.paths for name, rule in side.policy.hosts.items()}
