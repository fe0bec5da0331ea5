"""The walls that a command has are those that bubblewrap makes of the same plan."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy.model.confinement import SandboxSettings
from execpolicy.sandbox.plan import Plan
from execpolicy.sandbox.walls import Mount, Wall
from execpolicy.wrap.start.wall_calls import walls_of
from tests.waiting import HANG_SECONDS
from tests.wrap.support import environment, words, wrapped

BY_BUBBLEWRAP = """
import sys, execpolicy.wrap.namespaces
execpolicy.wrap.namespaces.takes_walls = lambda: False
from execpolicy.__main__ import main
main()
"""
SHOWN = """
import os, stat
mounts = {}
for line in open("/proc/self/mountinfo"):
    before, _, after = line.partition(" - ")
    words = before.split()
    mounts[words[4]] = [*sorted(words[5].split(",")), after.split()[0]]
for path in sorted(mounts):
    try:
        mode = os.lstat(path).st_mode
    except PermissionError:
        continue
    if not mode & 0o777:  # it cannot be opened, be it read only or not
        mounts[path].remove("ro" if "ro" in mounts[path] else "rw")
    print(path, oct(mode), *mounts[path])
print(*sorted(os.listdir("/dev")))
print(*(line.strip() for line in open("/proc/self/status") if line[:3] in ("Cap", "NoN", "Sec")))
for path in TRIED:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        print(path, "is written")
    except OSError as error:
        print(path, error.strerror)
for top in SEEN:
    for here, names, files in os.walk(top):
        print(here, oct(os.lstat(here).st_mode), *sorted(names), *sorted(files))
"""


def shown(project: Path, home: Path, *start: str) -> str:
    """What a command sees of its walls, in a session that is started so."""
    tried = ["/x", "/dev/x", "/dev/shm/x", "/tmp/x", "/run/x", "/var/tmp/x", "/proc/sys/kernel/x"]
    tried += [str(project / one) for one in ("x", ".env", ".envrc", "sub/.env", ".husky/x")]
    tried += [str(home / one) for one in ("x", ".netrc", ".config/x", ".cargo/x")]
    text = f"TRIED, SEEN = {tried}, {[str(home), str(project)]}{SHOWN}"
    python, *line = words(project, ["bash", "-c", 'python3 -c "$0"', text])
    done = subprocess.run([python, *(start or line[:2]), *line[2:]], capture_output=True,
                          cwd=project, env=environment(), timeout=HANG_SECONDS)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


@pytest.mark.parametrize("shim", ["C", "Python"], indirect=True)
def test_walls_are_those_of_bubblewrap(project: Path, home: Path, shim: str) -> None:
    for name in ("sub", ".husky", "vendor"):
        (project / name).mkdir()
    for name in (".config/git", ".cargo/bin", ".local/share"):
        (home / name).mkdir(parents=True)
    for path in (project / ".env", project / ".envrc", project / "sub/.env", home / ".netrc"):
        path.write_text("secret")
    (home / ".bashrc").touch()
    made = shown(project, home)
    assert made == shown(project, home, "-c", BY_BUBBLEWRAP)
    assert f"{project}/.env Permission denied" in made
    assert f"{project}/x is written" in made


def test_what_only_bubblewrap_makes_is_left_to_it() -> None:
    root = Mount("/", Wall.READ, "")
    held = Mount("/a", Wall.READ, "", directory=False, content=b"")
    many = [Mount(f"/a{number}", Wall.READ, "") for number in range(500)]
    for mounts in ([Mount("/a", Wall.COPY, "")], [held], many):
        plan = Plan((), "/", (root, *mounts), (), SandboxSettings())
        assert walls_of(plan, ()) is None


def test_other_binds_are_other_walls() -> None:
    plan = Plan((), "/", (Mount("/", Wall.READ, ""),), (), SandboxSettings())
    first = walls_of(plan, ())
    assert first is walls_of(plan, ())
    assert first is not None
    other = walls_of(plan, (("/a", "/b", False),))
    assert other is not None
    assert other.encoded() != first.encoded()


IN_A_NAMESPACE = """
import sys
from execpolicy.model.confinement import SandboxSettings
from execpolicy.sandbox.plan import Plan
from execpolicy.sandbox.session import network
from execpolicy.sandbox.walls import Mount, Wall
from execpolicy.wrap.start.wall_calls import walls_of
project, file = sys.argv[1:]
read = Mount(file, Wall.READ, "", directory=False)
mounts = Mount("/", Wall.READ, ""), Mount(project, Wall.WRITE, ""), read
walls = walls_of(Plan((), "/", mounts, (), SandboxSettings()), ())
network.begin()
walls.make()
open(file, "w")
"""


@pytest.mark.parametrize(("link", "says"), [(False, "Read-only file system"), (True, "is refused")])
def test_no_wall_is_put_on_what_a_link_leads_to(base: Path, link: bool, says: str) -> None:
    """As where another command puts a link in the place of a directory at that moment."""
    for name in ("project", "real"):
        (base / name / "sub").mkdir(parents=True)
        (base / name / "sub/.envrc").touch()
    if link:
        (base / "project/sub").rename(base / "away")
        (base / "project/sub").symlink_to("../real/sub")
    given = [str(base / "project"), str(base / "project/sub/.envrc")]
    done = subprocess.run([sys.executable, "-c", IN_A_NAMESPACE, *given], capture_output=True,
                          env=environment(), timeout=HANG_SECONDS)  # fmt: skip
    assert says in done.stderr.decode()


def test_a_socket_that_a_rule_opens_is_reached(project: Path, home: Path, base: Path) -> None:
    path = base / "socket"
    rule = f'path_rule([{str(path)!r}], modes = ["read", "write"], decision = "allow")\n'
    with (base / "a.rules").open("a") as file:
        file.write(rule.replace("'", '"'))
    connects = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1]); print('in')"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        done = wrapped(project, f'python3 -c "{connects}" {path}')
    assert done.stdout == b"in\n", done.stderr
