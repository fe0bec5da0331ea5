"""Two hundred tries of each class of attack, drawn from a seed: mounts that arrive, walls that fall
under load, locks that hold others up, and names of a home that no list has."""

import os
import random
import string
import subprocess
from pathlib import Path

import pytest

from execpolicy.support import directories
from tests.sandbox.test_blind import NONE_LEFT
from tests.sandbox.test_late_mounts import SHARED
from tests.sandbox.test_mending import HIDDEN, READ, again, begun, covered, does, ended, saved
from tests.sandbox.test_run import MODULE, ROOT, command, run
from tests.waiting import HANG_SECONDS, Process

pytestmark = pytest.mark.slow
PYTHON = "/usr/bin/python3"
if not os.path.exists(PYTHON):
    pytest.skip("needs a Python of the system", allow_module_level=True)
TRIES = 200
SEED = int(os.environ.get("EXECPOLICY_TEST_SEED", "33"))

PARENTS = ["", ".config/", ".local/share/", ".local/state/", ".cache/", "Documents/", ".var/app/"]
ENDINGS = ["", "/token", "/a/b.db", ".json", "rc", "_history", "/Default/Cookies", ".kdbx", "/.env"]
READER = """
import os, sys
home, seen = sys.argv[1], 0
for number, name in enumerate(open("names").read().split()):
    path = f"{home}/{name}"
    above = os.path.relpath(path)
    link = f"link-{number}"
    os.symlink(path, link)
    ways = [path, above, link, "//" + path, f"/proc/self/root{path}", f"/proc/1/root{path}",
            f"/proc/self/cwd/{above}", path.replace("/", "/./"), path + "/.", path.upper()]
    for way in ways:
        for act in (open, os.listdir, os.readlink, lambda p: os.link(p, link + "h"),
                    lambda p: os.rename(p, link + "r"), lambda p: open(p, "a"), os.stat):
            if way is link and act not in (open, os.listdir, os.stat):
                continue  # of the link itself
            try:
                act(way)
            except OSError:
                continue
            print("reached", way)
    try:
        fd = os.open(home, os.O_PATH)
        print("reached", os.open(name, os.O_RDONLY, dir_fd=fd))
    except OSError:
        os.close(fd)
print("tried", number + 1)
"""


def _drawn(chance: random.Random) -> str:
    word = "".join(chance.choices(string.ascii_letters + string.digits, k=chance.randint(6, 12)))
    parent = chance.choice(PARENTS)
    return f"{parent}{chance.choice(['', '.']) if parent else '.'}{word}{chance.choice(ENDINGS)}"


def test_names_of_a_home(base: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance, home = random.Random(SEED), base / "home"  # noqa: S311
    names = [_drawn(chance) for _ in range(TRIES)]
    for name in names:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("secret")
    monkeypatch.setenv("HOME", str(home))
    (project / "names").write_text("\n".join(names))
    (project / "a.py").write_text(READER)
    done = run(project, "--", PYTHON, "a.py", str(home))
    assert done.stdout == f"tried {TRIES}\n", done


HOLDER = """
import fcntl, os, random, signal, sys
signal.signal(signal.SIGIO, signal.SIG_IGN)  # of what it has asked to be told
chance, held, leased, files = random.Random(int(sys.argv[1])), [], 0, []
for top in sys.argv[3:]:
    for directory, below, names in os.walk(top):
        files += [f"{directory}/{name}" for name in (*names, *below, ".")]
    files += [top, f"{top}/audit.jsonl", f"{top}/x.lock"]
for path in chance.choices(files, k=int(sys.argv[2])):
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        continue
    held.append(fd)
    for lock, how in ((fcntl.flock, fcntl.LOCK_EX), (fcntl.flock, fcntl.LOCK_SH),
                      (fcntl.lockf, fcntl.LOCK_SH)):
        try:
            lock(fd, how | fcntl.LOCK_NB)
        except OSError:
            pass
    for number in (1024, 1024 | 1 << 30, 1026):
        for how in (0, 1):
            try:
                fcntl.fcntl(fd, number, how)
                leased += number == 1024
            except OSError:
                pass
print("leased", leased, flush=True)
for name in ("Makefile", "package.json", "conftest.py", "go.mod"):
    os.mkfifo(name)
print("held", len(held), flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize("seed", range(3))
def test_locks(project: Path, seed: int) -> None:
    """While a command holds all that it can, others decide, run, and read the repository."""
    kept = [directories.state(), os.path.dirname(directories.cache())]
    tops = [str(project), str(project.parent), *kept, str(ROOT / "execpolicy"), str(ROOT / "rules")]
    (project / "a.py").write_text(HOLDER)
    words = [PYTHON, "a.py", str(SEED + seed), str(TRIES), *tops]
    with Process(command(project, "--", *words), cwd=ROOT, stdin=subprocess.PIPE,
                 stdout=subprocess.PIPE, stderr=subprocess.PIPE) as holder:  # fmt: skip
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"leased 0\n"
        assert int(holder.stdout.readline().split()[1]) > 0
        rules = ["--rules", str(project.parent / "a.rules"), "--cwd", str(project)]
        for others in (
            [*MODULE, "check", *rules, "-c", f"make; npm test; git log -{seed + 3}; cat a.txt"],
            ["git", "-C", str(project), "status", "--short"],
            command(project, "--", "cat", "a.txt"),
        ):
            done = subprocess.run(others, cwd=ROOT, capture_output=True, timeout=HANG_SECONDS)
            assert done.returncode in (0, 3), done
        holder.communicate(b"\n", timeout=HANG_SECONDS)
    assert holder.returncode == 0


MOUNTER = """
import random, subprocess, sys, os
chance, tries, project, secret = random.Random(int(sys.argv[1])), int(sys.argv[2]), *sys.argv[3:5]
words = sys.argv[5:]
subprocess.run(["mount", "--make-rshared", "/"], check=True)
os.mkdir(secret)
open(f"{secret}/file", "w").write("secret")
run = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
assert run.stdout.readline() == "begun\\n"
above = os.path.dirname(project)
for number in range(tries):
    top = chance.choice([project, f"{project}/sub", above, f"{above}/extra"])
    at = f"{top}/m{number}"
    kind = chance.choice(["tmpfs", "bind", "rbind", "file", "proc", "move"])
    os.makedirs(top, exist_ok=True)
    if kind == "file":
        at += "f"
        open(at, "a").close()
        made = ["mount", "--bind", f"{secret}/file", at]
    else:
        os.makedirs(at, exist_ok=True)
        source = ["-t", kind, "none"] if kind == "proc" else ["-t", "tmpfs", "none"]
        is_new = kind in ("proc", "tmpfs", "move")
        made = ["mount", *(source if is_new else [f"--{kind}", secret]), at]
    if subprocess.run(made).returncode:  # an ordinary user mounts no other /proc
        subprocess.run(["mount", "-t", "tmpfs", "none", at], check=True)
    if kind == "move":
        os.makedirs(at + "v", exist_ok=True)
        subprocess.run(["mount", "--make-private", top], stderr=subprocess.DEVNULL)
        subprocess.run(["mount", "--move", at, at + "v"], stderr=subprocess.DEVNULL)
    print(at, file=run.stdin, flush=True)
    print(run.stdout.readline(), end="", flush=True)
    if chance.random() < 0.5:
        subprocess.run(["umount", "-l", at], stderr=subprocess.DEVNULL)
run.stdin.close()
sys.exit(run.wait())
"""
LOOKER = """
import os
print("begun", flush=True)
before = len(open("/proc/self/mountinfo").readlines())
while line := input():
    new = len(open("/proc/self/mountinfo").readlines()) - before
    found = [n for p in (line, line + "/file", line + "/self", line + "v") if os.path.exists(p)
             for n in (os.listdir(p) if os.path.isdir(p) else open(p).read(9).split())]
    print(new, "secret" in found or "file" in found or "self" in found, flush=True)
"""


@pytest.mark.parametrize("flags", [[], ["--session", str(os.getpid())]])
def test_mounts(project: Path, flags: list[str]) -> None:
    (project / "look.py").write_text(LOOKER)
    (project.parent / "mounter.py").write_text(MOUNTER)
    words = command(project, *flags, "--", PYTHON, "look.py")
    given = [str(SEED), str(TRIES), str(project), str(project.parent / "secret")]
    script = [PYTHON, str(project.parent / "mounter.py"), *given, *words]
    done = subprocess.run([*SHARED, *script], cwd=ROOT, capture_output=True, text=True,
                          timeout=HANG_SECONDS)  # fmt: skip
    assert done.stdout.split("\n")[:-1] == ["0 False"] * TRIES, done.stderr


BUSY = [
    # what a command does that the watch may lose sight
    "",
    "(while :; do :; done) & ",
    "(while :; do for i in 1 2 3 4 5 6 7 8 9; do : > t$i; rm t$i; done; done) & ",
    "(while :; do mkdir -p d; mv d e; rmdir e; done) & ",
    "(while :; do chmod 711 .; chmod 755 .; done) & ",
    "(while :; do ln -sf .envrc l; mv l k; rm k; done) & ",
]
HELD = [("P/.envrc", READ), ("P/.env", HIDDEN), ("P/sub/.envrc", READ), ("H/.netrc", HIDDEN)]


@pytest.mark.parametrize("round_", range(10))
def test_walls_that_fall(project: Path, home: Path, round_: int) -> None:
    chance = random.Random(SEED + round_)  # noqa: S311
    (project / "sub").mkdir()
    held = [(Path(p.replace("P/", f"{project}/").replace("H/", f"{home}/")), w) for p, w in HELD]
    for file, _ in held:
        file.write_text("old")
    limit = chance.choice(["", "", "instances", "watches"])
    few = tuple(w.replace("{}", "0", 1).replace("{}", limit) for w in NONE_LEFT) if limit else ()
    busy = chance.choice(BUSY)
    with begun(project, busy, few) as process:
        for _ in range(TRIES // 10):
            file, wanted = chance.choice(held)
            chance.choice([again, saved])(file)
            covered(process, file, wanted)
        assert does(process, "echo on").startswith("on\n")
        code, told = ended(process)
    assert code == 0, (busy, limit, told)
    assert all(file.read_text() in ("old", "secret") for file, _ in held)
