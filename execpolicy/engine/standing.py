"""How far a verdict carries: who stands behind what is allowed, and what it is that asks.

A hook adds to its host and never widens it, so the decision alone is not enough to answer a host.
What the user allowed may be granted; what only the shipped rules allow is the host's to decide; and
a question is of one of three kinds, of which the host's own list may answer the first two.
"""

from execpolicy.catalogue.services import is_service
from execpolicy.model.decision import Decision
from execpolicy.model.operation import MODE_EFFECTS, MOVES, Access, Connect, Exec, Operation, show
from execpolicy.model.program import CONTAINED
from execpolicy.model.rule import IN_PLACE, USERS
from execpolicy.model.verdict import JudgedOperation, Match, Source, Verdict
from execpolicy.support.ordered_enum import OrderedEnum
from execpolicy.support.record import Value
from execpolicy.support.resources import words_of


class Standing(OrderedEnum):
    """Where a request stands. Ordered, so that the strictest of its operations is their `max`.

    `GRANTED`: the user allowed it, or it reads in the project. `LEFT`: allowed, but by the shipped
    rules alone. `POSTURE`: nothing but the posture asks, about a read, about what stays in
    place, or about what is got from another machine. `REMOTE`: the posture asks about a change on
    another machine, or about what is not known. `ASKED`: a rule, an overlay or the reader asks, or
    the posture about what the user has to see.
    """

    GRANTED = 0
    LEFT = 1
    POSTURE = 2
    REMOTE = 3
    ASKED = 4
    FORBIDDEN = 5


class Asking(Value):
    """An operation that asks, how it asks, and the commands that it runs inside of. `held`: a
    sandbox like ours without a network would hold it, if `undo` is true with a snapshot before."""

    operation: Operation
    standing: Standing
    around: tuple[Exec, ...] = ()
    held: bool = False
    undo: bool = False


_GETS = CONTAINED | {"network"}
_AWAY = frozenset(("remote", "unknown"))
_ONLINE = frozenset(("remote", "network"))
NOWHERE = ("elsewhere",)


def standing(verdict: Verdict) -> Standing:
    """Where the whole request stands."""
    if verdict.decision is Decision.FORBIDDEN:
        return Standing.FORBIDDEN
    if verdict.floor:
        return Standing.ASKED
    if verdict.decision is Decision.PROMPT:
        return max((asking.standing for asking in askings(verdict)), default=Standing.ASKED)
    with_matches = [j for j in verdict.operations if j.matches]
    where = max(map(_allowed, with_matches), default=Standing.LEFT)
    return max(where, Standing.LEFT) if any(map(_leaves, verdict.judged)) else where


def _leaves(judged: JudgedOperation) -> bool:
    """Whether it changes to a directory that may be another than the project's: what names no path
    after that, such as `ls`, reads there."""
    argv = judged.operation.argv if isinstance(judged.operation, Exec) else ()
    if not argv or argv[0] not in MOVES:
        return False
    paths = [word for word in argv[1:] if isinstance(word, str) and word[:1] != "-"]
    below = [p for p in paths if p[:1] not in "/~" and ".." not in p.split("/")]
    return not below or len(below) < len(argv) - 1


def askings(verdict: Verdict) -> tuple[Asking, ...]:
    """The operations of a verdict that ask."""
    commands = [j.operation for j in verdict.judged if isinstance(j.operation, Exec)]
    return tuple(
        Asking(
            j.operation,
            _asked(j),
            _enclosing(j.operation, commands),
            all(map(_is_held, j.matches)),
            any(match.undo for match in j.matches),
        )
        for j in verdict.judged
        if j.decision is Decision.PROMPT
    )


def _is_held(match: Match) -> bool:
    """Whether walls like ours hold it where nothing behind them has a network."""
    away = match.source is Source.CATALOGUE and bool(match.effects)
    return match.in_sandbox is Decision.ALLOW or (away and _ONLINE.issuperset(match.effects))


def only_reads(verdict: Verdict) -> bool:
    """Whether nothing but reading is known to happen."""
    return all(
        set(_effects(match, judged.operation)) == {"read"}
        for judged in verdict.operations
        for match in judged.matches
    )


def _enclosing(operation: Operation, commands: list[Exec]) -> tuple[Exec, ...]:
    """The commands on the way in to an operation, as far as they can be it."""
    via = operation.via
    return tuple(c for c in commands if len(c.via) < len(via) and via[: len(c.via)] == c.via)


def _allowed(judged: JudgedOperation) -> Standing:
    users = [match for match in judged.matches if _is_of_user(match, judged.operation)]
    if any(not match.effects for match in users):
        return Standing.GRANTED
    rest = (match for match in judged.matches if match not in users)  # some of the effects
    if all(_in_place(match, judged.operation) for match in rest):
        return Standing.GRANTED
    return Standing.LEFT


def _is_of_user(match: Match, operation: Operation) -> bool:
    """Whether the user allowed the operation itself. A rule about a path that a command names
    allows that path and not the command."""
    if match.source is Source.APPROVAL:
        return True
    written = match.origin is not None and match.origin.layer in USERS
    about_it = bool(match.prefix) or not isinstance(operation, Exec)
    return match.source is Source.RULE and written and about_it


def _in_place(match: Match, operation: Operation) -> bool:
    """Whether it reads in place or nowhere, or does in place what a posture of the user allows."""
    effects, places = set(_effects(match, operation)), _places(match, operation)
    if not effects or not IN_PLACE.issuperset(places):
        return False
    if effects == {"read"}:
        if match.source is Source.RULE or _queries(operation):
            return False
        return bool(places) or not _reaches(match, operation)
    removed = {"destroy"} if places else set()
    return match.posture in USERS and effects <= CONTAINED | removed


_HERE = ("://", "localhost", "127.", "0.0.0.0", "::1")  # noqa: S104


def _reaches(match: Match, operation: Operation) -> bool:
    """Whether what is read without a path may come from a server, on this machine or elsewhere:
    the entry stands among those of services, or a word looks like a host."""
    argv = operation.argv if isinstance(operation, Exec) else ()
    words = list(map(show, argv[1:]))
    return is_service(match.origin) or any(sign in word for word in words for sign in _HERE)


def _queries(operation: Operation) -> bool:
    """Whether a command reads what a server holds, or another program's screen: the words of a
    subcommand of which that is known stand in it, in their order."""
    argv = list(map(show, operation.argv)) if isinstance(operation, Exec) else []
    if "-m" in argv[1:-1] and argv[0].rpartition("/")[2].startswith("python"):
        argv = argv[argv.index("-m") + 1 :]
    words = iter(argv)
    if not _QUERIES:
        _QUERIES.update(words_of("queries"))
    known = _QUERIES.get(next(words, "").rpartition("/")[2], ())
    rest = [part for word in words for part in (word, word.partition("=")[0])]
    return any(each == "*" or _in_order(each.split("/"), rest) for each in known)


_QUERIES: dict[str, frozenset[str]] = {}
"""The subcommands by their programs, read when first asked for."""


def _in_order(parts: list[str], words: list[str]) -> bool:
    found = iter(words)
    return all(part in found for part in parts)


def _asked(judged: JudgedOperation) -> Standing:
    asking = (match for match in judged.matches if match.decision is Decision.PROMPT)
    return max((_question(match, judged.operation) for match in asking), default=Standing.ASKED)


def _question(match: Match, operation: Operation) -> Standing:
    effects = set(_effects(match, operation))
    if match.source is not Source.CATALOGUE or not effects:
        return Standing.ASKED
    here = IN_PLACE.issuperset(_places(match, operation))
    if effects == {"read"} or (here and effects <= _GETS):
        return Standing.POSTURE
    if effects <= _GETS | _AWAY and effects & _AWAY and here:
        return Standing.REMOTE
    return Standing.ASKED


def _effects(match: Match, operation: Operation) -> tuple[str, ...]:
    if match.effects:
        return match.effects
    if isinstance(operation, Access):
        return (MODE_EFFECTS.get(operation.mode, "unknown"),)
    return ("network",) if isinstance(operation, Connect) else ()


def _places(match: Match, operation: Operation) -> tuple[str, ...]:
    """The classes of the paths that are touched. A path of which none is told may be anywhere."""
    if not match.places and isinstance(operation, Access):
        return NOWHERE
    return match.places
