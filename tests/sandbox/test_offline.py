"""Runs that have nothing to do with a network: which they are, and that nothing else differs."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy import Engine
from execpolicy.model.operation import Request
from execpolicy.sandbox.backends.start import spawn
from execpolicy.sandbox.scan.offline import is_offline
from execpolicy.sandbox.session import directory
from execpolicy.support import processes
from tests.sandbox.test_run import ROOT, command, run
from tests.waiting import HANG_SECONDS, Process, until

OFFLINE = [
    "true",
    "cat a.txt | grep x > out",
    "cd src && ls -la",
    "timeout 5 sed -i s/a/b/ a.txt",
    'for f in *; do wc -l "$f"; done',
    "mkdir -p a/b && cp a.txt a/b && rm -r a",
    "awk '{ print $1 }' a.txt",
    "x=1; echo $x",
    "find . -name '*.py' -exec grep x {} +",
]
NOT_OFFLINE = [
    "pytest",
    "./true",
    "python3 -c 'print(1)'",
    "git status",
    "kubectl get pods",
    "psql -c 'select 1'",
    "ss -tln",
    "cat /proc/net/tcp",
    "cat < /dev/tcp/127.0.0.1/80",
    "cat a.txt | nc localhost 80",
    "find . -exec ./x {} +",
    "sort --compress-program=./x a.txt",
    "$x a.txt",
    "ls; unknown-program",
    "bash -c 'ls; make'",
    "gawk 'BEGIN { \"/inet/tcp/0/localhost/80\" |& getline }'",
]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load([])


@pytest.mark.parametrize(
    ("text", "offline"),
    [*((text, True) for text in OFFLINE), *((text, False) for text in NOT_OFFLINE)],
)
def test_which_runs_are_offline(engine: Engine, text: str, offline: bool) -> None:
    request = Request(text, None, str(ROOT), "bash")
    assert is_offline(engine.decide(request)) is offline


def test_a_rule_for_the_words_of_a_command_says_nothing_of_the_network(tmp_path: Path) -> None:
    rules = tmp_path / "a.rules"
    lines = 'prefix_rule(["sort"])', 'path_rule(["./*"], decision = "allow", modes = ["write"])'
    rules.write_text("\n".join(lines))
    engine = Engine.load([str(rules)])
    for text, offline in (("sort a.txt", False), ("echo x > a.txt", True)):
        request = Request(text, None, str(ROOT), "bash")
        assert is_offline(engine.decide(request)) is offline


# --- started without a copy of the launcher -------------------------------------------------------

NO_FORK = """
import os
from execpolicy import __main__
def fork():
    raise AssertionError("a copy was made")
os.fork = fork
__main__.main()
"""


def spawned(
    project: Path, text: str, pass_fds: tuple[int, ...] = ()
) -> "subprocess.CompletedProcess[str]":
    """Run a text with a launcher that cannot be copied."""
    words = command(project, "-c", text)[3:]
    begin = [sys.executable, "-P", "-c", NO_FORK, *words]
    return subprocess.run(begin, cwd=ROOT, input="in\n", capture_output=True, text=True,
                          timeout=HANG_SECONDS, pass_fds=pass_fds)  # fmt: skip


SPAWNED = [
    ("true", 0, ""),
    ("cat", 0, "in\n"),
    ("false", 1, ""),
    ("exit 7", 7, ""),
    ("yes | head -n 1; echo ${PIPESTATUS[0]}", 0, "y\n141\n"),
    ("ls a.txt", 0, "a.txt\n"),
    ("echo x > b && cat b", 0, "x\n"),
    ("cat /dev/fd/../environ | tr '\\0' '\\n' | grep ^SECRET_TOKEN", 1, ""),
]


@pytest.mark.parametrize(("text", "code", "output"), SPAWNED)
def test_what_is_spawned_runs_as_what_is_forked(
    project: Path, text: str, code: int, output: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "x")
    done = spawned(project, text)
    assert (done.returncode, done.stdout) == (code, output), done.stderr


def test_no_descriptor_of_the_caller_and_no_core_comes_along(project: Path) -> None:
    read, write = os.pipe()
    try:
        done = spawned(project, "ls /dev/fd/; grep -i core /dev/fd/../limits", (read, write))
    finally:
        os.close(read)
        os.close(write)
    *numbers, limit = done.stdout.splitlines()
    assert numbers == ["0", "1", "2", "3"], done.stderr  # the last is that of `ls` itself
    assert limit.split()[-3:] == ["1", "1", "bytes"]


def test_signals_reach_what_was_spawned(project: Path) -> None:
    words = command(project, "-c", "echo ready; sleep 60; echo not reached")[3:]
    begin = [sys.executable, "-P", "-c", NO_FORK, *words]
    with subprocess.Popen(begin, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=HANG_SECONDS)[0] == ""
        assert process.returncode == 128 + signal.SIGTERM


LIMITS = ["memory = 1 << 30", "processes = 500", "file_size = 1 << 30"]


@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_takes_a_fork(project: Path, limit: str) -> None:
    with (project.parent / "a.rules").open("a") as rules:
        rules.write(f"sandbox({limit})\n")
    assert run(project, "-c", "true").returncode == 0
    assert "a copy was made" in spawned(project, "true").stderr


def test_descriptors_that_are_kept_stay_open_and_no_others() -> None:
    read, write = os.pipe()
    os.set_inheritable(write, True)
    try:
        spawn._hand_on({read})
        assert (os.get_inheritable(read), os.get_inheritable(write)) == (True, False)
    finally:
        os.close(read)
        os.close(write)


# --- the session that it is in --------------------------------------------------------------------


def test_its_session_lasts_as_long_as_it_does(
    project: Path, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is in no network that other runs enter; its `/tmp` stays while it goes on."""
    monkeypatch.setenv("HOME", str(base / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(base / "state"))
    (base / "home").mkdir()
    with Process(["sleep", "600"]) as leader:
        words = ("--session", str(leader.pid), "-c", "echo x > /tmp/a; read line; cat /tmp/a")
        with Process(
            command(project, *words), cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process:
            shared = base / "state/execpolicy/shared"
            until(lambda: any(shared.glob("*/tmp/a")))
            (session,) = shared.iterdir()
            (name,) = os.listdir(session / directory.RUNS)
            assert name.startswith(directory.ALONE)
            leader.kill()
            leader.wait()
            assert run(project, "-c", "true").returncode == 0
            assert session.exists()
            assert process.communicate(b"\n", timeout=HANG_SECONDS)[0] == b"x\n"
    assert os.listdir(session / directory.RUNS) == []
    assert run(project, "-c", "true").returncode == 0
    assert not session.exists()


def test_nobody_enters_the_network_of_an_offline_run(tmp_path: Path) -> None:
    """Its name tells that of the launcher, whose network is that of the machine."""
    from execpolicy.sandbox.session import network

    runs = tmp_path / directory.RUNS
    runs.mkdir()
    kept = directory.begin_alone(str(tmp_path))
    entered: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(network, "_joined", lambda _, name: entered.append(name))
        patch.setattr(network, "begin", lambda: None)
        assert network._enter(str(runs), "")
    assert entered == []
    os.unlink(kept)
    assert os.listdir(runs) == [f"{processes.own_name()}-"]
