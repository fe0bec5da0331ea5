"""What of this machine a rule opens to a run: a port of its loopback, a device."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.test_run import run

PYTHON = "/usr/bin/python3"
ASKS = """
import socket
for port in ({port}, {other}):
    try:
        with socket.create_connection(("127.0.0.1", port), 20) as end:
            end.sendall(b"ping")
            end.shutdown(socket.SHUT_WR)
            print(end.makefile().read())
    except OSError:
        print("refused")
"""
OPENS = [
    # a rule, and whether the first of two ports is reached; the second never is
    ("sandbox(reach = [{port}])", True),
    ('network_rule("127.0.0.1", "http", "allow", ports = [{port}])', True),
    ('network_rule("localhost", "http", "allow", ports = [{port}])', True),
    ('network_rule("127.0.0.1", "http", "allow", ports = [{port}], methods = ["GET"])', False),
    ('network_rule("127.0.0.1", "http", "forbidden", ports = [{port}])', False),
    ("sandbox(listen = [{port}])", False),
    ("", False),
]


@pytest.fixture
def ports() -> Iterator[tuple[int, int]]:
    """Two ports of servers that give back what they get."""
    servers = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    for server in servers:
        threading.Thread(target=_echo, args=(server,), daemon=True).start()
    yield servers[0].getsockname()[1], servers[1].getsockname()[1]
    for server in servers:
        server.close()


def _echo(server: socket.socket) -> None:
    while True:
        try:
            end, _ = server.accept()
        except OSError:
            return
        with end:
            end.sendall(b"got " + end.makefile("rb").read())


@pytest.mark.parametrize(("rule", "reached"), OPENS)
def test_a_port_of_this_machine(
    project: Path, ports: tuple[int, int], rule: str, reached: bool
) -> None:
    with (project.parent / "a.rules").open("a") as rules:
        rules.write(rule.format(port=ports[0]) + "\n")
    (project / "a.py").write_text(ASKS.format(port=ports[0], other=ports[1]))
    for _ in range(2):  # the second begins from what was kept of the first
        done = run(project, "--", PYTHON, "a.py")
        assert done.stdout.split("\n")[:2] == ["got ping" if reached else "refused", "refused"]


@pytest.mark.skipif(not Path("/dev/kvm").exists(), reason="there is no such device")
@pytest.mark.parametrize("opened", [False, True])
def test_a_device(project: Path, opened: bool) -> None:
    if opened:
        with (project.parent / "a.rules").open("a") as rules:
            rules.write('path_rule(["/dev/kvm"], modes = ["write"], decision = "allow")\n')
    (project / "a.sh").write_text("exec 3<> /dev/kvm && echo opened")
    assert run(project, "--", "sh", "a.sh").stdout == ("opened\n" if opened else "")


def test_what_an_installer_unpacks_stays(project: Path) -> None:
    """Settings of a package steer nothing here; at the root's own places they would."""
    names = ("vendor/c/.cargo/config.toml", "node_modules/p/.env", "vendor/p/.vscode/tasks.json")
    (project / "a.sh").write_text(
        "".join(f"mkdir -p $(dirname {name}); echo x > {name}\n" for name in (*names, ".env"))
        + "mkdir -p vendor/r/.git/hooks; echo x > vendor/r/.git/hooks/pre-commit\n"
        "mkdir vendor/r/.git/objects vendor/r/.git/refs; echo x > vendor/r/.git/HEAD\nsleep 0.5\n"
    )
    done = run(project, "--", "sh", "a.sh")
    assert [name for name in names if not (project / name).exists()] == []
    assert not (project / ".env").exists()
    assert not (project / "vendor/r/.git").exists(), done.stderr
