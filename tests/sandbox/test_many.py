"""Many pieces of work at once: what works outside works inside, what fails by itself is not called
a wall, and what a wall stops is."""

import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from tests import confined
from tests.sandbox.test_run import ROOT, command
from tests.waiting import HANG_SECONDS

pytestmark = pytest.mark.slow
PYTHON = "/usr/bin/python3"
if not os.path.exists(PYTHON):
    pytest.skip("needs a Python of the system", allow_module_level=True)

PREPARE = """
git config user.name a; git config user.email a@b; git branch -m main
mkdir -p src docs .vscode; echo '{}' > .vscode/settings.json; echo one > src/one.txt
printf 'def double(n):\\n    return 2 * n\\n' > src/lib.py
printf 'all: out\\nout: src/one.txt\\n\\ttr a-z A-Z <$< >$@\\n' > Makefile
printf 'secret\\n' > .env; printf '.env\\n*.pyc\\n__pycache__\\n' > .gitignore
git add .; git commit -qm two; git checkout -qb side; echo side > src/side.txt; git add .
git commit -qm side; git checkout -q main; echo main > src/main.txt; git add .; git commit -qm main
"""
WORK = [
    # a script of a person in that project, whose code and output are those of outside
    "make -s && cat out && make -q; echo $?",
    "make -s -j4 all && git status --short",
    "cd src && ls && cat one.txt",
    "cd src && python3 -c 'import lib; print(lib.double(4))'",
    "cd src && python3 -c 'import lib; print(lib.double(4))' && git add lib.py && git status -s",
    "mkdir -p build/a/b && touch build/a/b/c && find build -type f && rm -r build",
    "sed -i s/one/two/ src/one.txt && git diff --stat && git checkout -q src/one.txt",
    "cp -r src copy && mv copy copied && ls copied && rm -rf copied",
    "ln -s src link && ls link/ && rm link",
    "tar czf a.tgz src && tar tzf a.tgz && rm a.tgz",
    "printf 'a\\nb\\n' | sort -r | tee sorted && wc -l < sorted",
    "cat <(echo one) <(echo two); diff <(echo a) <(echo b); echo $?",
    "read -r first < src/one.txt; echo $first; [[ -f Makefile ]] && echo there",
    "for f in src/*; do echo $f; done; n=0; while [ $n -lt 3 ]; do n=$((n+1)); done; echo $n",
    "trap 'echo bye' EXIT; echo hi; (exit 3); echo $?",
    "sleep 0.1 & wait $!; echo $?; kill -0 $$ && echo alive",
    "timeout 0.2 sleep 5; echo $?; bash -c 'kill -9 $$'; echo $?",
    "ulimit -n > /dev/null; umask; id -u > /dev/null && echo ok; cd / && pwd",
    "mktemp -d > made; d=$(cat made); touch $d/a; ls $d; rm -r $d",
    "echo x > /tmp/x; cat /tmp/x; rm /tmp/x; df . > /dev/null && echo ok",
    "xargs -n1 echo < src/one.txt; seq 3 | xargs -I{} echo '<{}>'",
    "find . -name '*.txt' -not -path './.git/*' | sort; grep -rn one src",
    "awk '{print NR, $0}' src/one.txt; cut -c1-2 src/one.txt; tr a-z A-Z < src/one.txt",
    "git log --format=%s --graph --all; git show --stat HEAD | tail -2",
    "git status --short --branch; git branch -a; git tag v1 && git tag",
    "git switch -q side && ls src && git switch -q main",
    "git merge -q --no-edit side && git log --format=%s -1 && ls src",
    "git rebase -q side && git log --format=%s",
    "git cherry-pick side > /dev/null && ls src",
    "git stash -q; echo x > src/one.txt; git stash -q; git stash pop -q; git status -s",
    "echo x > new; git add new; git commit -qm new; git show --stat --format=%s",
    "git worktree add -q wt side && ls wt/src && git worktree remove wt && git worktree"
    " list | wc -l",
    "git bisect start -q HEAD HEAD~1 > /dev/null; git bisect reset -q; git status -sb",
    "git revert --no-edit HEAD > /dev/null && ls src",
    "git blame -s src/one.txt | cut -c1-3 | wc -l; git grep one; git ls-files",
    "git diff HEAD~1 --stat; git archive HEAD | tar t; git rev-parse --abbrev-ref HEAD",
    "git commit -q --amend -m again && git log -1 --format=%s; git gc -q; git fsck",
    "git init -q other && cd other && git status -sb && cd .. && rm -rf other; ls",
    "ln -s src link; git add link; git commit -qm link; git clone -q . copy; ls copy/link/;"
    " readlink copy/link",
    "git clone -q . copy & sleep 0.02; kill -9 $!; wait $!; rm -rf copy; ls",
    "python3 -c 'import socket; print(socket.if_nameindex()[0][1])'",
    "python3 -c 'import sqlite3; c = sqlite3.connect(\"a.db\"); c.execute(\"create table t(a)\");"
    " print(c.execute(\"select count(*) from t\").fetchone())'",
    "python3 -c 'import tempfile; print(tempfile.TemporaryFile().write(b\"ab\"))'",
    "python3 -c 'import multiprocessing as m; print(m.Pool(2).map(abs, [-1, 2]))'",
    "python3 -c 'import multiprocessing as m; print(m.Manager().dict(a=1))'",
    "python3 -c 'import multiprocessing.shared_memory as s; a = s.SharedMemory(create=True,"
    " size=9); print(len(a.buf) >= 9); a.close(); a.unlink()'",
    "python3 -c 'import concurrent.futures as f; print(*f.ThreadPoolExecutor().map(abs, [-3]))'",
    "python3 -c 'import asyncio; print(asyncio.run(asyncio.sleep(0, 5)))'",
    "python3 -c 'import asyncio as a\nasync def f():\n  s = await a.start_unix_server(lambda r, w:"
    " w.write(b\"hi\") or w.close(), \"s\")\n  r, w = await a.open_unix_connection(\"s\")\n"
    "  print(await r.read())\na.run(f())'; rm -f s",
    "python3 -c 'import socket; s = socket.create_server((\"127.0.0.1\", 0)); c ="
    " socket.create_connection(s.getsockname()); print(s.accept()[0].send(b\"x\"), c.recv(1))'",
    "python3 -c 'import socket; print(socket.gethostbyname(\"localhost\"))'",
    "python3 -c 'import subprocess as s; print(s.run([\"sort\"], input=b\"b\\na\\n\","
    " capture_output=True).stdout)'",
    "python3 -c 'import pty, os; print(os.isatty(pty.openpty()[1]))'",
    "python3 -c 'import signal, os; signal.signal(10, lambda *a: print(\"got\"));"
    " os.kill(os.getpid(), 10)'",
    "python3 -c 'import fcntl; f = open(\"lock\", \"w\"); fcntl.flock(f, 2); print(\"locked\")'",
    "python3 -c 'import mmap; f = open(\"src/one.txt\", \"r+b\");"
    " print(mmap.mmap(f.fileno(), 0)[:3])'",
    "python3 -c 'import os; os.mkfifo(\"p\"); os.fork() or os._exit(open(\"p\","
    " \"w\").write(\"x\"));"
    " print(open(\"p\").read())'; rm -f p",
    "python3 -c 'import resource, time, zoneinfo; print(time.time() > 0)'",
    "python3 -m unittest -q 2>&1 | tail -1; python3 -m compileall -q src; ls"
    " src/__pycache__ | wc -l",
    "python3 -m venv --without-pip v && v/bin/python -c 'print(1)'; rm -rf v",
    "python3 -m zipfile -c a.zip src && python3 -m zipfile -l a.zip | wc -l; rm a.zip",
    "python3 -c 'import inspect, json, ssl, ctypes; print(ctypes.CDLL(None).getpid() > 0)'",
    "node -e 'console.log(require(\"os\").platform())'",
    "node -e 'require(\"child_process\").execSync(\"true\"); console.log(1)'",
    "node -e 'const n = require(\"net\"); const s = n.createServer(c =>"
    " c.end(\"hi\")).listen(\"n\","
    " () => n.connect(\"n\").on(\"data\", d => { console.log(\"\" + d); s.close() }))'",
    "node -e 'const h = require(\"http\"); const s = h.createServer((q, r) => r.end(\"hi\"))."
    "listen(0, () => h.get({port: s.address().port}, r => r.on(\"data\", d => {"
    " console.log(\"\" + d); s.close() })))'",
    "printf 'int main(void){return 0;}' > a.c && cc a.c -o a && ./a; echo $?; rm -f a a.c",
    "openssl rand -hex 4 | wc -c; base64 <<< abc; sha256sum src/one.txt | cut -c1-8",
]  # fmt: skip
RELOADS = r"""
cat > app.py <<'E'
import http.server, os, subprocess, sys, threading, time
VERSION = 1
def watch():
    before = os.stat(__file__).st_mtime_ns
    while os.stat(__file__).st_mtime_ns == before:
        time.sleep(0.05)
    os._exit(3)
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"version %d" % VERSION)
    def log_message(self, *_):
        pass
if sys.argv[1:]:
    threading.Thread(target=watch, daemon=True).start()
    http.server.ThreadingHTTPServer(("127.0.0.1", 8765), Page).serve_forever()
while subprocess.call([sys.executable, __file__, "child"]) == 3:
    pass
E
cat > get.py <<'E'
import sys, time, urllib.request
for _ in range(1000):
    try:
        if urllib.request.urlopen("http://127.0.0.1:8765").read().decode() == sys.argv[1]:
            print(sys.argv[1])
            break
    except OSError:
        pass
    time.sleep(0.05)
E
python3 app.py & python3 get.py "version 1"; sed -i "s/VERSION = 1/VERSION = 2/" app.py
python3 get.py "version 2"; kill $!; rm app.py get.py
"""
"""A server that begins again when its file is saved, as those of frameworks do, and a client."""
RULES = """
sandbox(auto_allow = True)
prefix_rule(["git"], "allow")
path_rule(["./*"], modes = ["write", "remove"], decision = "allow")
"""
SHOWN = (
    "git status --short; git log --format=%s --all | sort; git stash list;"
    " ls -AR . --ignore=.git | sort"
)


@pytest.fixture
def pair(project: Path) -> tuple[Path, Path]:
    """The project, and a copy of it."""
    subprocess.run(["bash", "-ec", PREPARE], cwd=project, check=True)
    (project.parent / "a.rules").write_text(RULES)
    shutil.copytree(project, project.parent / "outside", symlinks=True)
    return project, project.parent / "outside"


def _done(words: list[str], cwd: Path) -> "subprocess.CompletedProcess[str]":
    given = {**os.environ, "PATH": "/usr/bin:/bin"}
    return subprocess.run(words, cwd=cwd, env=given, capture_output=True, text=True,
                          timeout=HANG_SECONDS)  # fmt: skip


@pytest.mark.parametrize("text", [*WORK, pytest.param(RELOADS, id="reloads")])
def test_work_is_as_where_no_policy_decides(pair: tuple[Path, Path], text: str) -> None:
    is_as_outside(pair, text)


def is_as_outside(pair: tuple[Path, Path], text: str) -> None:
    """The code, the output and the files of a text are those of one where no policy decides."""
    inside, outside = pair
    *walls, end = confined.words(outside) or pytest.skip("NOT TESTED: no sandbox here")
    theirs = _done([*walls, "--tmpfs", "/tmp", end, "bash", "-c", text], outside)
    ours = _done(command(inside, "-c", text), ROOT)
    assert (ours.returncode, ours.stdout) == (theirs.returncode, theirs.stdout), ours.stderr
    told = [line for line in ours.stderr.splitlines() if "execpolicy:" in line]
    assert [line for line in told if "execpolicy undo" not in line] == []
    assert (
        _done(["bash", "-c", SHOWN], inside).stdout == _done(["bash", "-c", SHOWN], outside).stdout
    )


FAILING = """
exit 1
exit 2
exit 3
exit 42
exit 126
exit 127
exit 255
false
missing-program
./missing
cat missing
ls missing
cd missing && ls
cat src
rm missing
rmdir src
mkdir src
mv missing b
cp missing b
cp src b
grep zzz src/one.txt
diff src/one.txt Makefile
cmp src/one.txt Makefile
test -f z
[ 1 -eq 2 ]
[[ a == b ]]
expr 0
let 0
(( 0 ))
kill -9 $$
kill -15 $$
make missing
make -f missing
tar xf missing
tar xf Makefile
gzip -d Makefile
python3 -c 'assert 0'
python3 -c '1/0'
python3 -c 'import missing'
python3 missing
python3 -c 'raise SystemExit(7)'
python3 -c 'open("missing")'
python3 -c '('
python3 -c 'open("src")'
python3 -c 'import os; os.abort()'
python3 -m missing
python3 -c 'raise PermissionError(13, "Permission denied")'
python3 -c '{}[1]'
python3 -c 'raise OSError(30, "Read-only file system", "src")'
python3 -c 'int("a")'
python3 -c 'raise ConnectionRefusedError(111, "Connection refused")'
python3 -c 'import socket; socket.create_connection(("127.0.0.1", 1))'
python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("missing")'
python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("Makefile")'
python3 -c 'import os; os.kill(99999, 0)'
python3 -c 'import os; os.rmdir("src")'
python3 -c 'import os; os.mkdir("src")'
python3 -c 'import os; os.readlink("src")'
python3 -c 'import subprocess as s; s.run("false", check=True)'
python3 -c 'exit("no")'
echo 'Permission denied' >&2; exit 1
echo 'Read-only file system' >&2; exit 1
echo 'EACCES: src/one.txt' >&2; exit 1
echo 'sandbox: denied' >&2; exit 1
echo 'Operation not permitted' >&2; exit 1
echo '/etc/missing: not found' >&2; exit 1
echo "cannot open 'src/one.txt': Permission denied" >&2; exit 1
cat /etc/missing
cat ~/.missing
ls ~/.missing/x
cat /tmp/missing
ls /var/tmp/missing
cat /run/missing
git missing
git checkout missing
git show missing
git log missing
git diff --quiet HEAD~1
git commit -m nothing
git rev-parse missing
git merge missing
git stash pop
git branch main
git tag -d missing
git apply Makefile
git cherry-pick missing
node -e 'process.exit(4)'
node -e 'throw 1'
node missing.js
node -e '('
cc missing.c
echo 'int main(' | cc -xc -
ld missing
sed -n '(' Makefile
sed Y Makefile
awk '{' Makefile
sort missing
head missing
find missing
xargs false < Makefile
timeout 0.1 sleep 3
bash -c 'exit 9'
sh -c false
env -i missing
chmod 600 missing
touch missing/a
ln -s a missing/b
sleep x
date -d nonsense
seq
base64 -d <<< %
""".strip().split("\n")
"""Scripts that fail by themselves, one a line."""


def test_a_hundred_programs_fail_by_themselves() -> None:
    assert len(set(FAILING)) >= 100


@pytest.mark.parametrize("text", FAILING)
def test_no_wall_is_named_where_none_was_hit(pair: tuple[Path, Path], text: str) -> None:
    done = _done(command(pair[0], "-c", text), ROOT)
    assert (done.returncode != 0, "execpolicy:" in done.stderr) == (True, False), done.stderr


WALLS = [
    # what hits one wall, and what the line about it names
    *((f"cat {path}", path)
      for path in ("~/.ssh/id_rsa", "~/.aws/credentials", "~/.netrc", ".env")),
    *((f"python3 -c 'import os; open(os.path.expanduser(\"{path}\"))'", path)
      for path in ("~/.ssh/id_rsa", "~/.config/gh/hosts.yml", ".env", "~/.bash_history")),
    *((f"head -1 {path}", path)
      for path in ("~/.claude/projects/a.jsonl", "~/.docker/config.json")),
    *((f"echo x > {path}", path)
      for path in (".vscode/settings.json", "../beside", "~/new", "/etc/new")),
    *((f"touch {path}", path)
      for path in ("../beside", "~/new", "/usr/new", "/etc/new", "/opt/new")),
    *((f"mkdir {path}", path) for path in ("../beside", "~/.config/new", "/srv/new", "/var/new")),
    *((f"python3 -c 'open(\"{path}\", \"w\")'", path)
      for path in (".vscode/settings.json", "../beside", "/usr/lib/new", ".git/config")),
    *((f"cp Makefile {path}", path)
      for path in (".vscode/settings.json", "../beside", "/usr/bin/new")),
    *((f"node -e 'require(\"fs\").writeFileSync(\"{path}\", \"\")'", path)
      for path in ("../beside", ".vscode/settings.json", "/etc/new")),
    *((f"node -e 'require(\"fs\").readFileSync(\"{path}\")'", path) for path in (".env",)),
    ("rm .vscode/settings.json", ".vscode/settings.json"),
    ("git -c protocol.file.allow=always submodule add -q ./ sub", ".git"),
    ("mv Makefile .vscode/settings.json", ".vscode/settings.json"),
    ("sed -i s/a/b/ .vscode/settings.json", ".vscode"),
    ("curl -sS http://example.org", "network_rule("),
    ("python3 -c 'import urllib.request as u; u.urlopen(\"http://example.org\")'", "network_rule("),
    ("node -e 'fetch(\"http://example.org\").catch(e => { throw e.cause })'",
     "network_rule("),
    ("python3 -c 'import socket as s; s.socket(s.AF_UNIX).connect(\"../agent\")'", "../agent"),
    ("python3 -c 'import socket as s; s.socket(s.AF_UNIX, s.SOCK_DGRAM)'", "of datagrams"),
    ("python3 -c 'import socket as s; s.socket(17, s.SOCK_RAW)'", "no internet family"),
]  # fmt: skip


def test_forty_walls_are_hit() -> None:
    assert len(set(WALLS)) >= 40


@pytest.mark.parametrize(("text", "names"), WALLS)
def test_each_wall_is_named(
    pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, text: str, names: str
) -> None:
    project, home = pair[0], pair[0].parent / "home"
    monkeypatch.setenv("HOME", str(home))
    for name in (".ssh/id_rsa", ".aws/credentials", ".netrc", ".config/gh/hosts.yml", ".npmrc",
                 ".bash_history", ".claude/projects/a.jsonl", ".docker/config.json"):  # fmt: skip
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("secret")
    with socket.socket(socket.AF_UNIX) as agent:
        agent.bind(str(project.parent / "agent"))
        done = _done(command(project, "-c", text), ROOT)
    lines = [line for line in done.stderr.split("\n") if line.startswith("execpolicy:")]
    path = os.path.normpath(os.path.join(project, os.path.expanduser(names)))
    assert (done.returncode != 0, "secret" in done.stdout, len(lines)) == (True, False, 1), done
    assert names in lines[0] or path in lines[0], lines
