"""Lint and fmt of many rules, as whole processes with an empty and a filled cache.

python -m benchmarks.bench_lint
"""

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


def seconds(*arguments: str) -> float:
    """Seconds that `execpolicy` takes as a process of its own."""
    command = [sys.executable, "-m", "execpolicy", *arguments]
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=False)
    taken = time.perf_counter() - started
    assert done.returncode in (0, 1), done.stderr.decode()
    assert not done.stderr, done.stderr.decode()
    return taken


def main() -> None:
    rows = [Row("bare `python -c pass`", f"{bare_python():.0f} ms", "")]
    with tempfile.TemporaryDirectory() as directory:
        for name, shape in (("a program a rule", RULE), ("one program", SAME)):
            for count, bound in ((1, 0.4), (1_000, 1.5), (10_000, 12.0)):
                path = Path(directory) / f"{count}.rules"
                path.write_text("".join(shape.format(n=n) for n in range(count)))
                taken = min(seconds("lint", str(path)) for _ in range(3 if count < 10_000 else 1))
                rows.append(Row(f"lint {count:,} rules, {name}", f"{taken:.2f} s", f"(≤ {bound})"))
        lines = Path(directory) / "lines.rules"
        lines.write_text("".join(RULE.format(n=n) for n in range(5_000 // 6 + 1)))
        rows.append(
            Row("fmt 5,000 lines", f"{seconds('fmt', '--check', str(lines)):.2f} s", "(≤ 3)")
        )
    show("lint", rows)


if __name__ == "__main__":
    main()
