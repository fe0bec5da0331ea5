"""Which path and network rules apply to an access or a connection.

A path is compared in every form that it may take: as written, from the working directory and from
each directory that the request changes to, and with the home directory as `~`. Rules that tighten
see all of these, rules that allow only a literal path from a known place.
"""

import posixpath

from execpolicy.model.operation import UNNAMED, Access, Connect, Dynamic, Word
from execpolicy.model.rule import PathRule
from execpolicy.support.path_match import PathPattern, normal
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from execpolicy.model.rule import NetworkRule
    from execpolicy.policy.path_index import PathIndex
    from execpolicy.policy.policy import Policy


class Places(Value):
    """Where relative paths may start from, and what the home directory is called.

    `names` are all that a directory is made of, where there are more than are followed.
    """

    home: str | None = None
    directories: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()


_WHOLE = ("file", "below")
"""Extents with which all that is in a directory may change, whatever it holds."""


def matching_paths(paths: "PathIndex", access: Access, places: Places) -> list[PathRule]:
    """The rules about this path and mode, tightening ones loosely, allowing ones strictly."""
    if access.mode not in paths.modes or _passed_over(paths, access, places):
        return []
    of_git = access.extent in ("repository", "restored")  # files that are not those of a directory
    certain = at_home(access.path) or (
        isinstance(access.path, str) and len(places.directories) <= 1
    )
    certain = certain and access.extent not in UNNAMED
    found = set()
    for form in dict.fromkeys(_forms(access.path, places)):
        for number, pattern in paths.candidates(form):
            rule = paths.rules[number]
            asked = access.mode in rule.modes and (not of_git if rule.decision else certain)
            if asked and number not in found and _speaks(rule, pattern, form, access):
                found.add(number)
    return [paths.rules[number] for number in sorted(found)]


def at_home(path: Word) -> bool:
    """Whether nothing of a path is computed but the home: `~/.ssh/config`."""
    if isinstance(path, str):
        return False
    return path.source[:2] == "~/" and path.source.isprintable() and not _SHELLS & {*path.source}


_SHELLS = frozenset("$`*?[]{}\\\"' ,;|&<>()#!…")


def _passed_over(paths: "PathIndex", access: Access, places: Places) -> bool:
    """Whether no rule can be about what is read, whatever form the path takes: most are about
    what is written."""
    names = paths.read_names
    if access.mode != "read" or names is None:
        return False
    path = unquoted(access.path)
    if not names.isdisjoint(path.lower().split("/")):
        return False
    directories = places.directories
    return False not in [names.isdisjoint(d.lower().split("/")) for d in directories]


def _speaks(rule: PathRule, pattern: str, form: str, access: Access) -> bool:
    """Whether a pattern is about a path. Tightening ones hold for file systems without case."""
    if not rule.decision:
        return _fits(pattern, form)
    pattern, form = pattern.lower(), form.lower()
    held = access.extent in _WHOLE and _holds(pattern, form, access.mode)
    return held or _fits(pattern, form)


def names(rule: PathRule, access: Access, places: Places) -> bool:
    """Whether a rule that tightens is about the path itself, not about something in it."""
    return any(
        _fits(pattern.lower(), form.lower())
        for form in _forms(access.path, places)
        for pattern in rule.paths
    )


def possible_paths(paths: "PathIndex", access: Access, places: Places) -> tuple[PathRule, ...]:
    """The tightening rules that a path may turn out to be one of, as far as its beginning says.

    A path that is computed from its first character on may be any; what a glob finds is where the
    glob stands. One that begins in too many directories may be any, too.
    """
    path = access.path
    spelled = unquoted(path)
    if places.names and spelled[:1] not in "/~":
        return paths.among(places.names, spelled.lower().split("/"), access.mode)
    if not isinstance(path, Dynamic) or access.mode == "read":
        return ()
    if path.prefix and path.source[:1] in _COMPUTED:
        path = Dynamic(path.prefix + path.source)
    begins = unquoted(path)[:1]
    any_path = begins in _COMPUTED and begins not in _GLOBS
    known = frozenset(k for f in _forms(path, places) if (k := _known(f.lower())) is not None)
    key = known, access.mode, any_path, places.home
    found = paths.recent.get(key)
    if found is None:
        if len(paths.recent) >= _CACHE_SIZE:
            paths.recent.clear()
        found = paths.recent[key] = tuple(
            rule
            for rule, patterns in paths.tightening(places.home)
            if access.mode in rule.modes
            and (any_path or any(_may_be(pattern, k) for k in known for pattern in patterns))
        )
    return found


def _known(path: str) -> str | None:
    """The path up to where it is computed; None where all of it is known."""
    at = min((i for i in map(path.find, _COMPUTED) if i >= 0), default=-1)
    return None if at < 0 else path[:at]


def _may_be(pattern: str, known: str) -> bool:
    """Whether a path of which only the beginning is known may be one that a pattern names."""
    if _is_glob(pattern):
        return _may_be_glob(pattern, known)
    base = pattern.removeprefix("**/").rstrip("*").rstrip("/")
    if pattern.startswith("**/"):
        return _passes_through(pattern[3:], known) or _begins(base, known)
    if "/" not in pattern or known == "":
        return False
    return base.startswith(known) or (pattern[-1] == "*" and known.startswith(base + "/"))


def _may_be_glob(pattern: str, known: str) -> bool:
    """The same for a pattern with wildcards in its middle: its fixed beginning decides."""
    if pattern.startswith("**/"):
        return True
    fixed = _literal_directories(pattern)
    return fixed.startswith(known) or known.startswith(fixed)


def _is_glob(pattern: str) -> bool:
    """Whether a pattern has a wildcard elsewhere than `**/` at its beginning and `*` at its end."""
    body = pattern.removeprefix("**/")
    return "*" in body[:-1] or "?" in body


def _literal_directories(pattern: str) -> str:
    """The directories before the first wildcard, with the slash after them."""
    at = min(i for i in (pattern.find("*"), pattern.find("?")) if i >= 0)
    return pattern[: pattern.rfind("/", 0, at) + 1]


def _begins(base: str, known: str) -> bool:
    """Whether the end of what is known is where `base`, of several directories, may begin."""
    whole = "/" + known
    first = base.find("/") + 1
    if not first or f"/{base[:first]}" not in whole:
        return False
    return True in [whole.endswith("/" + base[:end]) for end in range(first, len(base))]


def _forms(path: Word, places: Places) -> "Iterator[str]":
    """The spellings of a path, normalised."""
    spelled = without_proc(unquoted(path))
    form = _normal(spelled)
    yield form
    if places.home and (form == places.home or form.startswith(places.home + "/")):
        yield "~" + form[len(places.home) :]
    if spelled[:1] not in "/~":
        for directory in places.directories:
            yield from _forms(posixpath.join(directory, spelled), Places(places.home))


def unquoted(word: Word) -> str:
    """A path; the source of a dynamic one without quotes, the home directory as `~`."""
    return word if isinstance(word, str) else path_of(word.source)


def path_of(source: str) -> str:
    """The path that a word of a shell is, by its source."""
    if _MARKS.isdisjoint(source):
        return source
    source = source.replace("$'", "'")
    for sign in ('"', "'", "\\"):
        source = source.replace(sign, "")
    if source[:1] not in "~$":
        return source
    if source[:2] in ("~+", "~-"):
        return ("." if source[1] == "+" else "$OLDPWD") + source[2:]
    # another user's home is laid out like one's own, and may be it
    first, slash, rest = source.partition("/")
    if first[:1] == "~" or first in ("$HOME", "${HOME}"):
        return "~" + slash + rest
    return "." + slash + rest if first == "$PWD" else source


_MARKS = frozenset("$'\"\\~")


def starts(home: str | None, directories: "Iterable[Word]") -> Places:
    """Directories that are changed to one after the other, each also from those before."""
    words = [unquoted(word) for word in directories]
    found: dict[str, None] = {}
    for path in words:
        if path[:1] not in "/~":
            found |= dict.fromkeys([posixpath.join(before, path) for before in found])
        found[path] = None
        if len(found) > MAX_DIRECTORIES:
            names = frozenset(name for each in words for name in each.lower().split("/"))
            return Places(home, tuple(found)[:MAX_DIRECTORIES], names)
    return Places(home, tuple(found))


_ENDS = ("*", ".", "/")


def _normal(path: str) -> str:
    """The path without `.`, `..` and doubled slashes. `x/*` is all of `x`."""
    for tail in ("/*", "/.", "/.*", "/") if path[-1:] in _ENDS else ():
        while path.endswith(tail) and len(path) > len(tail):
            path = path[: -len(tail)]
    if path in ("/*", "/.", "/.*"):
        return "/"
    found = normal(path)
    return "/" + found.lstrip("/") if path[:2] == "//" else found


def without_proc(path: str) -> str:
    """The path without the links of a process to its root and its directory (proc(5)).

    >>> without_proc("/proc/self/root/etc/x"), without_proc("/proc/7/task/7/cwd/x")
    ('/etc/x', './x')
    """
    if "proc/" not in path or path[:1] != "/":
        return path
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if len(parts) < 3 or parts[0] != "proc":
        return path
    at = 4 if parts[2] == "task" and len(parts) > 4 else 2
    if parts[at] == "root":
        return without_proc("/" + "/".join(parts[at + 1 :]))
    return "./" + "/".join(parts[at + 1 :]) if parts[at] == "cwd" else path


def is_foreign(path: str) -> bool:
    """Whether a path leads to the directory or the root of a process that has a number: what these
    are is not known.

    >>> is_foreign("/proc/7/cwd/x"), is_foreign("/proc/self/cwd/x"), is_foreign("/proc/7/stat")
    (True, False, False)
    """
    if "proc/" not in path or path[:1] != "/":
        return False
    parts = path.split("/")
    links = (n for n, part in enumerate(parts) if part in ("cwd", "root") and "proc" in parts[:n])
    above = normal("/".join(parts[: next(links, 0)]) or "/").strip("/").split("/")
    return above[0] == "proc" and above[1:] != [] and above[1].isdigit()


_GLOBS = ("*", "?", "[")
_COMPUTED = ("$", "`", "{", "…", *_GLOBS)
MAX_DIRECTORIES = 32
"""Directories from which a relative path is followed: of more, only their names count."""
_CACHE_SIZE = 1024


def _holds(pattern: str, path: str, mode: str) -> bool:
    """Whether a directory to remove or to write holds what a pattern names.

    What one with a wildcard means in it is looked for where it is.
    """
    changed = mode == "remove" or (mode == "write" and path not in _WIDE)
    return changed and not _is_glob(pattern) and _above(pattern, path.rstrip("/") + "/")


def _fits(pattern: str, path: str) -> bool:
    """Whether a path is one of a pattern's."""
    if _is_glob(pattern):
        return PathPattern(pattern).matches(path, None, None)
    if pattern.startswith("**/"):
        return _passes_through(pattern[3:], path)
    if pattern.endswith("/*"):
        directory = pattern[:-2]
        return path == directory or path.startswith(directory + "/")
    if pattern.endswith("*"):
        bare = "/" not in pattern and pattern[0] != "~"
        return (path.rpartition("/")[2] if bare else path).startswith(pattern[:-1])
    if "/" in pattern or pattern.startswith("~"):
        return path == pattern.rstrip("/") or path == pattern
    return path.rpartition("/")[2] == pattern


_WIDE = frozenset(("/", "~", ".", ".."))
"""Directories that most things are in: to write one says nothing about a path in it."""


def _above(pattern: str, directory: str) -> bool:
    """Whether what a pattern without a wildcard names is in a directory."""
    if pattern.startswith("**/"):
        return _begins(pattern[3:], directory)
    return (pattern[:-1] if pattern.endswith("/*") else pattern).startswith(directory)


def _passes_through(pattern: str, path: str) -> bool:
    """Whether the path runs through these directories, wherever they are."""
    whole = f"/{path}/"
    if pattern.endswith("/*"):
        return f"/{pattern[:-2]}/" in whole
    return whole.endswith(f"/{pattern}/") or (pattern.endswith("*") and f"/{pattern[:-1]}" in whole)


def matching_hosts(policy: "Policy", subject: Connect) -> "list[NetworkRule]":
    """The rules about this host. One that allows holds for its own protocol and port only."""
    if not policy.network or not isinstance(subject.host, str):
        return []
    from execpolicy.policy.network_hosts import rules_for_command

    return rules_for_command(policy, subject.host, subject.protocol, subject.port)
