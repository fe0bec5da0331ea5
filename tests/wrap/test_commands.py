"""What a command of a wrapped session gets and gives is what it would get and give without."""

import os
import socket
import subprocess
from pathlib import Path

import pytest

from execpolicy.sandbox.backends.halted import held_mounts, mounts_of
from tests.waiting import HANG_SECONDS, Process, until
from tests.wrap.support import ROOT, environment, words, wrapped

# A text that the agent's shell runs, and what it shows. Each program in it is a command.
SAME = [
    ("env true; echo $?", "0"),
    ("env false; echo $?", "1"),
    ("bash -c 'exit 7'; echo $?", "7"),
    ("bash -c 'kill -9 $$'; echo $?", "137"),
    ("printf 'a\\nb\\n' | sort -r | tr '\\n' ' '", "b a "),
    ("seq 1 100000 | tail -1", "100000"),
    ("head -c 30000000 /dev/zero | cat | wc -c", "30000000"),
    ("echo text > f; cat f; cat < f; wc -c < f", "text\ntext\n5"),
    ("bash -c 'echo a; echo b >&2' 2>&1 | sort | tr '\\n' ' '", "a b "),
    ("bash -c 'echo a' >> g; bash -c 'echo b' >> g; cat g", "a\nb"),
    ("python3 -c 'import os; os.write(7, b\"seven\")' 7>&1 | cat", "seven"),
    ("python3 -c 'import os; print(os.read(9, 9).decode())' 9< <(env printf nine)", "nine"),
    ("cat <&- 2>/dev/null; echo $?", "1"),
    ("umask 027; env touch u; stat -c %a u", "640"),
    ("cd sub && env pwd | sed 's,.*/,,'; cd .. && env pwd | sed 's,.*/,,'", "sub\nproject"),
    ("mkdir -p /tmp/d && cd /tmp/d && touch x && ls && env pwd", "x\n/tmp/d"),
    ("bash -c './script one two'", "script one two"),
    ("bash -c 'exec -a other env printf %s a'", "a"),
    ("A='x y' env printenv LC_ALL; echo $?", "1"),
    ("LC_ALL=C.UTF-8 printenv LC_ALL", "C.UTF-8"),
    ("git log --oneline | wc -l", "1"),
    ("env printf '%s|' 'a b' '' '*' $'\\n'", "a b||*|\n|"),
    ("timeout 1 sleep 60; echo $?", "124"),
    ("python3 -c 'print(len(\"x\" * 3))' ; no-such-program; echo $?", "3\n127"),
]


def test_a_command_is_the_same(project: Path, home: Path, each_shim: str) -> None:
    (project / "sub").mkdir()
    script = project / "script"
    script.write_text('#!/bin/bash\necho script "$@"\n')
    script.chmod(0o755)
    every = "\n".join(f"( {text}\n) 2>/dev/null; echo; echo @@" for text, _ in SAME)
    done = wrapped(project, every)
    shown = done.stdout.decode().split("\n@@\n")
    found = [(text, out.strip("\n")) for (text, _), out in zip(SAME, shown, strict=False)]
    assert found == [(text, out.strip("\n")) for text, out in SAME]


def test_a_pipe_ends_with_the_command_that_left_something_running(
    project: Path, home: Path, shim: str
) -> None:
    left = "sleep 30 > /dev/null 2>&1 < /dev/null &"
    text = f"time bash -c '{left} echo on' | cat; pgrep -fc '^sleep 30'"
    done = wrapped(project, f"TIMEFORMAT=%0R; {text}")
    assert done.stdout == b"on\n1\n"
    seconds = done.stderr.decode().split("\n")[-2]
    assert int(seconds) < 20, done.stderr


SHARED = [
    ("echo x > /tmp/l; bash -c 'echo y >> /tmp/l'; tail /tmp/l | tr '\\n' ' '", "x y "),
    (
        "bash -c 'python3 -m http.server 4173 --bind 127.0.0.1 >/dev/null 2>&1 &'\n"
        "for i in $(seq 100); do curl -s localhost:4173/a.txt && break; env sleep 0.1; done",
        "hello",
    ),
    ("pgrep -fc 'http.server 4173'; ps -eo args | grep -c '[h]ttp.server 4173'", "1\n1"),
    ("pkill -f 'http.server 4173'; env sleep 0.5; pgrep -fc 'http.server 4173'", "0"),
    (
        "bash -c 'sleep 61 & echo $! > p'; bash -c 'kill $(cat p)'; env sleep 0.3; pgrep -c sleep",
        "0",
    ),
    ("echo seen > /tmp/by-agent; cat /tmp/by-agent", "seen"),
]


def test_commands_of_a_session_share_tmp_loopback_and_processes(
    project: Path, home: Path, shim: str
) -> None:
    every = "\n".join(f"( {text}\n) 2>/dev/null; echo; echo @@" for text, _ in SHARED)
    shown = wrapped(project, every).stdout.decode().split("\n@@\n")
    found = [(text, out.strip("\n")) for (text, _), out in zip(SHARED, shown, strict=False)]
    assert found == [(text, out.strip("\n")) for text, out in SHARED]


SIGNALS = [
    (
        "bash -c 'trap \"echo trapped; exit 9\" TERM; echo on; sleep 60 & wait'",
        "TERM",
        "trapped",
        9,
    ),
    ("bash -c 'trap \"echo hung; exit 4\" HUP; echo on; sleep 60 & wait'", "HUP", "hung", 4),
    ("bash -c 'echo on; exec sleep 60'", "TERM", "", 143),
    ("bash -c 'echo on; exec sleep 60'", "KILL", "", 137),
]


@pytest.mark.parametrize(("text", "signal", "shown", "code"), SIGNALS)
def test_a_signal_comes_to_the_command(
    project: Path, home: Path, shim: str, text: str, signal: str, shown: str, code: int
) -> None:
    run = f"""
{text} > out & P=$!
until grep -q on out; do read -t 0.05 < <(:) || read -t 0.05 <> <(:); done
kill -{signal} $P; wait $P; echo $?; cat out
"""
    done = wrapped(project, run)
    assert done.stdout.decode().split() == [str(code), "on", *shown.split()], done.stderr


def test_the_end_of_a_shim_ends_its_command(project: Path, home: Path, each_shim: str) -> None:
    run = """
bash -c 'echo on; sleep 62; echo after > late' > out & P=$!
until grep -q on out; do read -t 0.05 <> <(:); done
kill -9 $P; wait $P 2>/dev/null; env sleep 0.5; pgrep -fc 'sleep 62'; ls late 2>&1 | wc -l
"""
    done = wrapped(project, run)
    assert done.stdout.split() == [b"0", b"1"], done.stderr


DECIDED = [
    ("git push", 123, b"the user has to be asked"),
    ("bash -c 'git push'", 123, b"the user has to be asked"),
    ("rm -rf /", 122, b"forbidden"),
    ("env rm -rf /", 122, b"forbidden"),
]


PATHS = [
    ("export PATH=$PWD/bin:$PATH; bash -c 'tool -x'", 123),
    ("export PATH=$PWD/bin:$PATH; bash -c 'exec tool -x'", 123),
    ("PATH=$PWD/bin:$PATH exec bash -c 'tool -x'", 123),
    ("bash -c 'PATH=$PWD/bin:$PATH tool -x'", 123),
    ("bash -c 'tool -x'", 0),
]


@pytest.mark.parametrize(("text", "code"), PATHS)
def test_where_the_path_of_a_command_leads_is_what_is_decided_about(
    project: Path, home: Path, text: str, code: int
) -> None:
    """A rule for a program is none for one of the project that has its name."""
    tool = Path("/usr/bin/true").resolve().name
    (project.parent / "a.rules").write_text(f'prefix_rule(["{tool}"])\n')
    (project / "bin").mkdir()
    (project / f"bin/{tool}").write_text("#!/bin/sh\necho planted\n")
    (project / f"bin/{tool}").chmod(0o755)
    done = wrapped(project, text.replace("tool", tool) + "; exit $?")
    assert (done.returncode, done.stdout) == (code, b""), done.stderr


HOSTILE = {
    "LD_PRELOAD": "/tmp/x.so",
    "BASH_ENV": "/tmp/x",
    "PYTHONPATH": "/tmp",
    "NODE_OPTIONS": "--require /tmp/x",
    "GIT_SSH_COMMAND": "/tmp/x",
    "ANTHROPIC_API_KEY": "sk-1",
    "AWS_SECRET_ACCESS_KEY": "s",
    "SOME_TOKEN": "t",
    "DATABASE_URL": "postgres://a:b@h/d",
    "EXECPOLICY_RULES": "/tmp/evil.rules",
}


def test_the_environment_passes_an_allow_list(project: Path, home: Path) -> None:
    (project.parent / "a.rules").write_text("sandbox(auto_allow = True)\n")
    given = " ".join(f"{name}='{value}'" for name, value in HOSTILE.items())
    done = wrapped(project, f"LANG=C.UTF-8 {given} python3 -c 'import os; print(*os.environ)'")
    has = {*done.stdout.decode().split()}
    assert "LANG" in has, done.stderr
    assert not has & HOSTILE.keys()


def test_a_command_that_is_no_text_is_asked_about(project: Path, home: Path) -> None:
    (project.parent / "a.rules").write_text("")
    done = wrapped(project, "bash -c $'ls \\xff'; echo $?")
    assert done.stdout == b"123\n"
    assert b"the user has to be asked" in done.stderr


@pytest.mark.parametrize(("text", "code", "said"), DECIDED)
def test_the_policy_decides_about_each(
    project: Path, home: Path, text: str, code: int, said: bytes
) -> None:
    (project.parent / "a.rules").write_text("")
    done = wrapped(project, f"{text}; exit $?")
    assert done.returncode == code, done.stderr
    assert said in done.stderr


def test_the_agent_gives_its_own_code(project: Path, home: Path) -> None:
    done = wrapped(project, "exit 41")
    assert (done.returncode, done.stdout) == (41, b"")


def test_standard_input_of_the_agent_is_a_commands_too(project: Path, home: Path) -> None:
    done = wrapped(project, "head -n 1; cat", given=b"one\ntwo\n")
    assert b"one" in done.stdout


def test_an_agent_that_is_not_there(project: Path, home: Path) -> None:
    done = subprocess.run(
        words(project, ["no-such-agent"]), capture_output=True, cwd=ROOT, env=environment()
    )
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"`no-such-agent` is not found on PATH" in done.stderr


def test_rules_that_change_are_in_force_for_the_next_command(project: Path, home: Path) -> None:
    text = "env touch one; until [ -e go ]; do read -t 0.1 <> <(:); done; touch two; exit $?"
    line = words(project, ["bash", "-c", text])
    with Process(line, cwd=project, env=environment(), stderr=subprocess.PIPE) as process:
        until(lambda: (project / "one").exists())
        with (project.parent / "a.rules").open("a") as rules:
            rules.write('prefix_rule(["touch"], "forbidden", justification = "enough")\n')
        (project / "go").touch()
        said = process.communicate(timeout=HANG_SECONDS)[1]
    assert (process.returncode, (project / "two").exists()) == (122, False)
    assert b"forbidden: `touch two`: enough" in said


@pytest.mark.parametrize("before", ["sleep 3;", ""])
def test_a_command_that_fills_tmp_is_ended(project: Path, home: Path, before: str) -> None:
    """Whenever it does so: what it does at once is not what was there before."""
    (project.parent / "a.rules").write_text("sandbox(auto_allow = True, temporary = 1000000)\n")
    done = wrapped(
        project, f"bash -c '{before} head -c 9000000 /dev/zero > /tmp/big; sleep 90'; echo $?"
    )
    assert done.stdout == b"137\n"
    assert b"holds too much" in done.stderr


@pytest.mark.parametrize("then", ["sleep 90", "true"])
def test_what_made_a_group_of_its_own_ends_with_the_time(
    project: Path, home: Path, then: str
) -> None:
    """While the command runs, and where that has left it."""
    (project.parent / "a.rules").write_text("sandbox(auto_allow = True, time = 1)\n")
    ends = "until ! pgrep -x sleep; do read -t 0.1 <> <(:); done"
    done = wrapped(project, f"bash -c 'setsid sleep 100 & {then}'; echo $?; {ends} >/dev/null")
    assert done.stdout == {"sleep 90": b"124\n", "true": b"0\n"}[then]


def test_the_time_is_told_though_what_is_ended_takes_a_moment(project: Path, home: Path) -> None:
    (project.parent / "a.rules").write_text("sandbox(auto_allow = True, time = 1)\n")
    (project / "a.py").write_text("import time\nx = b'x' * 600_000_000\ntime.sleep(100)\n")
    done = wrapped(project, "bash -c 'setsid /usr/bin/python3 a.py & sleep 90'; echo $?")
    assert done.stdout == b"124\n"


def test_what_goes_on_without_its_first_thread_ends_with_the_time(
    project: Path, home: Path
) -> None:
    (project.parent / "a.rules").write_text("sandbox(auto_allow = True, time = 1)\n")
    (project / "a.py").write_text(
        "import ctypes, fcntl, threading, time\n"
        "file = open('/tmp/lock', 'w')\n"
        "fcntl.flock(file, fcntl.LOCK_EX)\n"
        "open('/tmp/ready', 'w')\n"
        "threading.Thread(target=time.sleep, args=[100]).start()\n"
        "ctypes.CDLL(None).syscall(60, 0)  # exit(2)\n"
    )
    begun = "until [ -e /tmp/ready ]; do sleep 0.1; done"
    freed = "for _ in {1..50}; do flock -n /tmp/lock echo freed && break; sleep 0.1; done"
    done = wrapped(project, f"bash -c '/usr/bin/python3 a.py & {begun}'; {freed}")
    assert done.stdout == b"freed\n"


def test_a_key_that_comes_during_a_session_is_hidden_from_the_next_command(
    project: Path, home: Path
) -> None:
    text = """
env true; env true; env touch one
until [ -e go ]; do read -t 0.1 <> <(:); done
python3 -c 'print(open(".env").read())'
"""
    line = words(project, ["bash", "-c", text])
    with Process(
        line, cwd=project, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        until(lambda: (project / "one").exists())
        (project / ".env").write_text("KEY=hidden\n")
        (project / "go").touch()
        shown, said = process.communicate(timeout=HANG_SECONDS)
    assert b"hidden" not in shown, said


PRESETS = [
    ("developer", "touch made", 0),
    ("standard", "git push", 123),
    ("unattended", "git push", 122),
]


@pytest.mark.parametrize(("preset", "text", "code"), PRESETS)
def test_a_preset_decides(project: Path, home: Path, preset: str, text: str, code: int) -> None:
    (project.parent / "a.rules").write_text("")
    done = wrapped(project, f"{text}; exit $?", "--preset", preset)
    assert done.returncode == code, done.stderr


def test_a_preset_holds_with_rules_beside_it(project: Path, home: Path) -> None:
    rule = 'prefix_rule(["touch"], "forbidden", justification = "enough")\n'
    (project.parent / "a.rules").write_text(rule)
    done = wrapped(project, "mkdir made; touch two; exit $?", "--preset", "developer")
    assert (done.returncode, (project / "made").is_dir()) == (122, True), done.stderr


def test_a_preset_that_is_none(project: Path, home: Path) -> None:
    done = wrapped(project, "true", "--preset", "../developer")
    assert done.returncode == 64


def test_a_directory_that_commands_do_not_see(project: Path, home: Path) -> None:
    state = home / "state"
    (state / "below").mkdir(parents=True)
    text = f"cd {state}/below; env true; echo $?; cd {home}; env true; echo $?; cd /; env true"
    done = wrapped(project, f"{text}; echo $?", "--state", str(state))
    assert done.stdout.split() == [b"126", b"0", b"0"], done.stderr
    line = f"execpolicy: commands do not see `{state}/below`, and do not begin there"
    assert done.stderr.decode().splitlines()[-1] == line


def test_a_scope_is_all_that_is_written(project: Path, home: Path, shim: str) -> None:
    """By commands, whatever is known of them, and by the agent itself; the rest is read."""
    (project / "sub").mkdir()
    write = 'python3 -c \'open("{0}", "w").write("x")\''
    text = f"""
{write.format("sub/one")}; echo $?; {write.format("two")}; echo $?; touch three; echo $?
echo x > sub/four; echo $?; (echo x > five); echo $?; cat a.txt
"""
    done = wrapped(project, text, "--scope", "sub")
    shown = done.stdout.split()
    assert (shown[0], shown[3], shown[5]) == (b"0", b"0", b"hello"), done.stderr
    assert b"0" not in (shown[1], shown[2], shown[4])
    assert {one.name for one in project.iterdir()} == {".git", "a.txt", "sub"}
    assert {one.name for one in (project / "sub").iterdir()} == {"one", "four"}


def test_a_scope_lies_in_the_project(project: Path, home: Path) -> None:
    done = wrapped(project, "echo RAN", "--scope", "..")
    assert (done.returncode, done.stdout) == (64, b""), done.stderr


SERVER = """
bash -c 'python3 -m http.server {0} --bind 127.0.0.1 >out 2>&1 & sleep 3; true' 2>told
bash -c 'python3 -m http.server {1} --bind 127.0.0.1 >out 2>&1 & sleep 3; true' 2>told2
until [ -e go ]; do read -t 0.1 <> <(:); done
"""


def test_a_port_is_told_once_and_published_by_the_line_that_is_told(
    project: Path, home: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    rules = project.parent / "a.rules"
    listen = f"auto_allow = True, listen = [{port}]"
    rules.write_text(rules.read_text().replace("auto_allow = True", listen))
    line = words(project, ["bash", "-c", SERVER.format(4179, port)])
    with Process(line, cwd=project, env=environment()) as process:
        until(lambda: (project / "told2").exists() and "GET" in _got(port, project))
        (project / "go").touch()
        assert process.wait(HANG_SECONDS) == 0
    said = (project / "told").read_text() + (project / "told2").read_text()
    assert said.count("port 4179 is open in this session alone") == 1
    assert "`sandbox(listen = [4179])`" in said
    assert f"port {port}" not in said


def _got(port: int, project: Path) -> str:
    """What the server says of a request that comes from this machine."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
            client.sendall(b"GET /a.txt HTTP/1.0\r\n\r\n")
            client.recv(100)
    except OSError:
        return ""
    return (project / "out").read_text()


def test_no_other_process_is_taken_for_what_a_command_left(sandboxes: None) -> None:
    """The kernel gives the number of mounts to others, of another session, too, once they end."""
    alone = ["unshare", "--user", "--mount", "sleep", "600"]
    with Process(alone) as process:
        until(lambda: mounts_of(process.pid) != mounts_of(os.getpid()))
        held, name = held_mounts(process.pid)
        process.kill()
    try:
        for _ in range(20):
            with Process(alone) as process:
                until(lambda: mounts_of(process.pid) != mounts_of(os.getpid()))
                found = mounts_of(process.pid)
                process.kill()
            assert found != name
    finally:
        os.close(held)
