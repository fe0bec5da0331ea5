"""The notation of `credentials`: which keys a program uses, word by word."""

from execpolicy.catalogue.grammar.notation import NotationError
from execpolicy.model.written.credentials import Closed, Credentials, HostsOf

HTTPS = 443
_LISTS = {"only": "only", "without": "without", "packed": "packed", "pass": "passed"}
_PLACES = {"file": ("files", "~/"), "private": ("private", "~/"), "settings": ("settings", "")}
_CLOSED = {str(one): one for one in Closed}
_FORMS = {str(one): one for one in HostsOf}
_FLAGS = {"git": "git", "git-settings": "git_settings", "apart": "apart", "ssh": "ssh"}


def credentials(text: str) -> Credentials | None:
    """What a text says; None where it says nothing. Raises `NotationError`.

    >>> credentials("file=~/.config/x host=x.example").hosts
    (('x.example', 443),)
    """
    if not text:
        return None
    found = Credentials()
    for word in text.split():
        found = _with(found, word)
    if not (found.git or found.ssh or found.files or found.passed or found.closed):
        raise NotationError(
            "in credentials: name a key: write `file=~/…`, `pass=NAME`, `git` or `ssh`"
        )
    return found


def _with(found: Credentials, word: str) -> Credentials:
    name, _, value = word.partition("=")
    if word in _FLAGS:
        return found.replace(**{_FLAGS[word]: True})
    if name in _PLACES and value[: len(_PLACES[name][1])] == _PLACES[name][1] and value:
        field = _PLACES[name][0]
        return found.replace(**{field: (*getattr(found, field), value)})
    if name in _LISTS and value:
        field = _LISTS[name]
        return found.replace(**{field: (*getattr(found, field), *value.split("|"))})
    if name == "host" and value:
        host, _, port = value.partition(":")
        return found.replace(hosts=(*found.hosts, (host, int(port) if port.isdigit() else HTTPS)))
    if name in _CLOSED and value:
        closed = ((one, _CLOSED[name]) for one in value.split("|"))
        return found.replace(closed=(*found.closed, *closed))
    if name == "hosts" and all(one in _FORMS for one in value.split("|")):
        return found.replace(hosts_of=tuple(_FORMS[one] for one in value.split("|")))
    if name == "first" and ":" in value:
        subcommand, _, text = value.partition(":")
        return found.replace(first=(*found.first, (subcommand, text.replace("+", " "))))
    if name == "makes" and value:
        return found.replace(makes=value)
    if name == "set" and "=" in value:
        variable, _, content = value.partition("=")
        return found.replace(variables=(*found.variables, (variable, content)))
    raise NotationError(
        f"in credentials: `{word}`: write `file=~/PATH`, `host=NAME`, `hosts={'|'.join(_FORMS)}`, "
        "`pass=NAME|NAME`, `set=NAME=VALUE`, `settings=FILE`, `private=~/DIR`, `only=A|B/C`, "
        "`without=A|B/C`, `packed=A`, `first=A:WORD+WORD`, `makes=DIR`, `login=A`, `machine=*`, "
        "`service=A`, `agent=*`, `rights=*`, `code=A`, `git`, `git-settings`, `ssh` or `apart`"
    )
