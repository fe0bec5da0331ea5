"""`python -m tests.replay KIND FILE`: replay rows of JSON lines, and print `held N of M`.

A kind is a module of this package with one function, `mistake(row)`: what is wrong with the answer
to a row, in a line, or None where it holds. Exit code 0 only if every row holds, 64 for usage.
"""

import importlib
import json
import os
import sys

SHOWN = 20


def main(arguments: list[str]) -> int:
    """Replay a file. Prints the first mistakes, then the count."""
    here = os.path.dirname(os.path.abspath(__file__))
    kinds = sorted(n[:-3] for n in os.listdir(here) if n.endswith(".py") and n[0] != "_")
    if len(arguments) != 2 or arguments[0] not in kinds:
        print(f"usage: python -m tests.replay {'|'.join(kinds)} FILE", file=sys.stderr)
        return 64
    module = importlib.import_module(f"tests.replay.{arguments[0]}")
    with open(arguments[1], encoding="utf-8") as file:
        rows = [json.loads(line) for line in file if line.strip()]
    wrong = []
    for row in rows:
        said = module.mistake(row)
        if said is not None:
            wrong.append(f"{row.get('id', '?')}: {said}")
    print("\n".join(wrong[:SHOWN]), end="\n" if wrong else "")
    print(f"held {len(rows) - len(wrong)} of {len(rows)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
