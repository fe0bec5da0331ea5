"""What the open tail of an allow rule covers, and which words a rule has to name.

A rule that allows `rg` allows it with all words but an option that makes it run something else
(`rg --pre sh`), and one for `docker exec` does not allow the command inside: a rule has to name
those. The engine asks this about one command, lint about all the commands of a rule.
"""

from execpolicy.catalogue.reading.reading import COMPUTED, Cause, Reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_RUNNING = frozenset(("execute", "privilege"))


def must_name(cause: Cause, causes: "Sequence[Cause]") -> str | None:
    """How a word begins that a rule must name to allow an effect; None where the tail covers it.

    `rg` only reads, so a rule for it does not mean `rg --pre sh`; `make` runs recipes anyway. A
    script in the words that is not understood may run something, too. A computed word may stand
    where a rule leaves the tail open.
    """
    if not cause.by or cause.by == COMPUTED:
        return None
    unread = cause.effect == "unknown" and cause.by[:1] != "-"
    if not unread and cause.effect not in _RUNNING:
        return None
    anyway = any(c.effect in _RUNNING and not c.by for c in causes)
    return None if anyway else cause.by


def is_beyond(cause: Cause, causes: "Sequence[Cause]", named: "Sequence[str]") -> bool:
    """Whether an effect is beyond what a rule for the words `named` means."""
    start = must_name(cause, causes)
    return start is not None and not any(word.startswith(start) for word in named)


def words_needed(argv: "Sequence[str]", reading: Reading, most: int) -> int:
    """How many of its first words, up to `most`, a rule must name to allow all of a command.

    What only later words do does not count: no rule of `most` words can name those.
    """
    needed = 0
    for cause in reading.effects:
        start = must_name(cause, reading.effects)
        if start is not None:
            ends = (at + 1 for at, word in enumerate(argv[:most]) if word.startswith(start))
            needed = max(needed, next(ends, 0))
    for inner in reading.inner:
        at = inner.begins_at(argv)
        if at < most:
            needed = max(needed, at + 1)
    return needed
