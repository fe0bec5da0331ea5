"""The hooks on one changed file, run by pre-commit, beside one that does nothing.

The environment of the hooks is that of this interpreter; what pre-commit itself costs is in both.

python -m benchmarks.bench_pre_commit
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.table import Row, bare_python, show

TIMES = 12
HOOKS = ("nothing", "execpolicy-lint", "execpolicy-fmt", "execpolicy-test", "")
ROOT = Path(__file__).parents[1]
RULES = (
    'prefix_rule(["deploy"], "prompt", justification = "customers see it", match = ["deploy"])\n'
)
CASES = 'policy(rules = ["a.rules"])\n\ncase("deploy now", "prompt")\n'
NOTHING = """      - id: nothing
        name: nothing
        entry: "true"
        language: system
        files: \\.rules$
"""


def environment(directory: Path) -> dict[str, str]:
    """This interpreter's `execpolicy` first, a cache of its own, compiled modules kept."""
    program = directory / "bin" / "execpolicy"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m execpolicy "$@"\n')
    program.chmod(0o755)
    names = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "PRE_COMMIT"))}
    names.pop("PYTHONDONTWRITEBYTECODE", None)
    return names | {
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "XDG_CACHE_HOME": str(directory / "cache"),
        "PRE_COMMIT_HOME": str(directory / "store"),
    }


def repository(directory: Path) -> Path:
    """A repository with one rules file in the index, and all hooks."""
    place = directory / "repo"
    rules = place / ".execpolicy" / "rules"
    rules.mkdir(parents=True)
    (rules / "a.rules").write_text(RULES)
    (rules / "a.rules_test").write_text(CASES)
    manifest = (ROOT / ".pre-commit-hooks.yaml").read_text()
    hooks = re.sub(r"language: \w+", "language: system", manifest)
    listed = "".join(f"      {line}\n" for line in hooks.splitlines())
    config = f"repos:\n  - repo: local\n    hooks:\n{listed}{NOTHING}"
    (place / ".pre-commit-config.yaml").write_text(config)
    subprocess.run(["git", "init", "-q"], cwd=place, check=True)
    subprocess.run(["git", "add", "."], cwd=place, check=True)
    return place


def main() -> None:
    rows = [Row("bare `python -c pass`", f"{bare_python():.0f} ms", "")]
    with tempfile.TemporaryDirectory() as directory:
        names = environment(Path(directory))
        place = repository(Path(directory))

        def milliseconds(hook: str) -> float:
            command = [sys.executable, "-m", "pre_commit", "run", *hook.split()]
            started = time.perf_counter()
            subprocess.run(command, cwd=place, env=names, check=True, capture_output=True)
            return (time.perf_counter() - started) * 1000

        best = dict.fromkeys(HOOKS, float("inf"))
        for _ in range(TIMES):  # in turn, so that a busy moment is nobody's alone
            for hook in HOOKS:
                best[hook] = min(best[hook], milliseconds(hook))
    nothing = best["nothing"]
    for hook, taken in best.items():
        ratio = f"{taken / nothing:.1f} × nothing" + (" (≤ 400 ms)" if hook in HOOKS[1:4] else "")
        rows.append(Row(f"pre-commit run {hook}".rstrip(), f"{taken:.0f} ms", ratio))
    show("pre-commit on one changed file", rows)


if __name__ == "__main__":
    main()
