"""The modules of the package in one file, from which a start takes the ones that it needs.

Python looks for each module along the path, opens its compiled file and reads it: for a hundred
small modules that is half of what a start costs. The build of the package writes the compiled code
of all of them into one file, for the Python that builds. It counts for a module only while that
module's own source is as it was: what was changed since, and what another version of Python runs,
is imported in the usual way.
"""

import _imp
import marshal
import os
import sys
from _frozen_importlib import ModuleSpec  # `importlib.machinery` costs more than it saves
from _frozen_importlib_external import MAGIC_NUMBER

from execpolicy.support.resources import compiled, package_directory, rules_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import CodeType, ModuleType

    Table = dict[str, tuple[bool, int, int, int]]
    """By dotted name: whether it is a package, the size of its source, and where its code lies."""

SETTLED = 5_000_000_000
"""Nanoseconds that an installer may take to write the files of a package, one after the other."""

_HEAD = 16
"""Bytes before the table: the magic number of the byte code, and the length of the table."""


class Bundle:
    """A finder and loader of modules (PEP 451) that reads them from the open file."""

    def __init__(self, file: int, table: "Table", start: int, latest: int) -> None:
        self._file, self._table, self._start, self._latest = file, table, start, latest

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: object = None
    ) -> ModuleSpec | None:
        """The module's spec; None where its code is not here, or its source was changed since."""
        entry = self._table.get(name)
        if entry is None:
            return None
        package, size = entry[:2]
        source = _source(name, package)
        try:
            status = os.stat(source)
        except OSError:
            return None
        if status.st_size != size or status.st_ctime_ns > self._latest:
            return None
        spec = ModuleSpec(name, self, origin=source, is_package=package)  # type: ignore[arg-type]
        spec.has_location = True
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(os.path.dirname(source))
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """None: an ordinary module will do."""

    def exec_module(self, module: "ModuleType") -> None:
        """Run the module's code. Raises what it raises."""
        exec(self.get_code(module.__name__), module.__dict__)

    def get_code(self, name: str) -> "CodeType":
        """The compiled code of a module that is here. Raises `KeyError` for another."""
        package, _, offset, length = self._table[name]
        data = os.pread(self._file, length, self._start + offset)
        code: CodeType = marshal.loads(data)  # noqa: S302
        _imp._fix_co_filename(code, _source(name, package))  # type: ignore[attr-defined]
        return code


def use() -> None:
    """Take modules from the file from now on, if there is one for this Python."""
    if sys.flags.optimize:
        return
    try:
        bundle = _opened(_place())
    except (OSError, ValueError, EOFError, TypeError):
        return
    sys.meta_path.insert(0, bundle)


def _opened(path: str) -> Bundle:
    """Raises `OSError` or `ValueError` where there is none, or none for this Python."""
    file = os.open(path, os.O_RDONLY)
    try:
        head = os.pread(file, _HEAD, 0)
        length = int.from_bytes(head[8:], "little")
        if head[:8] != MAGIC_NUMBER.ljust(8, b"\0"):
            raise ValueError("byte code of another version")
        table = marshal.loads(os.pread(file, length, _HEAD))  # noqa: S302
        made = os.fstat(file).st_ctime_ns
    except BaseException:
        os.close(file)
        raise
    installed = rules_directory().startswith(package_directory())
    return Bundle(file, table, _HEAD + length, made + SETTLED if installed else made)


def write() -> None:
    """Compile the package into the file, for the Python that runs this."""
    table: Table = {}
    codes = b""
    for name, package in _modules():
        source = _source(name, package)
        with open(source, "rb") as opened:
            text = opened.read()
        # The name is that of no machine; the one that reads the code puts its own in.
        code = marshal.dumps(compile(text, name, "exec", dont_inherit=True))
        table[name] = (package, len(text), len(codes), len(code))
        codes += code
    head = marshal.dumps(table)
    path = _place()
    os.makedirs(os.path.dirname(path), exist_ok=True)
    beside = f"{path}.{os.getpid()}"
    with open(beside, "wb") as file:
        file.write(MAGIC_NUMBER.ljust(8, b"\0") + len(head).to_bytes(8, "little") + head + codes)
    os.replace(beside, path)


def _modules() -> "Iterator[tuple[str, bool]]":
    """Each module of the package by its dotted name, and whether it is a package."""
    for directory, folders, files in os.walk(package_directory()):
        folders[:] = sorted(f for f in folders if f not in ("data", "__pycache__"))
        parts = os.path.relpath(directory, os.path.dirname(package_directory())).split(os.sep)
        for file in sorted(files):
            if file == "__init__.py":
                yield ".".join(parts), True
            elif file.endswith(".py"):
                yield ".".join((*parts, file.removesuffix(".py"))), False


def _source(name: str, package: bool) -> str:
    parts = name.split(".")[1:]
    end = ("__init__.py",) if package else ()
    if package or not parts:
        return os.path.join(package_directory(), *parts, *end)
    return os.path.join(package_directory(), *parts) + ".py"


def _place() -> str:
    return compiled(f"modules.{sys.implementation.cache_tag}")
