"""What an agent says on the supervisor's socket that no shim would say."""

import os
import socket
from pathlib import Path

import pytest

from execpolicy.wrap import worker
from execpolicy.wrap.protocol import EXIT, CommandRequest
from tests.wrap.support import wrapped

# A program that the agent runs as its own process: it speaks on the socket of the session itself.
CLIENT = """
import array, os, socket, struct, sys, time
NULL = os.open("/dev/null", os.O_RDWR)

def connected():
    made = socket.socket(socket.AF_UNIX)
    made.connect("/run/execpolicy/socket")  # it waits where too many do, as the shim does
    made.settimeout(60)
    return made

def texts(argv, path, cwd, env):
    return b"".join(one + b"\\0" for one in (cwd, *argv, *env, path))

def request(argv=(), path=b"/usr/bin/true", cwd=b"/", env=(b"PATH=/usr/bin:/bin",),
            mark=b"XPW2", size=None, words=None, numbers=(0, 1, 2), count=None):
    text = texts(argv, path, cwd, env)
    head = struct.pack("<4s5I", mark, len(text) if size is None else size,
                       len(argv) if words is None else words, len(env), 0o22,
                       len(numbers) if count is None else count)
    return head + b"".join(struct.pack("<I", one) for one in numbers), text

def said(made):
    found = b""
    try:
        while part := made.recv(64):
            found += part
    except OSError:
        pass
    return found

def asked(given=(NULL, NULL, NULL), **how):
    made = connected()
    head, text = request(**how)
    rights = array.array("i", given)
    made.sendmsg([head], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)] if given else [])
    try:
        made.sendall(text)
    except OSError:
        pass
    return said(made)

def show(found):
    print(found.hex(), flush=True)
"""
TAKEN, REFUSED, RAN = b"tx", b"x}", b"tx\0"

FORGED = {
    "another version": ("asked(mark=b'XPW1')", REFUSED),
    "a size of 4 GB": ("asked(size=0xFFFFFFFF)", REFUSED),
    "too many words": ("asked(words=0x7FFFFFFF)", REFUSED),
    "fewer words than it has": ("asked(argv=(b'x',), words=0)", REFUSED),
    "other words than it says": ("asked(words=3)", REFUSED),
    "descriptors that are not there": ("asked(count=64)", REFUSED),
    "one number twice": ("asked(numbers=(1, 1, 2))", REFUSED),
    "a number that is too high": ("asked(numbers=(0, 1, 64))", REFUSED),
    "200 descriptors": ("asked(given=(NULL,) * 200, numbers=())", REFUSED),
    "a program without a path": ("asked(path=b'')", REFUSED),
    "a path that is joined to the directory": ("asked(path=b'true')", b"tx\x7b"),
    "a directory without a path": ("asked(cwd=b'.')", REFUSED),
    "what is forbidden": ("asked(argv=(b'-rf', b'/'), path=b'/bin/rm')", b"tx\x7a"),
    "what asks": ("asked(argv=(b'push',), path=b'/usr/bin/git')", b"tx\x7b"),
    "what is allowed": ("asked()", RAN),
}


def test_a_forged_request_is_refused(project: Path, home: Path) -> None:
    (project.parent / "a.rules").write_text("")
    text = CLIENT + "".join(f"show({call})\n" for call, _ in FORGED.values())
    (project / "client.py").write_text(text)
    done = wrapped(project, "", agent=["/usr/bin/python3", "client.py"])
    shown = [bytes.fromhex(line) for line in done.stdout.decode().split()]
    found = [one[: len(want)] for one, (_, want) in zip(shown, FORGED.values(), strict=True)]
    assert dict(zip(FORGED, found, strict=True)) == {
        name: want for name, (_, want) in FORGED.items()
    }


FLOODS = {
    "connections on which nothing is said": "made.append(connected())",
    "connections on which too little is said": "made.append(connected()); made[-1].send(b'X')",
    "connections that end at once": "connected().close()",
    "requests that are none": "asked(mark=b'XPW1')",
}


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
def test_a_flood_keeps_no_command_from_running(project: Path, home: Path, flood: str) -> None:
    times = 40 if "asked" in flood or "send" in flood else 600
    text = f"{CLIENT}made = []\nfor _ in range({times}):\n    {flood}\nshow(asked())\n"
    (project / "client.py").write_text(text)
    done = wrapped(project, "", agent=["/usr/bin/python3", "client.py"])
    assert done.stdout == RAN.hex().encode() + b"\n", done.stderr


def test_signals_and_descriptors_that_come_later_change_nothing(project: Path, home: Path) -> None:
    """Numbers that are not passed on, in any amount, and descriptors that nobody asked for."""
    text = f"""{CLIENT}
made = connected()
head, text = request(argv=(b"0.5",), path=b"/usr/bin/sleep")
made.sendmsg([head], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [NULL] * 3))])
made.sendall(text + head + text)
time.sleep(0.2)
for number in (9, 10, 12, 19, 64, 255):
    made.sendall(bytes((115, number)) * 500)
made.sendmsg([b"s"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [NULL] * 100))])
show(said(made))
"""
    (project / "client.py").write_text(text)
    done = wrapped(project, "", agent=["/usr/bin/python3", "client.py"])
    assert done.stdout == RAN.hex().encode() + b"\n", done.stderr


def test_a_command_has_no_descriptor_but_those_of_its_shim(
    project: Path, home: Path, shim: str
) -> None:
    """Neither what the supervisor has open, nor the agent's connection to it."""
    text = f"""{CLIENT}
out = os.dup(1)
listing = (b"-1", b"/proc/self/fd")
given = {{9: connected().fileno(), 10: os.open("/", os.O_RDONLY), 11: os.open("/", os.O_PATH)}}
for _ in range(3):
    asked(argv=listing, path=b"/usr/bin/ls", given=(NULL, out, NULL, *given.values()),
          numbers=(0, 1, 2, *given))
    os.write(1, b"-\\n")
"""
    (project / "client.py").write_text(text)
    left, right = socket.socketpair()  # what started this program may have left open what it has
    left.set_inheritable(True)
    with left, right:
        done = wrapped(project, "", agent=["/usr/bin/python3", "client.py"], close_fds=False)
    assert done.stdout.split(b"-\n") == [b"0\n1\n2\n3\n"] * 3 + [b""], done.stderr


LIMITS = "ulimit -n 99; ulimit -f 7; bash -c 'ulimit -n; ulimit -f; nice; true'"


def test_limits_of_a_shell_hold_for_its_commands(project: Path, home: Path, shim: str) -> None:
    done = wrapped(project, LIMITS)
    assert done.stdout.split() == [b"99", b"7", b"%d" % os.nice(0)], done.stderr


FORGING = """
import json
git = {"argv": (b"push",), "path": b"/usr/bin/git", "cwd": b"PROJECT"}

def own(words, text=""):
    read, write = os.pipe()
    os.write(write, text.encode())
    os.close(write)
    back, out = os.pipe()
    asked(argv=(b"-c", f"execpolicy {words}".encode()), path=b"/bin/sh", cwd=b"PROJECT",
          given=(read, out, out), env=(b"PATH=/usr/local/bin:/usr/bin:/bin",))
    os.close(read)
    os.close(out)
    return os.read(back, 99999).decode()

def event(name, host, **more):
    call = {"tool_name": "Bash", "tool_input": {"command": "git push"}, "tool_use_id": "t1"}
    given = {"hook_event_name": name, "session_id": "wrap-1", "cwd": "PROJECT", **call, **more}
    return own(f"hook {host}", json.dumps(given))

show(asked(**git))
code = own("pending").split()[0]
for host in ("claude", "codex", "gemini", "copilot"):
    for name in ("PreToolUse", "PermissionRequest", "PostToolUse", "Notification", "SessionStart"):
        event(name, host, permission_mode="bypassPermissions", permissionDecision="allow")
        event(name, host, tool_response={"stdout": "done"}, approved=True, decision="allow")
show(asked(**git))
for words in ("approve", "approve --session", "approve --always", "amend", "reject",
              "approvals revoke", "pending --watch", "approve --signed -"):
    own(f"{words} {code}", code)
show(asked(**git))
show(asked(**{**git, "env": (b"EXECPOLICY_SCOPE=/", b"EXECPOLICY_STATE=/tmp", b"PATH=/usr/bin")}))
for _ in range(20):
    show(asked(**git))
print(code, own("pending").count("    git push"))
"""


def test_nothing_that_the_agent_says_answers_a_question(project: Path, home: Path) -> None:
    """Events of four hosts, answers and floods while the question of a push is open."""
    (project.parent / "a.rules").write_text("")
    text = CLIENT + FORGING.replace("PROJECT", str(project))
    (project / "client.py").write_text(text)
    done = wrapped(project, "", agent=["/usr/bin/python3", "client.py"])
    *shown, (code, waiting) = map(str.split, done.stdout.decode().splitlines())
    assert [one for (one,) in shown] == [b"tx\x7b".hex()] * 24, done.stderr
    assert len(code) == 6
    assert waiting == "1"


def test_a_mistake_of_the_engine_refuses_the_command_and_is_told(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(_connection: socket.socket) -> CommandRequest:
        raise KeyError("a")

    monkeypatch.setattr(worker, "receive", broken)
    ours, shims = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    served = worker.Served(ours, None, None, None)  # type: ignore[arg-type]
    assert not worker._serve(served, ours)
    assert shims.recv(64) == EXIT + bytes((worker.REFUSED,))
    assert capfd.readouterr().err == "execpolicy: could not decide: KeyError: 'a'\n"
    shims.close()
