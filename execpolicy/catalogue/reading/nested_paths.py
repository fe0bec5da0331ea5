"""Paths that a word names in its own way: members of archives, objects of git, databases."""

from _collections_abc import Iterator, Sequence

from execpolicy.catalogue.reading.effects import Effects
from execpolicy.model.operation import Dynamic, Word
from execpolicy.support.record import Value

_SIGNS = "*?["
_ANCESTOR = ("~", "^", "@{", "{", "..")
_OPENED = frozenset(("mode=ro", "mode=memory", "immutable=1", "cache=shared", "cache=private"))

_FILE = "file:"
_HEXADECIMAL = frozenset("0123456789abcdef")


def paths(kind: str, word: Word) -> "Iterator[Word]":
    """The paths whose content the word stands for."""
    if isinstance(word, Dynamic):
        found = [Dynamic(word.source, part, word.single) for part in _parts(kind, word.prefix)]
        yield from found
        return
    for part in _parts(kind, word):
        yield pattern(part)


def is_pathspec(word: Word) -> bool:
    """Whether this is no `REV:path`, so that it may be a directory, of which git shows all."""
    text = word if isinstance(word, str) else word.prefix
    return ":" not in text[1:] or text.startswith(":(")


def is_id(text: str) -> bool:
    """Whether git may take this for the name of an object, of whatever file or commit."""
    return 4 <= len(text) <= 64 and set(text) <= set("0123456789abcdef")


def is_from_top(word: Word) -> bool:
    """Whether this pathspec begins at the top of the repository, wherever the command runs, or
    chooses paths by more than their names: `:/src`, `:(top)src`, `:(attr:x)`."""
    text = word if isinstance(word, str) else word.prefix
    magic, _ = _magic(text)
    if magic is None or magic == "exclude":
        return False
    return not {*magic.split(",")} <= {"glob", "icase", "literal", "exclude"}


def is_exclusion(word: Word) -> bool:
    """Whether this pathspec only takes paths out of others (gitglossary(7))."""
    text = word if isinstance(word, str) else word.prefix
    return text.startswith((":!", ":^")) or (text.startswith(":(") and "exclude" in text)


def pattern(path: str) -> Word:
    """The path; one with signs of a pattern, which the program itself expands, is computed."""
    at = min((at for at in map(path.find, _SIGNS) if at >= 0), default=-1)
    return path if at < 0 else Dynamic(path, path[:at], single=False)


def _parts(kind: str, text: str) -> list[str]:
    """The text itself, or what stands after the colons of a git object and of a pathspec."""
    if kind == "form-field":
        return _attached(text)
    if kind == "member" or ":" not in text:
        return [] if kind == "object" and is_head(text) else [text]
    magic, path = _magic(text)
    if magic is not None:
        return [] if "exclude" in magic else [path.lower() if "icase" in magic else path]
    return list(dict.fromkeys((text.partition(":")[2], text.rpartition(":")[2])))


def _attached(text: str) -> list[str]:
    """The file that a field of a form is made of: `name=@path;type=x`, `name=<path`, `name@path`.

    curl takes several, with commas between them.
    """
    begin = min((at for at in map(text.find, "@<") if at >= 0), default=-1)
    if begin < 0:
        return []
    whole = text[begin + 1 :]
    return list(dict.fromkeys((whole, *whole.partition(";")[0].split(","))))


def is_head(text: str) -> bool:
    """Whether this is a commit by the name of what is checked out: `HEAD~3`, `@{u}`, `HEAD..x`."""
    rest = text[4:] if text.startswith("HEAD") else text[1:] if text.startswith("@") else " "
    return not rest or rest.startswith(_ANCESTOR)


def _magic(text: str) -> tuple[str | None, str]:
    """The magic of a pathspec (`:(top,icase)x`, `:!x`, `:/x`), and what is after it.

    `:x` and `:0:x` are objects of the index, and `HEAD@{12:30}:x` is one at some time.
    """
    if text.startswith(":("):
        magic, _, path = text[2:].partition(")")
        return magic, path
    signs = text[1 : len(text) - len(text[1:].lstrip("!^/"))] if text.startswith(":") else ""
    if not signs:
        return None, text
    return ("" if signs.strip("/") == "" else "exclude"), text[1 + len(signs) :]


class Database(Value):
    """The file of a database, and whether it is created where it is missing."""

    file: Word
    created: bool


def database(word: Word) -> Database | None:
    """The database of SQLite that a word names; None for one in memory.

    >>> database("file:a.db?mode=ro")
    Database(file='a.db', created=False)
    >>> database("file:a%20b.db")
    Database(file='a b.db', created=True)
    """
    if isinstance(word, Dynamic):
        return Database(_without_scheme(word), created=True)
    if word in ("", ":memory:"):
        return None
    if not word.startswith(_FILE):
        return Database(word, created=True)
    path, _, query = word[len(_FILE) :].partition("#")[0].partition("?")
    asked = query.split("&") if query else []
    if path.startswith("//"):
        path = path[2:].removeprefix("localhost")
    path = _decoded(path)
    if not _OPENED.issuperset(asked):
        return Database(path, created=True)
    if "mode=memory" in asked:
        return None
    return Database(path, "mode=ro" not in asked and "immutable=1" not in asked)


def _without_scheme(word: Dynamic) -> Dynamic:
    """The path of a computed URI: `"file:$x?mode=ro"` opens `$x` (sqlite.org/uri.html)."""
    if not word.prefix.startswith(_FILE):
        return word
    source = word.source.replace(_FILE, "", 1)
    if "${" not in source and "$(" not in source:
        source = source.partition("?")[0]
    return Dynamic(source, word.prefix[len(_FILE) :], names=word.names)


def _decoded(path: str) -> str:
    """The path of a URI with what is written as `%20` (sqlite.org/uri.html, 3.4)."""
    first, *rest = path.split("%")
    found = first.encode(errors="surrogateescape")
    for part in rest:
        code = part[:2] if len(part) > 1 and set(part[:2].lower()) <= _HEXADECIMAL else ""
        found += bytes.fromhex(code) + part[len(code) :].encode(errors="surrogateescape")
    return found.partition(b"\0")[0].decode(errors="surrogateescape")


# --- what git shows of its objects ----------------------------------------------------------------
# Where no `--` stands among its words, git takes one for a revision or for a path, by looking which
# of the two is there (gitcli(7)); after `--` all are pathspecs (gitglossary(7)). A command that is
# told no path shows all that its commits hold, from the top of the repository on.

EVERYTHING = ":/"
"""The pathspec of all of a repository, from wherever a command runs."""


def shown(
    effects: "Effects", words: "Sequence[Word]", before: int | None, *, one: bool = False
) -> None:
    """Add what the operands of the kind `object` let be shown.

    `before` is the number of words in front of `--`, None where there is none. `one`: the command
    shows the very object that a word names, and of a commit no file.
    """
    revisions = words if before is None else words[:before]
    specs = () if before is None else [w for w in words[before:] if not is_exclusion(w)]
    limited = bool(specs)
    for word in revisions:
        limited |= _revision(effects, word, alone=before is None or one)
    for word in specs:
        for path in paths("object", word):
            effects.file("history", path, "")
    if any(map(is_from_top, words)) or not (limited or one):
        effects.file("history", EVERYTHING, "")


def _revision(effects: "Effects", word: Word, *, alone: bool) -> bool:
    """A word that may be a revision, or, where `alone`, a path; whether it says what is shown."""
    if not is_pathspec(word):
        for path in paths("object", word):
            effects.file("file", path, "")
        return True
    if isinstance(word, str) and (is_head(word) or is_exclusion(word)):
        return False
    if not alone and not (isinstance(word, str) and is_id(word)):
        return False
    for path in paths("object", word):
        effects.file("revision", path, "")
    return alone
