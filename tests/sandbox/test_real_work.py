"""Work that people do in a project gives the same inside as outside: each with a small project."""

import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from execpolicy.support.record import Value
from tests.sandbox.test_run import ROOT, RUN, command, on_a_terminal
from tests.waiting import HANG_SECONDS

PYTHON = "/usr/bin/python3"


class Work(Value):
    """A program that it needs, the files of the project, and a script text."""

    needs: str
    files: dict[str, str]
    text: str
    prepare: Callable[[Path], None] = lambda project: None


def wheel(project: Path) -> None:
    """A package that pip installs without a network."""
    info = "greet-1.dist-info"
    files = {
        "greet.py": "print('hello from greet')\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: greet\nVersion: 1\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
    }
    with zipfile.ZipFile(project / "greet-1-py3-none-any.whl", "w") as made:
        for name, text in files.items():
            made.writestr(name, text)


TEST = """
import unittest
class T(unittest.TestCase):
    def test(self): self.assertEqual(6 * 7, 42)
"""
SOCKETS = """
import http.server, threading, urllib.request, functools
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=".")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 8765), handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(urllib.request.urlopen("http://127.0.0.1:8765/page").read().decode())
"""
PYTEST = "/usr/bin/pytest"
POOL = "import multiprocessing as m\nwith m.Pool(2) as p: print(sum(p.map(abs, range(-9, 9))))\n"
WORK = {
    "unittest": Work(PYTHON, {"test_a.py": TEST}, f"{PYTHON} -m unittest -q 2>&1 | tail -1"),
    "pytest": Work(
        PYTEST,
        {"test_a.py": "def test_a(tmp_path):\n    (tmp_path / 'a').write_text('a')\n"},
        f"{PYTEST} -q -p no:cacheprovider 2>&1 | grep -o '1 passed'",
    ),
    "a pool of processes": Work(PYTHON, {"a.py": POOL}, f"{PYTHON} a.py"),
    "a server and its client": Work(PYTHON, {"a.py": SOCKETS, "page": "hi"}, f"{PYTHON} a.py 2>&-"),
    "pip install in an environment": Work(
        PYTHON,
        {},
        f"{PYTHON} -m venv v && v/bin/pip install -q --no-index ./*.whl && v/bin/python -m greet",
        wheel,
    ),
    "npm test": Work(
        "npm",
        {
            "package.json": '{"name": "a", "version": "1.0.0", "scripts": {"test": "node a.js"}}',
            "a.js": "require('assert')(true); console.log('passed')",
        },
        "npm test --silent",
    ),
    "make": Work("make", {"Makefile": "a: b\n\ttr a-z A-Z <b >a\n", "b": "x\n"}, "make && cat a"),
    "cc": Work("cc", {"a.c": "int main(void) { return 42; }\n"}, "cc -o a a.c && ./a; echo $?"),
    "cargo build": Work(
        "cargo",
        {
            "Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n',
            "src/main.rs": 'fn main() { println!("built"); }\n',
        },
        "cargo build -q --offline && ./target/debug/a",
    ),
    "go test": Work(
        "go",
        {
            "go.mod": "module a\n",
            "a_test.go": 'package a\nimport "testing"\nfunc TestA(t *testing.T) {}\n',
        },
        "GOCACHE=/tmp/go-cache go test ./... | cut -f 1",
    ),
    "git log and diff": Work("git", {"a.txt": "changed\n"}, "git log --oneline | wc -l; git diff"),
    "here documents": Work(
        "bash", {}, "cat <<< text; cat <(echo substituted); mktemp >made; wc -l made"
    ),
}


LONG = ("pip install in an environment", "npm test", "cargo build", "go test")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in WORK],
)
def test_the_result_is_that_of_outside(project: Path, name: str) -> None:
    work = WORK[name]
    if not shutil.which(work.needs):
        pytest.skip(f"NOT TESTED: no {work.needs}")
    for file, text in work.files.items():
        (project / file).parent.mkdir(exist_ok=True)
        (project / file).write_text(text)
    work.prepare(project)
    copy = project.parent / "outside"
    shutil.copytree(project, copy)
    outside = _done(["bash", "-c", work.text], copy)
    if outside.returncode:
        pytest.skip(f"NOT TESTED: {work.needs} does not work here: {outside.stderr[-200:]}")
    inside = _done(command(project, "-c", work.text), ROOT)
    assert (inside.returncode, inside.stdout) == (outside.returncode, outside.stdout), inside.stderr


def _done(words: list[str], cwd: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=HANG_SECONDS)


def test_a_commit_in_a_linked_worktree(project: Path) -> None:
    linked = project.parent / "linked"
    subprocess.run(["git", "-C", str(project), "worktree", "add", "-q", str(linked)], check=True)
    (linked / "a.txt").write_text("changed\n")
    text = "git add a.txt && git -c user.name=a -c user.email=a@b commit -qm two"
    words = [*RUN, "--rules", str(project.parent / "a.rules"), "--cwd", str(linked), "-c", text]
    done = _done(words, ROOT)
    assert done.returncode == 0, done.stderr
    log = ["git", "-C", str(linked), "log", "--format=%s"]
    assert subprocess.run(log, capture_output=True, text=True, check=True).stdout == "two\none\n"


def test_python_talks_on_a_terminal(project: Path) -> None:
    if not os.path.exists(PYTHON):
        pytest.skip("NOT TESTED: no system Python")
    with on_a_terminal(project, "--", PYTHON, "-q") as terminal:
        terminal.until(">>> ")
        terminal.type("import sys; print(sys.stdin.isatty(), 6 * 7)\n")
        terminal.until("True 42")
        terminal.type("exit(5)\n")
        assert terminal.end() == 5
