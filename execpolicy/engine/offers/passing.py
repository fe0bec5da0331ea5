"""Words that are made for one call: a rule for them would never apply again."""

from execpolicy.engine.paths.own_code import paths
from execpolicy.engine.scene import RequestCommand, Scene
from execpolicy.model.operation import Access, show
from execpolicy.model.rule import TEMPORARY
from execpolicy.support.resources import words_of

_LISTS = words_of("commands")
_NUMBERED, _ONCE = _LISTS["processes"], _LISTS["once"]
_HELP = "--help"
_DIGITS, _HEX = 6, 7
"""From how many digits on a number, and signs on the name of a commit, was made for one thing."""


def is_passing(command: RequestCommand) -> bool:
    """Whether a word is a program text, one of several words, a temporary path, or a number that
    was made for one thing."""
    argv = command.operation.argv
    words = [word for word in map(show, argv[1:]) if word]
    if command.reading.holds_code or any(len(word.split()) > 1 for word in words):
        return True
    if argv[0] in _NUMBERED and any(word.lstrip("-").isdigit() for word in words):
        return True
    if words[-1:] == [_HELP] or any(map(_is_made, words)) or _ends_it(command, words):
        return True
    named = (Access(path, "read") for word in words for path in paths(word) if "/" in path)
    return any(is_temporary(each, command.number, command.scene) for each in named)


def _is_made(word: str) -> bool:
    """Whether a word holds the number of a run or of a comment, or the name of a commit."""
    parts = "".join(c if c.isalnum() or c in "._" else " " for c in word).split()
    return any(
        (part.isdigit() and len(part) >= _DIGITS)
        or (len(part) >= _HEX and _SIGNS.issuperset(part) and not part.isalpha())
        for part in parts
    )


_SIGNS = frozenset("0123456789abcdef")


def _ends_it(command: RequestCommand, words: list[str]) -> bool:
    """Whether it begins or ends what a word names, so that this is there then, or gone."""
    path = "-".join(command.reading.path)
    return path in _ONCE or any(f"{path}:{word.partition('=')[0]}" in _ONCE for word in words)


def is_temporary(access: Access, number: int, scene: Scene) -> bool:
    """Whether a path leads nowhere but to where temporary files lie."""
    bases = scene.overlays.of(access, number).bases
    return bool(bases) and all(base.place == TEMPORARY for base in bases)
