"""What a call left of a project, and what a host said of it, without what differs between runs."""

import hashlib
import os
import re
import subprocess
from pathlib import Path

State = dict[str, str]

_CACHES = frozenset(("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".git", ".venv"))
_PACKED = (".whl", ".pyc", "/number")
"""Files whose content differs from run to run: with times, or the number of a process."""
_GIT = (
    ("status", "--porcelain", "--untracked-files=all"),
    ("branch", "-vv", "--no-abbrev"),
    ("log", "--format=%s %D", "--all"),
    ("stash", "list", "--format=%s"),
    ("ls-remote", "origin"),
)
_DIFFERS = (
    (re.compile(r"execpolicy: .*?((\\n)+|(?=\"))"), ""),
    (
        re.compile(r"with ID: \w+|tasks/\w+[.]output|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
        "ID",
    ),
    (re.compile(r"total \d+|[-drwx]{10} +\d+ root root +\d+ (\S+ +){3}\.env\\n"), ""),
    (re.compile(r"\(Bash completed with no output\)|\(no output\)"), ""),
    (re.compile(r"(?=[0-9a-f]*\d)\b[0-9a-f]{7,64}\b"), "HASH"),
    (re.compile(r"\d+(\.\d+)? ?(ms|s|seconds|sec)\b"), "TIME"),
    (re.compile(r"(duration_ms|Wall time):? ?[\d.]+"), "TIME"),
    (re.compile(r"\d\d:\d\d(:\d\d(\.\d+)?)?"), "TIME"),
    (re.compile(r"(tmp|build-env|wheel|pip-[a-z-]+|ephem-wheel-cache)[-_][\w]{6,}"), "TEMPORARY"),
    (re.compile(r"/tmp/[\w.-]+"), "TEMPORARY"),
    (re.compile(r"\b(pid|PID):? ?\d+|(?<=line 1: ) +\d+(?= )"), "PID"),
    (re.compile(r"app-1\.0\.0\.tgz\\n"), ""),
    (re.compile(r"(Chunk ID:|chunk) ?\w+"), "CHUNK"),
    (re.compile(r"Original token count: \d+"), "TOKENS"),
)


def of(root: Path) -> State:
    """The files of a project by their digests, its packages, and what git says."""
    found: State = {}
    for folder, names, files in os.walk(root):
        there = os.path.relpath(folder, root)
        found.update({f"{there}/{name}": "a cache" for name in names if name in _CACHES})
        names[:] = [name for name in names if name not in _CACHES]
        found[f"{there}/"] = oct(os.stat(folder).st_mode)
        for name in files:
            found[f"{there}/{name}"] = _file(os.path.join(folder, name))
    for packages in root.glob(".venv/lib/python*/site-packages"):
        found["packages"] = " ".join(sorted(os.listdir(packages)))
    for words in _GIT:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True)
        found[f"git {words[0]}"] = same(done.stdout)
    return found


def _file(path: str) -> str:
    mode = oct(os.lstat(path).st_mode)
    if os.path.islink(path):
        return f"{mode} {os.readlink(path)}"
    if path.endswith(_PACKED):
        return mode
    return f"{mode} {hashlib.sha256(Path(path).read_bytes()).hexdigest()}"


def same(text: str) -> str:
    """What a host said, without times, hashes, numbers of processes, temporary names, without
    what `execpolicy` adds on standard error, and the line of a listing about the file with a key,
    which commands see empty, nor the file that is packed before a publication; its lines sorted,
    for programs that work in threads."""
    for pattern, name in _DIFFERS:
        text = pattern.sub(name, text)
    return "\\n".join(sorted(line for line in text.strip('"').split("\\n") if line))


def changed(before: State, after: State) -> State:
    """What a call changed."""
    names = before.keys() | after.keys()
    return {n: after.get(n, "nothing") for n in names if before.get(n) != after.get(n)}


def difference(here: State, there: State) -> str:
    """What two calls changed differently; nothing where that is the same."""
    names = sorted(n for n in here.keys() | there.keys() if here.get(n) != there.get(n))
    return "; ".join(f"{n}: {here.get(n)!r:.200}, not {there.get(n)!r:.200}" for n in names[:4])
