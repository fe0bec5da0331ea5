"""Hosts out of URLs, remote paths and repositories.

A host is taken only from a text that every client reads the same way; of all others the host is
not known, which a rule about hosts can then not loosen.
"""

from execpolicy.model.operation import Connect, Dynamic, Word

TYPE_CHECKING = False

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_")
_SCHEME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-+"
_LOCAL = ("./", "../", "/")
_THIS_MACHINE = frozenset(("localhost", "127.0.0.1", "0.0.0.0"))  # noqa: S104


def of_url(word: Word) -> Connect | None:
    """Host and protocol of a URL, or None for a `file:` one, which is a path.

    A URL without a scheme counts as `http`, as curl and wget read it.
    """
    if isinstance(word, Dynamic):
        return _dynamic_url(word)
    scheme, mark, rest = word.partition("://")
    if not mark:
        scheme, rest = "http", word
    if scheme.lower() == "file":
        return None
    return Connect(_authority(rest, word), scheme.lower())


def _dynamic_url(word: Dynamic) -> Connect:
    """The host of `https://host/$x` is known, that of `https://host$x` is not."""
    scheme, mark, rest = word.prefix.partition("://")
    if not mark or scheme.lower() == "file":
        return Connect(word, "http")
    if "/" not in rest:
        return Connect(word, scheme.lower())
    host = _authority(rest, word.prefix)
    return Connect(word if isinstance(host, Dynamic) else host, scheme.lower())


def _authority(rest: str, word: str) -> Word:
    end = min((at for at in map(rest.find, "/?#") if at >= 0), default=len(rest))
    authority = rest[:end]
    user, _, place = authority.rpartition("@")
    host = place.partition(":")[0]
    if not host or "@" in user or "\\" in word or not _PLAIN.issuperset(host):
        return Dynamic(word, single=True)
    return host


def port(word: Word) -> int | None:
    """The port that a URL or `host:port` names; None where it names none that is a number."""
    text = word if isinstance(word, str) else word.prefix
    _, mark, rest = text.partition("://")
    authority = (rest if mark else text).partition("/")[0]
    digits = authority.rpartition("@")[2].rpartition(":")[2]
    named = ":" in authority and digits.isascii() and digits.isdigit()
    return int(digits) if named and len(digits) < 6 else None


def is_local(word: Word) -> bool:
    """Whether this is a URL of HTTP on this machine, however a computed end turns out."""
    text = word if isinstance(word, str) else word.prefix
    scheme, mark, rest = text.partition("://")
    authority, slash, _ = (rest if mark else text).partition("/")
    host, _, port = authority.partition(":")
    if isinstance(word, Dynamic) and not slash:
        return False
    if (mark and scheme.lower() not in ("http", "https")) or "@" in text or "\\" in text:
        return False
    return host.lower() in _THIS_MACHINE and (not port or (port.isascii() and port.isdigit()))


def of_ssh(word: Word) -> Word:
    """The host of `[user@]host` or `ssh://[user@]host[:port]`."""
    if isinstance(word, Dynamic):
        return word
    if "://" in word:
        return _authority(word.partition("://")[2], word)
    host = word.rpartition("@")[2]
    return host if _PLAIN.issuperset(host) else Dynamic(word, single=True)


def of_host(word: Word) -> Word:
    """The host of `[user@]host[:port]`."""
    return word if isinstance(word, Dynamic) else _authority(word, word)


def of_remote(word: Word) -> Connect | None:
    """Host and protocol of `[user@]host:path` and of URLs; None for a local path."""
    if isinstance(word, Dynamic):
        head, slash, _ = word.prefix.partition("/")
        return None if slash and ":" not in head else Connect(word, "ssh")
    if "://" in word:
        return of_url(word)
    host, colon, _ = word.partition(":")
    if not colon or "/" in host:
        return None
    return Connect(of_ssh(host), "ssh")


def of_slug(word: Word) -> Word | None:
    """The host of `HOST/OWNER/REPO` or of a URL; None for `OWNER/REPO`, which names none."""
    if isinstance(word, Dynamic):
        return word
    if "://" in word:
        return _authority(word.partition("://")[2], word)
    if word.count("/") < 2 and _PLAIN.issuperset(word.replace("/", "")):
        return None
    return _authority(word, word)


def may_be_helper(word: Word) -> bool:
    """Whether git may run a program for this remote, as for `ext::sh -c x` (gitremote-helpers)."""
    if isinstance(word, str):
        return "::" in word
    if word.prefix.startswith(_LOCAL):
        return False
    return word.prefix.partition(":")[2][:1] in ("", ":")


def scheme(word: Word) -> str | None:
    """What stands before the colon of a URL, in lower case; None where the word can only be a path.

    Of a computed word whose beginning does not tell, nothing is known: an empty text.
    """
    text = word if isinstance(word, str) else word.prefix
    size = len(text) - len(text.lstrip(_SCHEME))
    if text[size : size + 1] in (":", ","):
        return text[:size].lower()
    return "" if size == len(text) and isinstance(word, Dynamic) else None


def of_scheme(word: Word) -> Connect:
    """Host and protocol of `scheme://host`; of `concat:a|b` and the like nothing is known."""
    if isinstance(word, Dynamic):
        return _dynamic_url(word)
    found = of_url(word) if "://" in word else None
    return found or Connect(Dynamic(word, single=True), "tcp")
