"""The compiled rules: an immutable value that tells which of them apply to an operation.

Rules that tighten match loosely, rules that loosen match strictly. So a question about a command
comes with several spellings of it: the strict one, exactly the words that will run, and loose ones
(bare program name, global options left out) of which any may make a tightening rule apply.
"""

from execpolicy.model.decision import Decision
from execpolicy.model.operation import MCP, Word
from execpolicy.model.rule import (
    HostExecutable,
    HostSet,
    NetworkRule,
    PathRule,
    PlaceRule,
    PrefixRule,
    Rule,
    SandboxRule,
)
from execpolicy.policy.packed_rules import PackedRules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import TypeVar

    from execpolicy.policy.path_index import PathIndex
    from execpolicy.policy.place_index import PlaceIndex
    from execpolicy.policy.place_keys import Keys

    Resolver = Callable[[str], str | None]
    T = TypeVar("T")
    ByKind = Mapping[type[object], Iterable[Rule]]


class Policy:
    """Rules of all layers. Built once, never changed; safe to share between threads.

    `sandbox` is what is said about confined runs, in order.
    """

    def __init__(
        self,
        rules: "Iterable[Rule]" = (),
        packed: "Iterable[PackedRules]" = (),
        later: "Sequence[ByKind]" = (),
        keys: "Iterable[Keys]" = (),
        sandbox: "Iterable[SandboxRule]" = (),
    ) -> None:
        """`later` are rules of other kinds than prefix rules, read when they are first needed.

        `keys` are those of their places (`place_keys.keys_of`), where there are no other rules.
        """
        kinds = by_kind(rules)
        prefix = _of(PrefixRule, (kinds,))
        self._subjects = _Subjects((kinds, *later), () if kinds else keys)
        self.packed = (*packed, *([PackedRules.of(prefix)] if prefix else ()))
        self.sandbox = (*sandbox, *_of(SandboxRule, (kinds,)))

    @property
    def hosts(self) -> "Mapping[str, HostExecutable]":
        """Which paths may stand for a program, by its name."""
        return self._subjects.hosts

    @property
    def network(self) -> "tuple[NetworkRule, ...]":
        """The rules about hosts."""
        return self._subjects.of(NetworkRule)

    @property
    def paths(self) -> "PathIndex":
        """The rules about paths."""
        return self._subjects.paths

    @property
    def places(self) -> "PlaceIndex":
        """The declarations of classes of paths."""
        return self._subjects.places

    def has_places_of(self, other: "Policy") -> bool:
        """Whether what is said of paths is what another policy says."""
        return self._subjects is other._subjects

    @property
    def host_sets(self) -> "tuple[HostSet, ...]":
        """The hosts that have one name, for network rules."""
        return self._subjects.of(HostSet)

    def beside(
        self,
        packed: PackedRules,
        paths: "Sequence[PathRule]" = (),
        network: "Sequence[NetworkRule]" = (),
    ) -> "Policy":
        """The same policy with more rules."""
        other = Policy(sandbox=self.sandbox)
        other._subjects = (
            self._subjects.beside((*paths, *network)) if paths or network else self._subjects
        )
        other.packed = (*self.packed, packed)
        return other

    def without(self, left_out: "Collection[PrefixRule]") -> "Policy":
        """The same policy with fewer prefix rules."""
        other = Policy(sandbox=self.sandbox)
        other._subjects = self._subjects
        other.packed = tuple(packed.without(left_out) for packed in self.packed)
        return other

    @property
    def rules(self) -> "Iterator[PrefixRule]":
        """Every prefix rule, in order."""
        return (packed.rule(n) for packed in self.packed for n in range(len(packed)))

    def matches_none(self, spellings: "Iterable[Sequence[Word]]") -> bool:
        """Whether certainly no rule matches any of the spellings: for most commands none does."""
        for argv in spellings:
            for packed in self.packed:
                if argv and not packed.begins_none(argv[0]):
                    return False
        return True

    def matching(self, argv: "Sequence[Word]") -> tuple[PrefixRule, ...]:
        """Every rule whose pattern is a prefix of exactly these words."""
        return tuple(rule for packed in self.packed for rule in packed.matching(argv))

    def resolved(
        self, argv: "Sequence[Word]", resolve: "Resolver"
    ) -> tuple[str, tuple[PrefixRule, ...]]:
        """The rules that match by the program's base name, and its absolute path.

        `resolve` makes a program name absolute, or gives None. Where a `host_executable` lists
        paths for the name, or for the name that a caseless rule begins with, only those resolve.
        """
        program = argv[0] if argv and isinstance(argv[0], str) else ""
        path = resolve(program) if program else None
        name = path.rpartition("/")[2] if path else ""
        if path is None or not name:
            return "", ()
        listed = self.hosts.get(name)
        if listed is not None and path not in listed.paths:
            return "", ()
        rules = self.matching((name, *argv[1:]))
        return path, tuple(r for r in rules if listed_at(self.hosts, r, path))

    def tightening(self, spellings: "Iterable[Sequence[Word]]") -> tuple[PrefixRule, ...]:
        """PROMPT and FORBIDDEN rules that match any of the spellings, in order of writing."""
        found = {id(r): r for s in spellings for r in self.matching(s) if r.decision}
        return tuple(found.values())

    def could_tighten(self, spellings: "Iterable[Sequence[Word]]") -> "Iterator[PrefixRule]":
        """PROMPT and FORBIDDEN rules that would match if dynamic words took some value."""
        for argv in spellings:
            for packed in self.packed:
                yield from packed.could_tighten(argv)

    def allowing(
        self,
        strict: "Sequence[Word]",
        spellings: "Iterable[Sequence[Word]]" = (),
        confined: bool = False,
    ) -> tuple[PrefixRule, ...]:
        """ALLOW rules that certainly cover the words that will run.

        A path is covered only if `host_executable` lists it. An exception of the rule tightens, so
        it counts in any of the `spellings`. `confined` asks for the rules that hold in the sandbox
        only. What a rule lifts of the command is for its conditions to say.
        """
        rules = (*self.matching(strict), *self._listed(strict), *self._of_server(strict))
        loose = tuple(spellings)
        return tuple(
            r
            for r in rules
            if r.decision is Decision.ALLOW
            and r.confined is confined
            and not any(map(r.excepts, loose))
        )

    def _of_server(self, argv: "Sequence[Word]") -> tuple[PrefixRule, ...]:
        """The rules for the whole server of a tool, where its name can be read in one way."""
        name = argv[0] if argv else ""
        if not isinstance(name, str) or not name.startswith(MCP) or name.count("__") != 2:
            return ()
        return self.matching((name.rpartition("__")[0], *argv[1:]))

    def _listed(self, argv: "Sequence[Word]") -> tuple[PrefixRule, ...]:
        program = argv[0] if argv else ""
        if not isinstance(program, str) or not program.startswith("/"):
            return ()
        name = program.rpartition("/")[2]
        listed = self.hosts.get(name)
        if listed is None or program not in listed.paths:
            return ()
        return self.matching((name, *argv[1:]))


class _Subjects:
    """The rules about what commands name, by kind, read when a command first names something."""

    def __init__(self, parts: "Sequence[ByKind]", keys: "Iterable[Keys]" = ()) -> None:
        self._parts = parts
        self._keys = keys
        self._hosts: dict[str, HostExecutable] | None = None
        self._paths: PathIndex | None = None
        self._places: PlaceIndex | None = None

    def of(self, kind: "type[T]") -> "tuple[T, ...]":
        """The rules of a kind, in order."""
        return _of(kind, self._parts)

    @property
    def hosts(self) -> "Mapping[str, HostExecutable]":
        """By the names of programs."""
        if self._hosts is None:
            self._hosts = {rule.name: rule for rule in self.of(HostExecutable)}
        return self._hosts

    @property
    def paths(self) -> "PathIndex":
        """The rules about paths, to be found by a path."""
        if self._paths is None:
            from execpolicy.policy.path_index import PathIndex

            self._paths = PathIndex(self.of(PathRule))
        return self._paths

    @property
    def places(self) -> "PlaceIndex":
        """The declarations, to be found by a path."""
        if self._places is None:
            from execpolicy.policy.place_index import PlaceIndex

            self._places = PlaceIndex(self.of(PlaceRule), self._keys)
        return self._places

    def beside(self, rules: "Iterable[Rule]") -> "_Subjects":
        """The same rules and more of them."""
        return _Subjects((*self._parts, by_kind(rules)), self._keys)


def by_kind(rules: "Iterable[Rule]") -> "ByKind":
    """The rules of each kind, in order."""
    found: dict[type[object], list[Rule]] = {}
    for rule in rules:
        found.setdefault(type(rule), []).append(rule)
    return found


def _of(kind: "type[T]", parts: "Sequence[ByKind]") -> "tuple[T, ...]":
    found = (rule for part in parts for rule in part.get(kind, ()))
    return tuple(rule for rule in found if isinstance(rule, kind))


def listed_at(hosts: "Mapping[str, HostExecutable]", rule: PrefixRule, path: str) -> bool:
    """Whether `path` is not kept from standing for the name that the rule begins with."""
    listed = hosts.get(rule.pattern[0][0])
    return listed is None or path in listed.paths
