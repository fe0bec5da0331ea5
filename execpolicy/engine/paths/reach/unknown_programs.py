"""What keeps a program that no entry describes from running in the sandbox without a question.

There it is no more than code of the project: it writes what that may write, and reaches registries
alone. So it asks for what its words say besides: a path that such code would be asked about, read,
written or run, a host, a change of something elsewhere.
"""

from execpolicy.catalogue.kinds.elsewhere import BY_OPTION, CHANGES, SENDS, names_host, says
from execpolicy.catalogue.services import is_service
from execpolicy.engine.paths.own_code import leads_out, paths
from execpolicy.engine.paths.subjects import accessed
from execpolicy.engine.scene import RequestCommand
from execpolicy.model.errors import printable
from execpolicy.model.operation import MCP, Access, Dynamic, show
from execpolicy.model.program import CONTAINED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from execpolicy.model.operation import Mode, Word

    Holds = Callable[[Access, tuple[str, ...]], bool]

_DEEP = 3
"""How many words may be sub-commands."""
_HELP = "--help"


def refusal(command: RequestCommand, holds: "Holds") -> str:
    """Why the program asks in the sandbox, too; empty where that holds all it may do.

    `holds`: whether the sandbox holds what is done at a path of these classes.
    """
    name = command.operation.argv[0]
    if not isinstance(name, str) or name.startswith(MCP):
        return "it does not run in the sandbox"
    return next(_reasons(name, command, holds), "")


def _reasons(name: str, command: RequestCommand, holds: "Holds") -> "Iterator[str]":
    words = command.operation.argv[1:]
    if not _is_contained(name, command):
        yield f"`{printable(name, 60)}` has the name of a program that does more"
    if words[-1:] != (_HELP,):
        yield from (f"`{said}` may change something elsewhere" for said in _saying(name, words))
    for word in words:
        if isinstance(word, str) and _is_service(word, command):
            yield f"`{word}` may change something elsewhere"
        if isinstance(word, str) and names_host(word):
            yield f"`{printable(word, 60)}` may be a host"
    if not all(
        _may(Access(".", mode, extent="entry"), command, holds) for mode in ("read", "write")
    ):
        yield "it works outside of the project"
    if not _may(Access(name, "read"), command, holds):
        yield f"`{printable(name, 60)}` is not there"
    for word in words:
        if not _is_held(word, command, holds):
            yield f"`{printable(show(word), 60)}` leads to what it may not read, write or run"


def _is_contained(name: str, command: RequestCommand) -> bool:
    """Whether what programs of this name do, wherever they lie, does not leave the sandbox."""
    from execpolicy.catalogue import read

    base = name.rpartition("/")[2]
    catalogue = command.scene.snapshot.catalogue
    if catalogue.lookup(base) is None:
        return True
    known = read((base, *command.operation.argv[1:]), catalogue)
    return not known.inner and all(
        cause.effect in CONTAINED and not cause.secret for cause in known.effects
    )


def _saying(name: str, words: "tuple[Word, ...]") -> "Iterator[str]":
    """The words that say that something elsewhere is changed."""
    if says(name.rpartition("/")[2], SENDS):
        yield name
    literal = [word for word in words if isinstance(word, str)]
    yield from (word for word in literal if word[:2] == "--" and says(word, BY_OPTION))
    bare = [word for word in words if not isinstance(word, str) or word[:1] != "-"]
    if bare and isinstance(bare[0], Dynamic) and not bare[0].prefix and "/" not in show(bare[0]):
        yield show(bare[0])
    for at, word in enumerate(bare):
        if isinstance(word, str) and (
            word.lower() in CHANGES or (at < _DEEP and says(word, CHANGES))
        ):
            yield word


def _is_service(word: str, command: RequestCommand) -> bool:
    """Whether a word names a program that talks to a server, which this one may run."""
    found = command.scene.snapshot.catalogue.lookup(word)
    return found is not None and is_service(found.entry.origin)


def _is_held(word: "Word", command: RequestCommand, holds: "Holds") -> bool:
    """Whether each path that a word may be is one that code of the project may read, write, run."""
    found = paths(word) if isinstance(word, str) else iter((word,))
    return all(_may(Access(path, mode), command, holds) for path in found for mode in _modes(path))


def _modes(path: "Word") -> "tuple[Mode, ...]":
    """What may be done at a path. One that does not lead out is run as code of the project is."""
    if isinstance(path, Dynamic):
        known = path.digits_only or path.template
        return () if known else ("read", "execute") if path.prefix else ("execute",)
    return ("read", "write", "execute") if leads_out(path) else ("read", "write")


def _may(access: Access, command: RequestCommand, holds: "Holds") -> bool:
    ruled = accessed(access, command.number, command.scene)
    if any(match.in_sandbox for match in ruled.matches):
        return False
    return ruled.allowed or holds(access, ruled.places)
