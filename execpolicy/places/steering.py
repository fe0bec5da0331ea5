"""Which variables of the environment lead a program to code or settings in a directory, and to
which files an `.envrc` leads.

The table is `rules/words/steering.words`: variables, and the programs that obey them.
"""

import os
from _collections_abc import Iterator, Mapping

from execpolicy.support.record import Value
from execpolicy.support.resources import words_of

_GAPS = str.maketrans(dict.fromkeys(":;=,|!@'\" \t\n", "\0"))
"""What stands between the paths of a value: `LESSOPEN=|x %s`, `NODE_OPTIONS=--require=x`."""
_OF_SYSTEM = ("/usr/", "/etc/", "/bin/", "/lib", "/opt/")
"""Where only root makes links, which lead into no project."""
LOADER = ("LD_", "DYLD_")
"""Variables of the dynamic loader, which has done what they say before a program can look."""


class Steering(Value):
    """A variable, the path that it leads to, and the programs that obey it.

    `*` is each program; where there are none, it is those that the variable is named after.
    """

    name: str
    path: str
    programs: frozenset[str]

    def steers(self, program: str) -> bool:
        """Whether a program of this name obeys it."""
        base = program.rpartition("/")[2].lower()
        stem = base.rstrip("0.123456789")
        if self.programs:
            return not self.programs.isdisjoint(("*", base, stem)) or not _is_listed(base, stem)
        named = (f"{each.replace('-', '_').upper()}_" for each in (base, stem) if each)
        return self.name.startswith(tuple(named))


def _is_listed(base: str, stem: str) -> bool:
    """Whether the table has a program. What obeys variables is not known of another."""
    table = _READ[0] if _READ else _read()
    return any(each in words for each in (base, stem) for words in (table.words, table.plain))


def found(environment: "Mapping[str, str]", cwd: str) -> "Iterator[Steering]":
    """What the variables of an environment lead to, each path as written and as it really lies."""
    for name in environment:
        for programs in obeyed(name):
            value, exact = environment[name], name in programs
            if value and (exact or "/" in value):
                for path in _paths(name, value, cwd, exact=exact):
                    yield Steering(name, path, programs)


def obeyed(name: str) -> "list[frozenset[str]]":
    """The programs that obey a variable, in groups: an empty one are those of its name."""
    table = _READ[0] if _READ else _read()
    known = table.known.get(name)
    if known is None:
        if len(table.known) >= MAX_KNOWN:
            table.known.clear()
        known = table.known[name] = _obeyed(name, table)
    return known


def _obeyed(name: str, table: "_Table") -> "list[frozenset[str]]":
    spellings = table.spellings(name)
    if not table.none.isdisjoint(spellings):
        return []
    led = [words for words in table.groups if not words.isdisjoint(spellings)]
    return led or ([frozenset()] if name.endswith(table.ends) else [])


def may_lead(name: str) -> bool:
    """Whether one of the patterns is about this variable."""
    table = _READ[0] if _READ else _read()
    return name.endswith(table.ends) or not table.words.isdisjoint(table.spellings(name))


def patterns() -> "Iterator[str]":
    """The names of variables that may lead programs to something: `X_*` and `*_X`, too."""
    table = _READ[0] if _READ else _read()
    yield from (f"*{end}" for end in table.ends)
    yield from (word for word in table.words if not word.islower() and word != "*")


class _Table:
    """The groups, their words together, how names of own variables end, what leads to nothing, and
    programs that no variable leads."""

    def __init__(self, named: "dict[str, frozenset[str]]") -> None:
        self.ends, self.none = tuple(named.pop("endings")), named.pop("none")
        self.plain = named.pop("plain")
        self.groups = tuple(named.values())
        self.words = frozenset[str]().union(*self.groups)
        every = (*self.words, *self.none)
        self._begin = tuple([word[:-1] for word in every if word[-1] == "*" and word != "*"])
        self.known: dict[str, list[frozenset[str]]] = {}

    def spellings(self, name: str) -> set[str]:
        """A name, and each `X_*` that it begins like."""
        if not name.startswith(self._begin):
            return {name}
        return {name, *(f"{each}*" for each in self._begin if name.startswith(each))}


_READ: "list[_Table]" = []
MAX_KNOWN = 1000
"""Variables of which the programs are kept that obey them."""


def _read() -> _Table:
    """The table, read once."""
    _READ.append(_Table(dict(words_of("steering"))))
    return _READ[0]


_OF_COMMANDS = (
    "PAGER", "EDITOR", "VISUAL", "COMMAND", "SSH", "ASKPASS", "DIFF", "RSH", "SHELL", "RUSTC",
    "WRAPPER", "OPEN", "CLOSE", "OPT", "OPTS", "OPTIONS", "FLAGS", "ARGS", "INIT", "PLUGINS",
)  # fmt: skip
"""How the names of variables end whose words are commands, options or modules. A word without a
slash is a path in none of them."""


def _paths(name: str, value: str, cwd: str, *, exact: bool) -> "Iterator[str]":
    """The paths in a value. By a mere beginning or end of a name (not `exact`) a relative word is
    one where it lies there: `origin/main` is none."""
    pieces = value.translate(_GAPS).split("\0")
    if len(pieces) > 1 and os.path.lexists(os.path.join(cwd, value)):
        pieces.append(value)  # a path with a blank in it
    for piece in dict.fromkeys(pieces):
        if piece.startswith("-"):  # `-I/x/lib`, `-r./x`
            at = min((at for sign in "/." if (at := piece.find(sign)) > 0), default=0)
            piece = piece[at:] if at else ""
        if "/" not in piece and (name.endswith(_OF_COMMANDS) or not (exact or piece)):
            continue
        relative = piece[:1] not in ("/", "~", ".")
        if relative and not exact and not os.path.lexists(os.path.join(cwd, piece)):
            continue
        if piece or ":" in value:  # an empty one is the current directory
            lexical = os.path.normpath(os.path.join(cwd, os.path.expanduser(piece)))
            yield lexical
            if lexical.startswith(_OF_SYSTEM):
                continue
            real = os.path.realpath(lexical)
            if real != lexical:
                yield real


def loaded(steering: "tuple[Steering, ...]") -> "Iterator[str]":
    """What is to be told about variables of the loader that lead to the project, a sentence each.

    What stands there has run in this process before it began.
    """
    for name, one in {s.name: s for s in steering}.items():
        if name.startswith(LOADER):
            yield f"`{name}` leads to `{one.path}` in the project: each program runs what is there"


_DIRENV_USES = {
    "nix": ("shell.nix", "default.nix"),
    "flake": ("flake.nix", "flake.lock"),
    "devenv": ("devenv.nix", "devenv.yaml"),
    "devbox": ("devbox.json",),
}
"""direnv-stdlib(1) 2.36; devenv.sh 1.8 and devbox 0.16, "Automatic shell activation"."""
_DIRENV_SOURCES = frozenset(("source", ".", "source_env", "source_env_if_exists"))
_DIRENV_WORDS = _DIRENV_SOURCES | {"use", "eval"}
_SHELL_SIGNS = str.maketrans(dict.fromkeys(";&|()'\"", " "))


def by_direnv(root: str, text: str) -> "Iterator[str]":
    """The files to which an `.envrc` in a directory leads, there or not."""
    for words in _commands(text):
        name, *rest = words
        used = (
            name[4:] if name.startswith("use_") else rest.pop(0) if name == "use" and rest else ""
        )
        operand = next((word for word in rest if word[:1] != "-"), "")
        found = _DIRENV_USES.get("devbox" if name == "eval" and "devbox" in rest else used, ())
        if name in _DIRENV_SOURCES or (used == "nix" and operand):
            found, operand = (operand,) if operand and "$" not in operand else (), ""
        at = os.path.join(root, operand if used == "flake" and ":" not in operand else "")
        yield from (os.path.normpath(os.path.join(at.partition("#")[0], each)) for each in found)


def _commands(text: str) -> "Iterator[list[str]]":
    """The words of each line, without quotes and signs of a shell."""
    for line in text.splitlines():
        words = line.translate(_SHELL_SIGNS).replace("[[", " ").split()
        for start, word in enumerate(words):
            if word in _DIRENV_WORDS or word.startswith("use_"):
                yield words[start:]
