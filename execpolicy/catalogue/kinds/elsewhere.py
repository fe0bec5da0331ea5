"""Words by which a program without an entry says what it does: a change elsewhere, a host."""

from _collections_abc import Iterator

from execpolicy.catalogue.hosts import is_local
from execpolicy.support.hostname import HostError, parse_host
from execpolicy.support.resources import words_of

_LISTS = words_of("elsewhere")
SENDS, CHANGES = _LISTS["sends"], _LISTS["sends"] | _LISTS["changes"]
LOSES = _LISTS["loses"]
BY_OPTION = SENDS | LOSES
"""What an option says; a plain word there may be the value of one that only describes."""
_SPLIT = str.maketrans("_:.", "---")
_PARTS = 3
"""Of how many parts a word is that says what it does."""


def says(word: str, wanted: frozenset[str] = CHANGES) -> bool:
    """Whether one of the few parts of a name is one of these words, and none takes it back."""
    parts = word.partition("=")[0].strip("-").translate(_SPLIT).lower().split("-")
    if len(parts) > _PARTS or "/" in word or not _LISTS["not"].isdisjoint(parts):
        return False
    return not wanted.isdisjoint(parts)


def names_host(word: str) -> bool:
    """Whether a word, or what it gives to an option, is a host that is not this machine."""
    return any(map(_is_host, _values(word)))


def _values(word: str) -> "Iterator[str]":
    """The word, and what it gives to an option; no text of several words."""
    if word.split() == [word]:
        yield word
        yield word.partition("=")[2]


def _is_host(word: str) -> bool:
    """Whether a word names a host, which is not this machine: as a URL, an address, a domain."""
    if is_local(word):
        return False
    if "://" in word:
        return not word.lower().startswith("file:")
    head, _, path = word.partition("/")[0].partition(":")
    if path == "" and word[len(head) : len(head) + 2] in (":/", ":~"):
        return True  # host:path
    try:
        host = parse_host(head.rpartition("@")[2])
    except HostError:
        return False
    return host.address or ("." in host.text and host.text.rpartition(".")[2] in _LISTS["domains"])
