"""The smallest rules that would have allowed a request that was asked about.

None are proposed where somebody asked on purpose (a rule), where the request was not understood,
where it destroys, takes other rights or does what nobody knows, or where every prefix that would
allow it is banned. What is proposed is proved: the request is judged again with the rules in place.
"""

from execpolicy.catalogue import read
from execpolicy.catalogue.banned import banned
from execpolicy.decision import Decision
from execpolicy.engine.expand import Step
from execpolicy.engine.scene import Scene
from execpolicy.operation import Exec
from execpolicy.rule import Origin, PrefixRule
from execpolicy.shelf import Shelf
from execpolicy.store.line import rule_line
from execpolicy.store.snapshot import Snapshot
from execpolicy.verdict import Amendment, Judged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Prefix = tuple[str, ...]

MAX_RULES = 8
MAX_MORE_WORDS = 8

_ORIGIN = Origin("user", "<proposed>", 0)
_NEVER = frozenset(("destroy", "privilege", "unknown"))


def propose(
    judged: "Sequence[Judged]", scene: Scene, redecide: "Callable[[Snapshot], Decision]"
) -> tuple[Amendment, ...]:
    """One rule for each command that was asked about. `redecide` asks under another snapshot."""
    snapshot = scene.snapshot
    prefixes = _prefixes(scene.steps, judged, snapshot)
    if not prefixes:
        return ()
    for below in (False, True) if _is_below(scene) else (False,):
        if redecide(with_rules(snapshot, prefixes, below)) is Decision.ALLOW:
            return tuple(
                Amendment(prefix, rule_line(prefix, Decision.ALLOW, below=below), below)
                for prefix in prefixes
            )
    return ()


def _is_below(scene: Scene) -> bool:
    """Whether some command runs below the session's root, where a rule must say that it holds."""
    where = scene.where
    numbers = range(len(scene.steps))
    return any(not where.in_root(n) and where.in_root(n, below=True) for n in numbers)


def with_rules(snapshot: Snapshot, prefixes: "Iterable[Prefix]", below: bool = False) -> Snapshot:
    """The snapshot as it would be if these prefixes were allowed."""
    allow = [
        PrefixRule(tuple((t,) for t in prefix), Decision.ALLOW, None, _ORIGIN, below=below)
        for prefix in prefixes
    ]
    return snapshot.replace(policy=snapshot.policy.beside(Shelf.of(allow)))


def _prefixes(
    steps: "Sequence[Step]", judged: "Sequence[Judged]", snapshot: Snapshot
) -> "tuple[Prefix, ...]":
    """A prefix for each command that was asked about; none at all if one of them has none."""
    found: dict[Prefix, None] = {}
    reach: dict[int, int] = {}
    for number, (step, one) in enumerate(zip(steps, judged, strict=True)):
        if one.decision is Decision.ALLOW:
            continue
        if not _may_be_allowed(one):
            return ()
        if step.outer is not None and reach.get(step.outer, 0) > step.at:
            continue  # the rule for the command around it names this one too
        prefix = _prefix(step, snapshot)
        if prefix is None or len(found) >= MAX_RULES:
            return ()
        reach[number] = len(prefix)
        found[prefix] = None
    return tuple(p for p in found if not any(p[: len(q)] == q for q in found if q != p))


def _may_be_allowed(judged: Judged) -> bool:
    """Whether only the catalogue asked, about a command, for an effect that a person may allow."""
    if not isinstance(judged.operation, Exec):
        return False
    asking = [m for m in judged.matches if m.decision]
    return all(m.source == "catalogue" and _NEVER.isdisjoint(m.effects) for m in asking)


def _prefix(step: Step, snapshot: Snapshot) -> "Prefix | None":
    """Program and subcommand, and as many words more as it takes not to be banned."""
    operation, reading = step.operation, step.reading
    if not isinstance(operation, Exec) or reading is None:
        return None
    words: list[str] = []
    for word in operation.argv:
        if not isinstance(word, str):
            break
        words.append(word)
    least = _end(words, reading.path)
    if least is None:
        return None
    for end in range(least, min(len(words), least + MAX_MORE_WORDS) + 1):
        prefix = tuple(words[:end])
        if banned(prefix, snapshot.catalogue) is None:
            return None if _harmless(prefix, snapshot) else prefix
    return None


def _harmless(words: "Prefix", snapshot: Snapshot) -> bool:
    """Whether these words alone may run already.

    Then a word behind it is what asks (`sort -o x`, `git branch -D x`), and a rule for the command
    would allow every other such word, too.
    """
    reading = read(words, snapshot.catalogue)
    return not reading.inner and all(
        snapshot.stance.decide(cause.effect) is Decision.ALLOW for cause in reading.effects
    )


def _end(words: list[str], path: "Prefix") -> int | None:
    """Where the path of subcommands ends in the words; None where a word of it is computed."""
    end = 1
    if not words:
        return None
    for child in path[1:]:
        if child not in words[end:]:
            return None
        end = words.index(child, end) + 1
    return end
