"""What the runs of one session share, what they do not, and what is left when it ends."""

import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from execpolicy.commands.unfinished import finish
from execpolicy.sandbox.session.removal import remove
from tests.sandbox.test_run import ROOT, RUN, command, run
from tests.waiting import HANG_SECONDS, Process, until

PYTHON = "/usr/bin/python3"
SERVER = """
import socket
server = socket.create_server(("127.0.0.1", 4321))
print("listens", flush=True)
while True:
    client, _ = server.accept()
    client.sendall(b"from the server")
    client.close()
"""
pytestmark = pytest.mark.skipif(not Path(PYTHON).exists(), reason="NOT TESTED: no system Python")
CLIENT = "import socket; print(socket.create_connection(('127.0.0.1', 4321)).recv(99).decode())"


@pytest.fixture(autouse=True)
def home(base: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that lies in no temporary directory, which would be mounted below the session's."""
    made = base / "home"
    made.mkdir()
    monkeypatch.setenv("HOME", str(made))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(made / ".config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(made / ".local/state"))
    return made


@pytest.fixture
def leader() -> "Iterator[subprocess.Popen[bytes]]":
    """A process that a session lasts as long as."""
    with Process(["sleep", "600"]) as process:
        yield process
        process.kill()


def of(session: "subprocess.Popen[bytes]", project: Path, *words: str) -> list[str]:
    return command(project, "--session", str(session.pid), *words)


def output(words: list[str]) -> str:
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, timeout=HANG_SECONDS)
    return done.stdout.strip() or f"{done.returncode} {done.stderr}"


@contextmanager
def serving(words: list[str]) -> "Iterator[subprocess.Popen[bytes]]":
    """A run that has begun to listen; killed at the end."""
    with Process(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.readline() == b"listens\n"
            yield server
        finally:
            server.kill()


def test_a_server_of_one_call_is_reached_by_the_next(
    project: Path, leader: "subprocess.Popen[bytes]"
) -> None:
    client = of(leader, project, "--", PYTHON, "-c", CLIENT)
    with serving(of(leader, project, "--", PYTHON, "-c", SERVER)) as server:
        assert output(client) == "from the server"
        assert "refused" in output(command(project, "--", PYTHON, "-c", CLIENT))
        server.send_signal(signal.SIGTERM)
        server.wait(HANG_SECONDS)
    assert "refused" in output(client)


def test_the_network_is_handed_on_while_any_run_lasts(
    project: Path, leader: "subprocess.Popen[bytes]"
) -> None:
    client = of(leader, project, "--", PYTHON, "-c", CLIENT)
    began = serving(of(leader, project, "-c", "echo listens; read line"))
    with began as first, serving(of(leader, project, "--", PYTHON, "-c", SERVER)):
        first.kill()
        first.wait(HANG_SECONDS)
        assert output(client) == "from the server"


def test_temporary_files_are_those_of_the_session(
    project: Path, leader: "subprocess.Popen[bytes]"
) -> None:
    assert output(of(leader, project, "-c", "echo kept > /tmp/a; cat /tmp/a")) == "kept"
    assert output(of(leader, project, "-c", "cat /tmp/a; ls -A /var/tmp")) == "kept"
    assert "No such file" in output(command(project, "-c", "cat /tmp/a"))


def test_a_command_cannot_take_the_temporary_directory_from_the_next(
    project: Path, leader: "subprocess.Popen[bytes]"
) -> None:
    output(of(leader, project, "-c", "chmod 0 /tmp"))
    assert output(of(leader, project, "-c", "echo kept > /tmp/a; cat /tmp/a")) == "kept"


def test_links_in_the_temporary_directory_lead_past_no_wall(
    project: Path, leader: "subprocess.Popen[bytes]"
) -> None:
    text = f"ln -s /etc /tmp/etc; ln -s {project}/.git /tmp/git; mkdir /tmp/d; ln -s / /tmp/d/root"
    output(of(leader, project, "-c", text))
    for path in ("etc/planted", "git/config", f"d/root{project.parent}/planted"):
        written = output(of(leader, project, "-c", f"echo x > /tmp/{path} && echo PWNED"))
        assert "PWNED" not in written, path


def test_another_project_has_a_session_of_its_own(
    project: Path, base: Path, leader: "subprocess.Popen[bytes]"
) -> None:
    other = base / "other"
    other.mkdir()
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    output(of(leader, project, "-c", "echo secret > /tmp/a"))
    words = [*RUN, "--rules", str(base / "a.rules"), "--cwd", str(other)]
    words += ["--session", str(leader.pid), "-c"]
    assert "No such file" in output([*words, "cat /tmp/a"])
    shared = Path(os.environ["HOME"], ".local/state/execpolicy/shared")
    assert output([*words, f"cat {shared}/*/tmp/a 2>&1 | grep -c secret"]) == "0"


DEEPER = "for _ in range(1500): os.mkdir('a'); os.chdir('a')"
DEEP = f"{PYTHON} -c \"import os; os.chdir('/tmp')\n{DEEPER}\""
ENDS = [
    "true",
    "mkdir -p /tmp/d/e; chmod 0 /tmp/d/e /tmp/d",
    "ln -s /etc /tmp/etc; echo > /tmp/a",
    DEEP,
]


@pytest.mark.parametrize("text", ENDS)
def test_nothing_is_left_when_the_session_has_ended(
    project: Path, home: Path, leader: "subprocess.Popen[bytes]", text: str
) -> None:
    shared = home / ".local/state/execpolicy/shared"
    run(project, "--session", str(leader.pid), "-c", text)
    (made,) = shared.iterdir()
    leader.kill()
    leader.wait()
    run(project, "--", "true")
    assert not made.exists()
    assert Path("/etc/passwd").exists()


def test_a_killed_run_is_out_of_the_session(
    project: Path, home: Path, leader: "subprocess.Popen[bytes]"
) -> None:
    with serving(of(leader, project, "--", PYTHON, "-c", SERVER)):
        pass
    (runs,) = (home / ".local/state/execpolicy/shared").glob("*/runs")
    client = of(leader, project, "--", PYTHON, "-c", CLIENT)
    until(lambda: "refused" in output(client))
    assert os.listdir(runs) == []


def test_walls_stand_in_a_session(project: Path, leader: "subprocess.Popen[bytes]") -> None:
    attempts = ["unshare -Ur true", "unshare -n true", "echo x > /etc/x", "mount -o remount,rw /",
                "nsenter -t 1 -n true", "exec 3<>/dev/tcp/1.1.1.1/80"]  # fmt: skip
    for text in attempts:
        words = of(leader, project, "-c", f"{text} && echo PWNED")
        assert "PWNED" not in output(words), text
    capabilities = output(of(leader, project, "-c", "grep CapEff /proc/self/status"))
    assert capabilities == "CapEff:\t0000000000000000"


def test_a_port_that_may_be_listened_on_is_reached_from_outside(
    project: Path, leader: "subprocess.Popen[bytes]"
) -> None:
    with (project.parent / "a.rules").open("a") as rules:
        rules.write("sandbox(listen = [4321])\n")
    with serving(of(leader, project, "--", PYTHON, "-c", SERVER)):
        with socket.create_connection(("127.0.0.1", 4321), HANG_SECONDS) as client:
            assert client.recv(99) == b"from the server"
        taken = run(project, "--", "true")
        assert taken.returncode == 0
        assert "port 4321 is not published" in taken.stderr
    until(_is_closed)


def _is_closed() -> bool:
    try:
        socket.create_connection(("127.0.0.1", 4321), HANG_SECONDS).close()
    except OSError:
        return True
    return False


def sized(project: Path, size: str) -> None:
    with (project.parent / "a.rules").open("a") as rules:
        rules.write(f'sandbox(temporary = "{size}")\n')


FILL = "dd if=/dev/zero of=/tmp/big bs=1M count=40 status=none && sleep 600"


def test_a_run_that_fills_the_temporary_files_of_its_session_is_ended(
    project: Path, leader: "subprocess.Popen[bytes]"
) -> None:
    sized(project, "20M")
    done = run(project, "--session", str(leader.pid), "-c", FILL)
    assert done.returncode == 137
    assert "holds too much" in done.stderr
    later = run(project, "--session", str(leader.pid), "-c", "sleep 2; rm /tmp/big; echo removed")
    assert (later.returncode, later.stdout) == (0, "removed\n"), "what is there is no reason"


def test_a_private_temporary_directory_has_a_size(project: Path) -> None:
    sized(project, "20M")
    for size, code in ((9, 0), (40, 1)):
        text = f"dd if=/dev/zero of=/tmp/big bs=1M count={size} status=none"
        words = command(project, "-c", text)  # a session of its own shares with nobody
        done = subprocess.run(
            words, cwd=ROOT, timeout=HANG_SECONDS, start_new_session=True, check=False
        )
        assert done.returncode == code


def test_what_a_directory_holds_is_counted_as_the_disk_counts_it(tmp_path: Path) -> None:
    from execpolicy.sandbox.session.size import used

    (tmp_path / "sparse").mkdir()
    with (tmp_path / "sparse/file").open("wb") as file:
        file.truncate(1 << 40)
    (tmp_path / "full").write_bytes(bytes(1 << 20))
    (tmp_path / "link").symlink_to("/")
    assert 1 << 20 <= used(str(tmp_path)) < 2 << 20


def removed_though_closed(top: str) -> bool:
    """Whether what a command may leave is removed: closed directories, links, a pipe."""
    os.makedirs(f"{top}/tmp/d/e/f")
    os.mkfifo(f"{top}/tmp/p")
    os.symlink("/etc", f"{top}/tmp/d/e/etc")
    os.symlink("../../../kept", f"{top}/tmp/d/kept")
    for path in ("d/e/f", "d/e", "d", "."):
        os.chmod(f"{top}/tmp/{path}", 0)
    return remove(top)


def as_ordinary_user(directory: Path, work: "Callable[[], bool]") -> bool:
    """Whether this succeeds in a directory with the rights of its owner alone."""
    user = os.geteuid() or 65534
    os.chown(directory, user, -1)
    child = os.fork()
    if child == 0:
        try:
            os.chdir(directory)
            if os.geteuid() == 0:
                os.setresuid(user, user, user)
            os._exit(not work())
        finally:
            os._exit(99)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_what_is_closed_to_an_ordinary_user_is_removed(base: Path) -> None:
    (base / "kept").mkdir()
    (base / "kept/file").touch()
    assert as_ordinary_user(base, lambda: removed_though_closed("left"))
    assert [path.name for path in base.rglob("*") if "home" not in path.name] == ["kept", "file"]
    assert Path("/etc/passwd").exists()


def test_a_removal_is_bounded_and_goes_on_the_next_time(base: Path) -> None:
    made = base / "left/a/b/c"
    made.mkdir(parents=True)
    for name in range(20):
        (made / str(name)).touch()
    assert not remove(str(base / "left"), limit=15)
    while not remove(str(base / "left"), limit=15):
        assert (base / "left").exists()
    assert not (base / "left").exists()


def test_what_goes_wrong_with_a_session_decides_nothing(
    project: Path, leader: "subprocess.Popen[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    run(project, "--session", str(leader.pid), "--", "true")
    leader.kill()
    leader.wait()
    monkeypatch.setattr("execpolicy.sandbox.session.directory.sweep", lambda: int("broken"))
    finish()
