"""What an agent starts by itself, as its entry says."""

from _collections_abc import Sequence

from execpolicy.hosts.agents.agent import AgentEntry
from execpolicy.hosts.shell_calls.call import CallRole, ShellCall
from execpolicy.hosts.shell_calls.tree import commands, events, values

ANY = "*"
SHELLS = frozenset(("bash", "dash", "sh", "zsh"))


def is_own(entry: "AgentEntry", argv: "Sequence[str]", call: ShellCall | None) -> bool:
    """Whether the agent starts this itself: by its form, or as words that its entry has.

    The words may stand in a shell's text, which then has nothing else.
    """
    if call is not None and call.role is CallRole.OWN:
        return True
    words = words_alone(argv)
    return any(_is_like(words, own) for own in entry.own_commands)


def words_alone(argv: "Sequence[str]") -> "tuple[str | None, ...]":
    """The words of a program, by its name, or of the only command that a shell's text has, None for
    one that is computed; nothing where there is more than that command."""
    name = argv[0].rpartition("/")[2]
    if len(argv) != 3 or argv[1] != "-c" or name not in SHELLS:
        return (name, *argv[1:])
    found = commands(argv[2])
    alone = len(found) == 1 and len(events(argv[2]) or ()) == 1
    if not alone or found[0].redirects or found[0].assignments:
        return ()
    return values(found[0])


def _is_like(words: "Sequence[str | None]", own: tuple[str, ...]) -> bool:
    """Whether these are the words; any word that is neither an option nor a path stands for `*`."""
    return len(words) == len(own) and all(
        word is not None and (word == one or (one == ANY and word.replace("_", "").isalnum()))
        for word, one in zip(words, own, strict=True)
    )
