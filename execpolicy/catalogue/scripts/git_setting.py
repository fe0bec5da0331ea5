"""What a setting of git may do by its name: change what git runs, reads, trusts or sends later."""

from _collections_abc import Iterator

from execpolicy.model.operation import Dynamic, Word
from execpolicy.support.resources import words_of

_LISTS = words_of("git")
_REACHES = _LISTS["reaching"]
_TELLS = _LISTS["plain"] | _REACHES


def effects_of(name: Word) -> "Iterator[tuple[str, str]]":
    """The effects of setting it, each with what it then does.

    Of a name that is computed, or that names a section only, it is what some setting may do.

    >>> [*effects_of("Core.HooksPath")], [*effects_of("user.name")]
    ([('execute', 'may change what git runs, reads or trusts')], [])
    """
    word = _word(name)
    if word is None or word not in _TELLS:
        yield "execute", "may change what git runs, reads or trusts"
    if word is None or word in _REACHES:
        yield "network", "names where git sends or gets commits"


def _word(name: Word) -> str | None:
    """Section and key in lower case, as git compares them; None where they are not both there."""
    if isinstance(name, Dynamic) or "." not in name:
        return None
    return f"{name.partition('.')[0]}.{name.rpartition('.')[2]}".lower()
