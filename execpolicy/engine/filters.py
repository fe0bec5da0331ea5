"""Whether what a command prints goes to a search for fixed words, which leaves out all else."""

from _collections_abc import Iterator, Sequence

from execpolicy.engine.scene import Scene
from execpolicy.model.operation import Exec
from execpolicy.support.resources import words_of

_LISTS = words_of("filters")
_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
LEAST = 2
"""Letters of a word at least: one letter is in most lines."""


def literal_words(number: int, scene: "Scene") -> tuple[str, ...]:
    """The words of which each line has one that a step prints, as far as it is seen.

    A word at the beginning of a line has `^` before it, one with all of a name `=` after it. Empty
    where more may be shown: the step is not the only one of its name, or something else takes a
    part of what it prints.
    """
    step = scene.steps[number].operation
    if not isinstance(step, Exec) or step.env or scene.steps[number].outer is not None:
        return ()
    if scene.joins_streams:
        return ()
    name = step.argv[0]
    commands = [each.operation for each in scene.steps if isinstance(each.operation, Exec)]
    takers = [each for each in commands if each.fed_by[-1:] == (name,)]
    alone = sum(each.argv[0] == name for each in commands) == 1 == len(takers)
    if not alone or not all(isinstance(word, str) for word in takers[0].argv):
        return ()
    return _searched([str(word) for word in takers[0].argv])


def _searched(argv: "Sequence[str]") -> tuple[str, ...]:
    """The words of a search with one pattern, and no options that show other lines as well."""
    if argv[0] not in _LISTS["searches"]:
        return ()
    patterns = [word for word in argv[1:] if word not in _LISTS["options"]]
    if len(patterns) != 1:
        return ()
    found = tuple(_alternatives(patterns[0]))
    return found if all(len(word.strip("^=")) >= LEAST for word in found) else ()


def _alternatives(pattern: str) -> "Iterator[str]":
    """The words between the bars of a pattern; an empty one for what is not a word.

    >>> list(_alternatives("^(PATH|HOME)="))
    ['^PATH=', '^HOME=']
    """
    begins, ends = pattern[:2] == "^(", pattern[-2:] == ")="
    inside = pattern[2:-2] if begins and ends else pattern
    for part in inside.replace("\\|", "|").split("|"):
        word = f"^{part}=" if begins and ends else part
        plain = word.removeprefix("^").removesuffix("=")
        yield word if plain and _WORD.issuperset(plain) else ""
