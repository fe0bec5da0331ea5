"""Hot reload: how soon a change is live, and what readers notice.

    python -m benchmarks.bench_reload

100 files with 10,000 rules, one of them replaced by rename while a thread decides all the time.
"""

import os
import statistics
import tempfile
import threading
import time
from pathlib import Path

from benchmarks.table import Row, bare_python, show
from execpolicy.engine.engine import Engine

FILES, RULES = 100, 100
CHANGES = 12


def text(file: int, decision: str) -> str:
    """A file of rules; `marker` tells which version is in force."""
    rules = [f'prefix_rule(["tool{file}", "sub{n}"], "prompt")' for n in range(RULES)]
    return "\n".join([*rules, f'prefix_rule(["marker{file}"], "{decision}")']) + "\n"


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ["XDG_CONFIG_HOME"] = home + "/config"
        os.environ["XDG_CACHE_HOME"] = home + "/cache"
        rules = Path(home, "config/execpolicy/rules")
        rules.mkdir(parents=True)
        for file in range(FILES):
            (rules / f"{file:03}.rules").write_text(text(file, "prompt"))
        live, pauses = measure(Engine.load(cwd=home), rules)
    median = statistics.median(live)
    rows = [
        Row("bare `python -c pass`", f"{bare_python():.1f} ms", ""),
        Row("a change is live, median", f"{median:.0f} ms", "(≤ 250)"),
        Row("… worst", f"{max(live):.0f} ms", "(≤ 250)"),
        Row("a decision, median", f"{statistics.median(pauses) * 1000:.0f} µs", ""),
        Row("… worst pause of a reader", f"{max(pauses):.1f} ms", "(≤ 5)"),
    ]
    show(f"reload: {FILES} files, {FILES * RULES:,} rules", rows)


def measure(engine: Engine, rules: Path) -> tuple[list[float], list[float]]:
    """Milliseconds until each change was live, and of each decision of a reader meanwhile."""
    pauses: list[float] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            started = time.perf_counter()
            engine.check(["tool1", "sub1"])
            pauses.append((time.perf_counter() - started) * 1000)
            time.sleep(0.001)

    live = []
    reader = threading.Thread(target=read)
    with engine.watch():
        reader.start()
        for change in range(CHANGES):
            live.append(changed(engine, rules, change))
            time.sleep(0.3)
        done.set()
        reader.join()
    return live, pauses


def changed(engine: Engine, rules: Path, change: int) -> float:
    """Replace one file; milliseconds until the engine decides by it."""
    wanted = ("forbidden", "prompt")[change % 2]
    beside = rules / "new.tmp"
    beside.write_text(text(7, wanted))
    started = time.perf_counter()
    beside.replace(rules / "007.rules")
    while engine.check(["marker7"]).decision.word != wanted:
        time.sleep(0.001)
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    main()
