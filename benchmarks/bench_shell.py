"""Reading script texts, as ratios to bashlex alone on the same texts in the same run.

    EXECPOLICY_CORPORA=FOLDER python -m benchmarks.bench_shell

The folder holds `corpus_*.jsonl`, an object with a `command` a line; without it a few own commands
are read.
"""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import bashlex

from benchmarks.table import Row, show
from execpolicy.model.operation import Opaque
from execpolicy.shell.fast import plain
from tests.shell.reading import read

OWN = {
    "plain": ["git status", "ls -la src", "cargo test --workspace", "npm run build"],
    "quoted": ["git commit -m 'fix: it'", 'rg -n "def .*x" src | head -20', "a && b || echo 'c'"],
    "compound": [
        'for f in *.py; do wc -l "$f"; done',
        "if [ -f x ]; then cat x; else echo none; fi",
        'while read -r l; do echo "$l"; done < f',
    ],
    "heredoc": ["cat <<'EOF' > f\n" + "some text\n" * 40 + "EOF", "cat <<E\n$x $(date)\nE"],
}


def corpora() -> dict[str, list[str]]:
    folder = os.environ.get("EXECPOLICY_CORPORA")
    if not folder:
        return OWN
    found = {}
    for path in sorted(Path(folder).glob("corpus_*.jsonl")):
        texts = [json.loads(line)["command"] for line in path.read_text().splitlines()]
        name = path.stem.removeprefix("corpus_")
        found[name] = texts
        found[f"{name}, plain"] = [t for t in texts if plain.commands(t) is not None]
    return {**found, **OWN}


def median_us(run: Callable[[str], object], texts: list[str]) -> float:
    """The median over the texts of the best of three runs."""
    times = sorted(min(_seconds(run, text) for _ in range(3)) for text in texts)
    return times[len(times) // 2] * 1e6


def _seconds(run: Callable[[str], object], text: str) -> float:
    started = time.perf_counter()
    run(text)
    return time.perf_counter() - started


def by_bashlex(text: str) -> object:
    """bashlex alone, which refuses some texts and misreads others."""
    try:
        return bashlex.parse(text)
    except Exception:  # it raises whatever its tables come across
        return None


def understood(texts: list[str], shell: str | None) -> float:
    clear = sum(not any(isinstance(o, Opaque) for o in read(t, shell)) for t in texts)
    return 100 * clear / len(texts)


def row(name: str, texts: list[str]) -> Row:
    ours = median_us(lambda text: read(text, "bash"), texts)
    ratio = ours / median_us(by_bashlex, texts[:4000])
    clear = " / ".join(f"{understood(texts, shell):.2f}" for shell in ("bash", None))
    return Row(f"{name}, {len(texts)} texts", f"{ours:.1f} us", f"{ratio:.2f}, {clear} % clear")


def main() -> None:
    title = "median, ratio to bashlex alone, share without Opaque read by bash / by any shell"
    show(title, [row(name, texts) for name, texts in corpora().items()])


if __name__ == "__main__":
    main()
