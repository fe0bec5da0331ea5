"""What the forms of all agents are matched with: the commands of a text, and the values of words.

A form is matched in two steps. The tree says which words are those that differ from call to call;
from their values the agent's text is written again, which must be the same, character by character.
So each of them is one word of the shell's grammar, and nothing stands beside them.
"""

from execpolicy.shell.analysis import walk
from execpolicy.shell.syntax.grammar import parse
from execpolicy.shell.syntax.state import MAX_TEXT
from execpolicy.shell.syntax.tree import (
    LITERAL,
    QUOTED,
    AssignmentWord,
    Event,
    SimpleCommand,
    Unsupported,
    Word,
)

_PATTERNS = frozenset("*?[]{}~!()")


def events(text: str) -> "list[Event] | None":
    """The events of a text of bash; None where not all of it was read and understood."""
    if len(text) > MAX_TEXT or "\0" in text:
        return None
    try:
        tree = parse(text, "bash")
        found = walk.events(tree.inside)
    except RecursionError:
        return None
    whole = tree.failure is None and not any(isinstance(each, Unsupported) for each in found)
    return found if whole else None


def commands(text: str) -> list[SimpleCommand]:
    """The simple commands of a text in their order; none where not all of it was understood."""
    return [each for each in events(text) or () if isinstance(each, SimpleCommand)]


def literal(word: "Word | AssignmentWord | None") -> str | None:
    """The value of a word in which nothing is computed and nothing is a pattern."""
    if not isinstance(word, Word):
        return None
    if not word.parts:
        return word.text
    plain = [
        p.kind == QUOTED or (p.kind == LITERAL and not _PATTERNS & {*p.text}) for p in word.parts
    ]
    return "".join(part.text for part in word.parts) if all(plain) else None


def values(command: SimpleCommand) -> tuple[str | None, ...]:
    """The value of each word of a command, None for one that is computed."""
    return tuple(map(literal, command.words))


def argument(command: SimpleCommand, name: str) -> Word | None:
    """The only argument of a command of this name; None of any other command."""
    given = command.words[1:]
    is_named = len(given) == 1 and literal(command.words[0]) == name
    return given[0] if is_named and isinstance(given[0], Word) else None


def target(command: SimpleCommand) -> Word | None:
    """What a command's only redirection opens."""
    return command.redirects[0].target if len(command.redirects) == 1 else None


def written(text: str, word: Word | None) -> str:
    """A word as it stands in the text."""
    return text[word.start : word.end] if word else ""


def quoted(value: str) -> str:
    """A value in single quotes, as `'a'"'"'b'`."""
    return "'" + value.replace("'", "'\"'\"'") + "'"


def is_below(path: str, directory: str) -> bool:
    """Whether a path is written as one below a directory, without `.`, `..` and empty names."""
    if not directory or not path.startswith(f"{directory}/"):
        return False
    return not {"", ".", ".."} & {*path[len(directory) + 1 :].split("/")}


def is_same(text: str, part: str, start: int, beside: tuple[int, int]) -> bool:
    """Whether a part of a text, which begins at `start`, means there what it means alone.

    `beside` is how many simple commands stand before and after it: no event but those of the part
    may be between them, and each is where it is when the part is read alone.
    """
    whole, alone = events(text), events(part)
    if whole is None or alone is None:
        return False
    before, after = beside
    inner = [(type(each), each.start - start, each.end - start) for each in whole]
    ends = len(inner) - after
    return inner[before:ends] == [(type(each), each.start, each.end) for each in alone]
