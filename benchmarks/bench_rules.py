"""Loading and matching rules, as ratios to what the parts cost by themselves.

    python -m benchmarks.bench_rules

Prints a table, with this machine's bare `python -c pass` beside it for a sense of scale.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Callable

import starlark

from benchmarks.table import Row, bare_python, median_ms, show
from execpolicy.language.compile import compile_sources
from execpolicy.language.evaluate.child import dialect
from execpolicy.language.evaluate.evaluate import Source
from execpolicy.model.decision import Decision
from execpolicy.model.rule import Origin, PrefixRule
from execpolicy.policy.policy import Policy

RULE = """prefix_rule(
    pattern = ["tool{n}", "sub{n}", ["a", "b"]],
    decision = "prompt",
    match = ["tool{n} sub{n} a --x", ["tool{n}", "sub{n}", "b"]],
    not_match = ["tool{n} other"],
    justification = "tool {n} asks",
)
"""
MANY = 10_000


def starlark_alone(text: str) -> None:
    """Parse and evaluate, the builtin being a function that keeps its arguments."""
    module = starlark.Module()
    calls: list[object] = []
    module.add_callable("prefix_rule", lambda **given: calls.append(given))
    starlark.eval(module, starlark.parse("x", text, dialect()), starlark.Globals.standard())
    assert len(calls) == MANY


def load(text: str) -> None:
    """All of it: child process, evaluation, judging, examples, index."""
    (compiled,) = compile_sources([("user", Source("x.rules", text))])
    assert compiled.diagnostics == ()
    assert sum(map(len, Policy(compiled.rules).packed)) == MANY


def peak_mib(text: str) -> float:
    """Peak memory of a process that loads the text, by itself and by its child."""
    program = (
        "import sys, resource\n"
        "from benchmarks.bench_rules import load\n"
        "load(sys.stdin.read())\n"
        "print(*(resource.getrusage(w).ru_maxrss for w in (0, -1)))\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    return max(map(int, done.stdout.split())) / 1024


def policy(size: int, shape: Callable[[int], tuple[tuple[str, ...], ...]]) -> Policy:
    origin = Origin("user", "x.rules", 1)
    rules = (PrefixRule(shape(n), Decision.PROMPT, None, origin) for n in range(size))
    return Policy(rules)


def match_us(size: int, shape: Callable[[int], tuple[tuple[str, ...], ...]]) -> float:
    """Microseconds a match, the median of many."""
    asked = policy(size, shape)
    argv = (*(tokens[0] for tokens in shape(size // 2)), "--option", "operand")
    assert len(asked.matching(argv)) == 1

    def thousand() -> None:
        for _ in range(1000):
            asked.matching(argv)

    return median_ms(thousand, 15)


SHAPES: dict[str, Callable[[int], tuple[tuple[str, ...], ...]]] = {
    "a program a rule": lambda n: ((f"tool{n}",), ("sub",)),
    "one program, a subcommand a rule": lambda n: (("git",), (f"sub{n}",)),
    "one subcommand, an operand a rule": lambda n: (("npm",), ("run", "exec"), (f"task{n}",)),
}


def main() -> None:
    text = "".join(RULE.format(n=n) for n in range(MANY))
    alone = median_ms(lambda: starlark_alone(text), 5)
    whole = median_ms(lambda: load(text), 5)
    rows = [
        Row("bare `python -c pass`", f"{bare_python():.1f} ms", ""),
        Row(f"starlark alone, {MANY:,} rules with examples", f"{alone:.0f} ms", ""),
        Row("loading the same", f"{whole:.0f} ms", f"{whole / alone:.2f} (≤ 2)"),
        Row("peak memory of that", f"{peak_mib(text):.0f} MiB", "(≤ 150)"),
    ]
    for name, shape in SHAPES.items():
        few, many = match_us(10, shape), match_us(100_000, shape)
        rows.append(Row(f"match over 10 rules: {name}", f"{few:.2f} µs", ""))
        rows.append(Row("… over 100,000", f"{many:.2f} µs", f"{many / few:.2f} (≤ 1.3)"))
    show("rules", rows)


if __name__ == "__main__":
    started = time.perf_counter()
    main()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{time.perf_counter() - started:.0f} s, {peak} MiB")
