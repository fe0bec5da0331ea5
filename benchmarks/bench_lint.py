"""Lint and fmt of many rules, as whole processes with an empty and a filled cache.

python -m benchmarks.bench_lint
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.table import Row, bare_python, show

RULE = """prefix_rule(
    pattern = ["tool{n}", "sub{n}", ["a", "b"]],
    decision = "prompt",
    match = ["tool{n} sub{n} a --x"],
    justification = "tool {n} asks",
)
"""
SAME = """prefix_rule(["npm", "run", "task{n}"], "prompt", match = ["npm run task{n}"],
    justification = "asks")
"""


def seconds(cache: Path, *arguments: str, cold: bool = False) -> float:
    """Seconds that `execpolicy` takes as a process of its own, with an empty cache if `cold`."""
    command = [sys.executable, "-m", "execpolicy", *arguments]
    names = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    names.pop("PYTHONDONTWRITEBYTECODE", None)
    if cold:
        shutil.rmtree(cache, ignore_errors=True)
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=False, env=names)
    taken = time.perf_counter() - started
    assert done.returncode in (0, 1), done.stderr.decode()
    assert not done.stderr, done.stderr.decode()
    return taken


def main() -> None:
    rows = [Row("bare `python -c pass`", f"{bare_python():.0f} ms", "")]
    with tempfile.TemporaryDirectory() as directory:
        cache = Path(directory) / "cache"
        seconds(cache, "lint", "--help")
        for name, shape in (("a program a rule", RULE), ("one program", SAME)):
            for count, bound in ((1, 0.4), (1_000, 1.5), (10_000, 12.0)):
                path = Path(directory) / f"{count}.rules"
                path.write_text("".join(shape.format(n=n) for n in range(count)))
                times = 3 if count < 10_000 else 1
                for cold in (True, False):
                    taken = min(seconds(cache, "lint", str(path), cold=cold) for _ in range(times))
                    what = f"lint {count:,} rules, {name}, {'cold' if cold else 'warm'}"
                    limit = f"(≤ {bound})" if count > 1 or not cold else ""
                    rows.append(Row(what, f"{taken:.2f} s", limit))
        lines = Path(directory) / "lines.rules"
        lines.write_text("".join(RULE.format(n=n) for n in range(5_000 // 6 + 1)))
        rows.append(
            Row("fmt 5,000 lines", f"{seconds(cache, 'fmt', '--check', str(lines)):.2f} s", "(≤ 3)")
        )
    show("lint", rows)


if __name__ == "__main__":
    main()
