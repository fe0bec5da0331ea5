"""Which commands that begin with some words may run, and do something: examples, shortest first."""

from collections.abc import Iterator

from execpolicy.catalogue import Catalogue, read
from execpolicy.catalogue.descend import descend
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Dynamic, Exec, Word
from execpolicy.model.program import EFFECTS
from execpolicy.model.rule import PathRule
from execpolicy.model.verdict import Verdict
from execpolicy.prove.commands import CommandSearch, requested
from execpolicy.prove.guards import Surroundings
from execpolicy.prove.inclusion.rule_table import group_of
from execpolicy.prove.policy_walk import PolicyWalk
from execpolicy.prove.samples import HELP, MADE_UP, Operands
from execpolicy.prove.side import CONFINED, DECISION, HOME, Side, decisions
from execpolicy.prove.witness import Reason, is_incomplete, reason_of
from execpolicy.support.record import Value

_HELP = ("-h", "-?", "-help", *(word for words in HELP for word in words))
MAX_RULED = 4
"""Paths, and hosts, of rules that are tried."""


class Passing(Value):
    """A command that runs without a question, as the user writes it, its effects, and what lets
    the strongest of them happen."""

    shown: str
    effects: tuple[str, ...]
    reason: Reason


def passing(
    side: Side, words: tuple[str, ...], effects: tuple[str, ...], field: str = DECISION
) -> Iterator[Passing]:
    """Each sort of command that begins with `words`, is allowed and has one of `effects`.

    Without `effects`, whatever it does. Those of one form stand once: another option or operand
    with the same subcommand, the same effects and the same places by the same rules is no other
    example. Nor is what shows help, or, unless `unknown` is asked for, an option that is made up.
    """
    seen: set[tuple[object, ...]] = set()
    for command in sorted(_commands(side, words), key=lambda each: _plainest(each, side.catalogue)):
        made_up = "unknown" not in effects and any(word in MADE_UP for word in command)
        if made_up or (command[-1] in _HELP and command != words):
            continue
        request, shown = requested(command)
        verdict = side.judge(request)
        done = _effects_of(verdict, side.catalogue)
        if effects and done.isdisjoint(effects):
            continue
        places = frozenset(place for match in verdict.matches for place in match.places)
        ruled = frozenset(match.origin for match in verdict.matches if not match.effects)
        found = descend(tuple(w for w in command if isinstance(w, str)), side.catalogue)
        if is_incomplete(command, side.catalogue) and any(name == found.name for name, *_ in seen):
            continue
        computed = any(isinstance(word, Dynamic) for word in command)
        form = found.name, done, places, ruled, computed
        if decisions(verdict)[field == CONFINED] is Decision.ALLOW and form not in seen:
            seen.add(form)
            ordered = tuple(effect for effect in EFFECTS if effect in done)
            reason = reason_of(side, verdict, field, Decision.ALLOW, ordered[-1:])
            yield Passing(shown, ordered, reason)


def _plainest(command: tuple[Word, ...], catalogue: Catalogue) -> tuple[bool, int, int, str]:
    text = str(command)
    return is_incomplete(command, catalogue), len(command), len(text), text


def _commands(side: Side, words: tuple[str, ...]) -> Iterator[tuple[Word, ...]]:
    """The words, with all that rules name after them, and with what the catalogue does."""
    around = Surroundings(False, True, True, True)
    search = CommandSearch((side, side), around, (DECISION,), ruled=_ruled(side, words[0]))
    begun = {words: None}
    group = group_of(words[0])
    if group in search.table.groups:
        for found in PolicyWalk(search.table, group, everything=True).classes(search.canonical):
            if found.words[: len(words)] == words:
                begun[found.words] = None
    for command in begun:
        yield command
        yield from ((*command, *tail) for tail in search.following(command))
        yield from search.starting(command)


def _ruled(side: Side, program: str) -> Operands:
    """A path and a host for each rule that allows some to this program."""
    policy = side.policy
    rules = [rule for rule in policy.paths.rules if not rule.decision]
    paths = [p for rule in rules if _is_for(rule, program) for p in rule.paths]
    sets = {f"@{each.name}": each.hosts for each in policy.host_sets}
    named = [rule.host for rule in policy.network if not rule.decision]
    named += [h for rule in policy.rules if rule.conditions for h in rule.conditions.hosts]
    hosts = [host for name in named for host in sets.get(name, (name,)) if host[:1] != "@"]
    return Operands(
        tuple(dict.fromkeys(map(_path, paths)))[:MAX_RULED],
        tuple(dict.fromkeys([host.replace("*", "a") for host in hosts]))[:MAX_RULED],
    )


def _is_for(rule: PathRule, program: str) -> bool:
    name = program.rpartition("/")[2]
    return not rule.programs or any(each.partition(" ")[0] == name for each in rule.programs)


def _path(pattern: str) -> str:
    """A path that a pattern is about."""
    path = pattern.removesuffix("/").replace("**", "x").replace("*", "x").replace("?", "x")
    return path.removeprefix("./").replace("~", HOME, 1) if path[:1] in ".~" else path


def _effects_of(verdict: Verdict, catalogue: Catalogue) -> frozenset[str]:
    """What is done: by the verdict, and by the entry of a command that a rule decides."""
    found: set[str] = set()
    for judged in verdict.judged:
        effects = [effect for match in judged.matches for effect in match.effects]
        found.update(effects)
        ruled = any(not match.effects for match in judged.matches)  # by words, or by a path
        if (ruled or not effects) and isinstance(judged.operation, Exec):
            found.update(cause.effect for cause in read(judged.operation.argv, catalogue).effects)
    return frozenset(found)
