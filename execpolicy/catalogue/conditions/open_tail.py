"""What the open tail of an allow rule covers, and which words a rule has to name.

A rule that allows `rg` allows it with all words but an option that makes it run something else
(`rg --pre sh`), and one for `docker exec` does not allow the command inside: a rule has to name
those. The engine asks this about one command, lint about all the commands of a rule.
"""

from _collections_abc import Sequence

from execpolicy.catalogue.reading.cause import Cause, CommandPart, Trigger
from execpolicy.catalogue.reading.reading import Reading

RUNNING = frozenset(("execute", "privilege"))
"""Effects that an open tail covers only where the program has one of them anyway."""


def must_name(cause: Cause, causes: "Sequence[Cause]") -> Trigger | None:
    """What a rule must name to allow an effect; None where the open tail covers it.

    `rg` only reads, so a rule for it does not mean `rg --pre sh`; `make` runs recipes anyway. A
    script in the words that is not understood may run something, too. A computed word may stand
    where a rule leaves the tail open.
    """
    part = cause.by.part
    if part is CommandPart.PROGRAM or part is CommandPart.COMPUTED:
        return None
    if part is CommandPart.STDIN and cause.effect != "read":
        return cause.by
    unread = cause.effect == "unknown" and part is CommandPart.OPERAND
    if not unread and cause.effect not in RUNNING:
        return None
    anyway = any(c.effect in RUNNING and c.is_inherent and not c.hooks for c in causes)
    return None if anyway else cause.by


def exceeds(cause: Cause, causes: "Sequence[Cause]", named: "Sequence[str]") -> bool:
    """Whether an effect is beyond what a rule for the words `named` means."""
    trigger = must_name(cause, causes)
    return trigger is not None and not trigger.is_named_by(named)


def words_needed(argv: "Sequence[str]", reading: Reading, most: int) -> int:
    """How many of its first words, up to `most`, a rule must name to allow all of a command.

    What only later words do does not count: no rule of `most` words can name those.
    """
    needed = 0
    for cause in reading.effects:
        trigger = must_name(cause, reading.effects)
        if trigger is not None:
            ends = (end for end in range(1, most + 1) if trigger.is_named_by(argv[end - 1 : end]))
            needed = max(needed, next(ends, 0))
    for inner in reading.inner:
        at = inner.begins_at(argv)
        if at < most:
            needed = max(needed, at + 1)
    return needed
