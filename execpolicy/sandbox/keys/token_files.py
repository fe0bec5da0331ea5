"""Files with keys that a program reads by itself, and the hosts that these keys are for."""

import os
import re
from _collections_abc import Iterable, Iterator, Mapping

from execpolicy.engine.rules.credentials import KeyUse
from execpolicy.model.errors import printable
from execpolicy.model.written.credentials import HostsOf
from execpolicy.policy.network_hosts import PORTS
from execpolicy.sandbox.keys.git_settings import NO_REPOSITORY, content, judged
from execpolicy.sandbox.keys.opening import NoKeyError, Opening
from execpolicy.sandbox.keys.programs import Programs
from execpolicy.sandbox.walls import Mount
from execpolicy.support.path_match import below
from execpolicy.support.record import Value
from execpolicy.support.resources import words_of

_HOST = r"([A-Za-z0-9][A-Za-z0-9.-]*)(?::([0-9]{1,5}))?"
_URL = re.compile(rf"(?:(https?):)?//(?:[^\s/@]*@)?{_HOST}(?=[/\s\"'#?]|$)", re.MULTILINE)
_KEY = re.compile(rf"^(?=\S|.*\.) *[\"']?{_HOST}[\"']?:\s*$", re.MULTILINE)
_FIELD = re.compile(rf"^{_HOST}:", re.MULTILINE)
_BLOCK = re.compile(rf"[\"']{_HOST}(?:/[^\"'\s]*)?[\"']\s*:?\s*\{{")
_MACHINE = re.compile(rf"\bmachine\s+{_HOST}(?=\s|$)")
_OPTION = re.compile(r"^\s*(host|port)\s*=\s*[\"']?([A-Za-z0-9.-]+)[\"']?\s*$", re.MULTILINE)
_FORMS = {
    HostsOf.KEYS: _KEY,
    HostsOf.FIELDS: _FIELD,
    HostsOf.BLOCKS: _BLOCK,
    HostsOf.MACHINES: _MACHINE,
}
_PARTS = re.compile(r"[=,:@]+(?:file://)?|file://")
DEFAULT = "https"
_DATA = words_of("credentials")


class TokenKey(Value):
    """Opens the files of one command."""

    use: "KeyUse"
    programs: "Programs"
    mounts: "tuple[Mount, ...]"
    root: str

    def opening(self, cwd: str, home: str, given: "Mapping[str, str]") -> Opening:
        """What opens; `given` is the user's environment. Raises `NoKeyError`."""
        known, use = self.use.credentials, self.use
        found = [path for one in known.files for path in self._there(one, home)]
        passed = tuple(_passed(known.passed, given))
        if not passed and not found:
            by = f"`{use.path[0]} {known.logs_in}`, in a terminal of your own"
            how = f": log in by {by}" if known.logs_in else ""
            raise NoKeyError(f"there is no `{known.files[0]}`{how}")
        for word in use.argv[1:]:
            if _names(word, cwd, found):
                raise NoKeyError(f"`{printable(word, 200)}` names the key itself, or where it lies")
        contents = [*self._settings(cwd), *self._read(cwd)]
        variables = (*passed, *known.variables)
        if known.git_settings:
            git = judged(cwd, self.mounts)
            contents += [(git.config, git.text)] if git else []
            variables += git.variables if git else NO_REPOSITORY
        texts = (content(path).decode("utf-8", "surrogateescape") for path in found)
        named = {one for text in texts for one in hosts(text, known.hosts_of)}
        shown = known.files if found else tuple(name for name, _ in passed)
        return Opening(
            (self.programs.named(use.argv[0]), *self._words(cwd)),
            self.programs.path,
            f"`{printable(', '.join(shown), 200)}`",
            files=tuple(found),
            private=self._private(found, home),
            contents=tuple(contents),
            hosts=frozenset((*known.hosts, *named)),
            variables=variables,
            apart=known.apart,
            operands=self._operands(cwd) if known.apart else (),
        )

    def _words(self, cwd: str) -> Iterator[str]:
        """The words after the program, with the files that a pattern stands for in its place."""
        for word in self.use.argv[1:]:
            if word in self.use.globs:
                yield from _matched(word, cwd)
            else:
                yield word

    def _read(self, cwd: str) -> "Iterator[tuple[str, bytes]]":
        """The files of the project that words name, as they are now: none of them is a way to the
        key, by then or later."""
        for word in () if self.use.credentials.apart else self.use.reads:
            path = os.path.normpath(os.path.join(cwd, word))
            if os.path.realpath(path) != path or not below(path, self.root):
                raise NoKeyError(f"`{printable(word, 200)}` is not a file of the project by itself")
            yield path, content(path)

    def _there(self, written: str, home: str) -> Iterator[str]:
        """The real places of a file of the home, or of those that a pattern of names stands for,
        which no sandbox writes."""
        directory, name = os.path.split(os.path.join(home, written[2:]))
        for each in _matched(name, directory) if "*" in name else [name]:
            path = os.path.join(directory, each)
            if not os.path.isfile(path):
                continue
            if not self.programs.is_kept(path):
                raise NoKeyError(f"`{written}` can be written by what runs in the sandbox")
            yield os.path.realpath(path)

    def _private(self, found: "list[str]", home: str) -> tuple[str, ...]:
        """The directories that the program writes in, of which it gets copies."""
        named = (os.path.join(home, one[2:]) for one in self.use.credentials.private)
        real = dict.fromkeys(os.path.realpath(one) for one in named if os.path.isdir(one))
        return tuple(one for one in real if any(below(path, one) for path in found))

    def _settings(self, cwd: str) -> "list[tuple[str, bytes]]":
        """The settings that the project has for the program, as they were judged."""
        found = []
        for directory in _upwards(cwd, self.root):
            for name in self.use.credentials.settings:
                path = os.path.join(directory, name)
                if os.path.lexists(path):
                    found.append((path, judged_settings(path, name)))
        return found

    def _operands(self, cwd: str) -> tuple[str, ...]:
        """The files of the project that words name, by their real places."""
        globs, words = self.use.globs, self.use.operands
        named = [each for w in words for each in (_matched(w, cwd) if w in globs else (w,))]
        paths = (os.path.realpath(os.path.join(cwd, word)) for word in named)
        found = tuple(p for p in paths if below(p, self.root) and os.path.isfile(p))
        if not found and "/".join(self.use.path[1:]) in self.use.credentials.packed:
            raise NoKeyError(
                "what the project does before would run beside the key: make two calls, one that "
                "packs it and one that names the file"
            )
        return found


def judged_settings(path: str, name: str) -> bytes:
    """A file of settings, `key = value` a line. Raises `NoKeyError` where one is not plain data."""
    if os.path.islink(path):
        raise NoKeyError(f"`{printable(path, 200)}` is a link")
    text = content(path)
    for line in text.decode("utf-8", "surrogateescape").splitlines():
        key, _, _value = line.partition("=")
        key = key.strip().strip("\"'").removesuffix("[]")
        if not key or key[0] in "#;":
            continue
        scoped = key[0] == "@" and key.endswith(":registry")
        if "${" in line or not (scoped or key in _DATA[name.lstrip(".")]):
            raise NoKeyError(
                f"`{printable(name, 80)}` of the project sets `{printable(key, 80)}`, by which a "
                "key may get to others: set it in your own, and remove it here"
            )
    return text


def hosts(text: str, forms: "Iterable[HostsOf]") -> frozenset[tuple[str, int]]:
    """The hosts and ports that a file with keys names, in any of these forms.

    >>> sorted(hosts("//a.example/:_authToken=x", [HostsOf.URLS]))
    [('a.example', 443)]
    """
    return frozenset(
        (host.lower(), int(port or PORTS[scheme or DEFAULT]))
        for form in forms
        for host, port, scheme in _named(text, form)
    )


def _named(text: str, form: HostsOf) -> "Iterator[tuple[str, str, str]]":
    if form is HostsOf.URLS:
        yield from ((m[2], m[3], m[1] or "") for m in _URL.finditer(text))
    elif form is HostsOf.OPTIONS:
        said = [(m[1], m[2]) for m in _OPTION.finditer(text)]
        ports = [value for name, value in said if name == "port" and value.isdigit()]
        named = ["127.0.0.1", "localhost", *(value for name, value in said if name == "host")]
        yield from ((host, port, "") for host in named for port in ports)
    else:
        yield from ((m[1], m[2], "") for m in _FORMS[form].finditer(text))


def _passed(names: "Iterable[str]", given: "Mapping[str, str]") -> "Iterator[tuple[str, str]]":
    """The variables of these names; `X*` stands for all that begin with `X`."""
    for name in names:
        begin = name.removesuffix("*")
        found = (name,) if begin == name else (n for n in sorted(given) if n.startswith(begin))
        yield from ((one, given[one]) for one in found if one in given)


def _names(word: str, cwd: str, files: "list[str]") -> bool:
    """Whether a part of a word may be a path to one of these files."""
    for part in _PARTS.split(word):
        if "/" in part or part[:1] in ("~", "."):
            place = os.path.realpath(os.path.join(cwd, os.path.expanduser(part)))
            if any(below(path, place) for path in files):
                return True
    return False


def _matched(pattern: str, cwd: str) -> "list[str]":
    """The names that a pattern stands for, as a shell gives them."""
    from glob import glob

    return sorted(glob(pattern, root_dir=cwd)) or [pattern]


def _upwards(cwd: str, root: str) -> "list[str]":
    found, here = [cwd], cwd
    while here != root and below(here, root):
        here = os.path.dirname(here)
        found.append(here)
    return found
