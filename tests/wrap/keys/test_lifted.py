"""A call that works outside of every sandbox only runs there once, where the user approved that."""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.sandbox.keys.home import Home
from tests.terminal import Terminal
from tests.waiting import HANG_SECONDS, Process, until
from tests.wrap.support import environment, words
from tests.wrap.test_socket import CLIENT

PROGRAM = """#!/bin/sh
touch CALLS 2>/dev/null || { echo cannot connect >&2; exit 1; }
exec 3>>CALLS
printf '%s\\n' "$*" "$(pwd)" >&3
cat >&3; env >&3; ls -l /proc/$$/fd >&3
echo "done $1"; grep NoNewPrivs /proc/self/status; echo failed >&2
"""
WAIT = "until test -e go; do read -t 0.05 <> <(:); done"
PUSH = "docker push x.example/a"
REST = pytest.mark.rest


@pytest.fixture
def calls(home: Home, project: Path) -> Path:
    """What the programs outside were called with. Nothing inside can write that."""
    found = home.path / "calls"
    for name in ("docker", "sudo", "heroku"):
        home.program(name, PROGRAM.replace("CALLS", str(found)))
    rules = project.parent / "a.rules"
    rules.write_text(rules.read_text().replace("sandbox(auto_allow = True)", ""))
    return found


def session(
    home: Home, project: Path, text: str, *more: str, agent: Sequence[str] = (), given: str = ""
) -> str:
    """What a session says of a script, whose first question is answered with yes."""
    asked = project / "asked"
    path = f"{home.programs}:{environment()['PATH']}"
    with Process(words(project, agent or ["bash", "-c", text]), cwd=project,
                 env={**environment(), "PATH": path, "AT_START": "yes"}, stdin=subprocess.PIPE,
                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:  # fmt: skip
        until(lambda: asked.exists() and "execpolicy approve " in asked.read_text())
        code = re.findall("execpolicy approve ([A-Z0-9]+)", asked.read_text())[0]
        line = [sys.executable, "-m", "execpolicy", "approve", code, *more]
        with Terminal(line, project.parent, environment()) as terminal:
            terminal.until("approved: ")
            terminal.until("outside of every sandbox, in this session")
        (project / "go").touch()
        return process.communicate(given.encode(), timeout=HANG_SECONDS)[0].decode()


def asking(text: str, then: str = "") -> str:
    """A script in which this is asked about, and made again after the answer."""
    return f"{text} 2>asked; echo first $?; {WAIT}; {then or text}; echo then $?"


WORKS = [
    (f"bash -c 'cd sub && {PUSH} 2>&1 | tail -99'", "push x.example/a"),
    pytest.param("sudo -n systemctl restart x", "-n systemctl restart x", marks=REST),
]


@pytest.mark.parametrize(("text", "given"), WORKS)
def test_a_call_that_was_approved_runs_outside(
    home: Home, project: Path, calls: Path, text: str, given: str
) -> None:
    (project / "sub").mkdir()
    said = session(home, project, asking(text))
    assert "first 123" in said
    assert "NoNewPrivs:\t0" in said, said
    assert "failed" in said
    assert "then 0" in said
    began = calls.read_text().splitlines()[:2]
    assert began == [given, str(project / "sub" if "cd sub" in text else project)]


@pytest.mark.parametrize("program", ["heroku ps", pytest.param("docker ps", marks=REST)])
def test_what_is_allowed_is_tried_inside_first(
    home: Home, project: Path, calls: Path, program: str
) -> None:
    """It is offered where it failed: one that asks a service, and one whose key nothing tells."""
    said = session(home, project, asking(program))
    assert "first 1\n" in said
    assert "then 0" in said, said
    assert calls.read_text().splitlines()[0] == "ps"


AGENT = "export EVIL=1 DOCKER_HOST=tcp://127.0.0.1:1 LD_PRELOAD=$PWD/x.so BASH_ENV=$PWD/x PWD=/x"


def test_nothing_of_the_agent_comes_to_it(home: Home, project: Path, calls: Path) -> None:
    """Neither its variables, nor its input, nor a descriptor; it runs once, however it was said."""
    again = f"{AGENT}; {PUSH} 7<>asked; {PUSH}; bash -c '{PUSH}'; {PUSH} & wait"
    said = session(home, project, asking(PUSH, again), "--uses", "5", given="FORGED\n")
    assert said.count("done push") == 1, said
    seen = calls.read_text()
    assert "AT_START=yes" in seen
    assert not re.search("EVIL|DOCKER_HOST|LD_PRELOAD|BASH_ENV|FORGED|asked|PWD=/x", seen), seen
    assert len(re.findall(r" -> (?:pipe|/dev/null)", seen)) == 3, seen


@REST
def test_it_ends_with_its_command(home: Home, project: Path, calls: Path) -> None:
    began = project / "began"
    home.program("docker", f"#!/bin/sh\necho $$ > {calls} || exit 1\n> {began}\nexec sleep 300\n")
    waits = "until test -e began; do read -t 0.05 <> <(:); done"
    session(home, project, asking(PUSH, f"{PUSH} & p=$!; {waits}; kill -9 $p; wait"))
    until(lambda: not Path(f"/proc/{calls.read_text().strip()}").exists())


def test_it_is_of_its_session(home: Home, project: Path, calls: Path) -> None:
    session(home, project, asking(PUSH, "true"))
    (project / "go").unlink()
    (project / "asked").unlink()
    said = session(home, project, asking(f"{PUSH}; {PUSH}", "true"))
    assert "first 123" in said
    assert not calls.exists()


# What is done after the approval, and must not run outside by it.
ATTACKS = {
    "another text": "docker push x.example/b",
    "more words": f"{PUSH} --all-tags",
    "another call beside it": f"bash -c '{PUSH}; docker ps'",
    "a loop": f"bash -c 'for i in 1 2; do {PUSH}; done'",
    "a variable of its own": f"bash -c 'A=b {PUSH}'; env A=b {PUSH}",
    "another program of that name": f"PATH=$PWD/bin:$PATH {PUSH}; bin/{PUSH}; PATH=bin {PUSH}",
    "another directory": f"cd sub; {PUSH}",
    "a directory that became a link": f"bash -c 'cd other && {PUSH}'",
    "a directory of its own": f"cd /tmp; {PUSH}",
    "output to a file": f"bash -c '{PUSH} > out'",
    "input from a file": f"bash -c '{PUSH} < a.txt'",
    "a word that is computed": "bash -c 'docker $0 x.example/a' push",
    "a wrapper": f"bash -c 'timeout 9 {PUSH}'; nohup {PUSH}; nice {PUSH}",
    "a process of a command": f"""python3 -c 'import os; os.system("{PUSH}")'""",
    "a process that a command left": f"bash -c '(sleep 0.3; {PUSH}) & sleep 0.6'",
    "an answer by the agent": "execpolicy approve $CODE; PYTHON -m execpolicy approve $CODE",
    "an answer at a terminal": "script -qc 'execpolicy approve '$CODE /dev/null <<< y",
    "an answer to the hook": 'echo \'{"tool_name":"Bash","tool_input":{"command":'
    f'"{PUSH}"}}}}\' | execpolicy hook claude',
    "the ledger": "for f in ~/.local/state/execpolicy/*; do echo > $f; done; ls ~/.local/state",
}


def test_nothing_else_runs_by_an_approval(home: Home, project: Path, calls: Path) -> None:
    for name in ("sub", "bin", "other"):
        (project / name).mkdir()
    (project / "bin/docker").write_bytes((home.programs / "docker").read_bytes())
    (project / "bin/docker").chmod(0o755)
    code = "CODE=$(docker push x.example/z 2>&1); CODE=${CODE##*approve }; CODE=${CODE%%\\`*}"
    rows = "\n".join(
        f"echo '@@{name}'; ( {text.replace('PYTHON', sys.executable)}\n) 2>&1"
        for name, text in ATTACKS.items()
    )
    moves = "mv other moved; ln -s $PWD other"
    said = session(home, project, asking(PUSH, f"{moves}; {code}\n{rows}\necho @@last; {PUSH}"))
    *before, last = said.split("@@")
    assert len(before) == len(ATTACKS) + 1
    assert [one for one in before if "done " in one] == []
    assert "done push" in last, said
    assert calls.read_text().count("NoNewPrivs") == 0
    assert len(re.findall("^push ", calls.read_text(), re.MULTILINE)) == 1


# What is offered to nobody: the project decides what it does, or may change what it names.
NEVER = [
    "sudo ./a.sh",
    "sudo bash a.sh",
    "sudo make install",
    "sudo cp a.txt /usr/local/bin/x",
    "sudo tee sub/x",
    "sudo bin/docker ps",
    "docker compose up -d",
    "docker build .",
    "docker load -i a.txt",
    "docker cp c:/x sub/x",
    "docker run -v ./sub:/x y",
    "docker run -vsub:/x y",
    "docker run --mount=type=bind,src=sub/../sub,dst=/x y",
    "sudo systemctl link ./a.service",
    "bin/docker push x.example/a",
    "docker ps; docker ps",
    "docker push $x",
    "npm login",
    "ssh -A x.example",
    "curl -s http://127.0.0.1:9/",
    "git push",
    "false",
]


def test_what_is_never_offered(home: Home, project: Path, calls: Path) -> None:
    for name in ("sub", "bin"):
        (project / name).mkdir()
    (project / "a.sh").write_text("#!/bin/sh\n")
    (project / "a.sh").chmod(0o755)
    (project / "bin/docker").write_bytes((home.programs / "docker").read_bytes())
    (project / "bin/docker").chmod(0o755)
    rows = "\n".join(f"echo '@@{one}'; bash -c '{one}' 2>&1" for one in NEVER)
    said = session(home, project, asking(PUSH, f"{rows}\necho @@; {PUSH}"))
    *before, last = said.split("@@")
    assert len(before) == len(NEVER) + 1
    assert [one for one in before[1:] if "outside of every sandbox" in one] == []
    assert "done push" in last


RAW = """
OWN = {"path": b"TOOLS/docker", "cwd": b"PROJECT", "env": [b"PATH=TOOLS:/usr/bin:/bin"]}
WORDS = (b"push", b"x.example/a")
read, write = os.pipe()
asked(given=(NULL, NULL, write), argv=WORDS, **OWN)
open("asked", "wb").write(os.read(read, 9999))
while not os.path.exists("go"):
    time.sleep(0.05)
for how in (
    dict(OWN, path=b"PROJECT/bin/docker"),
    dict(OWN, path=b"/usr/bin/env"),
    dict(OWN, path=b"PROJECT/../home/tools/../../project/bin/docker"),
    dict(OWN, cwd=b"/"),
    dict(OWN, cwd=b"PROJECT/link"),
    dict(OWN, cwd=b"PROJECT/../project/sub/."),
    dict(OWN, cwd=b"/proc/self/cwd"),
    dict(OWN, argv=(*WORDS, b"")),
    dict(OWN, argv=(b"push", b"x.example/a\\n")),
    dict(OWN, argv=(b"push x.example/a",)),
    dict(OWN, argv=(b"-c", b"docker push x.example/a #"), path=b"/bin/true"),
):
    asked(**{"argv": WORDS, **how})
print("@@", flush=True)
asked(given=(NULL, 1, 2), argv=WORDS, **OWN)
"""


def test_a_request_of_its_own_making_is_another_call(
    home: Home, project: Path, calls: Path
) -> None:
    (project / "link").symlink_to(project)
    (project / "bin").mkdir()
    (project / "bin/docker").write_bytes((home.programs / "docker").read_bytes())
    (project / "bin/docker").chmod(0o755)
    text = RAW.replace("PROJECT", str(project)).replace("TOOLS", str(home.programs))
    (project / "client.py").write_text(CLIENT + text)
    said = session(home, project, "", agent=["/usr/bin/python3", "client.py"])
    before, _, last = said.partition("@@")
    assert "done" not in before
    assert "done push" in last, said
    assert len(re.findall("^push ", calls.read_text(), re.MULTILINE)) == 1
