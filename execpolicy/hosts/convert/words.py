"""What the words of an entry are: names that no command has, and words that a `*` begins."""

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.catalogue import Catalogue

    Completed = Callable[[tuple[str, ...]], tuple[str, ...] | None]

_RESERVED = "if then elif else fi for while until do done case esac in select function coproc"
RESERVED = frozenset((*_RESERVED.split(), "{", "}", "!", "[[", "]]"))
"""Words of the shell's grammar (POSIX.1-2024, 2.4 Reserved Words; bash(1)): no program has them."""
_ASSIGNS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")


def without_variables(pattern: str) -> str:
    """The pattern without the variables that are set in front of its command.

    >>> without_variables("FOO=1 BAR=x make *"), without_variables("FOO=1")
    ('make *', '')
    """
    while _ASSIGNS.match(pattern):
        pattern = pattern.partition(" ")[2].lstrip()
    return pattern


def completions(catalogue: "Catalogue") -> "Completed":
    """What the last of some words may be the beginning of, by the catalogue.

    A program, a subcommand or an option that is not known asks, whatever allows the rest. None
    where the word is an operand, of which anything may come.
    """

    def completed(words: tuple[str, ...]) -> tuple[str, ...] | None:
        *head, last = words
        if not head:
            return tuple(name for name in catalogue.programs() if name.startswith(last))
        if last.startswith("-"):
            entry = next(
                (e for n in range(len(head), 0, -1) if (e := catalogue.entry(" ".join(head[:n])))),
                None,
            )
            # Where options end at the first operand, the same word is none after it.
            names = entry.options.names if entry and not entry.stop_at_operand else ()
            return tuple(sorted(n for n in names if n.startswith(last))) or None
        paths = (path.split(" ") for path in catalogue.paths_of(head[0]))
        after = {p[len(head)] for p in paths if p[: len(head)] == head and len(p) > len(head)}
        return tuple(sorted(word for word in after if word.startswith(last))) or None

    return completed


def nothing_known(_words: tuple[str, ...]) -> tuple[str, ...] | None:
    """Of no word is known what it may begin."""
    return None
