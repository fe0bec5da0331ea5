"""Other spellings of a command that runs code: for rules that forbid or ask, never to allow.

`python -m pdb -m tool x`, `python bin/tool x` and `runner -m tool x` are all `tool x`. Which
programs start a module is not looked up: one that runs code, or is not known, may.
"""

from _collections_abc import Iterator

from execpolicy.catalogue import Reading
from execpolicy.model.operation import Word
from execpolicy.model.program import UNSEEN

_MODULE = ("-m", "--module")
_MAIN = "__main__"


def of_code(argv: tuple[Word, ...], reading: Reading) -> "Iterator[tuple[Word, ...]]":
    """Each module and each script that the words name as what runs, with the words after it."""
    causes = [cause for cause in reading.effects if cause.effect in UNSEEN]
    if not causes:
        return
    for at, word in enumerate(argv[1:-1], 2):
        if word in _MODULE and isinstance(argv[at], str):
            yield (_module(str(argv[at])), *argv[at + 1 :])
    for cause in causes:
        path = getattr(cause.subject, "path", None) if cause.is_code else None
        for at, word in enumerate(argv[1:], 1):
            if isinstance(word, str) and isinstance(path, str) and _ends(path, word):
                yield (_script(word), *argv[at + 1 :])


def of_server(argv: tuple[Word, ...]) -> "Iterator[tuple[Word, ...]]":
    """The server of a tool, in the place of the tool: `mcp__github` of `mcp__github__search`.

    A server may have `__` in its name, so that each beginning may be one.
    """
    parts = str(argv[0]).split("__")
    for end in range(2, len(parts)):
        yield ("__".join(parts[:end]), *argv[1:])


def _ends(path: str, word: str) -> bool:
    return path == word or path.endswith("/" + word)


def _module(name: str) -> str:
    """The name of a program whose module this is: a package is started by its `__main__`."""
    return name.removesuffix("." + _MAIN)


def _script(path: str) -> str:
    """The name under which a file is a program; a directory is started by its `__main__.py`."""
    return path.rstrip("/").removesuffix(f"/{_MAIN}.py").rpartition("/")[2]
