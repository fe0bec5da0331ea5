"""A tool of the user's own: what is offered for a program that the catalogue does not know.

It lists the sub-commands that were seen; those whose word says that something elsewhere changes are
`remote`. What its other words say is judged by the kind `own`. A rule for one sub-command then lets
that one run, with whatever operands of the project.
"""

from _collections_abc import Iterable

from execpolicy.catalogue import Catalogue
from execpolicy.catalogue.kinds.elsewhere import says
from execpolicy.catalogue.kinds.kind import all_names
from execpolicy.engine.scene import RequestCommand
from execpolicy.model.operation import MCP, Dynamic, Word
from execpolicy.model.rule import Origin
from execpolicy.model.written.program import Program
from execpolicy.support.record import Value

_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789:_-")
_LONGEST = 31
"""Characters of which a word is that names a sub-command, and how many."""
_DEEP = 3
"""How many words may be sub-commands."""
KIND = "own"
LOCAL, REMOTE = "execute", "execute remote"
WHY = {LOCAL: "runs a tool of your own", REMOTE: "changes something elsewhere"}


class OwnTool(Value):
    """The paths that no entry names yet, and the beginning of the command that a rule names."""

    paths: tuple[str, ...]
    prefix: tuple[str, ...]

    @property
    def is_remote(self) -> bool:
        """Whether the words that a rule names say that something elsewhere changes."""
        return any(says(word) for word in self.prefix[1:] if word[:1] != "-")


def beside(catalogue: Catalogue, paths: "Iterable[str]") -> Catalogue:
    """The catalogue with entries for these paths, too."""
    from execpolicy.catalogue.grammar.compile import compile_programs, extend

    new = tuple(dict.fromkeys(paths))
    names = dict.fromkeys(path.partition(" ")[0] for path in new)
    known = (path for name in names for path in catalogue.paths_of(name))
    if not new:
        return catalogue
    if not catalogue.table[0]:  # nothing is known of any program
        return Catalogue(compile_programs(programs(new))[0])
    return Catalogue(extend(catalogue.table, programs((*known, *new)), names)[0])


def own_tool(command: RequestCommand) -> OwnTool | None:
    """The entries for the program of a command; None where it has others, or is not a name."""
    argv, catalogue = command.operation.argv, command.scene.snapshot.catalogue
    name = argv[0]
    if not isinstance(name, str) or not _is_name(name) or name.startswith(MCP):
        return None
    if command.scene.planted(name) is not None or not is_free(name, catalogue):
        return None
    places = _path(argv)
    words = [name, *(str(argv[at]) for at in places)]
    paths = [" ".join(words[: end + 1]) for end in range(len(words))]
    new = tuple(path for path in paths if catalogue.entry(path) is None)
    return OwnTool(new, tuple(map(str, argv[: places[-1] + 1 if places else 1])))


def programs(paths: "Iterable[str]") -> tuple[Program, ...]:
    """The entries for these paths: one of a tool for those that stay here, and one for those that
    say a change elsewhere."""
    found: dict[tuple[str, str], list[str]] = {}
    for path in paths:
        found.setdefault((path.partition(" ")[0], _effect(path)), []).append(path)
    return tuple(_program(tuple(same), effect) for (_, effect), same in found.items())


def is_own(program: Program) -> bool:
    """Whether an entry is as it is made here: it allows nothing."""
    return program.replace(origin=_ORIGIN) == _program(program.names, program.effect)


def _is_name(word: str) -> bool:
    """Whether a word is the plain name of a program, and no path."""
    plain = word.translate(dict.fromkeys(map(ord, "_.+-")))
    return plain.isascii() and plain.isalnum() and word[0] not in "_.+-"


def _is_subcommand(word: str) -> bool:
    return word[:1].isalpha() and _SIGNS.issuperset(word) and len(word) <= _LONGEST


def is_free(name: str, catalogue: Catalogue) -> bool:
    """Whether nothing is known of a program but what was offered here."""
    known = catalogue.lookup(name)
    if known is None:
        return True
    kinds = [place.kind for form in known.entry.forms for place in form.operands.places]
    return known.path == name and KIND in all_names(kinds)


def _path(argv: tuple[Word, ...]) -> list[int]:
    """Where the sub-commands stand: the first, and all up to a word that says what changes."""
    bare = [
        at for at, word in enumerate(argv) if at and (isinstance(word, Dynamic) or word[:1] != "-")
    ]
    first = bare[:_DEEP]
    named = 0
    for number, at in enumerate(first):
        word = argv[at]
        if not isinstance(word, str) or not _is_subcommand(word):
            break
        if number == 0 or says(word):
            named = number + 1
    return first[:named]


def _effect(path: str) -> str:
    """What the words of a path say: code of the user's, or a change elsewhere besides."""
    return REMOTE if any(map(says, path.split()[1:])) else LOCAL


_ORIGIN = Origin("user", "<proposed>", 0)


def _program(names: tuple[str, ...], effect: str) -> Program:
    return Program(
        names,
        options=f"-*={KIND}",
        operands=f"{KIND}*",
        effect=effect,
        runs="project",
        why=WHY.get(effect, ""),
        origin=_ORIGIN,
    )


_OTHERS = (
    *("usage", "option", "flag", "argument", "example"),
    *("environment", "alias", "learn", "topic"),
)
_LISTED = r" {1,8}([a-z][a-z0-9:_-]{0,30})(?:, [\w-]+| [\[<][^ ]*)*(?: {2,}\S.*|\s*)"


def subcommands(text: str) -> tuple[str, ...]:
    """The sub-commands that a help text lists, a line each below a heading that is no other's.

    So write cobra, clap, click and argparse their lists.
    """
    import re

    listing = re.compile(_LISTED)
    found: dict[str, None] = {}
    lists = False
    for line in text[:_MAX_HELP].splitlines():
        if line[:1].strip() and (line.rstrip()[-1:] == ":" or line.isupper()):
            lists = not any(word in line.lower() for word in _OTHERS)
        listed = listing.fullmatch(line) if lists else None
        if listed is not None and listed[1] not in ("help", "completion"):
            found[listed[1]] = None
    return tuple(found)


_MAX_HELP = 64 * 1024


def line(program: Program) -> str:
    """An entry as one line of a rules file."""
    from execpolicy.store.line import quoted

    names = ", ".join(map(quoted, program.names))
    fields = ("options", "operands", "effect", "runs", "why")
    said = (f"{field} = {quoted(str(getattr(program, field)))}" for field in fields)
    return f"program([{names}], {', '.join(said)})"
