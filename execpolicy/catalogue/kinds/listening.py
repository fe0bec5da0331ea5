"""Words by which a server takes connections of other machines: `--host 0.0.0.0`, `--bind ::`."""

from _collections_abc import Iterable

from execpolicy.model.operation import Dynamic, Word
from execpolicy.support.hostname import LOOPBACK, THIS_MACHINE, Host, HostError, parse_host
from execpolicy.support.resources import words_of

_OPTIONS = words_of("elsewhere")["listens"]
_SPLIT = str.maketrans("_.", "--")
_ALL = frozenset(("*", "0"))
"""All addresses of this machine, where a port follows."""


def listens(words: "Iterable[Word]") -> bool:
    """Whether some words that follow each other say so: an option that is called so, if its value
    is not this machine or it has none, or an address that is not this machine's own."""
    asked = False
    for word in words:
        if asked and not _is_here(word):
            return True
        asked = isinstance(word, str) and "=" not in word and _is_option(word)
        if not asked and isinstance(word, str) and _says(word):
            return True
    return asked


def _is_option(word: str) -> bool:
    name = word.translate(_SPLIT).lower().rpartition("-")[2]
    return word[:2] == "--" and name in _OPTIONS


def _says(word: str) -> bool:
    """Whether one word says so by itself."""
    option, equals, value = word.partition("=")
    if equals and _is_option(option):
        return not _is_here(value)
    hosts = (_host(text) for text in (word, value))
    return any(host is not None and host.address and not _is_own(host) for host in hosts)


def _is_here(word: Word) -> bool:
    host = None if isinstance(word, Dynamic) else _host(word)
    return host is not None and (_is_own(host) or host.text == "false")


def _is_own(host: Host) -> bool:
    return host.text in (THIS_MACHINE, *LOOPBACK) or host.text.startswith("127.")


def _host(word: str) -> Host | None:
    """The host that a word names, without scheme, port and path."""
    text = word.rpartition("://")[2].partition("/")[0]
    host, colon, port = text.rpartition(":")
    if colon and port.isdigit() and (":" not in host or host[:1] == "["):
        text = "0.0.0.0" if host in _ALL else host  # noqa: S104
    try:
        return parse_host(text)
    except HostError:
        return None
