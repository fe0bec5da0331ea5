"""What compiled rules are made from: rules files, and the code that turns them into a table."""

import os
from _collections_abc import Iterator, Sequence

from execpolicy.model.rule import portable
from execpolicy.store.sources.files import MAX_RULES_BYTES, RulesFile, read_rules
from execpolicy.support import digest
from execpolicy.support.resources import (
    BUILTIN,
    package_directory,
    rules_directory,
    words_directory,
)

_CODE = ("catalogue", "language", "model", "policy", "store/compiled", "support")
"""The packages whose code decides what a rules text becomes."""


def builtin_files() -> tuple[RulesFile, ...]:
    """The shipped rules, sorted by name."""
    directory = rules_directory()
    names = sorted(n for n in os.listdir(directory) if n.endswith(".rules"))
    paths = (os.path.join(directory, name) for name in names)
    return tuple(read_rules(BUILTIN, path, MAX_RULES_BYTES) for path in paths)


def contents(files: "Sequence[RulesFile]") -> list[bytes]:
    """All that a part of these files depends on: layer, place, trust, content or problem."""
    parts = []
    for file in files:
        problem = file.problem.message if file.problem else ""
        name = portable(file.layer, file.path)
        head = f"{file.layer}\0{name}\0{file.trusted}\0{problem}\0{file.remedy or ''}"
        parts += [head.encode("utf-8", "surrogateescape"), file.data]
    return parts


def stamp() -> str:
    """The digest of all that the compiled rules depend on, the same on every machine."""
    parts = contents(builtin_files())
    for name, path in sources(code=True):
        if not name.endswith(".rules"):
            with open(path, "rb") as file:
                parts += [name.encode(), file.read()]
    return digest.of_parts(parts)


def sources(code: bool) -> "Iterator[tuple[str, str]]":
    """Each file that the compiled rules are made from: its name, the same everywhere, its path."""
    rules = rules_directory()
    for name in sorted(os.listdir(rules)):
        if name.endswith(".rules"):
            yield name, f"{rules}/{name}"
    if code:
        words = words_directory()
        for name in sorted(os.listdir(words)):
            yield f"words/{name}", f"{words}/{name}"
    for room in _CODE if code else ():
        yield from _modules(room)


def _modules(room: str) -> "Iterator[tuple[str, str]]":
    directory = os.path.join(package_directory(), room)
    for name in sorted(os.listdir(directory)):
        if name.endswith(".py"):
            yield f"{room}/{name}", f"{directory}/{name}"
        elif "." not in name and name != "__pycache__":
            yield from _modules(f"{room}/{name}")


def looks() -> str:
    """The state of the shipped files by their size and times. They change with the package, so to
    look at them is enough; in a checkout the code that compiles them is looked at as well."""
    marks = []
    for name, path in sources(not rules_directory().startswith(package_directory())):
        status = os.stat(path)
        mark = f"{name}\0{path}\0{status.st_size}\0{status.st_mtime_ns}\0{status.st_ctime_ns}"
        marks.append(mark.encode("utf-8", "surrogateescape"))
    return digest.of_parts(marks)
