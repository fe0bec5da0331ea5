"""Projects that are hard to bring back, calls that destroy something in them, and what is equal."""

import hashlib
import json
import os
import re
import stat
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tests import confined
from tests.waiting import HANG_SECONDS

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_EDITOR": "true",
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "protocol.file.allow",
    "GIT_CONFIG_VALUE_0": "always",
    "FILTER_BRANCH_SQUELCH_WARNING": "1",
    "HOME": "/nowhere",
    "npm_config_logs_max": "0",
    "npm_config_update_notifier": "false",
}
_OBJECT = re.compile(rb"(^|/)objects/([0-9a-f]{2}(/[0-9a-f]+)?|pack/pack-.*)$")

MAKEFILE = b"""\
SRC = src
all: generate clean
clean:
\trm -rf src *.txt
generate:
\techo made > docs/made; for f in $$(find . -name '*.py'); do echo '# made' > $$f; done
wipe:
\tfind $(SRC) -type f -exec truncate -s 0 {} +
"""
FORMATTER = b"""\
import pathlib, sys
for top in sys.argv[1:]:
    for path in pathlib.Path(top).rglob("*"):
        if ".git" not in path.parts and path.is_file():
            path.write_bytes(path.read_bytes().replace(b"\\r\\n", b"\\n") + b"\\n")
"""
SCRIPTS = {
    "clean": "rm -rf src build",
    "format": "node -e \"for (f of fs.readdirSync('src')) fs.appendFileSync('src/' + f, '//')\"",
    "prebuild": "rm -rf docs",
    "build": "mkdir -p dist && cp notes.txt dist && rm notes.txt",
    "pre": "rm -f .hidden && mv notes.txt docs/",
    "reset": "git reset -q --hard && git clean -qfdx",
}


def destroy(text: str, project: Path) -> None:
    """Run a text of `destroying`, which writes in the project and nowhere else."""
    sh(text, project, walls=confined.words(project))


def sh(text: str, cwd: Path, *, check: bool = False, walls: Iterable[str] = ()) -> None:
    """Run a text by bash, with nothing of the user's own."""
    subprocess.run(
        [*walls, "bash", "-c", text],
        cwd=cwd,
        env=ENVIRONMENT,
        check=check,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=HANG_SECONDS,
    )


def made(root: Path) -> Path:
    """A project: line ends that git changes, a dirty repository inside, an empty directory, names
    that git refuses, a work tree, a stash, ignored files, links."""
    root.mkdir()
    for name, data in (
        ("docs/crlf.txt", b"one\r\ntwo\r\n"),
        ("src/a.py", b"x = 1\n"),
        ("src/b.py", b"x = 2\r\nx = 3\n"),
        ("run.sh", b"#!/bin/bash\nrm -rf docs; echo x >> src/a.py; mkdir made; touch made/x\n"),
        ("Makefile", MAKEFILE),
        ("format.py", FORMATTER),
        ("package.json", json.dumps({"name": "p", "scripts": SCRIPTS}).encode()),
        (".gitattributes", b"* text=auto\n"),
        (".gitignore", b"*.local\nbuild/\n"),
    ):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (root / "run.sh").chmod(0o755)
    sh(
        "git init -q -b main && git add -A && git commit -qm one && git tag v1"
        " && git checkout -qb feature && echo f > feature && git add -A && git commit -qm two"
        " && git checkout -q main && echo y >> src/a.py && git commit -qam three"
        " && echo z >> src/b.py && git stash -q && git worktree add -q tree -b other"
        " && git init -q -b main ../lib && cd ../lib && echo a > a && git add a && git commit -qm a"
        " && echo b >> a && git commit -qam b && cd - && git submodule -q add $PWD/../lib sub"
        " && echo c >> sub/a && echo new > sub/untracked"
        " && echo d > tree/new && echo d >> tree/run.sh",
        root,
        check=True,
    )
    sh(
        "mkdir -p vendor/lib && cd vendor/lib && git init -q -b main && echo a > a && git add -A"
        " && git commit -qm a && echo b >> a && echo new > untracked && git add a && echo c >> a",
        root,
        check=True,
    )
    (root / "empty/inner").mkdir(parents=True)
    (root / "git~1").write_bytes(b"git refuses this name\n")
    (root / "odd\n").mkdir()
    (root / os.fsdecode(b"odd\n/\xff\xfe")).write_bytes(b"not UTF-8")
    (root / "notes.txt").write_bytes(b"nobody has this\r\n")
    (root / ".hidden").write_bytes(b"")
    (root / "keys.local").write_bytes(b"ignored\n")
    (root / "build").mkdir()
    (root / "build/large").write_bytes(os.urandom(1 << 16) * 20)
    (root / "huge.local").write_bytes(os.urandom(1 << 16) * 40)
    os.mkfifo(root / "pipe", 0o640)
    (root / "link").symlink_to("notes.txt")
    (root / "dangling").symlink_to("/nowhere/at all")
    (root / "src/a.py").write_bytes(b"x = 1\ny\nnot committed\r\n")
    (root / "keys.local").chmod(0o600)
    (root / "docs").chmod(0o750)
    return root


Picture = dict[bytes, tuple[object, ...]]


def picture(root: Path) -> Picture:
    """All that has to be equal: content, modes, links and directories, git's files among them.

    Objects of git are left out: more of them are no difference, and that none is missing `whole`
    shows.
    """
    found: dict[bytes, tuple[object, ...]] = {}
    top = os.fsencode(root)
    for directory, names, files in os.walk(top):
        for name in (*names, *files):
            path = os.path.join(directory, name)
            inside = os.path.relpath(path, top)
            if _OBJECT.search(inside):
                continue
            state = os.lstat(path)
            if os.path.islink(path):
                found[inside] = ("link", os.readlink(path))
            elif os.path.isdir(path):
                found[inside] = ("directory", state.st_mode)
            elif not stat.S_ISREG(state.st_mode):
                found[inside] = ("special", state.st_mode)
            else:
                data = Path(os.fsdecode(path)).read_bytes()
                found[inside] = ("file", state.st_mode, hashlib.sha256(data).hexdigest())
    return found


def whole(root: Path) -> str:
    """What git finds missing in the project's repositories; empty where nothing is."""
    said = ""
    for at in (root, root / "vendor/lib", root / "sub"):
        if (at / ".git").exists():
            done = subprocess.run(
                ["git", "fsck", "--full", "--no-dangling", "--no-progress"],
                cwd=at,
                env=ENVIRONMENT,
                capture_output=True,
                text=True,
                timeout=HANG_SECONDS,
            )
            said += done.stdout + done.stderr if done.returncode else ""
    return said
