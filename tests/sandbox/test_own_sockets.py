"""Unix sockets of a run: its own work, all others refuse, whatever leads to them."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.test_run import run

PYTHON = "/usr/bin/python3"
HEAD = """
import array, ctypes, multiprocessing, os, socket, sys, threading
from multiprocessing.managers import BaseManager
A, S, P = socket.AF_UNIX, socket.SOCK_STREAM, socket.SOCK_SEQPACKET
def ask(path, kind=S):
    with socket.socket(A, kind) as s:
        s.connect(path)
        return s.recv(9)
def serve(path, kind=S):
    server = socket.socket(A, kind)
    server.bind(path)
    server.listen()
    def answer():
        while True:
            server.accept()[0].send(b"own")
    threading.Thread(target=answer, daemon=True).start()
    return path
"""
WORKS = [
    # a program whose last line prints what it did, and what that is
    ("print(ask(serve('own')))", "b'own'"),
    ("print(ask(serve(os.path.abspath('own'))))", "b'own'"),
    ("print(ask(serve('/tmp/own')))", "b'own'"),
    ("print(ask(serve('\\0own')))", "b'own'"),
    ("print(ask(serve('own', P), P))", "b'own'"),
    ("serve('own'); os.link('own', 'again'); print(ask('again'))", "b'own'"),
    ("serve('own'); os.rename('own', 'again'); print(ask('again'))", "b'own'"),
    ("serve('/tmp/own'); os.symlink('/tmp/own', 'link'); print(ask('link'))", "b'own'"),
    ("serve('own'); os.mkdir('d'); os.chdir('d'); print(ask('../own'))", "b'own'"),
    ("serve('own'); print([ask('own') for _ in range(40)].count(b'own'))", "40"),
    ("serve('own'); s = socket.socket(A); s.settimeout(5); s.connect('own'); print(s.recv(9))",
     "b'own'"),
    ("serve('own'); p = os.fork(); p or os._exit(ask('own') != b'own'); print(os.wait()[1])", "0"),
    ("if __name__ == '__main__':\n"
     "  with multiprocessing.get_context('forkserver').Pool(2) as p: print(p.map(abs, [-4, 4]))",
     "[4, 4]"),
    ("if __name__ == '__main__':\n"
     "  with multiprocessing.Manager() as m: print(m.list([1]))", "[1]"),
    ("s = socket.create_server(('127.0.0.1', 0)); "
     "print(socket.create_connection(s.getsockname()).getpeername() == s.getsockname())", "True"),
    ("a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))", "b'x'"),
]  # fmt: skip
ERRORS = [
    # what fails as it does outside
    ("ask('missing')", "FileNotFoundError"),
    ("open('file', 'w'); ask('file')", "ConnectionRefusedError"),
    ("s = socket.socket(A); s.bind('old'); s.close(); ask('old')", "Error"),
    ("ask('x' * 107)", "FileNotFoundError"),
    ("socket.create_connection(('127.0.0.1', 1))", "ConnectionRefusedError"),
    ("serve('own'); s = socket.socket(A); s.connect('own'); s.connect('own')", "OSError"),
    ("serve('own', P); ask('own')", "Protocol wrong type"),
    ("socket.socket(A, S).connect('')", "Error"),
]
FOREIGN = [
    # ways to the socket of another program, which answers `foreign`
    "print(ask('{path}'))",
    "os.link('{path}', 'linked'); print(ask('linked'))",
    "os.symlink('{path}', 'link'); print(ask('link'))",
    "os.rename('{path}', 'moved'); print(ask('moved'))",
    "os.chdir(os.path.dirname('{path}')); print(ask(os.path.basename('{path}')))",
    "print(ask('/proc/self/cwd/' + os.path.relpath('{path}')))",
    "d = os.open('.', os.O_RDONLY); print(ask(f'/proc/self/fd/{{d}}/f'))",
    "d = os.open('{path}', os.O_PATH); print(ask('/proc/self/fd/%d' % d))",
    # a name that was that of an own one
    "serve('own'); os.unlink('own'); os.link('{path}', 'own'); print(ask('own'))",
    "serve('own'); os.rename('own', 'away'); os.symlink('{path}', 'own'); print(ask('own'))",
    "socket.socket(A, socket.SOCK_DGRAM).sendto(b'x', '{path}')",
    "a, b = socket.socketpair(A, socket.SOCK_DGRAM); a.sendto(b'x', '{path}')",
    "a, b = socket.socketpair(); a.connect('{path}'); print(a.recv(9))",
    "a, b = socket.socketpair(A, P); a.sendmsg([b'x'], [], 0, '{path}'); print(b.recv(9))",
    "s = socket.socket(A); s.setblocking(False); s.connect_ex('{path}'); s.setblocking(True)\n"
    "print(s.recv(9))",
    "s = socket.socket(A); s.sendto(b'x', 0x20000000, '{path}'); print(s.recv(9))",
    # the address, the descriptor and what stands at the path change meanwhile
    "serve('own'); libc = ctypes.CDLL(None)\n"
    "mine, other = b'\\1\\0own' + bytes(90), b'\\1\\0{path}' + bytes(90)\n"
    "text = ctypes.create_string_buffer(mine, 110)\n"
    "def swap():\n"
    "  while True:\n"
    "    ctypes.memmove(text, other[:110], 100); ctypes.memmove(text, mine, 90)\n"
    "threading.Thread(target=swap, daemon=True).start()\n"
    "for _ in range(300):\n"
    "  s = socket.socket(A)\n"
    "  if libc.connect(s.fileno(), text, 110) == 0 and (got := s.recv(9)) != b'own': print(got)",
    "serve('own'); os.symlink('own', 'link')\n"
    "def swap():\n"
    "  while True:\n"
    "    for to in ('{path}', 'own'): os.symlink(to, 'new'); os.rename('new', 'link')\n"
    "threading.Thread(target=swap, daemon=True).start()\n"
    "for _ in range(300):\n"
    "  try: got = ask('link')\n"
    "  except OSError: continue\n"
    "  if got != b'own': print(got)",
    "s = socket.create_server(('127.0.0.1', 0)); libc = ctypes.CDLL(None)\n"
    "tcp, unix = socket.socket(), socket.socket(A); keep = os.dup(unix.fileno())\n"
    "address = b'\\1\\0{path}' + bytes(40)\n"
    "def swap():\n"
    "  while True: os.dup2(tcp.fileno(), 90); os.dup2(keep, 90)\n"
    "threading.Thread(target=swap, daemon=True).start()\n"
    "for _ in range(300):\n"
    "  if libc.connect(90, address, 110) == 0: print(unix.recv(9)); break",
]  # fmt: skip


@pytest.fixture
def foreign(project: Path) -> Iterator[str]:
    """The path of a socket in the project at which a program outside answers."""
    text = (
        "import os, socket; s = socket.socket(socket.AF_UNIX); s.bind('f'); s.listen(); "
        "print(flush=True)\nwhile True: s.accept()[0].send(b'foreign')"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", text], cwd=project, stdout=pipe) as server:
        assert server.stdout is not None
        server.stdout.readline()
        yield str(project / "f")
        server.kill()


@pytest.mark.parametrize(("text", "prints"), WORKS)
def test_own_sockets_work(project: Path, text: str, prints: str) -> None:
    (project / "a.py").write_text(HEAD + text)
    done = run(project, "--", PYTHON, "a.py")
    assert (done.returncode, done.stdout) == (0, f"{prints}\n"), done.stderr


@pytest.mark.parametrize(("text", "says"), ERRORS)
def test_errors_are_those_of_the_kernel(project: Path, text: str, says: str) -> None:
    (project / "a.py").write_text(HEAD + text)
    assert says in run(project, "--", PYTHON, "a.py").stderr


@pytest.mark.parametrize("text", FOREIGN)
def test_no_other_is_reached(project: Path, foreign: str, text: str) -> None:
    (project / "a.py").write_text(HEAD + text.format(path=foreign))
    done = run(project, "--", PYTHON, "a.py")
    assert ("foreign" in done.stdout, done.returncode in (0, 1)) == (False, True), done.stderr


def test_one_that_comes_during_the_run_is_none_of_its_own(project: Path) -> None:
    (project / "a.py").write_text(HEAD + "print(flush=True); sys.stdin.read(1); print(ask('late'))")
    words = [sys.executable, "-m", "execpolicy", "run", "--confined"]
    words += ["--rules", str(project.parent / "a.rules"), "--", PYTHON, "a.py"]
    pipe = subprocess.PIPE
    with (
        socket.socket(socket.AF_UNIX) as server,
        subprocess.Popen(words, cwd=project, stdin=pipe, stdout=pipe, stderr=pipe) as inside,
    ):
        assert inside.stdout is not None
        inside.stdout.readline()
        server.bind(str(project / "late"))
        server.listen()
        _, said = inside.communicate(b"\n")
    assert (b"PermissionError" in said, inside.returncode) == (True, 1), said


def test_they_can_be_closed(project: Path) -> None:
    with (project.parent / "a.rules").open("a") as file:
        file.write("sandbox(unix = False)\n")
    (project / "a.py").write_text(HEAD + "serve('own')")
    assert "sandbox(unix = True)" in run(project, "--", PYTHON, "a.py").stderr


def test_a_process_that_is_stopped_while_it_connects_goes_on(project: Path) -> None:
    """As all of a run is while a cover is put back."""
    text = (
        "serve('own'); print(os.getpid(), flush=True)\n"
        "import signal, time\n"
        "if not os.fork():\n"
        "  for _ in range(300): os.kill(os.getppid(), 19); os.kill(os.getppid(), 18)\n"
        "  os._exit(0)\n"
        "for _ in range(300): ask('own')\n"
        "os.wait(); print('done')"
    )
    (project / "a.py").write_text(HEAD + text)
    done = run(project, "--", PYTHON, "a.py")
    assert (done.returncode, done.stdout[-5:]) == (0, "done\n"), done.stderr


def test_an_address_that_is_none_ends_no_run(project: Path) -> None:
    text = (
        "libc = ctypes.CDLL(None); s = socket.socket(A); c = libc.connect\n"
        "for where in (0, 1, -1, 2**63 - 1):\n"
        "  for size in (-1, 0, 1, 2, 110, 2**31 - 1):\n"
        "    assert c(s.fileno(), ctypes.c_void_p(where), size) == -1\n"
        "assert c(99, b'\\1\\0x', 3) == c(-1, b'\\1\\0x', 3) == c(1, b'\\1\\0x', 3) == -1\n"
        "print(ask(serve('own')))"
    )
    (project / "a.py").write_text(HEAD + text)
    done = run(project, "--", PYTHON, "a.py")
    assert (done.returncode, done.stdout) == (0, "b'own'\n"), done.stderr
