"""What a decision costs in a small and in a large repository, and in trees outside of any.

    python -m benchmarks.bench_sizes [FILES]

A repository of 100 tracked files and one of so many (100,000) are made below a throwaway home. Each
command is decided in a process that has looked at neither before; the processor's milliseconds of
the first look are shown, and how many times those of the small repository they are.
"""

import gc
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.table import Row, show
from execpolicy.engine.engine import Engine

COMMANDS = (
    "ls -la",
    "git status",
    "git diff",
    "git diff --stat",
    "git log --oneline -5",
    "git show HEAD",
    "git add -A",
    "git add src",
    "git commit -m x",
    "git checkout -- .",
    "git stash",
    "git grep name",
    "git ls-files | wc -l",
    "wc -l $(git ls-files '*.py')",
    "git ls-files '*.py' | xargs wc -l",
    "git ls-files -z | xargs -0 grep name",
    "grep -rn name .",
    "grep -rn name src",
    "grep -rn name . --include='*.py'",
    "rg name",
    "rg name src",
    "find . -name '*.py'",
    "find . -name '*.py' | xargs grep name",
    "find . -type f -exec grep -l name {} +",
    "find src -name '*.py' | head",
    "cat src/d0/*.py",
    "sed -i s/a/b/ src/*/*.py",
    "sed -i s/a/b/ src/d0/f0.py",
    "for f in src/*/*.py; do wc -l $f; done",
    "cat $(find . -name '*.md')",
    "ls -R",
    "tar czf /tmp/x.tgz src",
    "cp -r src copied",
    "rm -rf build",
    "rm -rf src/d1",
    "mv src/d1 src/moved",
    "cd src && ls | xargs wc -l",
    "npm test",
    "make test",
    "python3 -m pytest -q",
)
OUTSIDE = (
    "grep -rn name /etc",
    "find /etc -name '*.conf' | xargs grep x",
    "find /proc -name status",
    "find /proc -maxdepth 2 -name status | xargs cat",
    "ls -R /home",
    "find /usr/lib -name '*.py' -exec grep -l x {} +",
    "grep -rn name /usr/include",
    "find .. -name '*.txt' | xargs cat",
)
EACH = 100
"""Files of a directory."""


def repository(home: Path, files: int) -> Path:
    """A repository with so many tracked files."""
    top = home / f"of{files}"
    for number in range(files):
        if number % EACH == 0:
            directory = top / f"src/d{number // EACH}"
            directory.mkdir(parents=True)
        (directory / f"f{number}.py").write_text("")
    for command in (["init", "-q"], ["add", "."], [*_AUTHOR, "commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=top, check=True)
    return top


_AUTHOR = ("-c", "user.name=a", "-c", "user.email=a@example.org")


def first_ms(text: str, cwd: Path) -> float:
    """The processor's milliseconds of a decision by an engine that knows nothing of the disk."""
    engine = Engine.load(rules=[])
    engine.check("true", cwd=str(cwd))
    gc.collect()  # what engines before this one left
    started = time.process_time()
    engine.check(text, cwd=str(cwd))
    return (time.process_time() - started) * 1000


def main() -> None:
    """Print the figures."""
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory, "home")
        os.environ.update(HOME=str(home), XDG_CACHE_HOME=f"{directory}/cache")
        small, large = repository(home, 100), repository(home, files)
        for text in (*COMMANDS, *OUTSIDE):  # modules and tables
            first_ms(text, small)
        rows = []
        for text in COMMANDS:
            few, many = first_ms(text, small), first_ms(text, large)
            rows.append(Row(text, f"{many:.1f} ms", f"{many / few:.1f} of {few:.1f}"))
        show(f"100 and {files:,} tracked files", rows)
        show("outside", [Row(text, f"{first_ms(text, small):.1f} ms", "") for text in OUTSIDE])


if __name__ == "__main__":
    main()
