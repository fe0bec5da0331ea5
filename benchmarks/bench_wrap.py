"""What a command of a wrapped session costs, by processor time of all processes that take part.

    python -m benchmarks.bench_wrap [COMMANDS]

Each shim runs `true` so many times in one session, of which a session with a few is taken off. The
ratio is to a bare `python3 -I -c pass`. All is done three times, and the least counts.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

RULES = "sandbox(auto_allow = True)\n"
PYTHON = "/usr/bin/python3"
TIMES, FEW = 3, 5


def spent(words: list[str], cwd: Path, environment: dict[str, str]) -> float:
    """Seconds of processor time of a program and all that it started and waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, cwd=cwd, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def session(count: int, project: Path, environment: dict[str, str]) -> float:
    """What a session costs at least in which a shell runs `true` so many times."""
    rules = project.parent / "a.rules"
    text = f"i=0; while [ $i -lt {count} ]; do /usr/bin/true; i=$((i+1)); done"
    wrap = [sys.executable, "-m", "execpolicy", "wrap", "-r", str(rules), "--", "bash", "-c", text]
    return min(spent(wrap, project, environment) for _ in range(TIMES))


def main() -> None:
    """Print a line for each shim."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    cache = Path.home() / ".cache"
    cache.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as directory:
        base = Path(directory)
        project = base / "project"
        project.mkdir()
        subprocess.run(["git", "init", "-q", str(project)], check=True)
        (base / "a.rules").write_text(RULES)
        given = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
        loop = f"i=0; while [ $i -lt {count} ]; do {PYTHON} -I -c pass; i=$((i+1)); done"
        bare = min(spent(["bash", "-c", loop], base, given) for _ in range(TIMES)) / count
        print(f"python3 -I -c pass  {bare * 1000:6.1f} ms")
        for shim in ("c", "python"):
            environment = {**given, "EXECPOLICY_SHIM": shim}
            empty = session(0, project, environment)
            few = session(FEW, project, environment)
            each = (session(FEW + count, project, environment) - few) / count
            print(f"{shim:7} session {empty * 1000:6.1f} ms ({empty / bare:5.1f})", end="  ")
            print(f"command {each * 1000:6.1f} ms ({each / bare:5.2f})")


if __name__ == "__main__":
    main()
