"""What is asked, held to its types: a request that is not valid is an error and never a verdict."""

import os
from _collections_abc import Sequence

from execpolicy.model.errors import RequestError, not_utf8, printable, stands_for_bytes
from execpolicy.model.operation import (
    EXTENTS,
    MODES,
    SHELLS,
    Access,
    Assign,
    Assignment,
    Connect,
    Dynamic,
    Exec,
    Opaque,
    Request,
)

Path = str | os.PathLike[str]

_OPERATIONS = (Exec, Access, Connect, Opaque, Assign)
_TEXTS = ("cwd", "root", "agent", "session", "tool", "input")
_PLAIN = frozenset((str, type(None)))


def request_of(
    command: "str | Sequence[Path]", cwd: "Path | None" = None, shell: str | None = None
) -> Request:
    """The request of a script text, or of the words of one command.

    Raises `RequestError` for a command of another type.
    """
    place = None if cwd is None else _path(cwd, "cwd")
    if isinstance(command, str):
        return Request(text=command, cwd=place, shell=shell)
    return Request(argv=words_of(command), cwd=place, shell=shell)


def words_of(command: "Sequence[Path]") -> tuple[str, ...]:
    """The words of a command, with a path object as its text. Raises `RequestError`."""
    if isinstance(command, (bytes, bytearray, memoryview, dict, set, frozenset, os.PathLike)):
        raise RequestError(f"a command is a text or a list of texts, and no {_type(command)}")
    try:
        words = tuple(command)
    except TypeError:
        message = f"a command is a text or a list of texts, and no {_type(command)}"
        raise RequestError(message) from None
    return tuple(_path(word, f"argv[{at}]") for at, word in enumerate(words))


def _path(value: object, name: str) -> str:
    text = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(text, str):
        raise RequestError(f"`{name}` must be a text, and is {_article(text)}")
    return text


def validate(request: Request) -> None:
    """Raise `RequestError` unless this is one request, and of the types that it is said to have.

    Bytes that are no UTF-8 are taken in the one spelling that Python has for them: by another text
    of the same bytes no rule about them would be found.
    """
    if type(request) is not Request:
        raise RequestError(f"a request is a `Request`, and no {_type(request)}: use `check`")
    text, argv, operations = request.text, request.argv, request.operations
    given = (text is not None) + (argv is not None) + (operations is not None)
    if given > 1:
        raise RequestError("give one of `text`, `argv` and `operations`, and not several")
    _validate_surroundings(request)
    if text is not None:
        if not isinstance(text, str):
            raise RequestError(f"`text` must be a text, and is {_article(text)}")
    elif argv is not None:
        _validate_argv(argv)
    elif operations:
        _validate_operations(operations)
    else:
        raise RequestError("there is no command")


def _validate_surroundings(request: Request) -> None:
    if request.shell is not None and request.shell not in SHELLS:
        shown = printable(str(request.shell), 40)
        raise RequestError(f"`{shown}` is not a shell that is read: use `bash`, `sh` or `zsh`")
    r = request
    values = (r.cwd, r.root, r.agent, r.session, r.tool, r.input)
    if not _PLAIN.issuperset(map(type, values)):
        for name, value in zip(_TEXTS, values, strict=True):
            if value is not None and not isinstance(value, str):
                raise RequestError(f"`{name}` must be a text, and is {_article(value)}")
    if "\0" in (r.cwd or "") or "\0" in (r.root or ""):
        name = "cwd" if "\0" in (r.cwd or "") else "root"
        raise RequestError(f"`{name}` contains a NUL, which no path does")
    if r.roots:
        _validate_texts(r.roots, "roots")
    if r.effects:
        _validate_texts(r.effects, "effects")


def _validate_argv(argv: object) -> None:
    words = _validate_texts(argv, "argv")
    if not words:
        raise RequestError("there is no command")
    if not words[0]:
        raise RequestError("the program name is empty")
    for word in words:
        if "\0" in word:
            raise RequestError(f"`{printable(word, 40)}` contains a NUL, which no program receives")
        if not word.isascii() and not stands_for_bytes(word):
            raise RequestError(not_utf8(word))


def _validate_texts(texts: object, name: str) -> tuple[str, ...]:
    """A tuple of texts. A text is none: its letters would be taken for the words."""
    if not isinstance(texts, tuple):
        raise RequestError(f"`{name}` must be a tuple of texts, and is {_article(texts)}")
    for at, word in enumerate(texts):
        if not isinstance(word, str):
            raise RequestError(f"`{name}[{at}]` must be a text, and is {_article(word)}")
    return texts


def _validate_operations(operations: object) -> None:
    if not isinstance(operations, tuple):
        message = f"`operations` must be a tuple of them, and is {_article(operations)}"
        raise RequestError(message)
    for at, operation in enumerate(operations):
        wrong = _wrong(operation)
        if wrong:
            raise RequestError(f"`operations[{at}]`: {wrong}")


def _wrong(operation: object) -> str | None:
    """What is wrong about an operation, if anything."""
    if isinstance(operation, Exec):
        if not isinstance(operation.argv, tuple) or not all(map(_is_word, operation.argv)):
            return "`argv` must be a tuple of words"
        return None if operation.argv and operation.argv[0] != "" else "there is no command"
    if isinstance(operation, Access):
        if operation.mode not in MODES:
            return f"`{printable(str(operation.mode), 40)}` is not a mode: use {_list(MODES)}"
        if operation.extent not in EXTENTS:
            shown = printable(str(operation.extent), 40)
            return f"`{shown}` is not an extent: use {_list(EXTENTS)}"
        return None if _is_word(operation.path) and operation.path else "`path` must be a text"
    if isinstance(operation, Connect):
        return _wrong_about(operation)
    if isinstance(operation, Opaque):
        return None if isinstance(operation.text, str) else "`text` must be a text"
    if isinstance(operation, Assign):
        named = isinstance(operation.assignment, Assignment)
        return None if named else "`assignment` must be an `Assignment`"
    known = _list(o.__name__ for o in _OPERATIONS)
    return f"{_article(operation)} is not an operation: use {known}"


def _wrong_about(connect: Connect) -> str | None:
    if not isinstance(connect.protocol, str) or not connect.protocol:
        return "`protocol` must be a text such as `https`"
    if not isinstance(connect.port, (int, type(None))):
        return "`port` must be a number, or None"
    return None if _is_word(connect.host) and connect.host else "`host` must be a text"


def _is_word(word: object) -> bool:
    return (isinstance(word, str) and "\0" not in word) or isinstance(word, Dynamic)


def _list(names: "object") -> str:
    return ", ".join(f"`{name}`" for name in names)  # type: ignore[attr-defined]


def _type(value: object) -> str:
    return f"`{type(value).__name__}`"


def _article(value: object) -> str:
    return f"of type {_type(value)}"
