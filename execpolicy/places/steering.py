"""Which variables of the environment lead a program to code or settings in a directory.

The table is `rules/words/steering.words`: a variable, and the programs that obey it.
"""

import os

from execpolicy.support.path_match import below
from execpolicy.support.record import Value
from execpolicy.support.resources import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_GAPS = str.maketrans(dict.fromkeys(":;=,|!'\" \t\n", "\0"))
"""What stands between the paths of a value: `LESSOPEN=|x %s`, `NODE_OPTIONS=--require=x`."""
LOADER = ("LD_", "DYLD_")
"""Variables of the dynamic loader, which has done what they say before a program can look."""


class Steering(Value):
    """A variable, the path that it leads to, and the programs that obey it (`*`: each)."""

    name: str
    path: str
    programs: frozenset[str]

    def steers(self, program: str) -> bool:
        """Whether a program of this name obeys it."""
        base = program.rpartition("/")[2]
        return (
            "*" in self.programs
            or base in self.programs
            or base.rstrip("0.123456789") in (self.programs)
        )


def found(environment: "Mapping[str, str]", cwd: str) -> "Iterator[Steering]":
    """What the variables of an environment lead to, each path as written and as it really lies."""
    there = frozenset(environment)
    for named, programs in _table():
        for name in named:
            value = environment[name] if name in there else ""
            for path in _paths(name, value, cwd) if value else ():
                yield Steering(name, path, programs)


_READ: "list[tuple[tuple[str, ...], frozenset[str]]]" = []


def _table() -> "list[tuple[tuple[str, ...], frozenset[str]]]":
    """Variables, and the programs that obey each of them; read once."""
    if not _READ:
        for words in words_of("steering").values():
            named = tuple(word for word in words if _is_variable(word))
            _READ.append((named, words.difference(named)))
    return _READ


def variables() -> "Iterator[str]":
    """The names of all variables that lead programs to something."""
    for named, _ in _table():
        yield from named


def _is_variable(word: str) -> bool:
    return word.isupper() or word.startswith("npm_config_")


_OF_COMMANDS = (
    "PAGER", "EDITOR", "VISUAL", "COMMAND", "SSH", "ASKPASS", "DIFF", "RSH", "SHELL", "RUSTC",
    "WRAPPER", "OPEN", "CLOSE", "OPT", "OPTS", "OPTIONS", "FLAGS", "ARGS", "INIT", "PLUGINS",
)  # fmt: skip
"""How the names of variables end whose words are commands, options or modules. A word without a
slash is a path in none of them."""


def _paths(name: str, value: str, cwd: str) -> "Iterator[str]":
    pieces = value.translate(_GAPS).split("\0")
    if len(pieces) > 1 and os.path.lexists(os.path.join(cwd, value)):
        pieces.append(value)  # a path with a blank in it
    for piece in dict.fromkeys(pieces):
        if piece.startswith("-"):  # `-I/x/lib`, `-r./x`
            at = min((at for sign in "/." if (at := piece.find(sign)) > 0), default=0)
            piece = piece[at:] if at else ""
        if "/" not in piece and name.endswith(_OF_COMMANDS):
            continue
        if piece or ":" in value:  # an empty one is the current directory
            lexical = os.path.normpath(os.path.join(cwd, os.path.expanduser(piece)))
            yield lexical
            real = os.path.realpath(lexical)
            if real != lexical:
                yield real


def loaded(every: "tuple[Steering, ...]", root: str) -> "Iterator[str]":
    """What is to be told about variables of the loader that lead to a directory, one sentence each.

    What stands there has run in this process before it began.
    """
    for name, one in {s.name: s for s in into(every, root)}.items():
        if name.startswith(LOADER):
            yield f"`{name}` leads to `{one.path}` in the project: each program runs what is there"


def into(every: "tuple[Steering, ...]", root: str) -> "Iterator[Steering]":
    """Those that lead to a directory, or below it. What is above it leads nowhere in it."""
    return (one for one in every if below(one.path, root))
