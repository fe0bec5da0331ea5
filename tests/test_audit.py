"""The audit log: a line a verdict, no secrets, never in the way of a decision."""

import fcntl
import json
import multiprocessing
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy import Engine
from execpolicy.engine import audit
from execpolicy.engine.audit import Log
from execpolicy.model.operation import Request
from execpolicy.store import log_file
from execpolicy.support.json_encode import encode
from execpolicy.support.redact import MARK, joined, redacted
from tests.growth import MAX_LINEAR, growth
from tests.waiting import HANG_SECONDS, Process

SECRET = "q7Zk29xLmP04vTbR"  # noqa: S105


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load(rules=[])


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(str(tmp_path / "state" / "audit.jsonl"))


def write(log: Log, engine: Engine, text: str, **given: Any) -> None:
    request = Request(text=text, **given)
    audit.record(log, request, engine.decide(request))


def lines(log: Log) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(log.path).read_text().splitlines()]


def test_a_line_says_what_was_asked_and_answered(engine: Engine, log: Log) -> None:
    write(log, engine, "git push; ls > out", cwd="/src", agent="claude", session="s1")
    (line,) = lines(log)
    assert line.pop("time").endswith("Z")
    assert line == {
        "decision": "prompt",
        "agent": "claude",
        "session": "s1",
        "cwd": "/src",
        "command": "git push; ls > out",
        "reason": engine.check("git push; ls > out").reason,
        "operations": [
            {"decision": "prompt", "program": "git", "effects": ["remote"]},
            {"decision": "allow", "program": "ls", "effects": ["read"]},
            {"decision": "prompt", "access": "write", "path": "out", "effects": ["write"]},
        ],
        "digest": engine.snapshot.digest,
    }


def test_only_the_user_can_read_it(engine: Engine, log: Log) -> None:
    write(log, engine, "ls")
    assert stat.S_IMODE(os.stat(log.path).st_mode) == 0o600
    os.chmod(log.path, 0o644)
    write(log, engine, "ls")
    assert stat.S_IMODE(os.stat(log.path).st_mode) == 0o600
    assert len(lines(log)) == 2


def test_without_commands_only_structure_is_left(engine: Engine, log: Log) -> None:
    bare = log.replace(commands=False)
    write(bare, engine, f"/opt/x/git push origin {SECRET}; cat {SECRET} > {SECRET}.txt")
    (line,) = lines(bare)
    assert SECRET not in json.dumps(line)
    assert "command" not in line
    assert "reason" not in line
    assert [o.get("program") for o in line["operations"]] == ["git", "cat", None]


def test_long_commands_are_cut(engine: Engine, log: Log) -> None:
    write(log, engine, "echo " + "x " * 100_000)
    write(log, engine, "; ".join(["ls"] * 300))
    long, many = lines(log)
    assert len(long["command"]) < audit.MAX_COMMAND + 10
    assert len(many["operations"]) == audit.MAX_OPERATIONS
    assert many["more"] == 250


@pytest.mark.parametrize(
    "command",
    [
        f"git clone https://me:{SECRET}@example.com/x",
        f"git clone https://{SECRET}@example.com/x",
        f"psql postgres://u:{SECRET}@db/x",
        f"curl -H 'Authorization: Bearer {SECRET}' https://a.example",
        f'curl -H "authorization: token {SECRET}" https://a.example',
        f"curl -H Authorization:{SECRET} x",
        f"curl -H 'X-Api-Key: {SECRET}' x",
        f"curl -H 'PRIVATE-TOKEN: {SECRET}' x",
        f"curl --cookie 'a=1' -H 'Cookie: session={SECRET}; b=2' x",
        f"curl -u me:{SECRET} x",
        f"curl --user me:{SECRET} x",
        f"curl -ume:{SECRET} x",
        f"curl --oauth2-bearer {SECRET} x",
        f"curl -d password={SECRET} x",
        f'curl -d \'{{"password": "{SECRET}"}}\' x',
        f"curl 'https://a.example/?access_token={SECRET}&b=1'",
        f"FOO_TOKEN={SECRET} make deploy",
        f"export AWS_SECRET_ACCESS_KEY='{SECRET} x'",
        f'env DB_PASSWORD="{SECRET}" ls',
        f"PGPASSWORD={SECRET} psql",
        f"MYSQL_PWD={SECRET} mysql",
        f"mysql -u root -p{SECRET} db",
        f"mysqldump -h x -p{SECRET} db",
        f"sshpass -p {SECRET} ssh x",
        f"docker login -u me -p {SECRET}",
        f"redis-cli -a {SECRET} ping",
        f"x --password {SECRET}",
        f"x --password={SECRET}",
        f"x --password 'a {SECRET} b'",
        f"x --api-key {SECRET}",
        f"x --client-secret={SECRET}",
        f"openssl rsa -passin pass:{SECRET}",
        f"echo ghp_{SECRET}{SECRET}",
        f"echo github_pat_{SECRET}",
        f"echo glpat-{SECRET}",
        f"echo sk-proj-{SECRET}",
        f"echo sk-ant-api03-{SECRET}",
        f"echo xoxb-1234-{SECRET}",
        f"echo sk_live_{SECRET}",
        f"echo npm_{SECRET}{SECRET}",
        f"echo eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{SECRET}",
        f"echo '-----BEGIN RSA PRIVATE KEY-----\n{SECRET}\n-----END RSA PRIVATE KEY-----' > k",
        f"echo '-----BEGIN OPENSSH PRIVATE KEY-----\n{SECRET}",
    ],
)
def test_secrets_are_taken_out(command: str, engine: Engine, log: Log) -> None:
    assert SECRET not in redacted(command)
    assert MARK in redacted(command)
    write(log, engine, command)
    assert SECRET not in Path(log.path).read_text()


def test_keys_of_aws_are_taken_out() -> None:
    assert redacted("aws configure set x AKIAIOSFODNN7EXAMPLE") == f"aws configure set x {MARK}"


def test_a_secret_with_blanks_is_one_word() -> None:
    assert redacted(joined(["x", "--password", f"a {SECRET} \"'{SECRET}", "b"])) == (
        f"x --password {MARK} b"
    )


@pytest.mark.parametrize(
    "command",
    [
        "git push -u origin main",
        "ls -la; cat README.md | head",
        "git clone ssh://git@github.com/a/b",
        "git clone https://github.com/a/b",
        "curl -s https://a.example/x?page=2",
        "mkdir -p a/b && cp -p a b",
        "docker run -p 80:80 -u 1000:1000x nginx"[:24],
        "python -m pytest tests/test_token.py",
        "grep -rn password src",
        "npm run key",
    ],
)
def test_what_is_no_secret_stays(command: str) -> None:
    assert redacted(command) == command


def test_what_follows_a_secret_stays() -> None:
    assert redacted(f"TOKEN={SECRET} make x && ls") == f"TOKEN={MARK} make x && ls"


@pytest.mark.parametrize(
    "piece",
    ["key-", "_token", "mysql ", "eyJ-", "a.", "x-key", "-----BEGIN PRIVATE KEY", "'", '"\\'],
)
def test_hostile_text_does_not_take_long(piece: str) -> None:
    most = 16384 // len(piece)
    assert growth(lambda count: redacted(piece * count + "password=x"), most // 4) < MAX_LINEAR


@given(st.text(max_size=30), st.text(max_size=30))
def test_redacting_never_fails(before: str, after: str) -> None:
    text = redacted(f"{before} --password {SECRET} {after}")
    assert f"--password {SECRET} " not in text


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_the_small_encoder_is_the_large_one(value: Any) -> None:
    assert encode(value) == json.dumps(value)


def test_the_small_encoder_refuses_the_rest() -> None:
    with pytest.raises(TypeError, match="`float` has no JSON form"):
        encode(1.5)


def _many(path: str, number: int) -> None:
    engine, log = Engine.load(rules=[]), Log(path, max_bytes=20_000)
    for at in range(40):
        write(log, engine, f"echo {number} {at} {'x' * 300}")


def test_lines_of_many_processes_never_mix(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_many, args=(str(path), n)) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    names = sorted(p.name for p in tmp_path.iterdir())
    assert names == [
        "audit.jsonl",
        "audit.jsonl.1",
        "audit.jsonl.2",
        "audit.jsonl.3",
        "audit.jsonl.lock",
    ]
    for file in tmp_path.glob("audit.jsonl*"):
        commands = [json.loads(line)["command"] for line in file.read_text().splitlines()]
        assert all(c.startswith("echo ") and c.endswith("x" * 300) for c in commands)


def test_nothing_is_lost_before_the_oldest_goes(engine: Engine, log: Log) -> None:
    small = log.replace(max_bytes=2000)
    for at in range(20):
        write(small, engine, f"echo {at}")
    kept = [*(f"{log.path}.{n}" for n in (3, 2, 1)), log.path]
    texts = [Path(file).read_text() for file in kept if os.path.exists(file)]
    words = [json.loads(line)["command"] for text in texts for line in text.splitlines()]
    assert words == [f"echo {at}" for at in range(20 - len(words), 20)]
    assert os.stat(log.path).st_size <= 2000


@pytest.mark.parametrize("kind", ["directory", "fifo", "link", "full"])
def test_a_log_that_cannot_be_written_is_a_warning(
    kind: str, engine: Engine, log: Log, capsys: pytest.CaptureFixture[str]
) -> None:
    os.makedirs(os.path.dirname(log.path))
    if kind == "directory":
        os.mkdir(log.path)
    elif kind == "fifo":
        os.mkfifo(log.path)
    elif kind == "link":
        os.symlink("elsewhere", log.path)
    else:
        log = log.replace(path="/dev/full")
    log_file._warned.clear()
    write(log, engine, "ls")
    write(log, engine, "ls")
    err = capsys.readouterr().err
    assert err.startswith(f"execpolicy: warning: the audit log `{log.path}` cannot be written: ")
    assert err.count("\n") == 1


LEASE = """
import fcntl, os, signal, sys
signal.signal(signal.SIGIO, signal.SIG_IGN)
fd = os.open(sys.argv[1], os.O_RDONLY)
fcntl.fcntl(fd, 1024, fcntl.F_RDLCK)
print("held", flush=True)
sys.stdin.read()
"""


def test_a_log_that_another_process_holds_up_is_moved_aside(
    engine: Engine, log: Log, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_file, "PATIENCE", 0.05)
    write(log, engine, "ls")
    with Process([sys.executable, "-c", LEASE, log.path], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as holder:  # fmt: skip
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        write(log, engine, "ls -l")
    assert [len(Path(f"{log.path}{end}").read_text().splitlines()) for end in ("", ".1")] == [1, 1]
    assert "holds" in capsys.readouterr().err


def test_a_lock_that_is_not_let_go_of_holds_up_no_line(
    engine: Engine, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_file, "PATIENCE", 0.05)
    log = log.replace(max_bytes=10)
    write(log, engine, "ls")
    with open(f"{log.path}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        write(log, engine, "ls -l")
    assert len(Path(log.path).read_text().splitlines()) == 2


def check(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "execpolicy", "check", *arguments]
    given = {**os.environ, **env}
    return subprocess.run(
        command, capture_output=True, text=True, env=given, timeout=HANG_SECONDS, check=False
    )


def test_check_writes_it_and_a_setting_turns_it_off(home: Path) -> None:
    path = home / ".local/state/execpolicy/audit.jsonl"
    check("--", "ls", EXECPOLICY_AUDIT="false")
    assert not path.exists()
    check("--", "ls", "-l", "a b")
    check("-c", "ls > out", EXECPOLICY_AUDIT_COMMANDS="false")
    first, second = (json.loads(line) for line in path.read_text().splitlines())
    assert first["command"] == 'ls -l "a b"'
    assert first["cwd"] == os.getcwd()
    assert "command" not in second


def test_the_library_does_not_unless_it_is_asked(home: Path) -> None:
    path = home / ".local/state/execpolicy/audit.jsonl"
    Engine.load(rules=[]).check("ls")
    assert not path.exists()
    Engine.load(rules=[], audit=True).check("ls")
    assert path.exists()


def test_a_full_disk_does_not_change_the_answer(home: Path) -> None:
    state = home / ".local/state"
    state.mkdir(parents=True)
    (state / "execpolicy").write_text("in the way")
    done = check("--", "ls")
    assert done.returncode == 0
    assert done.stdout.startswith("allow: `ls`")
    assert done.stderr.startswith("execpolicy: warning: the audit log")


def test_a_check_imports_no_json_and_no_re(home: Path) -> None:
    code = (
        "import sys; from execpolicy.__main__ import dispatch; dispatch(['check', '--', 'ls']);"
        "print(sorted({'re', 'json', 'datetime'} & set(sys.modules)))"
    )
    env = {**os.environ, "PYTHONPATH": os.getcwd()}
    for _ in range(2):  # the second with a warm cache
        done = subprocess.run(
            [sys.executable, "-S", "-c", code], capture_output=True, text=True, env=env, check=True
        )
    assert done.stdout.splitlines()[-1] == "[]"
    assert (home / ".local/state/execpolicy/audit.jsonl").exists()
