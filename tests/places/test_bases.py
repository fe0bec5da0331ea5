"""The base class of a path: what kind of directory it lies in, by names and by facts."""

import pytest

from execpolicy.engine.engine import Engine
from execpolicy.engine.scene import Scene
from execpolicy.engine.unwrap import unwrap
from execpolicy.model.operation import Access, Dynamic, Request, Word
from execpolicy.store.snapshot import Snapshot
from tests.places.machine import Machine, repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.model.operation import Mode

HOME = "/home/me"
ROOT = f"{HOME}/app"
FILES = {
    **repository(f"{ROOT}/.git"),
    **repository(f"{HOME}/lib/.git"),
    **repository("/tmp/clone/.git"),
    f"{ROOT}/src/main.py": "",
    f"{ROOT}/build/own.py": "",
    f"{ROOT}/dist/x.js": "untracked",
    f"{ROOT}/node_modules/x/index.js": "untracked",
    f"{ROOT}/docs/target/x": "untracked",
    f"{ROOT}/linked": "→ /srv/data",
    f"{ROOT}/.venv/bin/python": "→ /usr/bin/python3",
    f"{ROOT}/out": f"→ {HOME}/Documents",
    f"{HOME}/fake/.git/HEAD": "",
}


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    return Engine.load(rules=[]).snapshot.replace(home=HOME)


def bases(snapshot: Snapshot, path: Word, mode: "Mode" = "read", root: str = ROOT) -> set[str]:
    request = Request(text="true", cwd=root)
    scene = Scene(request, unwrap(request, snapshot), snapshot, Machine(FILES, root=root))
    return {base.place for base in scene.overlays.of(Access(path, mode), 0).bases}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/main.py", "project"),
        (".", "project"),
        ("new/file", "project"),
        # generated: a name that builds use, where git tracks nothing
        ("dist/x.js", "generated"),
        ("dist", "generated"),
        ("node_modules/x/index.js", "generated"),
        ("docs/target/x", "generated"),
        ("target", "generated"),
        ("src/__pycache__/a.pyc", "generated"),
        ("cmake-build-debug/x", "generated"),
        ("build/own.py", "project"),
        ("build/new.o", "project"),
        ("buildings", "project"),
        ("Build", "project"),
        # a link is where it leads
        ("linked/x", "system"),
        ("out/x", "personal"),
        ("../app/src/main.py", "project"),
        # the home
        ("~/Documents/x.odt", "personal"),
        ("~", "personal"),
        ("~/.bashrc", "system"),
        ("~/.config/app/x", "system"),
        ("~/.cargo/registry/src/x.rs", "tools"),
        ("~/.pyenv/versions/3.12/lib/x.py", "tools"),
        ("~/lib/src/x.py", "repositories"),
        ("~/fake/x", "personal"),
        ("/home/other/x", "personal"),
        ("/home/other/.cargo/registry/x", "personal"),
        ("/mnt/disk/x", "personal"),
        ("/media/stick/x", "personal"),
        # directories for temporary files
        ("/tmp/x", "temporary"),
        ("/tmp/build/x", "temporary"),
        ("/tmp", "system"),
        ("/tmp/../etc/x", "system"),
        ("/tmp/clone/x", "repositories"),
        ("/etc/hosts", "system"),
        ("/usr/lib/x", "system"),
        # computed, or not known
        (Dynamic("$x"), "elsewhere"),
        ("~other/x", "elsewhere"),
    ],
)
def test_the_class_of_a_path(snapshot: Snapshot, path: Word, expected: str) -> None:
    assert bases(snapshot, path) == {expected}


@pytest.mark.parametrize(
    ("path", "known"),
    [("src/$x", "project"), ("~/Documents/$x", "personal"), ("/etc/$x.d/y", "system")],
)
def test_a_computed_path_is_where_it_begins_or_elsewhere(
    snapshot: Snapshot, path: str, known: str
) -> None:
    assert bases(snapshot, Dynamic(path, path.partition("$")[0])) == {known, "elsewhere"}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("linked", {"project"}),
        ("linked/", {"system"}),
        ("linked/x", {"system"}),
        (Dynamic("dist/*", "dist/"), {"generated"}),
        (Dynamic("/tmp/*", "/tmp/"), {"repositories", "system"}),
        (Dynamic("src/*", "src/"), {"project"}),
    ],
)
def test_what_is_removed_is_the_entry(snapshot: Snapshot, path: Word, expected: set[str]) -> None:
    assert bases(snapshot, path, "remove") == expected


MORE = """
place("project", ["~/lib/*", "/srv/lib/*"], unless = ["~/lib/private/*"])
place("project", ["/home/*", "/home/me/*"])
"""


@pytest.fixture(scope="module")
def with_more(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    path = tmp_path_factory.mktemp("rules") / "a.rules"
    path.write_text(MORE)
    return Engine.load(rules=[str(path)]).snapshot.replace(home=HOME)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("~/lib/src/x.py", "project"),
        ("~/lib/dist/x.js", "project"),
        ("~/lib/dist/new/x.js", "project"),
        ("~/lib/node_modules/x", "generated"),
        ("~/lib/private/x", "repositories"),
        ("/srv/lib/x", "project"),
        ("/srv/library/x", "system"),
        ("/host/added/x", "project"),
        ("src/main.py", "project"),
        # neither a home nor the root of the system is a project, whoever says so
        ("~/Documents/x", "personal"),
        ("/etc/hosts", "system"),
        ("/tmp/x", "temporary"),
    ],
)
def test_projects_beside_the_root(
    snapshot: Snapshot, with_more: Snapshot, path: str, expected: str
) -> None:
    request = Request(text="true", cwd=ROOT, roots=("/host/added", "/", HOME))
    machine = Machine({**FILES, f"{HOME}/lib/dist/x.js": ""}, root=ROOT)
    scene = Scene(request, unwrap(request, with_more), with_more, machine)
    (base,) = scene.overlays.of(Access(path, "read"), 0).bases
    assert base.place == expected
    assert bases(snapshot, "/host/added/x") == {"system"}


def test_a_project_below_a_directory_of_that_name_is_no_build(snapshot: Snapshot) -> None:
    assert bases(snapshot, "src/x", root="/home/me/build/app") == {"project"}
    assert bases(snapshot, "/tmp/x/src", root="/tmp/x") == {"project"}


def test_what_holds_the_root_or_the_home_is_not_temporary(snapshot: Snapshot) -> None:
    assert bases(snapshot, "/tmp/work", root="/tmp/work/app") == {"system"}
    moved = snapshot.replace(home="/tmp/homes/me")
    assert bases(moved, "/tmp/homes") == {"system"}
    assert bases(moved, "/tmp/homes/me/x") == {"personal"}
