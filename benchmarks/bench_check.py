"""Deciding: a text never seen before, the same text again, an argv; beside bashlex alone.

    python -m benchmarks.bench_check [CORPUS.jsonl …]

Without corpora (files of `{"command": TEXT}` lines) a small list of everyday commands is used.
"""

import contextlib
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.table import Row, bare_python, show
from execpolicy.catalogue import read
from execpolicy.engine.engine import Engine
from execpolicy.model.operation import Exec, Word
from execpolicy.shell.reader import read as read_script

EVERYDAY = [
    "ls -la",
    "git status --short",
    "cat src/main.py | head -50",
    "grep -rn 'def main' src --include='*.py'",
    "cd app && git log --oneline -5",
    'for f in *.py; do wc -l "$f"; done | sort -n',
    "find . -name '*.ts' -not -path './node_modules/*' | xargs wc -l",
    "git commit -m \"$(cat <<'EOF'\nfix the thing\n\nand say why\nEOF\n)\"",
    "sed -n '1,80p' README.md",
    "timeout 30 npm test 2>&1 | tail -20",
    "[[ -f x ]] && cat x || echo none",
    "docker compose ps --format json",
]


def corpus(paths: Sequence[str]) -> list[str]:
    """The commands of these files, or a few of every day."""
    lines = [line for path in paths for line in Path(path).read_text().splitlines()]
    return [json.loads(line)["command"] for line in lines] or EVERYDAY * 40


def each_us(action: Callable[[str], object], texts: Sequence[str]) -> list[float]:
    """Microseconds of each call."""
    times = []
    for text in texts:
        started = time.perf_counter()
        action(text)
        times.append((time.perf_counter() - started) * 1e6)
    return times


def bashlex_alone(text: str) -> None:
    import bashlex

    with contextlib.suppress(Exception):  # what it refuses is no concern here
        bashlex.parse(text)


def row(what: str, times: Sequence[float], bound: str, against: float = 0) -> Row:
    median = statistics.median(times)
    share = f", {median / against:.2f} of bashlex alone" if against else ""
    tail = statistics.quantiles(times, n=100)[98]
    return Row(
        what, f"{median:.1f} µs", f"p99 {tail:.0f} µs, worst {max(times):.0f} µs{share} {bound}"
    )


def main() -> None:
    texts = list(dict.fromkeys(corpus(sys.argv[1:])))
    engine = Engine.load(rules=[])
    bashlex = each_us(bashlex_alone, texts)
    alone = statistics.median(bashlex)
    plain = [t for t in texts if t.replace(" ", "").replace("-", "").isalnum()]
    argvs = {text: _first(text) for text in texts}
    catalogue = engine.snapshot.catalogue
    reading = each_us(lambda text: read(argvs[text], catalogue), [t for t in texts if argvs[t]])
    rows = [
        Row("bare `python -c pass`", f"{bare_python():.1f} ms", f"{len(texts):,} commands"),
        row("bashlex alone", bashlex, ""),
        row("reading a script", each_us(read_script, texts), "(≤ 60 µs)", alone),
        row("… of plain words", each_us(read_script, plain or texts), "(≤ 8 µs)"),
        row("the effects of an argv", reading, "(≤ 12 µs)"),
        row("a whole check, never seen", each_us(engine.check, texts), "(≤ 100 µs)", alone),
        row("… the same again", _again(engine, texts[-500:]), "(≤ 2 µs)"),
    ]
    show("deciding", rows)


def _again(engine: Engine, texts: Sequence[str]) -> list[float]:
    for text in texts:
        engine.check(text)
    return each_us(engine.check, texts)


def _first(text: str) -> tuple[Word, ...]:
    """The words of a text's first command, if it has one."""
    found = [o for o in read_script(text).operations if isinstance(o, Exec)]
    return found[0].argv if found else ()


if __name__ == "__main__":
    main()
