"""The modules of a start from one file: the same code, and never another than the sources."""

import marshal
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy.support import bundle, startup
from tests.waiting import HANG_SECONDS

ROOT = Path(__file__).parents[1]
SHOWS = """
from execpolicy.support import startup
startup.use()
import execpolicy.support.json_encode as module
print(type(module.__spec__.loader).__name__)
print(module.__file__)
print(module.encode.__code__.co_filename)
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with its modules in one file."""
    directory = tmp_path_factory.mktemp("copy")
    copied = directory / "execpolicy"
    ignored = shutil.ignore_patterns("data", "__pycache__")
    shutil.copytree(ROOT / "execpolicy", copied, ignore=ignored)
    run(directory, "from execpolicy.support import bundle; bundle.write()")
    return copied


def run(directory: Path, program: str) -> list[str]:
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, cwd=directory, capture_output=True, text=True, timeout=HANG_SECONDS
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


WITHOUT_SITE = """
import sys
sys.path.append({root!r})
from execpolicy.support import startup
startup.use()
try:
    import _none
except ImportError:
    print("site" in sys.modules)
import pytest
print("site" in sys.modules, sys.prefix == {prefix!r})
"""


def test_what_lies_elsewhere_is_found_by_a_start_without_site(tmp_path: Path) -> None:
    """`check` and `hook` are started so: only a module that is found nowhere needs the rest."""
    program = WITHOUT_SITE.format(root=str(ROOT), prefix=sys.prefix)
    command = [sys.executable, "-I", "-S", "-c", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["False", "True True"], done.stderr


WITH_A_FINDER = """
import site, sys
sys.path.append({root!r})
from execpolicy.support import startup
startup.use()
class Own:
    def find_spec(name, path=None, target=None):
        return startup.ModuleSpec(name, Own) if name == "theirs" else None
    def create_module(spec):
        return None
    def exec_module(module):
        module.found = True
class Old:
    def find_module(name, path=None):
        return None
site.main = lambda: sys.meta_path.extend((Old, Own))
import theirs
print(theirs.found)
"""


def test_a_finder_that_site_adds_is_asked_at_once(tmp_path: Path) -> None:
    program = WITH_A_FINDER.format(root=str(ROOT))
    command = [sys.executable, "-I", "-S", "-c", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr


def kept(package: Path) -> Path:
    (found,) = (package / "data/compiled").glob("modules.*")
    return found


def test_a_module_comes_from_the_file_and_knows_its_own_place(package: Path) -> None:
    source = str(package / "support/json_encode.py")
    assert run(package.parent, SHOWS) == ["Bundle", source, source]


def test_the_file_names_no_directory_of_the_machine_that_built_it(package: Path) -> None:
    assert str(package.parent).encode() not in kept(package).read_bytes()


def test_what_is_left_out_is_what_only_people_and_type_checkers_read(package: Path) -> None:
    (package / "left_out.py").write_text(LEFT_OUT)
    program = """
from execpolicy.support import bundle
namespace = {}
exec(bundle.compiled("execpolicy.left_out", False), namespace)
f, c = namespace["f"], namespace["C"]
print(f.__doc__, f.__annotations__, c.__doc__, c.__annotations__, namespace.get("__doc__"))
print(f(1, 2, d=4), c().field, "Sequence" in namespace, namespace["number"])
print([name for name in ("Decision", "Span", "Diagnostic") if name in namespace])
try:
    f(None)
except AssertionError:
    print("asserted", f.__code__.co_firstlineno)
"""
    assert run(package.parent, program) == [
        "None {} None {'field': None} None",
        "(1, (2,), {'d': 4}) 7 False 3",
        "['Diagnostic']",
        "asserted 12",
    ]
    (package / "left_out.py").unlink()


LEFT_OUT = """'About the module.'
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
from execpolicy.model.decision import Decision
from execpolicy.model.errors import Span, Diagnostic as Diagnostic
number: int = 3
class C:
    'About the class.'
    field: int = 7

def f(a: "int | None", *b: Decision, **c: int) -> "tuple[object, ...]":
    'About the function.'
    assert a is not None
    shown: Span
    return a, b, c
"""


def test_every_module_is_in_it_and_every_fourth_as_it_is_compiled(package: Path) -> None:
    program = """
from execpolicy.support import bundle, startup
kept = startup.opened(startup.place())
for name, is_package in [*bundle.modules()][::4]:
    code = bundle.compiled(name, is_package)
    found = kept.get_code(name)
    assert found.replace(co_filename=name) == code, name
    assert found.co_filename == startup.source(name, is_package)
print(all(kept.entry(name)[0] == is_package for name, is_package in bundle.modules()))
print(kept.entry("execpolicy.none"), sum(1 for _ in bundle.modules()) > 300)
"""
    assert run(package.parent, program) == ["True", "None True"]


def test_of_an_installed_package_an_answer_depends_on_the_file_alone(package: Path) -> None:
    program = """
from execpolicy.support import startup
startup.use()
import execpolicy.support.json_encode as module
print([path == startup.place() for path, _ in startup.looked], startup.is_installed(module))
"""
    (package / "data/rules").mkdir()
    assert run(package.parent, program) == ["[True] True"]
    (package / "data/rules").rmdir()
    assert run(package.parent, program) == ["[False] False"]


@pytest.mark.parametrize("added", ["NEW = 1\n", ""], ids=["larger", "of the same size"])
def test_a_source_that_changed_since_is_what_counts(package: Path, added: str) -> None:
    path = package / "support/redact.py"
    path.write_text(path.read_text() + added)
    program = SHOWS.replace("json_encode", "redact").replace("module.encode", "module.redacted")
    assert run(package.parent, program)[0] == "SourceFileLoader"


@pytest.mark.parametrize(
    "damage",
    [b"", b"x", b"\0" * 16, b"\xff" * 64],
    ids=["nothing", "short", "zeros", "ones"],
)
def test_a_damaged_file_is_not_used(package: Path, damage: bytes) -> None:
    assert loader_with(package, damage) == "SourceFileLoader"


def test_byte_code_of_another_python_is_not_used(package: Path) -> None:
    whole = kept(package).read_bytes()
    assert loader_with(package, b"\1\2\3\4\0\0\0\0" + whole[8:]) == "SourceFileLoader"
    assert loader_with(package, whole) == "Bundle"


def test_a_damaged_module_is_compiled_anew(package: Path) -> None:
    whole = kept(package).read_bytes()
    assert loader_with(package, whole[:-2000] + b"\xff" * 2000) == "Bundle"
    head = 16 + int.from_bytes(whole[8:16], "little")
    assert loader_with(package, whole[:head] + b"\xff" * (len(whole) - head)) == "Bundle"


def test_a_damaged_table_has_no_module(package: Path) -> None:
    whole = kept(package).read_bytes()
    end = 16 + int.from_bytes(whole[8:16], "little")
    known = marshal.loads(whole[16:end])  # noqa: S302
    tables = marshal.dumps({**known, startup.FIRST: b"\xff"})
    head = whole[:8] + len(tables).to_bytes(8, "little")
    assert loader_with(package, head + tables + whole[end:]) == "Bundle"


def loader_with(package: Path, content: bytes) -> str:
    """What loads a module while the file has another content."""
    path = kept(package)
    whole = path.read_bytes()
    path.write_bytes(content)
    try:
        return run(package.parent, SHOWS)[0]
    finally:
        path.write_bytes(whole)


def test_it_is_not_used_where_python_is_to_leave_assertions_out(package: Path) -> None:
    command = [sys.executable, "-O", "-c", SHOWS]
    done = subprocess.run(command, cwd=package.parent, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0] == "SourceFileLoader"


def test_what_pip_takes_from_the_path_is_found_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the package is installed already, pip's environment for builds takes it away again."""
    takes = f"import sys\nsys.path[:] = [each for each in sys.path if each != {str(ROOT)!r}]\n"
    (tmp_path / "sitecustomize.py").write_text(takes)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "execpolicy.support.version" in bundle.imported(
        "import execpolicy.support.version", "", str(tmp_path / "compiled")
    )
