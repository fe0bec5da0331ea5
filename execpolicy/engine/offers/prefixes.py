"""The shortest beginning of a command that a rule may name."""

from execpolicy.catalogue import Reading, read
from execpolicy.catalogue.banned import banned
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Word
from execpolicy.store.snapshot import Snapshot

Prefix = tuple[str, ...]

MAX_MORE_WORDS = 8


def prefix_of(argv: tuple[Word, ...], reading: Reading, snapshot: Snapshot) -> Prefix | None:
    """Program and subcommand, and as many words more as it takes not to be banned."""
    words: list[str] = []
    for word in argv:
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


def _harmless(words: Prefix, snapshot: Snapshot) -> bool:
    """Whether these words alone may run already.

    Then a word after it is what asks (`sort -o x`, `git branch -D x`), and a rule for the command
    would allow every other such word, too.
    """
    reading = read(words, snapshot.catalogue)
    return not reading.inner and all(
        snapshot.defaults.decide(cause.effect) is Decision.ALLOW for cause in reading.effects
    )


def _end(words: list[str], path: Prefix) -> int | None:
    """Where the path of subcommands ends in the words; None where a word of it is computed."""
    end = 1
    if not words:
        return None
    for child in path[1:]:
        if child not in words[end:]:
            return None
        end = words.index(child, end) + 1
    return end
