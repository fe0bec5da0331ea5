"""Which rules, alternatives and exceptions no case reaches."""

from collections.abc import Iterator, Sequence

from execpolicy.cases.run import Result
from execpolicy.engine.paths.targets import Places, matching_hosts, matching_paths
from execpolicy.engine.unwrap import unwrap
from execpolicy.model.operation import Access, Connect, Exec, Word
from execpolicy.model.rule import NetworkRule, Origin, Pattern, PrefixRule, fold, is_prefix
from execpolicy.policy.path_index import PathIndex
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.record import Value

Part = tuple[Origin, str]
RULE = "the rule"


class Coverage(Value):
    """The parts of some rules files, and those that no case reaches, each with its rule's place.

    `idle` are rules that no case can reach, with the reason; they are not among the parts.
    """

    parts: tuple[Part, ...]
    missed: tuple[Part, ...]
    idle: tuple[tuple[Part, str], ...] = ()


def coverage(results: Sequence[Result], snapshot: Snapshot, files: Sequence[str]) -> Coverage:
    """What the cases reach of the rules in these files."""
    counter = _Counter(snapshot, frozenset(files))
    for result in results:
        for step in unwrap(result.request, snapshot):
            for subject in step.touched:
                counter.reach(subject, result)
            if step.reading is not None:
                counter.command(step.operation, step.reading.canonical)
    parts = tuple(dict.fromkeys(counter.parts()))
    return Coverage(parts, tuple(p for p in parts if p not in counter.reached))


class _Counter:
    def __init__(self, snapshot: Snapshot, files: frozenset[str]) -> None:
        policy = snapshot.policy
        self.snapshot = snapshot
        self.prefix = [r for r in policy.rules if r.origin.file in files]
        # What is made of a rule for directories that lie elsewhere comes after it (`own_rules`).
        written = [rule for rule in policy.paths.rules if rule.origin.file in files]
        paths = {rule.origin: rule for rule in reversed(written)}
        self._each_path = [
            (path, rule.replace(paths=(path,))) for rule in paths.values() for path in rule.paths
        ]
        self.network = [r for r in policy.network if r.origin.file in files]
        self.reached: set[Part] = set()

    def parts(self) -> Iterator[Part]:
        """Everything that a case can reach."""
        for rule in self.prefix:
            yield rule.origin, named(rule)
            for tokens in rule.pattern[1:]:
                if len(tokens) > 1:
                    yield from ((rule.origin, f"the alternative `{token}`") for token in tokens)
            yield from ((rule.origin, f"the exception {_shown(u)}") for u in rule.unless)
        yield from ((rule.origin, _path(path)) for path, rule in self._each_path)
        yield from ((rule.origin, _host(rule)) for rule in self.network)

    def command(self, operation: object, canonical: tuple[Word, ...]) -> None:
        """Note what a command reaches in each of its spellings."""
        if not isinstance(operation, Exec) or not isinstance(operation.argv[0], str):
            return
        name = operation.argv[0].rpartition("/")[2]
        for argv in dict.fromkeys((operation.argv, canonical, (name, *canonical[1:]))):
            for rule in self.prefix:
                if rule.fits(argv):
                    self._fits(rule, argv)

    def _fits(self, rule: PrefixRule, argv: tuple[Word, ...]) -> None:
        excepted = [u for u in rule.unless if is_prefix(u, argv, rule.canonical)]
        for unless in excepted:
            self.reached.add((rule.origin, f"the exception {_shown(unless)}"))
        if excepted:
            return
        self.reached.add((rule.origin, named(rule)))
        for tokens, word in zip(rule.pattern, argv, strict=False):
            for token in tokens:
                if token == word or (rule.canonical and fold(token) == fold(str(word))):
                    self.reached.add((rule.origin, f"the alternative `{token}`"))

    def reach(self, subject: Access | Connect, result: Result) -> None:
        """Note which rules an operation reaches by its path or its host."""
        if isinstance(subject, Connect):
            hosts = matching_hosts(self.snapshot.policy, subject)
            self.reached.update((h.origin, _host(h)) for h in hosts if h in self.network)
            return
        cwd = result.request.cwd
        places = Places(self.snapshot.home, (cwd,) if cwd else ())
        for path, one in self._each_path:
            if matching_paths(PathIndex((one,)), subject, places):
                self.reached.add((one.origin, _path(path)))


def _host(rule: NetworkRule) -> str:
    return f"the host `{rule.host}`"


def _path(path: str) -> str:
    return f"the path `{path}`"


def named(rule: PrefixRule) -> str:
    """The part that a whole rule is."""
    return f"{RULE} {_shown(rule.pattern)} ({rule.decision.word})"


def _shown(pattern: Pattern) -> str:
    return "`" + " ".join("|".join(tokens) for tokens in pattern) + "`"
