"""A failed run says which wall it hit and the way out, and nothing where it hit none."""

import socket
from pathlib import Path

import pytest

from tests.sandbox.test_run import run

PYTHON = "/usr/bin/python3"
HIT = [
    # a script in Python that names nothing to the shell, and what is told of it
    ("open('{home}/.ssh/id_rsa')", "read `{home}/.ssh/id_rsa`", 'path_rule(["{home}/.ssh/id_rsa"]'),
    ("open('{home}/.claude/x.jsonl')", "read `{home}/.claude/x.jsonl`", 'modes = ["read"]'),
    ("open('.env')", "read `{top}/.env`", 'path_rule(["{top}/.env"]'),
    ("open('{home}/new', 'w')", "write `{home}/new`", 'modes = ["write"]'),
    ("open('../new', 'w')", "write `{base}/new`", 'modes = ["write"]'),
    ("open('/etc/new', 'w')", "write `/etc/new`", 'modes = ["write"]'),
    ("open('.envrc', 'w')", "write `{top}/.envrc`", 'modes = ["write"]'),
    ("import os; os.unlink('.envrc')", "`{top}/.envrc`", "path_rule("),
    ("import os; os.rename('a.txt', '.git/config')", "`{top}/.git/config`", "path_rule("),
    ("import os; os.system('cat {home}/.ssh/id_rsa') and exit(1)", "{home}/.ssh/id_rsa", "read"),
    ("import shutil; shutil.copy('a.txt', '{home}/')", "{home}", "write"),
    ("import socket as s; s.socket(s.AF_UNIX, s.SOCK_DGRAM)", "a unix socket of datagrams", ""),
    ("import socket as s; s.socket(s.AF_UNIX).connect('{base}/agent')", "write `{base}/agent`",
     'path_rule(["{base}/agent"], modes = ["write"]'),
    ("import urllib.request as u; u.urlopen('http://example.org/')", "no network", "network_rule("),
    ("import socket; socket.create_connection(('example.org', 80))", "no network", "network_rule("),
    ("import socket; socket.create_connection(('1.1.1.1', 80))", "no network", "network_rule("),
    ("exit('getaddrinfo ENOTFOUND registry.test')", "`registry.test`", "network_rule("),
    ("exit('connection to 127.0.0.1, port {port} failed: Connection refused')",
     "port {port} of this machine", "sandbox(reach = [{port}])"),
    ("exit('error: gpg failed to sign the data')", "no agent that signs", "commit.gpgsign=false"),
    ("exit('cp: /dev/shm/x: No space left on device')", "in `/dev/shm` (", "sandbox(memory = …)"),
    ("exit('cp: No space left on device')", "`/dev/shm` (", "`/var/tmp` ("),
]  # fmt: skip
NOT_HIT = [
    "open('missing')",
    "open('/etc/missing/file')",
    "open('{home}/.missing')",
    "exit('a.txt: permission denied')",
    "exit('permission denied: read-only file system')",
    "exit('cannot open `a.txt`: No such file or directory')",
    "import socket; socket.create_connection(('127.0.0.1', 1))",
    "assert 6 * 7 == 41",
    "raise PermissionError(13, 'Permission denied', 'a.txt')",
    "raise SystemExit(3)",
    "import os; os.kill(os.getpid(), 15)",
    "exit('failed to watch a.txt: no space left on device')",
    "raise MemoryError",
    "exit('fork: retry: Resource temporarily unavailable')",
]
LIMITED = [
    # a rule, what meets its limit, and what is told of it
    ('temporary = "1M"', "open('/var/tmp/x', 'wb').write(bytes(1 << 21))", "(of 1048576 bytes"),
    ('memory = "64M"', "bytearray(1 << 28)", "the `memory` of 67108864; to allow"),
    ('file_size = "1M"', "open('x', 'wb').write(bytes(1 << 21))", "sandbox(file_size = …)"),
]


@pytest.fixture
def places(base: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    home = base / "home"
    monkeypatch.setenv("HOME", str(home))
    for path in (home / ".ssh/id_rsa", home / ".claude/x.jsonl", project / ".env"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("secret")
    (project / ".envrc").touch()
    with socket.socket(socket.AF_UNIX) as server:  # of another program
        server.bind(str(base / "agent"))
    return {"home": home, "top": project, "base": base}


def _told(project: Path, text: str, *options: str) -> list[str]:
    (project / "a.py").write_text(text)
    done = run(project, *options, "--", PYTHON, "a.py")
    assert done.returncode != 0, done.stdout
    assert "secret" not in done.stdout
    return [line for line in done.stderr.split("\n") if line.startswith("execpolicy:")]


@pytest.mark.parametrize(("text", "wall", "cure"), HIT)
def test_each_wall_is_one_line(
    places: dict[str, object], project: Path, text: str, wall: str, cure: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        known = {**places, "port": server.getsockname()[1]}
        (line,) = _told(project, text.format(**known))
    assert wall.format(**known) in line
    assert cure.format(**known) in line


@pytest.mark.parametrize(("setting", "text", "told"), LIMITED)
def test_a_limit_is_told_with_what_raises_it(
    project: Path, base: Path, setting: str, text: str, told: str
) -> None:
    rules = base / "limits.rules"
    rules.write_text(f"sandbox({setting})\n")
    (line,) = _told(project, text, "-r", str(rules))
    assert told in line


@pytest.mark.parametrize(
    ("others", "told"), [((), 1), ((".env",), 0), (("sub/.envrc",), 0), ((".git/config",), 1)]
)
def test_the_only_file_that_could_be_replaced_is_named(
    project: Path, others: tuple[str, ...], told: int
) -> None:
    for name in (".envrc", *others):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text("a")
    lines = _told(project, "import os; exit(os.system('sed -i s/a/b/ .envrc') >> 8)")
    assert [f"write `{project}/.envrc`" in line for line in lines] == [True] * told


def test_what_lies_on_another_disk_was_meant_to_replace_nothing(project: Path) -> None:
    (project / ".envrc").touch()
    assert not _told(project, "import os, tempfile; os.rename(tempfile.mkdtemp(), 'new')")


@pytest.mark.parametrize("text", NOT_HIT)
def test_no_wall_is_no_line(places: dict[str, object], project: Path, text: str) -> None:
    assert _told(project, text.format(**places)) == []


def test_the_name_of_the_machine_resolves(project: Path) -> None:
    (project / "a.py").write_text(
        "import socket; print(socket.gethostbyname(socket.gethostname()))"
    )
    assert run(project, "--", PYTHON, "a.py").stdout == "127.0.0.1\n"
