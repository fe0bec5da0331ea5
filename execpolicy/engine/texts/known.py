"""Which texts a command runs, as far as files of the project say all of it.

What kinds of files there are, which programs read them and what must not be there besides is data:
`rules/words/tasks.words`.
"""

import posixpath
import re
from _collections_abc import Callable, Iterable

from execpolicy.catalogue.reading.tokens import Given
from execpolicy.engine.scene import RequestCommand
from execpolicy.engine.texts import makefile, mise, package
from execpolicy.engine.texts.files import ProjectFiles
from execpolicy.engine.texts.shell_text import ShellText, TextsRun
from execpolicy.model.operation import SHELLS
from execpolicy.support.path_match import and_above
from execpolicy.support.resources import words_of

Found = TextsRun | None
_SAFE = re.compile(r"[\w./=:,@+-]+", re.A)
_STOPS = re.compile(r"-[eu]+")
_SHELL = "shell"
_POSIX = "sh"
_NONE: frozenset[str] = frozenset()


def texts_of(command: RequestCommand, directory: str, files: ProjectFiles) -> Found:
    """What a command runs in a directory; None where that is not known, or it runs no such text."""
    kind = kind_of(command)
    if not kind or any(map(_obeyed(kind), _variables(command))):
        return None
    if not all(_changes_nothing(given, kind) for given in command.reading.options):
        return None
    return _READERS[kind](command, directory, files)


def kind_of(command: RequestCommand) -> str:
    """The kind of the files from which a command may take what it runs; empty where there is none.

    A program that is named by its path may be a script, if no entry has its name.
    """
    path = "/".join(command.reading.path)
    if command.reading.is_unknown:
        name = posixpath.basename(path)
        is_known = command.scene.snapshot.catalogue.lookup(name) is not None
        return _SHELL if "/" in path and not is_known else ""
    return next((kind for kind in _READERS if path in _listed(kind)), "")


def _listed(name: str) -> frozenset[str]:
    return words_of("tasks").get(name, _NONE)


def _obeyed(kind: str) -> "Callable[[str], bool]":
    """Whether a variable changes what is run by files of a kind."""
    names = _listed("every.variables") | _listed(f"{kind}.variables")
    begins = tuple(name[:-1] for name in names if name[-1:] == "*")
    plain = _listed(f"{kind}.plain")
    return lambda name: name not in plain and (name in names or name.startswith(begins))


def _variables(command: RequestCommand) -> "frozenset[str]":
    """The names of the variables that a command gets."""
    given = frozenset(each.name for each in command.operation.env)
    return command.scene.resolver.variables() | given


def _changes_nothing(given: Given, kind: str) -> bool:
    """Whether an option leaves it to the file what is run."""
    if given.option.kinds == ("cwd",):
        return given.name in _listed(f"{kind}.options")
    values = _listed(f"{kind}.set") or given.values
    return given.name in _listed(f"{kind}.options") and all(v in values for v in given.values)


def _is_alone(kind: str, command: RequestCommand, directory: str, files: ProjectFiles) -> bool:
    """Whether nothing else says what is run, beside a file of this kind in a directory."""
    home = command.scene.snapshot.home
    places = [("above", at) for at in and_above(directory)]
    places += [("beside", directory), ("home", home or "/"), ("system", "/")]
    keys = _listed(f"{kind}.keys")
    return home is not None and all(
        files.sets_only(at, _listed(f"{kind}.{where}"), keys) for where, at in places
    )


def _recipes(command: RequestCommand, directory: str, files: ProjectFiles) -> Found:
    """What make runs."""
    path = files.only(directory, _listed("makefile.files"))
    text = files.text(path) if path else None
    if path is None or text is None or not _is_alone("makefile", command, directory, files):
        return None
    own, resolver = posixpath.basename(path), command.scene.resolver
    names = resolver.names(directory)
    # From `Makefile.sh` or `s.Makefile` a makefile is made anew by implicit rules.
    if names is None or any(own in name and name != own for name in names):
        return None
    found = makefile.read(text, own)
    if found is None or not _variables(command).isdisjoint(found.variables):
        return None
    lines = found.lines(tuple(map(str, command.reading.operands)))
    return None if lines is None else _run(lines, directory)


def _tasks(command: RequestCommand, directory: str, files: ProjectFiles) -> Found:
    """What mise runs."""
    name, *given = map(str, command.reading.operands or ("",))
    argv = command.operation.argv
    is_named = mise.is_name(name) and argv[len(argv) - len(given) - 1] == name
    if not is_named or mise.MORE_TASKS in given or "--" in argv[: argv.index(name)]:
        return None
    every = [files.only(at, _listed("mise.files")) for at in and_above(directory)]
    there = [path for path in every if path != ""]
    path = there[0] if len(there) == 1 else None
    text = files.text(path) if path else None
    if path is None or text is None or not _is_alone("mise", command, directory, files):
        return None
    texts = mise.runs(text, name)
    if texts is None or command.scene.planted(_POSIX):
        return None
    words = given[1:] if given[:1] == ["--"] else given
    if words and texts:  # they come after the last text
        if len(texts) > 1 or "\n" in texts[0] or not all(map(_SAFE.fullmatch, words)):
            return None
        texts = (" ".join((texts[0], *words)),)
    return _run(texts, posixpath.dirname(path))


def _scripts(command: RequestCommand, directory: str, files: ProjectFiles) -> Found:
    """What npm runs."""
    operands = command.reading.operands
    path = files.only(directory, _listed("package.files"))
    text = files.text(path) if path else None
    if text is None or len(operands) != 1 or not _is_alone("package", command, directory, files):
        return None
    texts = package.scripts(text, str(operands[0]))
    before = [posixpath.join(at, p) for at in and_above(directory) for p in _listed("package.path")]
    if (
        texts is None
        or command.scene.planted(_POSIX)
        or not all(files.lacks(at, (_POSIX,)) for at in before)
    ):
        return None
    return _run(texts, directory).replace(programs=tuple(before))


def _script(command: RequestCommand, directory: str, files: ProjectFiles) -> Found:
    """What a shell runs that is given a file, or what runs by the path of a script."""
    reading, argv = command.reading, command.operation.argv
    word = argv[0] if reading.is_unknown else next(iter(reading.operands), None)
    if not isinstance(word, str) or word[:1] == "~":
        return None
    path = posixpath.join(directory, word)
    real = command.scene.resolver.locate(path).real
    text = files.text(real) if real == posixpath.normpath(path) else None
    if text is None:
        return None
    shell = _named(text, command) if reading.is_unknown else reading.path[0]
    if not shell:
        return None
    return TextsRun((ShellText(text, shell if shell in SHELLS else _POSIX, directory),))


def _named(text: str, command: RequestCommand) -> str:
    """The shell that a script names in its first line; empty where it names none."""
    first = text.partition("\n")[0]
    words = first[2:].split() if first[:2] == "#!" and first.isascii() else []
    program, *given = words or ("",)
    name = program.rpartition("/")[2]
    if program in _listed("interpreters.env") and len(given) == 1:
        name, given = given[0], []
        return name if name in _listed(_SHELL) and not command.scene.planted(name) else ""
    if program not in _listed("interpreters") or len(given) > 1:
        return ""
    return name if not given or _STOPS.fullmatch(given[0]) else ""


def _run(texts: "Iterable[str]", directory: str) -> TextsRun:
    return TextsRun(tuple(ShellText(text, _POSIX, directory) for text in texts if text))


_READERS = {"makefile": _recipes, "mise": _tasks, "package": _scripts, _SHELL: _script}
