"""Files that the configuration of git names: includes, attributes, programs.

Git reads or runs them whenever it is used in the repository (git-config(1)), so that one which lies
in a project runs as a hook does.
"""

import os
from _collections_abc import Iterator

from execpolicy.places.repository.git_config import FILES, runs
from execpolicy.places.repository.git_syntax import Setting, followed, placed
from execpolicy.sandbox.plan import GitDirectories
from execpolicy.support.disk.bounded import read

MAX_BYTES, MAX_NESTED, MAX_DIRECTORIES = 1 << 20, 3, 8
_SYSTEM = ("/etc/gitconfig", "/usr/local/etc/gitconfig")
_NAMED_BY_VARIABLES = ("GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL")
_HOLE = "\0"
"""Stands in a word for what only a shell can say."""
_END = frozenset(" \t\n;|&()<>{}")
_WHOLE = _END | frozenset("=$`\"'!")
"""In what is a path only if there is one of this name: a whole command, an assignment."""
_TOP = frozenset(("git rev-parse --show-toplevel", "pwd", "git rev-parse --show-cdup"))
"""Commands that print where git runs commands: at the top of the working tree."""
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_SPECIAL = frozenset("@*#?$!-")


def named(git: "GitDirectories", root: str, home: str) -> tuple[str, ...]:
    """Absolute paths that the repository's and the user's configuration name.

    Of commands only what is not a directory: files, and paths that are not there yet.

    Relative ones count from the top of the working tree, as git runs commands, and from the file
    that names them. Each path is given as it is written and without the links on its way.
    """
    found: dict[str, None] = {}
    for path in _files(git, home):
        for here, settings, _ in followed(path, _text, home):
            paths = [here] if here != path else []
            paths += (each for one in settings for each in _of(one, root, home))
            for one in paths:
                found[os.path.normpath(one)] = None
                found[os.path.realpath(one)] = None
    return tuple(found)


def _files(git: "GitDirectories", home: str) -> "Iterator[str]":
    yield f"{git.common}/config"
    yield f"{git.own}/config.worktree"
    yield f"{home}/.gitconfig"
    yield f"{os.environ.get('XDG_CONFIG_HOME') or home + '/.config'}/git/config"
    yield from _SYSTEM
    yield from filter(None, map(os.environ.get, _NAMED_BY_VARIABLES))


def _of(setting: "Setting", root: str, home: str) -> "Iterator[str]":
    value = setting.value
    if not value or _HOLE in value:
        return
    if setting.word in FILES:
        yield placed(value, root, home)
    elif runs(setting):
        yield from _run(value, root, home)


def _run(command: str, root: str, home: str) -> "Iterator[str]":
    """The files that the words of a command may be, below the top and below the directories that
    it names; one without a slash, or after what only a shell can say, only if it is there."""
    words = [*_words(command, root, home), command]
    bases = [root]
    for word in words:
        path = placed(word, root, home)
        if len(bases) < MAX_DIRECTORIES and _HOLE not in word and os.path.isdir(path):
            bases.append(path)
    for word in words:
        if _HOLE in word:
            yield from _ending(word.rpartition(_HOLE)[2], root)
            continue
        for base in bases if word[:1] not in ("", "-", "%") else ():
            may_be_made = base == root and _WHOLE.isdisjoint(word)
            yield from _file(word, base, home, may_be_made)


def _file(word: str, base: str, home: str, may_be_made: bool) -> "Iterator[str]":
    path = placed(word, base, home)
    if os.path.isdir(path):
        package = f"{path}/__main__.py"
        if os.path.lexists(package):
            yield package
    elif os.path.lexists(path) or (may_be_made and "/" in word):
        yield path


def _ending(end: str, root: str) -> "Iterator[str]":
    """The file in the repository that the longest part of this end of a path is."""
    parts = [part for part in end.split("/") if part] if "/" in end else []
    for at in range(len(parts)):
        path = "/".join((root, *parts[at:]))
        if os.path.lexists(path) and not os.path.isdir(path):
            yield path
            return


def _words(text: str, root: str, home: str, depth: int = 0) -> "Iterator[str]":
    """The words of a shell text, of which every quoted one may be a text, too."""
    for word in _Shell(text, root, home).words():
        yield word
        _, assigned, value = word.partition("=")
        yield from value.split(":") if assigned else ()
        if depth < MAX_NESTED and not _END.isdisjoint(word):
            yield from _words(word, root, home, depth + 1)


class _Shell:
    """Takes a text apart as far as it takes to see the paths in it. All of it counts, also what may
    never run."""

    def __init__(self, text: str, root: str, home: str) -> None:
        self._text, self._at, self._root, self._home = text.lstrip("! "), 0, root, home
        self._inner: list[str] = []

    def words(self) -> "Iterator[str]":
        """Each word without its quotes, and those of the substitutions in it."""
        word, quoted = "", False
        while self._at < len(self._text):
            char = self._next()
            if char in _END and not quoted:
                if word:
                    yield word
                word = ""
            elif char == '"':
                quoted = not quoted
            else:
                word += self._part(char, quoted)
        if word:
            yield word
        for text in self._inner:
            yield from _Shell(text, self._root, self._home).words()

    def _next(self) -> str:
        self._at += 1
        return self._text[self._at - 1 : self._at]

    def _until(self, end: str) -> str:
        start, at = self._at, self._text.find(end, self._at)
        at = len(self._text) if at < 0 else at
        self._at = at + 1
        return self._text[start:at]

    def _part(self, char: str, quoted: bool) -> str:
        """What a character, or what it begins, adds to a word."""
        if char == "\\":
            return self._next()
        if char == "'" and not quoted:
            return self._until("'")
        if char == "`":
            return self._substituted(self._until("`"))
        return self._expanded() if char == "$" else char

    def _expanded(self) -> str:
        char = self._text[self._at : self._at + 1]
        if char == "(":
            return self._substituted(self._nested("(", ")"))
        if char == "{":
            text = self._nested("{", "}")
            name = text[: len(text) - len(text.lstrip(_LETTERS))]
            self._inner.append(text[len(name) :].lstrip(":-+=?#%/"))
            return self._known(name) if name == text else _HOLE
        rest = self._text[self._at :]
        name = rest[: len(rest) - len(rest.lstrip(_LETTERS))]
        self._at += len(name) or char in _SPECIAL
        return self._known(name) if name else _HOLE

    def _nested(self, opened: str, closed: str) -> str:
        """What stands in brackets, of which this is the first."""
        start, depth = self._at + 1, 0
        while self._at < len(self._text):
            char = self._next()
            depth += (char == opened) - (char == closed)
            if not depth:
                break
        return self._text[start : self._at - (not depth)]

    def _known(self, name: str) -> str:
        known = {"HOME": self._home, "PWD": self._root, "GIT_WORK_TREE": self._root}
        return known.get(name, _HOLE)

    def _substituted(self, command: str) -> str:
        if " ".join(command.split()) in _TOP:
            return self._root
        self._inner.append(command)
        return _HOLE


def _text(file: str) -> str:
    """The text of a file; empty where it is none, or cannot be read."""
    return (read(file, MAX_BYTES) or b"").decode("utf-8", "surrogateescape")
