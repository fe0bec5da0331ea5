"""Files of git's configuration that hold a key: the disk is asked for what no name tells."""

from execpolicy.places.repository.settings import ADDRESS, has_key
from execpolicy.places.resolver import Resolver
from execpolicy.support.resources import words_of

_WORDS = words_of("git")["keys"] - {ADDRESS}


def holds_key(path: str, resolver: Resolver) -> bool:
    """Whether a configuration at a path may show a key to who reads it."""
    text = resolver.head(path).lower()
    parts = "".join(char if char.isalnum() or char in "-_" else " " for char in text).split()
    return not _WORDS.isdisjoint(parts) or has_key(text.encode("utf-8", "surrogateescape"))
