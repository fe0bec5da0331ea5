"""`python -m tests.replay KIND FILE` ends with `held N of M`; 0 only if all rows held."""

import json
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path


def main(kind: str, file: str) -> int:
    """Replay a file of rows, one JSON object a line."""
    if not kind.isidentifier() or find_spec(f"tests.replay.{kind}") is None:
        print(f"no rows are known as `{kind}`: name a module of tests/replay", file=sys.stderr)
        return 64
    lines = Path(file).read_text().splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    held = total = 0
    for name, problem in import_module(f"tests.replay.{kind}").problems(rows):
        total += 1
        held += problem is None
        if problem is not None:
            print(f"{name}: {problem}")
    print(f"held {held} of {total}")
    return 0 if held == total else 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print("usage: python -m tests.replay KIND FILE", file=sys.stderr)
        sys.exit(64)
    sys.exit(main(sys.argv[1], sys.argv[2]))
