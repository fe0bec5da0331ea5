"""The paths that braces may make of a computed word: `{,x*}` is `x*`, or an empty word and `x*`."""

from _collections_abc import Iterator

from execpolicy.catalogue import Reading
from execpolicy.engine.paths.computed_paths import end_of_computed
from execpolicy.model.operation import Access, Dynamic, Word
from execpolicy.shell.expansion import braces

_SPECIAL = frozenset("\"'\\$`*?[~{}")
_ANY = "…"


def read(reading: Reading, room: int) -> Reading:
    """The reading with a cause for each path that a word of it may become. Without room for more,
    braces make any path."""
    causes = [
        cause.replace(subject=subject) if subject is not cause.subject else cause
        for cause in reading.effects
        for subject in (
            accesses(cause.subject, room) if isinstance(cause.subject, Access) else (cause.subject,)
        )
    ]
    return reading.replace(effects=tuple(causes))


def accesses(access: Access, room: int) -> tuple[Access, ...]:
    """The access as it stands, as shells see it that expand no braces, and that of each word which
    they make of its path or of what arrives there."""
    made = [access]
    made += [access.replace(path=path) for path in _words(access.path, room)]
    if access.source is not None:
        sources = [*_words(access.source, room)]
        made += [one.replace(source=word) for one in made for word in sources]
    return tuple(dict.fromkeys(made))


def _words(word: Word, room: int) -> "Iterator[Word]":
    """The words that braces make of one; where they are too many, any path."""
    if not isinstance(word, Dynamic) or "{" not in word.source:
        return
    atoms = [*_atoms(word.source)]
    try:
        found = braces.expand(atoms, bash=True, room=room)
    except braces.TooManyError:
        found = [[(_ANY, True)]] if (",", False) in atoms else []
    for text in dict.fromkeys("".join([char for char, _ in one]) for one in found):
        if text and text != word.source:
            special = text == _ANY or not _SPECIAL.isdisjoint(text)
            yield Dynamic(text, names=word.names) if special else text


def _atoms(source: str) -> "Iterator[braces.Atom]":
    """Each character, and whether braces leave it alone: it is quoted, or part of an expansion."""
    at, double = 0, False
    while at < len(source):
        char, end = source[at], at + 1
        if char == "\\":
            end = at + 2
        elif char in "$`":
            end = end_of_computed(source, at)
        elif char == "'" and not double:
            end = (source.find("'", at + 1) + 1) or len(source)
        double ^= char == '"'
        kept = double or char == '"' or end > at + 1
        yield from ((c, kept) for c in source[at:end])
        at = end
