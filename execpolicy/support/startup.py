"""The modules of the package in one file, from which a start takes the ones that it needs.

Python looks for each module along the path, opens its compiled file and reads it: for a hundred
small modules that is half of what a start costs. `bundle` writes the compiled code of all of them
into one file while the package is built, for the Python that builds. It counts for a module only
while that module's own source is as it was: what was changed since, and what another version of
Python runs, is imported in the usual way.
"""

import _imp
import marshal
import os
import sys
from _frozen_importlib import ModuleSpec  # `importlib.machinery` costs more than it saves
from _frozen_importlib_external import MAGIC_NUMBER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType

    Entry = tuple[bool, int, int, int]
    """Whether a module is a package, the size of its source, and where its code lies.

    The place is that of a group: of modules that a start reads together.
    """
    Table = dict[str, Entry]
    """The modules by their dotted names."""
    Packed = dict[str, bytes]
    """By what a process is for: the table of its modules, each after those that it imports. `FIRST`
    has those of every process, and `ALL` is a text with a line for each module that there is."""

SETTLED = 5_000_000_000
"""Nanoseconds that an installer may take to write the files of a package, one after the other."""

HEAD = 16
"""Bytes before the tables: the magic number of the byte code, and the length of the tables."""

ALL, FIRST = "all", "first"
_WITHIN = "execpolicy"

_NONE = marshal.dumps({})

_status = os.stat
"""That of the system itself, also while it is noted what `os` is asked."""

looked: "list[tuple[str, os.stat_result]]" = []
"""The sources that were looked at, and what they were like: an answer depends on them.

Of an installed package it is the file of all modules alone: who changes what was installed changes
what decides, and who installs it again writes that file, too.
"""

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_PARENT = os.path.dirname(_PACKAGE)


class Bundle:
    """A finder and loader of modules (PEP 451) that reads them from the open file."""

    def __init__(
        self, file: int, tables: "Packed", start: int, latest: int, installed: bool
    ) -> None:
        self.installed = installed
        self._packed = tables
        self._known: Table = {}
        self._file, self._start, self._latest = file, start, latest
        self._read: dict[str, CodeType] = {}

    def entry(self, name: str) -> "Entry | None":
        """What is known of a module, if its code is here.

        Few are none of those that a start is made for, so no table is made of all of them.
        """
        found = self._known.get(name)
        if found is None and name.startswith(_WITHIN):
            lines = self._packed[ALL]
            at = lines.find(b"\n%s " % name.encode())
            if at >= 0:
                fields = lines[at + 1 : lines.index(b"\n", at + 1)].split()[1:]
                is_package, size, offset, length = map(int, fields)
                found = self._known[name] = (bool(is_package), size, offset, length)
        return found

    def _table(self, purpose: str) -> "Table":
        """The modules for a purpose, which are known from now on; none where they are damaged."""
        try:
            found: Table = marshal.loads(self._packed.pop(purpose, _NONE))  # noqa: S302
            self._known |= found
        except (ValueError, EOFError, TypeError):
            return {}
        return found

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: object = None
    ) -> ModuleSpec | None:
        """The module's spec; None where its code is not here, or its source was changed since."""
        entry = self.entry(name)
        if entry is None:
            return None
        place = source(name, entry[0])
        try:
            status = (_status if self.installed else os.stat)(place)
        except OSError:
            return None
        if status.st_size != entry[1] or status.st_ctime_ns > self._latest:
            return None
        if not self.installed:
            looked.append((place, status))
        spec = ModuleSpec(name, self, origin=place, is_package=entry[0])  # type: ignore[arg-type]
        if entry[0]:
            spec.submodule_search_locations = [os.path.dirname(place)]
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """None: an ordinary module will do."""

    def exec_module(self, module: "ModuleType") -> None:
        """Run the module's code. Raises what it raises."""
        spec = module.__spec__
        assert spec is not None  # noqa: S101
        # Only now: before, the machinery would look for a place of compiled code beside it.
        spec.has_location = True
        module.__file__ = spec.origin
        exec(self._code(module.__name__, module.__file__), module.__dict__)  # type: ignore[arg-type]

    def get_code(self, name: str) -> "CodeType":
        """The code of a module that is here. Raises `KeyError` for another."""
        entry = self.entry(name)
        if entry is None:
            raise KeyError(name)
        return self._code(name, source(name, entry[0]))

    def _code(self, name: str, path: str) -> "CodeType":
        """The code of a module whose source is at a path, compiled anew where it is damaged."""
        _, _, offset, length = self._known[name]
        try:
            if name not in self._read:
                data = os.pread(self._file, length, self._start + offset)
                self._read.update(marshal.loads(data))  # noqa: S302
            code = self._read.pop(name)
        except (ValueError, EOFError, TypeError, KeyError):
            with open(path, "rb") as file:
                return compile(file.read(), path, "exec", dont_inherit=True)
        _imp._fix_co_filename(code, path)  # type: ignore[attr-defined]
        return code

    def ahead(self, purpose: str) -> None:
        """Run the modules for a purpose in their order, without a search for each.

        Where the source of one was changed, none is run: each is imported when it is needed.
        Raises what they raise.
        """
        order = self._table(purpose)
        names = [name for name in order if name not in sys.modules]
        specs = [spec for name in names if (spec := self.find_spec(name)) is not None]
        if len(specs) < len(names):
            return
        modules = {spec.name: _module(spec) for spec in specs}
        packages = {name: each for name, each in modules.items() if order[name][0]}
        sys.modules.update(packages)  # of which modules may be run before the package itself
        try:
            for name, module in tuple(modules.items()):
                sys.modules[name] = module
                self.exec_module(module)
                parent, _, child = name.rpartition(".")
                setattr(sys.modules[parent], child, module)
                del modules[name]
        except BaseException:
            for name in modules:
                sys.modules.pop(name, None)
            raise

    def move(self, number: int) -> None:
        """Have the file open by this number or a higher one."""
        from fcntl import F_DUPFD_CLOEXEC, fcntl

        before, self._file = self._file, fcntl(self._file, F_DUPFD_CLOEXEC, number)
        os.close(before)


def _module(spec: ModuleSpec) -> "ModuleType":
    """A module that is not run yet, with what the import system gives it."""
    module = type(sys)(spec.name)
    module.__spec__, module.__loader__, module.__package__ = spec, spec.loader, spec.parent
    if spec.submodule_search_locations is not None:
        module.__path__ = spec.submodule_search_locations
    return module


def ahead(purpose: str) -> None:
    """Run the modules for a purpose, if they are in the file. Raises what they raise."""
    for finder in sys.meta_path:
        if type(finder) is Bundle:
            finder.ahead(purpose)


def move(number: int) -> None:
    """Leave the numbers below this one to other descriptors."""
    for finder in sys.meta_path:
        if isinstance(finder, Bundle):
            finder.move(number)


class Site:
    """A finder for what is found nowhere else: in the directories that `site` adds to the path.

    To run `site` takes a tenth of a bare start, and `check` and `hook` need no more than what lies
    beside the package. So they are started without it (`-S`).
    """

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: object = None
    ) -> ModuleSpec | None:
        """The spec of a module that is in no package, by all finders that are there once `site` has
        run; a name that begins with `_` is one of Python's own, which `site` would not find."""
        if path is not None or name[:1] == "_":
            return None
        with_site()
        import _frozen_importlib

        return _frozen_importlib._find_spec(name, None)  # type: ignore[attr-defined, no-any-return]


def with_site() -> None:
    """Run `site`, if this process was started without it."""
    left_out = next((finder for finder in sys.meta_path if type(finder) is Site), None)
    if left_out is not None:
        import site

        sys.meta_path.remove(left_out)
        site.main()


def fill_streams() -> None:
    """Open each standard stream that is closed.

    It was closed by the process that started this one: no other file may come to stand there, which
    a command would take for its own. To use it is an error as before, for what `run` starts.
    """
    while (opened := os.open(os.devnull, os.O_RDWR)) < 3:
        if sys.argv[1:2] == ["run"]:
            os.close(opened)
            os.open(os.devnull, os.O_RDONLY if opened else os.O_WRONLY)
        os.set_inheritable(opened, True)
    os.close(opened)


def use() -> None:
    """Take modules from the file from now on, if there is one for this Python."""
    if sys.flags.no_site:
        sys.meta_path.append(Site())
    if sys.flags.optimize:
        return
    try:
        bundle = opened(place())
    except (OSError, ValueError, EOFError, TypeError):
        return
    sys.meta_path.insert(0, bundle)
    bundle.ahead(FIRST)


def opened(path: str) -> Bundle:
    """The file's finder. Raises `OSError` or `ValueError` where there is none for this Python."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        head = os.pread(file, HEAD, 0)
        length = int.from_bytes(head[8:], "little")
        if head[:8] != MAGIC_NUMBER.ljust(8, b"\0"):
            raise ValueError("byte code of another version")
        tables = marshal.loads(os.pread(file, length, HEAD))  # noqa: S302
        status = os.fstat(file)
    except BaseException:
        os.close(file)
        raise
    installed = os.path.isdir(f"{_PACKAGE}/data/rules")
    if installed:
        looked.append((path, status))
    latest = status.st_ctime_ns + SETTLED if installed else status.st_ctime_ns
    return Bundle(file, tables, HEAD + length, latest, installed)


def is_installed(module: "ModuleType") -> bool:
    """Whether a module's code is that of an installed package's file."""
    loader = getattr(module.__spec__, "loader", None)
    return type(loader) is Bundle and loader.installed


def source(name: str, is_package: bool) -> str:
    """The path of a module's source."""
    return f"{_PARENT}/{name.replace('.', '/')}{'/__init__.py' if is_package else '.py'}"


def place() -> str:
    """The path of the file with the code for this Python."""
    return f"{_PACKAGE}/data/compiled/modules.{sys.implementation.cache_tag}"
