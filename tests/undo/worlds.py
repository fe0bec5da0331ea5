"""Projects that are hard to bring back, calls that destroy something in them, and what is equal."""

import hashlib
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

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
}
_OBJECT = re.compile(rb"(^|/)objects/([0-9a-f]{2}(/[0-9a-f]+)?|pack/pack-.*)$")

DESTROYING: Mapping[str, tuple[str, ...]] = {
    "rm": ("rm -rf src docs", "rm notes.txt .hidden", "rm -r 'odd\n' empty vendor"),
    "mv over": ("mv src/a.py notes.txt", "mv -f docs/crlf.txt src/b.py", "mv vendor src/"),
    "redirection": ("echo x > notes.txt", ": > src/a.py", "cat src/b.py > link"),
    "sed": ("sed -i s/x/y/ src/*.py", "sed -i 1d docs/crlf.txt", "sed -i 's/$/ /' notes.txt"),
    "modes": ("chmod 000 src", "chmod -x run.sh", "chmod 600 src/a.py docs"),
    "checkout": ("git checkout -q -- .", "git checkout -qf feature", "git restore -S -W ."),
    "clean": ("git clean -qffdx", "git clean -qfd", "git clean -qfX"),
    "reset": ("git reset -q --hard", "git reset -q --hard HEAD~1", "git reset -q HEAD~1"),
    "stash": ("git stash -q -u", "git stash drop -q", "git stash clear"),
    "rebase": (
        "git stash -q && git rebase -q feature",
        "git stash -q && git rebase -qx false feature",
        "git branch -D feature",
        "git tag -d v1",
    ),
    "collect": (
        "git reflog expire --expire=now --all && git gc -q --prune=now",
        "git branch -qD feature; git reflog expire --expire=now --all; git gc -q --prune=now",
    ),
    "scripts": (
        "./run.sh",
        "make -s clean",
        "find . -name '*.py' -delete",
        "ln -sfn src link",
        "git -C vendor/lib reset -q --hard && git -C vendor/lib clean -qfdx",
        "git worktree remove -f tree",
    ),
}


def sh(text: str, cwd: Path, *, check: bool = False) -> None:
    """Run a text by bash, with nothing of the user's own."""
    subprocess.run(
        ["bash", "-c", text],
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
        ("Makefile", b"clean:\n\trm -rf src *.txt\n"),
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
        " && echo z >> src/b.py && git stash -q && git worktree add -q tree -b other",
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
    (root / "link").symlink_to("notes.txt")
    (root / "dangling").symlink_to("/nowhere/at all")
    (root / "src/a.py").write_bytes(b"x = 1\ny\nnot committed\r\n")
    (root / "keys.local").chmod(0o600)
    (root / "docs").chmod(0o750)
    return root


def picture(root: Path) -> dict[bytes, tuple[object, ...]]:
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
            else:
                data = Path(os.fsdecode(path)).read_bytes()
                found[inside] = ("file", state.st_mode, hashlib.sha256(data).hexdigest())
    return found


def whole(root: Path) -> str:
    """What git finds missing in the project's repositories; empty where nothing is."""
    said = ""
    for at in (root, root / "vendor/lib"):
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
