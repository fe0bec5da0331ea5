"""How much work two checkouts do for the same texts: calls of functions, and system calls.

    python -m benchmarks.compare_calls OLD NEW FILE…

OLD and NEW are directories with the project. Of each FILE the first `TEXTS` requests are decided,
none of them seen before. Calls are counted by `sys.setprofile`, system calls by `strace -c`: a busy
machine does not change them. The exit code is 1 where NEW makes more of either.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.checkouts import Checkout, requests
from benchmarks.table import Row, show

TEXTS = 1000
_DECIDE = """
import gc, json, sys
gc.disable()
from execpolicy import Request
from execpolicy.engine.engine import Engine
engine = Engine.load(rules=[])
calls = 0
def count(frame, event, argument):
    global calls
    calls += event in ("call", "c_call")
for line in sys.stdin:
    asked = json.loads(line)
    argv = asked.get("argv")
    request = Request(asked.get("text"), argv and tuple(argv), asked.get("cwd"))
    if sys.argv[1] == "calls":
        sys.setprofile(count)
    engine.decide(request)
    sys.setprofile(None)
print(calls)
"""


def calls(checkout: Checkout, asked: Sequence[dict[str, Any]], cwd: str) -> int:
    """Calls of functions while these requests are decided."""
    command = [checkout.python, "-c", _DECIDE, "calls"]
    return int(_run(checkout, command, asked, cwd))


def system_calls(checkout: Checkout, asked: Sequence[dict[str, Any]], cwd: str) -> int:
    """System calls of a process that decides these requests."""
    with tempfile.NamedTemporaryFile() as table:
        strace = ["strace", "-f", "-c", "-o", table.name]
        _run(checkout, [*strace, checkout.python, "-c", _DECIDE, ""], asked, cwd)
        total = Path(table.name).read_text().splitlines()[-1].split()
    return int(total[3])


def _run(checkout: Checkout, command: list[str], asked: Sequence[dict[str, Any]], cwd: str) -> str:
    lines = "".join(json.dumps(each) + "\n" for each in asked)
    done = subprocess.run(
        command, input=lines, env=checkout.environment, cwd=cwd, stdout=subprocess.PIPE,
        text=True, check=True,
    )  # fmt: skip
    return done.stdout


def main() -> int:
    """Count, print, and give the exit code."""
    if len(sys.argv) < 4:
        print(__doc__)
        return 64
    old, new = Checkout(sys.argv[1]), Checkout(sys.argv[2])
    counts = {"calls": calls} | ({"system calls": system_calls} if shutil.which("strace") else {})
    rows, more = [], False
    with tempfile.TemporaryDirectory() as cwd:
        for path in sys.argv[3:]:
            asked = requests([path], cwd)[:TEXTS]
            for what, count in counts.items():
                before, after = (count(each, asked, cwd) for each in (old, new))
                more |= after > before
                ratio = f"{after / before:.3f} of before (≤ 1)"
                rows.append(Row(f"{Path(path).name}: {what}", f"{before:,} → {after:,}", ratio))
    show(f"the first {TEXTS:,} requests", rows)
    return 1 if more else 0


if __name__ == "__main__":
    raise SystemExit(main())
