"""What would settle one thing that asks, as rules that hold for more than it alone.

The narrowest rule is the one that `amend` would offer (`engine/offers`). It is made wider only
along what the catalogue knows: to the sub-command, for the effects that were seen, in the places of
the session's work, at the hosts that were seen. Nothing is made of what is never learned.
"""

from collections.abc import Iterator

from execpolicy.catalogue import Reading
from execpolicy.catalogue.banned import is_script
from execpolicy.catalogue.kinds.elsewhere import LOSES, names_host, says
from execpolicy.engine.offers.offers import Wanted, offer
from execpolicy.engine.offers.own_tool import own_tool
from execpolicy.engine.offers.prefixes import prefix_of
from execpolicy.engine.rules.input import obeys
from execpolicy.engine.scene import RequestCommand, Scene
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Exec
from execpolicy.model.rule import IN_PLACE, OVERLAY, REPOSITORIES, PathRule
from execpolicy.model.verdict import JudgedOperation
from execpolicy.support.record import Value

LEARNED = frozenset(("read", "write", "execute", "network", "remote"))
"""Effects that a learned rule may lift. What is destroyed, or done with other rights, to the system
or by what is not known, asks each time."""
_PLACES = IN_PLACE | {REPOSITORIES}
MIN_DEPTH = 2
"""Directories below the home from which on a tree may be named."""


class Family(Value):
    """Commands that one rule may name together: those that begin alike, and differ in one word.

    `own` is the program, where it is a tool of the user's own that needs entries. `tree` is the
    pattern of a rule about paths, in the place of words. `exact`: what was asked ends there.
    """

    head: tuple[str, ...] = ()
    size: int = 0
    remote: bool = False
    own: str = ""
    tree: str = ""
    exact: bool = False


class Candidate(Value):
    """One thing that asks, in a family: the words, and what it needs to have lifted. `example` are
    all words of the command, where none is computed or a secret."""

    family: Family
    words: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    example: tuple[str, ...] = ()


Need = tuple[Candidate, ...]
"""Candidates of which each settles one operation."""


def needs(scene: Scene, judged: list[JudgedOperation], confined: bool) -> tuple[Need, ...] | None:
    """What a question needs; None where a part of it is nothing that a rule should settle."""
    found: list[Need] = []
    for number, one in enumerate(judged):
        used = in_sandbox(one) if confined else one
        if used.decision is Decision.ALLOW:
            continue
        candidates = () if scene.at(number) is not scene else tuple(_of(used, number, scene))
        if not candidates:
            return None
        found.append(candidates)
    return tuple(dict.fromkeys(found))


def in_sandbox(one: JudgedOperation) -> JudgedOperation:
    """An operation with what holds in the sandbox in the place of what holds outside."""
    return one.replace(matches=tuple(m.replace(decision=m.in_sandbox) for m in one.matches))


def is_never_learned(one: JudgedOperation, number: int, scene: Scene) -> bool:
    """Whether something that asks is for a person each time: a rule of theirs, what a class of
    paths guards, or an effect that is not learned. Of a tool of the user's own, what it does is
    known once it has an entry."""
    asking = [match for match in one.matches if match.decision]
    if any(match.decision is Decision.FORBIDDEN for match in asking):
        return True
    if any(not OVERLAY.keys().isdisjoint(match.places) for match in asking):
        return True
    effects = frozenset(effect for match in asking for effect in match.effects) - LEARNED
    return bool(effects) and not (effects == {"unknown"} and _is_own(one, number, scene))


def _is_own(one: JudgedOperation, number: int, scene: Scene) -> bool:
    operation, reading = one.operation, scene.steps[number].reading
    if not isinstance(operation, Exec) or reading is None:
        return False
    return own_tool(RequestCommand(operation, reading, number, scene)) is not None


def _of(one: JudgedOperation, number: int, scene: Scene) -> Iterator[Candidate]:
    found = offer(one, number, scene)
    wanted = found.command
    if wanted is not None and wanted.tool is not None and not found.rules:
        yield from _tool(wanted, one)
        return
    if found.instead or is_never_learned(one, number, scene):
        return
    if wanted is None:
        rules = [rule for rule in found.rules if isinstance(rule, PathRule)]
        if len(rules) == len(found.rules) == 1 and rules[0].modes == ("read",):
            yield from _trees(rules[0].paths[0])
    elif not found.rules and _is_learned(wanted):
        yield from _commands(wanted, one, number, scene)


def _is_learned(wanted: Wanted) -> bool:
    conditions = wanted.conditions
    known = LEARNED.issuperset(conditions.effects) and _PLACES.issuperset(conditions.places)
    return known and bool(conditions.effects) and not conditions.stdin


def _tool(wanted: Wanted, one: JudgedOperation) -> Iterator[Candidate]:
    """A tool of the user's own, by its sub-command."""
    guarded = any(
        not OVERLAY.keys().isdisjoint(match.places) for match in one.matches if match.decision
    )
    tool = wanted.tool
    if tool is None or guarded or wanted.exact or not _is_learned(wanted):
        return
    if any(says(word, LOSES) for word in tool.prefix[1:]):
        return
    words = tool.prefix
    family = Family(words[:-1] or words, len(words), tool.is_remote, words[0])
    yield _candidate(family, words, wanted, tool.paths)


def _commands(
    wanted: Wanted, one: JudgedOperation, number: int, scene: Scene
) -> Iterator[Candidate]:
    operation, reading = one.operation, scene.steps[number].reading
    if not isinstance(operation, Exec) or reading is None:
        return
    words, exact = wanted.words, wanted.exact
    command = RequestCommand(operation, reading, number, scene)
    if exact and not (obeys(command) or reading.holds_code or reading.inner):
        prefix = prefix_of(operation.argv, reading, scene.snapshot)
        words, exact = (prefix, False) if prefix is not None else (words, True)
    remote = "remote" in wanted.conditions.effects
    named = remote and _names_target(wanted.argv[len(words) :], reading, scene)
    if len(words) > 1 and (is_script(words[-1]) or "://" in words[-1] or named):
        words, exact = wanted.argv, True  # which file runs, or what is reached, is all of it
    if not words or (exact and wanted.passing):
        return
    yield _candidate(Family(words[:-1] or words, len(words), remote, exact=exact), words, wanted)


def _names_target(words: tuple[str, ...], reading: Reading, scene: Scene) -> bool:
    """Whether words name what is changed elsewhere: a host, a bucket, another's image. The
    remotes of git have conditions of their own; a plain entry does not tell texts apart."""
    if any(map(names_host, words)) or reading.path[0] == "git":
        return any(map(names_host, words))
    entry = scene.snapshot.catalogue.entry(" ".join(reading.path))
    named = [word for word in reading.operands if isinstance(word, str)]
    if entry is None or entry.style == "plain":
        named = [word for word in words if word[:1] != "-"][:1]
    return any(("/" in w or ":" in w) and " " not in w and w[:1] not in "./" for w in named)


def _candidate(
    family: Family, words: tuple[str, ...], wanted: Wanted, entries: tuple[str, ...] = ()
) -> Candidate:
    of = wanted.conditions
    return Candidate(family, words, of.effects, of.places, of.hosts, entries, wanted.argv)


def _trees(path: str) -> Iterator[Candidate]:
    """The trees that a path lies in, the narrowest first, none of them all that the user has."""
    if path[:2] != "~/" or path[2:3] == ".":
        return
    parts = path.removesuffix("/*").split("/")
    end = len(parts) if path.endswith("/*") else len(parts) - 1
    for depth in range(end, MIN_DEPTH, -1):
        tree = "/".join(parts[:depth]) + "/*"
        yield Candidate(Family(tree=tree), effects=("read",))
