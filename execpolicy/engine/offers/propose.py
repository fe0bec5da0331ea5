"""The smallest rules that would have allowed a request that was asked about.

What is proposed is proved: the request is judged again with the rules in place. Where nothing can
be proposed it is said what to do instead.
"""

from _collections_abc import Callable, Sequence

from execpolicy.catalogue.banned import banned
from execpolicy.engine.offers.offers import ORIGIN, Wanted, offer
from execpolicy.engine.scene import Scene
from execpolicy.model.decision import Decision
from execpolicy.model.errors import has_surrogates
from execpolicy.model.program import UNSEEN
from execpolicy.model.rule import OWN, NetworkRule, PathRule, PrefixRule
from execpolicy.model.verdict import Amendment, JudgedOperation, Proposed
from execpolicy.policy.packed_rules import PackedRules
from execpolicy.store.line import network_line, paths_line, rule_line
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.record import Value

MAX_RULES = 8
"""More than that are not read before they are accepted."""
PASSING = "approve it for this session: it will not come again in these very words"


class Needed(Value):
    """All that a request needs to be allowed."""

    commands: tuple[Wanted, ...]
    others: tuple[PathRule | NetworkRule, ...]
    instead: str = ""
    passing: bool = False

    @property
    def described(self) -> tuple[str, ...]:
        """The paths of the user's own tools for which entries are to be written."""
        tools = [wanted.tool for wanted in self.commands if wanted.tool is not None]
        return tuple(dict.fromkeys(path for tool in tools for path in tool.paths))

    def whole(self) -> "Needed":
        """The same with each command named whole, where that is known."""
        exact = (
            w.replace(words=w.argv, exact=True) if w.argv and not w.tool else w
            for w in self.commands
        )
        return self.replace(commands=tuple(exact))


def propose(
    judged: "Sequence[JudgedOperation]", scene: Scene, redecide: "Callable[[Snapshot], Decision]"
) -> Proposed:
    """Rules that together allow the request, all or none.

    `redecide` asks under another snapshot.
    """
    needed = _needed(judged, scene)
    count = len(needed.commands) + len(needed.others)
    if needed.instead or not count or count > MAX_RULES:
        return Proposed((), needed.instead or "run its parts one by one")
    for tried in (each for each in (needed, needed.whole()) if _is_taken(each, scene.snapshot)):
        for below in (False, True) if _is_below(scene) else (False,):
            rules = [_rule(w, below or w.tool is not None) for w in tried.commands]
            if redecide(_with(scene.snapshot, rules, tried)) is Decision.ALLOW:
                found = tuple({each.rule: each for each in _amendments(tried, rules)}.values())
                once = needed.passing or any(wanted.passing for wanted in tried.commands)
                return Proposed((), PASSING, passing=found) if once else Proposed(found)
    if not _can_be_written(needed):
        return Proposed((), "rename what is not valid UTF-8: no rule can name it")
    return Proposed((), "run it where the project's own directory is, or run its parts one by one")


def _is_taken(needed: Needed, snapshot: Snapshot) -> bool:
    """Whether `amend` takes rules for it: what it refuses is not offered."""
    open_ended = (w for w in needed.commands if not w.exact and not w.conditions.only_gets)
    wide = any(banned(wanted.words, snapshot.catalogue) for wanted in open_ended)
    return not wide and _can_be_written(needed)


def _can_be_written(needed: Needed) -> bool:
    """Whether a rules file can name what is needed: it is UTF-8, and a command need not be."""
    words = [word for wanted in needed.commands for word in wanted.words]
    for rule in needed.others:
        words += rule.paths if isinstance(rule, PathRule) else (rule.host,)
    return not any(map(has_surrogates, words))


def _needed(judged: "Sequence[JudgedOperation]", scene: Scene) -> Needed:
    """What each operation that is asked about needs; a command inside of one that is named whole
    needs nothing of its own."""
    commands: dict[int, Wanted] = {}
    others: dict[PathRule | NetworkRule, None] = {}
    passing = False
    for number, (step, one) in enumerate(zip(scene.steps, judged, strict=True)):
        if one.decision is Decision.ALLOW:
            continue
        found = offer(one, number, scene)
        if found.instead:
            return Needed((), (), found.instead)
        others |= dict.fromkeys(found.rules)
        passing |= found.passing
        if found.command is None:
            continue
        outer = step.outer
        if outer in commands and _reaches(commands[outer], step.at, scene, outer):
            commands[outer] = _joined(commands[outer], found.command, scene, outer)
        elif scene.at(number) is not scene:  # in a container, or on another machine
            return Needed((), (), "write out what runs there as words of the command")
        else:
            commands[number] = found.command
    return Needed(tuple(dict.fromkeys(commands.values())), tuple(others), "", passing)


def _reaches(wanted: Wanted, at: int, scene: Scene, number: int) -> bool:
    """Whether one rule may name a command and the one inside it, which begins `at` it: the rule
    goes so far already, or all words are known, so that an exact rule can name them."""
    argv = scene.steps[number].operation.argv  # type: ignore[union-attr]
    return len(wanted.words) > at or (len(argv) > at and all(isinstance(w, str) for w in argv))


def _joined(outer: Wanted, inner: Wanted, scene: Scene, number: int) -> Wanted:
    """One exact rule for a command and the one inside it."""
    argv = scene.steps[number].operation.argv  # type: ignore[union-attr]
    words = tuple(map(str, argv))
    conditions = outer.conditions.joined(inner.conditions)
    passing = outer.passing or inner.passing
    return Wanted(words, exact=True, conditions=conditions, argv=words, passing=passing)


def _rule(wanted: Wanted, below: bool) -> PrefixRule:
    pattern = tuple((word,) for word in wanted.words)
    return PrefixRule(
        pattern,
        Decision.ALLOW,
        None,
        ORIGIN,
        exact=wanted.exact,
        below=below,
        conditions=wanted.conditions,
    )


def _with(snapshot: Snapshot, rules: "Sequence[PrefixRule]", needed: Needed) -> Snapshot:
    """The snapshot as it would be with these rules, and with the entries that they rest on."""
    paths = [rule for rule in needed.others if isinstance(rule, PathRule)]
    hosts = [rule for rule in needed.others if isinstance(rule, NetworkRule)]
    policy = snapshot.policy.beside(PackedRules.of(rules), paths, hosts)
    if not needed.described:
        return snapshot.replace(policy=policy)
    from execpolicy.engine.offers.own_tool import beside

    return snapshot.replace(policy=policy, catalogue=beside(snapshot.catalogue, needed.described))


def _is_below(scene: Scene) -> bool:
    """Whether some command runs below the session's root, where a rule holds by `below = True`."""
    where = scene.where
    numbers = range(len(scene.steps))
    return any(not where.in_root(n) and where.in_root(n, below=True) for n in numbers)


def _amendments(needed: Needed, rules: "Sequence[PrefixRule]") -> tuple[Amendment, ...]:
    found = [_of_command(wanted, rule) for wanted, rule in zip(needed.commands, rules, strict=True)]
    if needed.described:
        from execpolicy.engine.offers.own_tool import line, programs

        at = next(n for n, wanted in enumerate(needed.commands) if wanted.tool is not None)
        entries = map(line, programs(needed.described))
        found[at] = found[at].replace(rule="\n".join((*entries, found[at].rule)))
    return (*found, *map(_of_other, needed.others))


def _of_command(wanted: Wanted, rule: PrefixRule) -> Amendment:
    rule_text = rule_line(
        wanted.words,
        Decision.ALLOW,
        below=rule.below,
        exact=wanted.exact,
        conditions=wanted.conditions,
    )
    effects = wanted.conditions.effects
    places = wanted.conditions.places
    runs_own = not UNSEEN.isdisjoint(effects) and bool(places) and OWN.issuperset(places)
    of_project = runs_own and wanted.tool is None
    return Amendment(wanted.words, rule_text, rule.below, wanted.exact, of_project, wanted.argv)


def _of_other(rule: PathRule | NetworkRule) -> Amendment:
    if isinstance(rule, PathRule):
        return Amendment((), paths_line(rule.paths, rule.modes, Decision.ALLOW, rule.programs))
    return Amendment((), network_line(rule.host, rule.protocol, Decision.ALLOW))
